"""Properties of string edits: `replace` and `multiedit` on texts of any kind."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import assume, event, example, given, strategies as st
from tests.property.strategies import attempt, examples, file_lines, plain_lines

from suture import PatchRejectedError, StringEdit, SutureError, multiedit, replace
from suture.place import MultiEdit, Replacement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from suture.place import AppliedEdit, Span

#: What an edit whose old text stands exactly once may be refused for: its result is there already.
HONEST = {"no_change", "patch_apply_error"}

_endings = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
_new_texts = st.one_of(
    st.lists(plain_lines, max_size=4).map("\n".join),
    st.sampled_from(["", "\n", "$&", "\\1", "\\n", "\\t", "\\g<0>", "value = 3", "    value = 3\n", "a\r\nb\r\n"]),
)


@st.composite
def contents(draw: st.DrawFn) -> str:
    """A text whose lines have endings of any kind, the last one perhaps none."""
    lines = draw(st.lists(file_lines, max_size=9))
    one = draw(st.none() | _endings)
    text = "".join(line + (one or draw(_endings)) for line in lines)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def _spoilt(old: str, how: str) -> str:
    """An old text with the slips that models make."""
    if how == "flush":
        return "\n".join(map(str.strip, old.split("\n")))
    if how == "deeper":
        return "\n".join("    " + line if line else line for line in old.split("\n"))
    if how == "tabs":
        return old.replace("    ", "\t")
    if how == "padded":
        return f"\n{old} \n"
    if how == "folded":
        return " ".join(old.split())
    if how == "escaped":
        return old.replace('"', '\\"').replace("\n", "\\n")
    if how == "numbered":
        return "\n".join(f"{number}| {line}" for number, line in enumerate(old.split("\n"), 1))
    return old


SLIPS = ("", "", "flush", "deeper", "tabs", "padded", "folded", "escaped", "numbered")


class Case(NamedTuple):
    """A content and an edit that may fit it."""

    content: str
    edit: StringEdit


@st.composite
def edits_of(draw: st.DrawFn, content: str, slips: Sequence[str] = SLIPS) -> StringEdit:
    """An edit that quotes a part of the content, whole lines or not, as it is or with a slip."""
    body = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if draw(st.booleans()):
        lines = body.split("\n")
        first = draw(st.integers(0, len(lines)))
        last = draw(st.integers(first, len(lines)))
        old = "\n".join(lines[first:last]) + draw(st.sampled_from(["", "\n"]))
    else:
        first = draw(st.integers(0, len(body)))
        old = body[first : draw(st.integers(first, len(body)))]
    old = _spoilt(old, draw(st.sampled_from(slips)))
    kept = old.split("\n")
    kept[draw(st.integers(0, len(kept) - 1))] = draw(plain_lines)
    return StringEdit(old, draw(st.one_of(_new_texts, st.just("\n".join(kept)))), draw(st.booleans()))


@st.composite
def cases(draw: st.DrawFn, slips: Sequence[str] = SLIPS) -> Case:
    """A content and an edit of it."""
    content = draw(contents())
    return Case(content, draw(edits_of(content, slips)))


@st.composite
def lists_of_edits(draw: st.DrawFn) -> tuple[str, list[StringEdit]]:
    """A content and some edits, of which the later ones may quote what the earlier ones write."""
    content = draw(contents())
    edits = [draw(edits_of(content)) for _ in range(draw(st.integers(1, 4)))]
    for number in range(1, len(edits)):
        if edits[number - 1].new and draw(st.booleans()):
            edits[number] = StringEdit(edits[number - 1].new, draw(_new_texts), draw(st.booleans()))
    return content, edits


def outside(content: str | bytes, spans: Sequence[Span]) -> list[str | bytes]:
    """What of a content lies before, between and behind some spans, which may touch or overlap."""
    parts: list[str | bytes] = []
    done = 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        parts.append(content[done : span.start])
        done = max(done, span.end)
    parts.append(content[done:])
    return [part for part in parts if part]


def lines_before(content: str, offset: int) -> int:
    """How many lines end before this offset."""
    return content[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n")


def check_lines(content: str, spans: Sequence[Span]) -> None:
    """Spans lie in the content, and their line numbers are those of their first and their last character."""
    for span in spans:
        assert 0 <= span.start <= span.end <= len(content)
        if "\r\n" in (content[max(0, span.start - 1) : span.start + 1], content[max(0, span.end - 1) : span.end + 1]):
            # A lone CR of the file and an LF that comes beside it are one ending from then on.
            return
        # The ending of a line is part of it, and CRLF is one ending.
        last = span.end - content[: span.end].endswith("\r\n") - 1
        assert span.first_line == lines_before(content, span.start) + 1
        assert span.last_line == lines_before(content, max(span.start, last)) + 1


def done(case: Case) -> Replacement | SutureError:
    content, edit = case
    return attempt(lambda: replace(content, edit.old, edit.new, edit.replace_all))


@examples(600)
@given(cases())
def test_the_text_outside_the_spans_is_unchanged(case: Case) -> None:
    """SPEC §6: "Each yields spans (start, end), not strings: the place found is the place changed"."""
    result = done(case)
    assume(isinstance(result, Replacement))
    assert isinstance(result, Replacement)
    event(result.replacer)
    assert len(result.spans) == len(result.written) > 0
    for spans in (result.spans, result.written):
        assert all(one.end <= other.start for one, other in pairwise(spans))
    assert outside(case.content, result.spans) == outside(result.text, result.written)
    check_lines(case.content, result.spans)
    check_lines(result.text, result.written)
    assert len(result.spans) == 1 or case.edit.replace_all


@examples(400)
@given(cases(slips=("",)))
@example(Case("aabb", StringEdit("ab", "", True)))
@example(Case("aaaa", StringEdit("aa", "a", True)))
def test_replace_all_leaves_no_occurrence_where_nothing_was_written(case: Case) -> None:
    """Issue 3: "`replace_all` leaves no exact occurrence behind unless `new` contains it".

    Precisely: between the written places there is none. New text may join its surroundings to the old text again: `ab`
    taken out of `aabb` leaves `ab`.
    """
    content, old = case.content.replace("\r\n", "\n").replace("\r", "\n"), case.edit.old
    result = attempt(lambda: replace(content, old, case.edit.new, replace_all=True))
    assume(isinstance(result, Replacement) and result.replacer == "multi-occurrence")
    assert isinstance(result, Replacement)
    done_to = 0
    for span in (*result.written, None):
        assert old not in result.text[done_to : span.start if span else len(result.text)]
        done_to = span.end if span else 0
    if case.edit.new and len(case.edit.new) > 1 and set(case.edit.new).isdisjoint(old):
        assert old not in result.text


@examples(400)
@given(cases(slips=("",)))
def test_an_old_text_that_stands_once_is_replaced_exactly(case: Case) -> None:
    """SPEC §6: "simple | `old`, exactly". Only whole lines that are deleted take their newline with them."""
    content, (old, new) = case.content.replace("\r\n", "\n").replace("\r", "\n"), (case.edit.old, case.edit.new)
    new = new.replace("\r\n", "\n")
    start = content.find(old)
    assume(old and old != new and start >= 0 and content.find(old, start + 1) < 0)
    result = attempt(lambda: replace(content, old, new, case.edit.replace_all))
    if isinstance(result, SutureError):
        assert {problem.code for problem in result.problems} <= HONEST
        return
    before, behind = content[:start], content[start + len(old) :]
    rest = before[before.rfind("\n") + 1 :]
    # What is deleted with its lines leaves no blank rest of their indentation.
    assume(new or not rest or rest.strip())
    whole = before[-1:] in ("", "\n") and behind[:1] in ("", "\n") and old[-1] != "\n"
    expected = before + new + behind
    if not new and whole:
        expected = before + behind[1:] if behind else before[:-1]
    assert (result.text, result.concessions) == (expected, ())
    assert result.replacer == ("multi-occurrence" if case.edit.replace_all else "simple")


@examples(400)
@given(lists_of_edits())
def test_a_list_of_edits_does_what_one_after_another_does(case: tuple[str, list[StringEdit]]) -> None:
    """SPEC §6: "`multiedit` applies a list in order, each on the result of the one before, all or none"."""
    content, edits = case
    # A list with an edit that can't change anything is refused before any is placed.
    assume(all(edit.old != edit.new for edit in edits))
    result = attempt(lambda: multiedit(content, edits))
    equal = [number for number, edit in enumerate(edits) if edit.old == edit.new]
    if equal:
        # That an edit changes nothing is said before the text is looked at.
        assert isinstance(result, PatchRejectedError)
        assert [problem.details["editIndex"] for problem in result.problems] == equal[:1]
        return
    text = content
    for number, edit in enumerate(edits):
        one = done(Case(text, edit))
        if isinstance(one, SutureError):
            assert isinstance(result, PatchRejectedError)
            assert [problem.details["editIndex"] for problem in result.problems] == [number]
            assert [problem.code for problem in result.problems] == [problem.code for problem in one.problems]
            return
        text = one.text
        assert isinstance(result, SutureError) or result.edits[number].replacer == one.replacer
        assert isinstance(result, SutureError) or result.edits[number].concessions == one.concessions
    assert isinstance(result, MultiEdit)
    assert result.text == text


def places(edits: Sequence[AppliedEdit]) -> tuple[list[Span], list[Span]]:
    return [span for edit in edits for span in edit.spans], [span for edit in edits for span in edit.written]


@pytest.mark.parametrize("against", ["result", "original"])
@examples(400)
@given(case=lists_of_edits())
def test_what_lies_outside_of_all_edits_of_a_list_is_unchanged(
    against: Literal["result", "original"], case: tuple[str, list[StringEdit]]
) -> None:
    """Issue 3: "positions of all edits in the answer in terms of the original and the final text"."""
    content, edits = case
    result = attempt(lambda: multiedit(content, edits, against=against))
    if not isinstance(result, MultiEdit):
        return
    spans, written = places(result.edits)
    assert "".join(map(str, outside(content, spans))) == "".join(map(str, outside(result.text, written)))
    check_lines(content, spans)
    check_lines(result.text, written)


@examples(200)
@given(st.data())
def test_edits_of_other_lines_give_the_same_in_both_modes(data: st.DataObject) -> None:
    """Issue 3: `against="original"`: "all edits on the original text"."""
    count = data.draw(st.integers(1, 8))
    ending = data.draw(_endings)
    content = "".join(f"line {number} of the text{ending}" for number in range(count))
    numbers = data.draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True))
    edits = [(f"line {number} of", data.draw(st.sampled_from(["", "other", "new\nlines\n"]))) for number in numbers]
    one, other = multiedit(content, edits), multiedit(content, edits, against="original")
    assert one == other


@examples(400)
@given(cases(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-32-be"]))
def test_bytes_and_str_agree(case: Case, encoding: str) -> None:
    """SPEC §5: "A text keeps, line by line, its own ending (LF, CRLF, CR), its BOM, its encoding"."""
    content, edit = case
    bom = "" if encoding.startswith("utf-8") else "\ufeff"
    data = (bom + content).encode(encoding)
    one = done(case)
    other = attempt(lambda: replace(data, edit.old, edit.new, edit.replace_all))
    if isinstance(one, SutureError):
        assert isinstance(other, SutureError)
        assert one.problems == other.problems
        return
    assert isinstance(other, Replacement)
    assert other.text == (bom + one.text).encode(encoding)
    for text, spans, theirs in (
        (content, one.spans, other.spans),
        (one.text, one.written, other.written),
    ):
        ends = [len((bom + text[:end]).encode(encoding)) for span in spans for end in (span.start, span.end)]
        assert ends == [end for span in theirs for end in (span.start, span.end)]
        assert [(s.first_line, s.last_line) for s in spans] == [(s.first_line, s.last_line) for s in theirs]
    told = [(each.replacer, each.concessions, each.additions, each.deletions) for each in (one, other)]
    assert told[0] == told[1]


@examples(400)
@given(
    st.one_of(contents(), st.text(max_size=30), st.binary(max_size=30)),
    st.text(max_size=20),
    st.text(max_size=20),
    st.booleans(),
    st.none() | st.sampled_from(["latin-1", "ascii", "cp1252", "shift_jis"]),
)
def test_no_input_raises_anything_but_our_exceptions(
    content: str | bytes, old: str, new: str, replace_all: bool, encoding: str | None
) -> None:
    """SPEC §12: "No input hangs or crashes it."."""
    one = attempt(lambda: replace(content, old, new, replace_all, encoding=encoding))
    every = [{"oldString": old, "newString": new, "replaceAll": replace_all}] * 2
    attempt(lambda: multiedit(content, every, encoding=encoding))
    attempt(lambda: multiedit(content, every, against="original", encoding=encoding))
    if isinstance(one, SutureError):
        assert one.for_model().endswith("No file was changed.")


@st.composite
def rebroken(draw: st.DrawFn) -> tuple[str, list[str], list[str]]:
    """A text, and some of its words in other lines, before and after an edit of those."""
    words = [f"word_{number}" for number in range(draw(st.integers(4, 12)))]
    gap = st.sampled_from([" ", "  ", "\n", "\n    ", "\n\n  ", " \n"])
    text = words[0] + "".join(draw(gap) + word for word in words[1:]) + "\n"
    low = draw(st.integers(0, len(words) - 3))
    high = draw(st.integers(low + 2, len(words)))
    old = [""]
    for word in words[low:high]:
        start = not old[-1] or draw(st.booleans())
        old[-1:] = [f"{old[-1]} {word}"] if not start else [old[-1], word] if old[-1] else [word]
        if draw(st.integers(0, 5)) == 0:
            old.append("")
    new = list(old)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from(["fresh one", "  deeper", ""]), max_size=2)
        )
    return text, old, new


@given(rebroken())
def test_an_edit_of_lines_that_are_broken_elsewhere_changes_the_words_that_it_names(
    case: tuple[str, list[str], list[str]],
) -> None:
    """Whatever becomes of white space, the words are those of the text with the old ones replaced."""
    text, old, new = case
    done = attempt(lambda: replace(text, "\n".join(old), "\n".join(new)))
    event(getattr(done, "replacer", "refused"))
    if isinstance(done, SutureError):
        return
    before, found, after = " ".join(text.split()).partition(" ".join("\n".join(old).split()))
    assert found
    assert done.text.split() == [*before.split(), *"\n".join(new).split(), *after.split()]


@st.composite
def edits_with_ragged_ends(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text of lines that have names of their own, and an edit with a slip, whose texts end and begin as they like."""
    count = draw(st.integers(2, 7))
    indents = st.sampled_from(["", "  ", "    ", "\t"])
    depths = [draw(indents) for _ in range(count)]
    lines = [draw(st.sampled_from(["", f"{depth}there_{n}(a < {n})"])) for n, depth in enumerate(depths)]
    first = draw(st.integers(0, count - 1))
    old = lines[first : draw(st.integers(first + 1, count))]
    slip = draw(st.sampled_from([*SLIPS[2:], "entities", "mistyped"]))
    spoilt = "\n".join(old).replace("<", "&lt;") if slip == "entities" else _spoilt("\n".join(old), slip)
    if slip == "mistyped":
        spoilt = spoilt.replace("there", "theer", 1)
    new = list(old)
    new[draw(st.integers(0, len(new) - 1))] = f"{draw(indents)}fresh()"
    ends = st.sampled_from(["", "\n", "\n\n", "\n  \n"])
    edit = draw(ends) + spoilt + draw(ends), draw(ends) + "\n".join(new) + draw(ends)
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"])), *edit


@examples(600)
@given(edits_with_ragged_ends())
@example(("a < there_1()\n\nthere_2()\n", "a &lt; there_1()\n\n", "fresh()"))
@example(("there_0()\nthere_1(1)\nthere_2()\n", "\\nthere_1(1)\\n", ""))
def test_a_loose_match_never_joins_two_lines(case: tuple[str, str, str]) -> None:
    """SPEC §14: "A loose match never joins two lines.": no line has a new line's text beside that of another."""
    content, old, new = case
    result = attempt(lambda: replace(content, old, new, path="a.ts"))
    assume(isinstance(result, Replacement) and bool(result.concessions))
    assert isinstance(result, Replacement)
    event(result.replacer)
    for line in result.text.split("\n"):
        assert line.count("there_") + line.count("fresh") <= 1
