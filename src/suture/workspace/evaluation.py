"""Patches on a dictionary of texts, with no disk, no journal and no history: for evaluation and training loops."""

from __future__ import annotations

from ..core.dialect import dialect_named
from ..core.edit_options import DEFAULT_OPTIONS
from ..core.problems import PatchRejectedError
from ..core.value import Value
from .files.memory import MemoryFiles
from .history_text import parse_patch
from .workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from ..core.dialect import Dialect
    from ..core.edit_options import EditOptions, EditSettings
    from ..core.outcome import Plan
    from ..core.patch import Patch


class InMemory(Value):
    """What became of some texts: all of them, and the plan that says what changed."""

    texts: Mapping[str, str | bytes]
    plan: Plan


def apply_in_memory(
    patch: str | Patch,
    texts: Mapping[str, str | bytes],
    *,
    dialect: str | Dialect = "standard",
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    lift: Iterable[str] = (),
    encodings: Mapping[str, str] | Iterable[tuple[str, str]] = (),
    options: EditOptions = DEFAULT_OPTIONS,
    exclude: Iterable[str] = (),
    **settings: Unpack[EditSettings],
) -> InMemory:
    """Apply a patch to texts by their relative paths. A file that was str stays str. The settings are a Workspace's.

    Edits that name no file are those of the only one. Texts have no modes: `plan` says which files a diff makes
    executable.

    Raises:
        PatchInvalidError: the patch can't be read.
        PatchRejectedError: it can't be applied, with all its problems.
    """
    workspace = Workspace(
        MemoryFiles(texts),
        dialect=dialect,
        allow=allow,
        deny=deny,
        lift=lift,
        encodings=encodings,
        options=options,
        **settings,
    )
    only_path = next(iter(texts)) if len(texts) == 1 else ""
    parsed, text = parse_patch(patch, dialect_named(dialect), exclude=exclude, path=only_path)
    plan = workspace.plan(parsed, text=text)
    if plan.problems:
        raise PatchRejectedError(plan.problems, plan)
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
