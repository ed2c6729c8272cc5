"""Inputs for the fuzzers: texts, patches and JSON values, made and mutated by a `Random` that the caller seeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.peers.cases import CASES
from tests.shared.scenario import SCENARIOS

if TYPE_CHECKING:
    from random import Random

DIALECTS = ("standard", "codex", "opencode", "strict")
#: Patches that mutations start from.
PATCHES = [
    *(scenario.patch for scenario in SCENARIOS),
    *(case.text("/root") for case in CASES if not case.given.keys().isdisjoint(("text", "hunks", "patch"))),
]
#: What lines of files and patches are made of: code, what repeats, whitespace, and what could be mistaken for syntax.
WORDS = (
    "def run(self):|return value|x = 1|x = 2|}|{|pass|end|class A:|import os|# note|alpha|beta|gamma delta|0|1.5|'q'|"
    '"quoted"|“curly”|a–b|café|\N{ROCKET}|\\n|\\t|*** End Patch|*** Begin Patch|@@|@@ -1,3 +1,4 @@|*** End of File|'
    "--- a/f|+++ b/f|=======|EOF"
).split("|")
TOKENS = (
    "\n|\r\n|\r|\t| |    |\0|\x01|\x1b[31m|\u2028|\ufeff|\udc80|\ud83d|\U0010ffff|*** Begin Patch\n|*** End Patch\n|"
    "*** Update File: a\n|*** Add File: b\n|*** Delete File: a\n|*** Move to: c\n|*** Move File: a -> b\n|@@\n|"
    "@@ x = 1\n|*** End of File\n|*** Environment ID: x\n|\\ No newline at end of file\n|```\n|EOF\n|"
    'apply_patch <<"EOF"\n|+|-|../|/|./|~|%|$(x)|a/|b/|\\|"|`|{|}|[|]|12: |// ... existing code ...|<<<<<<< SEARCH\n|'
).split("|")
PATHS = "a|b|c|d/e|d/f/g|x.py|é|a b|./a|d/../a|../out|/etc/passwd|.git/config|d|".split("|")


def make_text(pick: Random, most: int = 30) -> str:
    """A text of some lines, some of them repeated."""
    lines = [pick.choice(("", "  ", "    ", "\t")) + pick.choice(WORDS) for _ in range(pick.randrange(most))]
    if pick.random() < 0.5:
        lines = [f"{line} {pick.randrange(40)}" for line in lines]
    ending = pick.choice(("\n", "\n", "\n", "\r\n", "\r"))
    return ending.join(lines) + pick.choice((ending, ending, ""))


def make_patch(pick: Random, texts: dict[str, str]) -> str:
    """A patch for some texts, most of whose hunks fit."""
    parts = ["*** Begin Patch"]
    for _ in range(pick.randint(1, 4)):
        path = pick.choice([*texts, *texts, *PATHS[:8]])
        kind = pick.choice(("add", "delete", "update", "update", "update", "move"))
        if kind == "add":
            parts += [f"*** Add File: {path}", *("+" + line for line in make_text(pick, 5).split("\n"))]
        elif kind == "delete":
            parts += [f"*** Delete File: {path}"]
        else:
            parts += [f"*** Update File: {path}"]
            parts += [f"*** Move to: {pick.choice(PATHS)}"] if kind == "move" else []
            for _ in range(pick.randint(1, 3)):
                parts += make_hunk(pick, texts.get(path, ""))
    return "\n".join((*parts, "*** End Patch", ""))


def make_hunk(pick: Random, text: str) -> list[str]:
    """A hunk for a text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    start = pick.randrange(len(lines))
    hunk = ["@@" if pick.random() < 0.8 or not lines[start].strip() else f"@@ {lines[pick.randrange(start + 1)]}"]
    for line in lines[start : start + pick.randint(1, 5)]:
        hunk.append(pick.choice("  -") + line)
        if pick.random() < 0.4:
            hunk.append("+" + pick.choice(WORDS))
    return [*hunk, *(["*** End of File"] if pick.random() < 0.1 else [])]


def mutate(pick: Random, text: str) -> str:
    """A text with a few changes anywhere in it."""
    for _ in range(pick.choice((0, 1, 1, 2, 3, 8))):
        at = pick.randint(0, len(text))
        end = min(len(text), at + pick.choice((0, 1, 1, 2, 10, 100)))
        many = pick.choice(TOKENS) * (3000 if pick.random() < 0.05 else 50)
        piece = pick.choice((pick.choice(TOKENS), "", text[end : end + 40], pick.choice(WORDS), many))
        text = text[:at] + piece + text[end:]
    if pick.random() < 0.1:
        lines = text.split("\n")
        pick.shuffle(lines)
        text = "\n".join(lines)
    return text[: pick.randint(0, len(text))] if pick.random() < 0.1 else text


def make_json(pick: Random, depth: int = 0) -> object:
    """Any JSON value, and a few that are not JSON but that a host may pass."""
    simple = (None, True, False, 0, -1, 10**30, 1.5, float("nan"), float("inf"), "", "a", "\udc80", "x" * 5000, b"a")
    if depth > 3 or pick.random() < 0.6:
        return pick.choice((*simple, pick.choice(WORDS), pick.choice(PATHS)))
    if pick.random() < 0.5:
        return [make_json(pick, depth + 1) for _ in range(pick.randrange(4))]
    return {pick.choice((*PATHS, "oldString", "newString", "é")): make_json(pick, depth + 1) for _ in range(3)}


def mutate_json(pick: Random, value: object) -> object:
    """A JSON value with one of its parts replaced, removed or repeated."""
    if isinstance(value, dict) and value and pick.random() < 0.9:
        key = pick.choice(list(value))
        rest = {name: part for name, part in value.items() if name != key}
        how = pick.random()
        if how < 0.1:
            return rest
        if how < 0.15:
            return {**value, pick.choice(WORDS): make_json(pick)}
        return {**value, key: mutate_json(pick, value[key])}
    if isinstance(value, list) and value and pick.random() < 0.9:
        at = pick.randrange(len(value))
        part = pick.choice(([], [value[at], value[at]], [mutate_json(pick, value[at])], [mutate_json(pick, value[at])]))
        return [*value[:at], *part, *value[at + 1 :]]
    if isinstance(value, str) and pick.random() < 0.7:
        return mutate(pick, value)
    if isinstance(value, int) and pick.random() < 0.5:
        return value + pick.choice((-1, 1, 1000, -(10**9), 2**63))
    return make_json(pick)


def dumps(pick: Random, value: object) -> str:
    """A value as JSON, rarely damaged."""
    text = json.dumps(value, default=repr)
    return mutate(pick, text) if pick.random() < 0.1 else text
