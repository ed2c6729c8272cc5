"""A call on files that have changed since they were shown: it is planned on what was shown, and merged.

The model wrote its edit for a text that the session has kept. So the edit is placed there, and the result is merged
with what has changed since. The answer shows what the lines now read. What it does not show of the change counts as
unread.
"""

from __future__ import annotations

from time import time

from ..core.display import shorten
from ..core.problems import PEER_NAMES, PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..state.fingerprint import fingerprint
from ..words.merge_conflict import MergeConflict
from ..workspace.base_view import base_view
from ..workspace.rebase_plan import PlanMerge
from .line_ranges import carry, join_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..core.problems import Problem
    from ..place.merge_contents import MergedContent
    from ..workspace.guard import ResolvedPath
    from ..workspace.outcome import Plan, PlannedFile
    from ..workspace.workspace import Workspace
    from .line_ranges import Ranges
    from .read_checks import Mode, ReadChecks
    from .reads import FileRead, Reads
    from .steps import CallSteps, PlanAndFailures

#: The most characters of lines that an answer shows for the edit, and of those that it adds for the file's change.
MOST_EDITED = 3000
MOST_CHANGED = 1500
#: Lines around them, and characters of a line that is shown whole.
LINES_AROUND = 2
LONGEST_LINE = 500
#: Problems of a merge. Any other one says that the file is no text by now, or that it is not to be changed as a text.
_ABOUT_MERGES = ("conflict", "patch_apply_error")
#: Problems of an edit that an unread file explains: that the file was not read is reported first.
PLACE_CODES = PEER_NAMES["ComputeReplacements"] - {"no_change"}
#: What the mode "rebase" is for files that were not read at all, by tool: for others it is "require".
UNREAD_MODES: Mapping[str, Mode] = {"apply_patch": "exact"}


class RacedError(PatchRejectedError):
    """A file has changed between the plan and the commit; the call can be planned again."""


class MergedCall(Value):
    """A call that was merged: its plan, what the model is told, and the lines of each file that it then knows."""

    plan: Plan
    notices: tuple[str, ...]
    known: Mapping[str, Ranges]

    def note_known(self, reads: Reads, plan: Plan) -> None:
        """Record what the model knows of the merged files, once a plan with them, or with a part of it, is written."""
        whole = {file.path: file.content for file in self.plan.files}
        for file in plan.files:
            if file.path in self.known:
                known = self.known[file.path] if whole.get(file.path) == file.content else ()
                reads.note(file.path, file.content, known, anew=True)


class StaleCall:
    """One call on files that may have changed since. `plan_on` makes its plan in a workspace, for reading alone."""

    def __init__(
        self, reads: Reads, checks: ReadChecks, workspace: Workspace, plan_on: Callable[[Workspace], Plan]
    ) -> None:
        self._reads = reads
        self._checks = checks
        self._workspace = workspace
        self._plan_on = plan_on

    def merge(self, names: Sequence[ResolvedPath], *, has_place: bool, record: bool) -> MergedCall | None:
        """The call, merged; None where nothing has changed since, or what was shown does not help.

        If it has a place in the files as they are, only files that have changed since they were last shown matter.
        Otherwise it may be for a text that was shown earlier. With `record`, what a conflict shows counts as read.

        Raises:
            PatchRejectedError: the edit and the change do not fit together (`conflict`), or it is applied already.
        """
        files = self._files(names)
        stale = {path: last for path, (last, content) in files.items() if last.sha256 != fingerprint(content)}
        attempts = [stale] if stale else []
        if not has_place and len(files) == 1:
            ((path, (last, content)),) = files.items()
            known = {last.sha256, fingerprint(content)}
            attempts += [{path: older} for older in self._reads.bases(path) if older.sha256 not in known]
        for bases in attempts:
            merged = self._attempt(bases, record=record)
            if merged is not None:
                return merged
        return None

    def _files(self, names: Sequence[ResolvedPath]) -> dict[str, tuple[FileRead, bytes]]:
        """What was read of the files of the call, and what they are."""
        files: dict[str, tuple[FileRead, bytes]] = {}
        for resolved in names:
            last = self._reads.find(resolved.path)
            if last is None or resolved.found is None:
                continue
            content = self._workspace.planner().look(resolved)
            if content is not None:
                files[resolved.path] = last, content
        return files

    def _attempt(self, bases: Mapping[str, FileRead], *, record: bool) -> MergedCall | None:
        """The call on contents that were shown; None where they are not kept, or it has no place there."""
        contents: dict[str, bytes] = {}
        for path, read in bases.items():
            content = self._reads.base(path, read.sha256)
            if content is None:
                return None
            contents[path] = content
        plan = self._plan_on(base_view(self._workspace, contents))
        if plan.problems or not self._checks.is_known(plan, bases):
            return None
        merge = PlanMerge(self._workspace, plan, contents)
        if any(problem.code not in _ABOUT_MERGES for problem in merge.plan.problems):
            return None
        if merge.plan.problems:
            self._refuse(merge.plan.problems, bases, contents, record=record)
        edited = {file.path: file.content_after or b"" for file in plan.files}
        known: dict[str, Ranges] = {}
        notices: list[str] = []
        for file in merge.plan.files:
            merged = merge.merged.get(file.path)
            if merged is None:
                continue
            notice, shown = self._notice(file, merged, bases[file.path].time)
            notices.append(notice)
            lines = [self._lines(file, one) for one in (contents[file.path], edited[file.path], file.content)]
            seen = carry(bases[file.path].lines, lines[0], lines[1])
            known[file.path] = join_ranges(carry(seen, lines[1], lines[2], is_change_known=False), shown)
        return MergedCall(merge.plan, tuple(notices), known)

    def _lines(self, file: PlannedFile, content: bytes) -> Sequence[str]:
        return Text(content, file.encoding or None).lines

    def _notice(self, file: PlannedFile, merged: MergedContent, since: float) -> tuple[str, Ranges]:
        """What the model is told about a merged file, and the lines that this shows."""
        lines = self._lines(file, file.content)
        rows, shown = _numbered(lines, merged.edit_lines, MOST_EDITED)
        more, also = _numbered(lines, merged.file_lines, MOST_CHANGED)
        layout = ", in layout alone" if merged.is_layout else ""
        first = f"{file.shown} had changed since it was read{self._authors(file, since)}{layout}."
        parts = [f"{first} The edit was merged with that change. The lines now read:", *rows]
        if more and also is not None and set(also) - set(shown or ()):
            parts += ["The other change:", *more]
        elif merged.file_lines and not more:
            parts.append("The other change is too long to be shown. Read the file before you edit these lines.")
        return "\n".join(parts), join_ranges(shown, also)

    def _authors(self, file: PlannedFile, since: float) -> str:
        """Who has changed a file since a time, as far as the history knows."""
        receipts = [one for one in self._workspace.log(10, path=file.shown) if one.time > since]
        if not receipts:
            return ""
        latest = receipts[0]
        return f" by {latest.actor or latest.tool}, {max(0, round(time() - latest.time))} s ago"

    def _refuse(
        self,
        problems: Sequence[Problem],
        bases: Mapping[str, FileRead],
        contents: Mapping[str, bytes],
        *,
        record: bool,
    ) -> None:
        """Raise the problems of a merge. The lines of the files that these show count as read."""
        error = PatchRejectedError(problems)
        guard = self._workspace.guard()
        for problem in problems if record else ():
            path = guard.absolute(problem.path)
            if isinstance(problem.cause, MergeConflict) and path in bases:
                ranges = problem.cause.shown_lines
                self._checks.note_conflict(error, problem, path, bases[path], contents[path], ranges)
        raise error


def merge_call(
    call: CallSteps, names: Sequence[ResolvedPath], make_plan: Callable[[], PlanAndFailures], plan: Plan
) -> MergedCall | None:
    """A call, merged with what has changed since its files were read; None where that is not needed or not wanted.

    `plan` is what it would do to the files as they are.

    Raises:
        PatchRejectedError: the edit and the change do not fit together (`conflict`).
    """
    is_strict = bool(call.sent.get("expected_sha256_by_path")) or call.sent.get("atomic", True) is not True
    if call.mode != "rebase" or is_strict or any(map(_is_final, plan.problems)):
        return None

    def plan_on(view: Workspace) -> Plan:
        visible, call.visible = call.visible, view
        try:
            return make_plan()[0]
        finally:
            call.visible = visible

    stale = StaleCall(call.session.reads, call.session.read_checks, call.visible, plan_on)
    return stale.merge(names, has_place=not plan.problems, record=not call.preview)


def _is_final(problem: Problem) -> bool:
    """Whether a problem does not depend on which version of the file the edit is for."""
    return problem.code not in PLACE_CODES or problem.reason == "already_applied"


def _numbered(lines: Sequence[str], ranges: Iterable[tuple[int, int]], most: int) -> tuple[list[str], Ranges]:
    """Lines with their numbers and those around them, and which these are; nothing where it is more than so much."""
    rows: list[str] = []
    spread = [(max(1, low - LINES_AROUND), min(len(lines), high + LINES_AROUND)) for low, high in ranges]
    shown: list[tuple[int, int]] = []
    for first, last in join_ranges(tuple(spread)) or ():
        if rows:
            rows.append("       …")
        for number in range(first, last + 1):
            line = lines[number - 1]
            rows.append(f"{number:>6}\t{shorten(line, LONGEST_LINE)}")
            if len(line) <= LONGEST_LINE:
                shown.append((number, number))
    if sum(len(row) + 1 for row in rows) > most:
        return [], ()
    return rows, join_ranges(tuple(shown))
