"""Functions that callers pass in, such as an approver or a subscriber."""

from __future__ import annotations

import inspect


def is_async(callback: object) -> bool:
    """Whether a function is async, including bound methods, `partial` objects, and objects with an async `__call__`."""
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(getattr(callback, "__call__", None))  # noqa: B004
