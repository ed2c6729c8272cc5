"""`suture explain`: where each hunk of a patch goes, or why it goes nowhere, with the nearest place beside it."""

from __future__ import annotations

from ...core.display import printable
from ...core.patch import UpdateFile
from ...core.problems import PatchRejectedError, SutureError
from ..inputs import patch_text, workspace_of
from ..json_output import plan_fields, print_document
from ..progress import files_in, waiting
from ..run_edit import UNCHANGED
from ..side_by_side import side_by_side, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ...core.patch import Hunk, Operation
    from ...core.problems import Problem
    from ...workspace.outcome import Plan
    from ...workspace.workspace import Workspace
    from ..screen import Screen

#: Places of a hunk with several that are shown, and the lines around each.
MOST_PLACES = 5
AROUND = 2
#: Bytes of a file that is shown.
MOST_BYTES = 50_000_000


def run(options: Namespace, screen: Screen) -> int:
    """Say of every hunk where it goes."""
    from ...format.envelope import parse

    patch = parse(patch_text(options.patch), options.dialect)
    with workspace_of(options) as workspace:
        with waiting(screen, workspace, files_in(patch)):
            plan = workspace.plan(patch)
        if screen.json:
            status = 0 if plan.is_clean else 1
            return print_document(
                screen, "explain", status, plan_fields(plan), problems=plan.problems, state_of_disk=UNCHANGED
            )
        screen.keep()
        explained = _Explained(workspace, plan, options.dialect, screen)
        for operation in patch.operations:
            for line in explained.operation(operation):
                screen.say(line)
        for line in explained.rest():
            screen.say(line)
    screen.say(_summary(plan))
    return 0 if plan.is_clean else 1


def _summary(plan: Plan) -> str:
    if plan.is_clean:
        return f"The patch applies. {UNCHANGED}"
    count = len(plan.problems)
    return f"The patch does not apply: {count} problem{'s' * (count > 1)}. {UNCHANGED}"


class _Explained:
    """One patch in one workspace, and the problems that were not told yet."""

    def __init__(self, workspace: Workspace, plan: Plan, dialect: str, screen: Screen) -> None:
        self._workspace = workspace
        self._plan = plan
        self._dialect = dialect
        self._screen = screen
        self._untold = list(plan.problems)
        self._changes = {change.path: change for change in plan.changes}

    def operation(self, operation: Operation) -> Iterator[str]:
        """What is to be said of one file section."""
        path = operation.path
        kind = type(operation).__name__.removesuffix("File")
        yield self._screen.styled(f"{kind} {printable(path)}", "bold")
        hunks = operation.hunks if isinstance(operation, UpdateFile) else ()
        lines = self._lines(path) if hunks else []
        for number, hunk in enumerate(hunks, 1):
            problems = [p for p in self._untold if p.path == path and p.hunk and p.hunk.line == hunk.line]
            for problem in problems:
                self._untold.remove(problem)
                yield from self._problem(problem, hunk, lines)
            if not problems and lines:
                yield f"  hunk {number} (patch line {hunk.line}): {self._placed(operation, number)}"
        for problem in [p for p in self._untold if p.path == path and p.hunk is None]:
            self._untold.remove(problem)
            yield from self._problem(problem, None, lines)
        yield ""

    def rest(self) -> Iterator[str]:
        """The problems that belong to no file section."""
        for problem in self._untold:
            yield from self._problem(problem, None, [])
            yield ""

    def _lines(self, path: str) -> list[str]:
        from ...core.text import Text

        try:
            resolved = self._workspace.guard().resolve(path)
            data, _ = self._workspace.files.read(resolved.path, MOST_BYTES)
            return Text(data, None, path).body.split("\n")
        except (SutureError, OSError):
            return []

    def _placed(self, operation: Operation, number: int) -> str:
        change = self._changes.get(operation.path)
        placed = [match for match in change.matches if match.hunk == number] if change else []
        matches = placed or self._alone(operation, number)
        if not matches:
            return self._screen.styled("no problem of its own", "green")
        match = matches[0]
        where = f"line {match.start}" if match.start >= match.end else f"lines {match.start}-{match.end}"
        notes = dict.fromkeys([match.tier, *[concession.name.replace("_", " ") for concession in match.concessions]])
        how = "" if list(notes) == ["exact"] else f" ({', '.join(notes)})"
        return self._screen.styled(f"{where}{how}", "green")

    def _alone(self, operation: Operation, number: int) -> Sequence[Any]:
        """Where a hunk goes whose neighbours have no place."""
        from ...apply.update import update

        if not isinstance(operation, UpdateFile):
            return ()
        text = "\n".join(self._lines(operation.path))
        try:
            return update(text, [operation.hunks[number - 1]], dialect=self._dialect, path=operation.path).matches
        except PatchRejectedError:
            return ()

    def _problem(self, problem: Problem, hunk: Hunk | None, lines: Sequence[str]) -> Iterator[str]:
        first, *more = printable(problem.message).split("\n")
        yield f"  {self._screen.styled(problem.code, 'red')}: {first}"
        nearest: Any = problem.details.get("nearest")
        places: Any = problem.details.get("lines")
        if hunk is not None and nearest and lines:
            yield f"  The nearest place, {nearest['agree']} of {nearest['of']} lines agree:"
            there = lines[nearest["first"] - 1 : nearest["last"]]
            yield from side_by_side(self._screen, hunk.old, there, nearest["first"])
        elif hunk is not None and places and lines:
            yield from self._places(hunk, lines, places)
        else:
            for line in more:
                yield f"  {line}"
        if problem.hint:
            yield f"  {self._screen.styled('Next:', 'cyan')} {printable(problem.hint)}"

    def _places(self, hunk: Hunk, lines: Sequence[str], places: Sequence[int]) -> Iterator[str]:
        """The places that a hunk fits, with the lines around them that set them apart."""
        size = max(1, len(hunk.old))
        for place in places[:MOST_PLACES]:
            yield f"  at line {place}:"
            for number in range(max(1, place - AROUND), min(len(lines), place + size + AROUND - 1) + 1):
                inside = place <= number < place + size
                text = f"  {number:>6} {'>' if inside else ' '} {visible(lines[number - 1])}".rstrip()
                yield self._screen.styled(text, "yellow") if inside else text
        if len(places) > MOST_PLACES:
            yield f"  and at {len(places) - MOST_PLACES} more"
