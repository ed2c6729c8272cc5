"""The file before each edit of a session, from what the transcript and git know.

What a call shows of a file is a `Sight`: its text before the call, after it, or neither, which says that the file is
unknown from there on. The file of an accepted edit is certain if it was recorded, or if the recorded difference fits at
its line numbers and changes what the edit changes. The file of a rejected edit is certain if it is the same before and
after, or if nothing between the edit and what shows the file can have changed it; and if the tool's answer agrees.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from ..core.common_limits import LONGEST_PATH
from ..core.value import Value
from . import transcript_limits
from .patch_sections import is_same_path
from .recorded_diff import apply_recorded, explains
from .recorded_edit import OTHER_FILE, RecordedEdit, find_reason, make_id
from .recording import RecordedCall, Turn
from .sources import read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..core.string_edits import StringEdit
    from .git_history import Histories
    from .recorded_edit import Verdict
    from .recording import FileChange, Recording
    from .sources import Source


class Sight(Value):
    """What a call at a position shows of a file."""

    position: int
    before: str | None
    after: str | None
    origin: str = ""


def _position(sight: Sight) -> int:
    return sight.position


class Rebuilder:
    """The edits of one session."""

    def __init__(self, agent: str, source: str, timeline: Sequence[RecordedCall | Turn], histories: Histories) -> None:
        self._agent, self._source, self._timeline, self._histories = agent, source, timeline, histories
        self._sights: dict[str, list[Sight]] = defaultdict(list)
        #: Characters of all versions of files that edits led to.
        self._rebuilt = 0
        #: Positions of what may have changed any file.
        self._unrecorded: list[int] = []
        paths: list[str] = []
        for position, item in enumerate(timeline):
            if isinstance(item, RecordedCall):
                paths += [change.path for change in item.changes]
            may_have_written = item.is_prompt if isinstance(item, Turn) else item.may_write
            if may_have_written:
                self._unrecorded.append(position)
        self._names = _same_files(paths)

    def edits(self, known: set[str]) -> Iterator[RecordedEdit]:
        """The edits, in order, without those of calls that are known from another copy of the session."""
        for position, item in enumerate(self._timeline):
            if isinstance(item, RecordedCall) and item.accepted:
                for change in item.changes:
                    self._see(position, item, change)
        for position, item in enumerate(self._timeline):
            if isinstance(item, RecordedCall) and item.changes and item.id not in known:
                if len(item.id) >= transcript_limits.LEAST_UNIQUE_ID:
                    known.add(item.id)
                for change in item.changes:
                    if change.edit:
                        yield self._edit(position, item, change)

    def _see(self, position: int, call: RecordedCall, change: FileChange) -> None:
        """Remember what a call shows of a file: its text before and after, as far as they are known."""
        sights = self._sights[self._names[change.path]]
        if change.form == "read":
            sights.append(Sight(position, change.after, change.after, "read"))
        elif change.form == "whole":
            sights.append(Sight(position, change.before, change.after, "written"))
        else:
            kept = sights[-1].after if sights else None
            before, after, origin = self._find_accepted(call, change, kept)
            self._rebuilt += len(after or "")
            if self._rebuilt > transcript_limits.MOST_REBUILT:
                before, after, origin = None, None, "the session has too many versions of large files"
            sights.append(Sight(position, before, after, origin))
            if change.moved_to:
                self._sights[self._names.get(change.moved_to, change.moved_to)].append(
                    Sight(position, None, after, origin)
                )

    def _find_accepted(
        self, call: RecordedCall, change: FileChange, kept: str | None
    ) -> tuple[str | None, str | None, str]:
        """The file before and after an accepted edit, and how they are known; None twice and why not if they are not.

        `kept` is the file as earlier edits of the session have left it, if that is known.
        """
        if change.before is not None:
            return change.before, _recorded_result(change, change.before), "recorded"
        history = self._histories.find(change.path)
        if change.commit and history is not None:
            before = history.file_at(f"{change.commit}^", change.path)
            after = history.file_at(change.commit, change.path)
            if before is not None and after is not None and is_result(before, after, change.edit):
                return before, after, "git: the commit of the edit"
            return None, None, "the commit is not there, or has other changes"
        if change.after is not None and kept is not None and is_result(kept, change.after, change.edit):
            after = change.after if "\r" in kept else change.after.replace("\r\n", "\n")
            return kept, after, "session: leads to the recorded result"
        if not change.diff:
            return None, None, "no result is recorded"
        after = proven(kept, change) if kept is not None else None
        if after is not None:
            return kept, after, "session: fits the recorded difference"
        versions = history.versions(change.path, call.time) if history is not None else ()
        for version in versions:
            after = proven(version, change)
            if after is not None:
                return version, after, "git: fits the recorded difference"
        return None, None, "no version fits the recorded difference"

    def _edit(self, position: int, call: RecordedCall, change: FileChange) -> RecordedEdit:
        """A change of a call as an edit, with the file that it was made on, as far as that is known."""
        before: str | None
        results: tuple[str, ...]
        verdict, reason = self._verdict(call, change)
        if verdict == "accepted":
            before, origin, results = self._accepted(position, change)
        elif verdict == "rejected":
            before, origin, results = self._rejected(position, change, reason)
        else:
            before, origin, results = None, verdict, ()
        is_first = verdict == "rejected" and reason != OTHER_FILE
        calls, tokens = self._follow_up(position, change.path) if is_first else (0, 0)
        edit_id = make_id(self._source, before, change.edit, call.id)
        history = self._histories.find(change.path)
        name = history.name_of(change.path) if history is not None else change.path
        return RecordedEdit(
            edit_id, self._agent, call.model, call.tool, change.form, change.path, change.edit, verdict, reason,
            call.answer[: transcript_limits.LONGEST_ANSWER], before, origin, results, calls, tokens, self._source, name,
        )  # fmt: skip

    def _accepted(self, position: int, change: FileChange) -> tuple[str | None, str, tuple[str, ...]]:
        """The file before an accepted edit, how it is known, and the results that are right."""
        sights = self._sights[self._names[change.path]]
        sight = sights[bisect_left(sights, position, key=_position)]
        if sight.before is None:
            return None, sight.origin, ()
        meant = literal(sight.before, change.edit)
        results = tuple(dict.fromkeys(text for text in (sight.after, meant) if text is not None))
        if not results:
            return None, "the result is not known", ()
        return sight.before, sight.origin, results

    def _rejected(self, position: int, change: FileChange, reason: str) -> tuple[str | None, str, tuple[str, ...]]:
        """The file at a rejected edit, how it is known, and the result if only the agent's rules rejected it."""
        before, origin = self._find_rejected(position, change)
        if before is None:
            return None, origin, ()
        if contradicts(reason, before, change.edit):
            return None, "the file found does not agree with the tool's answer", ()
        if reason not in ("file not read", "file changed since"):
            return before, origin, ()
        meant = literal(before, change.edit)
        return before, origin, () if meant is None else (meant,)

    @staticmethod
    def _verdict(call: RecordedCall, change: FileChange) -> tuple[Verdict, str]:
        """Whether the tool of the agent took a change, and why not, as far as its answer says so."""
        if call.accepted is None:
            return "unanswered", ""
        if call.accepted:
            return "accepted", ""
        reason = find_reason(call.answer)
        if reason == "declined":
            return "declined", ""
        edited = [part.path for part in call.changes if part.edit]
        if reason == "not found" and len(edited) > 1 and _names_another(call.answer, change.path, edited):
            return "rejected", OTHER_FILE
        return "rejected", reason

    def _find_rejected(self, position: int, change: FileChange) -> tuple[str | None, str]:
        """The file at a rejected edit, and how it is known; None and why not if it is not known."""
        if change.before is not None:
            return change.before, "recorded"
        sights = self._sights.get(self._names[change.path], [])
        index = bisect_left(sights, position, key=_position)
        previous = sights[index - 1] if index > 0 else None
        following = sights[index] if index < len(sights) else None
        earlier = previous.after if previous is not None else None
        later = following.before if following is not None else None
        if earlier is not None and later is not None and earlier.rstrip("\n") == later.rstrip("\n"):
            return later, "session: the same before and after"
        if following is not None and later is not None and self._is_quiet(position, following.position):
            return later, "session: seen right after"
        if previous is not None and earlier is not None and self._is_quiet(previous.position, position):
            return earlier, "session: seen right before"
        if earlier is None and later is None:
            return None, "the file is not shown"
        return None, "changed in between"

    def _is_quiet(self, start: int, end: int) -> bool:
        """Whether nothing between two positions may have changed a file without a record of it."""
        index = bisect_left(self._unrecorded, start + 1)
        return index >= len(self._unrecorded) or self._unrecorded[index] >= end

    def _follow_up(self, position: int, path: str) -> tuple[int, int]:
        """The calls and tokens after a rejected edit, up to the next edit of its file or to the end of the turn."""
        calls = tokens = 0
        for item in self._timeline[position + 1 : position + 1 + transcript_limits.LONGEST_FOLLOW_UP]:
            if isinstance(item, Turn):
                if item.is_prompt:
                    break
                tokens += item.tokens
                continue
            calls += 1
            if any(self._names[change.path] == self._names[path] and change.form != "read" for change in item.changes):
                break
        return calls, tokens


def _same_files(paths: Iterable[str]) -> dict[str, str]:
    """Each path with the name of its file: a relative path is that of the only absolute one that ends with it."""
    plain_paths = {path: path.replace("\\", "/").removeprefix("./") for path in paths}
    absolute_paths = {path for path in plain_paths.values() if path.startswith("/") or path[1:3] == ":/"}
    by_end: dict[str, list[str]] = defaultdict(list)
    for path in absolute_paths:
        if len(path) > LONGEST_PATH:
            continue
        parts = path.split("/")[-transcript_limits.MOST_PATH_PARTS :]
        for index in range(len(parts)):
            by_end["/".join(parts[index:])].append(path)
    names = {}
    for path, plain_path in plain_paths.items():
        candidates = by_end.get(plain_path, [])
        names[path] = candidates[0] if len(candidates) == 1 else plain_path
    return names


def _names_another(answer: str, path: str, edited_paths: Sequence[str]) -> bool:
    """Whether an answer names one of the edited files, but not the one at a path."""
    start = answer[: transcript_limits.LONGEST_ANSWER]
    named = [name for name in edited_paths if name in start or name.rsplit("/", 1)[-1] in start]
    return bool(named) and not any(is_same_path(path, name) for name in named)


def _recorded_result(change: FileChange, before: str) -> str | None:
    """The file after a change: as it is recorded, else by the recorded difference, else by the edit itself."""
    if change.after is not None:
        return change.after
    after = apply_recorded(before, change.diff)
    return after if after is not None else literal(before, change.edit)


def literal(before: str, edits: tuple[StringEdit, ...] | str) -> str | None:
    """The text after string edits, where each old text occurs as it is written, and as often as it may.

    None if one does not, or if the edits are not string edits.
    """
    if isinstance(edits, str):
        return None
    text = before
    for edit in edits:
        count = text.count(edit.old) if edit.old else 0
        if count == 0 or (count > 1 and not edit.replace_all):
            return None
        text = text.replace(edit.old, edit.new)
    return text


def proven(text: str, change: FileChange) -> str | None:
    """The result if this is the text that the recorded difference was made from, otherwise None."""
    after = apply_recorded(text, change.diff)
    if after is None:
        return None
    if isinstance(change.edit, str):
        return after if explains(text, after, change.edit) else None
    if len(change.edit) != 1:
        return after
    edit = change.edit[0]
    if text.count(edit.old) > 1 and not edit.replace_all:
        return None  # the tool would have rejected it
    meant = literal(text, change.edit)
    if meant is None:
        return after
    return meant if meant.rstrip("\n") == after.rstrip("\n") else None


def is_result(before: str, after: str, edit: tuple[StringEdit, ...] | str) -> bool:
    """Whether one text becomes the other by what an edit says, and by nothing else."""
    return explains(before, after, edit) if isinstance(edit, str) else literal(before, edit) == after


def contradicts(reason: str, before: str, edit: tuple[StringEdit, ...] | str) -> bool:
    """Whether a tool can't have seen this text, because it would have answered otherwise."""
    if isinstance(edit, str) or len(edit) != 1:
        return False
    count = before.count(edit[0].old)
    return (reason == "not found" and count > 0) or (reason == "several matches" and count < 2)


def read_edits(source: Source, watch: Callable[[str, Recording], None] | None = None) -> Iterator[RecordedEdit]:
    """The edits of all transcripts of a source. `watch` is called with each recording that was read."""
    known: set[str] = set()
    for reading in read_source(source):
        for reader in reading.readers:
            if watch is not None:
                watch(source.name or str(source.path), reader.recording)
            for _, timeline in reader.recording.timelines():
                yield from Rebuilder(reader.agent, source.name, timeline, reading.histories).edits(known)
