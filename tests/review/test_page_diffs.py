"""Diffs on the page: files, hunks and parts of hunks, what is around them, and what the model wrote."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import pytest
from tests.review.review_site import edit, patch, write

from suture import Workspace
from suture.agent.requests import Request

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

CLASS = "class A:\n    def two(self):\n        x = 1\n        y = 2\n        return x + y\n"
LONG = "".join([f"line {n}\n" for n in range(1, 201)])


def three_files(site: ReviewSite) -> None:
    site.file("src/one.py", CLASS)
    site.file("src/two.py", LONG)
    site.file("README.md", "# Title\n\ntext\n")
    site.agent(
        patch(
            "*** Update File: src/one.py",
            "@@",
            "-        x = 1",
            "+        x = 11",
            "*** Update File: src/two.py",
            "@@",
            "-line 50",
            "+fifty",
            "@@",
            "-line 150",
            "+hundred and fifty",
            "*** Update File: README.md",
            "@@",
            "-text",
            "+# <b>More</b>",
            "+[a link](https://example.com) and `code`",
        )
    )


def test_a_tree_leads_to_each_file_and_shows_what_was_viewed(site: ReviewSite, browser: Browser) -> None:
    three_files(site)
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.tree button').length === 3")
    assert browser.texts(".tree .folder") == ["src/"]
    browser.click("#tree-1")
    browser.wait("document.activeElement.id === 'file-1'")
    browser.press("f")
    browser.wait("document.querySelector('.tree .viewed')?.innerText.includes('two.py')")
    assert browser.value("document.querySelector('#file-1-body').hidden")
    browser.wait("document.activeElement.id === 'file-2'")
    browser.driver.refresh()
    browser.wait("document.querySelector('#file-1-viewed')?.checked")
    assert browser.value("document.querySelector('#file-1-body').hidden")


def test_the_box_of_a_file_stands_for_its_hunks(site: ReviewSite, browser: Browser) -> None:
    three_files(site)
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.hunk').length === 4")
    browser.click("#hunk-1-1-choice")
    assert browser.value("document.querySelector('#file-1-choice').indeterminate")
    browser.wait_text("#approve", "Approve 3 of 4 hunks")
    browser.click("#file-1-choice")
    browser.wait_text("#approve", "Approve all")
    browser.click("#file-1-choice")
    browser.wait_text("#approve", "Approve 2 of 4 hunks")
    assert not browser.value("document.querySelector('#hunk-1-2-choice').checked")


def test_the_head_of_a_file_stays_in_view(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("long.txt", LONG))
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.diff tr').length === 200")
    browser.run("document.querySelector('#detail').scrollTop = 1500")
    browser.draw()
    top = "document.querySelector('.file-head').getBoundingClientRect().top"
    assert browser.value(f"Math.abs({top} - document.querySelector('#detail').getBoundingClientRect().top) < 2")


def test_a_hunk_names_the_function_that_it_is_in(site: ReviewSite, browser: Browser) -> None:
    three_files(site)
    browser.open(site.address)
    browser.wait_text("#hunk-0-1 .section", "def two(self):")


def test_context_unfolds_in_both_directions_and_a_switch_of_the_view_keeps_it(
    site: ReviewSite, browser: Browser
) -> None:
    three_files(site)
    browser.open(site.address)
    browser.click("[aria-label='Show 20 lines below hunk 2']")
    browser.wait("document.querySelector('#file-1').textContent.includes('line 173')")
    browser.click("[aria-label='Show 20 lines above hunk 1']")
    browser.wait("document.querySelector('#file-1').textContent.includes('line 27')")
    assert "line 26" not in browser.value("document.querySelector('#file-1').textContent")
    for key in "svs":
        browser.focus("#detail")
        browser.press(key)
        shown = browser.value("document.querySelector('#file-1').textContent")
        assert "line 173" in shown
        assert "line 27" in shown


def test_context_and_functions_in_the_history(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", CLASS + LONG)
    with Workspace(site.root) as workspace:
        workspace.edit("a.py", "x = 1", "x = 11")
        workspace.edit("a.py", "line 100\n", "line one hundred\n")
    browser.open(site.address)
    browser.press("2")
    browser.wait_text("#detail h2", "a.py")
    browser.press("n")
    browser.wait_text(".section", "def two(self):")
    browser.click("[aria-label='Show 20 lines below hunk 1']")
    browser.wait("document.querySelector('.file-body').textContent.includes('line 20')")


def test_a_part_of_a_hunk_is_approved(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", CLASS)
    agent = site.agent(write("a.py", CLASS.replace("x = 1\n", "x = 11\n").replace("x + y", "x * y")))
    browser.open(site.address)
    browser.click(".split-hunk")
    browser.click("#hunk-0-1-2-choice")
    browser.wait_text("#approve", "Approve 1 of 2 hunks")
    browser.driver.refresh()
    browser.wait_text("#approve", "Approve 1 of 2 hunks")
    browser.answer("a")
    result = agent.result()
    assert result["ok"]
    assert "x * y" in result["output"]
    assert (site.root / "a.py").read_text() == CLASS.replace("x = 1\n", "x = 11\n")


def test_the_badge_of_a_loose_match_opens_what_the_model_wrote(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", "def total(items):\n    result = sum(items)\n    return result\n")
    old = "def total(items):\n    reslt = sum(items)\n    return result"
    site.agent(edit("a.py", old, "def total(items):\n    return sum(items)"))
    browser.open(site.address)
    browser.click("button.badge")
    browser.wait("document.querySelectorAll('.sent table').length === 2")
    sent = browser.texts(".sent table")
    assert "reslt" in sent[0]
    assert "result" in sent[0]
    assert sent[1].count("return sum(items)") == 2


def test_markdown_is_rendered_on_request_and_nothing_of_it_is_markup(site: ReviewSite, browser: Browser) -> None:
    three_files(site)
    browser.open(site.address)
    browser.click("#preview-2")
    browser.wait("document.querySelector('.markdown h4')")
    assert browser.texts(".markdown h4") == ["Title", "<b>More</b>"]
    assert "https://example.com" in browser.text(".markdown")
    assert not browser.value("document.querySelector('.markdown a, .markdown b, .markdown img')")


@pytest.mark.parametrize(
    "line",
    ["[" * 200_000, "[](" + "a" * 200_000, f"# a{' ' * 200_000}b", "# "],
    ids=["labels", "address", "heading", "empty"],
)
def test_no_line_of_markdown_holds_the_page_up(site: ReviewSite, browser: Browser, line: str) -> None:
    site.agent(write("a.md", f"{line}\n\nthe end\n"))
    site.waiting()
    browser.open(site.address)
    browser.click("#preview-0")
    browser.wait("document.querySelector('.markdown p:last-child')?.textContent === 'the end'")


def png(width: int, height: int) -> bytes:
    """A picture in one color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = b"".join([b"\0" + b"\x20\x60\xa0" * width for _ in range(height)])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_a_picture_is_drawn_and_sizes_are_named(site: ReviewSite, browser: Browser) -> None:
    site.file("logo.png", png(40, 30))
    site.file("data.bin", bytes(range(256)) * 10)
    svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='window.hacked=1'/>"
    site.file("drawing.png", svg.encode() + b"\0\xff")
    site.agent(
        *[{"tool": "delete", "arguments": {"filePath": name}} for name in ("logo.png", "data.bin", "drawing.png")]
    )
    browser.open(site.address)
    browser.select("logo.png")
    browser.wait("document.querySelector('canvas')?.dataset.drawn")
    pixel = "[...document.querySelector('canvas').getContext('2d').getImageData(5, 5, 1, 1).data]"
    assert browser.value(pixel) == [0x20, 0x60, 0xA0, 255]
    browser.select("data.bin")
    browser.wait_text(".sizes", "2.6 kB")
    browser.select("drawing.png")
    browser.wait_text(".sizes", "bytes")
    assert not browser.value("document.querySelector('canvas')")


def test_a_picture_of_too_many_points_is_not_sent_and_others_are_drawn(site: ReviewSite, browser: Browser) -> None:
    bomb = png(1, 1).replace(struct.pack(">II", 1, 1), struct.pack(">II", 60_000, 60_000))
    for name in ("a.png", "c.png"):
        site.file(name, png(40, 30))
    site.file("b.png", bomb)
    patch = "*** Begin Patch\n*** Delete File: a.png\n*** Delete File: b.png\n*** Delete File: c.png\n*** End Patch"
    site.agent({"tool": "apply_patch", "arguments": {"patchText": patch}})
    browser.open(site.address)
    browser.wait("document.querySelectorAll('canvas[data-drawn]').length === 2")
    assert browser.value("document.querySelectorAll('canvas').length") == 2
    assert browser.value("document.querySelectorAll('.sizes').length") == 3


def test_a_new_picture_is_drawn_before_it_is_written(site: ReviewSite, browser: Browser) -> None:
    site.file("logo.png", png(10, 10))
    plan = Workspace(site.root, state_dir=site.root.parent / "other").plan_write("logo.png", png(20, 10))
    site.ask(Request.from_plan(plan))
    browser.open(site.address)
    browser.wait("document.querySelectorAll('canvas[data-drawn]').length === 2")
    assert browser.value("[...document.querySelectorAll('canvas')].map((one) => one.width)") == [10, 20]


def test_the_syntax_has_colors_and_the_text_stays_as_it_is(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", CLASS)
    site.agent(write("a.py", CLASS.replace("x = 1\n", "x = 'a\u200bb'\n")))
    browser.open(site.address)
    browser.wait("CSS.highlights.get('keyword').size > 0")
    text = "range.startContainer.data.slice(range.startOffset, range.endOffset)"
    words = browser.value(f"[...CSS.highlights.get('keyword')].map((range) => {text})")
    assert set(words) >= {"class", "def", "return"}
    # A line in which a character is shown as its code has no colors.
    assert browser.value("CSS.highlights.get('string').size") == 0
    assert "x = 'a⟨U+200B⟩b'" in browser.text(".diff")
