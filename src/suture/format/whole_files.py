"""Reading whole files: a fenced block below its path. Only on request, because any example looks like one."""

from __future__ import annotations

from ..core.advice import Copy
from ..core.patch import ChangeFile, WriteFile
from ..core.text_changes import AppendText, Sketch
from .blocks import Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation
    from .sections import ParserState

#: Languages of fences that are commands to run, unless the path is that of a script.
SHELLS = frozenset("bash sh shell console zsh fish powershell ps1 cmd bat terminal shell-session".split())
_SCRIPTS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")


def is_command(info: str, path: str) -> bool:
    """Whether a fence shows commands to run and not the content of a file."""
    language = info.strip().partition(" ")[0].partition(":")[0].lower()
    return language in SHELLS and not path.endswith(_SCRIPTS)


class WholeFileBlock(Block):
    """The content of one file, up to the end of its fence."""

    form = "whole"
    name = "a whole file"
    takes_fence_end = True

    def __init__(self, state: ParserState, path: str, mark: str) -> None:
        super().__init__(state)
        self.path = path
        self._mark = mark
        self._lines: list[str] = []
        self._nested = 0
        self._closed = False

    @property
    def is_complete(self) -> bool:
        """Whether the closing fence was read."""
        return self._closed

    def read(self, line: str) -> bool:
        """Take a line. A fence with a language inside, as in a Markdown file, needs a closing fence of its own."""
        text = line.rstrip()
        if text.startswith(self._mark):
            bare = not text.strip(self._mark[0])
            if bare and not self._nested:
                self._closed = True
                return True
            self._nested += -1 if bare else 1
        self._lines.append(line)
        return True

    def operations(self) -> Sequence[Operation]:
        """The file so far."""
        return (WriteFile(self.path, "".join([f"{line}\n" for line in self._lines]), self.line),)

    def finish(self) -> Sequence[Operation]:
        """The file, or its sketch."""
        if not self._closed:
            hint = Copy("the whole file again, and close the fence.")
            self.error(f"The fence of {self.path} is not closed; the file may have been cut off.", hint)
            return ()
        return self.operations()


class SavedFileBlock(WholeFileBlock):
    """A file as gptme saves it, or what it appends to one: a fence whose language is the name of the tool."""

    form = "json"
    name = "a call in a fence"

    def __init__(self, state: ParserState, path: str, mark: str, *, appends: bool) -> None:
        super().__init__(state, path, mark)
        self._appends = appends

    def operations(self) -> Sequence[Operation]:
        """The change, once it is complete."""
        if not self._closed:
            return ()
        text = "".join([f"{line}\n" for line in self._lines])
        return (
            ChangeFile(self.path, AppendText(text), self.line)
            if self._appends
            else WriteFile(self.path, text, self.line),
        )


class SketchBlock(WholeFileBlock):
    """The sketch of one file, up to the end of its fence."""

    form = "sketch"
    name = "a sketch"

    def operations(self) -> Sequence[Operation]:
        """The sketch so far."""
        return (ChangeFile(self.path, Sketch("\n".join(self._lines) + "\n"), self.line),)
