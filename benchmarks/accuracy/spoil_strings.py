"""The table of ways to spoil a string edit, by name.

A string edit is a draft of one hunk: its old lines joined are `old`, its new lines `new`. So the ways to spoil the
lines of hunks are ways to spoil it, and kept lines are spoilt in both texts. What only strings can suffer is here:
steps on the two texts, and ways that spoil `old` alone.
"""

from __future__ import annotations

import html
import json
import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import spoil_habits as habits, spoil_lines as lines
from .ambiguity import telling
from .spoil import Expectation, crlf_file, no_final_newline
from .spoil_envelope import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from .change import Draft, Piece
    from .spoil import HunkStep

    TextStep = Callable[[Draft, "Pair", random.Random], "Pair | None"]


@dataclass(frozen=True, slots=True)
class Pair:
    """The two texts of a string edit."""

    old: str
    new: str

    def each(self, change: Callable[[str], str]) -> Pair | None:
        """Both texts changed; nothing where the old one stays as it is, since then nothing would tell."""
        spoilt = Pair(change(self.old), change(self.new))
        return None if spoilt.old == self.old else spoilt


@dataclass(frozen=True, slots=True)
class Way:
    """One way to spoil a string edit.

    With `old_only` the new text is as it should be; with `slips` some lines are not the file's in any spelling.
    """

    hunks: HunkStep | None = None
    text: TextStep | None = None
    expectation: Expectation = "after"
    old_only: bool = False
    slips: bool = False


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A draft and its two texts after a way was used; `detail` says which steps where the way itself chooses them."""

    draft: Draft
    pair: Pair
    expectation: Expectation
    slips: bool = False
    detail: str = ""


def pair_of(piece: Piece, *, ends: bool) -> Pair:
    """A hunk as two texts, both with a newline at the end or both without."""
    new = [line[1:] for line in piece.lines if line[0] != "-"]
    end = "\n" if ends else ""
    return Pair("\n".join(piece.old) + end, "\n".join(new) + end * bool(new))


# Parts of lines


def part_of_line(draft: Draft, _pair: Pair, chance: random.Random) -> Pair | None:
    """Only the words of one line that change, with as many around them as it takes to be unique."""
    changed = [line for line in draft.written[0].lines if line[0] != " "]
    if [line[0] for line in changed] != ["-", "+"]:
        return None
    old, new = (line[1:] for line in changed)
    head, tail = _common(old, new), _common(old[::-1], new[::-1])
    tail = min(tail, min(len(old), len(new)) - head)
    body = "\n".join(draft.before)
    for words in range(chance.randrange(3), 12):
        start, end = _words_back(old, head, words), len(old) - _words_back(old[::-1], tail, words)
        part = Pair(old[start:end], new[start : len(new) - (len(old) - end)])
        if part.old.strip() and body.count(part.old) == 1:
            return part
    return None


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _words_back(line: str, at: int, words: int) -> int:
    """Where so many words before a position begin; no word is cut."""
    starts = [match.start() for match in re.finditer(r"\S+\s*", line[:at])]
    if at and at < len(line) and not line[at - 1].isspace():
        words += 1
    return starts[-words] if 0 < words <= len(starts) else at if words == 0 else 0


def starts_in_line(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """The first line begins behind its indentation, the others have theirs."""
    indent = lines.indent_of(pair.old)
    if not indent or not pair.new.startswith(indent) or "\n" not in pair.old.strip("\n"):
        return None
    return Pair(pair.old[len(indent) :], pair.new[len(indent) :])


def ends_in_line(draft: Draft, pair: Pair, chance: random.Random) -> Pair | None:
    """The last line, which is kept, ends in the middle."""
    last = draft.written[0].lines[-1]
    spaces = [match.start() for match in re.finditer(r"(?<=\w) ", last[1:])]
    if last[0] != " " or not spaces:
        return None
    cut = len(last) - 1 - chance.choice(spaces)
    return Pair(*(text.removesuffix("\n")[:-cut] for text in (pair.old, pair.new)))


def first_line_flush(draft: Draft, pair: Pair, chance: random.Random) -> Pair | None:
    """The first line begins behind its indentation, and the others are at another depth."""
    return starts_in_line(draft, pair, chance)


# Both texts as a whole


def crlf(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """Both texts have CRLF, the file LF."""
    return pair.each(lambda text: text.replace("\n", "\r\n"))


def blank_around(_draft: Draft, pair: Pair, chance: random.Random) -> Pair:
    """Blank lines around the old text, and around the new one or not."""
    lead, tail = chance.choice((("\n", ""), ("\n\n", ""), ("", "\n\n"), ("\n", "\n\n"), ("\n\n", "\n\n")))
    spoilt = Pair(lead + pair.old + tail, lead + pair.new + tail)
    return replace(spoilt, new=pair.new) if chance.random() < 0.3 else spoilt


def html_entities(_draft: Draft, pair: Pair, chance: random.Random) -> Pair | None:
    """Both texts with HTML entities."""
    quote = chance.random() < 0.5
    return pair.each(lambda text: html.escape(text, quote=quote))


def html_entities_old(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """The old text with HTML entities, the new one without, which its own characters tell."""
    if not re.search(r"[<>]", pair.new) or "&" not in html.escape(pair.old, quote=False):
        return None
    return Pair(html.escape(pair.old, quote=False), pair.new)


def line_numbers_old(draft: Draft, pair: Pair, chance: random.Random) -> Pair:
    """Line numbers in front of every old line, as a file viewer prints them; the new text has none."""
    return replace(pair, old=_numbered(pair.old, draft.written[0].start, chance.choice(NUMBERED)))


def line_numbers_both(draft: Draft, pair: Pair, chance: random.Random) -> Pair | None:
    """Line numbers in front of every line of both texts."""
    form = chance.choice(NUMBERED)
    return pair.each(lambda text: _numbered(text, draft.written[0].start, form))


def _numbered(text: str, start: int, form: str) -> str:
    if not text:
        return ""
    end = "\n" if text[-1] == "\n" else ""
    texts = text.removesuffix("\n").split("\n")
    return "\n".join(form.format(start + i + 1, line) for i, line in enumerate(texts)) + end


def escaped_whole(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """Both texts as in a JSON string: newlines, quotes, backslashes and tabs are written out."""
    if "\n" not in pair.old.strip("\n"):
        return None
    return pair.each(lambda text: json.dumps(text, ensure_ascii=False)[1:-1])


def escaped_newlines(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """The newlines of both texts are written out, nothing else."""
    if "\\" in pair.old + pair.new or "\n" not in pair.old.strip("\n"):
        return None
    return pair.each(lambda text: text.replace("\n", "\\n"))


def escaped_backslashes(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """Every backslash is written twice, in both texts."""
    return pair.each(lambda text: text.replace("\\", "\\\\"))


def escaped_single_quotes(_draft: Draft, pair: Pair, _chance: random.Random) -> Pair | None:
    """Single quotes are written with a backslash, in both texts."""
    if "\\" in pair.old + pair.new:
        return None
    return pair.each(lambda text: text.replace("'", "\\'"))


# Lines


def outdented_old(draft: Draft, chance: random.Random) -> Draft | None:
    """The old text lost its indentation, the new one has it, and a kept line tells so."""
    kept = [line[1:] for line in draft.written[0].lines if line[0] == " "]
    return lines.outdented(draft, chance) if any(telling(line) and lines.indent_of(line) for line in kept) else None


def _spread(line: str, chance: random.Random) -> str:
    """One blank inside the line became several."""
    spots = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", line)]
    if not spots:
        return line
    at = chance.choice(spots)
    return line[:at] + chance.choice(("  ", "   ", "\t")) + line[at + 1 :]


def spread_spaces(draft: Draft, chance: random.Random) -> Draft | None:
    """Old lines have more white space between words than the file has."""
    return lines.each_line(draft, lines.OLD, lambda line: _spread(line, chance))


def collapsed_spaces(draft: Draft, chance: random.Random) -> Draft | None:
    """The file has more white space between words than the edit has."""
    return lines.in_the_file(draft, lambda line: _spread(line, chance))


def certain(step: HunkStep) -> HunkStep:
    """The step, but not on lines of the file that are added too: the two texts don't tell which of them is kept."""

    def spoilt(draft: Draft, chance: random.Random) -> Draft | None:
        added = set(draft.truth[0].added)
        after = step(draft, chance)
        if after is None:
            return None
        pairs = zip(draft.before, after.before, strict=True)
        restored = replace(after, before=tuple(old if old in added else new for old, new in pairs))
        return None if restored.before == draft.before else restored

    return spoilt


def moves_lines(piece: Piece) -> bool:
    """Whether a line goes in one place and comes in another: the two texts don't tell what moved."""
    return any(line.strip() for line in set(piece.removed).intersection(piece.added))


def _joined(draft: Draft, chance: random.Random, prefix: str) -> Draft | None:
    """Two lines with that prefix are one."""
    piece = draft.written[0]
    texts = piece.lines
    spots = [
        i
        for i in range(1, len(texts))
        if texts[i - 1][0] == texts[i][0] == prefix and texts[i - 1][1:].strip() and texts[i][1:].strip()
    ]
    if not spots:
        return None
    at = chance.choice(spots)
    line = f"{texts[at - 1].rstrip()} {texts[at][1:].lstrip()}"
    return draft.with_written([replace(piece, lines=(*texts[: at - 1], line, *texts[at + 1 :]))])


def joined_removed(draft: Draft, chance: random.Random) -> Draft | None:
    """Two removed lines are written as one."""
    return _joined(draft, chance, "-")


def joined_kept(draft: Draft, chance: random.Random) -> Draft | None:
    """Two kept lines are written as one, in both texts."""
    return _joined(draft, chance, " ")


def _with_other_middle(draft: Draft, chance: random.Random, *, beside: bool) -> Draft | None:
    """Kept lines between the first and the last are reworded: those beside a change, or those that are not."""
    piece = draft.written[0]
    texts = piece.lines
    old = [i for i, line in enumerate(texts) if line[0] != "+" and line[1:].strip()]
    spots = [
        i
        for i in range(old[0] + 1, old[-1])
        if texts[i][0] == " " and telling(texts[i]) and beside == (texts[i - 1][0] + texts[i + 1][0] != "  ")
    ]
    if not spots:
        return None
    chosen = set(chance.sample(spots, chance.randint(1, len(spots))))
    spoilt = tuple(
        " " + (lines.reworded(line[1:], chance) or line[1:]) if i in chosen else line for i, line in enumerate(texts)
    )
    return None if spoilt == texts else draft.with_written([replace(piece, lines=spoilt)])


def middle_differs(draft: Draft, chance: random.Random) -> Draft | None:
    """Kept lines in the middle, not beside a change, are written from memory."""
    return _with_other_middle(draft, chance, beside=False)


def middle_differs_beside(draft: Draft, chance: random.Random) -> Draft | None:
    """Kept lines in the middle, right beside a change, are written from memory."""
    return _with_other_middle(draft, chance, beside=True)


WAYS: dict[str, Way] = {
    "clean": Way(),
    # parts of lines
    "part_of_line": Way(text=part_of_line),
    "starts_in_line": Way(text=starts_in_line),
    "ends_in_line": Way(text=ends_in_line),
    "first_line_bare": Way(habits.first_line_bare),
    "first_line_flush": Way(lines.half_outdented, first_line_flush),
    # the file itself
    "crlf_file": Way(crlf_file),
    "no_final_newline": Way(no_final_newline),
    # both texts as a whole
    "crlf": Way(text=crlf),
    "blank_around": Way(text=blank_around),
    "html_entities": Way(text=html_entities),
    "html_entities_old": Way(text=html_entities_old),
    "line_numbers_old": Way(text=line_numbers_old),
    "line_numbers_both": Way(text=line_numbers_both),
    "escaped_whole": Way(text=escaped_whole),
    "escaped_newlines": Way(text=escaped_newlines),
    "escaped_backslashes": Way(text=escaped_backslashes),
    "escaped_single_quotes": Way(text=escaped_single_quotes),
    "escaped_quotes": Way(lines.escaped_quotes),
    # white space
    "lost_trailing": Way(certain(lines.lost_trailing)),
    "added_trailing": Way(lines.added_trailing),
    "added_trailing_old": Way(lines.added_trailing, old_only=True),
    "tabs_for_spaces": Way(lines.tabs_for_spaces),
    "spaces_for_tabs": Way(lines.spaces_for_tabs),
    "spaces_in_tabbed_file": Way(lines.spaces_in_tabbed_file),
    "outdented": Way(lines.outdented),
    "outdented_old": Way(outdented_old, old_only=True),
    "half_outdented": Way(lines.half_outdented),
    "wrapped_too_shallow": Way(habits.wrapped_too_shallow),
    "too_deep": Way(lines.too_deep),
    "spread_spaces": Way(spread_spaces),
    "collapsed_spaces": Way(certain(collapsed_spaces)),
    "joined_removed": Way(joined_removed),
    # characters
    "curly_context": Way(lines.curly_context),
    "curly_old": Way(lines.curly_old),
    "curly_old_only": Way(lines.curly_old, old_only=True),
    "straight_for_curly": Way(certain(lines.straight_for_curly)),
    "ascii_for_typography": Way(certain(lines.ascii_for_typography)),
    "unescaped": Way(habits.unescaped),
    "unescaped_quotes": Way(habits.unescaped_quotes),
    "wrong_character": Way(lines.wrong_character, slips=True),
    "corrected_by_new": Way(lines.wrong_character, old_only=True, slips=True),
    # kept lines
    "skipped_line": Way(lines.skipped_line, slips=True),
    "invented_line": Way(lines.invented_line, slips=True),
    "middle_differs": Way(middle_differs, slips=True),
    # nobody can be sure
    "joined_kept": Way(joined_kept, expectation="either"),
    "wrong_character_removed": Way(lines.wrong_character_removed, expectation="either", slips=True),
    "skipped_beside_change": Way(lines.skipped_beside_change, expectation="either", slips=True),
    "invented_beside_change": Way(lines.invented_beside_change, expectation="either", slips=True),
    "middle_differs_beside": Way(middle_differs_beside, expectation="either", slips=True),
}
#: Two at once, chosen by the case's name: two ways on the lines, or one on the lines and one on the texts.
MIXTURES = ("mixture_lines", "mixture_lines_and_text")
#: Ways to spoil that make a stale edit harder to tell from a spoilt one.
SPOILT_TOO = (
    "outdented", "too_deep", "lost_trailing", "curly_old", "wrong_character", "skipped_line", "invented_line",
    "middle_differs", "spread_spaces", "tabs_for_spaces",
)  # fmt: skip

_TEXTS = ("crlf", "blank_around", "html_entities", "line_numbers_old", "line_numbers_both")
#: Groups of which a mixture takes at most one each: two ways of one group would undo or contradict one another.
_GROUPS = (
    ("lost_trailing", "added_trailing"),
    ("tabs_for_spaces", "spaces_for_tabs", "outdented", "too_deep"),
    ("curly_context", "curly_old", "straight_for_curly"),
    ("wrong_character", "skipped_line", "invented_line", "middle_differs"),
    ("crlf_file",),
)


def names() -> list[str]:
    """All ways, in the order of the report."""
    return [*WAYS, *MIXTURES]


def spoil(draft: Draft, name: str, seed: str, *, ends: bool) -> Spoilt | None:
    """The draft spoilt in the way of that name, or nothing where it does not apply to this change."""
    chance = random.Random(f"{seed}/{name}")
    if name not in MIXTURES:
        return _used(draft, [name], chance, ends=ends)
    chosen = [chance.choice(group) for group in chance.sample(_GROUPS, 2)]
    if name == "mixture_lines_and_text":
        chosen[1] = chance.choice(_TEXTS)
    chosen.sort(key=list(WAYS).index, reverse=True)
    return _used(draft, chosen, chance, ends=ends)


def _used(draft: Draft, chosen: list[str], chance: random.Random, *, ends: bool) -> Spoilt | None:
    ways = [WAYS[name] for name in chosen]
    if any(way.hunks for way in ways) and moves_lines(draft.written[0]):
        return None
    right = pair_of(draft.written[0], ends=ends)
    for way in ways:
        step = way.hunks(draft, chance) if way.hunks else draft
        if step is None:
            return None
        draft = step
    pair: Pair | None = pair_of(draft.written[0], ends=ends)
    for way in ways:
        if way.text and pair is not None:
            pair = way.text(draft, pair, chance)
        if way.old_only and pair is not None:
            pair = replace(pair, new=right.new)
    if pair is None:
        return None
    slips = any(way.slips for way in ways)
    return Spoilt(draft, pair, ways[-1].expectation, slips, " + ".join(chosen) if len(chosen) > 1 else "")
