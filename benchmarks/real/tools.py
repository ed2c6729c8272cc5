"""Suture and the peers on real edits: each gives the new text, refuses, or is not asked.

Envelopes go to the Rust engine of Codex and to `apply_diff` of openai-agents, string edits to `str.replace` and to
aider's matcher. Whatever a peer raises is a refusal.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from benchmarks.accuracy import peers, string_peers
from benchmarks.accuracy.cases import PatchCase
from benchmarks.accuracy.strings import StringCase

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cases import RealCase, Status


def suture(case: RealCase) -> str:
    """Suture; a patch may move the file."""
    import suture as engine

    fields = case.fields
    if not case.is_patch:
        return str(engine.replace(case.before, fields["old"], fields["new"], replace_all=fields["replace_all"]).text)
    patch = engine.parse(fields["patch"], form=fields["form"]) if case.form != "envelope" else fields["patch"]
    [text] = engine.apply_in_memory(patch, {case.path.lstrip("/"): case.before}, lift=("**",)).texts.values()
    return str(text)


def codex_apply_patch(case: RealCase) -> str:
    """The Rust engine behind Codex."""
    import codex_apply_patch as peer

    [text] = peer.apply_patch_in_memory(case.fields["patch"], {case.path: case.before}).files.values()
    return str(text)


def apply_diff(case: RealCase) -> str:
    """`apply_diff` of openai-agents, on what is between the markers."""
    return peers.apply_diff(_patch(case)).content.decode()


def str_replace(case: RealCase) -> str:
    """The old text must occur exactly once, or all of its occurrences are meant."""
    if case.fields["replace_all"] and case.fields["old"] in case.before:
        return case.before.replace(case.fields["old"], case.fields["new"])
    return string_peers.str_replace(_string_edit(case)).content.decode()


def aider(case: RealCase) -> str:
    """aider's matcher, which has no way to replace all occurrences."""
    if case.fields["replace_all"]:
        raise peers.NotAskedError
    return string_peers.aider(_string_edit(case)).content.decode()


def _patch(case: RealCase) -> PatchCase:
    patch = case.fields["patch"]
    return PatchCase(name=case.name, way="", detail="", path=case.path, before=case.before, after="", patch=patch,
                     body="", unified="", expectation="after")  # fmt: skip


def _string_edit(case: RealCase) -> StringCase:
    old, new = case.fields["old"], case.fields["new"]
    return StringCase(name=case.name, way="", detail="", path="", before=case.before, after="", old=old, new=new,
                      expectation="after")  # fmt: skip


#: By what they read: envelopes, or string edits. Suture reads both.
TOOLS: dict[bool, dict[str, Callable[[RealCase], str]]] = {
    True: {"suture": suture, "codex-apply-patch": codex_apply_patch, "openai-agents": apply_diff},
    False: {"suture": suture, "str.replace": str_replace, "aider-chat": aider},
}


def installed(*, with_peers: bool) -> list[str]:
    """The tools to run."""
    if not with_peers:
        return ["suture"]
    present = [name for name in TOOLS[True] if importlib.util.find_spec(peers.MODULES.get(name, name)) is not None]
    return [*present, *(name for name in string_peers.installed(with_peers=True) if name != "suture")]


def ask(tool: str, case: RealCase) -> tuple[Status, str] | None:
    """The new text, or the refusal's text; nothing where the tool does not read such edits."""
    call = TOOLS[case.is_patch].get(tool)
    if call is None or (tool != "suture" and case.form not in ("envelope", "string")):
        return None
    try:
        return "done", call(case)
    except peers.NotAskedError:
        return None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as refusal:  # noqa: BLE001  # each peer has exceptions of its own, and Rust panics are no Exception
        return _refusal(tool, refusal)


def _refusal(tool: str, refusal: BaseException) -> tuple[Status, str]:
    if tool != "suture":
        return "refused", str(refusal)
    from suture import PatchRejectedError, SutureError

    if isinstance(refusal, PatchRejectedError):
        return "refused", refusal.for_model()
    return ("refused" if isinstance(refusal, SutureError) else "raised"), repr(refusal)
