"""Text → Patch, incrementally.

`PatchParser` reads everything; `parse` feeds it once. Before it, `whole` looks at what comes in one piece: a short way
that reads alike. The parser reads line by line and keeps nothing of what it has understood but the operations, so it is
linear in the text and its result does not depend on how the text was cut into pieces. Where a thing can't be read with
certainty it is an error with its line, what stood there and what would have been valid; reading goes on behind it, so
that all errors are reported.

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

from ..core.dialect import ADD, BEGIN, DELETE, END, ENVIRONMENT, MOVE, MOVE_TO, STANDARD, Dialect, dialect_named
from ..core.patch import Concession, DeleteFile, Patch
from ..core.problems import PatchInvalidError, Problem
from .fast_parse import fast_parse
from .sections import PREFIXES, AddSection, Reading, UpdateSection
from .unwrap import command_before, heredoc_word, hidden_envelopes, kind_of, shell_escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation
    from .markers import Marker

#: The largest patch text, in characters, and the most sections in it.
MAX_SIZE = 10_000_000
MAX_SECTIONS = 10_000

_THE_END = "the end of the text"
_ALONE = f"Send the envelope alone, from {BEGIN} to {END}."

# Where the parser stands: before the envelope, inside it, behind an error that the next header ends, behind it.
_BEFORE, _INSIDE, _SKIPPING, _AFTER = range(4)


def parse(
    text: str, dialect: str | Dialect = STANDARD, *, max_size: int = MAX_SIZE, max_sections: int = MAX_SECTIONS
) -> Patch:
    """Read a patch text.

    Raises:
        PatchInvalidError: it can't be read; all errors that can be told apart are in it.
    """
    dialect = dialect_named(dialect)
    if len(text) <= max_size:
        whole = fast_parse(text, max_sections)
        if whole is not None:
            return Patch(tuple(whole[0]))
    parser = PatchParser(dialect, max_size=max_size, max_sections=max_sections)
    parser._feed(text)  # noqa: SLF001 - a second look at the whole would find nothing new
    return parser.close()


class PatchParser:
    """Reads a patch text that arrives in pieces: `feed` them, look at `operations` at any time, `close` at the end."""

    _size = 0
    _state = _BEFORE
    _environment: str | None = None
    _heredoc: str | None = None  # the word that closes the heredoc around the envelope
    _section: AddSection | UpdateSection | None = None
    _above = ""  # the header of the last section
    _broken_off = False  # whether the text ended without a newline
    _crlf = _too_many = False  # whether CRLF was noted, and too many sections were refused
    _second = False  # whether a second envelope was refused already
    _command, _command_line = "", 0  # the command on the line of the envelope's beginning

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
        if self._size or len(piece) > self._max_size or not self._take_whole(piece):
            self._feed(piece)

    def _feed(self, piece: str) -> None:
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
            PatchInvalidError: it can't be read; all errors that can be told apart are in it.
        """
        reading = self._reading
        if self._pieces:
            last = "".join(self._pieces)
            self._pieces = []
            if last:
                self._broken_off = True
                self._take(last + "\n")
        if self._size > self._max_size:
            raise PatchInvalidError([_too_large(self._size, self._max_size)])
        if self._state == _BEFORE:
            hidden = self._hidden()
            if hidden is not None:
                return hidden
            from .parse_errors import without_envelope

            mistake = without_envelope(self._outside, self._dialect)
            reading.mistake(mistake.found, mistake, shown="" if mistake.found else "nothing")
        elif self._state != _AFTER:
            self._close_inside()
        if not self._operations and not reading.problems:
            from .parse_errors import valid_headers

            hint = f"Put a section for each file between {BEGIN} and {END}."
            reading.error(END, valid_headers(self._dialect)[:-1], "The patch has no sections.", hint)
        if reading.quote and not reading.problems:
            self._refuse_shell_escapes()
        if reading.problems:
            from .parse_errors import with_last_hint

            raise PatchInvalidError(with_last_hint(sorted(reading.problems, key=_line_of)))
        if reading.concessions:
            reading.concessions.sort(key=lambda concession: concession.line)
        return Patch(tuple(self._operations), self._environment, tuple(reading.concessions))

    def _hidden(self) -> Patch | None:
        """The patch inside a JSON value or a text with escaped newlines, where there is one."""
        if not self._dialect.lenient:
            return None
        for text, notes in hidden_envelopes("\n".join(self._outside)):
            patch = parse(text, self._dialect, max_size=self._max_size, max_sections=self._max_sections)
            around = [Concession(name, line) for name, line in notes]
            return patch.replace(concessions=(*around, *patch.concessions))
        return None

    def _refuse_shell_escapes(self) -> None:
        """Refuse what stands in a shell's quotes and has escapes in it: as written or as the shell reads it?"""
        escape = shell_escape(self._operations, self._reading.quote)
        if escape is not None:
            message = f"The patch is in a shell's quotes and has {escape} in it, which a shell would change."
            hint = "Send the patch alone, without the command and its quotes, each line as the file has it."
            self._reading.error(self._command, (BEGIN,), message, hint, number=self._command_line)

    def _close_inside(self) -> None:
        """The text ended inside the envelope: that is an error, unless its last line is a padded end marker."""
        reading, section = self._reading, self._section
        if self._dialect.padded_markers and isinstance(section, UpdateSection) and section.drop_padded_end():
            self._finish_section()
            return
        self._finish_section()
        message = f"The patch never closes: it has {BEGIN} but no {END}, so it may have been cut off."
        hint = "Send the whole patch again."
        number, found = reading.number + 1, ""
        last = reading.problems[-1] if reading.problems else None
        if last is not None and last.details["expected"] == [END] and not END.startswith(str(last.details["found"])):
            # A misspelt end is the same mistake.
            return
        if last is not None and self._broken_off and _line_of(last) == reading.number:
            # The last line is wrong because it is not whole.
            number, found = reading.number, str(reading.problems.pop().details["found"])
        reading.error(found, (END,), message, hint, number=number, shown="" if found else "the end of the text")

    def _take_whole(self, text: str) -> bool:
        """Take a first piece that is a whole envelope; False where it is not, and then nothing was read."""
        whole = fast_parse(text, self._max_sections)
        if whole is None:
            return False
        self._operations += whole[0]
        self._reading.number = whole[1]
        self._size = len(text)
        self._state = _AFTER
        return True

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
        if not self._crlf:
            reading.note("crlf", reading.number + text.count("\n", 0, first) + 1)
            self._crlf = True
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
            command = command_before(line) if self._dialect.lenient else None
            marker = self._reading.marker(line) if "***" in line and command is None else None
            if command is not None:
                self._reading.note("command")
                self._reading.quote = command[1]
                self._command, self._command_line = line, self._reading.number
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
                shown = "" if line else "an empty line"
                reading.error(line, (BEGIN,), "Text stands before the envelope.", _ALONE, number=number, shown=shown)
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
        if reading.quote and text == reading.quote:
            return
        marker = reading.marker(line) if "***" in line else None
        if marker is not None and marker[0] == BEGIN:
            if self._dialect.lenient and not self._outside:
                reading.note("several_envelopes")
                self._state = _INSIDE
                return
            if not self._second:
                hint = "Send one envelope with all sections in it."
                reading.error(line, (_THE_END,), "A second envelope follows the first.", hint)
                self._second = True
        elif around != "anything" and not self._outside and not self._second:
            shown = "" if line else "an empty line"
            reading.error(line, (_THE_END,), "Text stands behind the envelope.", _ALONE, shown=shown)
        elif around == "anything" and not self._outside:
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
        elif self._too_many:
            self._state = _SKIPPING
        elif name == ENVIRONMENT and self._dialect.lenient and not self._operations:
            self._environment = text.strip()
            reading.note("environment_id")
        elif name == MOVE_TO or name not in self._dialect.headers:
            self._skip(line)
        elif len(self._operations) >= self._max_sections:
            reading.error(line, (END,), f"The patch has more than {self._max_sections} sections.", "Send it in parts.")
            self._too_many = True
            self._state = _SKIPPING
        else:
            self._open_section(name, text, line)

    def _open_section(self, header: str, text: str, line: str) -> None:
        reading = self._reading
        self._state = _INSIDE
        move_to = None
        if header == MOVE:
            text, _, destination = text.partition(" -> ")
            if not destination.strip():
                old = text.removesuffix(" ->").strip() or "old/path"
                reading.error(line, (f"{MOVE}{old} -> new/path",), "The new path is missing.")
                self._state = _SKIPPING
                return
            move_to = reading.path(destination, line)
        path = reading.path(text, line)
        self._above = header + path
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

    def _skip(self, line: str) -> None:
        """Record an error and pass over what follows, up to the next header."""
        from .parse_errors import instead_of_header

        self._reading.mistake(line, instead_of_header(line, self._dialect, self._above))
        self._state = _SKIPPING


def _line_of(problem: Problem) -> int:
    line = problem.details["line"]
    assert isinstance(line, int), "BUG: an error of the text has its line"
    return line


def _too_large(size: int, limit: int) -> Problem:
    message = f"The patch is too large: {size} characters, and the limit is {limit}."
    return Problem("patch_parse_error", message, details={"size": size, "limit": limit}, hint="Send it in parts.")
