"""Which settings of projects the user has trusted: a mark for each, in one file of the user's state directory.

A mark is a hash of where the project is and of its settings, so other settings are not trusted.
"""

from __future__ import annotations

import os

from ..core.problems import PatchRejectedError, Problem
from .fingerprint import fingerprint
from .regular_files import read_regular
from .state_folder import state_base

#: How many trusted configurations are remembered, and how many bytes one of them takes.
MOST_TRUSTED = 1000
_BYTES_OF_MARK = 100


def trust_settings(root: str, settings: str, *, revoke: bool = False) -> None:
    """Trust the settings of the project at `root`, or no longer. `settings` is their text in one certain form.

    Raises:
        PatchRejectedError: the file can't be written.
    """
    mark = _mark(root, settings)
    marks = [one for one in _marks() if one != mark]
    if not revoke:
        marks.append(mark)
    base = state_base()
    try:
        os.makedirs(base, 0o700, exist_ok=True)
        with open(f"{base}/trusted", "w", encoding="ascii") as file:
            file.write("".join(f"{one}\n" for one in marks[-MOST_TRUSTED:]))
    except OSError as error:
        message = f"{base} cannot be written: {error.strerror}."
        raise PatchRejectedError([Problem("io_error", message, base, details={"path": base})]) from error


def are_trusted(root: str, settings: str) -> bool:
    """Whether the user has trusted exactly these settings, of a project at this place."""
    return _mark(root, settings) in _marks()


def _mark(root: str, settings: str) -> str:
    return fingerprint(f"{root}\0{settings}".encode("utf-8", "surrogateescape"))


def _marks() -> list[str]:
    try:
        marks = read_regular(f"{state_base()}/trusted", MOST_TRUSTED * _BYTES_OF_MARK, follow_links=True)
        return marks.decode("ascii", "replace").split()
    except OSError:
        return []
