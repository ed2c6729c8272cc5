"""The sections of an envelope: a file to add, a file to update with its hunks.

A section takes the lines below its header that are no header themselves and gives an operation at its end. What was
read leniently and what could not be read goes to the `Reading` that all parts of a parser share.
"""

from __future__ import annotations

from ..core.dialect import END, END_OF_FILE, MOVE_TO, NO_NEWLINE, UPDATE
from ..core.display import printable
from ..core.patch import AddFile, Concession, Hunk, UpdateFile
from ..core.problems import Problem
from .markers import read_anchor, read_marker
from .unwrap import bare_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.dialect import Dialect
    from ..core.patch import NoNewline
    from .markers import Marker
    from .parse_errors import Mistake

PREFIXES = frozenset(" +-")
#: Concessions that are noted; a text that asks for more has told enough.
MOST_NOTES = 10_000
_SIDES: tuple[tuple[NoNewline, str], ...] = (("old", "- "), ("new", "+ "))


class Reading:
    """What is known while a text is read: the line it is at, the concessions made, the problems met."""

    __slots__ = ("concessions", "dialect", "number", "problems", "quote")

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.number = 0
        #: The quote that the command before the envelope opened, which may stand behind its end.
        self.quote = ""
        self.concessions: list[Concession] = []
        self.problems: list[Problem] = []

    def marker(self, line: str) -> Marker | None:
        """The marker that a line is; how it was written is noted."""
        dialect = self.dialect
        if self.quote and self.is_end(line):
            line = END
        found = read_marker(line, padded=dialect.padded_markers, lenient=dialect.lenient)
        if found is not None and found[2]:
            self.note(found[2])
        return found

    def is_end(self, line: str) -> bool:
        """Whether a line is the end marker but for white space and a quote that is still open."""
        return line.strip() in {END, END + self.quote}

    def path(self, text: str, line: str) -> str:
        """The path that a header names."""
        path = text.strip()
        if self.dialect.lenient:
            path, names = bare_path(path)
            for name in names:
                self.note(name)
        if not path:
            self.error(line, (f"{line.strip()} path/to/file",), "The path is missing.")
        return path

    def note(self, name: str, number: int = 0) -> None:
        """Record a concession, at the line that is being read or another one."""
        if len(self.concessions) < MOST_NOTES:
            self.concessions.append(Concession(name, number or self.number))

    def error(
        self,
        found: str,
        expected: Iterable[str],
        message: str = "",
        hint: str = "",
        *,
        number: int = 0,
        shown: str = "",
    ) -> None:
        """Record an error at a line: what is wrong, what would have been valid there, and what stood there."""
        from .parse_errors import quoted

        number = number or self.number
        valid = list(expected)
        choices = valid[0] if len(valid) == 1 else f"{', '.join(valid[:-1])} or {valid[-1]}"
        what = f"{message} " if message else ""
        text = f"Patch line {number}: {what}Expected {choices}; found {shown or quoted(found)}."
        details = {"line": number, "found": found, "expected": valid}
        self.problems.append(Problem("patch_parse_error", printable(text), details=details, hint=printable(hint)))

    def mistake(self, found: str, mistake: Mistake, *, number: int = 0, shown: str = "") -> None:
        """Record a mistake as an error."""
        number = mistake.number or number
        self.error(found, mistake.expected, mistake.message, mistake.hint, number=number, shown=shown)


class AddSection:
    """A file to add: its lines, all with `+` in front or, where the dialect is lenient, all without."""

    __slots__ = ("_lines", "_no_newline", "_number", "_path", "_reading")

    #: A section without hunks has none open.
    hunk: list[str] | None = None

    def __init__(self, reading: Reading, path: str) -> None:
        self._reading = reading
        self._path = path
        self._number = reading.number
        self._lines: list[str] = []
        self._no_newline = False

    def read(self, line: str) -> Marker | None:
        """Take a line, or give back the marker that it is."""
        reading = self._reading
        if line[:1] != "+":
            if line == NO_NEWLINE and reading.dialect.no_newline_marker and self._lines:
                self._no_newline = True
                return None
            found = reading.marker(line)
            if found is not None:
                return found
            if line.startswith("***") or line == NO_NEWLINE:
                from .parse_errors import instead_of_added_line

                reading.mistake(line, instead_of_added_line(line, reading.dialect, self._path))
                return None
        if self._no_newline and (line.strip() or line[:1] == "+"):
            from .parse_errors import valid_headers

            message = f"'{NO_NEWLINE}' says that the file has ended."
            reading.error(line, valid_headers(reading.dialect), message, "Put that line below the last one.")
            self._no_newline = False
        self._lines.append(line)
        return None

    def so_far(self) -> AddFile:
        """The operation as it is known now."""
        return self._operation([line[1:] if line[:1] == "+" else line for line in self._lines])

    def finish(self) -> AddFile:
        """The operation, now that the section is at its end."""
        texts = [line[1:] for line in self._lines if line[:1] == "+"]
        return self._operation(texts if len(texts) == len(self._lines) else self._without_plus(texts))

    def _operation(self, lines: Sequence[str]) -> AddFile:
        content = "\n".join(lines)
        how = self._reading.dialect.added_final_newline
        bare_end = not lines or self._no_newline or how == "never" or (how == "unless_blank" and not lines[-1])
        return AddFile(self._path, content if bare_end else content + "\n", self._number)

    def _without_plus(self, texts: list[str]) -> list[str]:
        """The lines of a body in which not every line has its `+`."""
        reading, lines = self._reading, self._lines
        while reading.dialect.padded_markers and lines and not lines[-1].strip() and lines[-1][:1] != "+":
            lines.pop()
        bare = [index for index, line in enumerate(lines) if line[:1] != "+"]
        if not bare:
            return texts
        number = self._number + 1 + bare[0]
        if reading.dialect.lenient and len(bare) == len(lines):
            reading.note("bare_add_body", number)
            return lines
        if reading.dialect.lenient and not any(lines[index].strip() for index in bare):
            reading.note("bare_blank_line", number)
            return [line[1:] for line in lines]
        from .parse_errors import without_plus

        line = lines[bare[0]]
        mistake = without_plus(line, self._path, len(bare), len(lines))
        reading.mistake(line, mistake, number=number, shown="" if line else "an empty line")
        return texts


class UpdateSection:
    """A file to update: an optional new name, and hunks."""

    __slots__ = (
        "_anchors",
        "_bare",
        "_before",
        "_ends",
        "_header",
        "_hint",
        "_hunk_line",
        "_hunks",
        "_lost",
        "_move_to",
        "_number",
        "_path",
        "_reading",
        "hunk",
    )

    def __init__(self, reading: Reading, path: str, move_to: str | None) -> None:
        self._reading = reading
        self._path = path
        self._number = reading.number
        self._move_to = move_to
        self._before = len(reading.problems)
        self._hunks: list[Hunk] = []
        # Behind an error nothing is read until the next `@@` or marker.
        self._lost = False
        #: The lines of the hunk that is open, if one is. The parser adds plain lines to it directly.
        self.hunk: list[str] | None = None
        self._hint: int | None = None

    def read(self, line: str) -> Marker | None:
        """Take a line that is no plain line of an open hunk, or give back the marker that it is."""
        reading = self._reading
        if line.startswith("@@"):
            self._read_header(line)
        elif line[:1] == "*" and (found := reading.marker(line)) is not None:
            return self._read_marker(found, line)
        elif line.startswith("***"):
            from .parse_errors import instead_of_header

            otherwise = "A line of the file that begins with *** needs its prefix: a space, + or -."
            reading.mistake(line, instead_of_header(line, reading.dialect, UPDATE + self._path, otherwise))
            self._finish_hunk()
            self._lost = True
        elif self.hunk and line == NO_NEWLINE and reading.dialect.no_newline_marker:
            for side, prefixes in _SIDES:
                if self.hunk[-1][0] in prefixes:
                    self._ends[side] = len(self.hunk)
        else:
            self._read_line(line)
        return None

    def _read_marker(self, marker: Marker, line: str) -> Marker | None:
        """`*** Move to` and `*** End of File` belong to the section; other markers end it."""
        reading = self._reading
        name = marker[0]
        if name == END_OF_FILE and reading.dialect.end_of_file and self.hunk:
            self._finish_hunk(at_end=True)
        elif name == MOVE_TO and MOVE_TO in reading.dialect.headers:
            if self.hunk is None and not self._hunks and self._move_to is None:
                self._move_to = reading.path(marker[1], line)
            else:
                from .parse_errors import valid_headers

                twice = self._move_to is not None
                message = f"A {MOVE_TO.strip()} line belongs right below its {UPDATE.strip()} line."
                message = f"The section has a {MOVE_TO.strip()} line already." if twice else message
                hint = "Leave this one out." if twice else f"Put it right below {UPDATE}{self._path}."
                reading.error(line, ("@@", *valid_headers(reading.dialect)), message, hint)
        elif name in {END_OF_FILE, MOVE_TO}:
            from .parse_errors import instead_of_header

            reading.mistake(line, instead_of_header(line, reading.dialect, UPDATE + self._path))
        else:
            return marker
        return None

    def _read_header(self, line: str) -> None:
        """`@@`, alone, with an anchor, or as a unified header. One right below another is stacked."""
        dialect = self._reading.dialect
        if self.hunk or (self.hunk is not None and not dialect.anchors):
            self._finish_hunk()
        if self.hunk is None:
            self._start_hunk(line)
        if len(line) > 2:
            text = line[3:].rstrip() if line[2] == " " else line[2:].rstrip()
            if dialect.lenient and (unified := read_anchor(text)) is not None:
                number, text = unified
                self._hint = self._hint if number is None else number
                self._reading.note("unified_hunk_header")
            if text:
                self._anchors.append(text)

    def _read_line(self, line: str) -> None:
        """A line of a hunk that is not open yet, or one without a prefix."""
        reading, dialect = self._reading, self._reading.dialect
        if self.hunk is None:
            if not line and dialect.padded_markers:
                return
            if self._hunks or self._lost or not dialect.implicit_first_hunk:
                if not self._lost:
                    from .parse_errors import valid_headers

                    hint = "Put @@ on a line of its own above it."
                    reading.error(line, ("@@", *valid_headers(dialect)), "A hunk begins with @@.", hint)
                self._lost = True
                return
            self._start_hunk("")
        hunk = self.hunk
        assert hunk is not None, "BUG: a hunk is open"
        if line and line[0] in PREFIXES:
            hunk.append(line)
        elif line != NO_NEWLINE and (dialect.lenient or (not line and dialect.padded_markers)):
            reading.note("bare_line" if line else "bare_blank_line")
            self._bare.append(len(hunk))
            hunk.append(" " + line)
        else:
            from .parse_errors import instead_of_hunk_line

            reading.mistake(line, instead_of_hunk_line(line, dialect), shown="" if line else "an empty line")

    def _start_hunk(self, header: str) -> None:
        self.hunk = []
        self._lost = False
        self._anchors: list[str] = []
        self._bare: list[int] = []
        self._hint = None
        # For each side that ends without a newline, behind how many lines it ends.
        self._ends: dict[NoNewline, int] = {}
        self._hunk_line = self._reading.number
        self._header = header

    def _hunk(self, lines: Sequence[str], *, at_end: bool = False) -> Hunk:
        ends: NoNewline = "both" if len(self._ends) == 2 else next(iter(self._ends), "")
        return Hunk(tuple(lines), tuple(self._anchors), at_end, ends, self._hint, tuple(self._bare), self._hunk_line)

    def _finish_hunk(self, *, at_end: bool = False) -> None:
        lines = self.hunk
        if lines is None:
            return
        self.hunk = None
        reading = self._reading
        if not self._header and reading.dialect.lenient and _is_file_header(lines):
            reading.note("unified_file_header", self._hunk_line)
            del lines[:2]
            self._bare = [index - 2 for index in self._bare]
            if not lines:
                return
        if not lines or (len(self._bare) == len(lines) and not any(map(str.strip, lines))):
            expected = ("lines with a space, + or - in front below it",)
            hint = "Put its lines below it, or leave the @@ line out."
            if not reading.dialect.anchors:
                hint += f" In the {reading.dialect.name} dialect each @@ line opens a hunk of its own."
            reading.error(self._header, expected, "A hunk has no lines.", hint, number=self._hunk_line)
            return
        for side, prefixes in _SIDES if self._ends else ():
            if side in self._ends and any(line[0] in prefixes for line in lines[self._ends[side] :]):
                expected = (f"{NO_NEWLINE} below the last line",)
                message = f"A line of the {side} file follows its end."
                reading.error(NO_NEWLINE, expected, message, number=self._hunk_line)
                break
        self._hunks.append(self._hunk(lines, at_end=at_end))

    def drop_padded_end(self) -> bool:
        """Whether the last line of the open hunk that is not blank is a padded end marker; it is taken away."""
        lines = self.hunk
        if not lines:
            return False
        last = len(lines) - 1
        while last and not lines[last].strip():
            last -= 1
        reading = self._reading
        if lines[last][0] != " " or not reading.is_end(lines[last]):
            return False
        line = reading.number - (len(lines) - 1 - last)
        reading.concessions = [concession for concession in reading.concessions if concession.line < line]
        reading.note("padded_marker", line)
        del lines[last:]
        self._bare = [index for index in self._bare if index < last]
        return True

    def so_far(self) -> UpdateFile:
        """The operation as it is known now."""
        hunks, lines = tuple(self._hunks), self.hunk
        if lines and not self._header and self._reading.dialect.lenient:
            # Of a first line that looks like a unified diff's nobody can tell yet.
            lines = lines[2:] if _is_file_header(lines) else [] if _may_be_file_header(lines) else lines
        if lines:
            hunks += (self._hunk(lines),)
        return UpdateFile(self._path, hunks, self._move_to, self._number)

    def finish(self) -> UpdateFile:
        """The operation, now that the section is at its end."""
        self._finish_hunk()
        if not self._hunks and self._move_to is None and self._before == len(self._reading.problems):
            message = f"The update of {self._path} has no hunks."
            expected = ("@@ and the lines of a hunk below it",)
            hint = "Put hunks below it, or leave the section out."
            self._reading.error(UPDATE + self._path, expected, message, hint, number=self._number)
        return UpdateFile(self._path, tuple(self._hunks), self._move_to, self._number)


def _is_file_header(lines: Sequence[str]) -> bool:
    """Whether a hunk opens with the two file lines of a unified diff: as a pair, and nothing before them."""
    return len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")


def _may_be_file_header(lines: Sequence[str]) -> bool:
    return len(lines) == 1 and lines[0].startswith("--- ")
