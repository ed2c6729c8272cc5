"""Real edits in which exactly one unchanged line is off, and everything else is exact.

The file's own line is right, in hunks and in string edits alike (the last part of a way). The first part says what is
off in the edit:

- `comment`: a comment of several words is worded otherwise;
- `string`: a quoted text of several words, separated by blanks, has another word (a path, a query or the title of a
  test is a name, not a text);
- `prose`: a line of Markdown or of another text has another word;
- `rule`: a rule of dashes, equal signs or the like has another length;
- `blank_line`: the edit has a blank line that the file has not;
- `swapped_letters`: two letters of a word in a line of code are swapped;
- `left_out`: a distinctive line away from the change is left out of both texts;
- `left_out_bracket`: the same for a bracket, an `end` or the like, also beside the change, unless lines are only added
  there;
- `left_out_beside`: the same for a distinctive line beside the change. Both the file's line and a refusal are right:
  a file with another line there may be another place (see `twins`).

An edit has at least four old lines, of which three that are exact are distinctive, and its old lines have one place in
the file (`ambiguity` decides that).
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.accuracy import repositories, spoil_strings
from benchmarks.accuracy.ambiguity import string_verdict, telling, verdict
from benchmarks.accuracy.cases import Case, PatchCase
from benchmarks.accuracy.change import Draft, body, envelope, unified
from benchmarks.accuracy.line_parts import PROSE, WORD, code_words, is_comment, parts_of, suffix_of
from benchmarks.accuracy.spoil_lines import REWORDED
from benchmarks.accuracy.strings import StringCase

from .family import Family, Quota, ask_suture

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from benchmarks.accuracy.change import Piece
    from benchmarks.accuracy.corpus import Change
    from benchmarks.accuracy.spoil import Expectation

    #: A line of the file, the draft that it is from, and chance → the line as the edit has it.
    Slip = Callable[[str, Draft, random.Random], "str | None"]
    #: The lines of a hunk, the draft, and chance → the lines of the hunk with one that is off.
    Step = Callable[[tuple[str, ...], Draft, random.Random], "tuple[str, ...] | None"]

LEAST_OLD_LINES = 4
LEAST_DISTINCTIVE = 3
LEAST_WORDS = 3
RULE = re.compile(r"(.*?)(([-=*#~_+])\3{4,})(\W*)$")


def other_comment(line: str, draft: Draft, chance: random.Random) -> str | None:
    """A comment with a third of its words replaced, but at least one."""
    if not is_comment(line, draft.path):
        return None
    return _with_other_words(line, 0, len(line), chance, part=3)


def other_string(line: str, draft: Draft, chance: random.Random) -> str | None:
    """A line with one other word in a quoted text."""
    if suffix_of(draft.path) in PROSE or is_comment(line, draft.path):
        return None
    strings = [string for string in parts_of(line, draft.path).strings if _is_message(line, string)]
    for string in chance.sample(strings, len(strings)):
        other = _with_other_words(line, string.start, string.stop, chance)
        if other is not None:
            return other
    return None


def _is_message(line: str, string: range) -> bool:
    """Whether a quoted text is for people: plain words, and not the title or the name of something."""
    words = line[string.start : string.stop].split()
    is_title = re.search(r"\b(?:it|test|describe|context|Run|name|title|class|className|id)\W*$", line[: string.start])
    is_plain = sum(re.fullmatch(r"[A-Za-z]+[.,:;!?]*", word) is not None for word in words) > 0.7 * len(words)
    return is_plain and is_title is None and len(words) >= LEAST_WORDS


def other_prose(line: str, draft: Draft, chance: random.Random) -> str | None:
    """A line of prose with one other word; not a heading, which names something."""
    if suffix_of(draft.path) not in PROSE or code_words(line, draft.path):
        return None
    return _with_other_words(line, 0, len(line), chance)


def _with_other_words(line: str, start: int, end: int, chance: random.Random, part: int = 0) -> str | None:
    """One word of a part of a line replaced, or one of so many; nothing where the part has too few words."""
    words = [word for word in WORD.finditer(line, start, end) if len(word[0]) > 2]
    if len(words) < LEAST_WORDS:
        return None
    count = max(1, len(words) // part) if part else 1
    for word in sorted(chance.sample(words, count), key=lambda word: -word.start()):
        other = chance.choice([other for other in REWORDED if other != word[0].lower()])
        line = line[: word.start()] + other + line[word.end() :]
    return line


def other_rule(line: str, _draft: Draft, chance: random.Random) -> str | None:
    """A rule that is up to five characters longer or shorter."""
    rule = RULE.match(line)
    if rule is None:
        return None
    length = max(3, len(rule[2]) + chance.choice((-5, -3, -2, -1, 1, 2, 3, 5)))
    return None if length == len(rule[2]) else rule[1] + rule[3] * length + rule[4]


def swapped_letters(line: str, draft: Draft, chance: random.Random) -> str | None:
    """Two letters next to each other, inside a name, swapped."""
    spots = [
        at
        for word in code_words(line, draft.path)
        for at in range(word.start() + 1, word.end() - 2)
        if len(word[0]) > 4 and line[at : at + 2].isalpha() and line[at] != line[at + 1]
    ]
    if not spots:
        return None
    at = chance.choice(spots)
    return line[:at] + line[at + 1] + line[at] + line[at + 2 :]


def _one_kept_line(slip: Slip) -> Step:
    """A step that changes one kept line."""

    def step(lines: tuple[str, ...], draft: Draft, chance: random.Random) -> tuple[str, ...] | None:
        kept = [i for i, line in enumerate(lines) if line[0] == " "]
        for at in chance.sample(kept, len(kept)):
            other = slip(lines[at][1:], draft, chance)
            if other is not None and other not in draft.before:
                return (*lines[:at], f" {other}", *lines[at + 1 :])
        return None

    return step


def blank_line(lines: tuple[str, ...], _draft: Draft, chance: random.Random) -> tuple[str, ...] | None:
    """A blank line between a kept line and another old line, neither of them blank."""
    spots = [
        i
        for i in range(1, len(lines))
        if lines[i - 1][0] == " " and lines[i][0] != "+" and lines[i - 1].strip() and lines[i][1:].strip()
    ]
    if not spots:
        return None
    at = chance.choice(spots)
    return (*lines[:at], " ", *lines[at:])


def _one_left_out(is_chosen: Callable[[tuple[str, ...], int], bool]) -> Step:
    """A step that leaves out a kept line between other old lines."""

    def step(lines: tuple[str, ...], _draft: Draft, chance: random.Random) -> tuple[str, ...] | None:
        old = [i for i, line in enumerate(lines) if line[0] != "+"]
        spots = [at for at in old[1:-1] if lines[at][0] == " " and lines[at].strip() and is_chosen(lines, at)]
        if not spots:
            return None
        at = chance.choice(spots)
        return lines[:at] + lines[at + 1 :]

    return step


def _is_away(lines: tuple[str, ...], at: int) -> bool:
    return telling(lines[at]) and all(line[0] == " " for line in lines[at - 1 : at + 2])


def _is_beside(lines: tuple[str, ...], at: int) -> bool:
    return telling(lines[at]) and not _is_away(lines, at) and not _is_beside_insertion(lines, at)


def _is_bracket(lines: tuple[str, ...], at: int) -> bool:
    is_short = not telling(lines[at]) or lines[at].strip() in ("end", "done", "esac", "else:", "} else {")
    return is_short and not _is_beside_insertion(lines, at)


def _is_beside_insertion(lines: tuple[str, ...], at: int) -> bool:
    """Whether lines are added right beside a line, and none is removed together with them."""
    for direction in (-1, 1):
        i = at + direction
        kinds = set()
        while 0 <= i < len(lines) and lines[i][0] != " ":
            kinds.add(lines[i][0])
            i += direction
        if kinds == {"+"}:
            return True
    return False


STEPS: dict[str, Step] = {
    "comment": _one_kept_line(other_comment),
    "string": _one_kept_line(other_string),
    "prose": _one_kept_line(other_prose),
    "rule": _one_kept_line(other_rule),
    "blank_line": blank_line,
    "swapped_letters": _one_kept_line(swapped_letters),
    "left_out": _one_left_out(_is_away),
    "left_out_bracket": _one_left_out(_is_bracket),
    "left_out_beside": _one_left_out(_is_beside),
}
#: What may be refused as well.
UNSURE = frozenset({"left_out_beside"})
FORMS = ("hunk", "string")
WAYS = tuple(f"{kind}_{form}" for kind in STEPS for form in FORMS)


def cases_of(name: str, draft: Draft, piece: Piece, quota: Quota) -> Iterator[Case]:
    """The cases of one hunk, in every way that it can have."""
    one = replace(draft, truth=(piece,), written=(piece,))
    for kind, step in STEPS.items():
        if not any(quota.is_open(f"{kind}_{form}") for form in FORMS):
            continue
        chance = random.Random(f"{name}/{kind}")
        lines = step(piece.lines, one, chance)
        if lines is None:
            continue
        off = one.with_written([replace(piece, lines=lines)])
        if _is_distinctive(piece, lines) and verdict(off) == "clear":
            expectation: Expectation = "either" if kind in UNSURE else "after"
            yield replace(_hunk(name, off, f"{kind}_hunk"), expectation=expectation)
            edit = _string(name, off, f"{kind}_string", chance)
            if edit is not None:
                yield replace(edit, expectation=expectation)


def _is_distinctive(piece: Piece, lines: tuple[str, ...]) -> bool:
    """Whether enough of the old lines that are exact are distinctive."""
    exact = set(piece.old)
    old = [line[1:] for line in lines if line[0] != "+"]
    return len(old) >= LEAST_OLD_LINES and sum(line in exact and telling(line) for line in old) >= LEAST_DISTINCTIVE


def _hunk(name: str, draft: Draft, way: str) -> PatchCase:
    return PatchCase(
        name=name,
        way=way,
        detail="",
        path=draft.path,
        before=draft.text(draft.before),
        after=draft.after(),
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="after",
    )


def _string(name: str, draft: Draft, way: str, chance: random.Random) -> StringCase | None:
    """The edit as a string edit; nothing where its old text has no place of its own."""
    pair = spoil_strings.pair_of(draft.written[0], ends=chance.random() < 0.5)
    if string_verdict(draft, pair.old, pair.new, slips=True) != "clear":
        return None
    return StringCase(
        name=name,
        way=way,
        detail="",
        path=draft.path,
        before=draft.text(draft.before),
        after=draft.after(),
        old=pair.old,
        new=pair.new,
        expectation="after",
    )


def hunks_of(changes: Iterable[Change]) -> Iterator[tuple[str, Draft, Piece]]:
    """Every hunk of the changes that does not move lines."""
    for change in changes:
        for number, piece in enumerate(change.draft.truth):
            if not spoil_strings.moves_lines(piece):
                yield f"{change.name}.{number}", change.draft, piece


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[Case]:
    """At most so many cases of each way."""
    quota = Quota(each, only or WAYS)
    hunks = hunks_of(repositories.load(paths))
    return quota.take(case for name, draft, piece in hunks for case in cases_of(name, draft, piece, quota))


FAMILY = Family(
    "edits in which one unchanged line is off",
    WAYS,
    make,
    {"suture": ask_suture},
    cases_of_each=300,
)
