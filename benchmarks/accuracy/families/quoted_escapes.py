r"""Edits of lines with escapes, such as `\"`, `\$` or `\\`, that were escaped once too little or once too often.

An edit changes one word of a real line that has escapes, with up to two lines of context on either side. The ways, as
hunks and as string edits (the last part of the name):

- `exact_pattern`: the edit is exact and adds a line with a regular expression, which must stay as it is;
- `too_little`: all lines of the edit lack one level of escapes (`"` for `\"`, `\` for `\\`), and the changed line must
  get them back;
- `too_little_pattern`: the same with an added line that has a regular expression, such as `\s*`, as it should be;
- `too_often`: all lines of the edit have one level of escapes more;
- `too_often_pattern`: the same with an added line, which has one level more, too;
- `inside_too_little`: a string edit of the words inside the quotes alone, without their escapes.

The old lines have one place in the file if backslashes are left aside. A refusal is not wrong, but costs a turn.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.accuracy import repositories, spoil_strings
from benchmarks.accuracy.ambiguity import places, spoken
from benchmarks.accuracy.cases import Case, PatchCase
from benchmarks.accuracy.change import Draft, Piece, body, envelope, unified
from benchmarks.accuracy.line_parts import COMMENT_MARKS, parts_of, suffix_of
from benchmarks.accuracy.spoil_lines import REWORDED, indent_of
from benchmarks.accuracy.strings import StringCase

from .family import Family, Quota, ask_suture

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from benchmarks.accuracy.corpus import Change

LINES_OF_A_FILE = 3
MOST_CONTEXT = 2
#: Escapes that are lost with one level; a line that has others is not chosen, because these would become line breaks,
#: tabs or other characters.
ESCAPE = re.compile(r"""\\([\\"'$`])""")
OTHER_ESCAPE = re.compile(r"\\[nrtuxbf0-9]")
#: A word that no backslash touches.
WORD = re.compile(r"(?<![\\\w])[A-Za-z]{3,}(?!\w)")
#: A line with a regular expression that can be added, by the suffixes of files.
PATTERNS = {
    **dict.fromkeys("py pyi".split(), r"PATTERN = r'^\s*(\d+)\.\w+$'"),
    **dict.fromkeys("js jsx mjs ts tsx".split(), r"const pattern = /^\s*(\d+)\.\w+$/;"),
    **dict.fromkeys("sh bash zsh".split(), r"grep -E '^\s*([0-9]+)\.\w+$' list.txt"),
    "rb": r"PATTERN = /^\s*(\d+)\.\w+$/",
    "php": r"$pattern = '/^\s*(\d+)\.\w+$/';",
}
FORMS = ("hunk", "string")
KINDS = ("exact_pattern", "too_little", "too_little_pattern", "too_often", "too_often_pattern")
WAYS = (*(f"{kind}_{form}" for kind in KINDS for form in FORMS), "inside_too_little_string")


def one_level_less(text: str) -> str:
    """A text that was unescaped once too often."""
    return ESCAPE.sub(r"\1", text)


def one_level_more(text: str) -> str:
    """A text that was escaped once too often, as in a JSON string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


@dataclass(frozen=True, slots=True)
class EscapedLine:
    """An edit of one word of a line with escapes; the line is at `at` in the file."""

    name: str
    draft: Draft
    at: int
    changed: str
    context: tuple[int, int]

    def piece(self, *, has_pattern: bool) -> Piece:
        """The hunk as it should be written, with an added pattern or without."""
        before = self.draft.before
        above, below = self.context
        start, end = self.at - above, self.at + 1 + below
        added = [f"+{self.changed}"]
        if has_pattern:
            added.append(f"+{indent_of(before[self.at])}{PATTERNS[suffix_of(self.draft.path)]}")
        kept_above = [f" {line}" for line in before[start : self.at]]
        kept_below = [f" {line}" for line in before[self.at + 1 : end]]
        return Piece(start, (*kept_above, f"-{before[self.at]}", *added, *kept_below))


def escaped_lines(changes: Iterable[Change]) -> Iterator[EscapedLine]:
    """A few lines with escapes of each file, with a word to change."""
    files = set()
    for change in changes:
        draft = change.draft
        file = (change.source, draft.path)
        if file in files or suffix_of(draft.path) not in COMMENT_MARKS:
            continue
        files.add(file)
        chance = random.Random(f"{change.name}/escapes")
        spots = [i for i, line in enumerate(draft.before) if ESCAPE.search(line) and WORD.search(line)]
        for at in chance.sample(spots, min(len(spots), LINES_OF_A_FILE)):
            yield _edit_of(f"{change.name}.{at + 1}", draft, at, chance)


def _edit_of(name: str, draft: Draft, at: int, chance: random.Random) -> EscapedLine:
    line = draft.before[at]
    word = chance.choice(list(WORD.finditer(line)))
    other = chance.choice([other for other in REWORDED if other != word[0]])
    above = min(at, chance.randint(0, MOST_CONTEXT))
    below = min(len(draft.before) - at - 1, chance.randint(0, MOST_CONTEXT))
    return EscapedLine(name, draft, at, line[: word.start()] + other + line[word.end() :], (above, below))


def _spoilt(piece: Piece, change: Callable[[str], str], *, has_exact_pattern: bool) -> Piece:
    """The hunk with all lines changed; but an added pattern may be as it should be."""
    lines = [line[0] + change(line[1:]) for line in piece.lines]
    if has_exact_pattern:
        at = next(i for i, line in enumerate(piece.lines) if line[0] == "+") + 1
        lines[at] = piece.lines[at]
    return replace(piece, lines=tuple(lines))


def _as_it_is(line: str) -> str:
    return line


CHANGES: dict[str, Callable[[str], str]] = {
    "exact": _as_it_is,
    "too_little": one_level_less,
    "too_often": one_level_more,
}


def cases_of(edit: EscapedLine, quota: Quota) -> Iterator[Case]:
    """The cases of one line, in every way that it can have."""
    for kind in KINDS:
        has_pattern = kind.endswith("_pattern")
        change = CHANGES[kind.removesuffix("_pattern")]
        if not any(quota.is_open(f"{kind}_{form}") for form in FORMS):
            continue
        if has_pattern and suffix_of(edit.draft.path) not in PATTERNS:
            continue
        right = edit.piece(has_pattern=has_pattern)
        has_exact_pattern = has_pattern and change is not one_level_more
        written = _spoilt(right, change, has_exact_pattern=has_exact_pattern)
        draft = replace(edit.draft, truth=(right,), written=(written,))
        if _is_usable(draft, change):
            yield from _both_forms(edit.name, draft, kind)
    inside = _inside(edit)
    if inside is not None:
        yield inside


def _is_usable(draft: Draft, change: Callable[[str], str]) -> bool:
    """Whether the edit differs from the file in what it should, and has one place if backslashes are left aside."""
    [right], [written] = draft.truth, draft.written
    if change is one_level_less and any(OTHER_ESCAPE.search(line) for line in right.old):
        return False
    if (written.old == right.old) != (change is _as_it_is):
        return False
    return places(_bare(draft.before), _bare(written.old)) == [right.start]


def _bare(lines: Iterable[str]) -> list[str]:
    return [line.replace("\\", "") for line in lines]


def _both_forms(name: str, draft: Draft, kind: str) -> Iterator[Case]:
    before, after = draft.text(draft.before), draft.after()
    yield PatchCase(
        name=name,
        way=f"{kind}_hunk",
        detail="",
        path=draft.path,
        before=before,
        after=after,
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="after",
    )
    pair = spoil_strings.pair_of(draft.written[0], ends=False)
    if spoken(before, pair.old) == (kind == "exact_pattern"):
        yield _string_case(name, draft, f"{kind}_string", pair, after)


def _string_case(name: str, draft: Draft, way: str, pair: spoil_strings.Pair, after: str) -> StringCase:
    return StringCase(
        name=name,
        way=way,
        detail="",
        path=draft.path,
        before=draft.text(draft.before),
        after=after,
        old=pair.old,
        new=pair.new,
        expectation="after",
    )


def _inside(edit: EscapedLine) -> StringCase | None:
    """A string edit of a quoted text of the line, which lost its escapes."""
    draft, line = edit.draft, edit.draft.before[edit.at]
    right = replace(draft, truth=(edit.piece(has_pattern=False),))
    for string in parts_of(line, draft.path).strings:
        text = line[string.start : string.stop]
        grown = len(edit.changed) - len(line)
        new = edit.changed[string.start : string.stop + grown]
        has_same_ends = edit.changed.startswith(line[: string.start]) and edit.changed.endswith(line[string.stop :])
        is_changed_inside = new != text and has_same_ends
        if not is_changed_inside or OTHER_ESCAPE.search(text) or one_level_less(text) == text:
            continue
        bare_file = "\n".join(_bare(draft.before))
        pair = spoil_strings.Pair(one_level_less(text), one_level_less(new))
        if spoken(bare_file, text.replace("\\", "")) == 1 and not spoken(draft.text(draft.before), pair.old):
            return _string_case(edit.name, draft, "inside_too_little_string", pair, right.after())
    return None


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[Case]:
    """At most so many cases of each way."""
    quota = Quota(each, only or WAYS)
    edits = escaped_lines(repositories.load(paths))
    return quota.take(case for edit in edits for case in cases_of(edit, quota))


FAMILY = Family(
    "edits of lines with escapes, one level too little or too often",
    WAYS,
    make,
    {"suture": ask_suture},
    cases_of_each=300,
)
