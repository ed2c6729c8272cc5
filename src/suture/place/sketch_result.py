"""What the result of a sketch must be: it parses, and no definition is lost other than by a rename."""

from __future__ import annotations

import re
from collections import Counter

from ..core.python_source import UNPARSABLE
from ..words.change_problems import change_refusal
from .definitions import Definition, definitions_in
from .sketch_parts import depth_of
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.text import Text

#: Definitions in languages without a parser: enough to see that one is lost.
_DEFINING = re.compile(
    r"^[ \t]*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|abstract|final|async"
    r"|override|open|data|sealed|unsafe|const)\s+)*(?:def|class|func|fn|function|interface|struct|enum|trait|impl|type|module)\s+"
    r"(?:\([^)]*\)\s*)?([A-Za-z_]\w*)"
)
#: A method with a block, such as `async load(path) {` or `public int size() {`; and statements that look like one.
_METHOD = re.compile(r"[ \t]+(?:[\w<>\[\],.?*&]+[ \t]+){0,6}[*#&]?([A-Za-z_$][\w$]*)[ \t]?\([^;{}]*\)[^;{}()=]*\{")
_STATEMENTS = frozenset({"if", "for", "while", "switch", "catch", "with", "function", "foreach", "using", "lock"})


def check_result(text: Text, body: str, path: str) -> None:
    """Refuse a result that no longer parses, that lost a definition other than by a rename, or that has one twice."""
    fault = fault_in(path, body)
    if fault is not None and fault_in(path, text.body) is None:
        message = f"{path} would no longer parse with the sketch: {fault.reason} (line {fault.line})."
        hint = "Send the changed lines with more lines around them, or a patch instead."
        raise change_refusal("invalid_arguments", path, message, hint, reason="syntax_error")
    before, after = _bodies(path, text.body), _bodies(path, body)
    lost = [name for name in before if len(after.get(name, ())) < len(before[name])]
    gained = [name for name in after if name not in before]
    pairs = zip(lost, gained, strict=False)
    are_renamed = len(lost) == len(gained) and all(_is_rename(old, new, before, after) for old, new in pairs)
    if lost and not are_renamed:
        message = f"The sketch would remove {', '.join(lost[:5])} from {path}, which it does not mention."
        hint = "Put a marker where other code stays. To delete a definition, use an edit with its text."
        raise change_refusal("patch_apply_error", path, message, hint, reason="definition_lost")
    twice = _defined_twice(path, text.body, body)
    if twice:
        message = f"With the sketch, {path} would define {', '.join(twice[:5])} once more: a marker may be missing."
        hint = "Put a marker where other code stays. To add a definition with a name that is there, use a patch."
        raise change_refusal("patch_apply_error", path, message, hint, reason="definition_twice")


def _defined_twice(path: str, before: str, after: str) -> list[str]:
    """The names that a text defined, and defines more often now."""
    old, new = (Counter([one.name for one in _known(path, text)]) for text in (before, after))
    return [name for name in new if new[name] > old[name] > 0]


def _known(path: str, text: str) -> list[Definition]:
    """The definitions of a text as far as a parser knows them."""
    try:
        return definitions_in(path, text) or []
    except UNPARSABLE:
        return []


def _is_rename(old: str, new: str, before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> bool:
    """Whether a definition became another one by its name alone."""
    if old in after:
        return False
    return [body.replace(old.rpartition(".")[2], new.rpartition(".")[2]) for body in before[old]] == after[new]


def _bodies(path: str, text: str) -> dict[str, list[str]]:
    """The lines of each definition below its first one, by its name, which several may have."""
    try:
        known = definitions_in(path, text)
    except UNPARSABLE:
        known = None
    rows = text.split("\n")
    bodies: dict[str, list[str]] = {}
    if known is None:
        for number, row in enumerate(rows):
            name = _defined_by(row)
            if name:
                bodies.setdefault(name, []).append(_deeper(rows, number))
    else:
        for one in known:
            bodies.setdefault(one.name, []).append("\n".join(rows[one.own + 1 : one.last + 1]))
    return bodies


def _defined_by(row: str) -> str:
    """The name that a line of a language without a parser seems to define."""
    defining = _DEFINING.match(row) or _METHOD.match(row)
    return defining[1] if defining and defining[1] not in _STATEMENTS else ""


def _deeper(rows: Sequence[str], number: int) -> str:
    """The lines below one that are indented further."""
    last = number + 1
    while last < len(rows) and (not rows[last].strip() or depth_of(rows[last]) > depth_of(rows[number])):
        last += 1
    return "\n".join(rows[number + 1 : last]).rstrip()
