"""Patches made by the recipe of VS Code Copilot's corpus, from our own files.

The recipe: one to three lines of a file are inserted, deleted or replaced; up to three lines of context around them
have no prefix; a blank line precedes each `@@`, which may have the last line above that is less indented as its anchor.
"""

from __future__ import annotations

import random
from pathlib import Path

from suture import PatchRejectedError, apply_in_memory

SOURCES = sorted((Path(__file__).parent.parent.parent / "src" / "suture").rglob("*.py"))
PATCHES = 50


def make_patch(seed: int) -> tuple[str, str, str]:
    """A text, a patch for it, and the text that the patch means."""
    pick = random.Random(seed)
    text = pick.choice([path for path in SOURCES if path.stat().st_size > 1000]).read_text("utf-8")
    lines = text.replace("    ", "\t").split("\n")
    chosen = sorted(pick.sample(range(len(lines) - 1), pick.randint(1, 3)))
    patch, after = ["*** Begin Patch", "*** Update File: f", "@@"], []
    inside = False
    for number, line in enumerate(lines):
        near = any(0 < other - number < 3 or 0 <= number - other < 3 for other in chosen)
        if near and not inside:
            depth = len(line) - len(line.lstrip("\t"))
            above = [other for other in lines[:number] if not other.startswith("\t" * depth)] if depth else []
            patch += [""] * (number > 0) + [f"@@ {above[-1].strip()}".rstrip() if above else "@@"]
        inside = near
        how = pick.choice(("insert", "delete", "replace")) if number in chosen else "keep"
        patch += {
            "insert": [f"+# inserted {number}", line],
            "delete": [f"-{line}"],
            "replace": [f"-{line}", f"+# replaced {number}"],
            "keep": [line] if near else [],
        }[how]
        after += {
            "insert": [f"# inserted {number}", line],
            "delete": [],
            "replace": [f"# replaced {number}"],
            "keep": [line],
        }[how]
    return "\n".join(lines), "\n".join((*patch, "*** End Patch", "")), "\n".join(after)


def test_generated_patches_go_where_they_belong() -> None:
    """None goes to another place, and at most one is refused."""
    refused = []
    for seed in range(PATCHES):
        before, patch, after = make_patch(seed)
        try:
            assert apply_in_memory(patch, {"f": before}).texts["f"] == after, f"seed {seed}"
        except PatchRejectedError as rejected:
            refused.append((seed, rejected.problems))
    assert len(refused) <= 1, refused
