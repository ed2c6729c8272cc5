"""Which directory a session works in: the one that was set, the client's first root, or the current project.

A client may start its servers anywhere, so `/`, a whole drive, the home directory and what is above it are never a
workspace.
"""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from ..core.system import WINDOWS, is_absolute, slashed
from ..workspace.project import find_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HINT = "The user has to start the server with --root DIR, or in a project."


def choose_roots(explicit: str | None, uris: Sequence[str] = ()) -> tuple[str, ...]:
    """The root of the workspace, then the other roots of the client.

    Raises:
        PatchRejectedError: there is no directory that may be a workspace.
    """
    if explicit is not None:
        return (_checked(slashed(os.path.realpath(explicit))),)
    paths = [slashed(os.path.realpath(path)) for path in map(path_of, uris) if path]
    if not paths:
        try:
            return (_checked(find_project()[0]),)
        except OSError:
            raise _refusal("The current directory no longer exists.", ".") from None
    root = _checked(paths[0])
    others = dict.fromkeys([path for path in paths[1:] if not _is_too_wide(path) and os.path.isdir(path)])
    return (root, *[path for path in others if not _is_inside(path, root)])


def path_of(uri: str, *, windows: bool = WINDOWS) -> str:
    """The path of a `file:` URI; empty for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path)
    # On Windows, a drive follows the first slash: file:///C:/a.
    return path[1:] if windows and is_absolute(path[1:], windows=True) else path


def _checked(path: str) -> str:
    if not os.path.isdir(path):
        message = f"The workspace {safe_text(path)} does not exist or is not a directory."
        raise _refusal(message, path)
    if _is_too_wide(path):
        message = f"{safe_text(path)} can't be the workspace: it is the home directory or above it."
        raise _refusal(message, path)
    return path


def _is_too_wide(path: str) -> bool:
    is_whole_drive = os.path.dirname(path) == path
    return is_whole_drive or _is_inside(os.path.realpath(os.path.expanduser("~")), path)


def _is_inside(path: str, folder: str) -> bool:
    """Whether a path is a directory or below it, as the system compares names."""
    inner, outer = (os.path.normcase(one).rstrip(os.sep) + os.sep for one in (path, folder))
    return inner.startswith(outer)


def _refusal(message: str, path: str) -> PatchRejectedError:
    return PatchRejectedError(
        [Problem("not_found", message, path, None, {"path": path}, _HINT, recoverable=False)],
    )
