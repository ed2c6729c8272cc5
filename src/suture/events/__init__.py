"""What happened, as values, and the bus that delivers it to subscribers."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .bus import (
        Bus as Bus,
        DiagnosticsReceived as DiagnosticsReceived,
        FileChanged as FileChanged,
        FileEdited as FileEdited,
        PermissionAsked as PermissionAsked,
        PermissionReplied as PermissionReplied,
        SubscriberFailed as SubscriberFailed,
    )

_HOMES = {
    "Bus": "bus",
    "DiagnosticsReceived": "bus",
    "FileChanged": "bus",
    "FileEdited": "bus",
    "PermissionAsked": "bus",
    "PermissionReplied": "bus",
    "SubscriberFailed": "bus",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
