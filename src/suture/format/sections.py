"""The sections of an envelope: a file to add, or a file to update with its hunks.

A section takes the lines below its header, up to the next header, and returns an operation. Concessions and errors go
to the `ParserState` that all parts of a parser share.
"""

from __future__ import annotations

from ..core.dialect import END, END_OF_FILE, MOVE_TO, NO_NEWLINE, PREFIXES, UPDATE
from ..core.patch import AddFile, Concession, Hunk, UpdateFile
from .format_limits import MOST_CONCESSIONS, MOST_ERRORS
from .markers import read_anchor, read_marker
from .parse_errors import (
    explain_added_line,
    explain_header,
    explain_hunk_line,
    explain_missing_plus,
    quote,
    valid_headers,
)
from .parse_fault import ParseFault
from .unwrap import unwrap_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.dialect import Dialect
    from ..core.patch import NoNewline
    from ..core.problems import Advice, Problem
    from .markers import Marker
    from .parse_errors import SyntaxProblem

_SIDES: tuple[tuple[NoNewline, str], ...] = (("old", "- "), ("new", "+ "))


class ParserState:
    """The state that the parser and its sections share: the current line, the concessions, the problems."""

    __slots__ = ("concessions", "dialect", "number", "problems", "quote", "repeats")

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.number = 0
        #: The quote that the command before the envelope opened; it may follow the end of the envelope.
        self.quote = ""
        self.concessions: list[Concession] = []
        self.problems: list[Problem] = []
        #: The lines of each error of a block, by its message and hint.
        self.repeats: dict[tuple[str, Advice], list[int]] = {}

    @property
    def is_hopeless(self) -> bool:
        """Whether there are so many errors that no more are worth a look."""
        return len(self.problems) >= MOST_ERRORS

    def marker(self, line: str) -> Marker | None:
        """The marker on a line, if there is one; a concession that it takes is recorded."""
        dialect = self.dialect
        if self.quote and self.is_end(line):
            line = END
        marker = read_marker(line, padded=dialect.padded_markers, lenient=dialect.lenient)
        if marker is not None and marker[2]:
            self.concede(marker[2])
        return marker

    def is_end(self, line: str) -> bool:
        """Whether a line is the end marker, apart from whitespace and a quote that is still open."""
        return line.strip() in {END, END + self.quote}

    def path(self, text: str, line: str) -> str:
        """The path in a header."""
        path = text.strip()
        if self.dialect.lenient:
            path, names = unwrap_path(path)
            for name in names:
                self.concede(name)
        if not path:
            self.error(line, (f"{line.strip()} path/to/file",), "The path is missing.")
        return path

    def concede(self, name: str, number: int = 0, about: str = "") -> None:
        """Record a concession, at the current line or another one, and what it is about."""
        if len(self.concessions) < MOST_CONCESSIONS:
            self.concessions.append(Concession(name, number or self.number, about))

    def error(
        self,
        found: str,
        expected: Iterable[str],
        message: str = "",
        hint: Advice = "",
        *,
        number: int = 0,
        description: str = "",
    ) -> None:
        """Record an error at a line: what is wrong, what would be valid there, and what is there.

        `description` stands in for a line that can't be quoted.
        """
        number = number or self.number
        valid = list(expected)
        choices = valid[0] if len(valid) == 1 else f"{', '.join(valid[:-1])} or {valid[-1]}"
        what = f"{message} " if message else ""
        text = f"{what}Expected {choices}; found {description or quote(found)}."
        self.problems.append(ParseFault(number, text, hint, found, valid).problem())

    def report(self, found: str, problem: SyntaxProblem, *, number: int = 0, empty: str = "an empty line") -> None:
        """Record an error that `parse_errors` explains; `empty` describes an empty line."""
        description = "" if found else empty
        self.error(found, problem.expected, problem.message, problem.hint, number=number, description=description)


class AddSection:
    """A file to add: its lines, all with `+` or, in a lenient dialect, all without."""

    __slots__ = ("_lines", "_no_newline", "_number", "_path", "_state")

    #: An added file has no hunks.
    hunk: list[str] | None = None

    def __init__(self, state: ParserState, path: str) -> None:
        self._state = state
        self._path = path
        self._number = state.number
        self._lines: list[str] = []
        self._no_newline = False

    def read(self, line: str) -> Marker | None:
        """Take a line, or return the marker that it is."""
        state = self._state
        if line[:1] != "+":
            if line == NO_NEWLINE and state.dialect.no_newline_marker and self._lines:
                self._no_newline = True
                return None
            marker = state.marker(line)
            if marker is not None:
                return marker
            if line.startswith("***") or line == NO_NEWLINE:
                state.report(line, explain_added_line(line, state.dialect, self._path))
                return None
        if self._no_newline and (line.strip() or line[:1] == "+"):
            message = f"'{NO_NEWLINE}' ends the file, but more lines follow."
            state.error(line, valid_headers(state.dialect), message, "Move that line below the last one.")
            self._no_newline = False
        self._lines.append(line)
        return None

    def snapshot(self) -> AddFile:
        """The operation as far as it has been read."""
        return self._operation([line[1:] if line[:1] == "+" else line for line in self._lines])

    def finish(self) -> AddFile:
        """The operation, at the end of the section."""
        texts = [line[1:] for line in self._lines if line[:1] == "+"]
        return self._operation(texts if len(texts) == len(self._lines) else self._handle_missing_plus(texts))

    def _operation(self, lines: Sequence[str]) -> AddFile:
        content = "\n".join(lines)
        if lines and not self._no_newline:
            final_newline = self._state.dialect.added_final_newline
            ends_with_blank_line = not lines[-1]
            if final_newline == "always" or (final_newline == "unless_blank" and not ends_with_blank_line):
                content += "\n"
        return AddFile(self._path, content, self._number)

    def _handle_missing_plus(self, texts: list[str]) -> list[str]:
        """The lines of a file in which some lines have no `+`."""
        state, lines = self._state, self._lines
        if state.dialect.padded_markers:
            # Blank lines between the file and the next marker.
            while lines and not lines[-1].strip():
                lines.pop()
        bare = [index for index, line in enumerate(lines) if not line.startswith("+")]
        if not bare:
            return texts
        number = self._number + 1 + bare[0]
        if state.dialect.lenient and len(bare) == len(lines):
            state.concede("bare_add_body", number)
            return lines
        if state.dialect.lenient and not any(lines[index].strip() for index in bare):
            state.concede("bare_blank_line", number)
            return [line[1:] for line in lines]

        line = lines[bare[0]]
        state.report(line, explain_missing_plus(line, self._path, len(bare), len(lines)), number=number)
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
        "_state",
        "hunk",
    )

    def __init__(self, state: ParserState, path: str, move_to: str | None) -> None:
        self._state = state
        self._path = path
        self._number = state.number
        self._move_to = move_to
        self._before = len(state.problems)
        self._hunks: list[Hunk] = []
        # After an error, lines are skipped until the next `@@` or marker.
        self._lost = False
        #: The lines of the open hunk, if there is one. The parser appends plain lines to it directly.
        self.hunk: list[str] | None = None
        self._hint: int | None = None

    def read(self, line: str) -> Marker | None:
        """Take a line that is not a plain line of an open hunk, or return the marker that it is."""
        state = self._state
        if line.startswith("@@"):
            self._read_header(line)
        elif line[:1] == "*" and (marker := state.marker(line)) is not None:
            return self._read_marker(marker, line)
        elif line.startswith("***"):
            hint = "If this is a line of the file, start it with a space, + or -."
            state.report(line, explain_header(line, state.dialect, UPDATE + self._path, hint))
            self._finish_hunk()
            self._lost = True
        elif self.hunk and line == NO_NEWLINE and state.dialect.no_newline_marker:
            for side, prefixes in _SIDES:
                if self.hunk[-1][0] in prefixes:
                    self._ends[side] = len(self.hunk)
        else:
            self._read_line(line)
        return None

    def _read_marker(self, marker: Marker, line: str) -> Marker | None:
        """Take `*** Move to` and `*** End of File`; other markers end the section."""
        state = self._state
        name = marker[0]
        if name == END_OF_FILE and state.dialect.end_of_file and self.hunk is not None:
            self._finish_hunk(at_end=True)
        elif name == MOVE_TO and MOVE_TO in state.dialect.headers:
            if self.hunk is None and not self._hunks and self._move_to is None:
                self._move_to = state.path(marker[1], line)
            else:
                twice = self._move_to is not None
                message = f"{MOVE_TO.strip()} must directly follow its {UPDATE.strip()} line."
                message = f"This section already has a {MOVE_TO.strip()} line." if twice else message
                hint = "Remove this one." if twice else f"Move this line directly below {UPDATE}{self._path}."
                state.error(line, ("@@", *valid_headers(state.dialect)), message, hint)
        elif name == END_OF_FILE and self.hunk == []:
            # That the hunk has no lines says it all.
            self._finish_hunk()
        elif name in {END_OF_FILE, MOVE_TO}:
            state.report(line, explain_header(line, state.dialect, UPDATE + self._path))
        else:
            return marker
        return None

    def _read_header(self, line: str) -> None:
        """Read `@@`, alone, with an anchor, or as in a unified diff. Consecutive `@@` lines stack their anchors."""
        dialect = self._state.dialect
        if self.hunk or (self.hunk is not None and not dialect.anchors):
            self._finish_hunk()
        if self.hunk is None:
            self._start_hunk(line)
        if len(line) > 2:
            text = line[3:].rstrip() if line[2] == " " else line[2:].rstrip()
            if dialect.lenient and (unified := read_anchor(text)) is not None:
                number, text = unified
                if number is not None:
                    self._hint = number
                self._state.concede("unified_hunk_header")
            if text:
                self._anchors.append(text)

    def _read_line(self, line: str) -> None:
        """Read the first line of a hunk without `@@`, or a line without a prefix."""
        state, dialect = self._state, self._state.dialect
        if self.hunk is None:
            if not line and dialect.padded_markers:
                return
            if self._hunks or self._lost or not dialect.implicit_first_hunk:
                if not self._lost:
                    message, hint = "A hunk must start with an @@ line.", "Put a line with @@ above this line."
                    state.error(line, ("@@", *valid_headers(dialect)), message, hint)
                self._lost = True
                return
            self._start_hunk("")
        hunk = self.hunk
        assert hunk is not None, "BUG: a hunk is open"
        if line and line[0] in PREFIXES:
            hunk.append(line)
        elif line != NO_NEWLINE and (dialect.lenient or (not line and dialect.padded_markers)):
            state.concede("bare_line" if line else "bare_blank_line")
            self._bare.append(len(hunk))
            hunk.append(" " + line)
        else:
            state.report(line, explain_hunk_line(line, dialect))

    def _start_hunk(self, header: str) -> None:
        self.hunk = []
        self._lost = False
        self._anchors: list[str] = []
        self._bare: list[int] = []
        self._hint = None
        # For each side that ends without a newline, after how many lines it ends.
        self._ends: dict[NoNewline, int] = {}
        self._hunk_line = self._state.number
        self._header = header

    def _hunk(self, lines: Sequence[str], *, at_end: bool = False) -> Hunk:
        ends: NoNewline = "both" if len(self._ends) == 2 else next(iter(self._ends), "")
        return Hunk(tuple(lines), tuple(self._anchors), at_end, ends, self._hint, tuple(self._bare), self._hunk_line)

    def _finish_hunk(self, *, at_end: bool = False) -> None:
        lines = self.hunk
        if lines is None:
            return
        self.hunk = None
        state = self._state
        if not self._header and state.dialect.lenient and _is_file_header(lines):
            state.concede("unified_file_header", self._hunk_line)
            del lines[:2]
            self._bare = [index - 2 for index in self._bare]
            if not lines:
                return
        if not lines:
            expected = ("lines that start with a space, + or - below it",)
            hint = "Add its lines, or remove this @@ line."
            if not state.dialect.anchors:
                hint += f" In the {state.dialect.name} dialect, every @@ line opens a new hunk."
            state.error(self._header, expected, "This hunk has no lines.", hint, number=self._hunk_line)
            return
        for side, prefixes in _SIDES if self._ends else ():
            if side in self._ends and any(line[0] in prefixes for line in lines[self._ends[side] :]):
                expected = (f"'{NO_NEWLINE}' below the last line",)
                message = f"The hunk has lines of the {side} file after the end of that file."
                state.error(NO_NEWLINE, expected, message, number=self._hunk_line)
                break
        self._hunks.append(self._hunk(lines, at_end=at_end))

    def drop_padded_end(self) -> bool:
        """Remove a padded end marker that was read as the last line of the open hunk; False if there is none."""
        lines = self.hunk
        if not lines:
            return False
        last = len(lines) - 1
        while last and not lines[last].strip():
            last -= 1
        state = self._state
        if lines[last][0] != " " or not state.is_end(lines[last]):
            return False
        line = state.number - (len(lines) - 1 - last)
        state.concessions = [concession for concession in state.concessions if concession.line < line]
        state.concede("padded_marker", line)
        del lines[last:]
        self._bare = [index for index in self._bare if index < last]
        return True

    def snapshot(self) -> UpdateFile:
        """The operation as far as it has been read."""
        hunks, lines = tuple(self._hunks), self.hunk
        if lines and not self._header and self._state.dialect.lenient:
            if _is_file_header(lines):
                lines = lines[2:]
            elif _may_be_file_header(lines):
                # A first line that looks like that of a unified diff is unclear until the second arrives.
                lines = []
        if lines:
            hunks += (self._hunk(lines),)
        return UpdateFile(self._path, hunks, self._move_to, self._number)

    def finish(self) -> UpdateFile:
        """The operation, at the end of the section."""
        self._finish_hunk()
        if not self._hunks and self._move_to is None and self._before == len(self._state.problems):
            message = f"The update of {self._path} has no hunks."
            expected = ("@@ and the lines of a hunk below it",)
            hint = "Add hunks below it, or remove this section."
            self._state.error(UPDATE + self._path, expected, message, hint, number=self._number)
        return UpdateFile(self._path, tuple(self._hunks), self._move_to, self._number)


def _is_file_header(lines: Sequence[str]) -> bool:
    """Whether a hunk starts with the two file lines of a unified diff."""
    return len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")


def _may_be_file_header(lines: Sequence[str]) -> bool:
    return len(lines) == 1 and lines[0].startswith("--- ")
