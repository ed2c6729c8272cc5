"""The loose end of the search: which place wins, what it keeps of the file, and what other places say against it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.core.text import Text
from suture.place import limits
from suture.place.loose import _replacements, find_loose, stronger_rival
from suture.place.readings import EditReading

LINES = [f"line {name} is there" for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")]
FILE = "".join(f"{line}\n" for line in LINES)
FAR = "x\n" * 20


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("-a", "+b"), {0: 1}),
        (("-a", "-b", "+c", "+d"), {0: 2, 1: 3}),
        (("-a", "-b", "+c"), {}),
        ((" x", "-a", "+b", " y", "-c", "+d"), {1: 2, 3: 5}),
        (("-a", " x", "-b", "+c"), {2: 3}),
        (("-a", "+b", "-c", "+d"), {0: 1, 1: 3}),
        (("+a", "-b"), {0: 0}),
        (("-a", " b", "+a"), {}),
    ],
)
def test_a_removed_line_becomes_the_added_one_where_there_are_as_many(
    lines: tuple[str, ...], expected: dict[int, int]
) -> None:
    assert _replacements(Hunk(lines)) == expected


@pytest.mark.parametrize(
    ("written", "blanks", "expected"),
    [
        # Two blank lines of the file that the hunk leaves out, at the point where lines come in.
        ((" {a}", "+x = 1", "+", " {b}"), 2, "{a}\nx = 1\n\n\n{b}\n"),
        ((" {a}", "+", "+x = 1", " {b}"), 2, "{a}\n\n\nx = 1\n{b}\n"),
        ((" {a}", "+x = 1", "+", " {b}"), 1, "{a}\nx = 1\n\n{b}\n"),
        ((" {a}", "+", "+x = 1", " {b}"), 1, "{a}\n\nx = 1\n{b}\n"),
        # Between removed lines, and beside one.
        (("-{a}", "-{b}", "+x = 1"), 1, "x = 1\n"),
        (("-{a}", "+", "-{b}"), 1, "\n"),
        ((" {a}", "-{b}", "+x = 1"), 1, "{a}\n\nx = 1\n"),
        (("-{a}", "+x = 1", " {b}"), 1, "x = 1\n\n{b}\n"),
        (("-{a}", "+x = 1", "+", " {b}"), 1, "x = 1\n\n{b}\n"),
    ],
)
def test_blank_lines_that_an_edit_leaves_out_stay_or_go(written: tuple[str, ...], blanks: int, expected: str) -> None:
    a, b, *rest = LINES
    below = "".join(f"{line}\n" for line in rest)
    lines = [line.format(a=a, b=b) for line in written] + [f" {line}" for line in rest]
    done = update(f"{a}\n{chr(10) * blanks}{b}\n{below}", [Hunk(tuple(lines))])
    assert done.text == expected.format(a=a, b=b) + below


def mistype(*indices: int) -> tuple[str, ...]:
    """A hunk on the first four lines that removes the third, with typos."""
    kinds = (" ", " ", "-", " ")
    lines = [LINES[i].replace("there", "thare" if i in indices else "there") for i in range(4)]
    return tuple(kind + line for kind, line in zip(kinds, lines, strict=True))


def test_of_two_places_the_one_with_more_evidence_wins() -> None:
    other = FILE.replace("beta", "another").replace("alpha", "unlike")
    places, rule = find_loose(Text(FILE + "x\n" * 20 + other), Hunk(mistype(0)))
    assert ([place.start for place in places], rule) == ([0], "")
    places, _ = find_loose(Text(FILE + "x\n" * 20 + FILE), Hunk(mistype(0)))
    assert [place.start for place in places] == [0, len(FILE) + 40]
    places, _ = find_loose(Text(FILE + "x\n" * 20 + FILE), Hunk(mistype(0)), len(FILE))
    assert [place.start for place in places] == [len(FILE) + 40]


def test_a_place_above_the_lowest_offset_is_none() -> None:
    """Its lines below the offset are found, but the place begins above it."""
    assert len(find_loose(Text(FILE), Hunk(mistype(0)), 0)[0]) == 1
    assert find_loose(Text(FILE), Hunk(mistype(0)), len(LINES[0]) + 1)[0] == []


def test_a_place_that_is_forbidden_but_has_as_much_evidence_forbids_the_others() -> None:
    """The second place differs in the same line, but in a number."""
    five = "".join(f"{line}\n" for line in LINES[:5])
    hunk = Hunk((*mistype(), f" {LINES[4].replace('there', 'thare')}"))
    assert len(find_loose(Text(five), hunk)[0]) == 1
    second = five.replace("epsilon is there", "epsilon 9 is there")
    assert find_loose(Text(five + FAR + second), hunk)[1] == "stronger-rival"


def test_a_place_that_is_forbidden_but_has_no_more_defects_forbids_the_others() -> None:
    """One line differs in the first copy, and a blank one is extra in the second."""
    blank = FILE.replace(LINES[4], f"\n{LINES[4]}")
    hunk = Hunk((*mistype(), *[f" {line}" for line in LINES[4:6]]))
    assert len(find_loose(Text(blank), hunk)[0]) == 1
    twin = FILE.replace("beta", "other")
    assert find_loose(Text(twin + FAR + blank), hunk)[1] == "stronger-rival"
    assert len(find_loose(Text(twin.replace("delta", "more") + FAR + blank), hunk)[0]) == 1


def test_weak_places_are_listed_for_an_edit_that_is_alone() -> None:
    text = Text(("call(first)\nvalue there\n" + FAR) * 4 + "other\n" * 240)
    hunk = Hunk(("-call(first)", " value thre"))
    assert find_loose(text, hunk) == ((), "enough-evidence")
    assert len(find_loose(text, hunk, edit=EditReading("", ""))[0]) == 4


def test_nothing_is_found_without_a_distinctive_line_or_beyond_the_limit_of_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert find_loose(Text("{\n}\n"), Hunk(("-{", "-)")))[0] == ()
    assert find_loose(Text("alpha\n"), Hunk(("+x",)))[0] == ()
    for budget, count in ((limits.BAND * 4, 1), (limits.BAND * 4 - 1, 0)):
        monkeypatch.setattr(limits, "CELL_BUDGET", budget)
        assert len(find_loose(Text(FILE), Hunk(mistype(0)))[0]) == count


def test_a_hunk_that_is_there_as_it_is_has_no_loose_place() -> None:
    assert find_loose(Text(FILE), Hunk((" " + LINES[0],))) == ((), "")


@pytest.mark.parametrize(
    ("middle", "old", "file", "found"),
    [
        # The mean of the lines between the ends, whose extra lines count as unlike.
        ("alike", "first end|aaaaaaaaaaaaabbbbbbb|other end", "first end|aaaaaaaaaaaaaccccccc|other end", True),
        ("alike", "first end|aaaaaaaaaaaabbbbbbbb|other end", "first end|aaaaaaaaaaaacccccccc|other end", False),
        ("alike", "first end|line one is|line two is|other end", "first end|line one is|line twx is|other end", True),
        ("alike", "first end|line one is|other end", "first end|line onx is|extra line|other end", False),
        (
            "alike",
            "first end|line one is|line two is|line three is|line four is|other end",
            "first end|line onx is|line two is|extra line|line three is|line four is|other end",
            True,
        ),
        (
            "alike",
            "first end|line one is|line two is|line three is|line four is|other end",
            "first end|line onx is|line two is|extra line|more of it|line three is|line four is|other end",
            False,
        ),
        # As many lines, half of them equal.
        (
            "equal",
            "first end|line one is|line two is|other end",
            "first end|quite different|line two is|other end",
            True,
        ),
        ("equal", "first end|line one is|line two is|other end", "first end|quite different|and more|other end", False),
        ("equal", "first end|line one is|line two is|other end", "first end|line one is|other end", False),
        # Both ends are there as they are.
        ("equal", "first end|line one is|line two is|other end", "forst end|line one is|line two is|other end", False),
        ("alike", "first end|line one is|line two is|other end", "first end|line one is|line two is|othr end", False),
    ],
)
def test_a_block_is_known_by_its_ends_and_by_what_is_between_them(
    middle: str, old: str, file: str, found: bool
) -> None:
    text = Text(file.replace("|", "\n") + "\n")
    hunk = Hunk(tuple("-" + line for line in old.split("|")))
    assert (find_loose(text, hunk, middle=middle)[1] != "block") is found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "taxes = subtotl, * rate",
            "taxes = subtotl, * rate + one",
            ("taxes = subtotal * rate + one", "mistake_carried"),
        ),
        ("taxes = subtotl * rate", "taxes = none", ("taxes = none",)),
        ("taxes = subtotl * rat", "taxes = none", ()),
        ("taxes = subtotl, * rate", "taxes = subtotl,  * rate", ()),
    ],
)
def test_a_mistake_in_a_removed_line_is_carried_over_or_small(old: str, new: str, expected: tuple[str, ...]) -> None:
    hunk = Hunk((" alpha one", f"-{old}", f"+{new}", " beta two"))
    places = find_loose(Text("alpha one\ntaxes = subtotal * rate\nbeta two\n"), hunk)[0]
    assert tuple(text for place in places for text in (place.hunk.lines[2][1:], *place.notes)) == expected


CALLS = (
    "def test_{0}():\n    parts = split(command)\n    assert parts[:3] == begin\n    assert parts[3:{1}] == middle\n"
)
REPORT = "<a>30</a>\n<a>31</a> <b>24x</b>\n" + "<i>none</i>\n" * 6
SUMMARY = """\
        [Data]: \\(data?.description ?? "None")
        [Network Duration]: \\(metricsDescription)
        [Serialization Duration]: \\(serializationDuration)s
        [Result]: \\(result.debugDescription)
    }
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            REPORT.replace("<i>none</i>\n", "<i>none</i>\n<u>none</i>\n", 1),
            (" <a>30</a>", "-<a>31</a> <b>24x</b>", "+<a>31</a> <b>27x</b>", " <i>none</i>", " <i>none</i>"),
            id="the extra line is the twin of a line that occurs often",
        ),
        pytest.param(
            CALLS.format("one", 6)
            + "    assert last\n}\n"
            + CALLS.format("two", 5)
            + "    assert last\n    more()\n}\n"
            + CALLS.format("three", 5)
            + "    assert first\n}\n",
            (
                "     parts = split(command)",
                "-    assert parts[:3] == begin",
                "+    assert parts[:3] == start",
                "     assert parts[3:5] == middle",
                "     assert last",
                " }",
            ),
            id="no line of the hunk occurs only once, and a brace lies beyond the extra line",
        ),
        pytest.param(
            "  get '/foo'\n  assert no_response\n\n  it 'has types' do\n    types = 1\n",
            (
                "   get '/foo'",
                "   assert no_response",
                "   end",
                " ",
                "+  it 'filters' do",
                "+  end",
                "   it 'has types' do",
            ),
            id="a missing line closes another block",
        ),
        pytest.param(
            SUMMARY,
            (
                "         [ResumeData]: \\(resumeDataDescription)",
                "         [Serialization Duration]: \\(serializationDuration)s",
                "-        [Result]: \\(result.debugDescription)",
                "+        [Result]: \\(result)",
                "     }",
            ),
            id="a line at the edge is merely alike",
        ),
    ],
)
def test_a_place_that_is_gone_is_not_found_beyond_a_line_of_another(text: str, lines: tuple[str, ...]) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines)])
    assert raised.value.problems[0].details["reason"] == "context_not_found"


@pytest.mark.parametrize(
    ("bits", "defects", "refused"),
    [(10, 9, True), (9, 9, False), (1, 2, True), (1, 3, False), (0, 1, False)],
)
def test_a_place_that_a_rule_forbids_may_be_as_good_as_the_best(bits: float, defects: int, refused: bool) -> None:
    allowed = [
        SimpleNamespace(bits=10, defects=2, takes_up_blanks=False),
        SimpleNamespace(bits=5, defects=4, takes_up_blanks=False),
    ]
    contest = [*((one, "") for one in allowed), (SimpleNamespace(bits=bits, defects=defects), "twin")]
    assert bool(stronger_rival.against(contest)) == refused
