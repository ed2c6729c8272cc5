"""Commits that were cut short: each is rolled back, or closed if all of it was written.

The locks of a commit tell whether it is still running: its process holds them as long as it lives, and the kernel
releases them when it is gone. Whoever gets the locks may repair the commit.
"""

from __future__ import annotations

from ..core.problems import PatchRejectedError, RecoveryNeededError
from ..core.record import RecoveredCommit
from .files.file_system import problem_of
from .files.restore import clean_up, is_complete, restore_all
from .validate import check_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.backend import StateBackend
    from .files.file_system import Files
    from .guard import Guard


def recover(files: Files, guard: Guard, state: StateBackend, *, flush: bool) -> list[RecoveredCommit]:
    """Repair all commits of a state that were cut short, newest first.

    Raises:
        RecoveryNeededError: one of them could not be repaired; the journal is kept, and it can be tried again.
    """
    repaired: list[RecoveredCommit] = []
    store, inside = state.store, state.is_inside
    for unfinished in reversed(store.unfinished(whole=False)):
        hold = state.locks.try_hold([record.path for record in unfinished.files], "recovery")
        if hold is None:
            continue
        with hold:
            # Another process may have been quicker, or the commit has ended since.
            entry = store.entry(unfinished.id)
            if entry is None or entry.state != "open":
                continue
            paths = tuple([guard.shown(record.path) for record in entry.files])
            try:
                # The user's own state directory is trusted like the user: the commit may have had wider globs.
                check_entry(guard, entry, globs=inside, inside=inside)
                if is_complete(files, entry):
                    clean_up(files, entry, flush=flush)
                    store.finish(entry.id)
                    repaired.append(RecoveredCommit(entry.id, entry.time, entry.actor, "completed", paths))
                else:
                    restored = restore_all(files, entry, flush=flush)
                    store.forget(entry.id)
                    left_alone = tuple(map(guard.shown, restored.left_alone))
                    less_power = tuple(map(guard.shown, restored.less_power))
                    repaired.append(
                        RecoveredCommit(entry.id, entry.time, entry.actor, "rolled_back", paths, left_alone, less_power)
                    )
            except OSError as error:
                raise RecoveryNeededError([problem_of(error, str(error.filename or entry.id))]) from error
            except PatchRejectedError as rejected:
                raise RecoveryNeededError(rejected.problems) from rejected
    return repaired
