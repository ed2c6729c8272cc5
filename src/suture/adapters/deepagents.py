"""Suture in deepagents: `create_deep_agent(model, backend=SutureBackend(session), checkpointer=…)`.

The agent keeps its own file tools; their reads and changes go through the session. Paths are virtual: `/app.py` is
`app.py` in the workspace. What may not be read is neither listed nor found. Approvals interrupt the graph, as in the
adapter for LangChain. The asynchronous methods of the base class run these in a thread, which a `SyncSession` allows.
"""

from __future__ import annotations

from ..core.problems import PatchRejectedError
from ..core.readers import SNAKE_TOOL
from .bridge import Bridge, extra, told_to

with extra("deepagents"):
    from deepagents.backends import FilesystemBackend, protocol

    from .graph_interrupts import block_in_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..agent.result import Result
    from ..agent.sync import SyncSession


class SutureBackend(FilesystemBackend):
    """A backend that reads and writes through a session, for `invoke` and `ainvoke`."""

    def __init__(self, session: SyncSession) -> None:
        self._bridge = Bridge(session)
        self._bridge.require_sync()
        self._bridge.definitions("json", "read", "write", "edit", "delete")
        self._bridge.session = told_to(self._bridge.session, SNAKE_TOOL)
        super().__init__(root_dir=self._bridge.session.workspace.files.roots[0], virtual_mode=True)

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> protocol.ReadResult:
        """Read lines of a file, and record that the model has seen them."""
        result = self._call("read", file_path, offset=max(0, offset) + 1, limit=max(1, limit))
        # Images and the like are shown by the base class. That they may be read was checked before.
        if result.is_error and any(problem.code != "binary_file" for problem in result.problems):
            return protocol.ReadResult(error=result.output)
        # If the file has changed in between, the record is of the older content, and an edit is refused as stale.
        return super().read(file_path, offset, limit)

    def write(self, file_path: str, content: str) -> protocol.WriteResult:
        """Write a whole file."""
        return _outcome(protocol.WriteResult, file_path, self._call("write", file_path, content=content))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> protocol.EditResult:
        """Replace a text in a file."""
        result = self._call("edit", file_path, oldString=old_string, newString=new_string, replaceAll=replace_all)
        count = sum([len(edit.spans) for change in result.changes for edit in change.edits])
        if not count:
            # If a person approved only a part, the occurrences are not known, only the hunks.
            count = sum([len(change.hunks) for change in result.changes])
        # The message of deepagents ends with the path in quotes.
        return _outcome(protocol.EditResult, file_path, result, "'. All of the answer: '{}", occurrences=count)

    def delete(self, file_path: str) -> protocol.DeleteResult:
        """Delete a file."""
        return _outcome(protocol.DeleteResult, file_path, self._call("delete", file_path))

    def ls(self, path: str) -> Any:
        """List a directory."""
        return self._readable(super().ls(path), "entries")

    def glob(self, pattern: str, path: str | None = None) -> Any:
        """Find files by name."""
        return self._readable(super().glob(pattern, path), "matches")

    def grep(self, *given: Any, **named: Any) -> Any:
        """Search the content of files."""
        return self._readable(super().grep(*given, **named), "matches")

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[protocol.FileUploadResponse]:
        """Refuse: a file that a program writes past the session has no history. Use the workspace instead."""
        return [protocol.FileUploadResponse(path=path, error="permission_denied") for path, _ in files]

    def download_files(self, paths: list[str]) -> list[protocol.FileDownloadResponse]:
        """The content of files that may be read."""
        allowed = {one.path: one for one in super().download_files([path for path in paths if self._may_read(path)])}
        denied = protocol.FileDownloadResponse
        return [allowed.get(path) or denied(path=path, error="permission_denied") for path in paths]

    def _call(self, tool: str, path: str, **given: Any) -> Result:
        return block_in_graph(self._bridge, tool, {"filePath": path.strip("/"), **given})

    def _readable(self, result: Any, field: str) -> Any:
        """A result without the files that may not be read."""
        if (kept := getattr(result, field)) is not None:
            setattr(result, field, [one for one in kept if self._may_read(one["path"])])
        return result

    def _may_read(self, path: str) -> bool:
        try:
            self._bridge.session.access.guard.resolve(path.strip("/") or ".")
        except PatchRejectedError:
            return False
        return True


def _outcome(kind: Any, path: str, result: Result, more: str = "\n{}", **fields: Any) -> Any:
    """A result with the error or the path, and with the answer if it says more than what was changed.

    For example, a person has approved only a part, or the file has new errors.
    """
    if result.is_error:
        return kind(error=result.output)
    if len(result.output.splitlines()) > 2:
        kind = _answer_result(kind, more.format(result.output))
    return kind(path=path, **fields)


def _answer_result(kind: Any, answer: str) -> Any:
    """A kind of result whose path is followed by an answer where deepagents puts it into its message to the model.

    After a success, this message is all that the model gets, and the path is all of its text that comes from here.
    """

    class AnswerPath(str):
        __slots__ = ()

        def __format__(self, spec: str) -> str:
            return format(str(self), spec) + answer

    class AnswerResult(kind):
        def __setattr__(self, name: str, value: Any) -> None:
            # A `CompositeBackend` sets the path once more.
            super().__setattr__(name, AnswerPath(value) if name == "path" else value)

    return AnswerResult
