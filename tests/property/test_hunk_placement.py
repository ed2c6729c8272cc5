"""Properties of placing hunks: exact and unique matches, loose ones, and the text that comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import assume, example, given, strategies as st
from tests.property.strategies import (
    DIALECT_NAMES,
    Change,
    attempt,
    changes,
    each_dialect,
    envelope_of,
    examples,
    file_lines,
    hunks,
    hunks_of,
    plain_lines,
    texts,
)

from suture import Hunk, PatchRejectedError, SutureError, UpdateFile, parse, update
from suture.place import update as update_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

#: What a hunk that fits may be refused for: another place fits too, or its text is there already.
HONEST = {"multiple_matches", "patch_apply_error", "overlapping_edits", "no_change"}
REASONS = {None, "already_applied", "no_context", "context_not_found"}


def joined(lines: list[str], *, ends: bool) -> str:
    """The lines as a text, with a final newline or without."""
    return "\n".join(lines) + ("\n" if ends and lines else "")


def as_diff_lines(lines: list[str], *, ends: bool) -> list[str]:
    """The lines with their newlines, so that a lost final newline is a difference."""
    return [line + "\n" for line in lines[:-1]] + [lines[-1] + ("\n" if ends else "")] if lines else []


def read_back(written: list[Hunk], dialect: str) -> tuple[Hunk, ...]:
    """The hunks by way of an envelope."""
    operation = parse(envelope_of("a.txt", written), dialect).operations[0]
    assert isinstance(operation, UpdateFile)
    return operation.hunks


# A clean diff.


@examples(200)
@given(changes(distinct=True), st.integers(1, 4), st.booleans(), each_dialect)
def test_a_clean_diff_gives_the_text_after(change: Change, context: int, ends: bool, dialect: str) -> None:
    """Issue 2: "a clean diff applied gives the after-text". SPEC §2: "file without a final newline, updated"."""
    assume(change.before != change.after)
    written = hunks_of(change.before, change.after, context=context)
    after_ends = ends or dialect in ("codex", "opencode")
    assume(any(line[0] != "+" for hunk in written for line in hunk.lines))
    written = [hunk.replace(no_newline="") for hunk in written]
    done = update(joined(change.before, ends=ends), read_back(written, dialect), dialect=dialect)
    assert done.text == joined(change.after, ends=after_ends)
    assert {match.tier for match in done.matches} <= {"exact"}


@examples(200)
@given(changes(), st.booleans(), st.booleans(), st.sampled_from(["standard", "strict"]))
@example(Change(["a"], ["a"], [0]), False, True, "standard")
@example(Change(["a"], ["a"], [0]), True, False, "standard")
@example(Change(["", "\x0c", "\u2028", "\x1c"], ["", "\x0c", "\u2028", "b"], [0, 1, 2, None]), True, True, "standard")
def test_a_diff_that_shows_the_whole_file_always_applies(
    change: Change, before_ends: bool, after_ends: bool, dialect: str
) -> None:
    """SPEC §5: "Lines are split at LF, CRLF and CR only (never at form feeds or U+2028)."

    And §2: `\\ No newline at end of file` is "honoured".
    """
    before = as_diff_lines(change.before, ends=before_ends)
    after = as_diff_lines(change.after, ends=after_ends)
    # A blank last line without a newline is no line at all: nobody could write that down.
    assume(before != after)
    assume((before_ends or change.before[-1:] != [""]) and (after_ends or change.after[-1:] != [""]))
    assume(change.after or before_ends)
    written = hunks_of(before, after, context=100)
    assert len(written) == 1
    assume(any(line[0] != "+" for line in written[0].lines))
    done = attempt(lambda: update("".join(before), written, dialect=dialect, allow_control=True))
    if isinstance(done, SutureError):
        # Added lines may be there already, at that very place or in other places.
        assert [problem.details.get("reason") for problem in done.problems] == ["already_applied"]
    else:
        assert done.text == "".join(after)


@examples(300)
@given(changes(), st.integers(0, 3), st.booleans(), st.sampled_from(["standard", "strict"]))
def test_a_diff_of_a_text_that_repeats_itself_gives_the_text_after_or_is_refused(
    change: Change, context: int, ends: bool, dialect: str
) -> None:
    """SPEC §12: "In `standard` and `strict` nothing is changed in a place that wasn't the only one under the rules."

    The place that the diff speaks of is one of those that fit: it is taken, or none is.
    """
    assume(ends or (change.before[-1:] != [""] and change.after[-1:] != [""]))
    written = [h.replace(no_newline="") for h in hunks_of(change.before, change.after, context=context)]
    before = joined(change.before, ends=ends)
    done = attempt(lambda: update(before, written, dialect=dialect, allow_control=True))
    if isinstance(done, SutureError):
        assert {problem.code for problem in done.problems} <= HONEST
        assert {problem.details.get("reason") for problem in done.problems} <= REASONS
    else:
        assert done.text == joined(change.after, ends=ends)


# An exact and unique place.


class Placed(NamedTuple):
    """A text, a hunk whose old lines stand in it once, where, and the lines after it."""

    before: list[str]
    hunk: Hunk
    start: int
    after: list[str]


@st.composite
def placed(draw: st.DrawFn, *, distinct: bool = False) -> Placed:
    before = draw(st.lists(file_lines, min_size=1, max_size=12))
    if distinct:
        before = [f"line {index} of the text" for index in range(len(before))]
    start = draw(st.integers(0, len(before) - 1))
    end = draw(st.integers(start + 1, min(len(before), start + 6)))
    block = before[start:end]
    assume(sum(before[i : i + len(block)] == block for i in range(len(before))) == 1)
    lines: list[str] = []
    middle: list[str] = []
    for line in [*block, None]:
        for added in draw(st.lists(plain_lines, max_size=2)):
            lines.append("+" + added)
            middle.append(added)
        if line is not None:
            kind = draw(st.sampled_from(" -"))
            lines.append(kind + line)
            middle += [line] * (kind == " ")
    return Placed(before, Hunk(tuple(lines)), start, [*before[:start], *middle, *before[end:]])


@examples(500)
@given(placed(), each_dialect, st.booleans(), st.none() | st.integers(0, 14))
def test_an_exact_and_unique_match_is_never_overruled(case: Placed, dialect: str, ends: bool, hint: int | None) -> None:
    """SPEC §4: "a looser tier is never used where a stricter one finds a place": that place, or a refusal."""
    assume(ends or (case.before[-1] and case.after[-1:] != [""]))
    try:
        done = update(
            joined(case.before, ends=ends), [case.hunk.replace(line_hint=hint)], dialect=dialect, allow_control=True
        )
    except PatchRejectedError:
        return
    assert done.text == joined(case.after, ends=ends or dialect in ("codex", "opencode"))
    assert [(match.start, match.tier) for match in done.matches] == [(case.start + 1, "exact")]


@examples(300)
@given(placed(distinct=True), each_dialect)
def test_an_exact_match_of_lines_that_stand_once_is_always_taken(case: Placed, dialect: str) -> None:
    """SPEC §4: "Nothing is guessed", and nothing that is certain is refused."""
    assume(case.before != case.after)
    done = update(joined(case.before, ends=True), [case.hunk], dialect=dialect)
    assert done.text == joined(case.after, ends=True)
    assert [(match.start, match.tier, match.rivals) for match in done.matches] == [(case.start + 1, "exact", ())]


@examples(200)
@given(changes(distinct=True), st.randoms(use_true_random=False), st.sampled_from(["standard", "strict"]))
def test_hunks_that_each_have_one_place_may_come_in_any_order(change: Change, random: Random, dialect: str) -> None:
    """SPEC §2: "hunks out of order": "allowed where each has one place"."""
    written = [hunk.replace(no_newline="") for hunk in hunks_of(change.before, change.after, context=1)]
    assume(written and all(any(line[0] != "+" for line in hunk.lines) for hunk in written))
    random.shuffle(written)
    assert update(joined(change.before, ends=True), written, dialect=dialect).text == joined(change.after, ends=True)


@examples(300)
@given(placed())
def test_a_hunk_of_three_telling_lines_is_not_applied_twice(case: Placed) -> None:
    """SPEC §4: "`already_applied`: … the new text is already there and the match … adds three or more lines that say
    something."
    """
    hunk = case.hunk.replace(lines=(*case.hunk.lines, "+one more line", "+and another one", "+and the third one"))
    try:
        done = update(joined(case.before, ends=True), [hunk], allow_control=True)
    except PatchRejectedError:
        return
    try:
        again = update(done.text, [hunk], allow_control=True)
    except PatchRejectedError:
        return
    raise AssertionError(again)


# The short way.


def both_ways(text: str, given_hunks: list[Hunk]) -> list[object]:
    """What comes of an update with the short way for plain hunks, and without it."""
    outcomes: list[object] = []
    for short in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not short:
                patch.setattr(update_module, "fast_update", lambda *_, **__: None)
            done = attempt(lambda: update(text, given_hunks, allow_control=True))
        outcomes.append(done.problems if isinstance(done, SutureError) else done)
    return outcomes


@examples(400)
@given(changes(), st.integers(0, 3), st.randoms(use_true_random=False), st.booleans())
def test_what_the_short_way_decides_the_long_way_decides_alike(
    change: Change, context: int, random: Random, shuffled: bool
) -> None:
    """SPEC §2: "one engine". Most hunks are plain and take a short way, which must not be another way."""
    written = [h.replace(no_newline="") for h in hunks_of(change.before, change.after, context=context)]
    if shuffled:
        random.shuffle(written)
    one, other = both_ways(joined(change.before, ends=True), written)
    assert one == other


@examples(400)
@given(texts, st.lists(hunks(), min_size=1, max_size=3))
def test_the_short_way_is_the_long_way_for_any_hunks(text: str, given_hunks: list[Hunk]) -> None:
    """SPEC §2: "one engine"."""
    one, other = both_ways(text, given_hunks)
    assert one == other


# Loose places.

_QUOTES = str.maketrans({"'": "’", '"': "“", "-": "–", "‘": "'"})


def _typo(line: str) -> str:
    middle = len(line) // 2
    return line[:middle] + "q" + line[middle + 1 :] if len(line) > 10 else line


SPOILERS: dict[str, Callable[[str], str]] = {
    "trailing": lambda line: line + "  ",
    "outdented": lambda line: line.strip(),
    "indented": lambda line: "    " + line if line else line,
    "tabs": lambda line: line.replace("    ", "\t"),
    "curly": lambda line: line.translate(_QUOTES),
    "blanks": lambda line: line.replace(" ", "  "),
    "escaped": lambda line: line.replace('"', '\\"').replace("'", "\\'"),
    "typo": _typo,
}


@examples(500)
@given(placed(), st.sampled_from(sorted(SPOILERS)), st.data(), each_dialect, st.sampled_from(["\n", "\r\n"]))
def test_what_no_hunk_names_stays_byte_for_byte(
    case: Placed, spoiler: str, data: st.DataObject, dialect: str, newline: str
) -> None:
    """SPEC §5: "Only removed and added lines change. Context comes from the file, also when it matched loosely." """
    which = data.draw(st.sets(st.integers(0, len(case.hunk.lines) - 1), min_size=1))
    spoilt = tuple(
        line[0] + SPOILERS[spoiler](line[1:]) if index in which and line[0] != "+" else line
        for index, line in enumerate(case.hunk.lines)
    )
    before = [line + newline for line in case.before]
    try:
        done = update("".join(before).encode(), [Hunk(spoilt)], dialect=dialect, allow_control=True)
    except PatchRejectedError:
        return
    (match,) = done.matches
    text = done.text.decode()
    head, region, tail = before[: match.start - 1], before[match.start - 1 : match.end], before[match.end :]
    assert text.startswith("".join(head))
    assert text.endswith("".join(tail))
    middle = text[len("".join(head)) : len(text) - len("".join(tail))]
    rows = middle.split(newline)
    assert rows.pop() == ""
    if match.tier == "similar":
        removed = sum(line[0] == "-" for line in spoilt)
        assert len(rows) == len(region) - removed + sum(line[0] == "+" for line in spoilt)
        gone = list(region)
        for row in rows:
            if row + newline in gone:
                gone.remove(row + newline)
        assert len(gone) <= removed
        return
    shown = spoilt
    if "last_blank_left_out" in {concession.name for concession in match.concessions}:
        shown = spoilt[:-1]
    assert len(region) == sum(line[0] != "+" for line in shown)
    kinds = [line[0] for line in shown if line[0] != "-"]
    old_kinds = [line[0] for line in shown if line[0] != "+"]
    kept = iter([row for row, kind in zip(region, old_kinds, strict=True) if kind == " "])
    added = iter([line[1:] for line in shown if line[0] == "+"])
    assert len(rows) == len(kinds)
    for row, kind in zip(rows, kinds, strict=True):
        if kind == " ":
            assert row + newline == next(kept)
        elif match.tier in ("exact", "trailing", "punctuation"):
            assert row == next(added)
        elif match.tier in ("indent", "whitespace"):
            assert row.lstrip() == next(added).lstrip()


# Anything at all.


@examples(500)
@given(texts, st.lists(hunks(), max_size=4), each_dialect)
@example("", [Hunk(("+a",))], "strict")
@example("a\n", [], "codex")
def test_no_update_raises_anything_but_our_exceptions(text: str, given_hunks: list[Hunk], dialect: str) -> None:
    """SPEC §12: "No input hangs or crashes it." """
    done = attempt(lambda: update(text, given_hunks, dialect=dialect))
    if isinstance(done, SutureError):
        assert isinstance(done, PatchRejectedError)
        assert done.problems
        answer = done.for_model()
        answer.encode()
        assert answer.endswith("No file was changed.")
    else:
        assert isinstance(done.text, str)
        assert len(done.matches) == len(given_hunks)
        repr(done)


@examples(300)
@given(st.one_of(st.binary(), texts.map(str.encode)), st.lists(hunks(), min_size=1, max_size=3), each_dialect)
@example(b"\xff\xfea", [Hunk(("-a", "+b"))], "standard")
@example(b"\xff\xfe\x00\x00\xff\xff\xff\xff", [Hunk(("-a", "+b"))], "standard")
def test_no_bytes_raise_anything_but_our_exceptions(data: bytes, given_hunks: list[Hunk], dialect: str) -> None:
    """SPEC §12: "No input hangs or crashes it." """
    done = attempt(lambda: update(data, given_hunks, dialect=dialect))
    if isinstance(done, SutureError):
        assert isinstance(done, PatchRejectedError)
        done.for_model().encode()
    else:
        assert isinstance(done.text, bytes)


@examples(300)
@given(texts, st.lists(hunks(), min_size=1, max_size=3))
def test_a_loose_match_names_its_tier_among_the_concessions(text: str, given_hunks: list[Hunk]) -> None:
    """SPEC §12: "Every concession is in the answer.": a Match at a looser tier names it."""
    for dialect in DIALECT_NAMES:
        try:
            done = update(text, given_hunks, dialect=dialect)
        except SutureError:
            continue
        for match in done.matches:
            names = [concession.name for concession in match.concessions]
            assert (match.tier in names) == (match.tier != "exact")
