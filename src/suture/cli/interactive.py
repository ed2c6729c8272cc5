"""`suture apply -i`: asks hunk by hunk, like `git add -p`, and gives the patch of what was accepted.

Questions go to the terminal, also where the patch came on standard input. Nothing is written here.
"""

from __future__ import annotations

import os
import sys

from ..core.display import printable
from ..core.patch import AddFile, DeleteFile, Patch
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem, SutureError
from ..format.envelope import parse
from .arguments import UsageError
from .interrupts import deaf, hear
from .render import coloured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from ..core.patch import Hunk, Operation, UpdateFile
    from ..workspace.outcome import Plan
    from ..workspace.workspace import Workspace
    from .screen import Screen

HELP = """y - apply this hunk
n - don't apply it
a - apply it and all later ones of this file
d - apply neither it nor any later one of this file
e - edit it by hand, then apply it
q - stop asking: apply what was accepted so far, and nothing more
? - print this help"""
NOBODY = "--interactive needs a terminal to ask on"
EDIT_NOTE = """# Change the lines of the hunk: a space in front for context, - for what goes and + for what comes.
# Lines that begin with # are left out. If nothing is left, the hunk is not applied.
"""


def choose(patch: str | Patch, workspace: Workspace, screen: Screen, *, from_stdin: bool) -> Patch:
    """The part of a patch that a person accepts.

    Raises:
        UsageError: there is nobody to ask.
        PatchRejectedError: nothing was accepted.
    """
    parsed = patch if isinstance(patch, Patch) else parse(patch, workspace.dialect)
    if not screen.is_terminal:
        raise UsageError(NOBODY)
    with _terminal(from_stdin=from_stdin) as terminal:
        asking = _Asking(workspace, screen, terminal)
        for operation in parsed.operations:
            asking.operation(operation)
    if not asking.accepted:
        raise PatchRejectedError([Problem("rejected", "Nothing was accepted.")])
    return parsed.replace(operations=tuple(asking.accepted))


def _terminal(*, from_stdin: bool) -> TextIO:
    try:
        if from_stdin or sys.stdin is None or not sys.stdin.isatty():
            return open("/dev/tty", encoding="utf-8", errors="replace")
        return os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")
    except OSError:
        raise UsageError(NOBODY) from None


class _Asking:
    """The questions about one patch."""

    def __init__(self, workspace: Workspace, screen: Screen, terminal: TextIO) -> None:
        self._workspace = workspace
        self._screen = screen
        self._terminal = terminal
        self._quit = False
        self.accepted: list[Operation] = []

    def operation(self, operation: Operation) -> None:
        """Ask about one file section, of which all is accepted, a part, or nothing."""
        if self._quit:
            return
        if isinstance(operation, AddFile | DeleteFile) or not operation.hunks:
            self._whole(operation)
        else:
            self._hunks(operation)

    def _whole(self, operation: Operation) -> None:
        if isinstance(operation, AddFile):
            what = f"Add {printable(operation.path)}"
            lines = operation.content.removesuffix("\n").split("\n")
            self._show([f"+{line}" for line in lines[:40]] + (["…"] if len(lines) > 40 else []), what)
        elif isinstance(operation, DeleteFile):
            self._show([], f"Delete {printable(operation.path)}")
        else:
            self._show([], f"Move {printable(operation.path)} to {printable(operation.move_to or '')}")
        if self._ask("Apply this", "ynq") == "y":
            self.accepted.append(operation)

    def _hunks(self, operation: UpdateFile) -> None:
        title = f"Update {printable(operation.path)}"
        self._show([], f"{title} and move it to {printable(operation.move_to)}" if operation.move_to else title)
        kept: list[Hunk] = []
        rest = ""
        for number, hunk in enumerate(operation.hunks, 1):
            if not rest and not self._quit:
                answer, asked = self._hunk(operation, kept, hunk, number)
                rest = {"a": "y", "d": "n"}.get(answer, "")
                kept += [asked] if answer in ("y", "a") else []
            elif rest == "y":
                kept.append(hunk)
        if kept:
            self.accepted.append(operation.replace(hunks=tuple(kept)))

    def _hunk(self, operation: UpdateFile, kept: list[Hunk], hunk: Hunk, number: int) -> tuple[str, Hunk]:
        """The answer for one hunk, and the hunk as it was edited. What does not fit after that is asked for again."""
        while True:
            place, _ = self._place(operation, kept, hunk)
            lines = [f"@@ {anchor}" for anchor in hunk.anchors] + list(hunk.lines)
            self._show(lines, f"Hunk {number} of {len(operation.hunks)}{place}", operation.path)
            answer = self._ask("Apply this hunk", "ynadeq")
            if answer != "e":
                return answer, hunk
            try:
                edited = self._edited(hunk)
            except UsageError as error:
                self._screen.say(self._screen.styled(str(error), "red"))
                continue
            if edited is None:
                return "n", hunk
            hunk = edited
            if self._place(operation, kept, hunk)[1]:
                return "y", hunk

    def _plan(self, operation: UpdateFile, kept: list[Hunk], hunk: Hunk) -> Plan | None:
        """What a hunk would do after those that were accepted for its file before it."""
        earlier = [one for one in self.accepted if operation.path in (one.path, getattr(one, "move_to", None))]
        asked = operation.replace(hunks=(*kept, hunk), move_to=None)
        try:
            return self._workspace.plan(Patch((*earlier, asked)))
        except SutureError:
            return None

    def _place(self, operation: UpdateFile, kept: list[Hunk], hunk: Hunk) -> tuple[str, bool]:
        """Where the hunk would go, or what is wrong with it, for the person to know; and whether all is well."""
        plan = self._plan(operation, kept, hunk)
        problems = [] if plan is None else [one for one in plan.problems if not one.hunk or one.hunk.line == hunk.line]
        if problems:
            first = printable(problems[0].message).split("\n")[0]
            return self._screen.styled(f"\n{problems[0].code}: {first}", "red"), False
        changes = plan.changes[-1:] if plan is not None and plan.is_clean else ()
        matches = [match for change in changes for match in change.matches if match.hunk == len(kept) + 1]
        return f", line {matches[0].start}" if matches else "", True

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
            except PatchInvalidError as invalid:
                self._screen.say(self._screen.styled(invalid.problems[0].message, "red"))
                if self._ask("Edit it again", "yn") != "y":
                    return None
            text = "\n".join(lines)


def _read_hunk(hunk: Hunk, lines: list[str]) -> Hunk:
    """The hunk with other lines.

    Raises:
        PatchInvalidError: they are no hunk.
    """
    wrong = [line for line in lines if line[:1] not in (" ", "-", "+", "")]
    if wrong:
        message = f"A line of a hunk begins with a space, - or +; this one does not: {printable(wrong[0])}"
        raise PatchInvalidError([Problem("patch_parse_error", message)])
    return hunk.replace(lines=tuple([line or " " for line in lines]), bare=())


def edit_text(text: str) -> str:
    """A text as the user's editor leaves it.

    Raises:
        UsageError: the editor could not be started, or failed.
    """
    from shlex import split
    from subprocess import run
    from tempfile import TemporaryDirectory

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    # Ctrl-C is for the editor as long as it is there.
    heard = deaf()
    try:
        with TemporaryDirectory() as folder:
            name = f"{folder}/hunk.diff"
            with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            done = run([*split(editor), name], check=False)  # noqa: S603 - the user's own choice
            if done.returncode:
                message = f"The editor {editor!r} ended with status {done.returncode}."
                raise UsageError(message)
            with open(name, encoding="utf-8", errors="surrogateescape") as edited:
                return edited.read()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        message = f"The editor {editor!r} can't be used: {why}."
        raise UsageError(message) from error
    finally:
        hear(heard)
