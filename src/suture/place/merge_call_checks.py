"""The rule of a merge that is about calls: one side changes how something is called, and the other calls it."""

from __future__ import annotations

import re
from collections import Counter

from .block_lines import width_of
from .file_kinds import PROSE
from .limits import MOST_DECORATORS, MOST_PARAMETERS
from .merge_evidence import SIDES
from .merge_heads import arguments_of, heads
from .merge_names import DATA, NAMED, defined_name
from .merge_uses import (
    async_functions,
    called_names,
    function_of_head,
    is_needed_parameter,
    used_names,
)
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

    from .merge_blocks import BlockTable
    from .merge_evidence import AddedLine, MergeEvidence

_CONSTRUCTORS = frozenset(["__construct", "__init__", "constructor"])
#: Decorators that change what is called, or whether it is called at all.
_DECORATOR = re.compile(
    r"[ \t]*@(?:[\w]+\.)*(?P<kind>cached_property|property|classmethod|staticmethod|(?:async)?contextmanager)[ \t]*$"
)
_YIELD = re.compile(r"[ \t]*(?:[\w, \t]+=[ \t]*\(?)?yield\b")
#: A class whose fields are the parameters of its constructor, by the line above it or what it is made of.
_DATA_CLASS = re.compile(r"[ \t]*@(?:\w+\.)*(?:attrs|dataclass|define|frozen|s)\b")
_DATA_BASE = re.compile(r"\b(?:BaseModel|NamedTuple|Struct)\b")
_NEEDED_FIELD = re.compile(r"[ \t]+[^\W\d]\w*[ \t]*:[ \t]*(?!ClassVar)[^=]+$")
_RUST_FIELD = re.compile(r"[ \t]+(?:pub(?:\([^()]*\))?[ \t]+)?[^\W\d]\w*[ \t]*:[^:=]*,?$")
_RUST_STRUCT = re.compile(r"(?:pub(?:\([^()]*\))?[ \t]+)?struct[ \t]+(?P<name>\w+)[^;]*\{[ \t]*$")


@rule
def same_parameters(merge: MergeEvidence) -> str:
    """One side must not change how a function has to be called, or its result, if new lines of the other call it."""
    if merge.ending in PROSE or merge.ending in DATA or not merge.ending:
        return ""
    for at, (_, changes) in enumerate(merge.sides):
        added = list(merge.added_lines(at))
        calls: dict[str, list[str]] = {}
        for row in merge.added_lines(1 - at):
            if "(" not in row.line and merge.ending != "rs":
                continue
            for name in called_names(row.line) | _made_structs(row.line, merge.ending):
                calls.setdefault(name, []).append(row.line)
        name = _changed_call(merge, at, merge.removed(changes), [row.line for row in added], calls) if calls else ""
        name = name or _changed_decorator(merge, at, added)
        if name:
            return f"{SIDES[at]} changes how {name} has to be called, and {SIDES[1 - at].lower()} calls it."
    return ""


def _changed_call(
    merge: MergeEvidence, at: int, removed: Sequence[str], added: Sequence[str], calls: Mapping[str, Sequence[str]]
) -> str:
    """The name of a function that one side has changed, although new calls of the other side need it as it was.

    Returns "" if there is none. `removed` and `added` are the lines of the change, and `calls` the new calls by name.
    """
    is_async = async_functions(added)
    changed = {name for name, before in async_functions(removed).items() if is_async.get(name, before) != before}
    names = calls.keys() | _CONSTRUCTORS
    before, now = heads(removed, merge.ending, names), heads(added, merge.ending, names)
    for name in sorted(before.keys() & now.keys()):
        if name in _CONSTRUCTORS:
            # Most calls of it have the name of its class.
            if before[name].needed != now[name].needed:
                changed.add(name)
        elif not all(before[name].fits(now[name], arguments_of(line, name)) for line in calls.get(name, ())):
            return name
    changed |= _functions_with_changed_lists(merge, at)
    changed |= _classes_of_constructors(merge, at, changed)
    changed |= _classes_with_changed_fields(merge, at)
    changed |= _changed_generators(merge, at)
    return min(changed & calls.keys(), default="")


def _made_structs(line: str, ending: str) -> set[str]:
    """The structs of Rust of which a line makes one."""
    return set(re.findall(r"(?<![\w$.])([A-Z]\w*)[ \t]*\{", line)) if ending == "rs" else set()


def _functions_with_changed_lists(merge: MergeEvidence, at: int) -> set[str]:
    """The functions with a parameter on each line to which a side adds one that has no default, or takes one away."""
    counts: Counter[str] = Counter()
    for step, table, rows in _changed_rows(merge, at):
        for number in rows:
            if is_needed_parameter(table.text[number].strip()):
                counts[_function_around(table.text, number)] += step
    return {name for name, count in counts.items() if name and count}


def _changed_rows(merge: MergeEvidence, at: int) -> tuple[tuple[int, BlockTable, Sequence[int]], ...]:
    """The lines that a side adds, and those that it replaces, each with their text; 1 is for those that came in."""
    added = [row.number for row in merge.added_lines(at)]
    before = [number for change in merge.sides[at][1] for number in range(change.start, change.end)]
    return (1, merge.side_blocks[at], added), (-1, merge.base_blocks, before)


def _function_around(text: Sequence[str], number: int) -> str:
    """The function in whose list of parameters a line is; empty if it is in none, or the list is long."""
    width = width_of(text[number])
    above = text[max(0, number - MOST_PARAMETERS) : number]
    return next(
        (function_of_head(line.strip()) for line in reversed(above) if line.strip() and width_of(line) < width), ""
    )


def _changed_generators(merge: MergeEvidence, at: int) -> set[str]:
    """The functions of Python that a side has made a generator, or one that is none any more."""
    if merge.ending not in ("py", "pyi"):
        return set()
    for _, table, rows in _changed_rows(merge, at):
        if any(_YIELD.match(table.text[number]) for number in rows):
            return _generators(merge.base_blocks) ^ _generators(merge.side_blocks[at])
    return set()


def _generators(table: BlockTable) -> set[str]:
    """The functions of Python that yield something."""
    names: set[str] = set()
    for number in table.lines_with({"yield"}):
        opener = table.opener(number) if _YIELD.match(table.text[number]) else -1
        while opener >= 0 and not NAMED.match(table.text[opener]):
            opener = table.opener(opener)
        named = NAMED.match(table.text[opener]) if opener >= 0 else None
        if named:
            names.add(named["name"])
    return names


def _classes_of_constructors(merge: MergeEvidence, at: int, changed: AbstractSet[str]) -> set[str]:
    """The classes that a side has given another constructor: they are called by their own names."""
    table = merge.side_blocks[at]
    constructors = changed & _CONSTRUCTORS
    rows = [row for row in merge.added_lines(at) if constructors and constructors & async_functions([row.line]).keys()]
    classes = [table.text[table.opener(row.number)] for row in rows if table.opener(row.number) >= 0]
    return {defined_name(line, merge.ending) for line in classes} - {""}


def _classes_with_changed_fields(merge: MergeEvidence, at: int) -> set[str]:
    """The classes and structs that are made from their fields, of which a side adds or removes one that is needed."""
    if merge.ending not in ("py", "pyi", "rs"):
        return set()
    field = _RUST_FIELD if merge.ending == "rs" else _NEEDED_FIELD
    counts: Counter[str] = Counter()
    for step, table, rows in _changed_rows(merge, at):
        for number in rows:
            if field.match(table.text[number].partition("#")[0].rstrip()):
                counts[_class_around(table, number)] += step
    known = set(merge.base)
    return {_class_name(head) for head, count in counts.items() if head in known and count}


def _class_around(table: BlockTable, number: int) -> str:
    """The line that begins the class of fields or the struct which a line is in; empty if it is in none."""
    opener = table.opener(number)
    line = table.text[opener] if opener >= 0 else ""
    if _RUST_STRUCT.match(line):
        return line
    is_data = _DATA_BASE.search(line) or (opener > 0 and _DATA_CLASS.match(table.text[opener - 1]))
    return line if line.lstrip().startswith("class ") and is_data else ""


def _class_name(head: str) -> str:
    struct = _RUST_STRUCT.match(head)
    named = NAMED.match(head)
    return struct["name"] if struct else (named["name"] if named else "")


def _changed_decorator(merge: MergeEvidence, at: int, added: Iterable[AddedLine]) -> str:
    """A function of the base that a side makes a property or the like, or no longer, and that the other uses."""
    if merge.ending not in ("py", "pyi"):
        return ""
    known = set(merge.base)
    pairs = [(merge.sides[at][0], row.number) for row in added if _DECORATOR.match(row.line)]
    for change in merge.sides[at][1]:
        rows = range(change.start, change.end)
        pairs += [(merge.base, number) for number in rows if _DECORATOR.match(merge.base[number])]
    names = {name for text, number in pairs for name in _decorated(text, number, known)}
    if not names:
        return ""
    return min({name for row in merge.added_lines(1 - at) for name in names & used_names(row.line, "py")}, default="")


def _decorated(text: Sequence[str], number: int, known: AbstractSet[str]) -> Iterator[str]:
    """The function that a decorator is above, if it was there before."""
    for line in text[number + 1 : number + MOST_DECORATORS]:
        named = NAMED.match(line)
        if named:
            if line in known:
                yield named["name"]
            return
