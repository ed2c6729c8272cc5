"""The output of the tool `read`: a file with numbered lines, or the names in a directory."""

from __future__ import annotations

from ..core.display import encodable, plural, safe_text
from ..core.notebook import Notebook, render_cells
from ..core.paths import NOTEBOOK
from ..core.problems import PatchRejectedError, Problem
from ..core.readers import TOOL
from ..core.text import Text
from ..core.value import Value
from ..workspace.files.file_system import problem_of
from .agent_limits import LONGEST_READ_LINE, MOST_READ_CHARACTERS, MOST_READ_LINES, MOST_READ_NAMES
from .line_ranges import holds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.readers import Reader
    from ..workspace.guard import Guard, ResolvedPath
    from .line_ranges import Ranges

#: How bytes that are no characters are shown, in a file whose encoding is not known.
_BYTES = "bytes that are not UTF-8 are shown as \\udc80 to \\udcff."


class View(Value):
    """What was shown: the text for a model, and which lines of how many (from 1; 0 of an empty file)."""

    text: str
    first: int
    last: int
    of: int
    #: The ranges of lines of which every character was shown; None is all of the file.
    whole_lines: Ranges

    @property
    def is_whole(self) -> bool:
        """Whether every character between the first and the last line was shown."""
        return holds(self.whole_lines, self.first, self.last)


def view_file(
    content: bytes, display_path: str, encoding: str | None, offset: int, limit: int, reader: Reader = TOOL
) -> View:
    """The lines of a file from `offset` on, numbered, with a notice of what was left out.

    Raises:
        PatchRejectedError: it is binary, or has no such line.
    """
    text = Text(content, encoding, display_path)
    if display_path.endswith(NOTEBOOK) and (cells := _cells(text)) is not None:
        view = view_file(cells.encode("utf-8", "surrogatepass"), f"{display_path} (cells)", None, offset, limit)
        # A part of the cells is no range of lines of the file.
        is_all = view.first <= 1 and view.last == view.of and view.is_whole
        return view.replace(whole_lines=None if is_all else ())
    return _view_lines(text, display_path, offset, limit, reader)


def _view_lines(text: Text, display_path: str, offset: int, limit: int, reader: Reader = TOOL) -> View:
    """The lines of any file as they are."""
    lines = text.lines
    if not lines:
        return View(f"{display_path} is empty.", 0, 0, 0, None)
    first = max(1, offset)
    if first > len(lines):
        count = f"{len(lines)} {plural('line', len(lines))}"
        raise PatchRejectedError([_past_the_end(display_path, count, f"line {first}")])
    out: list[str] = []
    room = MOST_READ_CHARACTERS
    cut: list[int] = []
    for number in range(first, min(len(lines), first + (limit if limit > 0 else MOST_READ_LINES) - 1) + 1):
        line = _shown_line(lines[number - 1], number, is_alone=limit == 1)
        row = f"{number:>6}\t{line}"
        if len(row) > room and out:
            break
        out.append(row)
        room -= len(row) + 1
        if line is not lines[number - 1]:
            cut.append(number)
    last = first + len(out) - 1
    if text.has_unknown_bytes and any(map(_has_bytes, out)):
        out.append(f"({_BYTES} {reader.encoding})")
    out += _notice("lines", first, last, len(lines))
    between = zip([first - 1, *cut], [*cut, last + 1], strict=True)
    whole = tuple([(before + 1, after - 1) for before, after in between if before + 1 < after])
    return View("\n".join(out), first, last, len(lines), whole)


def _cells(text: Text) -> str | None:
    """The cells of a notebook as a text; None if the file can't be read as one."""
    try:
        return render_cells(Notebook(text.raw))
    except ValueError:
        return None


def _shown_line(line: str, number: int, *, is_alone: bool) -> str:
    """A line as it is or, if it is too long, its beginning and how to read the rest."""
    limit = MOST_READ_CHARACTERS if is_alone else LONGEST_READ_LINE
    if len(line) <= limit:
        return line
    more = "" if len(line) > MOST_READ_CHARACTERS else f"; read it alone with offset={number} and limit=1"
    return f"{line[:limit]}… (cut: this line has {len(line)} characters{more})"


def view_excerpt(
    content: bytes, display_path: str, encoding: str | None, first: int, last: int, most: int = 2500
) -> View:
    """Some lines of a file, at most 60 and in at most `most` bytes; for a binary file, its size."""
    limit = min(60, last - first + 1)
    try:
        # Of a notebook, too, these are lines of the file: line numbers of the caller are about them.
        text = Text(content, encoding, display_path)
        view = _view_lines(text, display_path, first, limit)
        while view.last > view.first and _size(view.text) > most:
            limit = (view.last - view.first + 1) // 2
            view = _view_lines(text, display_path, first, limit)
    except PatchRejectedError:
        return View(f"{len(content):,} bytes of binary data.", 0, 0, 0, None)
    if _size(view.text) <= most:
        return view.replace(text=encodable(view.text))
    cut = encodable(view.text).encode("utf-8")[:most].decode("utf-8", "ignore")
    return view.replace(text=f"{cut}…\n(read the file to see the rest)", whole_lines=())


def _has_bytes(row: str) -> bool:
    """Whether a line has bytes that are no characters."""
    return not row.isascii() and any("\udc80" <= character <= "\udcff" for character in row)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def view_folder(guard: Guard, folder: ResolvedPath, offset: int = 0, limit: int = 0) -> str:
    """The names in a directory from `offset` on, directories with a slash, with a notice of what was left out.

    Names that the guard denies are not shown, and not counted.

    Raises:
        PatchRejectedError: it can't be read, or does not have so many names.
    """
    files, display_path, parent = guard.files, safe_text(folder.shown), folder.path.rstrip("/")
    try:
        names = [name for name in files.names(folder.path) if _may_be_named(guard, f"{parent}/{name}")]
        if not names:
            return f"{display_path} is an empty directory."
        first = max(1, offset)
        if first > len(names):
            raise PatchRejectedError(
                [_past_the_end(display_path, f"{len(names)} {plural('name', len(names))}", f"name {first}")]
            )
        rows = []
        for name in names[first - 1 : first - 1 + min(limit or MOST_READ_NAMES, MOST_READ_NAMES)]:
            stat = files.stat(f"{parent}/{name}")
            is_folder = stat is not None and stat.kind == "folder"
            rows.append(safe_text(name) + ("/" if is_folder else ""))
    except OSError as error:
        raise PatchRejectedError([problem_of(error, display_path)]) from error
    notice = _notice("names", first, first + len(rows) - 1, len(names))
    return "\n".join([f"{display_path} is a directory:", *rows, *notice])


def _may_be_named(guard: Guard, path: str) -> bool:
    try:
        guard.check_globs(path, path)
    except PatchRejectedError as refused:
        # A directory that is not among the allowed paths may lead to some.
        stat = guard.files.stat(path) if refused.problems[0].reason == "not_allowed" else None
        return stat is not None and stat.kind == "folder"
    return True


def _past_the_end(display_path: str, all_of_it: str, missing: str) -> Problem:
    message = f"{display_path} has {all_of_it}, so there is no {missing}."
    return Problem("invalid_arguments", message, display_path, None, {"path": display_path}, "Send a smaller offset.")


def _notice(what: str, first: int, last: int, of: int) -> list[str]:
    """What was left out, and how to continue; empty if everything is shown."""
    if first == 1 and last == of:
        return []
    more = f"; continue with offset={last + 1}" if last < of else ""
    return [f"({what} {first}-{last} of {of} are shown{more})"]
