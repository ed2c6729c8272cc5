"""Everything that touches the disk: plans, all-or-nothing commits, history, undo, recovery."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .evaluation import InMemory as InMemory
    from .files import FileContent as FileContent
    from .memory import MemoryFiles as MemoryFiles
    from .outcome import Change as Change, Plan as Plan, Receipt as Receipt
    from .recovery import RecoveredCommit as RecoveredCommit
    from .shell_commands import verify_invocation as verify_invocation

_HOMES = {
    "Change": "outcome",
    "FileContent": "files",
    "InMemory": "evaluation",
    "MemoryFiles": "memory",
    "Plan": "outcome",
    "Receipt": "outcome",
    "RecoveredCommit": "recovery",
    "verify_invocation": "shell_commands",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
