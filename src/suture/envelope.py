"""Text → Patch, incrementally.

`PatchParser` is the only parser; `parse` feeds it once. It reads line by line and keeps nothing of what it has
understood but the operations, so it is linear in the text and its result does not depend on how the text was cut into
pieces. Where a thing can't be read with certainty it is an error with its line, what stood there and what would have
been valid; reading goes on behind it, so that all errors are reported.

The grammar::

    patch    := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"
    section  := add | delete | update | move
    add      := "*** Add File: " path ("+" text)* [no_newline]
    delete   := "*** Delete File: " path
    update   := "*** Update File: " path ["*** Move to: " path] hunk*
    move     := "*** Move File: " path " -> " path hunk*
    hunk     := ("@@" [" " anchor])+ line+ ["*** End of File"]      (the first one may do without its "@@")
    line     := (" " | "-" | "+") text [no_newline]
    no_newline := "\\ No newline at end of file"

Which of it a dialect takes, and what else, is in `dialect`.
"""

from __future__ import annotations

from .dialect import ADD, DELETE, MOVE, MOVE_TO, STANDARD, Dialect, dialect_named
from .markers import BEGIN, END, ENVIRONMENT
from .patch import Concession, DeleteFile, Patch
from .problems import PatchInvalid, Problem
from .sections import PREFIXES, AddSection, Reading, UpdateSection
from .unwrap import heredoc_word, hidden_envelopes, is_command, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .markers import Marker
    from .patch import Operation

#: The largest patch text, in characters, and the most sections in it.
MAX_SIZE = 10_000_000
MAX_SECTIONS = 10_000

# Where the parser stands: before the envelope, inside it, behind an error that the next header ends, behind it.
_BEFORE, _INSIDE, _SKIPPING, _AFTER = range(4)


def parse(
    text: str, dialect: str | Dialect = STANDARD, *, max_size: int = MAX_SIZE, max_sections: int = MAX_SECTIONS
) -> Patch:
    """Read a patch text.

    Raises:
        PatchInvalid: it can't be read; all errors that can be told apart are in it.
    """
    parser = PatchParser(dialect, max_size=max_size, max_sections=max_sections)
    parser.feed(text)
    return parser.close()


class PatchParser:
    """Reads a patch text that arrives in pieces: `feed` them, look at `operations` at any time, `close` at the end."""

    _size = 0
    _state = _BEFORE
    _environment: str | None = None
    _heredoc: str | None = None  # the word that closes the heredoc around the envelope
    _section: AddSection | UpdateSection | None = None
    _broken_off = False  # whether the text ended without a newline

    def __init__(
        self, dialect: str | Dialect = STANDARD, *, max_size: int = MAX_SIZE, max_sections: int = MAX_SECTIONS
    ) -> None:
        self._dialect = dialect_named(dialect)
        self._reading = Reading(self._dialect)
        self._max_size = max_size
        self._max_sections = max_sections
        self._pieces: list[str] = []
        self._operations: list[Operation] = []
        self._outside: list[str] = []

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations known so far; the last one may still grow."""
        if self._section is None:
            return tuple(self._operations)
        return (*self._operations, self._section.so_far())

    def feed(self, piece: str) -> None:
        """Take the next piece of the text, of any size."""
        self._size += len(piece)
        if self._size > self._max_size:
            return
        cut = piece.rfind("\n") + 1
        if not cut:
            self._pieces.append(piece)
            return
        complete = piece[:cut]
        if self._pieces:
            complete = "".join((*self._pieces, complete))
        self._pieces = [piece[cut:]] if cut < len(piece) else []
        self._take(complete)

    def close(self) -> Patch:
        """The patch, now that its text is complete.

        Raises:
            PatchInvalid: it can't be read; all errors that can be told apart are in it.
        """
        reading = self._reading
        if self._pieces:
            last = "".join(self._pieces)
            self._pieces = []
            if last:
                self._broken_off = True
                self._take(last + "\n")
        if self._size > self._max_size:
            raise PatchInvalid([_too_large(self._size, self._max_size)])
        if self._state == _BEFORE:
            hidden = self._hidden()
            if hidden is not None:
                return hidden
            found = next((line for line in self._outside if line.strip()), "")
            reading.error(found, (BEGIN,), hint=f"Send the whole patch, from {BEGIN} to {END}.", number=1)
        elif self._state != _AFTER:
            self._close_inside()
        if not self._operations and not reading.problems:
            reading.error(END, reading.headers()[:-1], message="The patch has no sections.")
        if reading.problems:
            raise PatchInvalid(sorted(reading.problems, key=_line_of))
        if reading.concessions:
            reading.concessions.sort(key=lambda concession: concession.line)
        return Patch(tuple(self._operations), self._environment, tuple(reading.concessions))

    def _hidden(self) -> Patch | None:
        """The patch inside a JSON value or a text with escaped newlines, where there is one."""
        if not self._dialect.lenient:
            return None
        for text, name in hidden_envelopes("\n".join(self._outside)):
            patch = parse(text, self._dialect, max_size=self._max_size, max_sections=self._max_sections)
            return patch.replace(concessions=(Concession(name, 1), *patch.concessions))
        return None

    def _close_inside(self) -> None:
        """The text ended inside the envelope: that is an error, unless its last line is a padded end marker."""
        reading, section = self._reading, self._section
        if self._dialect.padded_markers and isinstance(section, UpdateSection) and section.drop_padded_end():
            self._finish_section()
            return
        self._finish_section()
        message = f"The patch never closes: it has {BEGIN} but no {END}, so it may have been cut off."
        hint = "Send the whole patch again."
        number, found = reading.number + 1, "the end of the text"
        if reading.problems and _line_of(reading.problems[-1]) == reading.number and self._broken_off:
            # The last line is wrong because it is not whole.
            number, found = reading.number, str(reading.problems.pop().details["found"])
        reading.error(found, (END,), message=message, hint=hint, number=number)

    def _take(self, text: str) -> None:
        """Read complete lines. The loop is kept short: most lines are those of a hunk."""
        if "\r" in text and self._dialect.padded_markers:
            text = self._without_carriage_returns(text)
        reading, section = self._reading, self._section
        number = reading.number
        hunk = None if section is None else section.hunk
        for line in text[:-1].split("\n"):
            number += 1
            if hunk is not None and line and line[0] in PREFIXES:
                hunk.append(line)
                continue
            reading.number = number
            if section is None:
                self._read(line)
            else:
                marker = section.read(line)
                if marker is not None:
                    self._read_header(marker, line)
            section = self._section
            hunk = None if section is None else section.hunk
        reading.number = number

    def _without_carriage_returns(self, text: str) -> str:
        first = text.find("\r\n")
        if first < 0:
            return text
        reading = self._reading
        if all(concession.name != "crlf" for concession in reading.concessions):
            reading.note("crlf", reading.number + text.count("\n", 0, first) + 1)
        return text.replace("\r\n", "\n")

    def _read(self, line: str) -> None:
        """A line that is in no section."""
        if self._state == _BEFORE:
            self._read_before(line)
        elif self._state == _AFTER:
            self._read_after(line)
        elif line.strip() or not self._dialect.padded_markers:
            marker = self._reading.marker(line)
            if marker is not None:
                self._read_header(marker, line)
            elif self._state == _INSIDE:
                self._skip(line)

    def _read_before(self, line: str) -> None:
        """Anything until `*** Begin Patch`, as far as the dialect lets it stand there."""
        if line != BEGIN:
            command = self._dialect.lenient and is_command(line.removesuffix(BEGIN)) and line.endswith(BEGIN)
            marker = self._reading.marker(line) if "***" in line and not command else None
            if command:
                self._reading.note("command")
            elif marker is None or marker[0] != BEGIN:
                self._outside.append(line)
                return
        self._state = _INSIDE
        if self._outside:
            self._judge_outside()

    def _judge_outside(self) -> None:
        """Note or refuse the text that stood before the envelope."""
        reading, around = self._reading, self._dialect.around
        names: list[str] = []
        for number, line in enumerate(self._outside, reading.number - len(self._outside)):
            if not line.strip() and around != "nothing":
                continue
            name = kind_of(line)
            if around == "nothing" or (around == "heredoc" and name != "heredoc"):
                reading.error(line, (BEGIN,), number=number)
                break
            if name == "heredoc":
                self._heredoc = heredoc_word(line)
            if name not in names:
                names.append(name)
                reading.note(name, number)
        self._outside = []

    def _read_after(self, line: str) -> None:
        """Blank lines, another envelope, or what the dialect lets stand there."""
        reading, around = self._reading, self._dialect.around
        text = line.strip()
        if not text and around != "nothing":
            return
        if self._heredoc is not None and text.strip("'\"") == self._heredoc:
            self._heredoc = None
            return
        marker = reading.marker(line) if self._dialect.lenient else None
        if marker is not None and marker[0] == BEGIN:
            if self._outside:
                message = "A second envelope follows other text."
                reading.error(line, ("the end of the text",), message=message, hint="Send one envelope.")
            reading.note("several_envelopes")
            self._state = _INSIDE
            return
        if around != "anything":
            reading.error(line, ("the end of the text",))
        elif not self._outside:
            reading.note(kind_of(line))
        self._outside.append(line)

    def _read_header(self, marker: Marker, line: str) -> None:
        """A marker that closes the section before it and opens another, or the envelope's end."""
        name, text, _ = marker
        reading = self._reading
        if self._section is not None:
            self._finish_section()
        if name == END:
            self._state = _AFTER
        elif name == ENVIRONMENT and self._dialect.lenient and not self._operations:
            self._environment = text.strip()
            reading.note("environment_id")
        elif name == MOVE_TO or name not in self._dialect.headers:
            self._skip(line)
        elif len(self._operations) >= self._max_sections:
            self._skip(line, f"The patch has more than {self._max_sections} sections.")
        else:
            self._open_section(name, text, line)

    def _open_section(self, header: str, text: str, line: str) -> None:
        reading = self._reading
        self._state = _INSIDE
        move_to = None
        if header == MOVE:
            text, _, destination = text.partition(" -> ")
            if not destination.strip():
                reading.error(line, (f"{MOVE}old/path -> new/path",))
                self._state = _SKIPPING
                return
            move_to = reading.path(destination, line)
        path = reading.path(text, line)
        if header == DELETE:
            self._operations.append(DeleteFile(path, reading.number))
        elif header == ADD:
            self._section = AddSection(reading, path)
        else:
            self._section = UpdateSection(reading, path, move_to)

    def _finish_section(self) -> None:
        if self._section is not None:
            self._operations.append(self._section.finish())
            self._section = None

    def _skip(self, line: str, message: str = "") -> None:
        """Record an error and pass over what follows, up to the next header."""
        self._reading.error(line, self._reading.headers(), message=message)
        self._state = _SKIPPING


def _line_of(problem: Problem) -> int:
    line = problem.details["line"]
    assert isinstance(line, int), "BUG: an error of the text has its line"
    return line


def _too_large(size: int, limit: int) -> Problem:
    message = f"The patch is too large: {size} characters, and the limit is {limit}."
    return Problem("patch_parse_error", message, details={"size": size, "limit": limit}, hint="Send it in parts.")
