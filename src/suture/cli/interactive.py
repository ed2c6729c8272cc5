"""`suture apply -i`: asks hunk by hunk, like `git add -p`, and gives the patch of what was accepted.

Questions go to the terminal, also where the patch came on standard input. Nothing is written here.
"""

from __future__ import annotations

import os
import sys

from ..envelope import parse
from ..patch import AddFile, DeleteFile, Patch
from ..problems import PatchInvalid, PatchRejected, Problem, SutureError
from .arguments import UsageError
from .screen import printable
from .shown import coloured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from ..patch import Hunk, Operation, UpdateFile
    from ..workspace.workspace import Workspace
    from .screen import Screen

HELP = """y - apply this hunk
n - don't apply it
a - apply it and all later ones of this file
d - apply neither it nor any later one of this file
e - edit it by hand, then apply it
q - stop asking: apply what was accepted so far, and nothing more
? - print this help"""
EDIT_NOTE = """# Change the lines of the hunk: a space in front for context, - for what goes and + for what comes.
# Lines that begin with # are left out. If nothing is left, the hunk is not applied.
"""


def choose(patch: str | Patch, workspace: Workspace, screen: Screen, *, from_stdin: bool) -> Patch:
    """The part of a patch that a person accepts.

    Raises:
        UsageError: there is nobody to ask.
        PatchRejected: nothing was accepted.
    """
    parsed = patch if isinstance(patch, Patch) else parse(patch, workspace.dialect)
    with _terminal(from_stdin=from_stdin) as terminal:
        asking = _Asking(workspace, screen, terminal)
        accepted = tuple([kept for operation in parsed.operations for kept in asking.operation(operation)])
    if not accepted:
        raise PatchRejected([Problem("rejected", "Nothing was accepted.")])
    return parsed.replace(operations=accepted)


def _terminal(*, from_stdin: bool) -> TextIO:
    try:
        if from_stdin or sys.stdin is None or not sys.stdin.isatty():
            return open("/dev/tty", encoding="utf-8", errors="replace")
        return os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")
    except OSError:
        message = "--interactive needs a terminal to ask on"
        raise UsageError(message) from None


class _Asking:
    """The questions about one patch."""

    def __init__(self, workspace: Workspace, screen: Screen, terminal: TextIO) -> None:
        self._workspace = workspace
        self._screen = screen
        self._terminal = terminal
        self._quit = False

    def operation(self, operation: Operation) -> Iterator[Operation]:
        """What is kept of one file section: all of it, a part, or nothing."""
        if self._quit:
            return
        if isinstance(operation, AddFile | DeleteFile) or not operation.hunks:
            yield from self._whole(operation)
        else:
            yield from self._hunks(operation)

    def _whole(self, operation: Operation) -> Iterator[Operation]:
        if isinstance(operation, AddFile):
            what = f"Add {printable(operation.path)}"
            lines = operation.content.removesuffix("\n").split("\n")
            self._show([f"+{line}" for line in lines[:40]] + (["…"] if len(lines) > 40 else []), what)
        elif isinstance(operation, DeleteFile):
            self._show([], f"Delete {printable(operation.path)}")
        else:
            self._show([], f"Move {printable(operation.path)} to {printable(operation.move_to or '')}")
        if self._ask("Apply this", "ynq") == "y":
            yield operation

    def _hunks(self, operation: UpdateFile) -> Iterator[Operation]:
        title = f"Update {printable(operation.path)}"
        self._show([], f"{title} and move it to {printable(operation.move_to)}" if operation.move_to else title)
        kept: list[Hunk] = []
        rest = ""
        for number, hunk in enumerate(operation.hunks, 1):
            if rest != "y" and not self._quit and rest != "n":
                place = self._place(operation, hunk)
                self._show(hunk.lines, f"Hunk {number} of {len(operation.hunks)}{place}", operation.path)
                answer = self._ask("Apply this hunk", "ynadeq")
                rest = {"a": "y", "d": "n"}.get(answer, "")
                if answer == "e":
                    edited = self._edited(hunk)
                    kept += [] if edited is None else [edited]
                elif answer in ("y", "a"):
                    kept.append(hunk)
            elif rest == "y":
                kept.append(hunk)
        if kept:
            yield operation.replace(hunks=tuple(kept))

    def _place(self, operation: UpdateFile, hunk: Hunk) -> str:
        """Where the hunk would go by itself, for the person to know."""
        try:
            plan = self._workspace.plan(Patch((operation.replace(hunks=(hunk,), move_to=None),)))
        except SutureError:
            return ""
        if plan.problems:
            first = printable(plan.problems[0].message).split("\n")[0]
            return self._screen.styled(f"\n{plan.problems[0].code}: {first}", "red")
        matches = [match for change in plan.changes for match in change.matches]
        return f", line {matches[0].start}" if matches else ""

    def _show(self, lines: list[str] | tuple[str, ...], title: str, path: str = "") -> None:
        self._screen.say(self._screen.styled(title, "bold"))
        if self._screen.colour and lines:
            for line in coloured(self._screen, "\n".join(lines), path):
                self._screen.say(line)
        else:
            for line in lines:
                self._screen.say(printable(line))

    def _ask(self, question: str, answers: str) -> str:
        """One of the answers; the end of the input is a `q`."""
        while True:
            shown = ",".join([*answers, "?"])
            self._screen.write(self._screen.styled(f"{question} [{shown}]? ", "blue"))
            line = self._terminal.readline()
            given = line.strip().lower()[:1]
            if not line or given == "q":
                self._quit = True
                if not line:
                    self._screen.say()
                return "q"
            if given and given in answers:
                return given
            for one in HELP.split("\n"):
                if one[0] in f"{answers}?":
                    self._screen.say(one)

    def _edited(self, hunk: Hunk) -> Hunk | None:
        """The hunk as the person's editor left it; asked again where it can't be read."""
        text = "\n".join(hunk.lines)
        while True:
            text = edit_text(f"{EDIT_NOTE}{text}\n")
            lines = [line for line in text.split("\n") if not line.startswith("#")]
            while lines and not lines[-1]:
                lines.pop()
            if not lines:
                return None
            try:
                return _read_hunk(hunk, lines)
            except PatchInvalid as invalid:
                self._screen.say(self._screen.styled(invalid.problems[0].message, "red"))
                if self._ask("Edit it again", "yn") != "y":
                    return None
            text = "\n".join(lines)


def _read_hunk(hunk: Hunk, lines: list[str]) -> Hunk:
    """The hunk with other lines.

    Raises:
        PatchInvalid: they are no hunk.
    """
    wrong = [line for line in lines if line[:1] not in (" ", "-", "+", "")]
    if wrong:
        message = f"A line of a hunk begins with a space, - or +; this one does not: {printable(wrong[0])}"
        raise PatchInvalid([Problem("patch_parse_error", message)])
    return hunk.replace(lines=tuple([line or " " for line in lines]), bare=())


def edit_text(text: str) -> str:
    """A text as the user's editor leaves it."""
    from shlex import split
    from subprocess import run
    from tempfile import NamedTemporaryFile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with NamedTemporaryFile("w+", suffix=".diff", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        try:
            done = run([*split(editor), file.name], check=False)  # noqa: S603 - the user's own choice
        except OSError as error:
            message = f"the editor {editor!r} can't be started: {error.strerror}"
            raise UsageError(message) from error
        if done.returncode:
            message = f"the editor {editor!r} ended with status {done.returncode}"
            raise UsageError(message)
        # Editors put a new file in the place of the old one.
        with open(file.name, encoding="utf-8", errors="surrogateescape") as edited:
            return edited.read()
