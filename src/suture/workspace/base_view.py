"""A workspace in which some files have an earlier content, to plan an edit on the text that it was written for."""

from __future__ import annotations

from copy import copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .files.file_system import Files, Stat
    from .workspace import Workspace


class BaseFiles:
    """Files of which some are read as they were. Everything else is as it is."""

    def __init__(self, files: Files, contents: Mapping[str, bytes]) -> None:
        self._files = files
        self._contents = contents

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the files have
        return getattr(self._files, name)

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        """The content of a file, which for some is the one that it had."""
        content, stat = self._files.read(path, limit, known)
        if path not in self._contents:
            return content, stat
        content = self._contents[path]
        return content, stat.replace(size=len(content))


def base_view(workspace: Workspace, contents: Mapping[str, bytes]) -> Workspace:
    """A workspace for planning, in which files, by their absolute paths, have these contents. It can't commit."""
    view = copy(workspace)
    scope = copy(workspace._scope)  # noqa: SLF001 - a copy of this one
    files: Any = BaseFiles(scope.files, contents)
    scope.files = files
    view._scope = scope  # noqa: SLF001 - a copy of this one
    return view
