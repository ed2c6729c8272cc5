"""Functions that a caller gives us to call: an approver, a subscriber."""

from __future__ import annotations

import inspect


def is_async(callback: object) -> bool:
    """Whether a function is async; also one that is bound, wrapped in `partial`, or an object's `__call__`."""
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(getattr(callback, "__call__", None))  # noqa: B004
