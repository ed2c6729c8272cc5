"""What brings the changes of an isolated session into the workspace: one plan for all of them.

For each file there are three states: what it was when the session first changed it, what the session has made of it,
and what the workspace has made of it since. Texts are merged by rebase. Whatever does not fit together is a problem,
and then the plan does nothing at all.
"""

from __future__ import annotations

from posixpath import dirname

from ..core.common_limits import NO_LIMIT
from ..core.fingerprint import fingerprint
from ..core.outcome import Plan
from ..core.problems import PatchRejectedError, Problem
from ..core.record import ABSENT, NEW_EXECUTABLE, PlannedFile, Snapshot
from ..core.text import Text
from ..core.value import Value
from ..place.merge_contents import merge_contents, rebased_concession
from ..words.merge_conflict import DISCARD_FIRST, IsolatedConflict, MergeConflict
from .changes import change_of
from .files.file_system import problem_of
from .files.look import look
from .validate import check_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.outcome import Change, Kind
    from ..place.merge_contents import MergedContent
    from ..state.overlay_store import OverlayStore, Place
    from .isolated_files import IsolatedFiles
    from .workspace import Workspace


class MergePlan(Value):
    """What a merge would do: the plan, what was merged with later changes by path, and the nodes that it is about."""

    plan: Plan
    merged: Mapping[str, MergedContent]
    #: The content that the session has of each file, and the one that it started from, by path.
    mine: Mapping[str, bytes]
    nodes: Mapping[Place, int]


class IsolationMerge:
    """One merge, while it is planned."""

    def __init__(self, tree: Workspace, files: IsolatedFiles, store: OverlayStore) -> None:
        self._files = files
        self._tree = tree
        self._guard = tree.guard()
        self._store = store
        self._nodes = store.nodes()
        self._origins = store.origins()
        self._planned: list[PlannedFile] = []
        self._changes: list[Change] = []
        self._folders: dict[str, None] = {}
        self._problems: list[Problem] = []
        self._merged: dict[str, MergedContent] = {}
        self._mine: dict[str, bytes] = {}
        #: The old paths of files that were moved.
        self._sources: set[Place] = set()

    def plan(self) -> MergePlan:
        """The plan, with a problem for each file that can't be merged."""
        moves = self._moves()
        self._sources = set(moves.values())
        for place, node in self._nodes.items():
            if node.kind == "folder" or place in self._sources:
                continue
            try:
                if place in moves:
                    self._move(moves[place], place)
                else:
                    self._path(place)
            except PatchRejectedError as rejected:
                self._problems += rejected.problems
            except OSError as error:
                self._problems.append(problem_of(error, self._shown(place)))
        numbers = {place: node.id for place, node in self._nodes.items()}
        nothing = Plan(patch="merge", tool="merge", cwd=self._guard.cwd)
        plan = nothing.replace(
            changes=tuple(self._changes), files=tuple(self._planned), folders=tuple(sorted(self._folders))
        )
        if not self._problems:
            try:
                # What the session changed in isolation may be denied by now.
                check_plan(self._guard, plan)
            except PatchRejectedError as rejected:
                self._problems += rejected.problems
        if self._problems:
            plan = nothing.replace(problems=tuple(self._problems))
        return MergePlan(plan, self._merged, self._mine, numbers)

    def _moves(self) -> dict[Place, Place]:
        """The files that were moved: where they are, and where they were."""
        moves: dict[Place, Place] = {}
        sources: set[Place] = set()
        for place, node in self._nodes.items():
            origin = self._origins.get(place)
            source = None if origin is None else origin.origin
            if node.kind not in ("file", "link") or source is None or source == place or source in sources:
                continue
            base = self._origins.get(source)
            left_behind = self._nodes.get(source)
            is_gone = left_behind is not None and left_behind.kind == "absent"
            if is_gone and base is not None and base.snapshot.kind == node.kind:
                moves[place] = source
                sources.add(source)
        return moves

    def _path(self, place: Place) -> None:
        """Plan what becomes of a path whose file was not moved."""
        origin = self._origins.get(place)
        base = ABSENT if origin is None else origin.snapshot
        mine, content = self._own(place)
        now, data = self._now(place)
        if mine.is_as(base) and mine.mode == base.mode:
            return
        is_changed_file = mine.kind == "file" and base.kind == "file"
        if is_changed_file and now.kind == "file":
            mode = mine.mode if mine.mode != base.mode else now.mode
            content = self._content(place, self._store.content_before(place), data or b"", content or b"")
            after = Snapshot("file", fingerprint(content), len(content), mode)
            if content != data or mode != now.mode:
                self._add(place, now, data, after, content, like=place)
            return
        if now.is_as(mine):
            return
        if not now.is_as(base):
            raise PatchRejectedError([_conflict(self._shown(place), base, now, mine)])
        after = mine
        if mine.kind == "file" and base.kind != "file":
            # A new file gets the default mode, or that of a program if it is one.
            after = mine.replace(mode=NEW_EXECUTABLE if mine.mode & 0o100 else 0)
        self._add(place, now, data, after, content, like=place if base.kind == "file" else None)

    def _move(self, source: Place, place: Place) -> None:
        """Plan the move of a file, which may have changed before and after."""
        base, target = self._origins[source], self._origins[place]
        mine, content = self._own(place)
        (now, data), (there, there_data) = self._now(source), self._now(place)
        if now.kind == "absent" and there.is_as(mine):
            return
        if not there.is_as(target.snapshot):
            raise PatchRejectedError([_conflict(self._shown(place), target.snapshot, there, mine)])
        if now.kind != base.snapshot.kind or (now.kind == "link" and now != base.snapshot):
            raise PatchRejectedError([_conflict(self._shown(source), base.snapshot, now, ABSENT)])
        after = mine
        if mine.kind == "file":
            content = self._content(place, self._store.content_before(source), data or b"", content or b"")
            mode = mine.mode if mine.mode != base.snapshot.mode else now.mode
            after = Snapshot("file", fingerprint(content), len(content), mode)
        if there.kind != "absent":
            if mine.kind == "link":
                raise PatchRejectedError([_conflict(self._shown(place), target.snapshot, there, mine)])
            self._changes.append(change_of("delete", self._shown(place), (there, there_data), (ABSENT, None)))
        self._add_folders(place)
        is_renamed = there.kind == "absent" and content == data and after.mode == now.mode
        old, new = self._files.path(source), self._files.path(place)
        encoding = self._tree.encoding_of(new)
        self._planned.append(
            PlannedFile(
                new,
                self._guard.shown(new),
                there,
                after,
                b"" if is_renamed else content or b"",
                old,
                old if is_renamed else "",
                data if is_renamed else there_data,
                encoding or "",
            )
        )
        self._planned.append(PlannedFile(old, self._guard.shown(old), now, ABSENT, was=data, encoding=encoding or ""))
        change = change_of(
            "move",
            self._guard.shown(old),
            (now, data),
            (after, content),
            move_to=self._guard.shown(new),
            encoding=encoding,
        )
        self._changes.append(self._with_concession(place, change))

    def _add(
        self,
        place: Place,
        now: Snapshot,
        data: bytes | None,
        after: Snapshot,
        content: bytes | None,
        *,
        like: Place | None,
    ) -> None:
        """Add a path to the plan: what is there now, and what the merge makes of it."""
        path = self._files.path(place)
        if after.kind != "absent":
            self._add_folders(place)
        encoding = self._tree.encoding_of(path)
        is_kept = like is not None and after.kind == "file"
        self._planned.append(
            PlannedFile(
                path=path,
                shown=self._guard.shown(path),
                before=now,
                after=after,
                content=(content or b"") if after.kind == "file" else b"",
                like=path if is_kept else "",
                was=data,
                encoding=encoding or "",
            )
        )
        kind: Kind = "update" if now.kind != "absent" else "add"
        if after.kind == "absent":
            kind = "delete"
        change = change_of(kind, self._guard.shown(path), (now, data), (after, content), encoding=encoding)
        self._changes.append(self._with_concession(place, change))

    def _with_concession(self, place: Place, change: Change) -> Change:
        merged = self._merged.get(self._files.path(place))
        if merged is None:
            return change
        return change.replace(concessions=(*change.concessions, rebased_concession(merged)))

    def _content(self, place: Place, base: bytes, now: bytes, mine: bytes) -> bytes:
        """The content of a file, merged with what the workspace has made of it.

        Raises:
            PatchRejectedError: the two changes do not fit together (`conflict`).
        """
        path = self._files.path(place)
        if mine == base:
            return now
        if now in (base, mine):
            return mine
        try:
            replaced = self._replaced(place, base, mine)
            merged = merge_contents(base, now, mine, self._shown(place), self._tree.encoding_of(path), replaced)
        except PatchRejectedError as rejected:
            raise PatchRejectedError([_as_isolated(one) for one in rejected.problems]) from rejected
        if merged.content != now:
            self._merged[path] = merged
            self._mine[path] = mine
        content: bytes = merged.content
        return content

    def _replaced(self, place: Place, base: bytes, mine: bytes) -> tuple[str, ...]:
        """The texts of which the session has replaced every occurrence, but for those that it took back."""
        texts = self._store.replaced(place)
        if not texts:
            return ()
        encoding = self._tree.encoding_of(self._files.path(place))
        before, after = (Text(content, encoding).raw for content in (base, mine))
        return tuple([text for text in texts if _is_replaced(text, before, after)])

    def _own(self, place: Place) -> tuple[Snapshot, bytes | None]:
        """What the session has made of a path."""
        node = self._store.node(place, content=True)
        if node is None or node.kind == "absent":
            return ABSENT, None
        if node.kind == "link":
            return Snapshot("link", target=node.target), b""
        return Snapshot("file", fingerprint(node.content), node.size, node.mode), node.content

    def _now(self, place: Place) -> tuple[Snapshot, bytes | None]:
        """What the workspace has at a path."""
        return look(self._tree.files, self._files.path(place), NO_LIMIT)

    def _shown(self, place: Place) -> str:
        return self._guard.shown(self._files.path(place))

    def _add_folders(self, place: Place) -> None:
        """Note the directories above a new file that the workspace does not have."""
        folder = dirname(self._files.path(place))
        while (stat := self._tree.files.stat(folder)) is None:
            self._folders[folder] = None
            folder = dirname(folder)
        if stat.kind != "folder":
            obstacle = self._guard.shown(folder)
            message = f"{self._shown(place)} can't be created: {obstacle} is a file in the workspace, not a directory."
            raise PatchRejectedError(
                [Problem("conflict", message, self._shown(place), hint=DISCARD_FIRST, reason="whole_file")]
            )


def _is_replaced(text: str, before: str, after: str) -> bool:
    """Whether a text is still replaced everywhere: there are fewer of it, or no line with it is as it was."""
    if after.count(text) < before.count(text):
        return True
    kept = set(before.splitlines()).intersection(after.splitlines())
    return "\n" not in text and not any(text in line for line in kept)


def _as_isolated(problem: Problem) -> Problem:
    """A problem of a merge, with what to do about it in isolation."""
    if isinstance(problem.cause, MergeConflict):
        return problem.replace(cause=IsolatedConflict.of(problem.cause))
    message = f"{problem.path} was changed in isolation and in the workspace, and it is not a text that can be merged."
    return Problem("conflict", message, problem.path, None, {"path": problem.path}, DISCARD_FIRST, reason="whole_file")


def _conflict(path: str, base: Snapshot, now: Snapshot, mine: Snapshot) -> Problem:
    """A path that was changed on both sides in ways that are not about lines."""
    message = f"{path} was {_act(base, mine)} in isolation and {_act(base, now)} in the workspace."
    details = {"path": path, "isolated": mine.sha256, "found": now.sha256}
    return Problem("conflict", message, path, None, details, DISCARD_FIRST, reason="whole_file")


def _act(before: Snapshot, after: Snapshot) -> str:
    """What was done to a path, in a word."""
    if after.kind == "absent":
        return "deleted or moved" if before.kind != "absent" else "left absent"
    if after.kind == "folder":
        return "made a directory"
    return "changed" if before.kind != "absent" else "added"
