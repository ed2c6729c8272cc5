"""A slow matcher that is plainly right: it tries every way that a pattern can match. For small inputs only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suture.workspace.glob_automaton import ANY, FOLDERS, MANY, ONE, REST, CharacterClass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from suture.workspace.glob_automaton import Token

#: What patterns and names are made of: few letters, so that they often match, and what has a meaning in some pattern.
PIECES = ("a", "b", "ab", "*", "*", "?", "**", ".", "[ab]", "[!a]", "[", "]", "\\", "\\*", "{a,b}", "é", "A", "-")
NAMES = ("a", "b", "ab", "aab", "ba", ".", "a.b", "*", "[", "é", "A", "\\", "-", "a b")


def matches(tokens: Sequence[Token], text: str) -> bool:
    """Whether a text as a whole matches tokens."""
    if not tokens:
        return not text
    token, rest = tokens[0], tokens[1:]
    if isinstance(token, str):
        return text.startswith(token) and matches(rest, text[1:])
    if isinstance(token, CharacterClass):
        return text[:1] not in ("", "/") and token.has(text[0]) and matches(rest, text[1:])
    if token in (ONE, ANY):
        return text[:1] not in (("", "/") if token is ONE else ("",)) and matches(rest, text[1:])
    if token is FOLDERS:
        ends = [0, *[at + 1 for at, character in enumerate(text) if character == "/"]]
        return any(matches(rest, text[end:]) for end in ends)
    assert token in (MANY, REST)
    longest = text.find("/") if token is MANY and "/" in text else len(text)
    return any(matches(rest, text[end:]) for end in range(longest + 1))


def make_pattern(pick: Random, parts: int = 3) -> str:
    """A small pattern."""
    made = ["".join(pick.choices(PIECES, k=pick.randint(1, 3))) for _ in range(pick.randint(1, parts))]
    return pick.choice(("", "", "/", "!")) + "/".join(made) + pick.choice(("", "", "/"))


def make_path(pick: Random, parts: int = 4) -> str:
    """A small path."""
    return "/".join(pick.choices(NAMES, k=pick.randint(1, parts)))
