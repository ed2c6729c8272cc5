"""The last tier: most lines equal, the rest close; never another number, name or operator in a removed line."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update

TEXT = """\
def total(items):
    subtotal = sum(item.price for item in items)
    discount = lookup_discount(subtotal)
    taxes = subtotal * TAX_RATE
    shipping = shipping_for(items)
    return subtotal - discount + taxes + shipping


def report(items):
    print("Items:", len(items))
    print("Total:", total(items))
    log.info("report was written")
    return None
"""
LINES = TEXT.split("\n")


def placed(*lines: str, text: str = TEXT) -> str:
    """The text after, where the place was found at `similar`."""
    done = update(text, [Hunk(lines)])
    assert [match.tier for match in done.matches] == ["similar"]
    assert all(0 < match.score < 1 for match in done.matches)
    return str(done.text)


def refused(*lines: str, text: str = TEXT) -> list[tuple[str, object]]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines)])
    return [(problem.code, problem.details.get("reason")) for problem in raised.value.problems]


NOWHERE = [("patch_apply_error", "context_not_found")]


def hunk_on_taxes(*, above: str = LINES[2], removed: str = LINES[3], below: str = LINES[4]) -> tuple[str, ...]:
    return (" " + LINES[1], " " + above, "-" + removed, "+    taxes = 0", " " + below, " " + LINES[5])


WANTED = TEXT.replace("    taxes = subtotal * TAX_RATE", "    taxes = 0")


@pytest.mark.parametrize(
    "above",
    [
        "    discount = lookup_discount(subtotl)",
        "    discount = lookup_discount(subtotal) ;",
        "    discount = lokup_discount(subtotal)",
        "    discount = lookup_discoutn(subtotal)",
    ],
)
def test_a_context_line_may_differ_by_two_edits(above: str) -> None:
    assert placed(*hunk_on_taxes(above=above)) == WANTED


@pytest.mark.parametrize(
    "removed", ["    taxes = subtotol * TAX_RATE", "    taxes = subttal * TAX_RATE", "    taxes = subtootal * TAX_RATE"]
)
def test_a_removed_line_may_have_a_slip_of_one_letter_inside_a_word(removed: str) -> None:
    """SPEC §4: "a slip of one letter inside a word at most"."""
    assert placed(*hunk_on_taxes(removed=removed)) == WANTED


@pytest.mark.parametrize(
    "removed",
    [
        "    taxes = subtotal + TAX_RATE",
        "    taxes = subtotal * TAX_RATES",
        "    taxes = subtotal * 2",
        "    taxes = subtotal",
        "    taxes = discount * TAX_RATE",
        "    taxis = subtotl * TAX_RATE",
        "    taxes = subtotal * TAX_RATE2",
        "    taxes == subtotal * TAX_RATE",
        "    taxes = -subtotal * TAX_RATE",
        "    taxes = subtotal * TAX.RATE",
    ],
)
def test_a_removed_line_with_another_number_operator_or_word_is_another_line(removed: str) -> None:
    """SPEC §4: "with another number, operator or word it is another line"."""
    assert refused(*hunk_on_taxes(removed=removed)) == NOWHERE


@pytest.mark.parametrize(
    ("file", "removed"),
    [
        ("limit = 10", "limit = 11"),
        ("enabled = true", "enabled = True"),
        ("client.get(key)", "client.set(key)"),
        ("if a < b:", "if a > b:"),
        ("x = foo1()", "x = foo2()"),
        ("self.items.append(x)", "self.item.append(x)"),
    ],
)
def test_close_is_not_the_same_for_a_removed_line(file: str, removed: str) -> None:
    text = f"the first line here\nthe second line here\n{file}\nthe fourth line here\nthe fifth line here\n"
    lines = text.split("\n")
    hunk = (f" {lines[0]}", f" {lines[1]}", f"-{removed}", "+changed", f" {lines[3]}", f" {lines[4]}")
    assert refused(*hunk, text=text) == NOWHERE


def test_a_slip_that_is_a_word_of_the_file_is_another_word() -> None:
    text = "forms = 1\n" + TEXT.replace("subtotal * TAX", "format * TAX")
    lines = hunk_on_taxes(removed="    taxes = formal * TAX_RATE")
    assert refused(*lines, text=text.replace("forms", "formal")) == NOWHERE


@pytest.mark.parametrize(
    "below", ["    shipment = shippers_for(things)", "    postage = 7", "    shipping = shipping_of_all_the(items)"]
)
def test_a_context_line_that_is_another_counts_as_missing_and_extra(below: str) -> None:
    """One line that is not there and one that is not said are two defects of five lines: too many."""
    assert refused(*hunk_on_taxes(below=below)) == NOWHERE


def test_a_context_line_may_be_missing_in_the_hunk() -> None:
    lines = (" " + LINES[0], " " + LINES[2], "-" + LINES[3], "+    taxes = 0", " " + LINES[4], " " + LINES[5])
    assert placed(*lines) == WANTED


def test_a_context_line_may_be_invented() -> None:
    lines = (
        " " + LINES[0],
        " " + LINES[1],
        "     extra = 1",
        " " + LINES[2],
        "-" + LINES[3],
        "+    taxes = 0",
        " " + LINES[4],
    )
    assert placed(*lines) == WANTED


def test_nothing_is_missing_inside_a_run_of_removed_lines() -> None:
    """SPEC §4: "It never extends or shrinks the replaced region beyond what the removed lines name." """
    lines = (" " + LINES[0], " " + LINES[1], "-" + LINES[2], "-" + LINES[4], "+    taxes = 0", " " + LINES[5])
    assert refused(*lines) == NOWHERE


def test_a_removed_line_that_the_file_lacks_is_refused() -> None:
    lines = (
        " " + LINES[1],
        "-" + LINES[2],
        "-    rebate = 5",
        "-" + LINES[3],
        "+    taxes = 0",
        " " + LINES[4],
        " " + LINES[5],
    )
    assert refused(*lines) == NOWHERE


def test_a_line_skipped_right_beside_an_insertion_is_refused() -> None:
    """Whether the lines come in above or below the one that was skipped, nobody can tell."""
    lines = (" " + LINES[0], " " + LINES[1], " " + LINES[2], "+    more = 1", " " + LINES[4], " " + LINES[5])
    assert refused(*lines) == NOWHERE


def test_an_insertion_between_two_lines_of_the_file_is_placed() -> None:
    lines = (" " + LINES[0], " " + LINES[1].replace("price", "prize"), " " + LINES[2], "+    more = 1", " " + LINES[3])
    assert placed(*lines) == TEXT.replace(LINES[3], "    more = 1\n" + LINES[3])


def test_two_places_that_are_nearly_equally_close_are_ambiguous() -> None:
    """SPEC §4: "a clear margin over the next best place"."""
    block = "the {} line of it\nanother line of it\nvalue = 1\nthe last line of it\n\n"
    text = block.format("frist") + block.format("firts")
    lines = (" the first line of it", " another line of it", "-value = 1", "+value = 2", " the last line of it")
    assert refused(*lines, text=text) == [("multiple_matches", None)]


def test_too_many_lines_that_differ_are_refused() -> None:
    lines = (*[" " + line.replace("t", "th", 1) for line in LINES[1:5]], "-" + LINES[5], "+x")
    assert refused(*lines) == NOWHERE


def test_one_line_alone_is_never_similar() -> None:
    assert refused("-    taxes = subtotol * TAX_RATE", "+    taxes = 0") == NOWHERE


def test_lines_that_say_nothing_are_never_similar() -> None:
    assert refused(" {", "-  }", "-)", "+x", text="{\n}\n}\n") == NOWHERE


def test_a_hunk_at_the_end_may_be_similar_only_at_the_end() -> None:
    """SPEC §2: "`*** End of File`, but the lines are not at the end": "error that says where they are"."""
    hunk = Hunk(hunk_on_taxes(above="    discount = lookup_discount(subtotl)"), at_end=True)
    assert update("\n".join(LINES[:6]) + "\n", [hunk]).matches[0].tier == "similar"
    for behind in ("one more\n", "one more\nand another\n", "\n"):
        with pytest.raises(PatchRejectedError):
            update("\n".join(LINES[:6]) + "\n" + behind, [hunk])


def test_the_place_may_be_the_whole_file() -> None:
    text = "\n".join(LINES[1:6]) + "\n"
    lines = hunk_on_taxes(above="    discount = lookup_discount(subtotl)")
    assert placed(*lines, text=text) == text.replace("subtotal * TAX_RATE", "0")
    assert placed(*lines, text=text.rstrip("\n")) == text.replace("subtotal * TAX_RATE", "0").rstrip("\n")


def test_a_match_that_is_similar_is_refused_where_the_new_text_is_there() -> None:
    """SPEC §4: "the new text is already there and the match is `similar`"."""
    text = WANTED + "\n\n" + TEXT.replace("lookup_discount", "lookup_diskount")
    codes = refused(*hunk_on_taxes(), text=text)
    assert codes in ([("patch_apply_error", "already_applied")], NOWHERE)


@pytest.mark.parametrize("dialect", ["codex", "opencode", "strict"])
def test_only_standard_has_this_tier(dialect: str) -> None:
    with pytest.raises(PatchRejectedError):
        update(TEXT, [Hunk(hunk_on_taxes(removed="    taxes = subtotol * TAX_RATE"))], dialect=dialect)


def test_a_text_with_ellipses_is_searched_too() -> None:
    text = "wait… for it\n" + TEXT
    assert (
        placed(*hunk_on_taxes(above="    discount = lookup_discount(subtotl)"), text=text) == "wait… for it\n" + WANTED
    )


def test_added_lines_above_removed_ones_are_placed() -> None:
    lines = (
        " " + LINES[1],
        " " + LINES[2].replace("lookup", "lockup"),
        "+    taxes = 0",
        "-" + LINES[3],
        " " + LINES[4],
    )
    assert placed(*lines) == WANTED


def test_hunks_out_of_order_are_not_placed_by_likeness() -> None:
    """Where the order does not speak for it, likeness alone is not enough."""
    later = Hunk(("-    return None", "+    return True"))
    similar = Hunk(hunk_on_taxes(above="    discount = lookup_discount(subtotl)"))
    assert update(TEXT, [similar, later]).text == WANTED.replace("return None", "return True")
    with pytest.raises(PatchRejectedError):
        update(TEXT, [later, similar])


def test_a_file_in_which_every_line_is_common_has_no_place() -> None:
    text = TEXT * 150
    assert refused(*hunk_on_taxes(removed="    taxes = subtotol * TAX_RATE"), text=text)[0][0] in (
        "patch_apply_error",
        "multiple_matches",
    )


def test_more_places_than_are_looked_at_are_ambiguous() -> None:
    text = "".join(TEXT.replace("total", f"total{n}") for n in range(40))
    lines = (" " + LINES[8], " " + LINES[9], "-" + LINES[11], "+x", " " + LINES[12])
    assert refused(*lines, text=text)[0][0] in ("patch_apply_error", "multiple_matches")


def test_a_line_of_the_hunk_that_stands_elsewhere_is_neither_invented_nor_mistyped() -> None:
    text = TEXT + "\n\nremember(the_discount)\n"
    lines = (
        " " + LINES[0],
        " " + LINES[1],
        " remember(the_discount)",
        " " + LINES[2],
        "-" + LINES[3],
        "+    taxes = 0",
        " " + LINES[4],
    )
    assert refused(*lines, text=text) == NOWHERE


def test_the_hunk_may_differ_in_white_space_as_well() -> None:
    lines = tuple(
        line[0] + line[1:].strip().replace(" = ", "  =  ")
        for line in hunk_on_taxes(above="discount = lookup_discount(subtotl)")
    )
    assert placed(*lines) == TEXT.replace("    taxes = subtotal * TAX_RATE", "    taxes  =  0")


# Success would be a wrong edit.

ABOVE = ("alpha = 1", "beta = 2", "gamma = None")
BELOW = ("def compile_it():", "    first = 1", "    second = 2", "    third = 3")
TWO_BLANKS = "\n".join([*ABOVE, "", "", *BELOW, ""])
TWO_EQUAL = "\n".join([*ABOVE, "    pass", "    pass", *BELOW, ""])


def around(*middle: str) -> tuple[str, ...]:
    return (*[" " + line for line in ABOVE], *middle, *[" " + line for line in BELOW])


@pytest.mark.parametrize(
    ("text", "middle"),
    [
        pytest.param(TWO_BLANKS, ("+new", " "), id="a blank line skipped above or below"),
        pytest.param(TWO_BLANKS, (" ", "+new"), id="a blank line skipped below or above"),
        pytest.param(TWO_BLANKS, (" ", " ", "+new", " "), id="one of three blank lines invented"),
        pytest.param(TWO_BLANKS, (" ", "+new", " ", " "), id="another one of three blank lines invented"),
        pytest.param(TWO_BLANKS, ("+new", " ", "+more", " ", " "), id="a blank line invented beside two insertions"),
        pytest.param(TWO_EQUAL, ("     pass", "+new"), id="one of two equal lines skipped"),
        pytest.param(TWO_EQUAL, ("+new", "     pass"), id="another one of two equal lines skipped"),
    ],
)
def test_an_insertion_beside_equal_lines_of_which_one_was_skipped_or_invented_is_refused(
    text: str, middle: tuple[str, ...]
) -> None:
    """On which side of the new lines the other one belongs, nobody can tell. SPEC §4: "Nothing is guessed"."""
    assert refused(*around(*middle), text=text)[0][0] in ("patch_apply_error", "multiple_matches")


def test_a_removed_blank_line_that_the_file_lacks_takes_no_other_away() -> None:
    """SPEC §4: "It never extends or shrinks the replaced region beyond what the removed lines name." """
    assert refused(*around(" ", " ", "-", "+new"), text=TWO_BLANKS) == NOWHERE


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            "def smallest(items):\n    items = list(items)\n    result = min(items, key=order)\n    log(result)\n"
            "    return result\n\n\nprint(max(1, 2))\n",
            (
                "     items = list(items)",
                "     result = max(items, key=order)",
                "-    log(result)",
                "+    log(result, 1)",
                "     return result",
            ),
            id="max is not min",
        ),
        pytest.param(
            "def uid(name):\n    result = getpwnam(name)\n    if result is not None:\n        return result[2]\n"
            "    return None\n\n\nfrom grp import getgrnam\n",
            (
                "     result = getgrnam(name)",
                "     if result is not None:",
                "-        return result[2]",
                "+        return result.gr_gid",
                "     return None",
            ),
            id="getgrnam is not getpwnam",
        ),
        pytest.param(
            "\n@rule\ndef _pgm(header):\n    return 1\n",
            (" ", "-@rule", "+@rules", " def _rgb(header):"),
            id="_rgb is not _pgm",
        ),
        pytest.param(
            "def open_it(f):\n    f = builtins.open(f, 'wb')\n    self._opened = True\n    self.initfp(f)\n"
            "    self.more(f)\n",
            (
                "     f = builtins.open(f, 'rb')",
                "     self._opened = True",
                "-    self.initfp(f)",
                "+    self.initfp(f, 1)",
                "     self.more(f)",
            ),
            id="rb is not wb",
        ),
    ],
)
def test_the_twin_of_a_place_that_is_gone_is_another_place(text: str, lines: tuple[str, ...]) -> None:
    """Issue 2: "Set the floors so that a wrong place is never taken": another short word is no slip of the pen."""
    assert refused(*lines, text=text) == NOWHERE


COPY = "first line of it\nsecond line of it\nvalue = 1\nthird line of it\nfourth line of it\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"\nheader one\n{COPY}between the two\nand more between\nand yet more\n{COPY}", id="the first copy"
        ),
        pytest.param(f"start\nmiddle\n{COPY}between the two\n\nand yet more\n{COPY}", id="the second copy"),
    ],
)
def test_a_blank_line_does_not_decide_between_two_copies(text: str) -> None:
    """SPEC §4: "A blank context line is weak evidence", and "a clear margin over the next best place"."""
    lines = (
        " ",
        *[" " + line for line in COPY.split("\n")[:2]],
        "-value = 1",
        "+value = 2",
        " third line of it",
        " fourth line of it",
    )
    assert refused(*lines, text=text)[0][0] in ("patch_apply_error", "multiple_matches")


def test_a_line_that_could_be_anywhere_is_not_found_beyond_a_twin_of_its_own() -> None:
    """An `end` above another word where the hunk has nothing may be any other `end`."""
    text = "end\nfinish\n\nif ready then\n    begin_edit(prompt)\n    set_binding(space, emacs)\nend\n"
    kept = ("     begin_edit(prompt)", "     set_binding(space, emacs)")
    hunk = Hunk((" end", " ", "-if ready then", "+if on and ready then", *kept))
    with pytest.raises(PatchRejectedError):
        update(text, [hunk])
    assert update(text.replace("finish\n", ""), [hunk]).matches[0].tier == "exact"


def test_two_places_of_which_one_has_a_blank_line_more_are_both_listed() -> None:
    lines = (
        " ",
        "     def __call__(self):",
        "         return self.now",
        "- ",
        "+",
        "+",
        " @pytest.fixture",
        "+    done = 1",
    )
    text = "\n    def __call__(self):\n        return self.now\n\n\n@pytest.fixture\n"
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines, bare=(1,))])
    assert raised.value.problems[0].code == "multiple_matches"


@pytest.mark.parametrize(
    "text",
    [
        "  it 'a' do\n    response = get('/', port: '444')\n  end\nend\n",
        "  it 'a' do\n    response = get('/', port: '444')\n    assert_equal 'foo', response\n    g(a)\n  end\nend\n",
    ],
)
def test_lines_that_could_be_anywhere_do_not_hold_a_change_beyond_a_line_that_is_missing_or_extra(text: str) -> None:
    """The lines that tell the place from others are on the other side of the gap."""
    above = ("   it 'a' do", "     response = get('/', port: '444')", "     assert_equal 'foo', response")
    hunk = (*above, "   end", "+", "+  it 'b' do", "+  end", " end")
    assert refused(*hunk, text=text) == NOWHERE


def test_a_context_line_that_has_little_more_than_its_frame_in_common_is_another_line() -> None:
    step = "      - name: Set up latest Python\n        uses: actions/setup-python@v5\n        with:\n"
    text = f"{step}          python-version: '*'\n\n      - name: Install black with uvloop\n        run: |\n"
    context = [" " + line for line in step.splitlines()]
    changed = ("-          python-version: '*'", "+          python-version: '3.13'", " ")
    hunk = (*context, *changed, "       - name: Install dependencies", "         run: |")
    assert refused(*hunk, text=text) == NOWHERE
