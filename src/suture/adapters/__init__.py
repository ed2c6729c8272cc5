"""Suture in agent frameworks: a module for each, which needs the extra of the same name. None loads another.

`reply` writes the reply to a question that a framework has shown to a person.
"""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .bridge import reply as reply

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, {"bridge": "reply"})
