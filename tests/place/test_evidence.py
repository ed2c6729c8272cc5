"""What speaks for a loose place, and each rule that decides whether it is enough."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from suture import Hunk
from suture.core.text import Text
from suture.place import evidence as rules
from suture.place.align import CERTAIN, align
from suture.place.changed_gaps import changed_gaps
from suture.place.evidence import Evidence
from suture.place.limits import ENOUGH_BITS, MOST_BITS
from suture.place.loose import Seeds, find_loose

TEXT = """\
def total(items):
    subtotal = sum(item.price for item in items)
    discount = lookup_discount(subtotal)
    taxes = subtotal * TAX_RATE
    shipping = shipping_for(items)
    return subtotal - discount + taxes + shipping
"""
LINES = TEXT.splitlines()


def weigh(text: str, *lines: str, first: int = 0, middle: bool = False) -> Evidence:
    """What speaks for a hunk around a line of a text."""
    hunk, file = Hunk(lines), Text(text)
    seeds = Seeds(file, hunk.old)
    kinds = [line[0] for line in lines if line[0] != "+"]
    return Evidence(hunk, align(seeds.old, file, first, kinds, {})[0], seeds, middle=middle)


def hunk_on(text: str, change: dict[int, str | None], at: int = 3) -> list[str]:
    """A hunk that replaces a line of a text, with some of its lines changed or, for None, left out."""
    lines = []
    for number, line in enumerate(text.splitlines()):
        written = change.get(number, line)
        if written is not None:
            lines.append(("-" if number == at else " ") + written)
        if number == at:
            lines.append("+    taxes = 0")
    return lines


FIVE = "\n".join(f"line {name} is here" for name in ("alpha", "beta", "gamma", "delta", "epsilon")) + "\n"
BLANKS = "alpha one\nbeta two\n\ngamma three\ndelta four\nepsilon five\nzeta six\n"


@pytest.mark.parametrize(
    ("rule", "text", "change", "refused"),
    [
        ("changed_lines", TEXT, {3: "    taxes = subtotol * TAX_RATE"}, False),
        ("changed_lines", TEXT, {3: "    taxes = subtotal"}, True),
        ("changed_lines", TEXT, {2: "    discount = something_else(1)"}, True),
        ("changed_lines", TEXT, {4: "    shipping = something_else(1)"}, True),
        ("changed_lines", TEXT, {2: "    discount = lookup_discont(subtotal)"}, False),
        ("changed_lines", TEXT, {1: "    subtotal = something_else(1)"}, False),
        # A context line that differs is like the file's, or at an edge while all others agree.
        ("context_lines", TEXT, {1: "    subtotal = sum(item.amount for item in goods)"}, False),
        ("context_lines", TEXT, {1: "    amounts = map(int, open(name))"}, True),
        ("context_lines", TEXT, {0: "class Other(object, metaclass=Some):"}, False),
        ("context_lines", TEXT, {5: "    raise Unexpected(1, 2, 3, 4) from None"}, False),
        ("context_lines", TEXT, {0: "class Other(object):", 2: "    discount = lookup_discont(subtotal)"}, True),
        ("context_lines", TEXT, {0: "class Other(object):", 4: None}, True),
        ("context_lines", TEXT, {0: "{"}, True),
        ("context_lines", TEXT.replace("def total(items):", "{"), {0: "def total(items):"}, True),
        ("context_lines", FIVE, {0: "class Other(object):"}, False),
        ("context_lines", FIVE.replace("line beta is here", "}"), {0: "class Other(object):"}, True),
        # Nothing is missing or extra next to a change, at an edge, or beyond lines that could be anywhere.
        ("gap_beside_change", TEXT, {1: None}, False),
        ("gap_beside_change", TEXT, {2: None}, True),
        ("gap_beside_change", TEXT, {4: None}, True),
        ("gap_beside_change", "alpha one\n}\nbeta two\nzero\n" + TEXT, {}, False),
        ("gap_beside_change", "alpha one\n}\nbeta two\nold\nlast one\n", {1: None}, False),
        ("gap_beside_change", "alpha one\nmore\nbeta two\nold\n}\nother\n;\n", {5: None}, False),
        ("gap_beside_change", "alpha one\nmore stuff\n;\n}\n", {1: None}, True),
        ("gap_beside_change", "alpha one\n\n;\n}\n", {1: None}, False),
        ("gap_beside_change", "{\nmore\nbeta two\nold\nlast one\n", {1: None}, False),
        ("elsewhere", TEXT, {1: "    return subtotal - discount + taxes + shipping"}, True),
        ("elsewhere", TEXT, {1: "    subtotal = something_else(1)"}, False),
        ("elsewhere", TEXT + "}\n", {1: "}"}, False),
        ("twin", TEXT, {1: "    subtotal = sum(item.price for item in items[1:])"}, True),
        ("twin", TEXT, {1: None}, False),
        ("twin", TEXT, {1: "    subtotal = sum(item.weights for item in items)"}, True),
        ("twin", TEXT, {1: "    subtotal = sum(thing.price for thing in items)"}, True),
        ("twin", TEXT, {1: "    subtotal = sum(thing.weights for thing in items)"}, False),
        ("twin", TEXT, {1: "    subtotal = sum(item.price for item in items if item)"}, False),
        ("twin", TEXT, {1: "    subtotal = sum(item.prise for item in items)"}, False),
    ],
)
def test_a_rule_forbids_a_place_for_one_reason(
    rule: str, text: str, change: dict[int, str | None], refused: bool
) -> None:
    assert getattr(rules, rule).against(weigh(text, *hunk_on(text, change))) is refused


def test_a_context_line_of_mere_punctuation_may_have_escapes_or_a_typo() -> None:
    for line, written in (('"""', '\\"\\"\\"'), ("----------", "-----------")):
        found = weigh(f"{line}\n{FIVE}", f" {written}", *hunk_on(FIVE, {}, at=4))
        assert (found.names[0] in CERTAIN, rules.context_lines.against(found)) == (True, False)


def test_a_blank_context_line_may_be_missing_and_a_brace_may_not() -> None:
    first, *others = hunk_on(FIVE, {}, at=4)
    assert rules.context_lines.against(weigh(FIVE, first, " ", *others)) is False
    assert rules.context_lines.against(weigh(FIVE, first, " }", *others)) is True


def test_an_extra_line_may_follow_a_line_that_is_missing() -> None:
    names = [f"line {name} is here" for name in ("one", "two", "three", "four", "five", "six", "seven", "eight")]
    text = "\n".join([*names[:4], "", *names[4:]]) + "\n"
    first, second, *others = [f" {name}" for name in names[:7]]
    found = weigh(text, first, second, " ", *others, f"-{names[7]}")
    assert (found.names.index("missing"), found.extra) == (2, [4])
    assert rules.gap_beside_change.against(found) is False


def test_lines_between_the_ends_of_a_block_may_be_others() -> None:
    lines = hunk_on(TEXT, {1: "    amounts = map(int, open(name))"})
    assert rules.context_lines.against(weigh(TEXT, *lines, middle=True)) is False
    assert rules.context_lines.against(weigh(TEXT, *hunk_on(TEXT, {1: "{"}), middle=True)) is True


def test_a_twin_of_a_line_is_not_passed_over_by_lines_that_could_be_anywhere() -> None:
    text = "alpha one\nbeta two\nend;\ncontinue\nbreak\n"
    assert rules.gap_beside_change.against(weigh(text, " alpha one", "-beta two", " end;", " break")) is True
    text = text.replace("break", "other")
    assert rules.gap_beside_change.against(weigh(text, " alpha one", "-beta two", " end;", " other")) is False
    text = text.replace("continue", "some words")
    assert rules.gap_beside_change.against(weigh(text, " alpha one", "-beta two", " end;", " other")) is False


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ((" alpha one", " invented line", " beta two", "-gamma three"), False),
        ((" alpha one", " invented line", " ;", "-}"), True),
        ((" invented line", " alpha one", " beta two", "-gamma three"), True),
        ((" alpha one", " beta two", " invented line", "-gamma three"), True),
    ],
)
def test_a_line_that_is_missing_has_distinctive_lines_on_both_sides(lines: tuple[str, ...], refused: bool) -> None:
    text = "".join(f"{line[1:]}\n" for line in lines if line != " invented line")
    assert rules.gap_beside_change.against(weigh(text, *lines)) is refused


@pytest.mark.parametrize(
    ("lines", "beside", "gaps"),
    [
        ((" a1", " b2", " c3", "-d4", "+e5", " f6", " g7"), "..xxx.", {3, 4}),
        ((" a1", " b2", "+x9", " c3", " d4"), ".xx.", {2}),
        # Lines that come in or go may as well do so where the same lines are above or below.
        ((" a1", " b2", " c3", "+b2", "+c3", " d4", " e5"), "xxxx.", {1, 2, 3}),
        ((" a1", "+b2", "+c3", " b2", " c3", " d4"), "xxxx", {1, 2, 3}),
        ((" a1", " b2", "-b2", " c3", " d4"), "xxxx.", {1, 2, 3}),
        (("+a1", " a1", " b2", " c3"), "xx.", {0, 1}),
        ((" a1", " b2", " c3", "+c3"), ".xx", {2, 3}),
        # Neither do lines that replace others.
        ((" a1", " b2", " c3", "-d4", "+c3", " f6", " g7"), "..xxx.", {3, 4}),
        ((" a1", " d4", " c3", "-d4", "+c3", "+x9", " f6"), "..xxx", {3, 4}),
        ((" a1", " b2", "-b2", "+x9", " c3", " d4"), ".xxx.", {2, 3}),
        # Other whitespace is a change too.
        ((" a1", " b2", "-c 3", "+c  3", " d4", " e5"), ".xxx.", {2, 3}),
    ],
)
def test_the_lines_next_to_a_change_are_those_of_every_diff_that_says_the_same(
    lines: tuple[str, ...], beside: str, gaps: set[int]
) -> None:
    found = weigh("\n".join(Hunk(lines).old) + "\n", *lines)
    assert "".join(".x"[found.is_beside(index)] for index in range(len(found.old))) == beside
    assert found.gaps == gaps


def test_a_brace_that_comes_in_beside_a_brace_may_be_either_of_them() -> None:
    assert len(changed_gaps(Hunk((" a1", " }", "+}", " d4", " e5")))) == 1


def test_an_end_that_comes_in_beside_an_end_is_next_to_what_is_above_it() -> None:
    assert changed_gaps(Hunk((" a1", " end", "+", "+b2", "+end", " d4"))) == {1, 2}


def test_an_extra_line_where_a_change_could_be_as_well_is_next_to_it() -> None:
    text = "a one\nb two\nextra\nc three\nd four\ne five\n"
    lines = (" a one", " b two", " c three", "+b two", "+c three", " d four", " e five")
    assert rules.gap_beside_change.against(weigh(text, *lines)) is True
    assert rules.gap_beside_change.against(weigh(text, *lines[:3], "+x nine", *lines[5:])) is False


def test_lines_of_the_file_that_no_line_faces_are_extra() -> None:
    assert weigh("x\nalpha\n;\nbeta\ny\n", " alpha", "-beta").extra == [2]
    assert weigh("alpha\n", " beta").extra == []


def test_a_line_is_worth_what_it_tells_in_its_file() -> None:
    """A line that occurs once tells it from all others, one that occurs often less, a brace nothing."""
    once = weigh("alpha\nbeta\ngamma\ndelta\n" * 1 + "x\n" * 4, " alpha")
    assert once.bits == once.log2_lines == pytest.approx(3.17, abs=0.01)
    assert weigh("alpha\n" * 2 + "x\n" * 5, " alpha").bits == 2.0
    assert weigh("alpha\n" * 8, " alpha").bits == pytest.approx(0.17, abs=0.01)
    assert weigh("a line of thirty characters ok\n", " a line of thirty characters ok").bits == 10.0
    assert weigh("a line of thirty characters ok\n" * 2, " a line of thirty characters ok").bits < 1
    assert weigh("}\nalpha\n", " }").bits == 0.0
    assert weigh("total = first_of(all)\n", " total=first_of(all)").bits == 0.0
    assert weigh("total = first_of(all)\n", " total = first_of( all )").bits == 23 / 3
    assert weigh("alpha beta gamma\n", " alpha beta gama").bits == 0.0


def test_the_score_counts_lines_that_agree() -> None:
    assert weigh(TEXT, *hunk_on(TEXT, {})).score == 1.0
    assert weigh(TEXT, *hunk_on(TEXT, {1: None})).score == 0.9
    assert weigh(TEXT, *hunk_on(TEXT, {1: "    subtotal = sum(item.prise for item in items)"})).score == 0.9917


@pytest.mark.parametrize(
    ("bits", "log2_lines", "names", "extra", "refused"),
    [
        (ENOUGH_BITS, 10.0, ["equal"], [], False),
        (ENOUGH_BITS, 10.0, ["near"], [], False),
        (ENOUGH_BITS - 0.1, 10.0, ["near"], [], True),
        (8.0, 10.0, ["typo"], [], False),
        (7.9, 10.0, ["carried"], [], True),
        (8.0, 10.0, ["typo"], [1], True),
        (8.0, 10.0, ["typo", "near"], [], True),
        (8.0, 2.0, ["near"], [], False),
        (7.9, 2.0, ["near"], [], True),
    ],
)
def test_the_evidence_must_tell_the_place_from_all_others(
    bits: float, log2_lines: float, names: list[str], extra: list[int], refused: bool
) -> None:
    off = [index for index, name in enumerate(names) if name != "equal"]
    found = SimpleNamespace(bits=bits, log2_lines=log2_lines, names=names, off=off, extra=extra)
    assert rules.enough_evidence.against(found) is refused


@pytest.mark.parametrize(
    ("defects", "lines", "refused"),
    [(1, 1, False), (2, 7, True), (2, 8, False), (3, 12, False), (4, 20, True), (3, 11, True)],
)
def test_few_lines_may_differ(defects: int, lines: int, refused: bool) -> None:
    found = SimpleNamespace(middle=False, defects=defects, kinds=[" "] * lines, off=[0] * 100)
    assert rules.few_defects.against(found) is refused


def test_of_a_block_any_number_of_lines_may_differ() -> None:
    assert not rules.few_defects.against(SimpleNamespace(middle=True, defects=100, kinds=[" "]))


def test_escapes_that_are_not_clear_are_not_added() -> None:
    text = 'alpha one\nsay("hello")\nbeta two\n'
    lines = (" alpha one", '-say(\\"hello\\")', '+say(\\"bye\\")', " beta two")
    assert rules.mistake_repeated.against(weigh(text, *lines)) is True
    assert rules.mistake_repeated.against(weigh(text, *lines[:2], "+say()", lines[3])) is False
    assert rules.mistake_repeated.against(weigh(text, lines[0], '-say("hello")', *lines[2:])) is False


@pytest.mark.parametrize(
    ("line", "old", "added", "refused"),
    [
        ("taxes = subtotal * rate", "taxes = subttal * rate", "taxes = subttal * rate + 1", True),
        ("taxes = subtotal * rate", "taxes = subttal * rate", "taxes = 0", False),
        ("taxes = subtotal * rate", "taxes = subtxotal * rate", "taxes = subtxotal", True),
        ("taxes = subtotal * rate", "taxes = subtxtal * rate", "taxes = subtxtal * 2", True),
        ("taxes = subtotal * rate", "taxes = subtxtal * rate", "taxes = subtotal", False),
        ("taxes = subtotal * rate", "taxes = subtxtal * rate", "ubtxtal", False),
        ("taxes = subtotal * rate", "taxes = subtxtal * rate", "taxes = subtxtal+1", True),
        # A run has a length of its own, and a blank does no harm.
        ("say ---- hello", "say ----- hello", "say ----- hello there", False),
        ("say ---- hello", "say --- hello", "say --- hello there", False),
        ("say hello(world) to all", "say hello (world) to all", "say hello (world) to none", False),
        ("say hello (world) to all", "say hello(world) to all", "say hello(world) to none", False),
        ("say hello\\nworld to all", "say hello\\ nworld to all", "say hello\\ nworld to none", True),
    ],
)
def test_a_mistake_in_a_removed_line_is_not_written(line: str, old: str, added: str, refused: bool) -> None:
    text = f"alpha one\n{line}\nbeta two\n"
    assert rules.mistake_repeated.against(weigh(text, " alpha one", f"-{old}", f"+{added}", " beta two")) is refused
    assert rules.mistake_repeated.against(weigh(text, " alpha one", f" {old}", f"+{added}", " beta two")) is False


def test_a_mistake_that_is_carried_over_is_not_written() -> None:
    text = "alpha one\ntaxes = subtotal * rate\nbeta two\n"
    hunk = Hunk((" alpha one", "-taxes = subtotl, * rate", "+taxes = subtotl, * rate + 1", " beta two"))
    (place,) = find_loose(Text(text), hunk)[0]
    assert place.hunk.lines[2] == "+taxes = subtotal * rate + 1"


def test_a_line_is_worth_so_much_at_most() -> None:
    assert weigh("x" * 200 + "\n", "-" + "x" * 200).bits == MOST_BITS


def test_lines_that_come_in_beside_a_blank_line_may_be_meant_on_either_side_of_it() -> None:
    assert changed_gaps(Hunk((" go()", " ", "+prepare()", "+", " def part():"))) == {1, 2}
    assert changed_gaps(Hunk((" go()", "+", "+prepare()", " ", " def part():"))) == {1, 2}
