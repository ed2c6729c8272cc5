"""`suture apply -i`: asks about each hunk, like `git add -p`, and returns a patch of the accepted ones.

Questions go to the terminal even if the patch comes from standard input. Nothing is written here.
"""

from __future__ import annotations

import os
import sys

from ..core.dialect import NO_NEWLINE
from ..core.display import printable
from ..core.patch import AddFile, DeleteFile, EditFile, Patch, UpdateFile, WriteFile
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem, SutureError
from ..format.patch_parser import parse
from ..workspace.globs import excluder
from .arguments import UsageError
from .interrupts import ignore_ctrl_c, restore_ctrl_c
from .render import colorize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from ..core.patch import Hunk, Operation
    from ..workspace.outcome import Plan
    from ..workspace.workspace import Workspace
    from .screen import Screen

HELP = """y - apply this hunk
n - do not apply this hunk
a - apply this hunk and all later hunks in the file
d - do not apply this hunk or any later hunk in the file
e - edit this hunk, then apply it
q - quit; apply only the hunks accepted so far
? - print help"""
#: How many lines of a deleted file are shown. Everything that would be written is shown.
MOST_DELETED = 40
NO_TERMINAL = "--interactive needs a terminal"
EDIT_NOTE = """# Edit the hunk: start context lines with a space, removed lines with -, and added lines with +.
# Lines starting with # are ignored. If no lines are left, the hunk is not applied.
"""


def choose_hunks(
    patch: str | Patch, workspace: Workspace, screen: Screen, *, from_stdin: bool, exclude: Sequence[str] = ()
) -> Patch:
    """The part of a patch that the user accepts, without files that globs exclude.

    Raises:
        UsageError: there is no terminal.
        PatchRejectedError: nothing was accepted.
    """
    parsed = patch if isinstance(patch, Patch) else parse(patch, workspace.dialect, exclude=excluder(exclude))
    if not screen.is_terminal:
        raise UsageError(NO_TERMINAL)
    with _open_terminal(from_stdin=from_stdin) as terminal:
        dialog = _Dialog(workspace, screen, terminal)
        for operation in parsed.operations:
            dialog.ask_about(operation)
    if not dialog.accepted:
        raise PatchRejectedError([Problem("rejected", "No hunk was accepted.")])
    return parsed.replace(operations=tuple(dialog.accepted))


def _open_terminal(*, from_stdin: bool) -> TextIO:
    try:
        if from_stdin or sys.stdin is None or not sys.stdin.isatty():
            return open("/dev/tty", encoding="utf-8", errors="replace")
        return os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")
    except OSError:
        raise UsageError(NO_TERMINAL) from None


class _Dialog:
    """The questions about one patch."""

    def __init__(self, workspace: Workspace, screen: Screen, terminal: TextIO) -> None:
        self._workspace = workspace
        self._screen = screen
        self._terminal = terminal
        self._quit = False
        self.accepted: list[Operation] = []

    def ask_about(self, operation: Operation) -> None:
        """Ask about one file section; all, some or none of it is accepted."""
        if self._quit:
            return
        if isinstance(operation, UpdateFile) and operation.hunks:
            self._ask_about_hunks(operation)
        else:
            self._ask_about_file(operation)

    def _ask_about_file(self, operation: Operation) -> None:
        mode = ""
        if isinstance(operation, AddFile | UpdateFile) and operation.mode:
            mode = f", mode {operation.mode}"
        if isinstance(operation, AddFile | WriteFile):
            verb = "Add" if isinstance(operation, AddFile) else "Write"
            ending = [] if operation.content.endswith("\n") or not operation.content else [NO_NEWLINE]
            self._show(_signed(operation.content, "+") + ending, f"{verb} {printable(operation.path)}{mode}")
        elif isinstance(operation, EditFile):
            lines = [line for edit in operation.edits for line in (*_signed(edit.old, "-"), *_signed(edit.new, "+"))]
            self._show(lines, f"Edit {printable(operation.path)}")
        elif isinstance(operation, DeleteFile):
            self._show(self._content(operation.path), f"Delete {printable(operation.path)}")
        elif operation.move_to is None:
            self._show([], f"Update {printable(operation.path)}{mode}")
        else:
            self._show([], f"Move {printable(operation.path)} to {printable(operation.move_to)}{mode}")
        if self._ask("Apply this change", "ynq") == "y":
            self.accepted.append(operation)

    def _content(self, path: str) -> list[str]:
        """The lines that a delete would remove; none if the file is not text, or if the plan has a problem with it."""
        try:
            text = self._workspace.read(path).text
        except SutureError:
            return []
        lines = _signed(text or "", "-")
        more = [f"… and {len(lines) - MOST_DELETED} more lines"] if len(lines) > MOST_DELETED else []
        return lines[:MOST_DELETED] + more

    def _ask_about_hunks(self, operation: UpdateFile) -> None:
        title = f"Update {printable(operation.path)}"
        if operation.move_to:
            title += f" and move it to {printable(operation.move_to)}"
        self._show([], f"{title}, mode {operation.mode}" if operation.mode else title)
        accepted: list[Hunk] = []
        rest = ""
        for number, original in enumerate(operation.hunks, 1):
            # It is planned with the accepted hunks alone, and keeps its number among all.
            hunk = original.replace(position=(number, len(operation.hunks)))
            if not rest and not self._quit:
                answer, edited = self._ask_about_hunk(operation, accepted, hunk, number)
                rest = {"a": "y", "d": "n"}.get(answer, "")
                accepted += [edited] if answer in ("y", "a") else []
            elif rest == "y":
                accepted.append(hunk)
        if accepted:
            self.accepted.append(operation.replace(hunks=tuple(accepted)))

    def _ask_about_hunk(self, operation: UpdateFile, accepted: list[Hunk], hunk: Hunk, number: int) -> tuple[str, Hunk]:
        """The answer for one hunk, and the hunk as edited. If an edited hunk does not apply, ask again."""
        while True:
            place, _ = self._place(operation, accepted, hunk)
            lines = [f"@@ {anchor}" for anchor in hunk.anchors] + list(hunk.lines)
            self._show(lines, f"Hunk {number} of {len(operation.hunks)}{place}")
            answer = self._ask("Apply this hunk", "ynadeq")
            if answer != "e":
                return answer, hunk
            try:
                edited = self._edit(hunk)
            except UsageError as error:
                self._screen.print(self._screen.style(str(error), "red"))
                continue
            if edited is None:
                return "n", hunk
            hunk = edited
            if self._place(operation, accepted, hunk)[1]:
                return "y", hunk

    def _plan(self, operation: UpdateFile, accepted: list[Hunk], hunk: Hunk) -> Plan | None:
        """The plan for a hunk on top of what was already accepted for its file."""
        earlier = [one for one in self.accepted if operation.path in (one.path, getattr(one, "move_to", None))]
        update = operation.replace(hunks=(*accepted, hunk), move_to=None)
        try:
            return self._workspace.plan(Patch((*earlier, update)))
        except SutureError:
            return None

    def _place(self, operation: UpdateFile, accepted: list[Hunk], hunk: Hunk) -> tuple[str, bool]:
        """Where the hunk would go, or its problem, as text; and whether it applies."""
        plan = self._plan(operation, accepted, hunk)
        problems = [] if plan is None else [one for one in plan.problems if not one.hunk or one.hunk.line == hunk.line]
        if problems:
            first = printable(problems[0].message).split("\n")[0]
            return self._screen.style(f"\n{problems[0].code}: {first}", "red"), False
        changes = plan.changes[-1:] if plan is not None and plan.is_clean else ()
        matches = [match for change in changes for match in change.matches if match.hunk == len(accepted) + 1]
        return f", line {matches[0].start}" if matches else "", True

    def _show(self, lines: list[str] | tuple[str, ...], title: str) -> None:
        self._screen.print(self._screen.style(title, "bold"))
        for line in colorize(self._screen, "\n".join(lines)) if lines else ():
            self._screen.print(line)

    def _ask(self, question: str, answers: str) -> str:
        """One of the answers; the end of the input means `q`."""
        while True:
            self._screen.write(self._screen.style(f"{question} [{','.join([*answers, '?'])}]? ", "blue"))
            line = self._terminal.readline()
            answer = line.strip().lower()[:1]
            if not line or answer == "q":
                self._quit = True
                if not line:
                    self._screen.print()
                return "q"
            if answer and answer in answers:
                return answer
            for one in HELP.split("\n"):
                if one[0] in f"{answers}?":
                    self._screen.print(one)

    def _edit(self, hunk: Hunk) -> Hunk | None:
        """The hunk as edited by the user; asks again if it is invalid. None if no lines are left."""
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
                self._screen.print(self._screen.style(invalid.problems[0].message, "red"))
                if self._ask("Edit it again", "yn") != "y":
                    return None
            text = "\n".join(lines)


def _signed(content: str, sign: str) -> list[str]:
    """The lines of a text as a diff has them."""
    lines = content.removesuffix("\n").split("\n") if content else []
    return [f"{sign}{line}" for line in lines]


def _read_hunk(hunk: Hunk, lines: list[str]) -> Hunk:
    """The hunk with other lines.

    Raises:
        PatchInvalidError: a line has no valid prefix.
    """
    wrong = [line for line in lines if line[:1] not in (" ", "-", "+", "")]
    if wrong:
        message = f"Every line of a hunk must start with a space, - or +; this one does not: {printable(wrong[0])}"
        raise PatchInvalidError([Problem("patch_parse_error", message)])
    return hunk.replace(lines=tuple([line or " " for line in lines]), bare=(), exact=())


def edit_text(text: str) -> str:
    """Open a text in the user's editor and return the result.

    Raises:
        UsageError: the editor cannot be started or fails.
    """
    from shlex import split
    from subprocess import run
    from tempfile import TemporaryDirectory

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    # While the editor runs, Ctrl-C belongs to it.
    handler = ignore_ctrl_c()
    try:
        with TemporaryDirectory() as folder:
            name = f"{folder}/hunk.diff"
            with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            status = run([*split(editor), name], check=False).returncode  # noqa: S603 - the user's own choice
            if status:
                message = f"The editor {editor!r} exited with status {status}."
                raise UsageError(message)
            with open(name, encoding="utf-8", errors="surrogateescape") as edited:
                return edited.read()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        message = f"The editor {editor!r} cannot be used: {why}."
        raise UsageError(message) from error
    finally:
        restore_ctrl_c(handler)
