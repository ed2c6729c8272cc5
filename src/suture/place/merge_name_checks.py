"""The rules of a merge that are about names: defined twice, or used by one side and removed by the other."""

from __future__ import annotations

import re
from collections import Counter

from .file_kinds import C_LIKE, PROSE, STYLES
from .limits import LONGEST_DEFINING_LINE, MOST_DEFINITIONS
from .merge_binders import bound_names
from .merge_evidence import SIDES, WORD
from .merge_imported_names import names_of_import, names_of_list
from .merge_markup import MARKUP
from .merge_names import DATA, DECLARED, names_of_block
from .merge_references import REFERRING, text_of
from .merge_uses import (
    IMPORT,
    async_functions,
    blocks_with_names,
    first_lines,
    given_names,
    names_among,
    unseen_names,
    used_names,
    words_of,
)
from .python_text import hidden_globals, names_assigned, names_bound, unbound_names
from .rule import rule

#: A member of an enumeration that has a value, and the line above the members.
_VALUE = re.compile(r"\w+[ \t]*(?P<name>=[ \t]*(?:\w+|\"[^\"]*\"|'[^']*'))[ \t]*[,;]?$")
#: The endings of files in which a line of the file itself sees only what is above it.
_READ_FROM_TOP = frozenset("cjs cts js jsx mjs mts py pyi ts tsx".split())
#: The endings of files in which nothing is known to use a name.
_WITHOUT_USES = (PROSE | DATA | {"", "codeowners", "requirements", "txt"}) - REFERRING
_SCRIPTS = _READ_FROM_TOP - {"py", "pyi"}
_QUOTED = re.compile(r"[\"'](\w+)[\"']")
_ENUM = re.compile(r"\benum\b|^[ \t]*class\b.*\b(?:\w*Enum|\w*Flag)\b")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet

    from .merge_blocks import BlockTable
    from .merge_evidence import AddedLine, MergeEvidence


@rule
def one_definition(merge: MergeEvidence) -> str:
    """Both sides must not define the same name in the same block."""
    imported = [_imports(merge, at) for at in range(2)]
    rows = _rows_of_names(merge, imported)
    names = rows[0].keys() & rows[1].keys()
    if sum(len(side[name]) for side in rows for name in names) > MOST_DEFINITIONS:
        return "Both define the same names, too many to compare them."
    # For each name and side, its blocks when merged, each with the same block in the text of that side.
    places_of_names: dict[str, list[dict[int, int]]] = {}
    for name in sorted(names):
        places = [
            {merge.merged_blocks.block_of(row.merged): table.block_of(row.number) for row in side[name]}
            for side, table in zip(rows, merge.side_blocks, strict=True)
        ]
        if not places[0].keys().isdisjoint(places[1]):
            places_of_names[name] = places
    tables = (*merge.side_blocks, merge.merged_blocks)
    *counts, merged_counts = [_definitions(table, places_of_names.keys(), merge.ending) for table in tables]
    for name, places in places_of_names.items():
        for block in sorted(places[0].keys() & places[1].keys()):
            alone = [count[name, place[block]] for count, place in zip(counts, places, strict=True)]
            if merged_counts[name, block] > max(alone):
                return f"Both define {name}."
    return _imported_twice(merge, imported, rows)


def _rows_of_names(
    merge: MergeEvidence, imported: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, Sequence[AddedLine]]]:
    """The lines that each side adds, by the names that they define, as far as the other side has these names, too."""
    first = 0 if len(merge.added_lines(0)) <= len(merge.added_lines(1)) else 1
    first_rows = _defining_rows(merge, first, merge.added_lines(first))
    names = first_rows.keys() | imported[first].keys()
    other_lines = merge.added_lines(1 - first)
    # The name of a requirement may be written in capitals.
    if merge.ending != "requirements":
        other_lines = _lines_with_words_of(other_lines, [WORD.findall(name) for name in names])
    other_rows = _defining_rows(merge, 1 - first, other_lines)
    return (first_rows, other_rows) if first == 0 else (other_rows, first_rows)


def _imported_twice(
    merge: MergeEvidence,
    imported: Sequence[Mapping[str, Sequence[tuple[int, str]]]],
    rows: Sequence[Mapping[str, Sequence[AddedLine]]],
) -> str:
    """What is wrong where both sides import a name into one block, or one imports what the other defines there."""
    for name in sorted(imported[0].keys() & imported[1].keys()):
        blocks = [{merge.merged_blocks.block_of(place): line for place, line in side[name]} for side in imported]
        for block in sorted(blocks[0].keys() & blocks[1].keys()):
            lines = {side[block] for side in blocks}
            # That both add the same import is for `one_block` to say.
            if len(lines) > 1 or not any(map(IMPORT.match, lines)):
                return f"Both import {name}."
    for at, defined in enumerate(rows):
        for name in sorted(imported[1 - at].keys() & defined.keys()):
            blocks_of_imports = {merge.merged_blocks.block_of(place) for place, _ in imported[1 - at][name]}
            if any(merge.merged_blocks.block_of(row.merged) in blocks_of_imports for row in defined[name]):
                return f"Both define {name}."
    return ""


def _imports(merge: MergeEvidence, at: int) -> dict[str, list[tuple[int, str]]]:
    """The names that a side imports and the base does not: where each import begins when merged, and the line."""
    imports: dict[str, list[tuple[int, str]]] = {}
    opener = merge.merged_blocks.opener
    for row in merge.added_lines(at):
        names, place = names_of_import(row.line, merge.ending), row.merged
        if not names and row.line.rstrip().endswith(",") and names_of_list(row.line):
            place = opener(row.merged)
            is_import = place >= 0 and IMPORT.match(merge.merged.lines[place]) is not None
            names = names_of_list(row.line) if is_import else names
        for name in names:
            imports.setdefault(name, []).append((place, row.line.strip()))
    if imports:
        for line in merge.removed(merge.sides[at][1]):
            for name in names_of_import(line, merge.ending) | names_of_list(line):
                imports.pop(name, None)
    return imports


def _defining_rows(merge: MergeEvidence, at: int, lines: Iterable[AddedLine]) -> dict[str, list[AddedLine]]:
    """Lines that a side adds, by the names that they define."""
    table = merge.side_blocks[at]
    rows: dict[str, list[AddedLine]] = {}
    for row in lines:
        for name in _names_at(table, row.number, merge.ending):
            rows.setdefault(name, []).append(row)
    return rows


def _definitions(table: BlockTable, names: AbstractSet[str], ending: str) -> Counter[tuple[str, int]]:
    """How often each block of a text defines each of some names."""
    counts: Counter[tuple[str, int]] = Counter()
    # The name of a requirement may be written in capitals.
    numbers = range(len(table.text)) if ending == "requirements" else table.lines_with_names(names)
    for number in numbers:
        for name in names & set(_names_at(table, number, ending)):
            counts[name, table.block_of(number)] += 1
    return counts


def _names_at(table: BlockTable, number: int, ending: str) -> tuple[str, ...]:
    """The names that a line defines in its block; in an enumeration also the value, which no other name should have."""
    names = names_of_block(table.text, number, ending)
    value = _VALUE.match(table.text[number].strip()) if names else None
    opener = table.opener(number) if value else -1
    if value is None or opener < 0 or not _ENUM.search(table.text[opener][:LONGEST_DEFINING_LINE]):
        return names
    return (*names, value["name"])


@rule
def names_stay(merge: MergeEvidence) -> str:
    """One side must not remove a name, such as an import or a function, that new lines of the other use."""
    ending = merge.ending
    if ending in _WITHOUT_USES:
        return ""
    is_removed = False
    is_python = ending in ("py", "pyi")
    for at, (_, changes) in enumerate(merge.sides):
        removed = merge.removed(changes)
        uses = _uses(merge, 1 - at) if removed else {}
        removed_names = _given_by_removed(merge, at) & uses.keys()
        # In Python, lines give a meaning to more names, such as those of parameters.
        is_removed = is_removed or bool(removed_names) or (is_python and not names_bound(removed).isdisjoint(uses))
        if not removed_names:
            continue
        lost = removed_names - names_among(merge.side_blocks[at], removed_names, ending)
        if lost:
            lost -= _own_names(merge, 1 - at)
        if not is_python:
            lost |= _names_out_of_sight(merge, 1 - at, {name: uses[name] for name in removed_names})
        if lost:
            return f"{SIDES[at]} removes {min(lost).strip('&:')}, which {SIDES[1 - at].lower()} uses."
        # A function of a script is known in all of its file.
        known = async_functions([line for line in removed if "function" in line]).keys()
        moved = _moved_below(merge, 1 - at, {name: uses[name] for name in removed_names - known})
        if moved:
            return f"{SIDES[at]} moves {moved} below a line of {SIDES[1 - at].lower()} that uses it."
    if is_removed and is_python:
        unbound = unbound_names("".join(merge.merged.lines))
        if unbound is None:
            return "The merged file has too many names to see whether each of them is defined."
        for text, _ in merge.sides:
            if unbound:
                # What is not defined in a side already is no fault of the merge.
                unbound -= unbound_names("".join(text)) or frozenset()
        if unbound:
            return f"The merged file would use {min(name for _, name in unbound)}, which nothing there defines."
    return _made_local(merge) if is_python else _import_without_uses(merge) or _declared_around(merge)


def _moved_below(merge: MergeEvidence, at: int, uses: Mapping[str, Sequence[AddedLine]]) -> str:
    """A name that a side uses below its first line there, while in the merged file that use is the first one."""
    is_c = merge.ending in C_LIKE
    if not is_c and merge.ending not in _READ_FROM_TOP:
        return ""
    opener = merge.merged_blocks.opener
    first_uses: dict[str, AddedLine] = {}
    for name, lines in uses.items():
        # What is in a function is read when the function is called.
        use = next((line for line in lines if is_c or opener(line.merged) < 0), None)
        if use is not None:
            first_uses[name] = use
    first_in_side = first_lines(merge.side_blocks[at], first_uses.keys())
    first_in_merged = first_lines(merge.merged_blocks, first_uses.keys())
    for name, use in sorted(first_uses.items()):
        was_above = first_in_side.get(name, use.number) < use.number
        is_first_now = first_in_merged.get(name) == use.merged
        if was_above and is_first_now:
            return name
    return ""


def _made_local(merge: MergeEvidence) -> str:
    """What is wrong where one side gives a function a variable, and the other uses the global name there."""
    for at in range(2):
        bound = names_assigned(row.line for row in merge.added_lines(at))
        uses = set(bound & _uses(merge, 1 - at).keys()) if bound else set[str]()
        local = {name for line in merge.removed(merge.sides[at][1]) for name in _global_names(line)}
        if local:
            uses |= local & (_uses(merge, 1 - at).keys() | _own_names(merge, 1 - at))
        if not uses:
            continue
        text = "".join(merge.sides[1 - at][0])
        hidden = hidden_globals(text, "".join(merge.merged.lines), uses)
        if hidden:
            return f"{SIDES[at]} makes {min(hidden)} a variable of a function in which {SIDES[1 - at].lower()} uses it."
    return ""


def _global_names(line: str) -> list[str]:
    """The names that a statement `global` of Python is about."""
    code = line.strip()
    return [name.strip() for name in code.removeprefix("global ").split(",")] if code.startswith("global ") else []


def _declared_around(merge: MergeEvidence) -> str:
    """What is wrong where one side declares a name in a block of a script in which the other uses the global one."""
    if merge.ending not in _SCRIPTS:
        return ""
    for at in range(2):
        declared: dict[str, int] = {}
        for row in merge.added_lines(at):
            match = DECLARED.match(row.line[:LONGEST_DEFINING_LINE])
            if match and merge.merged_blocks.opener(row.merged) >= 0:
                declared[match["name"]] = merge.merged_blocks.opener(row.merged)
        uses = _uses(merge, 1 - at) if declared else {}
        table = merge.side_blocks[1 - at]
        inside: dict[str, list[AddedLine]] = {}
        for name in declared.keys() & uses.keys():
            rows = [row for row in uses[name] if declared[name] in merge.merged_blocks.around(row.merged)]
            inside.update({name: rows} if rows else {})
        numbers = {name: {row.number for row in rows} for name, rows in inside.items()}
        known = blocks_with_names(table, numbers, merge.ending) if numbers else {}
        for name in sorted(inside):
            if any(known[name] & table.around(row.number) == {-1} for row in inside[name]):
                return f"{SIDES[at]} declares {name} in a block in which {SIDES[1 - at].lower()} uses the global one."
    return ""


def _import_without_uses(merge: MergeEvidence) -> str:
    """What is wrong where both sides remove uses of a package of Go, which must not be imported without one."""
    if merge.ending != "go":
        return ""
    words = [{word for line in merge.removed(changes) for word in words_of(line)} for _, changes in merge.sides]
    both = words[0] & words[1]
    if not both:
        return ""
    imported: set[str] = set()
    for line in merge.merged.lines:
        imported |= names_of_import(line, "go") & both
        if line.startswith("func"):
            break
    rows = merge.merged_blocks.lines_with({f"{name}." for name in imported})
    left = imported.difference(*[words_of(merge.merged.lines[number]) for number in rows])
    return f"Both remove uses of {min(left)}, and its import would be left without any." if left else ""


def _given_by_removed(merge: MergeEvidence, at: int) -> set[str]:
    """The names to which lines give a meaning that a side removes, as far as the other side may use them."""
    if at not in merge.given:
        lines = merge.removed(merge.sides[at][1])
        # What refers to a name of settings or documents can have it in other letters.
        if merge.ending not in REFERRING:
            words = merge.added_words(1 - at)
            lines = [line for line in lines if not words.isdisjoint(WORD.findall(line))]
        merge.given[at] = {name for line in lines for name in given_names(line, merge.ending)}
    return merge.given[at]


def _names_asked_for(merge: MergeEvidence, at: int) -> set[str]:
    """The names of a side about which has to be known whether the other side uses them."""
    removed = merge.removed(merge.sides[at][1])
    names = set(_given_by_removed(merge, at))
    if merge.ending in ("py", "pyi"):
        names |= names_bound(removed) | names_assigned(row.line for row in merge.added_lines(at))
        names.update(name for line in removed for name in _global_names(line))
    if merge.ending in _SCRIPTS:
        declared = [DECLARED.match(row.line[:LONGEST_DEFINING_LINE]) for row in merge.added_lines(at)]
        names.update(match["name"] for match in declared if match)
    return names


def _lines_with_words_of(lines: Sequence[AddedLine], words: Sequence[Sequence[str]]) -> Sequence[AddedLine]:
    """The lines with all words of one of some names, rather too many."""
    if not all(words):
        return lines
    first_words = {of_name[0] for of_name in words}
    return [row for row in lines if not first_words.isdisjoint(WORD.findall(row.line))]


def _uses(merge: MergeEvidence, at: int) -> dict[str, list[AddedLine]]:
    """The lines that a side adds, by the names that they use: of those names that the other side asks for."""
    if at in merge.uses:
        return merge.uses[at]
    uses: dict[str, list[AddedLine]] = {}
    merge.uses[at] = uses
    lines = merge.added_lines(at)
    # What refers to a name of settings or documents can have it in other letters.
    if merge.ending not in REFERRING:
        names_asked_for = _names_asked_for(merge, 1 - at)
        lines = _lines_with_words_of(lines, [WORD.findall(text_of(name)) for name in names_asked_for])
    for row in lines:
        names = used_names(row.line, merge.ending)
        if merge.ending == "py" and _is_of_exports(merge, row):
            names |= set(_QUOTED.findall(row.line))
        for name in names:
            uses.setdefault(name, []).append(row)
    return uses


def _is_of_exports(merge: MergeEvidence, row: AddedLine) -> bool:
    """Whether a line belongs to the list of what a module of Python exports."""
    opener = merge.merged_blocks.opener(row.merged)
    return any(line.startswith("__all__") for line in (row.line, merge.merged.lines[opener] if opener >= 0 else ""))


def _own_names(merge: MergeEvidence, at: int) -> set[str]:
    """The names to which the lines that a side adds give a meaning without using them."""
    names: set[str] = set()
    for row in merge.added_lines(at):
        if merge.ending == "py" and _is_of_exports(merge, row):
            continue
        names |= given_names(row.line, merge.ending) - used_names(row.line, merge.ending)
        names |= bound_names(row.line.strip()[:LONGEST_DEFINING_LINE], merge.ending)
    return names


def _names_out_of_sight(merge: MergeEvidence, at: int, uses: Mapping[str, Sequence[AddedLine]]) -> set[str]:
    """The names that lines of a side use which have a definition in that side's text, and not in the merged one."""
    if merge.ending in REFERRING | MARKUP | STYLES or merge.ending in ("dockerfile", "makefile"):
        return set()
    in_merged = {name: {row.merged for row in rows} for name, rows in uses.items()}
    unseen = unseen_names(merge.merged_blocks, in_merged, merge.ending)
    in_side = {name: {row.number for row in uses[name]} for name in unseen}
    return unseen - unseen_names(merge.side_blocks[at], in_side, merge.ending)
