"""What happens in a session, as values, and the bus that delivers it to subscribers."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    from .subscribers import Subscription as Subscription

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bus": "Bus",
            "event": (
                "DiagnosticsReceived Event FileChanged FileEdited PermissionAsked PermissionReplied SubscriberFailed"
            ),
            "subscribers": "Subscription",
        },
    )
