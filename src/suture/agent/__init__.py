"""One agent at work in a workspace: the tools that a model calls, what may be done, who is asked, and what happened."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answers import Answer as Answer, Decision as Decision, LineComment as LineComment
    from .approval_folder import ApprovalFolder as ApprovalFolder
    from .approvers import (
        AllowAll as AllowAll,
        ApprovalQueue as ApprovalQueue,
        Callback as Callback,
        DenyAll as DenyAll,
    )
    from .authorization import Permissions as Permissions
    from .bus import Bus as Bus
    from .event import (
        DiagnosticsReceived as DiagnosticsReceived,
        Event as Event,
        FileChanged as FileChanged,
        FileEdited as FileEdited,
        PermissionAsked as PermissionAsked,
        PermissionReplied as PermissionReplied,
        SubscriberFailed as SubscriberFailed,
    )
    from .formatters import Formatter as Formatter
    from .partial_approval import approved_plan as approved_plan
    from .pending import Pending as Pending, Preview as Preview
    from .profiles import PROFILES as PROFILES, Profile as Profile
    from .reads import FileRead as FileRead, Reads as Reads
    from .requests import Request as Request
    from .result import Result as Result
    from .rules import Rule as Rule, Rules as Rules
    from .subscribers import Subscription as Subscription

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "answers": "Answer Decision LineComment",
            "approval_folder": "ApprovalFolder",
            "approvers": "AllowAll ApprovalQueue Callback DenyAll",
            "authorization": "Permissions",
            "bus": "Bus",
            "event": (
                "DiagnosticsReceived Event FileChanged FileEdited PermissionAsked PermissionReplied SubscriberFailed"
            ),
            "formatters": "Formatter",
            "partial_approval": "approved_plan",
            "pending": "Pending Preview",
            "profiles": "PROFILES Profile",
            "reads": "FileRead Reads",
            "requests": "Request",
            "result": "Result",
            "rules": "Rule Rules",
            "subscribers": "Subscription",
        },
    )
