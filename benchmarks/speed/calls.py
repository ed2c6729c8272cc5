"""The calls whose times are taken: Suture and the Rust engine on the same patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import suture

if TYPE_CHECKING:
    from collections.abc import Callable


def placed(text: str, patch_text: str) -> object:
    """What Suture makes of it: the Update, or the refusal with its explanation."""
    try:
        operation = suture.parse(patch_text).operations[0]
        return suture.update(text, operation.hunks, path=operation.path)  # type: ignore[union-attr]
    except suture.PatchRejectedError as rejected:
        return rejected.for_model()


def right(text: str, patch_text: str, after: str) -> bool:
    """Whether Suture makes of it what it should."""
    return getattr(placed(text, patch_text), "text", None) == after


def codex(text: str, patch_text: str, path: str) -> Callable[[], object]:
    """The Rust engine from PyPI on the same input."""
    from codex_apply_patch import apply_patch_in_memory

    def call() -> object:
        try:
            return apply_patch_in_memory(patch_text, {path: text})
        except (ValueError, RuntimeError) as error:
            return error

    return call
