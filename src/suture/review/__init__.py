"""Review: what waits for an answer on this machine, what was done, and what was refused.

`suture review` shows it to people, on a page or in a terminal. Other front ends use the same classes.
"""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .explanations import Explanation as Explanation, Explanations as Explanations, explain_patch as explain_patch
    from .file_texts import FileTexts as FileTexts
    from .inbox import (
        Coverage as Coverage,
        Inbox as Inbox,
        InboxItem as InboxItem,
        RefusedAnswerError as RefusedAnswerError,
    )
    from .timeline import Blame as Blame, Reversal as Reversal, Timeline as Timeline
    from .watch import Watch as Watch

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "explanations": "Explanation Explanations explain_patch",
            "file_texts": "FileTexts",
            "inbox": "Coverage Inbox InboxItem RefusedAnswerError",
            "timeline": "Blame Reversal Timeline",
            "watch": "Watch",
        },
    )
