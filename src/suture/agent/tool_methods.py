"""The tools as methods of `Session` and `SyncSession`. Written from `tools` and `call`: do not edit it.

To write it anew: SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/test_tool_methods.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence
    from typing import Any, TypeVar

    from ..format.invocations import Invocation
    from .result import Result
    from .session import Session

    T = TypeVar("T")


class ToolMethods:
    """The tools of a session. Each raises a `SutureError` if the call is refused, and waits where somebody is asked."""

    async def _run_tool(self, tool: str, *arguments: object) -> Result:
        """Run a tool with these arguments."""
        raise NotImplementedError

    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with numbered lines, or the names in a directory, and record the read."""
        return await self._run_tool("read", file_path, offset, limit)

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self._run_tool("write", file_path, content)

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""
        return await self._run_tool("edit", file_path, old_string, new_string, replace_all)

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return await self._run_tool("multiedit", file_path, edits)

    async def apply_patch(
        self,
        patch_text: str | Invocation,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch, or what `parse_invocation` found in a command. With `dry_run` only report what it would do.

        Without `atomic` it is applied up to the first section that fails.
        """
        return await self._run_tool("apply_patch", patch_text, expected_sha256_by_path, atomic, dry_run)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return await self._run_tool("delete", file_path)

    async def move(self, file_path: str, to_path: str) -> Result:
        """Move or rename a file."""
        return await self._run_tool("move", file_path, to_path)

    async def insert(self, file_path: str, content: str, line: int | None = None, after: str = "") -> Result:
        """Insert whole lines after a line number, or after the line with a text."""
        return await self._run_tool("insert", file_path, content, line, after)

    async def replace_lines(
        self,
        file_path: str,
        start_line: int,
        end_line: int,
        content: str,
        start_text: str = "",
        end_text: str = "",
    ) -> Result:
        """Replace lines by their numbers, as the session has shown them."""
        return await self._run_tool("replace_lines", file_path, start_line, end_line, content, start_text, end_text)

    async def replace_definition(self, file_path: str, name: str, content: str, renames: bool = False) -> Result:
        """Replace a whole function, method or class by its name."""
        return await self._run_tool("replace_definition", file_path, name, content, renames)

    async def insert_definition(self, file_path: str, name: str, content: str, where: str = "after") -> Result:
        """Add a function, method or class after the definition of a name, or before it."""
        return await self._run_tool("insert_definition", file_path, name, content, where)

    async def edit_file(self, target_file: str, code_edit: str, instructions: str = "") -> Result:
        """Change a file by a sketch of its new code, in which comments stand for the lines that stay."""
        return await self._run_tool("edit_file", target_file, code_edit, instructions)

    async def glob(self, pattern: str, path: str = "") -> Result:
        """List the files whose paths match a pattern."""
        return await self._run_tool("glob", pattern, path)

    async def grep(self, pattern: str, path: str = "", include: str = "", ignore_case: bool = False) -> Result:
        """Search the content of files for a regular expression."""
        return await self._run_tool("grep", pattern, path, include, ignore_case)

    async def undo(self, commit: str = "") -> Result:
        """Take back a change: the one with this id, or the last one of this session."""
        return await self._run_tool("undo", commit)

    async def history(self, file_path: str = "", limit: int = 0) -> Result:
        """List the latest changes, newest first. Files that may not be read are not named."""
        return await self._run_tool("history", file_path, limit)

    async def merge(self) -> Result:
        """Bring all changes of an isolated session into the workspace, all or nothing."""
        return await self._run_tool("merge")

    async def discard(self, file_path: str = "") -> Result:
        """Forget changes of an isolated session that are not merged: of one file, or all."""
        return await self._run_tool("discard", file_path)


class BlockingToolMethods:
    """The tools of a session as methods that block."""

    session: Session

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the event loop of the session, and wait for its result."""
        raise NotImplementedError

    def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with numbered lines, or the names in a directory, and record the read."""
        return self.wait_for(self.session.read(file_path, offset, limit))

    def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return self.wait_for(self.session.write(file_path, content))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""
        return self.wait_for(self.session.edit(file_path, old_string, new_string, replace_all))

    def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return self.wait_for(self.session.multiedit(file_path, edits))

    def apply_patch(
        self,
        patch_text: str | Invocation,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch, or what `parse_invocation` found in a command. With `dry_run` only report what it would do.

        Without `atomic` it is applied up to the first section that fails.
        """
        return self.wait_for(self.session.apply_patch(patch_text, expected_sha256_by_path, atomic, dry_run))

    def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return self.wait_for(self.session.delete(file_path))

    def move(self, file_path: str, to_path: str) -> Result:
        """Move or rename a file."""
        return self.wait_for(self.session.move(file_path, to_path))

    def insert(self, file_path: str, content: str, line: int | None = None, after: str = "") -> Result:
        """Insert whole lines after a line number, or after the line with a text."""
        return self.wait_for(self.session.insert(file_path, content, line, after))

    def replace_lines(
        self,
        file_path: str,
        start_line: int,
        end_line: int,
        content: str,
        start_text: str = "",
        end_text: str = "",
    ) -> Result:
        """Replace lines by their numbers, as the session has shown them."""
        return self.wait_for(self.session.replace_lines(file_path, start_line, end_line, content, start_text, end_text))

    def replace_definition(self, file_path: str, name: str, content: str, renames: bool = False) -> Result:
        """Replace a whole function, method or class by its name."""
        return self.wait_for(self.session.replace_definition(file_path, name, content, renames))

    def insert_definition(self, file_path: str, name: str, content: str, where: str = "after") -> Result:
        """Add a function, method or class after the definition of a name, or before it."""
        return self.wait_for(self.session.insert_definition(file_path, name, content, where))

    def edit_file(self, target_file: str, code_edit: str, instructions: str = "") -> Result:
        """Change a file by a sketch of its new code, in which comments stand for the lines that stay."""
        return self.wait_for(self.session.edit_file(target_file, code_edit, instructions))

    def glob(self, pattern: str, path: str = "") -> Result:
        """List the files whose paths match a pattern."""
        return self.wait_for(self.session.glob(pattern, path))

    def grep(self, pattern: str, path: str = "", include: str = "", ignore_case: bool = False) -> Result:
        """Search the content of files for a regular expression."""
        return self.wait_for(self.session.grep(pattern, path, include, ignore_case))

    def undo(self, commit: str = "") -> Result:
        """Take back a change: the one with this id, or the last one of this session."""
        return self.wait_for(self.session.undo(commit))

    def history(self, file_path: str = "", limit: int = 0) -> Result:
        """List the latest changes, newest first. Files that may not be read are not named."""
        return self.wait_for(self.session.history(file_path, limit))

    def merge(self) -> Result:
        """Bring all changes of an isolated session into the workspace, all or nothing."""
        return self.wait_for(self.session.merge())

    def discard(self, file_path: str = "") -> Result:
        """Forget changes of an isolated session that are not merged: of one file, or all."""
        return self.wait_for(self.session.discard(file_path))
