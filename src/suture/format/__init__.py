"""Patches as text: parsing and rendering envelopes, shell commands that contain them, instructions for models."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .envelope import PatchParser as PatchParser
    from .invocations import Invocation as Invocation, parse_invocation as parse_invocation

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "envelope": "PatchParser",
            "invocations": "Invocation parse_invocation",
        },
    )
