"""The output of the tool `read`: a file with numbered lines, or the names in a directory."""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..core.value import Value
from ..workspace.files import problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..workspace.files import Files

#: The lines that are shown without a limit, characters of one line, and characters in all.
MOST_LINES = 2000
LONGEST_LINE = 2000
MOST_CHARACTERS = 50_000
MOST_NAMES = 1000


class View(Value):
    """What was shown: the text for a model, and which lines of how many (from 1; 0 of an empty file)."""

    text: str
    first: int
    last: int
    of: int
    #: Whether every character between the first and the last line was shown.
    is_whole: bool


def view_file(content: bytes, shown: str, encoding: str | None, offset: int, limit: int) -> View:
    """The lines of a file from `offset` on, numbered, with a notice of what was left out.

    Raises:
        PatchRejectedError: it is binary, or has no such line.
    """
    lines = Text(content, encoding, shown).lines
    if not lines:
        return View(f"{shown} is empty.", 0, 0, 0, is_whole=True)
    first = max(1, offset)
    if first > len(lines):
        raise PatchRejectedError([_past_the_end(shown, f"{len(lines)} line{'s' * (len(lines) > 1)}", f"line {first}")])
    out: list[str] = []
    room = MOST_CHARACTERS
    cut = False
    for number in range(first, min(len(lines), first + (limit if limit > 0 else MOST_LINES) - 1) + 1):
        line = lines[number - 1]
        if len(line) > LONGEST_LINE:
            line, cut = f"{line[:LONGEST_LINE]}… (cut: this line has {len(line)} characters)", True
        row = f"{number:>6}\t{line}"
        if len(row) > room and out:
            break
        out.append(row)
        room -= len(row) + 1
    last = first + len(out) - 1
    out += _notice("lines", first, last, len(lines))
    return View("\n".join(out), first, last, len(lines), is_whole=not cut)


def view_beginning(content: bytes, shown: str, encoding: str | None, most: int = 2500) -> str:
    """The first lines of a file, numbered, in at most `most` bytes; for a binary file, its size."""
    try:
        text = view_file(content, shown, encoding, 1, 60).text
    except PatchRejectedError:
        return f"{len(content):,} bytes of binary data."
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= most:
        return data.decode("utf-8")
    return f"{data[:most].decode('utf-8', 'ignore')}…\n(read the file to see the rest)"


def view_folder(files: Files, path: str, shown: str, offset: int = 0, limit: int = 0) -> str:
    """The names in a directory from `offset` on, directories with a slash, with a notice of what was left out.

    Raises:
        PatchRejectedError: it can't be read, or does not have so many names.
    """
    try:
        names = files.names(path)
        if not names:
            return f"{shown} is an empty directory."
        first = max(1, offset)
        if first > len(names):
            raise PatchRejectedError(
                [_past_the_end(shown, f"{len(names)} name{'s' * (len(names) > 1)}", f"name {first}")]
            )
        rows = []
        for name in names[first - 1 : first - 1 + min(limit or MOST_NAMES, MOST_NAMES)]:
            stat = files.stat(f"{path.rstrip('/')}/{name}")
            rows.append(name + "/" if stat is not None and stat.kind == "folder" else name)
    except OSError as error:
        raise PatchRejectedError([problem_of(error, shown)]) from error
    notice = _notice("names", first, first + len(rows) - 1, len(names))
    return "\n".join([f"{shown} is a directory:", *rows, *notice])


def _past_the_end(shown: str, all_of_it: str, wanted: str) -> Problem:
    message = f"{shown} has {all_of_it}, so there is no {wanted}."
    return Problem("invalid_arguments", message, shown, None, {"path": shown}, "Send a smaller offset.")


def _notice(what: str, first: int, last: int, of: int) -> list[str]:
    """What was left out, and how to continue; empty if everything is shown."""
    if first == 1 and last == of:
        return []
    more = f"; continue with offset={last + 1}" if last < of else ""
    return [f"({what} {first}-{last} of {of} are shown{more})"]
