"""Edits as text: parsing every form, rendering, shell commands that contain patches, instructions for models."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .invocations import Invocation as Invocation, parse_invocation as parse_invocation
    from .stream_parser import PatchParser as PatchParser

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "invocations": "Invocation parse_invocation",
            "stream_parser": "PatchParser",
        },
    )
