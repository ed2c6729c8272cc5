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

_HOMES = {
    "AllowAll": "approvers",
    "Answer": "answers",
    "ApprovalFolder": "approval_folder",
    "ApprovalQueue": "approvers",
    "Callback": "approvers",
    "Decision": "answers",
    "DenyAll": "approvers",
    "Request": "requests",
    "Rule": "rules",
    "Rules": "rules",
    "approved_plan": "partial_approval",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
