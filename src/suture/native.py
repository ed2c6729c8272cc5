"""The way to the native code, which an installation may be without: nothing is decided here.

Where it could not be built, Suture is the same and only slower (docs/decisions/0007-native-short-way.md). Who uses it
asks `present` each time, so that a test can do without it.
"""

from __future__ import annotations

try:
    from ._native import place_lines, split_envelope

    present = True
except ImportError:
    present = False

__all__ = ["place_lines", "present", "split_envelope"]
