"""Characters on the page: whatever has no ink is shown as its code, by the same rule as everywhere else."""

from __future__ import annotations

import sys
import unicodedata
from itertools import product
from typing import TYPE_CHECKING

from tests.review.review_site import write

from suture.core.display import has_ink, printable

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

#: The code points that the page leaves as they are.
KEPT = """
    const done = arguments[0];
    import("./dom.js").then(({ printable }) => {
      const kept = [];
      for (let code = 0; code <= 0x10ffff; code += 1) {
        const text = String.fromCodePoint(code);
        if (printable(text) === text) kept.push(code);
      }
      done(kept);
    });
"""
#: Those of some code points of which nothing can be seen on a canvas.
WITHOUT_INK = """
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.font = "24px monospace";
    return arguments[0].filter((code) => {
      context.clearRect(0, 0, 64, 64);
      context.fillText(String.fromCodePoint(code), 8, 40);
      return context.getImageData(0, 0, 64, 64).data.every((value) => value === 0);
    });
"""
#: Texts as the page shows them.
SHOWN = """
    const [texts, done] = arguments;
    import("./dom.js").then(({ printable }) => done(texts.map(printable)));
"""
#: What is drawn of a row with a line that has very many spaces inside, changed or not.
WIDE_ROWS = """
    const [done] = arguments;
    import("./rows.js").then(({ table }) => done([" ", "\\t", "\\r"].flatMap((space) => {
      const text = `a${space.repeat(1_000_000)}b${space}`;
      const rows = [{ old: 1, new: 1, text }, { old: 1, before: ["", text, ""] }];
      return rows.map((row) => table([row], "x").textContent.slice(-3));
    })));
"""
#: The characters of each element that a selector names, in the order in which they are drawn.
DRAWN = """
    return [...document.querySelectorAll(arguments[0])].map((node) => {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      const drawn = [];
      for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        for (let at = 0; at < text.length; at += 1) {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          const { left, top } = range.getBoundingClientRect();
          drawn.push([Math.round(top), left, text.data[at]]);
        }
      }
      drawn.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
      return drawn.map(([, , character]) => character).join("");
    });
"""


def test_the_page_has_the_same_rule_over_all_of_unicode(shared_site: ReviewSite, browser: Browser) -> None:
    browser.open(shared_site.address)
    kept = set(browser.driver.execute_async_script(KEPT))
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        # What Python does not know yet, it never shows; the browser may know more.
        if unicodedata.category(character) != "Cn":
            assert (code in kept) == (has_ink(character) or character in "\n\t"), hex(code)


def test_whatever_is_shown_as_it_is_leaves_ink_in_the_browser(shared_site: ReviewSite, browser: Browser) -> None:
    browser.open(shared_site.address)
    shown = [code for code in range(0x21, 0x20000) if has_ink(chr(code))]
    assert [hex(code) for code in browser.run(WITHOUT_INK, shown)] == []


def test_a_reviewer_sees_every_character_of_a_hidden_payload(site: ReviewSite, browser: Browser) -> None:
    payload = "\u3164\u115f\u1160\uffa0\u034f\u17b4\u180b\u2800\ufe00\ufe0f\U000e0100\U000e01ef\u00a0\u3000"
    site.agent(write(f"a{payload}.py", f"x = 1  # {payload}\n"))
    browser.open(site.address)
    browser.wait_text(".diff", "x = 1")
    codes = "".join([f"⟨U+{ord(character):04X}⟩" for character in payload])
    assert f"x = 1  # {codes}" in browser.text(".diff")
    for place in ("#detail h2", ".file-head h3", "#requests li.item"):
        assert codes in browser.text(place), place


def test_the_page_and_the_programs_show_a_forged_code_alike(shared_site: ReviewSite, browser: Browser) -> None:
    browser.open(shared_site.address)
    pieces = ("⟨", "U", "+", "200B", "⟩", "\u200b", "⟨U+200B⟩", "x")
    texts = ["".join(chosen) for chosen in product(pieces, repeat=4)]
    shown = browser.driver.execute_async_script(SHOWN, texts)
    assert shown == [printable(text) for text in texts]


def test_the_page_and_the_programs_show_marks_on_top_of_one_another_alike(
    shared_site: ReviewSite, browser: Browser
) -> None:
    browser.open(shared_site.address)
    texts = ["".join(chosen) for chosen in product("a\u0301\u20dd\u0e31\u034f", repeat=6)]
    shown = browser.driver.execute_async_script(SHOWN, texts)
    assert shown == [printable(text) for text in texts]


def test_no_line_of_a_diff_forges_a_code_or_the_mark_of_its_end(site: ReviewSite, browser: Browser) -> None:
    (site.root / "a.txt").write_text("x = '⟨'\ny\nz\nw\n")
    site.agent(write("a.txt", "x = '⟨U+200B⟩'\ny·\nz→\nw\\r\n"))
    browser.open(site.address)
    browser.wait_text(".diff", "200B")
    added = browser.value("[...document.querySelectorAll('.code.plus')].map((cell) => cell.textContent)")
    assert added == ["+x = '⟨U+27E8⟩U+200B⟩'", "+y⟨U+00B7⟩", "+z⟨U+2192⟩", "+w\\⟨U+0072⟩"]


def test_letters_that_are_written_from_right_to_left_move_nothing(site: ReviewSite, browser: Browser) -> None:
    line = 'return א - 1 if "ب": 99'
    site.agent(write("1א-2ب3.py", f"{line}\n"))
    browser.open(site.address)
    browser.wait_text(".diff", "return")
    assert browser.run(DRAWN, ".code.plus") == [f"+{line}"]
    for place in ("#detail h2 .path", ".file-head h3", "#requests li .subject"):
        assert browser.run(DRAWN, place) == ["1א-2ب3.py"], place


def test_very_many_spaces_inside_of_a_line_hold_up_nothing(shared_site: ReviewSite, browser: Browser) -> None:
    browser.open(shared_site.address)
    ends = browser.driver.execute_async_script(WIDE_ROWS)
    assert ends == [" b ", " b·", "\tb\t", "\tb→", "b\\r", "b\\r"]
