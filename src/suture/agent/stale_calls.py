"""A call on files that have changed since they were shown: it is planned on what was shown, and merged.

The model wrote its edit for a text that the session has kept. So the edit is placed there, and the result is merged
with what has changed since. The answer shows what the lines now read. What it does not show of the change counts as
unread.
"""

from __future__ import annotations

from contextlib import suppress
from time import time

from ..core.display import safe_text, shorten
from ..core.fingerprint import fingerprint
from ..core.problems import PEER_NAMES, PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..place.merge_contents import ranges_text
from ..words.merge_conflict import MergeConflict
from ..workspace.base_view import base_view
from ..workspace.rebase_plan import PlanMerge
from .agent_limits import LINES_AROUND_MERGED, LONGEST_MERGED_LINE, MOST_CHANGED, MOST_EDITED
from .earlier_texts import may_fit_earlier, words_looked_for
from .line_ranges import carry, join_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..core.outcome import Plan
    from ..core.problems import Problem
    from ..core.record import PlannedFile
    from ..place.merge_contents import MergedContent
    from ..workspace.guard import ResolvedPath
    from ..workspace.workspace import Workspace
    from .line_ranges import Ranges
    from .read_checks import Mode, ReadChecks
    from .reads import LastRead, Reads
    from .steps import CallSteps, PlanAndFailures

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

    def merge(
        self, names: Sequence[ResolvedPath], now: Mapping[str, bytes], plan: Plan, *, has_place: bool, record: bool
    ) -> MergedCall | None:
        """The call, merged; None where nothing has changed since, or what was shown does not help.

        If it has a place in the files as they are, only files that have changed since they were last shown matter.
        Otherwise it may be for a text that was shown earlier, up to one in which it has several places: which of them
        is meant, no text before that can say. A text that can't be meant, by the words of the edit, is not searched.
        `now` has the contents of the files, and `plan` is for them. With `record`, what a conflict shows counts as
        read.

        Raises:
            PatchRejectedError: the edit and the change do not fit together (`conflict`), or it is applied already.
        """
        words = words_looked_for(None if has_place else plan.sent)
        for bases, contents in self._attempts(self._files(names, now), has_place=has_place):
            if not self._may_fit(words, contents, now):
                continue
            earlier_plan = self._plan_on(base_view(self._workspace, contents))
            if has_several_places(earlier_plan):
                return None
            merged = self._merged(earlier_plan, bases, contents, record=record)
            if merged is not None:
                return merged
        return None

    def _attempts(
        self, files: Mapping[str, tuple[LastRead, bytes]], *, has_place: bool
    ) -> Iterator[tuple[dict[str, LastRead], dict[str, bytes]]]:
        """The earlier contents that the call may be for, newest first: what was read of them, and they themselves."""
        stale = {path: last for path, (last, content) in files.items() if last.sha256 != fingerprint(content)}
        contents = self._contents(stale)
        if contents:
            yield stale, contents
        if has_place or len(files) != 1:
            return
        ((path, (last, content)),) = files.items()
        known = {last.sha256, fingerprint(content)}
        for older, older_content in self._reads.bases(path):
            if older.sha256 not in known:
                yield {path: older}, {path: older_content}

    def _files(self, names: Sequence[ResolvedPath], now: Mapping[str, bytes]) -> dict[str, tuple[LastRead, bytes]]:
        """What was read of the files of the call, and what they are."""
        files: dict[str, tuple[LastRead, bytes]] = {}
        for resolved in names:
            last = self._reads.find(resolved.path) if resolved.path in now else None
            if last is not None:
                files[resolved.path] = last, now[resolved.path]
        return files

    def _contents(self, bases: Mapping[str, LastRead]) -> dict[str, bytes] | None:
        """The contents that were shown; None where one of them is not kept."""
        contents: dict[str, bytes] = {}
        for path, read in bases.items():
            content = self._reads.base(path, read.sha256)
            if content is None:
                return None
            contents[path] = content
        return contents

    def _may_fit(self, words: frozenset[str], contents: Mapping[str, bytes], now: Mapping[str, bytes]) -> bool:
        """Whether an edit that looks for these words may fit earlier contents of some files, but not those of now."""
        if not words:
            return True
        for path, content in contents.items():
            encoding = self._workspace.encoding_of(path)
            try:
                earlier, later = Text(content, encoding).lines, Text(now[path], encoding).lines
            except PatchRejectedError:
                return True
            if may_fit_earlier(words, earlier, later):
                return True
        return False

    def _merged(
        self, plan: Plan, bases: Mapping[str, LastRead], contents: Mapping[str, bytes], *, record: bool
    ) -> MergedCall | None:
        """The plan of the call on contents that were shown, merged; None where it has no place there."""
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
            since = f"{file.shown} had changed since it was read"
            notice, read_lines = merge_notice(self._workspace, file, merged, since, bases[file.path].time)
            notices.append(notice)
            base, after_edit, after_merge = (
                lines_of(file, one) for one in (contents[file.path], edited[file.path], file.content)
            )
            of_edit = carry(bases[file.path].lines, base, after_edit)
            known[file.path] = join_ranges(carry(of_edit, after_edit, after_merge, is_change_known=False), read_lines)
        return MergedCall(merge.plan, tuple(notices), known)

    def _refuse(
        self,
        problems: Sequence[Problem],
        bases: Mapping[str, LastRead],
        contents: Mapping[str, bytes],
        *,
        record: bool,
    ) -> None:
        """Raise the problems of a merge. The lines of the files that these show count as read."""
        guard = self._workspace.guard()
        problems = [self._with_author(problem, bases.get(guard.absolute(problem.path))) for problem in problems]
        error = PatchRejectedError(problems)
        for problem in problems if record else ():
            path = guard.absolute(problem.path)
            if isinstance(problem.cause, MergeConflict) and path in bases:
                ranges = problem.cause.shown_lines
                self._checks.note_conflict(error, problem, path, bases[path], contents[path], ranges)
        raise error

    def _with_author(self, problem: Problem, read: LastRead | None) -> Problem:
        """A conflict with the name of who has changed the file since it was read."""
        if read is None or not isinstance(problem.cause, MergeConflict):
            return problem
        author = _latest_author(self._workspace, problem.cause.path, read.time)
        return problem.replace(cause=problem.cause.replace(author=author))


def contents_of(workspace: Workspace, names: Sequence[ResolvedPath], plan: Plan) -> dict[str, bytes]:
    """The contents of the files of a call by absolute path: as its plan has read them, or as they are."""
    contents = {file.path: file.was for file in plan.files if file.before.kind == "file" and file.was is not None}
    contents.update(plan.contents)
    others = [resolved for resolved in names if resolved.found is not None and resolved.path not in contents]
    if not others:
        return contents
    planner = workspace.planner()
    for resolved in others:
        with suppress(PatchRejectedError):
            content = planner.look(resolved)
            if content is not None:
                contents[resolved.path] = content
    return contents


def lines_of(file: PlannedFile, content: bytes) -> Sequence[str]:
    """The lines of a content of a file."""
    return Text(content, file.encoding or None).lines


def merge_notice(
    workspace: Workspace, file: PlannedFile, merged: MergedContent, since: str, time: float
) -> tuple[str, Ranges]:
    """What the model is told about a merged file, and the lines that this shows.

    `since` says that it had changed, and `time` is when that began.
    """
    lines = lines_of(file, file.content)
    rows, numbers = _numbered(lines, merged.edit_lines, MOST_EDITED)
    more, also = _numbered(lines, merged.file_lines, MOST_CHANGED)
    layout = ", in layout alone" if merged.is_layout else ""
    first = f"{since}{_authors(workspace, file, merged, time)}{layout}."
    parts = [f"{first} The edit was merged with that change. The lines now read:", *rows]
    if more and also is not None and set(also) - set(numbers or ()):
        parts += ["The other change:", *more]
    elif merged.file_lines and not more:
        parts.append("The other change is too long to be shown. Read the file before you edit these lines.")
    return "\n".join(parts), join_ranges(numbers, also)


def _authors(workspace: Workspace, file: PlannedFile, merged: MergedContent, since: float) -> str:
    """Who has changed a file since a time, as far as the history knows, and which lines were changed."""
    author = _latest_author(workspace, file.shown, since)
    lines = ranges_text(merged.file_lines)
    word = "line" if lines.isdigit() else "lines"
    return f" {author}: {word} {lines}" if author else ""


def _latest_author(workspace: Workspace, path: str, since: float) -> str:
    """Who has changed a file last since a time, and when; empty where the history does not know."""
    receipts = [one for one in workspace.log(10, path=path) if one.time > since]
    if not receipts:
        return ""
    latest = receipts[0]
    return f"by {safe_text(latest.actor or latest.tool)}, {max(0, round(time() - latest.time))} s ago"


def merge_call(
    call: CallSteps,
    names: Sequence[ResolvedPath],
    make_plan: Callable[[], PlanAndFailures],
    plan: Plan,
    now: Mapping[str, bytes],
) -> MergedCall | None:
    """A call, merged with what has changed since its files were read; None where that is not needed or not wanted.

    `plan` is what it would do to the files as they are, and `now` has their contents.

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
    # A line number has no text that could say which earlier text it was for.
    has_place = call.is_by_number or not plan.problems or has_several_places(plan)
    return stale.merge(names, now, plan, has_place=has_place, record=not call.preview)


def has_several_places(plan: Plan) -> bool:
    """Whether an edit of a plan fits several places."""
    return any(problem.code == "multiple_matches" for problem in plan.problems)


def _is_final(problem: Problem) -> bool:
    """Whether a problem does not depend on which version of the file the edit is for."""
    return problem.code not in PLACE_CODES or problem.reason == "already_applied"


def _numbered(lines: Sequence[str], ranges: Iterable[tuple[int, int]], most: int) -> tuple[list[str], Ranges]:
    """Lines and those around them with their numbers, and which lines are there whole.

    Nothing, if that takes more than `most` characters.
    """
    rows: list[str] = []
    spread = [(max(1, low - LINES_AROUND_MERGED), min(len(lines), high + LINES_AROUND_MERGED)) for low, high in ranges]
    numbers: list[tuple[int, int]] = []
    for first, last in join_ranges(tuple(spread)) or ():
        if rows:
            rows.append("       …")
        for number in range(first, last + 1):
            line = lines[number - 1]
            rows.append(f"{number:>6}\t{shorten(line, LONGEST_MERGED_LINE)}")
            if len(line) <= LONGEST_MERGED_LINE:
                numbers.append((number, number))
    if sum(len(row) + 1 for row in rows) > most:
        return [], ()
    return rows, join_ranges(tuple(numbers))
