"""Parsing an envelope into a `Patch`, incrementally.

`EnvelopeParser` reads line by line and keeps only the operations, so it takes linear time and its result doesn't depend
on how the text was cut into pieces. `parse_envelope` feeds it once; `fast_parse` comes first and reads plain updates in
one go. A line that can't be read with certainty is an error with its number, what is there, and what would be valid.
The parser continues after it, so all errors are reported at once.

The grammar::

    patch    := "*** Begin Patch" ["*** Environment ID: " id] section* "*** End Patch"
    section  := add | delete | update | move
    add      := "*** Add File: " path ("+" text)* [no_newline]
    delete   := "*** Delete File: " path
    update   := "*** Update File: " path ["*** Move to: " path] hunk*
    move     := "*** Move File: " path " -> " path hunk*
    hunk     := ("@@" [" " anchor])+ line+ ["*** End of File"]      (the first may omit its "@@")
    line     := (" " | "-" | "+") text [no_newline]
    no_newline := "\\ No newline at end of file"

`core.dialect` says which of this a dialect accepts, and what else.
"""

from __future__ import annotations

from ..core.advice import Copy, Send
from ..core.dialect import (
    ADD,
    BEGIN,
    DELETE,
    END,
    ENVIRONMENT,
    MAX_SECTIONS,
    MAX_SIZE,
    MOVE,
    MOVE_TO,
    PREFIXES,
    STANDARD,
    Dialect,
    dialect_named,
)
from ..core.patch import DeleteFile, Patch
from ..core.problems import PatchInvalidError, Problem
from .fast_parse import fast_parse
from .parse_errors import (
    SyntaxProblem,
    add_resend_hint,
    explain_header,
    explain_missing_envelope,
    only_the_patch,
    sort_problems,
    valid_headers,
)
from .parse_fault import fault_of
from .sections import AddSection, ParserState, UpdateSection
from .unwrap import classify_line, extract_envelope, find_shell_escape, heredoc_word, read_command_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation
    from .markers import Marker

_END_OF_TEXT = "the end of the text"

# Where the parser is: before the envelope, inside it, skipping to the next header after an error, after the envelope.
_BEFORE, _INSIDE, _SKIPPING, _AFTER = range(4)


def parse_envelope(
    text: str, dialect: str | Dialect = STANDARD, *, max_size: int = MAX_SIZE, max_sections: int = MAX_SECTIONS
) -> Patch:
    """Parse an envelope.

    Raises:
        PatchInvalidError: the text can't be parsed; the exception has all its errors.
    """
    dialect = dialect_named(dialect)
    if len(text) <= max_size and (parsed := fast_parse(text, max_sections)) is not None:
        return Patch(tuple(parsed[0]))
    parser = EnvelopeParser(dialect, max_size=max_size, max_sections=max_sections)
    parser._feed(text)  # noqa: SLF001 - the fast path has been tried
    return parser.close()


class EnvelopeParser:
    """Parses a patch text that arrives in pieces: `feed` each piece, read `operations` any time, `close` at the end."""

    _size = 0
    _phase = _BEFORE
    _environment: str | None = None
    _heredoc: str | None = None  # the delimiter of the heredoc around the envelope
    _section: AddSection | UpdateSection | None = None
    _last_header = ""
    _ends_mid_line = False
    # Whether each of these was reported already.
    _crlf = _too_many = _second_envelope = False
    _command, _command_line = "", 0  # the command before the envelope, on the same line

    def __init__(
        self,
        dialect: str | Dialect = STANDARD,
        *,
        max_size: int = MAX_SIZE,
        max_sections: int = MAX_SECTIONS,
        first_line: int = 1,
    ) -> None:
        self._dialect = dialect_named(dialect)
        self._state = ParserState(self._dialect)
        self._state.number = first_line - 1
        self._max_size = max_size
        self._max_sections = max_sections
        self._pieces: list[str] = []
        self._operations: list[Operation] = []
        self._outside: list[str] = []

    @property
    def is_complete(self) -> bool:
        """Whether the end of the envelope was read."""
        return self._phase == _AFTER

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations read so far; the last one may still grow."""
        if self._section is None:
            return tuple(self._operations)
        return (*self._operations, self._section.snapshot())

    def feed(self, piece: str) -> None:
        """Take the next piece of the text, of any size."""
        # Without its newline the last line may go on in the next piece.
        if self._size or len(piece) > self._max_size or piece[-1:] != "\n" or not self._feed_fast(piece):
            self._feed(piece)

    def _feed(self, piece: str) -> None:
        self._size += len(piece)
        if self._size > self._max_size or self._state.is_hopeless:
            return
        cut = piece.rfind("\n") + 1
        if not cut:
            self._pieces.append(piece)
            return
        complete = piece[:cut]
        if self._pieces:
            complete = "".join((*self._pieces, complete))
        self._pieces = [piece[cut:]] if cut < len(piece) else []
        self._read_lines(complete)

    def close(self) -> Patch:
        """Return the patch, at the end of its text.

        Raises:
            PatchInvalidError: the text can't be parsed; the exception has all its errors.
        """
        state = self._state
        if self._pieces:
            last = "".join(self._pieces)
            self._pieces = []
            if last and not state.is_hopeless:
                self._ends_mid_line = True
                self._read_lines(last + "\n")
        if self._size > self._max_size:
            raise PatchInvalidError([too_large(self._size, self._max_size)])
        if self._phase == _BEFORE:
            embedded = self._parse_embedded()
            if embedded is not None:
                return embedded

            problem = explain_missing_envelope(self._outside, self._dialect)
            state.report(problem.found, problem, number=problem.number, empty="nothing")
        elif self._phase != _AFTER and not state.is_hopeless:
            self._close_inside()
        if not self._operations and not state.problems:
            hint = f"Add a section for each file between {BEGIN} and {END}."
            state.error(END, valid_headers(self._dialect)[:-1], "The patch has no sections.", hint)
        if state.quote and not state.problems:
            self._refuse_shell_escapes()
        if state.problems:
            raise PatchInvalidError(add_resend_hint(sort_problems(state.problems)))
        if state.concessions:
            state.concessions.sort(key=lambda concession: concession.line)
        return Patch(tuple(self._operations), self._environment, tuple(state.concessions))

    def _parse_embedded(self) -> Patch | None:
        """The patch inside a JSON value or a text with escaped newlines, if there is one."""
        extracted = extract_envelope("\n".join(self._outside)) if self._dialect.lenient else None
        if extracted is None:
            return None
        text, concessions = extracted
        patch = parse_envelope(text, self._dialect, max_size=self._max_size, max_sections=self._max_sections)
        return patch.replace(concessions=(*concessions, *patch.concessions))

    def _refuse_shell_escapes(self) -> None:
        """Refuse a patch in a shell's quotes that contains escapes: are they meant for the shell or for the file?"""
        escape = find_shell_escape(self._operations, self._state.quote)
        if escape is not None:
            message = f"The patch is quoted for a shell and contains {escape}, which a shell would change."
            hint = Send("only the patch, without the command and its quotes, each line as it is in the file.")
            self._state.error(self._command, (BEGIN,), message, hint, number=self._command_line)

    def _close_inside(self) -> None:
        """Report that the text ended inside the envelope, unless its last line is a padded end marker."""
        state, section = self._state, self._section
        if self._dialect.padded_markers and isinstance(section, UpdateSection) and section.drop_padded_end():
            self._finish_section()
            return
        self._finish_section()
        message = f"The patch has no {END}; it may have been cut off."
        hint = Copy("the whole patch again.")
        number, last_line = state.number + 1, ""

        last = fault_of(state.problems[-1]) if state.problems else None
        if last is not None and last.expected == [END] and not END.startswith(last.found or ""):
            # The misspelled end has been reported.
            return
        if last is not None and self._ends_mid_line and last.line == state.number:
            # The last line is wrong because it is incomplete.
            number, last_line = state.number, last.found or ""
            state.problems.pop()
        state.error(last_line, (END,), message, hint, number=number, description="" if last_line else _END_OF_TEXT)

    def _feed_fast(self, text: str) -> bool:
        """Take a first piece that is a complete envelope; False if it is not, and then nothing was read."""
        parsed = fast_parse(text, self._max_sections)
        if parsed is None:
            return False
        self._operations += parsed[0]
        self._state.number = parsed[1]
        self._size = len(text)
        self._phase = _AFTER
        return True

    def _read_lines(self, text: str) -> None:
        """Read complete lines. The loop is short because most lines are plain lines of a hunk."""
        if "\r" in text and self._dialect.padded_markers:
            text = self._without_carriage_returns(text)
        state, section = self._state, self._section
        number = state.number
        hunk = None if section is None else section.hunk
        for line in text[:-1].split("\n"):
            number += 1
            if hunk is not None and line and line[0] in PREFIXES:
                hunk.append(line)
                continue
            state.number = number
            if section is None:
                self._read(line)
            else:
                marker = section.read(line)
                if marker is not None:
                    self._read_header(marker, line)
            if state.is_hopeless:
                return
            section = self._section
            hunk = None if section is None else section.hunk
        state.number = number

    def _without_carriage_returns(self, text: str) -> str:
        first = text.find("\r\n")
        if first < 0:
            return text
        state = self._state
        if not self._crlf:
            state.concede("crlf", state.number + text.count("\n", 0, first) + 1)
            self._crlf = True
        return text.replace("\r\n", "\n")

    def _read(self, line: str) -> None:
        """Read a line outside of any section."""
        if self._phase == _BEFORE:
            self._read_before(line)
        elif self._phase == _AFTER:
            self._read_after(line)
        elif line.strip() or not self._dialect.padded_markers:
            marker = self._state.marker(line)
            if marker is not None:
                self._read_header(marker, line)
            elif self._phase == _INSIDE:
                self._skip(line)

    def _read_before(self, line: str) -> None:
        """Look for `*** Begin Patch`; keep other lines for `_check_text_before`."""
        if line != BEGIN:
            command = read_command_prefix(line) if self._dialect.lenient else None
            marker = self._state.marker(line) if "***" in line and command is None else None
            if command is not None:
                self._state.concede("command")
                self._state.quote = command[1]
                self._command, self._command_line = line, self._state.number
            elif marker is None or marker[0] != BEGIN:
                self._outside.append(line)
                return
        self._phase = _INSIDE
        if self._outside:
            self._check_text_before()

    def _check_text_before(self) -> None:
        """Concede or refuse the text before the envelope."""
        state, around = self._state, self._dialect.around
        names: list[str] = []
        for number, line in enumerate(self._outside, state.number - len(self._outside)):
            if not line.strip() and around != "nothing":
                continue
            if self._dialect.lenient and self._is_of_others(line, number):
                break
            name = classify_line(line)
            if around == "nothing" or (around == "heredoc" and name != "heredoc"):
                self._refuse_text(line, BEGIN, "before", number)
                break
            if name == "heredoc":
                self._heredoc = heredoc_word(line)
            if name not in names:
                names.append(name)
                state.concede(name, number)
        self._outside = []

    def _is_of_others(self, line: str, number: int) -> bool:
        """Whether somebody other than the model speaks from a line on: what follows is no patch of the model then."""
        from .raw_turns import edit_of_others, speaker_mark

        if mark := speaker_mark(line):
            error = edit_of_others(mark)
            self._state.error(line, (BEGIN,), str(error), error.hint, number=number)
        return bool(mark)

    def _read_after(self, line: str) -> None:
        """Read a line after the envelope: a blank line, another envelope, or other text."""
        state, around = self._state, self._dialect.around
        text = line.strip()
        if not text and around != "nothing":
            return
        if self._heredoc is not None and text.strip("'\"") == self._heredoc:
            self._heredoc = None
            return
        if state.quote and text == state.quote:
            return
        marker = state.marker(line) if "***" in line else None
        if marker is not None and marker[0] == BEGIN:
            if self._dialect.lenient and not self._outside:
                state.concede("several_envelopes")
                self._phase, self._last_header = _INSIDE, ""
                return
            if not self._second_envelope:
                hint = Send("one patch with all sections in it.")
                state.error(line, (_END_OF_TEXT,), "A second patch follows the first.", hint)
                self._second_envelope = True
        elif around != "anything" and not self._outside and not self._second_envelope:
            self._refuse_text(line, _END_OF_TEXT, "after")
        elif around == "anything" and not self._outside:
            state.concede(classify_line(line))
        self._outside.append(line)

    def _refuse_text(self, line: str, expected: str, where: str, number: int = 0) -> None:
        problem = SyntaxProblem(f"There is text {where} the patch.", (expected,), Send(f"{only_the_patch()}."))
        self._state.report(line, problem, number=number)

    def _read_header(self, marker: Marker, line: str) -> None:
        """Read a marker that ends the section before it: the header of the next one, or the end of the envelope."""
        name, argument, _ = marker
        state = self._state
        if self._section is not None:
            self._finish_section()
        if name == END:
            self._phase = _AFTER
        elif self._too_many:
            self._phase = _SKIPPING
        elif name == ENVIRONMENT and name in self._dialect.headers and not self._last_header:
            self._read_environment(argument.strip(), line)
        elif name in {MOVE_TO, ENVIRONMENT} or name not in self._dialect.headers:
            self._skip(line)
        elif len(self._operations) >= self._max_sections:
            message = f"The patch has more than {self._max_sections} sections."
            state.error(line, (END,), message, Send("several smaller patches."))
            self._too_many = True
            self._phase = _SKIPPING
        else:
            self._open_section(name, argument, line)

    def _read_environment(self, environment: str, line: str) -> None:
        """Read the id of the environment that a patch is meant for: one, and not empty."""
        expected = f"{ENVIRONMENT}{self._environment or 'id'}"
        if not environment:
            self._state.error(line, (expected,), "The environment id is missing.", "Add it, or remove this line.")
        elif self._environment not in {None, environment}:
            message = f"The patch has two environment ids: {self._environment} and {environment}."
            self._state.error(line, (expected,), message, Send("one patch for each environment."))
        else:
            self._environment = environment
            self._state.concede("environment_id")

    def _open_section(self, header: str, argument: str, line: str) -> None:
        state = self._state
        self._phase = _INSIDE
        move_to = None
        if header == MOVE:
            argument, _, destination = argument.partition(" -> ")
            if not destination.strip():
                old = argument.removesuffix(" ->").strip() or "old/path"
                state.error(line, (f"{MOVE}{old} -> new/path",), "The new path is missing.")
                self._phase = _SKIPPING
                return
            move_to = state.path(destination, line)
        path = state.path(argument, line)
        self._last_header = header + path
        if header == DELETE:
            self._operations.append(DeleteFile(path, state.number))
        elif header == ADD:
            self._section = AddSection(state, path)
        else:
            self._section = UpdateSection(state, path, move_to)

    def _finish_section(self) -> None:
        if self._section is not None:
            self._operations.append(self._section.finish())
            self._section = None

    def _skip(self, line: str) -> None:
        """Record an error and skip to the next header."""
        self._state.report(line, explain_header(line, self._dialect, self._last_header))
        self._phase = _SKIPPING


def too_large(size: int, limit: int) -> Problem:
    """The problem of a text that is too large."""
    message = f"The patch is too large: {size} characters, and the limit is {limit}."
    hint = Send("several smaller patches.")
    return Problem("patch_parse_error", message, details={"size": size, "limit": limit}, hint=hint)
