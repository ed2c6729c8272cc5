"""Patterns as shells and git write them, as tokens of an automaton.

`*` is any number of characters and `?` is one, but no slash. `**` between slashes is any number of directories.
`[a-z]`, `[!a-z]` and `[[:digit:]]` are one character of a class. A backslash makes the next character literal.
"""

from __future__ import annotations

from ..workspace.glob_automaton import ANY, FOLDERS, MANY, ONE, REST, CharacterClass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..workspace.glob_automaton import Token

#: The classes that have names, as ranges of ASCII.
_NAMED = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "blank": ("  ", "\t\t"),
    "cntrl": ("\0\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("\t\r", "  "),
    "upper": ("AZ",),
    "xdigit": ("09", "AF", "af"),
}


def shell_tokens(pattern: str) -> list[Token] | None:
    """A pattern as tokens; None if nothing can match it: a class is not closed or unknown, or a backslash is last."""
    tokens: list[Token] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            end = _end_of_stars(pattern, at)
            is_whole_part = end - at > 1 and pattern[at - 1 : at] in ("", "/") and pattern[end : end + 1] in ("", "/")
            if not is_whole_part:
                tokens.append(MANY)
            elif end == len(pattern):
                tokens += (ANY, REST)
            else:
                tokens.append(FOLDERS)
                end += 1
            at = end
        elif character == "[":
            class_and_end = _class_at(pattern, at + 1)
            if class_and_end is None:
                return None
            characters, at = class_and_end
            tokens.append(characters)
        elif character == "\\":
            if at + 1 == len(pattern):
                return None
            tokens.append(pattern[at + 1])
            at += 2
        else:
            tokens.append(ONE if character == "?" else character)
            at += 1
    return tokens


def _end_of_stars(pattern: str, at: int) -> int:
    while pattern[at : at + 1] == "*":
        at += 1
    return at


def _class_at(pattern: str, at: int) -> tuple[CharacterClass, int] | None:
    """The class whose bracket was opened before `at`, and where it ends; None if it does not end or is unknown."""
    is_negated = pattern[at : at + 1] in ("!", "^")
    at += is_negated
    first = at
    ranges: list[tuple[str, str]] = []
    while at == first or pattern[at : at + 1] != "]":
        name = _class_name(pattern, at)
        if name is not None:
            if name not in _NAMED:
                return None
            ranges += [(ends[0], ends[1]) for ends in _NAMED[name]]
            at += len(f"[:{name}:]")
            continue
        low, at = _class_character(pattern, at)
        is_range = pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]")
        high, at = _class_character(pattern, at + 1) if is_range else (low, at)
        if not low or not high:
            return None
        ranges.append((low, high))
    return CharacterClass(ranges, is_negated=is_negated), at + 1


def _class_character(pattern: str, at: int) -> tuple[str, int]:
    """One character of a class, and what follows it; empty at the end of the pattern."""
    if pattern[at : at + 1] == "\\":
        at += 1
    return pattern[at : at + 1], at + 1


def _class_name(pattern: str, at: int) -> str | None:
    """The name in `[:name:]`; None if there is no such thing."""
    if not pattern.startswith("[:", at):
        return None
    end = pattern.find("]", at + 2)
    return pattern[at + 2 : end - 1] if end > at + 2 and pattern[end - 1] == ":" else None
