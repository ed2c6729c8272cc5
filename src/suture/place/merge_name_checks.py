"""The rules of a merge that are about names: defined twice, or used by one side and removed by the other."""

from __future__ import annotations

from collections import Counter

from .file_kinds import PROSE, STYLES
from .limits import MOST_DEFINITIONS
from .merge_evidence import SIDES
from .merge_names import DATA, names_of_block
from .merge_uses import (
    IMPORT,
    YAML,
    called_names,
    given_names,
    names_among,
    needed_arguments,
    unseen_names,
    used_names,
)
from .python_text import imported_names, names_bound, unbound_names
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set as AbstractSet

    from .merge_blocks import BlockTable
    from .merge_evidence import AddedLine, MergeEvidence


@rule
def one_definition(merge: MergeEvidence) -> str:
    """Both sides must not define the same name in the same block."""
    rows = [_defining_rows(merge, at) for at in range(2)]
    names = rows[0].keys() & rows[1].keys()
    if sum(len(side[name]) for side in rows for name in names) > MOST_DEFINITIONS:
        return "Both define the same names, too many to compare them."
    tables = (*merge.side_blocks, merge.merged_blocks)
    *counts, merged_counts = [_definitions(table, names, merge.ending) for table in tables]
    for name in sorted(names):
        places = [
            {merge.merged_blocks.block_of(row.merged): table.block_of(row.number) for row in side[name]}
            for side, table in zip(rows, merge.side_blocks, strict=True)
        ]
        for block in sorted(places[0].keys() & places[1].keys()):
            alone = [count[name, place[block]] for count, place in zip(counts, places, strict=True)]
            if merged_counts[name, block] > max(alone):
                return f"Both define {name}."
    return _imported_and_defined(merge, rows) if merge.ending in ("py", "pyi") else ""


def _imported_and_defined(merge: MergeEvidence, rows: Sequence[Mapping[str, Sequence[AddedLine]]]) -> str:
    """What is wrong where one side imports a name into a block in which the other defines it."""
    for at, defined in enumerate(rows):
        for row in merge.added_lines(1 - at):
            for name in imported_names(row.line) & defined.keys() if IMPORT.match(row.line) else ():
                block = merge.merged_blocks.block_of(row.merged)
                if any(merge.merged_blocks.block_of(other.merged) == block for other in defined[name]):
                    return f"Both define {name}."
    return ""


def _defining_rows(merge: MergeEvidence, at: int) -> dict[str, list[AddedLine]]:
    """The lines that a side adds, by the names that they define."""
    text = merge.sides[at][0]
    rows: dict[str, list[AddedLine]] = {}
    for row in merge.added_lines(at):
        for name in names_of_block(text, row.number, merge.ending):
            rows.setdefault(name, []).append(row)
    return rows


def _definitions(table: BlockTable, names: AbstractSet[str], ending: str) -> Counter[tuple[str, int]]:
    """How often each block of a text defines each of some names."""
    counts: Counter[tuple[str, int]] = Counter()
    # The name of a requirement may be written in capitals.
    numbers = range(len(table.text)) if ending == "requirements" else table.lines_with_names(names)
    for number in numbers:
        for name in names & set(names_of_block(table.text, number, ending)):
            counts[name, table.block_of(number)] += 1
    return counts


@rule
def names_stay(merge: MergeEvidence) -> str:
    """One side must not remove a name, such as an import or a function, that new lines of the other use."""
    ending = merge.ending
    if ending in PROSE or (ending in DATA and ending not in YAML) or ending in ("", "requirements", "txt"):
        return ""
    is_removed = False
    is_python = ending in ("py", "pyi")
    for at, (_, changes) in enumerate(merge.sides):
        removed = merge.removed(changes)
        uses = _uses(merge, 1 - at) if removed else {}
        removed_names = {name for line in removed for name in given_names(line, ending)} & uses.keys()
        # In Python, lines give a meaning to more names, such as those of parameters.
        is_removed = is_removed or bool(removed_names) or (is_python and not names_bound(removed).isdisjoint(uses))
        if not removed_names:
            continue
        lost = removed_names - names_among(merge.side_blocks[at], removed_names, ending) - _own_names(merge, 1 - at)
        if not is_python:
            lost |= _names_out_of_sight(merge, 1 - at, {name: uses[name] for name in removed_names})
        if lost:
            return f"{SIDES[at]} removes {min(lost).lstrip('&')}, which {SIDES[1 - at].lower()} uses."
    if is_removed and is_python:
        unbound = unbound_names("".join(merge.merged.lines))
        if unbound is None:
            return "The merged file has too many names to see whether each of them is defined."
        for text, _ in merge.sides:
            unbound -= (unbound_names("".join(text)) if unbound else None) or frozenset()
        if unbound:
            return f"The merged file would use {min(name for _, name in unbound)}, which nothing there defines."
    return ""


@rule
def same_parameters(merge: MergeEvidence) -> str:
    """One side must not change how many arguments a function needs that new lines of the other call."""
    if merge.ending in PROSE or merge.ending in DATA or not merge.ending:
        return ""
    for at, (_, changes) in enumerate(merge.sides):
        before = {
            name: count for line in merge.removed(changes) for name, count in needed_arguments(line, merge.ending)
        }
        if not before:
            continue
        now = {name: count for row in merge.added_lines(at) for name, count in needed_arguments(row.line, merge.ending)}
        changed = {name for name, count in before.items() if now.get(name, count) != count}
        called = changed and {name for row in merge.added_lines(1 - at) for name in changed & called_names(row.line)}
        if called:
            return f"{SIDES[at]} changes the parameters of {min(called)}, which {SIDES[1 - at].lower()} calls."
    return ""


def _uses(merge: MergeEvidence, at: int) -> dict[str, list[AddedLine]]:
    """The lines that a side adds, by the names that they use."""
    uses: dict[str, list[AddedLine]] = {}
    for row in merge.added_lines(at):
        for name in used_names(row.line, merge.ending):
            uses.setdefault(name, []).append(row)
    return uses


def _own_names(merge: MergeEvidence, at: int) -> set[str]:
    """The names to which the lines that a side adds give a meaning without using them."""
    names: set[str] = set()
    for row in merge.added_lines(at):
        names |= given_names(row.line, merge.ending) - used_names(row.line, merge.ending)
    return names


def _names_out_of_sight(merge: MergeEvidence, at: int, uses: Mapping[str, Sequence[AddedLine]]) -> set[str]:
    """The names that lines of a side use which have a definition in that side's text, and not in the merged one."""
    if merge.ending in YAML or merge.ending in STYLES or merge.ending == "makefile":
        return set()
    in_merged = {name: {row.merged for row in rows} for name, rows in uses.items()}
    unseen = unseen_names(merge.merged_blocks, in_merged, merge.ending)
    in_side = {name: {row.number for row in uses[name]} for name in unseen}
    return unseen - unseen_names(merge.side_blocks[at], in_side, merge.ending)
