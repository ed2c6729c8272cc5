"""One agent at work in a workspace: the tools that a model calls."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .authorization import Permissions as Permissions
    from .formatters import Formatter as Formatter
    from .result import Result as Result

_HOMES = {
    "Formatter": "formatters",
    "Permissions": "authorization",
    "Result": "result",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
