"""The configuration of a project and of its user, for every program and server that works on the project."""

from __future__ import annotations

from ...core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .find_settings import load as load, trust as trust
    from .settings import Configuration as Configuration

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, {"find_settings": "load trust", "settings": "Configuration"})
