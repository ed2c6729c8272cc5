"""The tools that the cases are run on: Suture, and its peers from the package index where they are installed.

An adapter takes a case and gives the new text as bytes, or raises whatever its tool raises to refuse. Suture and the
Rust package read the envelope as spoilt; `apply_diff` gets the hunks between the markers; `mpatch` and `purepatch` read
unified diffs, so a spoilt frame does not reach them: they get the same hunks with right line numbers. Who reads no
frame is not asked about one that was cut short.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cases import PatchCase

#: Lines of the file times lines of the patch; above it mpatch is not asked: it can take half a minute,
#: and can't be interrupted.
WORK_OF_MPATCH = 100_000
CUT_SHORT = frozenset({"cut_off", "no_end"})


class NotAskedError(Exception):
    """The case is too large for this peer; it isn't counted."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool made of a case: new bytes, and for Suture the tiers of its matches, with a word on how."""

    content: bytes
    tiers: tuple[str, ...] = ()
    note: str = ""


def suture(case: PatchCase) -> Answer:
    """Suture, in the dialect `standard`, on bytes."""
    from suture import UpdateFile, parse, update

    content = case.before.encode()
    tiers: list[str] = []
    for operation in parse(case.patch).operations:
        if isinstance(operation, UpdateFile) and operation.path == case.path:
            done = update(content, operation.hunks, path=case.path)
            content = done.text
            tiers += [match.tier for match in done.matches]
        elif operation.path != "added-beside.txt":
            message = f"the patch names {operation.path!r}, not {case.path!r}"
            raise LookupError(message)
    return Answer(content, tuple(tiers))


def codex_apply_patch(case: PatchCase) -> Answer:
    """The Rust engine behind Codex, as packaged for Python."""
    import codex_apply_patch as peer

    result = peer.apply_patch_in_memory(case.patch, {case.path: case.before})
    return Answer(result.files[case.path].encode())


def apply_diff(case: PatchCase) -> Answer:
    """`apply_diff` of openai-agents, on what stands between the markers."""
    from agents import apply_diff as peer

    if case.way in CUT_SHORT:
        raise NotAskedError
    found = re.findall(r"^\*\*\* Update File: .*\n((?:.*\n)*?)\*\*\* End Patch", case.patch, re.MULTILINE)
    hunks = found[0].removesuffix("\n") if len(found) == 1 else case.body
    return Answer(peer(case.before, hunks).encode())


def mpatch(case: PatchCase) -> Answer:
    """mpatch with its own default of fuzziness."""
    import mpatch as peer

    if case.way in CUT_SHORT or case.before.count("\n") * case.unified.count("\n") > WORK_OF_MPATCH:
        raise NotAskedError
    return Answer(peer.patch_content(case.unified, case.before).encode())


def purepatch(case: PatchCase) -> Answer:
    """purepatch with its own default of fuzz."""
    import purepatch as peer

    if case.way in CUT_SHORT:
        raise NotAskedError
    return Answer(peer.apply(case.unified, case.before).encode())


TOOLS: dict[str, Callable[[PatchCase], Answer]] = {
    "suture": suture,
    "codex-apply-patch": codex_apply_patch,
    "openai-agents": apply_diff,
    "mpatch": mpatch,
    "purepatch": purepatch,
}
MODULES = {"codex-apply-patch": "codex_apply_patch", "openai-agents": "agents"}
#: These get line numbers that are right, so what is ambiguous without them need not be refused.
KNOW_THE_LINE = frozenset({"mpatch", "purepatch"})


def installed(*, with_peers: bool) -> list[str]:
    """The tools to run."""
    return [
        name
        for name in TOOLS
        if name == "suture" or (with_peers and importlib.util.find_spec(MODULES.get(name, name)) is not None)
    ]
