"""Imports that the file has only put in another order, as formatters do, while the edit adds or removes some.

The order of imports says nothing about what they mean. So the base and the edit can be given the file's order, and then
be merged as if nobody had sorted anything. Only imports that take a line each count, in a block of nothing else.
"""

from __future__ import annotations

import re

from ..core.line_diff import changed_blocks
from .limits import MOST_IMPORT_BLOCKS
from .python_text import imported_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.line_diff import Block
    from .merge_lines import LineRange

_PYTHON = re.compile(r"(?:import|from(?! __future__))[ \t][^*()\\;#\"']+$")
_SCRIPT = re.compile(r"import[ \t][^'\"]*[ \t}]from[ \t]+(?:'[^']*'|\"[^\"]*\");?$")
_DOTTED = re.compile(r"(?:import|using)[ \t]+(?:static[ \t]+)?[\w.*]+;?$")
#: A whole import on one line, by the endings of files.
_LINES = {
    "rs": re.compile(
        r"(?:pub(?:\([^()]*\))?[ \t]+)?(?:use[ \t][^;{}]*(?:\{[^;{}]*\})?;|extern[ \t]+crate[ \t][^;{}]*;)$"
    ),
    "go": re.compile(r"\t(?:[\w.]+[ \t]+)?\"[^\"]+\"$"),
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys("cjs cts js jsx mjs mts ts tsx".split(), _SCRIPT),
    **dict.fromkeys("cs java kt scala swift".split(), _DOTTED),
}
_NAMES = re.compile(r"\{([^{}]*)\}")
#: What a line begins with that belongs to the next line.
_ATTRIBUTES = ("#[", "@", "//", "/*", "#!")


def in_order_of_file(
    base: Sequence[str], current: Sequence[str], edited: Sequence[str], ending: str
) -> tuple[list[str], list[str]] | None:
    """The base and the edit with their imports in the order of the file; None where that changes nothing."""
    pattern = _LINES.get(ending)
    if pattern is None:
        return None
    moved = changed_blocks(base, current)
    if not any(pattern.match(line.rstrip()) for _, _, low, high in moved for line in current[low:high]):
        return None
    runs = list(_runs(base, pattern))
    if len(runs) > MOST_IMPORT_BLOCKS:
        return None
    sides = moved, changed_blocks(base, edited)
    old, new = list(base), list(edited)
    is_changed = False
    # From the end, so that what is further up keeps its place.
    for start, end in reversed(runs):
        now, then = _lines_there(sides[0], start, end), _lines_there(sides[1], start, end)
        if now is None or then is None:
            continue
        if _is_text(base[:start]) or (ending == "go" and not _is_in_parentheses(base, start, pattern)):
            continue
        texts = (base, current, edited)
        if any(_belongs_to_next(text, low) for text, (low, _) in zip(texts, ((start, end), now, then), strict=True)):
            continue
        before, ordered, written = base[start:end], current[slice(*now)], edited[slice(*then)]
        if not all(pattern.match(line.rstrip()) for line in (*ordered, *written)):
            continue
        merged = _in_order(before, ordered, written, ending)
        if merged is not None:
            old[start:end], new[slice(*then)] = ordered, merged
            is_changed = True
    return (old, new) if is_changed else None


def _runs(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[LineRange]:
    """The blocks of two or more imports, without anything between them."""
    start = 0
    for number in range(len(lines) + 1):
        if number == len(lines) or not pattern.match(lines[number].rstrip()):
            if number - start > 1:
                yield start, number
            start = number + 1


def _is_text(above: Sequence[str]) -> bool:
    """Whether what comes below some lines may be inside of a quoted text or a comment."""
    text = "".join(above)
    return text.count("/*") != text.count("*/") or any(text.count(quote) % 2 for quote in ('"""', "'''", "`"))


def _is_in_parentheses(lines: Sequence[str], start: int, pattern: re.Pattern[str]) -> bool:
    """Whether a block of Go is in the parentheses of an import, below other such blocks or none."""
    while start and (not lines[start - 1].strip() or pattern.match(lines[start - 1].rstrip())):
        start -= 1
    return start > 0 and lines[start - 1].rstrip() == "import ("


def _lines_there(blocks: Sequence[Block], start: int, end: int) -> LineRange | None:
    """Where lines of the base are in a text; None where a change begins or ends outside of them, or at their edge.

    Lines that were only added at an edge belong to them.
    """
    low, high = start, end
    for base_start, base_end, there_start, there_end in blocks:
        if base_end < start:
            shift = there_end - base_end
            low, high = start + shift, end + shift
        elif base_start > end:
            break
        elif base_start < start or base_end > end:
            return None
        else:
            high += (there_end - there_start) - (base_end - base_start)
    return low, high


def _belongs_to_next(lines: Sequence[str], number: int) -> bool:
    """Whether the line above is about the one with this number."""
    return number > 0 and lines[number - 1].lstrip().startswith(_ATTRIBUTES)


def _in_order(before: Sequence[str], ordered: Sequence[str], written: Sequence[str], ending: str) -> list[str] | None:
    """The imports of the edit in the order of the file; None where the file has other ones, or nothing has moved."""
    keys, now, then = ([_key(line) for line in lines] for lines in (before, ordered, written))
    if len(set(keys)) < len(keys) or len(set(then)) < len(then) or sorted(keys) != sorted(now):
        return None
    old, own = dict(zip(keys, before, strict=True)), dict(zip(then, written, strict=True))
    kept = [key for key in then if key in old]
    if keys == now or kept != [key for key in keys if key in own] or not kept:
        return None
    if ending in ("py", "pyi") and not _binds_each_name_once(written):
        return None
    # Those that the edit adds stay behind the import that they are behind in the edit, or in front of all.
    added: dict[str, list[str]] = {}
    behind = ""
    for key, line in zip(then, written, strict=True):
        if key in old:
            behind = key
        else:
            added.setdefault(behind, []).append(line)
    merged = added.get("", [])
    for key, line in zip(now, ordered, strict=True):
        if key in own:
            # Where the edit has not touched the line, it is written as in the file.
            merged.append(line if own[key] == old[key] else own[key])
            merged += added.get(key, [])
    return merged


def _key(line: str) -> str:
    """What an import says, whatever the order of the names in its braces."""
    names = _NAMES.search(line)
    if names is None:
        return "".join(line.split())
    inner = sorted(filter(None, ("".join(name.split()) for name in names[1].split(","))))
    text = f"{line[: names.start()]}{{{','.join(inner)}}}{line[names.end() :]}"
    return "".join(text.split())


def _binds_each_name_once(lines: Sequence[str]) -> bool:
    """Whether no import gives another meaning to a name of another one."""
    names = [name for line in lines for name in imported_names(line.strip())]
    return len(names) == len(set(names))
