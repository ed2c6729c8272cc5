"""Patches on a dictionary of texts, with no disk, no journal and no history: for evaluation and training loops."""

from __future__ import annotations

from ..core.problems import PatchRejectedError
from ..core.value import Value
from .memory import MemoryFiles
from .plans import Plans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from ..core.patch import Patch
    from .outcome import Plan
    from .plans import Choices


class InMemory(Value):
    """What became of some texts: all of them, and the plan that says what changed."""

    texts: Mapping[str, str | bytes]
    plan: Plan


def apply_in_memory(patch: str | Patch, texts: Mapping[str, str | bytes], **settings: Unpack[Choices]) -> InMemory:
    """Apply a patch to texts by their relative paths. What was given as str comes back as str.

    The settings are those of a Workspace that concern reading: `dialect`, `allow`, `deny`, `encoding` and so on.

    Raises:
        PatchInvalidError: the patch can't be read.
        PatchRejectedError: it can't be applied, with all its problems.
    """
    plan = Plans(MemoryFiles(texts), **settings).plan(patch)
    if plan.problems:
        raise PatchRejectedError(plan.problems)
    after = dict(texts)
    for file in plan.files:
        after.pop(file.shown, None)
        if file.after.kind == "file":
            data = file.content_after or b""
            source = file.moved_from or file.like or file.path
            after[file.shown] = _as_given(data, texts.get(source.lstrip("/")))
    return InMemory(after, plan)


def _as_given(data: bytes, before: str | bytes | None) -> str | bytes:
    if isinstance(before, bytes):
        return data
    try:
        return data.decode("utf-8", "strict" if before is None else "surrogatepass")
    except UnicodeDecodeError:
        return data
