"""Which settings of projects the user has trusted: a mark for each, in one file of the user's state directory.

A mark is a hash of where the project is and of its settings, so other settings are not trusted.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.fingerprint import fingerprint
from ..core.problems import PatchRejectedError, Problem
from ..core.system import NEW_FILE
from .private_files import make_private_folder, read_private
from .state_folder import check_base, state_base
from .state_limits import MOST_TRUSTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: The file of what is trusted, in the directory of the state.
TRUSTED = "trusted"
#: How many bytes the mark of a trusted configuration takes.
_BYTES_OF_MARK = 100


def trust_settings(root: str, settings: str, *, revoke: bool = False) -> None:
    """Trust the settings of the project at `root`, or no longer. `settings` is their text in one certain form.

    Raises:
        PatchRejectedError: the file can't be written, or others could write to its directory.
    """
    mark = _mark(root, settings)
    marks = [one for one in _marks() if one != mark]
    if not revoke:
        marks.append(mark)
    base = state_base()
    try:
        make_private_folder(base)
        check_base()
        _write_marks(base, marks[-MOST_TRUSTED:])
    except OSError as error:
        message = f"{base} cannot be written: {error.strerror}."
        raise PatchRejectedError([Problem("io_error", message, base, details={"path": base})]) from error


def _write_marks(base: str, marks: Iterable[str]) -> None:
    """Replace the file of what is trusted, also one that somebody else has made."""
    staged = f"{base}/{TRUSTED}-{os.urandom(6).hex()}.new"
    try:
        with open(os.open(staged, NEW_FILE, 0o600), "w", encoding="ascii") as file:
            file.write("".join(f"{mark}\n" for mark in marks))
        os.replace(staged, f"{base}/{TRUSTED}")
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(staged)
        raise


def are_trusted(root: str, settings: str) -> bool:
    """Whether the user has trusted exactly these settings, of a project at this place."""
    return _mark(root, settings) in _marks()


def _mark(root: str, settings: str) -> str:
    return fingerprint(f"{root}\0{settings}".encode("utf-8", "surrogateescape"))


def _marks() -> list[str]:
    """What is trusted; nothing if anybody else could have written it."""
    base = state_base()
    try:
        marks = read_private(base, f"{base}/{TRUSTED}", MOST_TRUSTED * _BYTES_OF_MARK)
        return marks.decode("ascii", "replace").split()
    except OSError:
        return []
