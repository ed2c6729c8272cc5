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

from .dialect import ADD, DELETE, MOVE, MOVE_TO, STANDARD, UPDATE, Dialect, dialect_named
from .markers import BEGIN, END, END_OF_FILE, ENVIRONMENT, NO_NEWLINE, read_marker
from .patch import AddFile, Concession, DeleteFile, Hunk, Patch, UpdateFile
from .problems import PatchInvalid, Problem
from .unwrap import heredoc_word, hidden_envelopes, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .markers import Marker
    from .patch import NoNewline, Operation

#: The largest patch text, in characters, and the most sections in it.
MAX_SIZE = 10_000_000
MAX_SECTIONS = 10_000

# Where the parser stands: outside, between sections, in one, behind an error, behind the envelope.
_BEFORE, _OPEN, _ADD, _UPDATE, _SKIP, _AFTER = range(6)

_PREFIXES = frozenset(" +-")
_A_HUNK_LINE = "a line of the file with a space, + or - in front"


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
    _number = 0  # of the line that was read last
    _state = _BEFORE
    _environment: str | None = None
    _heredoc: str | None = None  # the word that closes the heredoc around the envelope
    # The section that is open,
    _path = ""
    _path_line = 0
    _move_to: str | None = None
    # and its hunk, where `_lines` is not None.
    _lines: list[str] | None = None
    _hunk_line = 0
    _hint: int | None = None
    _no_newline: NoNewline = ""
    _has_header = False

    def __init__(
        self, dialect: str | Dialect = STANDARD, *, max_size: int = MAX_SIZE, max_sections: int = MAX_SECTIONS
    ) -> None:
        self._dialect = dialect_named(dialect)
        self._max_size = max_size
        self._max_sections = max_sections
        self._pieces: list[str] = []
        self._operations: list[Operation] = []
        self._concessions: list[Concession] = []
        self._problems: list[Problem] = []
        self._outside: list[str] = []
        self._added: list[str] = []
        self._hunks: list[Hunk] = []
        self._anchors: list[str] = []
        self._bare: list[int] = []

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations known so far; the last one may still grow."""
        if self._state == _ADD:
            texts = [line[1:] if line[:1] == "+" else line for line in self._added]
            return (*self._operations, AddFile(self._path, self._content(texts), self._path_line))
        if self._state == _UPDATE:
            hunks = (*self._hunks, self._hunk(self._lines)) if self._lines else tuple(self._hunks)
            return (*self._operations, UpdateFile(self._path, hunks, self._move_to, self._path_line))
        return tuple(self._operations)

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
        if self._pieces:
            last = "".join(self._pieces)
            self._pieces = []
            if last:
                self._take(last + "\n")
        if self._size > self._max_size:
            self._problems = [_too_large(self._size, self._max_size)]
        elif self._state == _BEFORE:
            hidden = self._hidden()
            if hidden is not None:
                return hidden
            found = next((line for line in self._outside if line.strip()), "")
            self._error(1, found, (BEGIN,), hint=f"Send the whole patch, from {BEGIN} to {END}.")
        elif self._state != _AFTER:
            self._close_inside()
        if not self._operations and not self._problems:
            self._error(self._number, END, self._headers(), message="The patch has no sections.")
        if self._problems:
            raise PatchInvalid(self._problems)
        return Patch(tuple(self._operations), self._environment, tuple(self._concessions))

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
        lines = self._lines
        if self._state == _UPDATE and lines and self._dialect.padded_markers:
            last = len(lines) - 1
            while last and not lines[last].strip():
                last -= 1
            if lines[last][0] == " " and lines[last].strip() == END:
                del lines[last:]
                self._bare = [index for index in self._bare if index < last]
                self._note("padded_marker")
                self._end()
                return
        self._finish_section()
        message = f"The patch never closes: it has {BEGIN} but no {END}, so it may have been cut off."
        self._error(self._number + 1, "the end of the text", (END,), message=message, hint="Send the whole patch again.")

    def _take(self, text: str) -> None:
        """Read complete lines. The loop is kept short: most lines are those of a hunk."""
        if "\r" in text and self._dialect.padded_markers:
            text = self._without_carriage_returns(text)
        number = self._number
        hunk = self._lines
        for line in text[:-1].split("\n"):
            number += 1
            if hunk is not None and line and line[0] in _PREFIXES:
                hunk.append(line)
                continue
            self._number = number
            state = self._state
            if state == _UPDATE:
                self._read_update(line)
            elif state == _ADD:
                self._read_add(line)
            elif state == _BEFORE:
                self._read_before(line)
            elif state == _AFTER:
                self._read_after(line)
            else:
                self._read_between(line)
            hunk = self._lines
        self._number = number

    def _without_carriage_returns(self, text: str) -> str:
        first = text.find("\r\n")
        if first < 0:
            return text
        if all(concession.name != "crlf" for concession in self._concessions):
            self._concessions.append(Concession("crlf", self._number + text.count("\n", 0, first) + 1))
        return text.replace("\r\n", "\n")

    def _marker(self, line: str) -> Marker | None:
        """The marker that a line is; how it was written is noted."""
        dialect = self._dialect
        found = read_marker(line, padded=dialect.padded_markers, lenient=dialect.lenient)
        if found is not None and found[2]:
            self._note(found[2])
        return found

    # Outside of the envelope.

    def _read_before(self, line: str) -> None:
        """Anything until `*** Begin Patch`, as far as the dialect lets it stand there."""
        if line != BEGIN:
            found = self._marker(line) if "***" in line else None
            if found is None or found[0] != BEGIN:
                self._outside.append(line)
                return
        self._state = _OPEN
        if self._outside:
            self._judge_outside()

    def _judge_outside(self) -> None:
        """Note or refuse the text that stood before the envelope."""
        around = self._dialect.around
        first = self._number - len(self._outside)
        names: list[str] = []
        for number, line in enumerate(self._outside, first):
            if not line.strip() and around != "nothing":
                continue
            name = kind_of(line)
            if around == "nothing" or (around == "heredoc" and name != "heredoc"):
                self._error(number, line, (BEGIN,))
                break
            if name == "heredoc":
                self._heredoc = heredoc_word(line)
            if name not in names:
                names.append(name)
                self._concessions.append(Concession(name, number))
        self._outside = []

    def _read_after(self, line: str) -> None:
        """Blank lines, another envelope, or what the dialect lets stand there."""
        around = self._dialect.around
        text = line.strip()
        if not text and around != "nothing":
            return
        if self._heredoc is not None and text.strip("'\"") == self._heredoc:
            self._heredoc = None
            return
        found = self._marker(line) if self._dialect.lenient else None
        if found is not None and found[0] == BEGIN:
            if self._outside:
                message = "A second envelope follows other text."
                self._error(self._number, line, ("the end of the text",), message=message, hint="Send one envelope.")
            self._note("several_envelopes")
            self._state = _OPEN
            return
        if around != "anything":
            self._error(self._number, line, ("the end of the text",))
        elif not self._outside:
            self._note(kind_of(line))
        self._outside.append(line)

    # Between sections.

    def _headers(self) -> list[str]:
        return [header.strip() for header in self._dialect.headers if header != MOVE_TO]

    def _read_between(self, line: str) -> None:
        """A header or the end; behind an error, everything else is passed over."""
        if not line.strip() and self._dialect.padded_markers:
            return
        found = self._marker(line)
        if found is not None:
            self._read_header(found, line)
        elif self._state == _OPEN:
            self._skip(line, (*self._headers(), END))

    def _skip(self, line: str, expected: Iterable[str], *, message: str = "", hint: str = "") -> None:
        """Record an error and pass over what follows, up to the next header."""
        self._finish_section()
        self._error(self._number, line, expected, message=message, hint=hint)
        self._state = _SKIP

    def _read_header(self, marker: Marker, line: str) -> None:
        """A marker that closes what is open and opens something else."""
        name, text, _ = marker
        if name == END:
            self._end()
            return
        if name == ENVIRONMENT and self._dialect.lenient and self._state == _OPEN and not self._operations:
            self._environment = text.strip()
            self._note("environment_id")
            return
        if name == MOVE_TO or name not in self._dialect.headers:
            self._skip(line, (*self._headers(), END))
            return
        self._finish_section()
        if len(self._operations) >= self._max_sections:
            self._skip(line, (END,), message=f"The patch has more than {self._max_sections} sections.")
            return
        destination = None
        if name == MOVE:
            text, _, destination = text.partition(" -> ")
            if not destination.strip():
                self._skip(line, (f"{MOVE}old/path -> new/path",))
                return
        self._path = self._read_path(text, line)
        self._path_line = self._number
        self._no_newline = ""
        if name == DELETE:
            self._operations.append(DeleteFile(self._path, self._number))
        elif name == ADD:
            self._added = []
            self._state = _ADD
        else:
            self._hunks = []
            self._move_to = None if destination is None else self._read_path(destination, line)
            self._state = _UPDATE

    def _read_path(self, text: str, line: str) -> str:
        path = text.strip()
        if self._dialect.lenient:
            if len(path) > 2 and path[0] == path[-1] and path[0] in "\"'`":
                path = path[1:-1].strip()
                self._note("quoted_path")
            if path.startswith("./"):
                path = path[2:].lstrip("/")
                self._note("dot_path")
        if not path:
            self._error(self._number, line, (f"{line.strip()} path/to/file",), message="The path is missing.")
        return path

    def _end(self) -> None:
        self._finish_section()
        self._state = _AFTER

    def _finish_section(self) -> None:
        """Close the section that is open, if one is."""
        if self._state == _UPDATE:
            self._finish_update()
        elif self._state == _ADD:
            texts = [line[1:] for line in self._added if line[:1] == "+"]
            if len(texts) != len(self._added):
                texts = self._without_plus(texts)
            self._operations.append(AddFile(self._path, self._content(texts), self._path_line))
        self._state = _OPEN

    # A file to add.

    def _read_add(self, line: str) -> None:
        """The lines of a new file: all with `+`, or all without it."""
        if line[:1] == "+":
            if self._no_newline:
                self._error(self._number, line, (*self._headers(), END), message="The file has ended already.")
            self._added.append(line)
            return
        if line == NO_NEWLINE and self._dialect.no_newline_marker and self._added:
            self._no_newline = "new"
            return
        found = self._marker(line)
        if found is not None:
            self._read_header(found, line)
        elif line.startswith("***"):
            self._skip(line, (*self._headers(), END))
        else:
            self._added.append(line)

    def _without_plus(self, texts: list[str]) -> list[str]:
        """The lines of an Add body in which not every line has its `+`."""
        added = self._added
        while added and not added[-1].strip() and added[-1][:1] != "+":
            added.pop()
        bare = [index for index, line in enumerate(added) if line[:1] != "+"]
        if not bare:
            return texts
        number = self._path_line + 1 + bare[0]
        if self._dialect.lenient and len(bare) == len(added):
            self._concessions.append(Concession("bare_add_body", number))
            return added
        if self._dialect.lenient and not any(added[index].strip() for index in bare):
            self._concessions.append(Concession("bare_blank_line", number))
            return [line[1:] for line in added]
        message = f"{len(bare)} of the {len(added)} lines of {self._path} have no + in front."
        self._error(number, added[bare[0]], ("+ in front of every line of a new file",), message=message)
        return texts

    def _content(self, lines: Sequence[str]) -> str:
        """The content of an added file, with a final newline as the dialect has it."""
        content = "\n".join(lines)
        how = self._dialect.added_final_newline
        if not lines or self._no_newline or how == "never" or (how == "unless_blank" and not lines[-1]):
            return content
        return content + "\n"

    # A file to update.

    def _read_update(self, line: str) -> None:
        """A line of an update that is no plain line of an open hunk."""
        first = line[:1]
        if line == END:
            self._end()
        elif first == "@" and line.startswith("@@"):
            self._read_hunk_header(line)
        elif first == "*" and (found := self._marker(line)) is not None:
            self._read_update_marker(found, line)
        elif line.startswith("***"):
            hint = "A line of the file that begins with *** needs its prefix: a space, + or -."
            self._skip(line, (*self._headers(), END), hint=hint)
        elif line == NO_NEWLINE and self._dialect.no_newline_marker and self._lines:
            kind = self._lines[-1][0]
            if kind == "+" and self._no_newline == "old":
                kind = " "
            self._no_newline = "old" if kind == "-" else "new" if kind == "+" else "both"
        else:
            self._read_hunk_line(line)

    def _read_update_marker(self, marker: Marker, line: str) -> None:
        name = marker[0]
        if name == MOVE_TO and MOVE_TO in self._dialect.headers:
            if self._lines is None and not self._hunks and self._move_to is None:
                self._move_to = self._read_path(marker[1], line)
            else:
                message = f"{MOVE_TO.strip()} belongs right below {UPDATE.strip()}"
                self._error(self._number, line, ("@@", *self._headers(), END), message=message)
        elif name == END_OF_FILE and self._dialect.end_of_file and self._lines:
            self._finish_hunk(at_end=True)
        elif name == END_OF_FILE and self._dialect.end_of_file:
            self._error(self._number, line, ("@@", *self._headers(), END))
        else:
            self._read_header(marker, line)

    def _read_hunk_header(self, line: str) -> None:
        """`@@`, alone, with an anchor, or as a unified header. One right below another is stacked."""
        lenient = self._dialect.lenient
        if self._lines or (self._lines is not None and not self._dialect.anchors):
            self._finish_hunk()
        if self._lines is None:
            self._start_hunk(has_header=True)
        text = line[3:].rstrip() if line[2:3] == " " else line[2:].rstrip()
        if text:
            if lenient and (text[0] == "-" or text[-1] == "@"):
                text = self._read_unified_header(text)
            if text:
                self._anchors.append(text)

    def _read_unified_header(self, text: str) -> str:
        """The anchor of `-1,3 +1,4 @@ anchor`, whose first number is kept as a hint, or of `anchor @@`."""
        from re import fullmatch

        found = fullmatch(r"-(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@ ?(.*))?", text)
        if found is not None:
            self._hint = int(found[1])
            self._note("unified_hunk_header")
            return found[2] or ""
        if text.endswith(" @@"):
            self._note("unified_hunk_header")
            return text[:-3].rstrip()
        return text

    def _start_hunk(self, *, has_header: bool) -> None:
        self._lines = []
        self._anchors = []
        self._bare = []
        self._hint = None
        self._no_newline = ""
        self._hunk_line = self._number
        self._has_header = has_header

    def _read_hunk_line(self, line: str) -> None:
        """A line of a hunk that is not open yet, or one without a prefix."""
        if self._lines is None:
            if not line and self._dialect.padded_markers:
                return
            if self._hunks or not self._dialect.implicit_first_hunk:
                self._skip(line, ("@@", *self._headers(), END))
                return
            self._start_hunk(has_header=False)
        lines = self._lines
        assert lines is not None, "BUG: a hunk is open"
        if line and line[0] in _PREFIXES:
            lines.append(line)
        elif self._dialect.lenient or (not line and self._dialect.padded_markers):
            self._note("bare_line" if line else "bare_blank_line")
            self._bare.append(len(lines))
            lines.append(" " + line)
        else:
            self._error(self._number, line, (_A_HUNK_LINE, "@@", *self._headers(), END))

    def _hunk(self, lines: list[str], *, at_end: bool = False) -> Hunk:
        return Hunk(
            tuple(lines), tuple(self._anchors), at_end, self._no_newline, self._hint, tuple(self._bare), self._hunk_line
        )

    def _finish_hunk(self, *, at_end: bool = False) -> None:
        lines = self._lines
        if lines is None:
            return
        self._lines = None
        if not self._has_header and self._dialect.lenient and _is_file_header(lines):
            self._concessions.append(Concession("unified_file_header", self._hunk_line))
            del lines[:2]
            self._bare = [index - 2 for index in self._bare]
            if not lines:
                return
        if not lines or (len(self._bare) == len(lines) and not any(map(str.strip, lines))):
            found = "@@" if self._has_header else ""
            self._error(self._hunk_line, found, (_A_HUNK_LINE,), message="A hunk has no lines.")
            return
        self._hunks.append(self._hunk(lines, at_end=at_end))

    def _finish_update(self) -> None:
        problems = len(self._problems)
        self._finish_hunk()
        if not self._hunks and self._move_to is None and problems == len(self._problems):
            message = f"The update of {self._path} has no hunks."
            self._error(self._path_line, UPDATE + self._path, ("@@ and the lines of a hunk below it",), message=message)
        operation = UpdateFile(self._path, tuple(self._hunks), self._move_to, self._path_line)
        self._operations.append(operation)

    # What is told about the text.

    def _note(self, name: str) -> None:
        self._concessions.append(Concession(name, self._number))

    def _error(
        self, number: int, found: str, expected: Iterable[str], *, message: str = "", hint: str = ""
    ) -> None:
        """Record an error at a line: what would have been valid there, and what stood there."""
        valid = list(expected)
        choices = valid[0] if len(valid) == 1 else f"{', '.join(valid[:-1])} or {valid[-1]}"
        shown = found if len(found) <= 120 else found[:119] + "…"
        what = f"{message} " if message else ""
        text = f"Patch line {number}: {what}Expected {choices}; found {shown!r}."
        details = {"line": number, "found": found, "expected": valid}
        self._problems.append(Problem("patch_parse_error", text, details=details, hint=hint))


def _is_file_header(lines: Sequence[str]) -> bool:
    """Whether a hunk opens with the two file lines of a unified diff: as a pair, and nothing before them."""
    return len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")


def _too_large(size: int, limit: int) -> Problem:
    message = f"The patch is too large: {size} characters, and the limit is {limit}."
    return Problem("patch_parse_error", message, details={"size": size, "limit": limit}, hint="Send it in parts.")
