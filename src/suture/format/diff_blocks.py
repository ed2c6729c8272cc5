"""Reading unified diffs of several files, as git and `diff -u` write them and as models do.

Line numbers are hints. The counts in a hunk's header are trusted only as far as the lines agree: models count badly, so
a hunk goes on while its lines look like lines of a hunk. The text after the second `@@` is the heading of the hunk, or,
where there are no numbers before it, an anchor.
"""

from __future__ import annotations

import re
from itertools import chain

from ..core.dialect import NO_NEWLINE, PREFIXES
from ..core.hunk_header import read_hunk_header
from ..core.patch import EXECUTABLE, PLAIN, AddFile, DeleteFile, UpdateFile
from .blocks import Block
from .diff_heads import GIT_BINARY, HEAD, DiffHead, mode_of
from .diff_hunks import WrittenHunk, make_hunks
from .diff_names import NOWHERE, DiffError, is_binary_line, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from ..core.patch import Mode, Operation
    from .sections import ParserState

    #: Whether the file of a path is left out.
    Exclude: TypeAlias = Callable[[str], bool]

_BINARY_BODY = re.compile(r"(?:literal|delta) \d+")
_BAD_NUMBERS = re.compile(r"[-+?,.…\d\sxXyYnNlL]*")


def opens_diff(line: str) -> bool:
    """Whether a line alone opens a diff: a git header, a hunk header with numbers, or that binary files differ."""
    is_header = line.startswith(("diff --git ", "Index: ", "diff --cc "))
    # Without the names of two sides, it may be prose.
    is_binary = is_binary_line(line) and (" a/" in line or '"a/' in line or f" {NOWHERE} " in line)
    return is_header or is_binary or read_hunk_header(line) is not None


class UnifiedBlock(Block):
    """The files of a diff, up to the first line that belongs to none."""

    form = "unified"
    name = "a unified diff"
    ends_with_fence = True

    def __init__(
        self,
        state: ParserState,
        path: str = "",
        *,
        fenced: bool = False,
        strip: int | None = None,
        exclude: Exclude | None = None,
    ) -> None:
        super().__init__(state)
        self._path = path
        self._fenced = fenced
        self._strip = strip
        self._exclude = exclude
        self._done: list[Operation] = []
        self._deleted: set[str] = set()
        self._held: list[str] = []
        self._binary_body = False
        self._open_file()

    def _open_file(self) -> None:
        self._file_line = self.state.number
        self._head: list[str] = []
        self._hunks: list[WrittenHunk] = []
        self._lines: list[str] | None = None
        #: How many old and new lines are left by the hunk's header; None if it does not say.
        self._left: list[int] | None = None
        self._blanks = 0
        #: Lines without a prefix below a blank one: context if the hunk goes on, and prose if it does not.
        self._bare: list[str] = []

    # Lines.

    def is_ended_by(self, line: str, fence: str) -> bool:
        """Whether a line is the end of the fence around the diff, and no context of a hunk, as in one of Markdown."""
        is_context = self._lines is not None and line.startswith(" ")
        return super().is_ended_by(line, fence) and not is_context

    def read(self, line: str) -> bool:
        """Take a line; False if no line of a diff can be there."""
        if self._held:
            return self._read_after_names(line)
        plain = line.rstrip("\r")
        if plain.startswith(("diff --git ", "diff --cc ")):
            self._next_file()
        elif self._lines is not None:
            return self._read_in_hunk(line, plain)
        elif (self._binary_body and plain) or self._opens_binary_body(plain):
            self._binary_body = True
            return True
        elif plain.startswith("@@"):
            self._open_hunk(plain)
            return True
        self._binary_body = False
        return self._read_head(plain, line)

    def _opens_binary_body(self, plain: str) -> bool:
        """Whether a line opens one of the two contents of a binary file that git writes."""
        return bool(self._head) and self._head[-1].startswith(GIT_BINARY) and _BINARY_BODY.fullmatch(plain) is not None

    def _read_head(self, plain: str, line: str) -> bool:
        """Take a line outside of hunks, `plain` without its CR; False if no line of a diff can be there."""
        begins_file = plain.startswith(("--- ", "Index: ", "diff -")) or is_binary_line(plain)
        is_whole = bool(self._hunks) or (bool(self._head) and is_binary_line(self._head[-1]))
        if begins_file and is_whole:
            self._next_file()
        if plain.startswith(HEAD) and not self._hunks:
            if plain.startswith("--- ") and self._has_old_name():
                self._next_file()
            self._binary_body = plain.startswith(GIT_BINARY)
            if plain.startswith("+++ ") and self._head and not _belongs(self._head, plain):
                # A file without hunks has a header alone.
                old_name = self._head.pop()
                self._next_file()
                self._head.append(old_name)
            self._head.append(line)
            return True
        is_first_hunk = not self._hunks and not self._done
        if self._fenced and is_first_hunk and plain and plain[0] in PREFIXES:
            # A fenced diff without any header.
            self._open_hunk("@@")
            return self._read_in_hunk(line, plain)
        return not plain and (self._fenced or bool(self._head))

    def _has_old_name(self) -> bool:
        return any(line.startswith("--- ") for line in self._head)

    def _read_in_hunk(self, line: str, plain: str) -> bool:
        """Take a line in a hunk, `plain` without its CR; False if no line of a diff can be there."""
        lines, left = self._lines, self._left
        assert lines is not None, "BUG: a hunk is open"
        first = line[:1]
        is_certain = bool(first) and (first in PREFIXES or plain.startswith(("@@", "\\ ")))
        if self._bare and is_certain:
            self._keep_bare()
        if plain.startswith("--- ") and left != [0, 0]:
            self._held.append(line)
        elif first in PREFIXES and first:
            if left == [0, 0] and (plain in {"-- ", "--"} or plain.startswith("--- ")):
                # The signature of a mail, or the next file.
                self._close_hunk()
                return (plain.startswith("--- ") and self.read(line)) or plain in {"-- ", "--"}
            self._append(line)
        elif line.startswith("\\ ") or plain == NO_NEWLINE:
            lines.append(line)
        elif plain.startswith("@@"):
            self._close_hunk()
            self._open_hunk(plain)
        elif not plain and self._bare:
            self._bare.append("")
        elif not plain:
            self._read_blank()
        elif plain.startswith(("Index: ", "diff -")) or is_binary_line(plain):
            self._next_file()
            return self._read_head(plain, line)
        elif (left is not None and left[0] > 0 and left[1] > 0) or (left is None and self._fenced):
            if self._bare or (not self._fenced and lines[-1:] == [" "]):
                self._bare.append(line)
            else:
                self.state.concede("bare_line")
                self._append(f" {line}")
        else:
            self._close_hunk()
            return False
        return True

    def _keep_bare(self) -> None:
        """Take the lines that were held as context: the hunk goes on below them."""
        bare, self._bare = self._bare, []
        for line in bare:
            if line:
                self.state.concede("bare_line")
            self._append(f" {line}")

    def _read_after_names(self, line: str) -> bool:
        """Decide whether `--- x` in a hunk is a removed line or the names of the next file."""
        held = self._held
        if len(held) == 1 and line.startswith("+++ "):
            held.append(line)
            return True
        is_header = len(held) == 2 and line.startswith("@@") and self._left != [1, 1]
        self._release(is_header=is_header)
        return self.read(line)

    def _release(self, *, is_header: bool) -> None:
        held, self._held = self._held, []
        if is_header:
            self._next_file()
            self._head += held
        else:
            for line in held:
                self._append(line)

    def _append(self, line: str) -> None:
        lines, left = self._lines, self._left
        assert lines is not None, "BUG: a hunk is open"
        if self._blanks:
            lines += [" "] * self._blanks
            self._blanks = 0
        lines.append(line)
        if left is not None:
            # How many old and new lines the header of the hunk still announces.
            if line[0] != "+" and left[0] > 0:
                left[0] -= 1
            if line[0] != "-" and left[1] > 0:
                left[1] -= 1

    def _read_blank(self) -> None:
        """Read an empty line: context that lost its space, as editors and models write it, or the end of the hunk."""
        if self._left == [0, 0]:
            self._close_hunk()
        elif self._left is not None and min(self._left) > 0:
            self._append(" ")
        else:
            self._blanks += 1

    # Hunks and files.

    def _open_hunk(self, header: str) -> None:
        if header.startswith("@@@"):
            self.error("This is a combined diff of a merge, which has several old files.", "Use a diff of one parent.")
        numbers = read_hunk_header(header)
        start: int | None = None
        anchors: tuple[str, ...] = ()
        heading = ""
        self._left = None
        empty = False
        if numbers is not None and numbers.closed:
            start, heading = numbers.old_start, numbers.text.strip()
            empty = numbers.old_start == 0 and numbers.old_count == 0
            if "," in header[: header.find("@@", 2)]:
                self._left = [numbers.old_count, numbers.new_count]
        else:
            text = header.strip("@").strip()
            if not _BAD_NUMBERS.fullmatch(text):
                anchors = (text.rpartition("@@")[2].strip() or text,)
            if header.rstrip() != "@@" or not self._head:
                self.state.concede("hunk_header")
        self._lines = []
        self._blanks = 0
        self._hunks.append(WrittenHunk(start, empty, anchors, heading, self._lines, self.state.number))

    def _close_hunk(self) -> None:
        if self._bare and self._lines is not None:
            # Prose, although the header says that there are more lines: models count badly.
            self.state.concede("prose", self.state.number)
            del self._lines[-1]
            self._bare = []
        self._lines, self._left, self._blanks = None, None, 0

    def _next_file(self) -> None:
        self._close_hunk()
        self._done += self._file_operations(report=True)
        self._open_file()

    # Operations.

    def operations(self) -> Sequence[Operation]:
        """The operations so far, the last one as far as it has been read."""
        return [*self._done, *self._file_operations(report=False)]

    @property
    def has_all_lines(self) -> bool:
        """Whether the last hunk has as many lines as its header says."""
        return self._left == [0, 0]

    def finish(self) -> Sequence[Operation]:
        """The operations of all files."""
        if self._held:
            self._release(is_header=len(self._held) == 2 and self._left in (None, [0, 0]))
        self._next_file()
        return self._done

    def _file_operations(self, *, report: bool) -> Sequence[Operation]:
        if not self._head and not self._hunks:
            return ()
        hunks = [one for one in self._hunks if one.lines]
        lines = [line.rstrip("\r") for line in self._head]
        try:
            old, new = names_of(lines, self._path, self._strip)
            name = new if new != NOWHERE else old
            if self._exclude is not None and self._exclude(name):
                if report:
                    self.state.concede("excluded", self._file_line, name)
                return ()
            head = DiffHead(lines)
            head.refuse_special(name)
            if report:
                self._refuse_hunk_without_lines(name)
            return self._operations(old, new, head, hunks, report=report)
        except DiffError as error:
            if report:
                self.error(f"{error}", error.hint, number=self._file_line, reason=error.reason)
        return ()

    def _refuse_hunk_without_lines(self, name: str) -> None:
        """Refuse a diff that ends with the header of a hunk: the answer was cut off there, or says it in another way.

        Raises:
            DiffError: it does.
        """
        last = self._hunks[-1] if self._hunks else None
        says_where = last is not None and (last.start is not None or last.anchors)
        if last is None or last.lines or not says_where:
            return
        message = f"The last hunk of {name}, at line {last.line}, has no lines: the diff may have been cut off."
        raise DiffError(message, "Send the whole diff again.")

    def _operations(
        self, old: str, new: str, head: DiffHead, written: Sequence[WrittenHunk], *, report: bool
    ) -> Sequence[Operation]:
        """What the diff of one file does: one operation, or none if nothing is left of it."""
        line = self._file_line
        if old == NOWHERE or head.new_file_mode:
            mode = self._mode(new, head.new_file_mode, report=report)
            if mode == PLAIN and new not in self._deleted:
                # A new file has this mode anyway.
                mode = ""
            return (AddFile(new, self._content(new, written, "+"), line, mode),)
        if new == NOWHERE or head.deleted_file_mode:
            self._deleted.add(old)
            # The diff of an empty file has no hunk.
            is_known = written or head.was_empty
            return (DeleteFile(old, line, self._content(old, written, "-") if is_known else None, head.blobs),)
        # In a diff that was itself sent with CRLF, the CR of a line says nothing about the file.
        is_crlf = bool(self._head) and self._head[0].endswith("\r")
        hunks = make_hunks(written, keep_endings=not is_crlf)
        mode = self._mode(new, head.new_mode, report=report)
        if mode == mode_of(head.old_mode):
            mode = ""
        is_first = len(written) == 1 and written[0].is_empty and not hunks[0].old
        if is_first and old == new and not head.had_lines:
            # The header says that there is no line before: models forget /dev/null, or the file is empty.
            return (AddFile(new, self._content(new, written, "+"), line, mode, onto_empty=True),)
        if not hunks and old == new and not mode:
            if report and not (head.old_mode or head.new_mode):
                message = f"The diff of {new} has no hunks."
                raise DiffError(message, "Add its hunks, or leave the file out.")
            return ()
        return (UpdateFile(old, hunks, new if new != old else None, line, mode, head.blobs, head.is_copy),)

    def _mode(self, name: str, written: str, *, report: bool) -> Mode:
        """The mode that git takes this one for, with a concession if that says less."""
        if report and written not in ("", PLAIN, EXECUTABLE):
            self.state.concede("file_mode", self._file_line, f"{written} of {name}")
        return mode_of(written)

    def _content(self, name: str, written: Sequence[WrittenHunk], sign: str) -> str:
        """The content of a new or a deleted file, all of whose lines have the same sign, with its line endings.

        Raises:
            DiffError: a line has another sign.
        """
        # Without a header, nothing tells whether the line endings are those of the file.
        strips_cr = not self._head or self._head[0].endswith("\r")
        content: list[str] = []
        for line in chain.from_iterable(hunk.lines for hunk in written):
            text = line.removesuffix("\r") if strips_cr else line
            # A blank line of a deleted file may have lost its sign: it can't stay.
            if text.startswith(sign) or (sign == "-" and not text.strip(" \r")):
                content.append(f"{text[1:]}\n")
            elif text.startswith("\\") and content:
                content[-1] = content[-1].removesuffix("\n")
            else:
                kind = "new" if sign == "+" else "deleted"
                message = f"The diff of the {kind} file {name} has lines without a {sign}."
                raise DiffError(message, f"Start every line of a {kind} file with {sign}.")
        return "".join(content)


def _belongs(head: Sequence[str], new: str) -> bool:
    """Whether two name lines belong to the git header above them."""
    git, old = head[0], head[-1]
    if not git.startswith("diff --git ") or not old.startswith("--- "):
        return True
    names = [line[4:].rstrip("\t\r\n ") for line in (old, new)]
    return any(f" {name} " in f"{git.rstrip()} " for name in names)
