"""Commands in plain text.

SWE-agent writes `edit 6:8`, the new lines, and `end_of_edit`, for the file that it has opened before, or with other
tools `edit "old" "new"` and `str_replace_editor str_replace app.py --old_str "old" --new_str "new"`. Hashline writes
`[src/app.py#1A2B]` with the tag of a file, and below it commands such as `SWAP 3.=5:` with the new lines behind a `+`.
The tag is a short hash by a rule that differs between versions, so that it confirms nothing: the numbers are weak
claims, like all others.
"""

from __future__ import annotations

import re
import shlex

from ..core.advice import Copy
from ..core.patch import ChangeFile
from ..core.text_changes import AppendText, InsertLines, ReplaceLines
from .blocks import Block
from .call_arguments import CallError
from .format_limits import LONGEST_CALL, MOST_TRIES
from .numbered_order import from_last_line
from .tool_calls import operations_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.patch import Operation
    from ..core.text_changes import LineChange
    from .sections import ParserState
    from .tool_calls import CallLog

_QUOTED = re.compile(r"\s*(?:str_replace_editor +(?:str_replace|create|insert|undo_edit|view)\b|edit +[\"'])")
_EDIT = re.compile(r"\s*edit (\d{1,9}):(\d{1,9})\s*$")
_END_OF_EDIT = "end_of_edit"
_HEADER = re.compile(r"\[([^\[\]#\n]{1,1000})#[0-9A-Za-z]{2,16}\]\s*$")
_COMMAND = re.compile(
    r"(?P<name>SWAP|DEL|INS\.PRE|INS\.POST|INS\.HEAD|INS\.TAIL)"
    r"(?: +(?P<first>\d{1,9})(?: *\.= *(?P<last>\d{1,9}))?)? *:? *$"
)


def command_block(line: str, state: ParserState, log: CallLog, take_path: Callable[[], str]) -> Block | None:
    """The block that a line begins: a command of SWE-agent, or a section of hashline."""
    if ("edit " in line or "str_replace_editor " in line) and _QUOTED.match(line) is not None:
        return QuotedCommandBlock(state, log, take_path)
    if "edit " in line and _EDIT.match(line) is not None:
        return EditCommandBlock(state, take_path())
    if line[:1] == "[" and "#" in line and _HEADER.match(line) is not None:
        return HashlineBlock(state)
    return None


class QuotedCommandBlock(Block):
    """A command of SWE-agent with its texts in quotes, up to the line on which the last one is closed.

    A line that only looks like one, such as a sentence, is prose.
    """

    form = "json"
    name = "an edit command"

    def __init__(self, state: ParserState, log: CallLog, take_path: Callable[[], str]) -> None:
        super().__init__(state)
        self._log = log
        self._take_path = take_path
        self._lines: list[str] = []
        self._size = self._tries = 0
        self._words: list[str] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every quote is closed."""
        return self._words is not None

    def read(self, line: str) -> bool:
        """Take a line, and split the command where it may be complete."""
        self._lines.append(line)
        self._size += len(line) + 1
        may_end = len(self._lines) == 1 or "'" in line or '"' in line
        if may_end and self._tries < MOST_TRIES and self._size <= LONGEST_CALL:
            self._tries += 1
            try:
                self._words = shlex.split("\n".join(self._lines))
            except ValueError:
                self._words = None
        return True

    def operations(self) -> Sequence[Operation]:
        """The operations; only the end of the block tells the file of an `edit` command."""
        return ()

    def finish(self) -> Sequence[Operation]:
        """The operations of the command."""
        call = self._call() if self._words is not None else None
        if call is None:
            if self._words is None or len(self._lines) > 1:
                hint = Copy("the whole command again, and close its quotes.")
                self.error("This edit command is not complete; it may have been cut off.", hint)
            return ()
        try:
            return operations_in([call], self.line, self._log)
        except CallError as error:
            self.error(str(error), error.hint)
        return ()

    def _call(self) -> dict[str, object] | None:
        """The command as a call; None if it is something else."""
        match self._words or []:
            case ["edit", old, new]:
                return {"name": "edit", "input": {"path": self._take_path(), "search": old, "replace": new}}
            case ["edit", old, new, ("replace-all" | "true" | "false") as word]:
                texts = {"path": self._take_path(), "search": old, "replace": new}
                return {"name": "edit", "input": {**texts, "replace-all": word != "false"}}
            case ["edit", *_]:
                return None
            case [tool, command, path, *options]:
                names, values = options[::2], options[1::2]
                if len(names) != len(values) or not all(name.startswith("--") for name in names):
                    return None
                named = {name.removeprefix("--"): value for name, value in zip(names, values, strict=True)}
                return {"name": tool, "input": {"command": command, "path": path, **named}}
        return None


class EditCommandBlock(Block):
    """One `edit` command of SWE-agent, from its line to `end_of_edit`."""

    form = "json"
    name = "an edit command"

    def __init__(self, state: ParserState, path: str) -> None:
        super().__init__(state)
        self._path = path
        self._lines: list[str] = []
        self._range: tuple[int, int] | None = None
        self._has_end = False

    def read(self, line: str) -> bool:
        """Take a line."""
        command = _EDIT.match(line) if self._range is None else None
        if command is not None:
            self._range = int(command[1]), int(command[2])
        elif line.strip() == _END_OF_EDIT:
            self._has_end = True
        else:
            self._lines.append(line)
        return True

    @property
    def is_complete(self) -> bool:
        """Whether its end has been read."""
        return self._has_end

    def operations(self) -> Sequence[Operation]:
        """The replacement of the lines, once it is complete."""
        if self._range is None or not self._path or not self._has_end:
            return ()
        text = "".join([f"{line}\n" for line in self._lines])
        return [ChangeFile(self._path, ReplaceLines(text, *self._range), self.line)]

    def finish(self) -> Sequence[Operation]:
        """The replacement; an error if the command has no end, or no file is open."""
        if not self._has_end:
            self.error(f"The edit command has no line {_END_OF_EDIT}; it may have been cut off.", "Send all of it.")
        elif not self._path:
            hint = "Name the file in a line above it, such as: open src/app.py"
            self.error("The edit command names no file.", hint, reason="no_path")
        return self.operations()


class HashlineBlock(Block):
    """A section of hashline: a line with a path and a tag, then commands. Without commands it is prose."""

    form = "json"
    name = "a hashline section"
    ends_with_fence = True

    def __init__(self, state: ParserState) -> None:
        super().__init__(state)
        self._path = ""
        self._commands: list[tuple[str, int, int, list[str]]] = []

    def read(self, line: str) -> bool:
        """Take a line; False if it is none of the section."""
        header = _HEADER.match(line) if not self._path else None
        if header is not None:
            self._path = header[1].strip()
            return True
        command = _COMMAND.match(line)
        if command is not None:
            first = int(command["first"] or 0)
            self._commands.append((command["name"], first, int(command["last"] or first), []))
            return True
        if line.startswith("+") and self._commands:
            self._commands[-1][3].append(line[1:])
            return True
        return False

    def operations(self) -> Sequence[Operation]:
        """The changes, the last one first, because all numbers are about the file before them."""
        changes = [self._change(*command) for command in self._commands]
        return from_last_line([ChangeFile(self._path, change, self.line) for change in changes if change is not None])

    def _change(self, name: str, first: int, last: int, lines: Sequence[str]) -> LineChange | None:
        text = "".join([f"{line}\n" for line in lines])
        if name == "INS.HEAD":
            return InsertLines(text, 0)
        if name == "INS.TAIL":
            return AppendText(text)
        if not first:
            return None
        if name == "INS.PRE":
            return InsertLines(text, first - 1)
        if name == "INS.POST":
            return InsertLines(text, first)
        return ReplaceLines(text if name == "SWAP" else "", first, last)

    def finish(self) -> Sequence[Operation]:
        """The changes; an error for a command that lacks its lines or its numbers."""
        for name, first, last, lines in self._commands:
            needs_number = name not in ("INS.HEAD", "INS.TAIL")
            if needs_number and not 0 < first <= last:
                self.error(f"The hashline command {name} has no line numbers that make a range.", "Send all of it.")
            elif name != "DEL" and not lines:
                self.error(f"The hashline command {name} {first} has no lines.", "Send its lines, each behind a +.")
            elif name == "DEL" and lines:
                self.error(f"The hashline command DEL {first} has lines.", "Use SWAP to replace lines.")
        return self.operations()
