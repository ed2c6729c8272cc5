"""What forbids a place that was found, rule by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import Hunk
from suture.core.dialect import STANDARD
from suture.core.text import Text
from suture.place import refusals
from suture.place.inserted_lines import find_inserted
from suture.place.place import Place
from suture.place.placement import Candidates, Situation
from suture.place.refusals import Choice

if TYPE_CHECKING:
    from typing import Any


def choose(
    text: str,
    *lines: str,
    tier: str = "exact",
    start: int = 0,
    places: int = 1,
    anchored: bool = False,
    path: str = "",
    notes: tuple[str, ...] = (),
    rows: tuple[int | None, ...] | None = None,
    fitted: bool = False,
    **of_hunk: Any,
) -> Choice:
    """A place for a hunk, chosen as if it was found at this tier."""
    hunk = Hunk(lines, **of_hunk)
    place = Place(hunk, start, tier, notes, rows, fitted=fitted)
    option = Candidates(0, hunk, [place] * places)
    option.anchored = anchored
    return Choice(Situation(Text(text, path=path), [hunk], STANDARD, 10), option, place)


def against(rule: str, *args: Any, **options: Any) -> object:
    return getattr(refusals, rule).against(choose(*args, **options))


@pytest.mark.parametrize(
    ("lines", "options", "refused"),
    [
        (("-}", "+};"), {}, False),
        (("-}", "+};"), {"places": 2}, True),
        (("-}", "+};"), {"places": 2, "anchored": True}, False),
        (("-}", "+};"), {"places": 2, "at_end": True}, False),
        (("-alpha", "+};"), {"places": 2}, False),
        (("-}", "+};"), {"tier": "indent"}, False),
        ((" }", "+};"), {"tier": "exact"}, False),
        ((" }", "+};"), {"tier": "trailing"}, False),
        ((" }", "+};"), {"tier": "indent"}, True),
    ],
)
def test_lines_that_are_not_distinctive_must_fit_one_place_only(
    lines: tuple[str, ...], options: dict[str, Any], refused: bool
) -> None:
    assert against("distinctive_line", "}\n}\n", *lines, **options) is refused


@pytest.mark.parametrize(
    ("text", "lines", "options", "refused"),
    [
        ("  if x:\n    y\n    z\n", ("-if x:", "-  y", "-  z"), {}, False),
        ("  if x:\n    y\n  z\n", ("-if x:", "-  y", "-  z"), {}, True),
        ("  if x:\n\n    y\n  z\n", ("-if x:", "-", "-  y", "-  z"), {}, True),
        ("  if x:\n    y\n  z\n", ("-if x:", "-  y", "-  z"), {"tier": "exact"}, False),
        ("  if x:\n    y\n  z\n", ("-if x:", "-  y", "-  z"), {"path": "a.c"}, False),
        # The first line alone was written without its indentation.
        ("    if x:\n      y\n    z\n", ("-if x:", "-      y", "-    z"), {}, False),
        ("    if x:\n      y\n    z\n", ("-if x:", "-    y", "-  z"), {}, False),
        ("    one\ntwo\nthree\n", ("-one", "-two", "-three"), {}, False),
        ("    one\ntwo\n  three\n", ("-one", "-two", "-three"), {}, True),
        ("    if x:\n      y\n", ("-if x:", "-      y"), {}, True),
        ("      if x:\n    y\n    z\n", ("-  if x:", "-    y", "-    z"), {}, True),
        ("if x:\n     y\n     z\n", ("-if x:", "-  y", "-  z"), {}, True),
        ("    if x:\n      y\n    z\n", (" if x:", "-   y", "-  z"), {}, True),
        ("if x:\n      y\n    z\n", ("-    if x:", "-      y", "-    z"), {}, True),
        # In a file of unknown type depth need not matter to lines that were fitted.
        ("  if x:\n    y\n  z\n", ("-if x:", "-  y", "-  z"), {"fitted": True}, False),
        ("  if x:\n    y\n  z\n", ("-if x:", "-  y", "-  z"), {"fitted": True, "path": "a.py"}, True),
        ("  if x:\n\n    y\n", ("-if x:", "-  y"), {"tier": "whitespace", "rows": (0, 9)}, False),
    ],
)
def test_where_depth_matters_all_lines_are_off_by_the_same(
    text: str, lines: tuple[str, ...], options: dict[str, Any], refused: bool
) -> None:
    assert against("uneven_depth", text, *lines, **{"tier": "indent", **options}) is refused


CALLS = "call(a)\n}\n\ncall(a)\n)\n  call(b)\n  ;\ncall(b)\ncall(x)\ncall(y)\n}\ncall(x)\ncall(y)\n"


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        ((" call(a)", " }", "+new"), {}, [0, 11]),
        (("+new", " call(a)", " }"), {}, [0, 11]),
        ((" call(a)", "+new", " }"), {}, ()),
        ((" call(a)", " }", "-;", "+new"), {}, ()),
        ((" call(x)", " call(y)", " }", "+new"), {}, ()),
        ((" call(a)", " }", "+new"), {"anchored": True}, ()),
        ((" call(a)", " }", "+new"), {"places": 2}, ()),
        ((" call(a)", "+new"), {}, ()),
        ((" call(a)", " call(b)", "+new"), {}, ()),
        ((" call(c)", " }", "+new"), {}, ()),
        # Where it was found exactly, a line with other whitespace is another one.
        (("   call(b)", "   ;", "+new"), {}, ()),
        (("   call(b)", "   ;", "+new"), {"notes": ("trimmed",)}, ()),
        ((" \tcall(b)", " ;", "+new"), {"tier": "indent"}, [21, 35]),
    ],
)
def test_lines_are_not_added_beside_a_line_that_is_elsewhere_too(
    lines: tuple[str, ...], options: dict[str, Any], expected: object
) -> None:
    assert against("one_sided", CALLS, *lines, **options) == expected


OWN = 'if ("ready") {\n  begin(1, 2);\n}\n  if (“ready”) {\n    begin(1,  2);\n  }\n'


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        (('   if ("ready") {', "-    begin(1, 2);"), {"tier": "indent"}, [32]),
        (("   if (‟ready‟) {", "-    begin(1, 2);"), {"tier": "punctuation"}, [32]),
        (('   if ("ready") {', "-    begin(1, 2);"), {"tier": "indent", "anchored": True}, ()),
        (('   if ("ready") {', "-    begin(1, 2);"), {"tier": "indent", "at_end": True}, ()),
        (('   if ("ready") {', "-    begin(1, 2);"), {"tier": "indent", "places": 2}, ()),
        ((' if ("ready") {', "-  begin(1, 2);"), {"tier": "exact"}, ()),
        (('     if ("ready") {', "-      begin(1, 2);"), {"tier": "indent"}, []),
    ],
)
def test_lines_at_another_depth_are_nowhere_at_their_own(
    lines: tuple[str, ...], options: dict[str, Any], expected: object
) -> None:
    assert against("own_depth", OWN, *lines, **options) == expected


THREE = ("+alpha one", "+beta two", "+gamma three")
AFTER = "zero\nold\nzero\nalpha one\nbeta two\ngamma three\n"


@pytest.mark.parametrize(
    ("text", "lines", "options", "expected"),
    [
        # An exact place that is the only one is not doubtful; elsewhere, three distinctive lines are enough, or fewer.
        (AFTER, (" zero", "-old", *THREE), {}, ()),
        (AFTER, (" zero", "-old", *THREE), {"notes": ("line_hint",)}, (9,)),
        (AFTER, (" zero", "-old", *THREE[:2]), {}, ()),
        (AFTER, (" zero", "-old", *THREE[:2], "+}"), {}, ()),
        (AFTER, (" zero", "-old", *THREE[:2]), {"tier": "indent"}, (9,)),
        (AFTER, (" zero", "-old", *THREE[:2]), {"tier": "trailing"}, ()),
        (AFTER, (" zero", "-old", *THREE[:2]), {"tier": "similar"}, (9,)),
        (AFTER, (" zero", *THREE[:2]), {"tier": "trailing"}, (9,)),
        (AFTER, (" zero", *THREE[:2]), {}, ()),
        (AFTER, (" zero", *THREE[:2]), {"notes": ("trimmed",)}, (9,)),
        (AFTER, (" zero", "-alpha  one", *THREE[:2]), {"tier": "trailing"}, (9,)),
        (AFTER, (" zero", "-alpha  two", *THREE[:2]), {"tier": "trailing"}, ()),
        (AFTER, (" zero", "-old"), {"tier": "similar"}, ()),
        # A doubtful place is also compared with whitespace aside.
        (AFTER, ("   zero", "-old", *THREE[:2]), {"tier": "similar"}, (9,)),
        (AFTER, ("   zero", "-old", *THREE[:2]), {"tier": "indent"}, ()),
        (AFTER, (" other", "-old", *THREE), {"tier": "similar"}, ()),
        # Where only whitespace changes, the file may have it already.
        ("a = 1\nb = 2\n", ("-a =  1", "+a = 1"), {"tier": "whitespace"}, (0,)),
        ("a  = 1\nb = 2\n", ("-a =  1", "+a = 1"), {"tier": "whitespace"}, ()),
        ("a =  1\nb = 2\n", ("-a=1", "+a = 1"), {"tier": "whitespace"}, ()),
        ("a =  1\na = 1\n", ("-a  = 1", "+a = 1"), {"tier": "whitespace"}, (7,)),
        ("a =  1\n  a = 1\n", ("-a  = 1", "+a = 1"), {"tier": "similar"}, ()),
        ("a =  1\nb = 2\n", ("-a  = 1", "-b =  2", "+a =  1", "+b =   2"), {"tier": "whitespace"}, ()),
        ("a = 1\nb = 2\n", ("-a = 1 ", "+a = 1"), {"tier": "trailing"}, (0,)),
        ("a = 1  \nb = 2\n", ("-a = 1 ", "+a = 1"), {"tier": "trailing"}, ()),
        ("a = 1\na  = 1\n", ("-a = 1", "+a  = 1"), {}, ()),
    ],
)
def test_a_result_that_is_in_the_file_is_not_made_again(
    text: str, lines: tuple[str, ...], options: dict[str, Any], expected: object
) -> None:
    assert against("already_there", text, *lines, **options) == expected


def inserted(text: str, *lines: str, at: int = 0, loose: bool = False) -> int | None:
    """The number of the line at which lines are already that would be added to the line `at` of a text."""
    starts = [0]
    for line in text.split("\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    count = sum(line[0] != "+" for line in lines)
    found = find_inserted(text, lines, starts[at : at + count + 1], loose=loose)
    return starts.index(found[0]) if found else None


@pytest.mark.parametrize(
    ("text", "lines", "at", "expected"),
    [
        ("zero\nalpha one\nlast\n", (" zero", "+alpha one"), 0, 1),
        ("zero\n  alpha   one\nlast\n", (" zero", "+alpha one"), 0, 1),
        ("zero\nlast\nalpha one\n", (" zero", "+alpha one"), 0, None),
        ("zero\n}\nlast\n", (" zero", "+}"), 0, None),
        ("zero\n\nlast\n", (" zero", "+"), 0, None),
        # Above, below, and around the point.
        ("alpha one\nzero\n", ("+alpha one", " zero"), 1, 1),
        ("alpha one\nbeta two\nzero\n", ("+alpha one", "+beta two", " zero"), 1, None),
        ("alpha one\nbeta two\nzero\n", ("+alpha one", "+beta two", " zero"), 2, 2),
        ("beta two\nzero\n", ("+alpha one", "+beta two", " zero"), 1, None),
        ("zero\nalpha one\nbeta two\n", (" zero", "+alpha one", "+beta two"), 0, 1),
        ("zero\nalpha one\n", (" zero", "+alpha one", "+beta two"), 0, None),
        ("zero\nalpha one\nlast\n", ("+zero", "+alpha one", " last"), 2, 2),
        # The first line has none above it, and the last none below it.
        ("zero\nlast\nalpha one\n", ("+alpha one", " zero"), 0, None),
        # Lines of the hunk itself are no copy.
        ("alpha one\nlast\n", (" alpha one", "+alpha one"), 0, None),
        ("alpha one\nalpha one\nlast\n", (" alpha one", "+alpha one"), 0, 1),
        ("alpha one\nlast\n", ("+alpha one", " alpha one"), 0, None),
        ("zero\nalpha one\nlast\n", (" zero", "+alpha one", " alpha one"), 0, None),
        ("zero\nlast\n", (" zero", "+zero", " last"), 0, None),
        ("zero\nalpha one\nbeta two\n", (" zero", " alpha one", " beta two", "+alpha one", "+beta two"), 0, None),
        # Lines that replace others are no insertion, but for the first or the last of more than those.
        ("alpha one\nlast\n", (" zero", "-last", "+alpha one"), 0, None),
        ("alpha one\nold\nlast\n", ("-old", "+alpha one", "+other", " last"), 1, 1),
        ("zero\nold\nalpha one\n", (" zero", "-old", "+other", "+alpha one"), 0, 2),
        ("alpha one\nold\nmore\nless\nlast\n", ("-old", "-more", "-less", "+alpha one", "+other", " last"), 1, None),
        ("zero\nold\nalpha one\nlast\n", ("-zero", "-old", "+other", " alpha one"), 0, None),
        ("zero\nold\nmore\n", ("-zero", "-old", "+more"), 0, None),
        # An equal line at another depth may be the one that comes in.
        ("  alpha one\nzero\nalpha one\n", ("-zero", "-alpha one", "+  alpha one", "+  zero", "+  alpha one"), 1, 1),
    ],
)
def test_lines_that_are_at_their_place_are_found_there(
    text: str, lines: tuple[str, ...], at: int, expected: int | None
) -> None:
    assert inserted(text, *lines, at=at) == expected


@pytest.mark.parametrize(
    ("text", "lines", "at", "expected"),
    [
        # Blank lines at an end of the hunk count.
        ("zero\n\nlast\n", (" zero", "+"), 0, 1),
        ("\nzero\nlast\n", ("+", " zero"), 1, 1),
        ("zero\nlast\n", (" zero", "+"), 1, None),
        ("zero\n\nlast\n", (" zero", "+", " last"), 0, None),
        ("zero\n}\nlast\n", (" zero", "+}"), 0, None),
        # Lines that replace as many or more are none that come in.
        ("old\nlast\n", ("-old", "+new", " last"), 0, None),
        ("zero\nold\nlast\n", (" zero", "-old", "+new"), 0, None),
        ("zero\nold\nmore\nlast\n", (" zero", "-old", "-more", "+new"), 0, None),
        # An equal line at another depth may be the one that comes in.
        ("  alpha one\nzero\nalpha one\n", ("-zero", "-alpha one", "+  alpha one", "+  zero", "+  alpha one"), 1, 1),
        # A line whose spacing changes does not come in.
        ("alpha one\nalpha  one\nlast\n", ("-alpha  one", "+alpha one", "+beta two", " last"), 1, None),
        # More than half of the lines, the first among them, may be an edited copy.
        ("zero\nalpha one\nbeta two\nother\n", (" zero", "+alpha one", "+beta two", "+gamma three"), 0, 1),
        ("zero\nalpha one\nother\nother\n", (" zero", "+alpha one", "+beta two", "+gamma three"), 0, None),
        ("zero\nother\nbeta two\ngamma three\n", (" zero", "+alpha one", "+beta two", "+gamma three"), 0, None),
        ("zero\nalpha one\n", (" zero", "+alpha one", "+}", "+;"), 0, None),
        ("zero\nalpha one\n}\n", (" zero", "+alpha one", "+}", "+;"), 0, None),
        ("zero\nalpha one\nbeta two\n", (" zero", "+alpha one", "+beta two", "+gamma", "+delta"), 0, None),
        ("alpha one\nother\ngamma three\nzero\n", ("+alpha one", "+beta two", "+gamma three", " zero"), 3, 3),
        ("zero\n}\nalpha one\nbeta two\nx\n", (" zero", "+}", "+alpha one", "+beta two", "+gamma"), 0, 1),
    ],
)
def test_where_a_place_is_loose_an_edited_copy_is_one_too(
    text: str, lines: tuple[str, ...], at: int, expected: int | None
) -> None:
    assert inserted(text, *lines, at=at, loose=True) == expected


def test_lines_that_face_nothing_are_not_looked_for() -> None:
    assert find_inserted("alpha one\nlast\n", (" zero", "+alpha one", " last"), [None, None, 10]) == ()
    assert find_inserted("alpha one\n", ("+alpha one",), [0]) == (0,)


@pytest.mark.parametrize(
    ("text", "lines", "options", "expected"),
    [
        ("zero\nalpha one\n", (" zero", "+alpha one"), {}, (0,)),
        ("zero\nalpha one\n", (" zero", "+alpha one", "+beta two"), {}, ()),
        ("alpha one\n", ("+alpha one",), {}, (0,)),
        ("zero\n\nlast\n", (" zero", "+"), {}, ()),
        ("zero\n\nlast\n", (" zero", "+"), {"tier": "indent"}, (5,)),
    ],
)
def test_lines_are_not_added_where_they_are(
    text: str, lines: tuple[str, ...], options: dict[str, Any], expected: object
) -> None:
    assert against("already_inserted", text, *lines, **options) == expected


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        (("-alpha", "+beta", " "), {"bare": (2,)}, [0, 7]),
        (("-alpha", "+beta", " "), {}, ()),
        (("-alpha", "+beta", " "), {"bare": (0,)}, ()),
        (("-alpha", "+beta", " "), {"bare": (2,), "anchored": True}, ()),
        (("-alpha", "+beta", " "), {"bare": (2,), "at_end": True}, ()),
        (("-alpha", "+beta", " "), {"bare": (2,), "places": 2}, ()),
        (("-gamma", "+beta", " "), {"bare": (2,)}, ()),
        (("-alpha", "+beta", " gamma"), {"bare": (2,)}, ()),
    ],
)
def test_a_blank_last_line_that_may_be_layout_does_not_tell_two_places_apart(
    lines: tuple[str, ...], options: dict[str, Any], expected: object
) -> None:
    assert against("layout_blank", "alpha\n\nalpha\ngamma\n", *lines, **options) == expected
