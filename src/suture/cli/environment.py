"""What the environment of `suture` says about commits."""

from __future__ import annotations

import os

from .arguments import UsageError


def environment_durability() -> str | None:
    """The durability that the environment asks for, if it does.

    Raises:
        UsageError: there is no such level.
    """
    level = os.environ.get("SUTURE_DURABILITY")
    if level not in ("full", "process", None):
        message = f"SUTURE_DURABILITY must be full or process, not {level!r}"
        raise UsageError(message)
    return level
