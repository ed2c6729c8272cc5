"""What may be done: rules, requests, answers, and who is asked."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answers import Answer as Answer, Decision as Decision
    from .approval_folder import ApprovalFolder as ApprovalFolder
    from .approvers import (
        AllowAll as AllowAll,
        ApprovalQueue as ApprovalQueue,
        Callback as Callback,
        DenyAll as DenyAll,
    )
    from .partial_approval import approved_plan as approved_plan
    from .requests import Request as Request
    from .rules import Rule as Rule, Rules as Rules

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "answers": "Answer Decision",
            "approval_folder": "ApprovalFolder",
            "approvers": "AllowAll ApprovalQueue Callback DenyAll",
            "partial_approval": "approved_plan",
            "requests": "Request",
            "rules": "Rule Rules",
        },
    )
