"""The same patches in other forms, each beside the tools that read the form.

A unified diff has the line numbers of the file it was made for, wrong ones where the way to spoil says so. Suture reads
it too with `@@ ... @@` instead of all numbers. A SEARCH/REPLACE block has the old and the new lines of a hunk; patches
with text after an `@@` are left out, because a block has no place for it. A frame that was spoilt does not reach these
forms, so a patch that was cut short is not asked.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import peers, score, string_peers
from .peers import Answer, NotAskedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .cases import PatchCase


class RefusalError(Exception):
    """A program has refused a diff."""


def _apply(case: PatchCase, text: str, form: str) -> Answer:
    """Suture on a text in a form."""
    from suture import UpdateFile, parse, update

    if case.way in peers.CUT_SHORT:
        raise NotAskedError
    content = case.before.encode()
    tiers: list[str] = []
    patch = parse(text)
    assert patch.form == form, "BUG: the text is in another form"
    for operation in patch.operations:
        assert isinstance(operation, UpdateFile), "BUG: every case is an update"
        done = update(content, operation.hunks, path=case.path)
        content = done.text
        tiers += [match.tier for match in done.matches]
    return Answer(content, tuple(tiers))


def suture_diff(case: PatchCase) -> Answer:
    """Suture on the diff."""
    return _apply(case, case.unified, "unified")


def suture_diff_without_numbers(case: PatchCase) -> Answer:
    """Suture on the diff with dots for the numbers."""
    return _apply(case, re.sub(r"^@@ -.*$", "@@ ... @@", case.unified, flags=re.MULTILINE), "unified")


def _run(case: PatchCase, *command: str) -> Answer:
    """A program on a file of its own, in a directory of its own."""
    if case.way in peers.CUT_SHORT:
        raise NotAskedError
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(case.before.encode())
        done = subprocess.run(
            command, cwd=folder, input=case.unified.encode(), capture_output=True, timeout=60, check=False
        )
        if done.returncode:
            raise RefusalError(done.stderr.decode(errors="replace")[:300])
        return Answer(path.read_bytes())


def git_apply(case: PatchCase) -> Answer:
    """`git apply`, which counts for itself."""
    return _run(case, "git", "apply", "--recount", "--whitespace=nowarn", "-")


def gnu_patch(case: PatchCase) -> Answer:
    """GNU patch with its own default of fuzz."""
    return _run(case, "patch", "-p1", "--batch", "--no-backup-if-mismatch", "--reject-file=-")


def _blocks(case: PatchCase) -> list[tuple[str, str]]:
    """The old and the new lines of each hunk."""
    if case.anchored or case.way in peers.CUT_SHORT:
        raise NotAskedError
    from suture import UpdateFile, parse

    (operation,) = parse(case.unified).operations
    assert isinstance(operation, UpdateFile), "BUG: every case is an update"
    return [tuple("".join(f"{line}\n" for line in side) for side in (hunk.old, hunk.new)) for hunk in operation.hunks]  # type: ignore[misc]


def suture_blocks(case: PatchCase) -> Answer:
    """Suture on the blocks."""
    blocks = [f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n" for old, new in _blocks(case)]
    return _apply(case, f"{case.path}\n" + "\n".join(blocks), "search-replace")


def aider_blocks(case: PatchCase) -> Answer:
    """aider's matcher, one block after the other, as aider does it."""
    text = case.before.replace("\r\n", "\n")
    for old, new in _blocks(case):
        found = string_peers.matcher()(text, old, new)
        if not found:
            raise RefusalError
        text = found
    return Answer((text if "\r\n" not in case.before else text.replace("\n", "\r\n")).encode())


FORMS: dict[str, dict[str, Callable[[PatchCase], Answer]]] = {
    "unified": {
        "suture": suture_diff,
        "suture, no numbers": suture_diff_without_numbers,
        "git apply": git_apply,
        "GNU patch": gnu_patch,
        "mpatch": peers.mpatch,
        "purepatch": peers.purepatch,
    },
    "search-replace": {"suture": suture_blocks, "aider-chat": aider_blocks},
}


def ask(case: PatchCase, form: str, names: Sequence[str]) -> list[score.Result]:
    """All tools on a case in a form."""
    results = [score.run(case, name, FORMS[form]) for name in names]
    if form != "unified" or case.safety or case.expectation != "refuse":
        return results
    # The diff has the numbers, so what is ambiguous without them need not be refused.
    right = case.after.encode()
    return [replace(one, outcome="exact") if one.content == right else one for one in results]
