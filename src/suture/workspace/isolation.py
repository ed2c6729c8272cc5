"""A workspace of which one session sees its own changes and nobody else does, until they are merged.

`Isolation.workspace` is the workspace as that session sees it. It has a history of its own. `plan_merge` plans what
brings all changes into the real workspace as one commit: a file that has changed there since is merged by rebase, and
if anything does not fit together, the plan has only problems.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import time

from ..core.common_limits import NO_LIMIT
from ..core.problems import PatchRejectedError, Problem
from ..core.record import ABSENT
from ..place.merge_contents import replaced_texts
from ..state.overlay_store import (
    OverlayStore,
    StoredOrigin,
    isolated_folder,
    isolated_states,
    remove_isolated,
)
from .committer import Committer
from .isolated_files import IsolatedFiles
from .isolation_merge import IsolationMerge
from .rebase_plan import string_edits_of
from .workspace_limits import MOST_ISOLATED_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.outcome import Plan, Receipt
    from ..core.record import PlannedFile
    from ..state.overlay_store import IsolatedState, Place
    from ..state.workspace_state import HeldPaths
    from .isolation_merge import MergePlan
    from .workspace import Workspace

#: How many seconds the changes of a session are kept after the last one, if they are neither merged nor discarded.
KEEP_ISOLATED_SECONDS = 30 * 24 * 3600.0


class Isolation:
    """The changes of one isolated session, by its id. They outlive the process."""

    def __init__(self, tree: Workspace, session: str, actor: str = "") -> None:
        self.tree = tree
        state = tree.state.folder()
        folder = None if state is None else isolated_folder(state, session)
        self.store = OverlayStore(folder, session, actor)
        self.files = IsolatedFiles(tree.files, self.store)
        self.workspace = tree.over(self.files, self.store.state_dir, IsolatedCommitter)
        if state is not None:
            _remove_old(state)

    def close(self) -> None:
        """Close what is open. A session that has no changes leaves nothing behind."""
        self.workspace.close()
        self.store.close()
        if self.store.folder is not None:
            remove_isolated(self.store.folder, only_empty=True)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that the session has changed, as messages show them."""
        guard = self.tree.guard()
        nodes = self.store.nodes().items()
        return tuple([guard.shown(self.files.path(place)) for place, node in nodes if node.kind != "folder"])

    def texts(self) -> dict[str, bytes]:
        """The contents of the files that the session has changed, by absolute path."""
        places = [place for place, node in self.store.nodes().items() if node.kind == "file"]
        nodes = [(place, self.store.node(place, content=True)) for place in places]
        return {self.files.path(place): node.content for place, node in nodes if node is not None}

    def discard(self, path: str | None = None) -> tuple[str, ...]:
        """Forget all changes, or those of one file: it is what the workspace has. Gives the paths.

        A file that was moved is moved back.

        Raises:
            PatchRejectedError: the session has not changed that file.
        """
        guard = self.tree.guard()
        if path is None:
            paths = self.paths
            self.store.discard()
            return paths
        resolved = self.workspace.guard().resolve(path)
        places = self._together(self.files.place(resolved.name))
        nodes = self.store.nodes()
        named = [guard.shown(self.files.path(place)) for place in sorted(places) if place in nodes]
        if not named:
            message = f"{resolved.shown} has no changes in isolation."
            raise PatchRejectedError([Problem("no_change", message, resolved.shown)])
        self.store.discard(places)
        return tuple(named)

    def _together(self, place: Place) -> set[Place]:
        """A path, and those that its file was moved from and to."""
        origins = self.store.origins()
        places = {place}
        if place in origins and origins[place].origin is not None:
            places.add(origins[place].origin or place)
        return places | {one.place for one in origins.values() if one.origin in places}

    def plan_merge(self) -> MergePlan:
        """What brings all changes into the workspace."""
        with self.store.turn():
            # A commit that was cut short is not merged.
            self.workspace.recover_if_needed()
            self._end_interrupted_merge()
            self.tree.recover_if_needed()
            return IsolationMerge(self.tree, self.files, self.store).plan()

    def commit_merge(self, merge: MergePlan, actor: str | None) -> Receipt:
        """Commit a merge. What was merged is then no longer a change of the session.

        Raises:
            SutureError: as `Workspace.commit`.
        """
        # No other commit of the workspace has it, so that it proves this one after the process has died.
        token = f"merge {os.urandom(16).hex()}"
        with self.store.turn():
            self.store.begin_merge(token, merge.nodes)
            try:
                receipt = self.tree.commit(merge.plan.replace(patch=token), actor=actor, tool="merge")
            except PatchRejectedError:
                self.store.end_merge(is_done=False)
                raise
            self.store.end_merge(is_done=True)
            return receipt

    def forget_merged(self, merge: MergePlan) -> None:
        """Forget the changes of a merge that the workspace already has."""
        with self.store.turn():
            self.store.begin_merge("nothing to commit", merge.nodes)
            self.store.end_merge(is_done=True)

    def _end_interrupted_merge(self) -> None:
        """After a process died during a merge: whether it was committed is in the history of the workspace."""
        token = self.store.merging()
        if token:
            self.store.end_merge(is_done=self.tree.state.has_commit_of(token))


def isolated_sessions(tree: Workspace) -> list[IsolatedState]:
    """The isolated sessions of a workspace whose changes are neither merged nor discarded, newest first."""
    state = tree.state.folder()
    return [] if state is None else isolated_states(state)


def _remove_old(state: str) -> None:
    """Remove the changes of sessions that were left for too long."""
    with suppress(PatchRejectedError, OSError):
        for one in isolated_states(state):
            if one.time < time() - KEEP_ISOLATED_SECONDS:
                remove_isolated(one.folder)


class IsolatedCommitter(Committer):
    """Commits into the store of an isolated session, which first learns what the files were."""

    def commit(self, plan: Plan, held: HeldPaths, **more: Any) -> Receipt:  # noqa: ANN401 - as in the base
        """As the commit of any workspace."""
        files = self._files
        assert isinstance(files, IsolatedFiles), "BUG: only isolated files are committed to here"
        if plan.problems:
            raise PatchRejectedError(plan.problems, plan)
        known = files.store.origins()
        before = [file.before.size for file in plan.files if files.place(file.path) not in known]
        size = files.store.size() + sum(before) + sum([len(file.content) for file in plan.files])
        if size > MOST_ISOLATED_BYTES:
            message = (
                f"The files that this session has changed in isolation have more than {MOST_ISOLATED_BYTES:,} bytes."
            )
            raise PatchRejectedError([Problem("file_too_large", message, hint="Merge or discard them first.")])
        with files.store.turn():
            files.store.keep_origins([_origin(files, file) for file in plan.files])
            receipt = super().commit(plan, held, **more)
            files.store.keep_replaced(self._replaced(files, plan))
            self._forget_unchanged(files, plan)
            return receipt

    def _replaced(self, files: IsolatedFiles, plan: Plan) -> dict[Place, tuple[str, ...]]:
        """The texts of which every occurrence was replaced, by file, also before it was moved."""
        texts: dict[Place, tuple[str, ...]] = {}
        for file in plan.files:
            if file.after.kind == "file":
                source = file.moved_from or file.like
                moved = files.store.replaced(files.place(source)) if source not in ("", file.path) else ()
                texts[files.place(file.path)] = (*replaced_texts(string_edits_of(plan, file, self._guard)), *moved)
        return texts

    def _forget_unchanged(self, files: IsolatedFiles, plan: Plan) -> None:
        """Forget files that are again what they were in the workspace, as after an undo."""
        origins = files.store.origins()
        unchanged: list[Place] = []
        for file in plan.files:
            place = files.place(file.path)
            origin = origins.get(place)
            node = files.store.node(place)
            if origin is None or node is None:
                continue
            is_same = file.after.is_as(origin.snapshot)
            if is_same and (node.kind != "file" or node.mode == origin.snapshot.mode):
                unchanged.append(place)
        if unchanged:
            files.store.discard(unchanged)


def _origin(files: IsolatedFiles, file: PlannedFile) -> StoredOrigin:
    """What a path that a plan changes was before: its state, its content, and the file that it comes from."""
    place = files.place(file.path)
    before = file.before if file.before.kind in ("file", "link") else ABSENT
    content = None
    if before.kind == "file":
        content = file.was if file.was is not None else files.read(file.path, NO_LIMIT)[0]
    source = ""
    if file.after.kind != "absent":
        source = file.moved_from or file.like
    return StoredOrigin(place, before, content, files.place(source) if source else None)
