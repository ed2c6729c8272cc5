"""Where hunks are just placed and just not: at each limit, and where a dialect draws the line elsewhere."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.place.limits import LINES_WITHOUT_ANCHOR, MOST_PLACES, MOST_STACKED


def reasons(text: str, *hunks: Hunk, dialect: str = "standard") -> list[str]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, dialect=dialect)
    return [str(problem.details.get("reason", problem.code)) for problem in raised.value.problems]


def names(text: str, *hunks: Hunk, dialect: str = "standard") -> list[list[str]]:
    return [[one.name for one in match.concessions] for match in update(text, hunks, dialect=dialect).matches]


TWICE = "def one():\n    go()\n\n\ndef two():\n    go()\n"


def test_in_strict_a_hunk_of_context_is_a_hunk_like_any_other() -> None:
    change = Hunk(("-def one():", "+def first():"))
    assert reasons(TWICE, Hunk(("     go()",)), change, dialect="strict") == ["multiple_matches"]
    assert update(TWICE, [Hunk(("     go()",)), change]).text.startswith("def first():\n")


def test_in_strict_a_blank_hunk_needs_a_blank_line() -> None:
    change = Hunk(("-a", "+b"))
    assert reasons("a\n", Hunk((" ",)), change, dialect="strict") == ["context_not_found"]
    assert update("a\n", [Hunk((" ",)), change]).text == "b\n"
    assert update("a\n", [Hunk((" ",)), change], dialect="codex").text == "b\n"


def test_in_strict_lines_that_are_there_are_added_once_more() -> None:
    hunk = Hunk((" def one():", "+    prepare()"))
    text = TWICE.replace("one():\n", "one():\n    prepare()\n")
    assert update(text, [hunk], dialect="strict").text.count("prepare()") == 2
    assert reasons(text, hunk) == ["already_applied"]


def test_a_hunk_whose_context_hunk_is_nowhere_needs_distinctive_lines_of_its_own() -> None:
    lines = [f"step({number})" for number in range(LINES_WITHOUT_ANCHOR)]
    text = "\n".join(["start()", *lines, "end()", ""])
    lost = Hunk((" start()", " end()"))
    enough = Hunk((*(f" {line}" for line in lines), "+more()"))
    assert "more()" in update(text, [lost, enough]).text
    assert reasons(text, lost, Hunk((f" {lines[0]}", "+more()"))) == ["context_not_found"]


def test_added_lines_that_end_without_a_newline_go_to_the_end() -> None:
    assert update("a\nb\n", [Hunk(("+c",), no_newline="new")]).text == "a\nb\nc"
    assert reasons("a\nb\n", Hunk(("+c",))) == ["no_context"]


@pytest.mark.parametrize("marker", ["old", "both"])
def test_old_lines_without_a_newline_are_at_the_end(marker: str) -> None:
    text = "go()\nstop()\ngo()"
    hunk = Hunk(("-go()", "+run()"), no_newline=marker)  # type: ignore[arg-type]
    assert update(text, [hunk]).text.startswith("go()\nstop()\nrun()")
    assert reasons("go()\nstop()\nlast()", hunk) == ["not_at_end"]
    assert reasons(f"{text}\n", hunk) == ["not_at_end"]


def test_an_edit_with_a_mistake_that_ends_the_file_is_at_the_end() -> None:
    lines = [f"the line with number {number}" for number in range(9)]
    text = "\n".join([*lines, "more of it", ""])
    hunk = Hunk((" the line with nunber 2", *(f" {line}" for line in lines[3:8]), "-the line with number 8", "+x"))
    assert update(text, [hunk]).matches[0].tier == "similar"
    assert reasons(text, hunk.replace(at_end=True)) == ["not_at_end"]
    assert reasons(text, hunk.replace(no_newline="new")) == ["not_at_end"]


def test_in_codex_the_same_hunk_twice_goes_to_the_first_place_and_the_next() -> None:
    hunk = Hunk(("-go()", "+run()"))
    text = "go()\n  go()\n"
    assert [match.tier for match in update(text, [hunk], dialect="codex").matches] == ["exact"]
    assert [match.tier for match in update(text, [hunk, hunk], dialect="codex").matches] == ["exact", "indent"]


def test_in_codex_hunks_of_context_are_in_order_too() -> None:
    text = "a\nb\nc\n"
    context, change = Hunk((" b",)), Hunk(("-a", "+x"))
    assert update(text, [change, context], dialect="codex").text == "x\nb\nc\n"
    assert reasons(text, context, change, dialect="codex") == ["context_not_found"]


def test_in_codex_several_hunks_of_added_lines_go_to_the_end_in_their_order() -> None:
    assert update("a\n", [Hunk(("+x",)), Hunk(("+y",))], dialect="codex").text == "a\nx\ny\n"


def test_so_many_anchors_can_be_stacked_and_no_more() -> None:
    openers = [f"{' ' * depth}block {depth}" for depth in range(MOST_STACKED + 1)]
    depth = " " * len(openers)
    text = "\n".join([*openers, f"{depth}old", ""])
    anchors = tuple(opener.strip() for opener in openers)
    assert update(text, [Hunk((f"-{depth}old", "+new"), anchors[:MOST_STACKED])]).text.endswith("new\n")
    assert reasons(text, Hunk((f"-{depth}old", "+new"), anchors)) == ["anchor_not_found"]


@pytest.mark.parametrize(
    ("anchor", "line"),
    [("def run", "def run(x):"), ("def run(", "def run(x):"), ("x.", "x.y = 1")],
)
def test_an_anchor_that_is_cut_off_names_the_line_that_goes_on_behind_a_word(anchor: str, line: str) -> None:
    others = [
        other for other in ("def run_all():", "def run(x):", "def run2():", "x.y = 1", "def runs():") if other != line
    ]
    text = "".join(f"{opener}\n    go()\n" for opener in [*others, line])
    done = update(text, [Hunk(("-    go()", "+    done()"), (anchor,))])
    assert done.text.endswith(f"{line}\n    done()\n")
    assert [one.name for one in done.matches[0].concessions] == ["anchor_shortened"]


def test_an_anchor_with_an_indentation_names_the_line_that_has_it() -> None:
    text = "def f():\n    x()\nclass A:\n    def f():\n        x()\n"
    change = Hunk(("-x()", "+y()"), ("    def f():",))
    assert update(text, [change]).text.endswith("class A:\n    def f():\n        y()\n")
    assert reasons(text, change.replace(anchors=("def f():",))) == ["multiple_matches"]


@pytest.mark.parametrize("anchor", ["def  f( x ):", "def\u00a0f( x ):"])
def test_an_anchor_with_other_blanks_is_found_and_noted(anchor: str) -> None:
    text = "def g(x):\n    go()\ndef f( x ):\n    go()\n"
    assert names(text, Hunk(("-    go()", "+    run()"), (anchor,))) == [["anchor_normalized"]]
    assert names(text, Hunk(("-    go()", "+    run()"), ("def f( x ):",))) == [[]]


def test_a_line_number_is_a_concession_only_where_it_decides() -> None:
    text = "a()\ngo()\nb()\ngo()\n"
    certain, tie = Hunk(("-a()", "+x()"), line_hint=1), Hunk(("-go()", "+y()"), line_hint=4)
    assert names(text, certain, tie) == [[], ["line_hint"]]


def test_two_insertions_at_one_point_overlap_and_at_two_points_do_not() -> None:
    text = "a()\nb()\nc()\n"
    assert reasons(text, Hunk((" a()", "+x()")), Hunk(("+y()", " b()"))) == ["overlapping_edits"]
    assert update(text, [Hunk((" a()", "+x()")), Hunk((" b()", "+y()"))]).text == "a()\nx()\nb()\ny()\nc()\n"


NESTED = """\
class A:
    def one(self):
        start()
        log("same")

    def two(self):
        log("same")
        stop()

    def three(self):
        log("same")
"""
FIRST = Hunk((" def one(self):", "-    start()", "+    begin()"))
SECOND = Hunk(('-        log("same")', '+        log("other")'))


def test_a_place_in_the_innermost_block_that_the_hunk_before_left_open_wins() -> None:
    """SPEC §13: "the one inside the innermost block that the hunk before it left open wins"."""
    done = update(NESTED, [FIRST, SECOND])
    assert done.text == NESTED.replace("start()", "begin()").replace("same", "other", 1)
    assert done.matches[1].rivals == (7, 11)


def test_the_innermost_block_decides_for_each_hunk_in_turn() -> None:
    other = Hunk((" def two(self):", '-    log("same")', '+    log("two")'))
    third = Hunk(('         log("same")', "+        more()"))
    assert [match.start for match in update(NESTED, [FIRST, SECOND, other]).matches] == [2, 4, 6]
    # What a hunk removes is not context of the next.
    assert [match.start for match in update(NESTED, [FIRST, other, third]).matches] == [2, 6, 11]


def test_the_innermost_block_decides_nothing_for_a_hunk_that_could_be_anywhere() -> None:
    text = "def one():\n    start()\n    return\n\n\ndef two():\n    return\n"
    hunks = [Hunk(("-    start()", "+    begin()")), Hunk(("-    return", "+    return 1"))]
    assert reasons(text, *hunks) == ["multiple_matches"]


def test_the_innermost_block_needs_a_hunk_before_that_is_certain() -> None:
    text = "def a():\n    go()\n    log('x')\n\n\ndef b():\n    go()\n    log('x')\n"
    hunks = [Hunk(("-    go()", "+    run()")), Hunk(("-    log('x')", "+    log('y')"))]
    assert set(reasons(text, *hunks)) == {"multiple_matches"}


def test_a_place_between_the_blocks_of_an_anchor_is_inside_none_of_them() -> None:
    text = "def f():\n    a()\nclass C:\n    x()\ndef f():\n    x()\n    b()\n"
    done = update(text, [Hunk(("-    x()", "+    y()"), ("def f():",))])
    assert (done.matches[0].start, done.matches[0].rivals) == (6, (4,))


def test_a_place_at_a_stricter_tier_is_taken_before_escapes_are_read() -> None:
    text = 'print(\\"a\\")\nprint("a")\n'
    done = update(text, [Hunk(('-  print(\\"a\\")', "+  go()"))])
    assert (done.text, done.matches[0].tier) == ('go()\nprint("a")\n', "indent")


def test_the_same_insertion_twice_goes_to_two_points() -> None:
    hunk = Hunk((" go()", "+more()"))
    assert update("go()\nstop()\ngo()\n", [hunk, hunk]).text == "go()\nmore()\nstop()\ngo()\nmore()\n"
    assert update("go()\nstop()\ngo()\n", [hunk, hunk], dialect="codex").text == "go()\nmore()\nstop()\ngo()\nmore()\n"


def test_changes_end_where_lines_that_are_added_again_begin() -> None:
    """Both hunks fit both blocks around the other's change, so that their order does not choose."""
    text = "start_here()\nalpha()\nbeta()\ngamma()\nmiddle()\nalpha()\nbeta()\ngamma()\nfinish()\n"
    first = Hunk((" alpha()", "-beta()", "-gamma()", "+delta()", "+gamma()"))
    assert reasons(text, first, Hunk(("-gamma()", "+omega()", " finish()"))) == ["multiple_matches"]
    text = "start_here()\ngamma()\nbeta()\nalpha()\nmiddle()\ngamma()\nbeta()\nalpha()\n"
    last = Hunk(("-gamma()", "-beta()", "+gamma()", "+delta()", " alpha()"))
    # The first hunk removes the line that the second one keeps, so that this must be another one.
    assert update(text, [Hunk((" start_here()", "-gamma()", "+omega()")), last]).matches[1].start == 6


def test_order_does_not_choose_a_place_for_lines_that_could_be_anywhere() -> None:
    text = "{\n}\nbetween()\nwork_hard()\nbetween()\n{\n}\n"
    change, close = Hunk(("-work_hard()", "+rest()")), (" {", "-}", "+};")
    assert reasons(text, Hunk(close), change) == ["multiple_matches"]
    text = "block:\n  {\n  }\n  work_hard()\nother()\n  {\n  }\n"
    inside = Hunk(("   {", "-  }", "+  };"), anchors=("block:",))
    assert update(text, [inside]).text == text.replace("}", "};", 1)


def test_the_block_of_an_anchor_chooses_before_the_order_does() -> None:
    text = "def one():\n    run_it()\n\n\ndef two():\n    stop_it()\n\n\ndef three():\n    run_it()\n"
    change = Hunk(("-    stop_it()", "+    halt()"))
    inside = Hunk(("-    run_it()", "+    go()"), anchors=("def one():",))
    done = update(text, [change, inside])
    assert done.text == text.replace("stop_it", "halt").replace("run_it", "go", 1)
    assert [[one.name for one in match.concessions] for match in done.matches] == [["out_of_order"]] * 2


def test_a_list_of_places_that_was_cut_short_chooses_nothing() -> None:
    many = "repeat_this()\n" + "changed_once()\n" + "repeat_this()\n" * MOST_PLACES
    first = Hunk(("-repeat_this()", "+done()"))
    assert reasons(many, first, Hunk(("-changed_once()", "+twice()"))) == ["multiple_matches"]
    few = "repeat_this()\n" + "changed_once()\n" + "repeat_this()\n" * (MOST_PLACES - 2)
    assert update(few, [first, Hunk(("-changed_once()", "+twice()"))]).text.startswith("done()\ntwice()\nrepeat_this()")


def test_very_many_anchors_choose_nothing() -> None:
    hunk = Hunk(("-  go_there()", "+  stay_here()"), anchors=("block:",))
    for count, is_known in ((MOST_PLACES - 1, True), (MOST_PLACES, False), (MOST_PLACES + 1, False)):
        text = "block:\n  wait()\n" * (count - 1) + "block:\n  go_there()\nother:\n  go_there()\n"
        if is_known:
            assert update(text, [hunk]).text == text.replace("go_there", "stay_here", 1)
        else:
            assert reasons(text, hunk) == ["multiple_matches"]


def test_the_same_hunk_twice_does_not_go_to_a_second_place_that_is_loose() -> None:
    """One line was meant, and the hunk was written twice."""
    text = "def one():\n    go()\n    stop()\ndef two():\n    go()  \n    stop()\n"
    twice = [Hunk(("     go()", "-    stop()", "+    halt()"))] * 2
    assert reasons(text, *twice) == ["overlapping_edits"]
    assert update(text.replace("  \n", "\n"), twice).text == text.replace("  \n", "\n").replace("stop", "halt")


def test_what_is_there_already_is_not_told_beside_a_hunk_that_has_no_place() -> None:
    text = "first_line()\nsecond_line()\nadded_before()\nthird_line()\n"
    lost = Hunk((" nowhere_to_be_seen()", "-unknown_thing()", "+x()"))
    there = Hunk((" second_line()", "+added_before()"))
    assert reasons(text, there) == ["already_applied"]
    assert reasons(text, there, lost) == ["context_not_found"]


def test_a_problem_says_which_of_how_many_hunks_it_is() -> None:
    lost, change = Hunk((" nowhere_to_be_seen()", "+x()")), Hunk(("-one()", "+two()"))
    for dialect in ("standard", "strict"):
        with pytest.raises(PatchRejectedError, match=r"^Hunk 2 of 3 does not fit"):
            update("one()\n", [change, lost, lost], dialect=dialect)
    with pytest.raises(PatchRejectedError, match=r"^Hunk 2 of 2 changes the same place as hunk 1"):
        update("one()\n", [change, Hunk(("-two()", "+three()"))], dialect="strict")


def test_the_block_that_was_left_open_chooses_only_for_a_hunk_with_a_distinctive_line() -> None:
    text = "def one():\n    prepare()\n    if ready():\n        say_so()\n        {\n        }\n    {\n    }\n"
    above = Hunk((" def one():", "-    prepare()", "+    begin()", "     if ready():", "         say_so()"))
    anywhere = Hunk((" {", "-}", "+};"), anchors=("def one():",))
    assert reasons(text, above, anywhere) == ["multiple_matches"]
    text = text.replace("{", "call_it()").replace("}", "end_it()")
    telling = Hunk((" call_it()", "-end_it()", "+stop_it()"), anchors=("def one():",))
    assert update(text, [above, telling]).text.count("        stop_it()") == 1


def test_an_anchor_whose_block_ends_above_does_not_speak_for_lines_beside_a_common_one() -> None:
    text = "alpha()\n{\n\nmark_here()\n\nalpha()\n{\n"
    assert reasons(text, Hunk((" alpha()", " {", "+more()"), anchors=("mark_here()",))) == ["multiple_matches"]


def test_a_hunk_whose_lines_may_all_be_added_is_nowhere() -> None:
    assert reasons("one()\ntwo()\n", Hunk(("+x", " bare()", "+y"), bare=(1,))) == ["context_not_found"]


def test_a_place_that_begins_in_the_context_of_the_hunk_before_is_in_no_deeper_block_than_others() -> None:
    block = "\n# Give the value, or\n# 0 if there is none.\ndef {}():\n    return 0\n"
    text = "kind = one\nlast = here\n" + block.format("first") + block.format("second")
    above = Hunk(("-kind = one", "+kind = two", " last = here", " "))
    comment = Hunk((" ", " # Give the value, or", " # 0 if there is none.", "+# Never more."))
    assert reasons(text, above, comment) == ["multiple_matches"]
