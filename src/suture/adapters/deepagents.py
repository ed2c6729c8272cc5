"""Suture in deepagents: `create_deep_agent(model, backend=SutureBackend(session), checkpointer=…)`.

The agent keeps its own file tools; their reads and changes go through the session. Paths are virtual: `/app.py` is
`app.py` in the workspace. What may not be read is neither listed nor found. Approvals interrupt the graph, as in the
adapter for LangChain.
"""

from __future__ import annotations

from ..core.interface_names import SNAKE_TOOL, use_interface
from ..core.problems import PatchRejectedError
from .bridge import Bridge, extra

with extra("deepagents"):
    from deepagents.backends import FilesystemBackend
    from deepagents.backends.protocol import (
        DeleteResult,
        EditResult,
        FileDownloadResponse,
        FileUploadResponse,
        ReadResult,
        WriteResult,
    )

    from .graph_interrupts import block_in_graph, run_in_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session.result import Result
    from ..session.session import Session
    from ..session.sync import SyncSession


class SutureBackend(FilesystemBackend):
    """A backend that reads and writes through a session. Synchronous runs need a `SyncSession`."""

    def __init__(self, session: Session | SyncSession) -> None:
        self._bridge = Bridge(session)
        super().__init__(root_dir=self._bridge.session.workspace.files.roots[0], virtual_mode=True)
        self._bridge.session.tools("json", only=["read", "write", "edit", "delete"])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Read lines of a file, and record that the model has seen them."""
        result = self._block("read", _window(file_path, offset, limit))
        return ReadResult(error=result.output) if _is_refused(result) else super().read(file_path, offset, limit)

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Read lines of a file, and record that the model has seen them."""
        result = await self._run("read", _window(file_path, offset, limit))
        return ReadResult(error=result.output) if _is_refused(result) else super().read(file_path, offset, limit)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Write a whole file."""
        given = {"filePath": _inside(file_path), "content": content}
        return WriteResult(**_fields(file_path, self._block("write", given)))

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        """Write a whole file."""
        given = {"filePath": _inside(file_path), "content": content}
        return WriteResult(**_fields(file_path, await self._run("write", given)))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Replace a text in a file."""
        given = _edit(file_path, old_string, new_string, replace_all=replace_all)
        return _edited(file_path, self._block("edit", given))

    async def aedit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Replace a text in a file."""
        given = _edit(file_path, old_string, new_string, replace_all=replace_all)
        return _edited(file_path, await self._run("edit", given))

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file."""
        given = {"filePath": _inside(file_path)}
        return DeleteResult(**_fields(file_path, self._block("delete", given)))

    async def adelete(self, file_path: str) -> DeleteResult:
        """Delete a file."""
        given = {"filePath": _inside(file_path)}
        return DeleteResult(**_fields(file_path, await self._run("delete", given)))

    def ls(self, path: str) -> Any:
        """List a directory."""
        return self._readable(super().ls(path), "entries")

    def glob(self, pattern: str, path: str | None = None) -> Any:
        """Find files by name."""
        return self._readable(super().glob(pattern, path), "matches")

    def grep(self, *given: Any, **named: Any) -> Any:
        """Search the content of files."""
        return self._readable(super().grep(*given, **named), "matches")

    async def agrep(self, *given: Any, **named: Any) -> Any:
        """Search the content of files."""
        return self._readable(await super().agrep(*given, **named), "matches")

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Refuse: a file that a program writes past the session has no history. Use the workspace instead."""
        return [FileUploadResponse(path=path, error="permission_denied") for path, _ in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """The content of files that may be read."""
        responses = [super(SutureBackend, self).download_files([path])[0] for path in paths if self._may_read(path)]
        refused = [
            FileDownloadResponse(path=path, error="permission_denied") for path in paths if not self._may_read(path)
        ]
        by_path = {one.path: one for one in [*responses, *refused]}
        return [by_path[path] for path in paths]

    def _block(self, tool: str, given: dict[str, Any]) -> Result:
        with use_interface(SNAKE_TOOL):
            return block_in_graph(self._bridge, tool, given)

    async def _run(self, tool: str, given: dict[str, Any]) -> Result:
        with use_interface(SNAKE_TOOL):
            return await run_in_graph(self._bridge, tool, given)

    def _readable(self, found: Any, field: str) -> Any:
        """A result without the files that may not be read."""
        kept = getattr(found, field)
        if kept is not None:
            setattr(found, field, [one for one in kept if self._may_read(one["path"])])
        return found

    def _may_read(self, path: str) -> bool:
        try:
            self._bridge.session.access.view().guard().resolve(_inside(path) or ".")
        except PatchRejectedError:
            return False
        return True


def _inside(path: str) -> str:
    """A virtual path relative to the workspace."""
    return path.strip("/")


def _window(path: str, offset: int, limit: int) -> dict[str, Any]:
    return {"filePath": _inside(path), "offset": max(0, offset) + 1, "limit": max(1, limit)}


def _edit(path: str, old: str, new: str, *, replace_all: bool) -> dict[str, Any]:
    return {"filePath": _inside(path), "oldString": old, "newString": new, "replaceAll": replace_all}


def _is_refused(result: Result) -> bool:
    # A binary file is shown by the backend, as an image for example. That it may be read was checked before.
    return result.is_error and any(one["code"] != "binary_file" for one in result.metadata["problems"])


def _fields(path: str, result: Result) -> dict[str, str]:
    return {"error": result.output} if result.is_error else {"path": path}


def _edited(path: str, result: Result) -> EditResult:
    fields = _fields(path, result)
    if result.is_error:
        return EditResult(**fields)
    return EditResult(**fields, occurrences=len(result.metadata["filediff"]["edits"][0]["spans"]))
