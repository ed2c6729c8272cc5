"""`suture explain`: shows where each hunk goes, or why it does not apply, side by side with the nearest place."""

from __future__ import annotations

from ...core.common_limits import LARGEST_CONTENT
from ...core.display import one_line, plural, printable
from ...core.notes import note, notes
from ...core.patch import UpdateFile
from ...core.problems import PatchRejectedError, SutureError
from ...core.text import Text
from ...format.patch_parser import parse
from ...place.update import update
from ...workspace.globs import excluder
from ..inputs import open_workspace, read_patch
from ..json_output import plan_fields, print_document
from ..progress import ProgressBar, count_files
from ..run_edit import UNCHANGED
from ..screen_limits import LINES_AROUND_PLACE, MOST_PLACES_EXPLAINED
from ..side_by_side import show_whitespace, side_by_side

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ...core.outcome import Plan
    from ...core.patch import Hunk, Operation
    from ...core.problems import Problem
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Explain each hunk."""
    exclude = excluder(options.exclude)
    patch = parse(read_patch(options.patch), options.dialect, form=options.format, exclude=exclude)
    with open_workspace(options) as workspace:
        with ProgressBar(screen, workspace, count_files(patch)):
            plan = workspace.plan(patch)
        if screen.json:
            status = 0 if plan.is_clean else 1
            return print_document(
                screen, "explain", status, plan_fields(plan), problems=plan.problems, state_of_disk=UNCHANGED
            )
        screen.start_paging()
        for line in _Explanation(workspace, plan, options.dialect, screen).lines(patch.operations):
            screen.print(line)
    excluded = [concession for concession in plan.concessions if concession.name == "excluded"]
    if excluded:
        screen.print(f"Note: {'; '.join(notes(excluded))}.")
    screen.print(_summary(plan))
    return 0 if plan.is_clean else 1


def _another_place(more: Sequence[str]) -> list[str]:
    """The lines of a message about another place than the nearest one, if it has any."""
    starts = [index for index, line in enumerate(more) if line.startswith("Another place is ")]
    return list(more[starts[0] :]) if starts else []


def _summary(plan: Plan) -> str:
    if plan.is_clean:
        return f"The patch applies. {UNCHANGED}"
    count = len(plan.problems)
    return f"The patch does not apply: {count} {plural('problem', count)}. {UNCHANGED}"


class _Explanation:
    """The explanation of one plan, and the problems that it has not mentioned yet."""

    def __init__(self, workspace: Workspace, plan: Plan, dialect: str, screen: Screen) -> None:
        self._workspace = workspace
        self._plan = plan
        self._dialect = dialect
        self._screen = screen
        self._remaining = [problem.told_to(screen.reader) for problem in plan.problems]
        self._changes = {change.path: change for change in plan.changes}

    def lines(self, operations: Sequence[Operation]) -> Iterator[str]:
        """The lines about the file sections, then about the problems that belong to none of them."""
        for operation in operations:
            yield from self._operation(operation)
        for problem in self._remaining:
            yield from self._problem(problem, None, [])
            yield ""

    def _operation(self, operation: Operation) -> Iterator[str]:
        path = self._shown(operation.path)
        kind = type(operation).__name__.removesuffix("File")
        yield self._screen.style(f"{kind} {one_line(path)}", "bold")
        hunks = operation.hunks if isinstance(operation, UpdateFile) else ()
        lines = self._lines(path) if hunks else []
        for number, hunk in enumerate(hunks, 1):
            problems = self._take_problems(path, hunk.line)
            for problem in problems:
                yield from self._problem(problem, hunk, lines)
            if not problems and lines:
                yield f"  hunk {number} (patch line {hunk.line}): {self._place(operation, number)}"
        for problem in self._take_problems(path, None):
            yield from self._problem(problem, None, lines)
        yield ""

    def _take_problems(self, path: str, patch_line: int | None) -> list[Problem]:
        """The problems with the hunk at a line of the patch, or with the whole file, which are then no longer left."""

        def is_meant(problem: Problem) -> bool:
            problem_line = problem.hunk.line if problem.hunk else None
            return problem.path == path and problem_line == patch_line

        problems = [problem for problem in self._remaining if is_meant(problem)]
        self._remaining = [problem for problem in self._remaining if not is_meant(problem)]
        return problems

    def _shown(self, path: str) -> str:
        """A path from the root of the workspace, as plans and problems have it."""
        try:
            return self._workspace.guard().resolve(path).shown
        except SutureError:
            return path

    def _lines(self, path: str) -> list[str]:
        try:
            resolved = self._workspace.guard().resolve(path, relative_to="")
            data, _ = self._workspace.files.read(resolved.path, LARGEST_CONTENT)
            return Text(data, self._workspace.encoding_of(resolved.path), path).body.split("\n")
        except (SutureError, OSError):
            return []

    def _place(self, operation: Operation, number: int) -> str:
        """Where a hunk without problems goes."""
        change = self._changes.get(self._shown(operation.path))
        planned_matches = [match for match in change.matches if match.hunk == number] if change else []
        matches = planned_matches or self._match_alone(operation, number)
        if not matches:
            return self._screen.style("no problem", "green")
        match = matches[0]
        place = f"line {match.start}" if match.start >= match.end else f"lines {match.start}-{match.end}"
        notes = dict.fromkeys([note(concession) for concession in match.concessions])
        if notes:
            place += f" ({', '.join(notes)})"
        return self._screen.style(place, "green")

    def _match_alone(self, operation: Operation, number: int) -> Sequence[Any]:
        """The matches of one hunk, when other hunks of its file do not apply."""
        if not isinstance(operation, UpdateFile):
            return ()
        path = self._shown(operation.path)
        text = "\n".join(self._lines(path))
        try:
            return update(text, [operation.hunks[number - 1]], dialect=self._dialect, path=path).matches
        except PatchRejectedError:
            return ()

    def _problem(self, problem: Problem, hunk: Hunk | None, lines: Sequence[str]) -> Iterator[str]:
        """A problem in lines for the screen: its message, the place in the file that it is about, what to do next."""
        first, *more = printable(problem.message).split("\n")
        yield f"  {self._screen.style(problem.code, 'red')}: {first}"
        nearest, places = problem.cause.nearest, problem.cause.lines
        if hunk is not None and nearest is not None and lines:
            yield f"  Nearest place ({nearest.agree} of {nearest.of} lines agree):"
            nearest_lines = lines[nearest.first - 1 : nearest.last]
            text, heading = (hunk.new, "the new text") if nearest.text == "new" else (hunk.old, "the patch")
            yield from side_by_side(self._screen, text, nearest_lines, nearest.first, heading)
            more = _another_place(more)
        # What tells several places apart, and what a rule saw, is in the message.
        for line in more:
            yield f"  {line}"
        if hunk is not None and problem.code == "multiple_matches" and places and lines:
            yield from self._places(hunk, lines, places)
        if problem.hint:
            yield f"  {self._screen.style('Next:', 'cyan')} {printable(problem.hint)}"

    def _places(self, hunk: Hunk, lines: Sequence[str], places: Sequence[int]) -> Iterator[str]:
        """The places that an ambiguous hunk matches, with the lines around them."""
        size = max(1, len(hunk.old))
        for place in places[:MOST_PLACES_EXPLAINED]:
            yield f"  at line {place}:"
            first = max(1, place - LINES_AROUND_PLACE)
            last = min(len(lines), place + size + LINES_AROUND_PLACE - 1)
            for number in range(first, last + 1):
                inside = place <= number < place + size
                text = f"  {number:>6} {'>' if inside else ' '} {show_whitespace(lines[number - 1])}".rstrip()
                yield self._screen.style(text, "yellow") if inside else text
        if len(places) > MOST_PLACES_EXPLAINED:
            yield f"  and {len(places) - MOST_PLACES_EXPLAINED} more"
