"""Reading unified diffs of several files, as git and `diff -u` write them and as models do.

Line numbers are hints. The counts in a hunk's header are trusted only as far as the lines agree: models count badly, so
a hunk goes on while its lines look like lines of a hunk. The text after the second `@@` is no anchor, except where
there are no numbers before it.
"""

from __future__ import annotations

import re

from ..core.dialect import NO_NEWLINE, PREFIXES
from ..core.patch import AddFile, DeleteFile, UpdateFile
from .blocks import Block
from .diff_hunks import make_hunk
from .diff_names import NOWHERE, DiffError, names_of
from .markers import read_hunk_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk, Operation
    from .sections import ParserState

#: The lines above the hunks of a file that git and others write.
_HEAD = (
    "diff -", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ",
    "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ ", "Binary files ",
    "GIT binary patch", "Index: ", "=====", "Only in ",
)  # fmt: skip
#: Modes of links and submodules, which a patch can't express.
_LINKS = tuple([f"{which} mode {mode}" for which in ("new", "new file", "old") for mode in ("120000", "160000")])
#: What git writes above the diff of a deleted file that was empty: such a diff has no hunk.
_EMPTY_FILE = re.compile(r"index e69de29[0-9a-f]*\.\.0+\b")
_BAD_NUMBERS = re.compile(r"[-+?,.…\d\sxXyYnNlL]*")


def opens_diff(line: str) -> bool:
    """Whether a line alone opens a diff: a git header, or a hunk header with numbers."""
    return line.startswith(("diff --git ", "Index: ", "diff --cc ")) or read_hunk_header(line) is not None


class UnifiedBlock(Block):
    """The files of a diff, up to the first line that belongs to none."""

    form = "unified"
    name = "a unified diff"
    ends_with_fence = True

    def __init__(self, state: ParserState, path: str = "", *, fenced: bool = False, strip: int | None = None) -> None:
        super().__init__(state)
        self._path = path
        self._fenced = fenced
        self._strip = strip
        self._done: list[Operation] = []
        self._held: list[str] = []
        self._binary_body = False
        self._open_file()

    def _open_file(self) -> None:
        self._file_line = self.state.number
        self._head: list[str] = []
        self._hunks: list[tuple[int | None, bool, tuple[str, ...], list[str], int]] = []
        self._lines: list[str] | None = None
        #: How many old and new lines are left by the hunk's header; None if it does not say.
        self._left: list[int] | None = None
        self._blanks = 0

    # Lines.

    def read(self, line: str) -> bool:
        """Take a line; False if no line of a diff can be there."""
        if self._held:
            return self._read_after_names(line)
        plain = line.rstrip("\r")
        if plain.startswith(("diff --git ", "diff --cc ")):
            self._next_file()
        elif self._lines is not None:
            return self._read_in_hunk(line, plain)
        elif self._binary_body and plain:
            return True
        elif plain.startswith("@@"):
            self._open_hunk(plain)
            return True
        self._binary_body = False
        return self._read_head(plain, line)

    def _read_head(self, plain: str, line: str) -> bool:
        if self._hunks and plain.startswith(("--- ", "Index: ", "diff -")):
            self._next_file()
        if plain.startswith(_HEAD) and not self._hunks:
            if plain.startswith("--- ") and any(one.startswith("--- ") for one in self._head):
                self._next_file()
            self._binary_body = plain.startswith("GIT binary patch")
            if plain.startswith("+++ ") and self._head and not _belongs(self._head, plain):
                # A file without hunks has a header alone.
                old = self._head.pop()
                self._next_file()
                self._head.append(old)
            self._head.append(line)
            return True
        if self._fenced and plain and plain[0] in PREFIXES and not self._hunks and not self._done:
            # A fenced diff without any header.
            self._open_hunk("@@")
            return self._read_in_hunk(line, plain)
        return not plain and (self._fenced or bool(self._head))

    def _read_in_hunk(self, line: str, plain: str) -> bool:
        lines, left = self._lines, self._left
        assert lines is not None, "BUG: a hunk is open"
        first = line[:1]
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
        elif not plain:
            self._read_blank()
        elif plain.startswith(_HEAD) and plain.startswith(("Index: ", "diff -")):
            self._next_file()
            return self._read_head(plain, line)
        elif (left is not None and left[0] > 0 and left[1] > 0) or (left is None and self._fenced):
            self.state.concede("bare_line")
            self._append(f" {line}")
        else:
            self._close_hunk()
            return False
        return True

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
            left[0] -= line[0] != "+" and left[0] > 0
            left[1] -= line[0] != "-" and left[1] > 0

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
        self._left = None
        empty = False
        if numbers is not None and numbers.closed:
            start = numbers.old_start
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
        self._hunks.append((start, empty, anchors, self._lines, self.state.number))

    def _close_hunk(self) -> None:
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
        hunks = [one for one in self._hunks if one[3]]
        head = [line.rstrip("\r") for line in self._head]
        try:
            old, new = names_of(head, self._path, self._strip)
            return self._operation(old, new, head, hunks, report=report)
        except DiffError as error:
            if report:
                self.error(f"{error}", error.hint, number=self._file_line, reason=error.reason)
        return ()

    def _operation(
        self,
        old: str,
        new: str,
        head: Sequence[str],
        written: Sequence[tuple[int | None, bool, tuple[str, ...], list[str], int]],
        *,
        report: bool,
    ) -> Sequence[Operation]:
        name = new if new != NOWHERE else old
        _refuse_special(name, head)
        _check_line_endings(name, self._head, [one[3] for one in written], is_new=old == NOWHERE)
        hunks = tuple([make_hunk(start, lines, anchors, line) for start, _, anchors, lines, line in written])
        is_new = old == NOWHERE or any(line.startswith("new file mode ") for line in head)
        if not is_new and len(written) == 1 and written[0][1] and not hunks[0].old and new != NOWHERE:
            # The header says that there is no line before: models forget /dev/null.
            is_new = True
            if report:
                self.state.concede("new_file_header", written[0][4])
        line = self._file_line
        if is_new:
            return (AddFile(new, _content(new, hunks, "+"), line),)
        if new == NOWHERE or any(line.startswith("deleted file mode ") for line in head):
            is_known = hunks or any(_EMPTY_FILE.match(line) for line in head)
            return (DeleteFile(old, line, _content(old, hunks, "-") if is_known else None),)
        if report and any(one.startswith(("old mode ", "new mode ")) for one in head):
            self.state.concede("file_mode", line)
        if not hunks and old == new:
            if report and not any(one.startswith(("old mode ", "new mode ")) for one in head):
                message = f"The diff of {name} has no hunks."
                raise DiffError(message, "Add its hunks, or leave the file out.")
            return ()  # only the mode changed
        return (UpdateFile(old, hunks, new if new != old else None, line),)


def _belongs(head: Sequence[str], new: str) -> bool:
    """Whether two name lines belong to the git header above them."""
    git, old = head[0], head[-1]
    if not git.startswith("diff --git ") or not old.startswith("--- "):
        return True
    names = [line[4:].rstrip("\t\r\n ") for line in (old, new)]
    return any(f" {name} " in f"{git.rstrip()} " for name in names)


def _refuse_special(name: str, head: Sequence[str]) -> None:
    """Refuse what a patch can't express: binary files, links, submodules, copies."""
    what = ""
    if any(line.startswith(("Binary files ", "GIT binary patch")) for line in head):
        what = f"{name} is a binary file"
    elif any(
        line.startswith(_LINKS) or (line.startswith("index ") and line.endswith((" 120000", " 160000")))
        for line in head
    ):
        what = f"{name} is a symbolic link or a submodule"
    elif any(line.startswith("copy from ") for line in head):
        what = f"{name} is a copy of another file"
    if what:
        message = f"The diff can't be read as edits: {what}."
        raise DiffError(message, "Leave this file out, or use git apply.", reason="not_text")


def _content(name: str, hunks: Sequence[Hunk], prefix: str) -> str:
    """The content of a new or a deleted file, all of whose lines have the same prefix."""
    lines = [line for hunk in hunks for line in hunk.lines]
    which, side = ("new", "new") if prefix == "+" else ("deleted", "old")
    # A blank line of a deleted file may have lost its prefix: it can't stay.
    if any(line[0] != prefix and (prefix == "+" or line != " ") for line in lines):
        message = f"The diff of the {which} file {name} has lines without a {prefix}."
        raise DiffError(message, f"Start every line of a {which} file with {prefix}.")
    content = "".join([f"{line[1:]}\n" for line in lines])
    return content[:-1] if hunks and hunks[-1].no_newline in (side, "both") else content


def _check_line_endings(name: str, head: Sequence[str], hunks: Sequence[Sequence[str]], *, is_new: bool) -> None:
    """Check that a patch can express the line endings of a file: added lines take the endings of their file."""
    if head and head[0].endswith("\r"):
        return  # the diff itself has CRLF line endings
    ended = [
        one
        for lines in hunks
        for one, after in zip(lines, [*lines[1:], ""], strict=True)
        if one[:1] != "\\" and after[:1] != "\\"
    ]
    ends = {line.endswith("\r") for line in ended if line.strip(" ")}
    if len(ends) == 2 or (is_new and True in ends):
        which = "is new and has CRLF line endings" if len(ends) == 1 else "has mixed line endings"
        message = f"The diff can't be read as edits: {name} {which}."
        raise DiffError(message, "Leave this file out, or use git apply.")
