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
    changes_of_file = changed_blocks(base, current)
    if not _writes_import(changes_of_file, current, pattern):
        return None
    blocks_of_imports = list(_runs(base, pattern))
    if len(blocks_of_imports) > MOST_IMPORT_BLOCKS:
        return None
    changes_of_edit = changed_blocks(base, edited)
    new_base, new_edited = list(base), list(edited)
    is_changed = False
    # From the end, so that what is further up keeps its place.
    for start, end in reversed(blocks_of_imports):
        in_file, in_edit = _lines_there(changes_of_file, start, end), _lines_there(changes_of_edit, start, end)
        if in_file is None or in_edit is None:
            continue
        if _is_text(base[:start]) or (ending == "go" and not _is_in_parentheses(base, start, pattern)):
            continue
        firsts = ((base, start), (current, in_file[0]), (edited, in_edit[0]))
        if any(_belongs_to_next(text, first) for text, first in firsts):
            continue
        lines_of_file, lines_of_edit = current[slice(*in_file)], edited[slice(*in_edit)]
        if not all(pattern.match(line.rstrip()) for line in (*lines_of_file, *lines_of_edit)):
            continue
        merged = _in_order(base[start:end], lines_of_file, lines_of_edit, ending)
        if merged is not None:
            new_base[start:end], new_edited[slice(*in_edit)] = lines_of_file, merged
            is_changed = True
    return (new_base, new_edited) if is_changed else None


def _writes_import(changes: Sequence[Block], current: Sequence[str], pattern: re.Pattern[str]) -> bool:
    """Whether an import is among the lines that changes of the file have written."""
    for _, _, new_start, new_end in changes:
        if any(pattern.match(line.rstrip()) for line in current[new_start:new_end]):
            return True
    return False


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
    is_in_comment = text.count("/*") != text.count("*/")
    return is_in_comment or any(text.count(quote) % 2 == 1 for quote in ('"""', "'''", "`"))


def _is_in_parentheses(lines: Sequence[str], start: int, pattern: re.Pattern[str]) -> bool:
    """Whether a block of Go is in the parentheses of an import, below other such blocks or none."""
    while start and (not lines[start - 1].strip() or pattern.match(lines[start - 1].rstrip())):
        start -= 1
    return start > 0 and lines[start - 1].rstrip() == "import ("


def _lines_there(blocks: Sequence[Block], start: int, end: int) -> LineRange | None:
    """Where lines of the base are in a text; None where a change begins or ends outside of them, or at their edge.

    Lines that were only added at an edge belong to them.
    """
    new_start, new_end = start, end
    for block_start, block_end, new_block_start, new_block_end in blocks:
        if block_end < start:
            shift = new_block_end - block_end
            new_start, new_end = start + shift, end + shift
        elif block_start > end:
            break
        elif block_start < start or block_end > end:
            return None
        else:
            new_end += (new_block_end - new_block_start) - (block_end - block_start)
    return new_start, new_end


def _belongs_to_next(lines: Sequence[str], number: int) -> bool:
    """Whether the line above is about the one with this number."""
    return number > 0 and lines[number - 1].lstrip().startswith(_ATTRIBUTES)


def _in_order(base: Sequence[str], in_file: Sequence[str], in_edit: Sequence[str], ending: str) -> list[str] | None:
    """The imports of the edit in the order of the file; None where the file has other ones, or nothing has moved."""
    base_keys, file_keys, edit_keys = ([_key(line) for line in lines] for lines in (base, in_file, in_edit))
    has_repetition = len(set(base_keys)) < len(base_keys) or len(set(edit_keys)) < len(edit_keys)
    if has_repetition or sorted(base_keys) != sorted(file_keys):
        return None
    base_lines, edit_lines = dict(zip(base_keys, base, strict=True)), dict(zip(edit_keys, in_edit, strict=True))
    kept = [key for key in edit_keys if key in base_lines]
    keeps_order = kept == [key for key in base_keys if key in edit_lines]
    if base_keys == file_keys or not keeps_order or not kept:
        return None
    if ending in ("py", "pyi") and not _binds_each_name_once(in_edit):
        return None
    # Those that the edit adds stay behind the import that they are behind in the edit, or in front of all.
    added: dict[str, list[str]] = {}
    key_above = ""
    for key, line in edit_lines.items():
        if key in base_lines:
            key_above = key
        else:
            added.setdefault(key_above, []).append(line)
    merged = added.get("", [])
    for key, line in zip(file_keys, in_file, strict=True):
        if key in edit_lines:
            # Where the edit has not touched the line, it is written as in the file.
            is_untouched = edit_lines[key] == base_lines[key]
            merged.append(line if is_untouched else edit_lines[key])
            merged += added.get(key, [])
    return merged


def _key(line: str) -> str:
    """What an import says, whatever the order of the names in its braces."""
    braces = _NAMES.search(line)
    if braces is None:
        return "".join(line.split())
    names = ["".join(name.split()) for name in braces[1].split(",")]
    sorted_names = ",".join(sorted(name for name in names if name))
    text = f"{line[: braces.start()]}{{{sorted_names}}}{line[braces.end() :]}"
    return "".join(text.split())


def _binds_each_name_once(lines: Sequence[str]) -> bool:
    """Whether no import gives another meaning to a name of another one."""
    names = [name for line in lines for name in imported_names(line.strip())]
    return len(names) == len(set(names))
