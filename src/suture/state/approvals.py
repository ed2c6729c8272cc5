"""The answers "always" that a workspace keeps: permissions and globs.

They are kept only in the user's own state directory. One inside the workspace can be written by whoever works there,
who could then approve everything.
"""

from __future__ import annotations

from time import time

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .backend import StateBackend


class Approval(Value):
    """An answer that is kept: paths that the glob matches need no further approval for the permission."""

    permission: str
    glob: str
    #: When it was given, in seconds since 1970.
    time: float

    def __str__(self) -> str:
        return f"{self.permission} {self.glob}"


class Approvals:
    """The kept answers of a workspace. `own_state` opens the state that its commits are recorded in."""

    def __init__(self, own_state: Callable[[], StateBackend]) -> None:
        self._own_state = own_state

    def all(self) -> list[Approval]:
        """All of them, oldest first."""
        own = self._own_state()
        return [] if own.is_inside else [Approval(*row) for row in own.store.approvals()]

    def keep(self, permission: str, glob: str) -> bool:
        """Keep an answer; False if the state is inside the workspace, where nothing is kept."""
        own = self._own_state()
        if not own.is_inside:
            own.store.keep_approval(permission, glob, time())
        return not own.is_inside

    def revoke(self, permission: str, glob: str) -> bool:
        """Forget an answer; False if there is none."""
        return self._own_state().store.revoke_approval(permission, glob)
