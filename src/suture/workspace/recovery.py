"""Commits that were cut short: each is rolled back, or closed where all of it is there.

Whether a commit still runs is told by its locks: they are held as long as its process lives, and the kernel lets go of
them when it is gone. So who gets them may repair, and nobody repairs what another process is at.
"""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem, RecoveryNeededError
from ..core.value import Value
from .files import problem_of
from .restore import clean_up, is_complete, restore_all
from .validate import vet_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from .files import Files
    from .guard import Guard
    from .locks import Locks
    from .state import MemoryLocks
    from .store import Store


class Recovered(Value):
    """What became of one commit that was cut short.

    `left_alone` are the files that somebody else has changed since; they are as those have left them.
    """

    id: str
    time: float
    actor: str
    outcome: Literal["rolled_back", "completed"]
    paths: tuple[str, ...]
    left_alone: tuple[str, ...] = ()

    def __str__(self) -> str:
        done = "was rolled back" if self.outcome == "rolled_back" else "was complete and is closed"
        kept = f"; left as they are: {', '.join(self.left_alone)}" if self.left_alone else ""
        return f"The commit {self.id} of {len(self.paths)} files, which was cut short, {done}{kept}."


def recover(
    files: Files, guard: Guard, store: Store, locks: Locks | MemoryLocks, *, flush: bool, inside: bool
) -> list[Recovered]:
    """Repair all commits that were cut short, the newest first, and tell what was done.

    `inside` says that the journal lies in the workspace and may have come with its files.

    Raises:
        RecoveryNeededError: one of them could not be repaired; the journal is left, and it can be tried again.
    """
    done: list[Recovered] = []
    for known in reversed(store.unfinished(whole=False)):
        hold = locks.try_hold([record.path for record in known.files], "recovery")
        if hold is None:
            continue
        with hold:
            # Another process may have been quicker, or the commit has ended since.
            entry = store.entry(known.id)
            if entry is None or entry.state != "open":
                continue
            paths = tuple([guard.shown(record.path) for record in entry.files])
            try:
                # What lies in the user's own state folder is trusted as the user is: a commit may have had wider globs.
                vet_entry(guard, entry, globs=inside, inside=inside)
                if is_complete(files, entry):
                    clean_up(files, entry, flush=flush)
                    store.finish(entry.id)
                    done.append(Recovered(entry.id, entry.time, entry.actor, "completed", paths))
                else:
                    left = restore_all(files, entry, flush=flush)
                    store.forget(entry.id)
                    kept = tuple([guard.shown(path) for path in left])
                    done.append(Recovered(entry.id, entry.time, entry.actor, "rolled_back", paths, kept))
            except OSError as error:
                raise RecoveryNeededError([problem_of(error, str(error.filename or entry.id))]) from error
            except PatchRejectedError as rejected:
                raise RecoveryNeededError(rejected.problems) from rejected
    return done


def nothing_to_do(name: str) -> Problem:
    """There is no commit of that name."""
    message = f"There is no commit {name} in the history."
    return Problem("not_found", message, details={"id": name}, hint="Look at the log for the ids that there are.")
