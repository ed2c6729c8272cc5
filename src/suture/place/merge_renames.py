"""What one side of a merge has renamed: a name or a quoted text that it has replaced wherever the base has it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from .file_kinds import PROSE
from .limits import FEWEST_RENAMED_LINES, LONGEST_DEFINING_LINE, SHORTEST_RENAMED
from .merge_evidence import SIDES, WORD
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set as AbstractSet

    from .merge_evidence import MergeEvidence
    from .merge_lines import SideChange

#: A quoted text without blanks is one part of a line, as a word is, and so is every other sign.
_PART = re.compile(r"\"(?P<double>[^\"\s\\]+)\"|'(?P<single>[^'\s\\]+)'|(?P<word>[^\W\d][\w$-]*)|\S")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|\*)(?=\s).*|/\*.*?\*/")
#: Words of languages. That one side writes others, such as `const` for `var`, says nothing about what is new.
_KEYWORDS = frozenset(
    "and any auto bool boolean case char class const def else elif false final float for func function global if import"
    " int internal is let long new nil none not null object or private protected public return self static str string"
    " switch this true type undefined unless var void when while with".split()
)
_DIGITS = re.compile(r"\d+")


@rule
def renamed_everywhere(merge: MergeEvidence) -> str:
    """One side must not rename what the base has on several lines wherever it is, if new lines of the other have it."""
    if merge.ending in PROSE or merge.ending in ("", "txt"):
        return ""
    for at, (_, changes) in enumerate(merge.sides):
        renamed = _renamed(merge.base, changes, merge.added_words(1 - at))
        if not renamed:
            continue
        table = merge.side_blocks[at]
        kept = {name for number in table.lines_with(renamed) for name in _names(table.text[number])}
        for row in merge.added_lines(1 - at):
            lost = renamed.keys() & _names(row.line) - kept
            if lost:
                name = min(lost)
                return f"{SIDES[at]} renames {name} to {renamed[name]} everywhere, and {SIDES[1 - at].lower()} adds it."
    return ""


def _renamed(base: Sequence[str], changes: Sequence[SideChange], words: AbstractSet[str]) -> dict[str, str]:
    """The names that changes replace on several lines that have one of some words, with the one that each gets."""
    lines: Counter[tuple[str, str]] = Counter()
    for change in changes:
        # Lines that have come in or gone beside others do not say which line was which.
        if len(change.lines) == change.end - change.start:
            for old, new in zip(base[change.start : change.end], change.lines, strict=True):
                if not words.isdisjoint(WORD.findall(old)):
                    lines.update(_replaced(old, new))
    new_names: defaultdict[str, list[str]] = defaultdict(list)
    for (old, new), count in lines.items():
        if count >= FEWEST_RENAMED_LINES:
            new_names[old].append(new)
    return {old: names[0] for old, names in new_names.items() if len(names) == 1}


def _replaced(old: str, new: str) -> set[tuple[str, str]]:
    """The one name of a line that another line has another name for, if that is all the difference."""
    if max(len(old), len(new)) > LONGEST_DEFINING_LINE:
        return set()
    before, now = _parts(old), _parts(new)
    if len(before) != len(now):
        return set()
    pairs = {(one, other) for one, other in zip(before, now, strict=True) if one != other}
    return pairs if len(pairs) == 1 and all(_is_renamed(*pair) for pair in pairs) else set()


def _is_renamed(old: str, new: str) -> bool:
    """Whether both can be names, which differ in more than a number."""
    if len(old) < SHORTEST_RENAMED or not (old[0].isalpha() and new[0].isalpha()) or old.lower() in _KEYWORDS:
        return False
    return _DIGITS.sub("", old) != _DIGITS.sub("", new)


def _parts(line: str) -> list[str]:
    return [match["double"] or match["single"] or match[0] for match in _PART.finditer(_COMMENT.sub("", line))]


def _names(line: str) -> set[str]:
    """The names and quoted texts of a line, and the words in those."""
    return set(_all_names(line[:LONGEST_DEFINING_LINE]))


def _all_names(line: str) -> Iterator[str]:
    for part in _parts(line):
        yield part
        if not part.isidentifier():
            yield from re.findall(r"[^\W\d][\w$-]*", part)
