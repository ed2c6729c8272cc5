"""Everything that touches the disk: plans, all-or-nothing commits, history, undo, recovery."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.line_hunks import LineHunk as LineHunk
    from ..core.outcome import Change as Change, Outcome as Outcome, Plan as Plan, Receipt as Receipt
    from ..core.record import RecoveredCommit as RecoveredCommit
    from .evaluation import InMemory as InMemory
    from .files.file_system import FileContent as FileContent
    from .files.memory import MemoryFiles as MemoryFiles
    from .shell_commands import verify_invocation as verify_invocation

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            ".core.line_hunks": "LineHunk",
            "evaluation": "InMemory",
            "files.file_system": "FileContent",
            "files.memory": "MemoryFiles",
            ".core.outcome": "Change Outcome Plan Receipt",
            ".core.record": "RecoveredCommit",
            "shell_commands": "verify_invocation",
        },
    )
