"""`suture apply -i`: asks about each hunk, like `git add -p`, and returns a plan of the accepted ones.

A question shows what would be written: how the files change compared with what was accepted before, not what the patch
says about it. Questions go to the terminal even if the patch comes from standard input. Nothing is written here.
"""

from __future__ import annotations

import os
import sys

from ..agent.requests import Request, notes_of, without_lines
from ..core.dialect import NO_NEWLINE
from ..core.display import one_line, printable
from ..core.patch import AddFile, ChangeFile, DeleteFile, EditFile, Patch, UpdateFile, WriteFile
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem, SutureError
from ..core.system import WINDOWS
from ..core.value import Value
from ..format.patch_parser import parse
from ..words.file_problems import stale_file
from ..workspace.changes import change_of
from ..workspace.globs import excluder
from .arguments import UsageError
from .editor import edit_text
from .hunk_choices import HunkChoice, chosen_hunks
from .render import colored_lines
from .screen_limits import MOST_DELETED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change, Plan
    from ..core.patch import Hunk, Operation
    from ..core.record import PlannedFile
    from ..workspace.workspace import Workspace
    from .screen import Screen

HELP = """y - apply this hunk
n - do not apply this hunk
a - apply this hunk and all later hunks in the file
d - do not apply this hunk or any later hunk in the file
s - split this hunk into smaller hunks
j - leave this hunk as it is, and go to the next one
k - leave this hunk as it is, and go to the previous one
e - edit this hunk; it is then shown as it would be applied, and asked about again
q - quit; apply only the hunks accepted so far
? - print help"""
NOTHING_ACCEPTED = Problem("rejected", "No hunk was accepted.")
NO_CHANGE = "No line changes."
NO_TERMINAL = "--interactive needs a terminal"
#: The terminal itself, where standard input is the patch.
_TERMINAL = "CONIN$" if WINDOWS else "/dev/tty"
EDIT_NOTE = """# Edit the hunk: start context lines with a space, removed lines with -, and added lines with +.
# Lines starting with # are ignored. If no lines are left, the hunk is not applied.
"""


def choose_hunks(
    patch: str | Patch,
    workspace: Workspace,
    screen: Screen,
    *,
    from_stdin: bool,
    expected_sha256: Mapping[str, str] | None = None,
    exclude: Sequence[str] = (),
) -> Plan:
    """The plan of what the user accepts of a patch, without files that globs exclude.

    `expected_sha256` are the hashes that files must have.

    Raises:
        UsageError: there is no terminal.
        PatchRejectedError: nothing was accepted, or a file has changed since it was shown.
    """
    parsed = patch if isinstance(patch, Patch) else parse(patch, workspace.dialect, exclude=excluder(exclude))
    if not screen.is_terminal:
        raise UsageError(NO_TERMINAL)
    with _open_terminal(from_stdin=from_stdin) as terminal:
        dialog = _Dialog(parsed, workspace, screen, terminal)
        for operation in parsed.operations:
            dialog.ask_about(operation)
        if not dialog.accepted:
            raise PatchRejectedError([NOTHING_ACCEPTED])
        plan = workspace.plan(parsed.replace(operations=tuple(dialog.accepted)), expected_sha256=expected_sha256)
        dialog.check(plan)
    return plan


def _open_terminal(*, from_stdin: bool) -> TextIO:
    try:
        if from_stdin or sys.stdin is None or not sys.stdin.isatty():
            return open(_TERMINAL, encoding="utf-8", errors="replace")
        return os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8", errors="replace")
    except OSError:
        raise UsageError(NO_TERMINAL) from None


class _HunkPreview(Value):
    """What is shown of a hunk before the user is asked about it."""

    #: What follows the name of the hunk in the title: `, line 3`, or on a line of its own the problem that it has.
    title_end: str
    lines: list[str]


class _Dialog:
    """The questions about one patch."""

    def __init__(self, patch: Patch, workspace: Workspace, screen: Screen, terminal: TextIO) -> None:
        self._patch = patch
        self._workspace = workspace
        self._screen = screen
        self._terminal = terminal
        self._quit = False
        #: The hash of each file when it was shown first, by its path; empty where there was no file.
        self._fingerprints: dict[str, str] = {}
        #: The accepted operations, and those of them that were shown with the change that they make.
        self.accepted: list[Operation] = []
        self._shown: list[Operation] = []

    def ask_about(self, operation: Operation) -> None:
        """Ask about one file section; all, some or none of it is accepted."""
        if self._quit:
            return
        if isinstance(operation, UpdateFile) and operation.hunks:
            self._ask_about_hunks(operation)
        else:
            self._ask_about_file(operation)

    def check(self, plan: Plan) -> None:
        """Check that a plan of what was accepted does what was shown.

        Raises:
            PatchRejectedError: a file has changed since it was shown (`stale_file`), or the user does not want it.
        """
        changed = [
            stale_file(path, self._fingerprints[path], fingerprint)
            for path, fingerprint in plan.fingerprints.items()
            if self._fingerprints.get(path, fingerprint) != fingerprint
        ]
        if changed:
            raise PatchRejectedError(changed)
        if plan.is_clean and len(self._shown) < len(self.accepted):
            # An operation that can't be applied alone can be possible together with others, such as a swap of names.
            self._show_files(_files_that_differ(None, plan))
            if self._ask("Apply all of this", "ynq") != "y":
                raise PatchRejectedError([NOTHING_ACCEPTED])

    def _accept(self, operation: Operation, plan: Plan | None) -> None:
        self.accepted.append(operation)
        if plan is not None and plan.is_clean:
            self._shown.append(operation)

    def _ask_about_file(self, operation: Operation) -> None:
        plan = self._plan(operation)
        if plan is None or plan.problems:
            self._show(_written_lines(operation), _title(operation) + self._problem(plan))
        else:
            self._show_files(_files_that_differ(self._plan(), plan))
        if self._ask("Apply this change", "ynq") == "y":
            self._accept(operation, plan)

    def _show_files(self, files: Sequence[Change]) -> None:
        for file in files:
            self._show(_shown_lines(file), _file_title(file))

    def _ask_about_hunks(self, operation: UpdateFile) -> None:
        self._show([], _title(operation))
        count = len(operation.hunks)
        # Each is planned with the accepted hunks alone, and keeps its number among all.
        choices = [HunkChoice(hunk.replace(position=(number, count))) for number, hunk in enumerate(operation.hunks, 1)]
        place = 0
        while not self._quit and any(choice.is_accepted is None for choice in choices):
            place = self._ask_about_choice(operation, choices, place)
        accepted = chosen_hunks(choices, [choice for choice in choices if choice.is_accepted])
        if accepted:
            chosen = operation.replace(hunks=tuple(accepted))
            self._accept(chosen, self._plan(chosen))

    def _ask_about_choice(self, operation: UpdateFile, choices: list[HunkChoice], place: int) -> int:
        """Ask about one hunk, or a part of one; the place of the one to ask about next."""
        choice = choices[place]
        preview = self._preview(operation, choices, choice)
        verdict = {True: " (accepted)", False: " (not accepted)", None: ""}[choice.is_accepted]
        self._show(preview.lines, f"{choice.name}{preview.title_end}{verdict}")
        answer = self._ask("Apply this hunk", _possible_answers(choices, place))
        if answer == "q":
            return place
        if answer == "j":
            return place + 1
        if answer == "k":
            return place - 1
        if answer == "s":
            choices[place : place + 1] = choice.split()
            return place
        if answer == "e":
            return self._edit_choice(choices, place)
        choice.is_accepted = answer in ("y", "a")
        if answer in ("a", "d"):
            for later in choices[place + 1 :]:
                if later.is_accepted is None:
                    later.is_accepted = answer == "a"
        return _next_open(choices, place)

    def _edit_choice(self, choices: list[HunkChoice], place: int) -> int:
        """Let the user edit a hunk. It is then shown where it lands and asked about, like any other."""
        choice = choices[place]
        try:
            edited = self._edit(choice.hunk)
        except UsageError as error:
            self._screen.print(self._screen.style(str(error), "red"))
            return place
        if edited is None:
            choice.is_accepted = False
            return _next_open(choices, place)
        choices[place] = HunkChoice(edited)
        return place

    def _plan(self, *operations: Operation) -> Plan | None:
        """The plan for operations on top of what was accepted before; None if there can be none."""
        try:
            plan = self._workspace.plan(self._patch.replace(operations=(*self._shown, *operations)))
        except SutureError:
            return None
        for path, fingerprint in plan.fingerprints.items():
            self._fingerprints.setdefault(path, fingerprint)
        return plan

    def _plan_hunks(self, operation: UpdateFile, hunks: Sequence[Hunk]) -> Plan | None:
        """The plan for some hunks of an operation, in the file where it is."""
        update = operation.replace(hunks=tuple(hunks), move_to=None, is_copy=False)
        return self._plan(update) if hunks else self._plan()

    def _preview(self, operation: UpdateFile, choices: Sequence[HunkChoice], choice: HunkChoice) -> _HunkPreview:
        """What applying a hunk would do; or its problem, and the hunk as it is written."""
        hunks = _accepted_and(choice, choices)
        plan = self._plan_hunks(operation, hunks)
        if plan is None or plan.problems:
            return _HunkPreview(self._problem(plan, choice.hunk), _hunk_lines(choice.hunk))
        change = plan.changes[-1]
        number = next(number for number, hunk in enumerate(hunks, 1) if hunk.position == choice.hunk.position)
        lines = [match.start for match in change.matches if match.hunk == number]
        title_end = f", line {lines[0]}" if lines else ""
        if change.target:
            title_end += f" of {one_line(change.target)}"
        others = chosen_hunks(choices, [one for one in choices if one.is_accepted and one is not choice])
        before = self._plan_hunks(operation, others)
        return _HunkPreview(title_end, _lines_between(before, plan, change))

    def _problem(self, plan: Plan | None, hunk: Hunk | None = None) -> str:
        """The problem of a plan, as the end of a title; with `hunk`, only one that concerns it."""
        problems = () if plan is None else plan.problems
        for problem in problems:
            if hunk is None or problem.hunk is None or problem.hunk.line == hunk.line:
                first = printable(problem.told_to(self._screen.reader).message).split("\n")[0]
                return self._screen.style(f"\n{problem.code}: {first}", "red")
        return ""

    def _show(self, lines: list[str] | tuple[str, ...], title: str) -> None:
        self._screen.print(self._screen.style(title, "bold"))
        for line in colored_lines(self._screen, lines):
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


def _accepted_and(choice: HunkChoice, choices: Sequence[HunkChoice]) -> list[Hunk]:
    """The accepted hunks of all choices together with one more."""
    return chosen_hunks(choices, [one for one in choices if one.is_accepted or one is choice])


def _possible_answers(choices: Sequence[HunkChoice], place: int) -> str:
    """The keys that answer the question about one hunk."""
    choice = choices[place]
    keys = "ynad"
    if choice.can_be_split:
        keys += "s"
    if place + 1 < len(choices):
        keys += "j"
    if place > 0:
        keys += "k"
    if not choice.parts:
        keys += "e"
    return f"{keys}q"


def _next_open(choices: Sequence[HunkChoice], place: int) -> int:
    """The next hunk without an answer, or else the first one; any place if there is none."""
    after = [*range(place + 1, len(choices)), *range(place + 1)]
    return next((number for number in after if choices[number].is_accepted is None), place)


def _title(operation: Operation) -> str:
    """What an operation says that it does."""
    path = one_line(operation.path)
    if isinstance(operation, AddFile):
        title = f"Add {path}"
    elif isinstance(operation, WriteFile):
        title = f"Write {path}"
    elif isinstance(operation, EditFile):
        title = f"Edit {path}"
    elif isinstance(operation, ChangeFile):
        title = f"Change {path}"
    elif isinstance(operation, DeleteFile):
        title = f"Delete {path}"
    elif operation.move_to is None:
        title = f"Update {path}"
    elif operation.hunks:
        title = f"Update {path} and {'copy' if operation.is_copy else 'move'} it to {one_line(operation.move_to)}"
    else:
        title = f"{'Copy' if operation.is_copy else 'Move'} {path} to {one_line(operation.move_to)}"
    mode = operation.mode if isinstance(operation, AddFile | UpdateFile) else ""
    return f"{title}, mode {mode}" if mode else title


def _written_lines(operation: Operation) -> list[str]:
    """The lines that an operation has, for one that can't be applied."""
    if isinstance(operation, AddFile | WriteFile):
        ending = [] if operation.content.endswith("\n") or not operation.content else [NO_NEWLINE]
        return _signed(operation.content, "+") + ending
    if isinstance(operation, EditFile):
        return [line for edit in operation.edits for line in (*_signed(edit.old, "-"), *_signed(edit.new, "+"))]
    if isinstance(operation, ChangeFile):
        return _signed(operation.change.text, "+")
    return []


def _hunk_lines(hunk: Hunk) -> list[str]:
    """A hunk as the patch has it, for one that can't be applied."""
    return [*[f"@@ {anchor}" for anchor in hunk.anchors], *hunk.lines]


def _files_that_differ(before: Plan | None, after: Plan) -> list[Change]:
    """The changes of a plan, with their diffs, that the plan without its last operation does not have."""
    known = list(before.changes) if before is not None and before.is_clean else []
    files: list[Change] = []
    for change in after.changes:
        if change in known:
            known.remove(change)
            continue
        written = [file for file in after.files if file.shown in change.names]
        files += Request.from_plan(after.replace(changes=(change,), files=tuple(written))).files
    return files


def _file_title(file: Change) -> str:
    """What would happen to a file, and what was forgiven."""
    title = f"{file.kind.capitalize()} {one_line(file.path)}"
    if file.target:
        title += f" (a link to {one_line(file.target)})"
    if file.move_to:
        title += f" to {one_line(file.move_to)}"
    notes = [one_line(note) for note in notes_of(file)]
    return f"{title} ({'; '.join(notes)})" if notes else title


def _shown_lines(file: Change) -> list[str]:
    """The lines of a file that would change: all of them, except for the end of a file that is deleted."""
    if file.kind == "delete":
        removed = [line for hunk in file.hunks for line in hunk.written_lines]
        more = len(removed) - MOST_DELETED
        return [*removed[:MOST_DELETED], f"… and {more} more lines"] if more > 0 else removed
    return _lines_of(file.hunks) or [without_lines(file)]


def _lines_of(hunks: Sequence[LineHunk]) -> list[str]:
    """The lines of hunks, each with its header."""
    return [line for hunk in hunks for line in (hunk.header, *hunk.written_lines)]


def _lines_between(before: Plan | None, after: Plan, change: Change) -> list[str]:
    """The hunks from what one plan makes of the file of a change to what another makes of it."""
    file = _planned_file(after, change.content_name)
    if file is None:
        return [NO_CHANGE]
    earlier = None if before is None else _planned_file(before, file.shown)
    if earlier is not None:
        old = (earlier.after, earlier.content_after)
    else:
        old = (file.before, file.was if file.before.kind == "file" else None)
    new = (file.after, file.content_after)
    hunks = change_of("update", file.shown, old, new, encoding=file.encoding or None).hunks
    return _lines_of(hunks) or [NO_CHANGE]


def _planned_file(plan: Plan, display_path: str) -> PlannedFile | None:
    """What a plan makes of a path; None if it leaves it alone."""
    return next((file for file in plan.files if file.shown == display_path), None)


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
