"""Reading SEARCH/REPLACE blocks, as Aider, Cline and Roo Code define them and as models write them.

The grammar::

    block   := search hint* line* divider line* replace
    search  := ("<<<<<<< SEARCH" | "------- SEARCH") [" line=" number]
    hint    := ":start_line:" number | ":end_line:" number | "-------"
    divider := "======="
    replace := ">>>>>>> REPLACE" | "+++++++ REPLACE"

Both parts are whole lines, so a block is a hunk: lines in both parts are context, the others are removed and added.
Markers may be shorter or longer. A block without lines to search for adds a file.
"""

from __future__ import annotations

import re

from ..core.advice import Copy
from ..core.line_diff import changed_blocks
from ..core.patch import AddFile, Hunk, UpdateFile
from .blocks import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..core.patch import Operation
    from .sections import ParserState

SEARCH, DIVIDER, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_OPENING = re.compile(r"((?:<{3,}|-{5,}) ?(?:SEARCH|ORIGINAL)>?:?)(?: line=\"?(\d{1,9})\"?>?)?\s*")
_CLOSING = re.compile(r"(?:>{3,}|\+{5,}) ?(?:REPLACE|UPDATED)>?(?:\]\]>)?(?:</\w{1,20}>){0,3}\s*")
_DIVIDER = re.compile(r"={3,}\s*")
_HINT = re.compile(r":(start|end)_line:\s*(\d{1,9})\s*")
#: The openings and closings that take no concession.
_EXACT = {SEARCH, REPLACE, "------- SEARCH", "+++++++ REPLACE"}
#: A line this short may be in many places: that one block adds it and another searches for it means nothing.
_SHORT = 6
_ESCAPES = ("\\<<<<<<<", "\\=======", "\\>>>>>>>", "\\-------", "\\+++++++")


def opens_block(line: str) -> bool:
    """Whether a line opens a block."""
    return line[:1] in ("<", "-") and len(line) < 100 and _OPENING.fullmatch(line) is not None


def is_marker(line: str) -> bool:
    """Whether a line of a file would be read as a marker, or as the escape of one."""
    text = line.strip()
    return opens_block(text) or _closes(text) or line.startswith(_ESCAPES) or _HINT.fullmatch(text) is not None


def _closes(line: str) -> bool:
    return line[:1] in (">", "+") and len(line) < 100 and _CLOSING.fullmatch(line) is not None


class SearchReplaceBlock(Block):
    """One block, from its opening to its closing marker."""

    form = "search-replace"
    name = "a SEARCH/REPLACE block"

    def __init__(self, state: ParserState, path: str, opening: str) -> None:
        super().__init__(state)
        self.path = path
        self._lines: list[str] = []
        self._hint: int | None = None
        self._has_hints = False
        self._closed = False
        marker = _OPENING.fullmatch(opening)
        if marker is not None and marker[2]:
            # Zed writes the line that the text to find begins with.
            self._hint = int(marker[2])
            opening = marker[1]
        if opening not in _EXACT:
            state.concede("marker_spelling")

    @property
    def is_complete(self) -> bool:
        """Whether the closing marker was read."""
        return self._closed

    def read(self, line: str) -> bool:
        """Take a line; False at the opening of another block."""
        if _closes(line):
            self._closed = True
            if line.rstrip() not in _EXACT:
                self.state.concede("marker_spelling")
            return True
        if opens_block(line):
            return False
        if not self._lines and line[:1] in (":", "-"):
            if hint := _HINT.fullmatch(line):
                self._has_hints = True
                self._hint = int(hint[2]) if hint[1] == "start" else self._hint
                return True
            if self._has_hints and line.rstrip() == "-------":
                return True
        self._lines.append(line)
        return True

    def operations(self) -> Sequence[Operation]:
        """The operation so far; before the divider there is none."""
        exact = next((index for index, line in enumerate(self._lines) if line == DIVIDER), None)
        return () if exact is None or not self.path else self._operation(self._lines[:exact], self._lines[exact + 1 :])

    def finish(self) -> Sequence[Operation]:
        """The operation that the block stands for."""
        if not self._closed:
            again = Copy("the whole block again, and keep the closing marker on a line of its own.")
            self.error(f"This SEARCH/REPLACE block has no {REPLACE}; it may have been cut off.", again)
            return ()
        divider = self._find_divider()
        if divider is None:
            return ()
        if not self.path:
            hint = "Write the path of the file on the line above the block."
            self.error("This SEARCH/REPLACE block names no file.", hint, reason="no_path")
            return ()
        old, new = self._lines[:divider], self._lines[divider + 1 :]
        if not any(map(str.strip, old)) and not new:
            self.error("This SEARCH/REPLACE block is empty.", "Fill in the lines to find and their replacement.")
            return ()
        return self._operation(old, new)

    def _find_divider(self) -> int | None:
        """The index of the only line that can divide the parts."""
        exact = [index for index, line in enumerate(self._lines) if line.rstrip() == DIVIDER]
        candidates = exact or [index for index, line in enumerate(self._lines) if _DIVIDER.fullmatch(line)]
        if len(candidates) == 1:
            if not exact:
                self.state.concede("marker_spelling", self.line)
            return candidates[0]
        if not candidates:
            message = f"This SEARCH/REPLACE block has no {DIVIDER} between its two parts."
            self.error(message, f"Put a line with {DIVIDER} between the lines to find and their replacement.")
            return None
        lines = ", ".join(str(self.line + 1 + index) for index in candidates[:5])
        message = f"This SEARCH/REPLACE block has {len(candidates)} lines that could divide its parts: lines {lines}."
        hint = f"Write each {DIVIDER} that belongs to the file as \\{DIVIDER}, or use a patch or a diff instead."
        self.error(message, hint)
        return None

    def _operation(self, old: Sequence[str], new: Sequence[str]) -> Sequence[Operation]:
        old, new = ([line[1:] if line.startswith(_ESCAPES) else line for line in part] for part in (old, new))
        if not any(map(str.strip, old)):
            return (AddFile(self.path, "".join([f"{line}\n" for line in new]), self.line),)
        hunk = Hunk(tuple(hunk_lines(old, new)), line_hint=self._hint, line=self.line, is_block=True)
        return (UpdateFile(self.path, (hunk,), None, self.line),)


def hunk_lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The lines of a hunk that turns some lines into others."""
    lines: list[str] = []
    position = 0
    for old_start, old_end, new_start, new_end in changed_blocks(old, new):
        lines += [f" {line}" for line in old[position:old_start]]
        lines += [f"-{line}" for line in old[old_start:old_end]]
        lines += [f"+{line}" for line in new[new_start:new_end]]
        position = old_end
    return lines + [f" {line}" for line in old[position:]]


def join_blocks(operations: Sequence[Operation]) -> list[Operation]:
    """Blocks of the same file as one update, in order.

    A block that searches for a line which a block before it adds is applied after that one, as an update of its own.
    """
    joined: list[Operation] = []
    # The hunks of each update, by its index; they are put together at the end, so that many blocks take linear time.
    hunks: dict[int, list[Hunk]] = {}
    # The index of the last operation on each path, and the lines that the blocks of the last update add.
    last_index: dict[str, int] = {}
    added: dict[str, set[str]] = {}
    for operation in operations:
        path = operation.path
        if not isinstance(operation, UpdateFile):
            last_index[path] = len(joined)
            joined.append(operation)
            continue
        index = last_index.get(path, -1)
        follows_update = index in hunks
        if follows_update and not _searches_for(operation, added[path]):
            hunks[index] += operation.hunks
        else:
            last_index[path], added[path] = len(joined), set()
            hunks[len(joined)] = list(operation.hunks)
            joined.append(operation)
        added[path].update([line for hunk in operation.hunks for line in hunk.added])
    for index, all_hunks in hunks.items():
        joined[index] = joined[index].replace(hunks=tuple(all_hunks))
    return joined


def _searches_for(operation: UpdateFile, added: Container[str]) -> bool:
    """Whether a block searches for one of the lines that others add; a short line says nothing."""
    lines = [line for hunk in operation.hunks for line in hunk.old]
    return any(len(line.strip()) > _SHORT and line in added for line in lines)
