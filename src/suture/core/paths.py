"""Path texts: what a path may contain, and how a message shows it. Never touches the disk."""

from __future__ import annotations

import os

from .common_limits import LONGEST_FILE_NAME, LONGEST_PATH, LONGEST_SHOWN_PATH
from .display import one_line, shorten
from .problems import PatchRejectedError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, NoReturn

    from .problems import Code

#: Characters that change the writing direction, so that one name looks like another.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_SEPARATORS = frozenset("\u2028\u2029")
#: The characters that a glob takes literally after a backslash.
ESCAPED = ("*", "?", "\\")
_RENAME = "Use a path without such characters."

#: How the names of Jupyter notebooks end.
NOTEBOOK = ".ipynb"


def check_path(path_text: str, *, windows: bool = False) -> str:
    """Check a path text; return it as the file system will see it, with slashes. `windows` is whether that is Windows.

    Raises:
        PatchRejectedError: it is empty, too long, names a directory, or contains what a name should not.
    """
    text = path_text.replace("\\", "/") if windows else path_text
    if windows and text[1:3] == ":/":
        text = text[0].upper() + text[1:]
    if not text or text.isspace():
        refuse_path("invalid_arguments", text, "The path is empty.", "empty", "Name a file.")
    if not text.isascii():
        try:
            # Surrogates stand for bytes that could spell characters refused below.
            text = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            message = f"{visible_path(path_text)} contains a character that no file name can have."
            refuse_path("invalid_arguments", path_text, message, "not_encodable", _RENAME)
    if not text.isprintable():
        _check_characters(text, path_text)
    # A character has at most four bytes, so that only longer texts need a count of their bytes.
    is_long = len(text) > LONGEST_FILE_NAME // 4
    if is_long and len(os.fsencode(text)) > LONGEST_PATH:
        message = f"The path {visible_path(text)} is longer than {LONGEST_PATH} bytes."
        refuse_path("invalid_arguments", path_text, message, "too_long", "Choose a shorter path.")
    if text.endswith(("/", "/.")):
        message = f"{visible_path(text)} names a directory, not a file."
        refuse_path("is_directory", path_text, message, "folder", "Name a file.")
    if windows:
        from .windows_names import windows_fault

        reason, why = windows_fault(text)
        if reason:
            code: Code = "outside_workspace" if reason in {"unc", "no_drive", "drive_relative"} else "invalid_arguments"
            message = f"{visible_path(path_text)} {why}."
            hint = _RENAME if code == "invalid_arguments" else "Use a path inside the workspace, relative to its root."
            refuse_path(code, path_text, message, reason, hint)
    for part in text.split("/"):
        if part in {"", ".", ".."}:
            continue
        if part[-1] == "." or part[-1].isspace():
            end = "dot" if part[-1] == "." else "space"
            message = f"{visible_path(text)} contains a name that ends in a {end}: |{visible_path(part)}|."
            refuse_path("invalid_arguments", path_text, message, "trailing", _RENAME)
        if is_long and len(os.fsencode(part)) > LONGEST_FILE_NAME:
            message = f"{visible_path(text)} contains a name that is longer than {LONGEST_FILE_NAME} bytes."
            refuse_path("invalid_arguments", path_text, message, "too_long", "Choose a shorter name.")
    return text


def _check_characters(text: str, path_text: str) -> None:
    for character in text:
        if character < " " or "\x7f" <= character <= "\x9f" or character in _BIDI or character in _LINE_SEPARATORS:
            kind = "a character that changes the writing direction" if character in _BIDI else "a control character"
            message = f"The path {visible_path(text)} contains {kind}: U+{ord(character):04X}."
            refuse_path("invalid_arguments", path_text, message, "control_character", _RENAME, character=ord(character))


def same_name(text: str) -> str:
    """A path in a form that is equal for all paths that a file system without regard to case takes for the same."""
    return normalized("NFC", normalized("NFD", text.casefold()).casefold())


def normalized(form: Literal["NFC", "NFD"], text: str) -> str:
    """A text with its letters composed in one form of Unicode."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize(form, text)


def visible_path(text: str) -> str:
    """A path as messages show it: on one line, with nothing invisible, and not too long."""
    return shorten(one_line(text[: LONGEST_SHOWN_PATH + 1]), LONGEST_SHOWN_PATH)


def escape_glob(path: str) -> str:
    """The glob that matches exactly this path."""
    return "".join([f"\\{character}" if character in ESCAPED else character for character in path])


def refuse_path(
    code: Code, path: str, message: str, reason: str, hint: str, *, recoverable: bool = True, **more: object
) -> NoReturn:
    """Raise a `PatchRejectedError` about a path, with the reason as data."""
    details = {"path": path[:LONGEST_PATH], **more}
    problem = Problem(code, message, visible_path(path), None, details, hint, recoverable, reason=reason)
    raise PatchRejectedError([problem])


def folders_above(paths: set[str]) -> set[str]:
    """All directories above some paths."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders and folder not in {"", "/"}:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders
