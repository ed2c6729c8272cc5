"""What is opened and closed on lines of their own: brackets, tags, fences and comments, by counting.

A count says nothing about a text. That a change opens more than it closes is enough to know that it is half of a pair.
"""

from __future__ import annotations

import re
from collections import Counter

from .file_kinds import C_LIKE, MARKDOWN, SHELLS, STYLES
from .quiet_parts import without_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKUP = frozenset("erb htm html jsx svelte svg tsx vue xhtml xml".split())
_ENDED = frozenset("ex exs jl lua rb rake".split())
_PYTHON = frozenset(["py", "pyi"])
_BRACED = (
    C_LIKE
    | STYLES
    | frozenset("cjs cs cts dart go java js jsx kt kts mjs mts php proto rs scala sol sql swift ts tsx vue zig".split())
)
_SIGNS = re.compile(r"[{}()\[\]]")
_OPENED_BY = {"{": ("{}", 1), "}": ("{}", -1), "(": ("()", 1), ")": ("()", -1), "[": ("[]", 1), "]": ("[]", -1)}
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*+)(?P<rest>[^<>]*+)>")
#: Tags that need no other one.
_VOID = frozenset("area base br col embed hr img input link meta source track wbr p li".split())
_TEMPLATE = re.compile(r"\{%-?[ \t]*(?P<close>end)?(?P<name>block|call|each|filter|for|if|macro|unless|with)\w*")
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|endif)\b")
_BODY = re.compile(
    r"(?:^|=|\b(?:private|protected|public)\b)[ \t]*"
    r"(?:begin|case|class|def|defmodule|for|if|module|unless|until|while)\b"
    r"|\bfunction\b|\bdo(?:[ \t]*\|[^|\n]*\|)?[ \t]*$"
)
_END = re.compile(r"[ \t]*end\b")
_SHELL = re.compile(r"(?:^|[;\s])(?P<word>if|fi|case|esac|do|done)(?=[;\s]|$)")
_SHELL_WORDS = {"if": ("fi", 1), "fi": ("fi", -1), "case": ("esac", 1), "esac": ("esac", -1)}
_SHELL_PAIRS = {**_SHELL_WORDS, "do": ("done", 1), "done": ("done", -1)}
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


def opened(lines: Iterable[str], ending: str) -> Counter[str]:
    """How much more of each kind of pair lines open than they close. Of fences it is their number."""
    counts: Counter[str] = Counter()
    for line in lines:
        code = without_texts(line)
        if ending in MARKDOWN:
            counts["fence"] += 1 if _FENCE.match(line) else 0
        else:
            for sign in _SIGNS.findall(code):
                kind, step = _OPENED_BY[sign]
                counts[kind] += step
        if ending in _MARKUP:
            _count_tags(counts, line)
        for tag in _TEMPLATE.finditer(code):
            counts[f"{{% {tag['name']} %}}"] += -1 if tag["close"] else 1
        directive = _DIRECTIVE.match(line) if ending in C_LIKE else None
        if directive:
            counts["#if"] += -1 if directive["word"] == "endif" else 1
        if ending in _ENDED:
            if _BODY.search(code):
                counts["end"] += 1
            if _END.match(code):
                counts["end"] -= 1
        if ending in SHELLS:
            for word in _SHELL.findall(code):
                kind, step = _SHELL_PAIRS[word]
                counts[kind] += step
    counts.update(opened_asides(lines, ending))
    return counts


def _count_tags(counts: Counter[str], line: str) -> None:
    """Count the tags of a line of markup that need another one."""
    for tag in _TAG.finditer(line):
        is_void = tag["name"].lower() in _VOID or tag["rest"].endswith("/")
        if not is_void:
            counts[f"<{tag['name']}>"] += -1 if tag["close"] else 1


def opened_asides(lines: Iterable[str], ending: str) -> Counter[str]:
    """How many more comments lines open than they close. Of quotes of several lines it is their number."""
    counts: Counter[str] = Counter()
    for line in lines:
        if ending in _PYTHON:
            counts['"""'] += line.count('"""') + line.count("'''")
        if ending in _BRACED:
            code = without_texts(line)
            counts["/*"] += code.count("/*") - code.count("*/")
        if ending in _MARKUP or ending in MARKDOWN:
            counts["<!--"] += line.count("<!--") - line.count("-->")
        if ending in C_LIKE:
            counts["#if 0"] += _step(opens=line.strip() == "#if 0", closes=line.startswith("#endif"))
        if ending in _ENDED:
            counts["=begin"] += _step(opens=line.startswith("=begin"), closes=line.startswith("=end"))
    return counts


def _step(*, opens: bool, closes: bool) -> int:
    """What a line adds to how many are open."""
    if opens:
        return 1
    return -1 if closes else 0


#: Kinds of which the same sign opens and closes.
_EVEN = frozenset(['"""', "fence"])


def is_open(kind: str, count: int) -> bool:
    """Whether lines with this count open something that they do not close."""
    return count % 2 == 1 if kind in _EVEN else count > 0


def closes(kind: str, count: int) -> bool:
    """Whether lines with this count close something that they did not open."""
    return count % 2 == 1 if kind in _EVEN else count < 0


def is_unpaired(kind: str, merged: int, alone: Iterable[int]) -> bool:
    """Whether a merged text has another count than each side alone."""
    return all((merged - count) % 2 if kind in _EVEN else merged != count for count in alone)
