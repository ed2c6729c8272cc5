"""Everything that touches the disk: plans, all-or-nothing commits, history, undo, recovery."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.line_hunks import LineHunk as LineHunk
    from .evaluation import InMemory as InMemory
    from .files import FileContent as FileContent
    from .memory import MemoryFiles as MemoryFiles
    from .outcome import Change as Change, Outcome as Outcome, Plan as Plan, Receipt as Receipt
    from .recovery import RecoveredCommit as RecoveredCommit
    from .shell_commands import verify_invocation as verify_invocation

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            ".core.line_hunks": "LineHunk",
            "evaluation": "InMemory",
            "files": "FileContent",
            "memory": "MemoryFiles",
            "outcome": "Change Outcome Plan Receipt",
            "recovery": "RecoveredCommit",
            "shell_commands": "verify_invocation",
        },
    )
