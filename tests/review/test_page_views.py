"""The page in a real Chromium: history, refused edits, how diffs are shown, and who can use it."""

from __future__ import annotations

import queue
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.review.chromium import ESCAPE
from tests.review.review_site import PATIENCE, TOKEN, edit, patch, write

import suture
from suture import Workspace
from suture.review.one_time_link import opened_in_browser

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

STYLE = (Path(suture.__file__).parent / "review" / "static" / "style.css").read_text("utf-8")
#: What a control is called by a screen reader.
NAME = "one.getAttribute('aria-label') || one.innerText.trim() || one.labels?.[0]?.innerText.trim()"


def commit(site: ReviewSite, *lines: str, actor: str = "claude") -> str:
    with Workspace(site.root, actor=actor) as workspace:
        return workspace.apply("\n".join(["*** Begin Patch", *lines, "*** End Patch"])).id


def filter_by(browser: Browser, path: str) -> None:
    """Type a path into the filter."""
    script = "const field = document.querySelector('#filter-path'); field.value = arguments[0];"
    browser.run(script + "field.dispatchEvent(new Event('change'))", path)


class TestHistory:
    """The timeline: filters, undo and redo with reasons, blame."""

    def test_a_commit_is_undone_and_redone_from_the_page(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "one\ntwo\n")
        commit(site, "*** Update File: a.txt", "@@", "-two", "+zwei")
        browser.open(site.address)
        browser.press("2")
        browser.wait_text("#detail h2", "a.txt")
        browser.press("u")
        browser.wait("document.querySelectorAll('#list .item').length === 2")
        assert (site.root / "a.txt").read_text() == "one\ntwo\n"
        browser.wait_text("#reverse", "Redo")
        browser.press("u")
        browser.wait("document.querySelectorAll('#list .item').length === 3")
        assert (site.root / "a.txt").read_text() == "one\nzwei\n"

    def test_it_says_why_a_commit_can_not_be_undone_and_merges(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "".join([f"line {n}\n" for n in range(1, 20)]))
        commit(site, "*** Update File: a.txt", "@@", "-line 2", "+line two")
        text = (site.root / "a.txt").read_text()
        (site.root / "a.txt").write_text(text.replace("line 18", "line eighteen"))
        browser.open(site.address)
        browser.press("2")
        browser.wait_text("#reason", "a.txt")
        assert browser.value("document.querySelector('#reverse').disabled")
        browser.click("#merge")
        browser.wait("document.querySelectorAll('#list .item').length === 2")
        lines = (site.root / "a.txt").read_text().splitlines()
        assert (lines[1], lines[17]) == ("line 2", "line eighteen")

    def test_an_undo_whose_commit_can_not_be_shown_says_so(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "one\n")
        commit(site, "*** Update File: a.txt", "@@", "-one", "+two")
        browser.open(site.address)
        browser.press("2")
        browser.wait("document.querySelector('#reverse')?.disabled === false")
        browser.run(
            "const real = window.fetch;"
            "window.asked = '';"
            "window.fetch = (to, how) => {"
            "  if (to.startsWith('api/commits/') && how.method !== 'POST') {"
            "    window.asked += to;"
            "    return Response.json({ message: 'It is gone.' }, { status: 404 });"
            "  }"
            "  return real(to, how);"
            "};"
        )
        browser.click("#reverse")
        browser.wait("document.querySelectorAll('#list .item').length === 2")
        browser.wait("window.asked.includes(document.querySelector('#list .item a').dataset.commit)")
        browser.wait_text("#connection", "It is gone.")
        assert (site.root / "a.txt").read_text() == "one\n"

    def test_filters_and_the_history_of_a_file(self, site: ReviewSite, browser: Browser) -> None:
        commit(site, "*** Add File: a.txt", "+one")
        commit(site, "*** Add File: b.txt", "+one", "*** Update File: a.txt", "@@", "-one", "+two")
        commit(site, "*** Add File: c.txt", "+one", actor="codex")
        browser.open(site.address)
        browser.press("2")
        browser.wait_text("#detail h2", "c.txt")
        browser.press("n")
        browser.wait_text("#detail h2", "b.txt")
        browser.click("[aria-label='History of a.txt']")
        browser.wait("document.querySelectorAll('#list .item').length === 2")
        filter_by(browser, "none.txt")
        browser.wait_text("#list", "Nothing matches")
        filter_by(browser, "../x")
        browser.wait_text("#list", "outside")

    def test_blame_names_the_commit_of_each_line(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "one\ntwo\nthree\n")
        commit(site, "*** Update File: a.txt", "@@", "-two", "+zwei", actor="claude")
        commit(site, "*** Update File: a.txt", "@@", "-three", "+drei", actor="codex")
        browser.open(site.address)
        browser.press("2")
        browser.click("[aria-label='Blame of a.txt']")
        browser.wait("document.querySelectorAll('.blame tr').length === 3")
        writers = browser.texts(".blame td.writer")
        assert [word in text for word, text in zip(("before", "claude", "codex"), writers, strict=True)] == [True] * 3
        browser.click(".blame a")
        browser.wait_text("#detail h2", "a.txt")

    def test_a_commit_that_an_agent_makes_appears_by_itself(self, site: ReviewSite, browser: Browser) -> None:
        browser.open(site.address)
        browser.press("2")
        browser.wait_text("#detail", "Nothing here")
        commit(site, "*** Add File: a.txt", "+one")
        browser.wait("document.querySelectorAll('#list .item').length === 1")


def test_a_refused_edit_is_shown_beside_the_file(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", "import os\n\n\ndef total(items):\n    return sum(items)\n")
    agent = site.agent(edit("a.py", "def totals(item):\n    return maximum(items, 0)\n", "pass\n"))
    assert not agent.result()["ok"]
    browser.open(site.address)
    browser.press("3")
    browser.wait_text("#detail h2", "a.py")
    browser.wait_text(".diff", "def totals(item):")
    browser.wait_text(".diff", "def total(items):")
    assert set(browser.texts(".diff mark.minus")) >= {"totals"}


class TestDiffs:
    """What a diff shows, and on request."""

    def test_line_endings_tabs_and_trailing_spaces(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", b"\tone\r\ntwo  \r\nthree\r\n")
        site.agent(write("a.txt", "\tone\r\ntwo  \r\nthree\n"))
        browser.open(site.address)
        browser.wait("document.querySelectorAll('.diff tr').length > 0")
        shown = browser.text(".diff")
        assert "→" not in shown
        # A line ending that changes is visible in any case.
        assert "three\\r" in shown
        browser.press("v")
        browser.wait_text(".diff", "→")
        browser.wait_text(".diff", "two··\\r")
        assert browser.value("document.querySelector('#toggle-whitespace').ariaPressed") == "true"

    def test_side_by_side_marks_the_words(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "the quick brown fox\nsame\n")
        site.agent(write("a.txt", "the quick red fox\nsame\nnew\n"))
        browser.open(site.address)
        browser.wait("document.querySelector('.diff.unified')")
        browser.press("s")
        rows = "[...document.querySelectorAll('.diff.split tr')]"
        cells = browser.value(f"{rows}.map((row) => [...row.cells].map((cell) => cell.textContent))")
        assert cells == [
            ["1", "−the quick brown fox", "1", "+the quick red fox"],
            ["2", " same", "2", " same"],
            ["", "", "3", "+new"],
        ]
        # What is shown has no text before it is laid out.
        marks = browser.value("[...document.querySelectorAll('mark')].map((mark) => mark.textContent)")
        assert marks == ["brown", "red"]

    def test_unchanged_lines_between_hunks_unfold(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "".join([f"line {n}\n" for n in range(1, 41)]))
        site.agent(patch("*** Update File: a.txt", "@@", "-line 2", "+two", "+three", "@@", "-line 30", "+thirty"))
        browser.open(site.address)
        browser.wait("document.querySelectorAll('.hunk').length === 2")
        browser.wait_text(".gap", "Show 21 unchanged lines")
        browser.click(".gap button")
        browser.wait_text(".file-body", "line 26")
        row = browser.value(
            "[...document.querySelectorAll('.diff tr')].find((row) => row.innerText.includes('line 26')).innerText"
        )
        assert re.findall(r"\d+", row) == ["26", "27", "26"]

    def test_binary_renamed_and_deleted_files(self, site: ReviewSite, browser: Browser) -> None:
        site.file("logo.bin", bytes(range(256)))
        site.file("old.py", "pass\n")
        site.agent(
            {"tool": "delete", "arguments": {"filePath": "logo.bin"}},
            {"tool": "move", "arguments": {"filePath": "old.py", "toPath": "new/name.py"}},
        )
        browser.open(site.address)
        browser.select("logo.bin")
        browser.wait_text(".file-body", "There is no diff to show")
        browser.wait_text(".file-head", "deleted")
        browser.select("old.py")
        browser.wait_text(".file-head", "new/name.py")
        browser.wait_text(".file-body", "Renamed without changes")


class TestPeople:
    """Keyboard, screen reader, narrow and enlarged, light and dark."""

    def test_a_list_of_keys(self, site: ReviewSite, browser: Browser) -> None:
        browser.open(site.address)
        browser.press("?")
        browser.wait("document.querySelector('#keys').open")
        keys = browser.texts("#keys dt")
        assert {"a", "r", "j", "k", "space", "?"} <= set(keys)
        browser.press(ESCAPE)
        browser.wait("!document.querySelector('#keys').open")

    def test_everything_has_a_name_and_a_landmark(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "one\ntwo\n")
        site.agent(patch("*** Update File: a.txt", "@@", "-one", "+1", "*** Add File: b.txt", "+text"))
        browser.open(site.address)
        browser.wait("document.querySelectorAll('.hunk').length === 2")
        browser.press("A")
        browser.wait("document.querySelector('#patterns')")
        controls = "[...document.querySelectorAll('button, a, input, textarea, select')]"
        assert browser.value(f"{controls}.filter((one) => !({NAME})).map((one) => one.outerHTML)") == []
        assert browser.value("['header', 'nav', 'main', 'main > section'].every((one) => document.querySelector(one))")
        ids = browser.value("[...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(ids) == len(set(ids))
        assert browser.value("[...document.querySelectorAll('h1, h2, h3')].map((one) => one.tagName)[0]") == "H1"

    def test_it_can_be_read_at_twice_the_size(self, site: ReviewSite, browser: Browser) -> None:
        site.file("a.txt", "x" * 400 + "\n")
        site.agent(write("a.txt", "y" * 400 + "\n"))
        browser.driver.set_window_size(640, 800)
        browser.open(site.address)
        browser.wait("document.querySelectorAll('.hunk').length === 1")
        for _ in range(2):
            assert browser.value("document.documentElement.scrollWidth <= innerWidth")
            browser.press("s")

    def test_the_dark_colors_are_used_where_they_are_wanted(self, site: ReviewSite, browser: Browser) -> None:
        colors = []
        for scheme in ("light", "dark"):
            media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
            browser.open(site.address)
            colors.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        assert colors[0] != colors[1]

    def test_a_tab_without_the_token_says_what_to_do(self, site: ReviewSite, browser: Browser) -> None:
        browser.open(site.address.partition("#")[0])
        browser.wait_text("#detail", "needs its token")
        browser.press("wrong\n")
        browser.wait_text("#detail", "The token is missing or wrong.")
        browser.press(f"{TOKEN}\n")
        browser.wait_text("#list", "Nothing is waiting for you")

    def test_a_link_that_was_used_is_explained_and_the_token_opens_the_page(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        link = site.address
        browser.open(link)
        browser.wait_text("#list", "Nothing is waiting for you")
        assert "code=" not in browser.value("location.href")
        browser.run("sessionStorage.clear()")
        browser.open(link)
        browser.wait_text("#detail", "This link was used before, or is too old.")
        browser.press(f"{TOKEN}\n")
        browser.wait_text("#list", "Nothing is waiting for you")

    def test_the_file_that_a_browser_is_started_with_leads_to_the_page(
        self, site: ReviewSite, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened: queue.Queue[str] = queue.Queue()
        monkeypatch.setattr("webbrowser.open", opened.put)
        with opened_in_browser(site.address):
            browser.driver.get(opened.get(timeout=PATIENCE))
            browser.wait_text("#list", "Nothing is waiting for you")


def colors() -> list[tuple[str, dict[str, str]]]:
    """The colors of the light and of the dark page, by their names."""
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    )
    return [("light", light), ("dark", light | dark)]


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("name", "table"), colors(), ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *[
            (text, ground)
            for text in ("text", "muted", "accent", "good", "bad")
            for ground in ("ground", "surface", "raised")
        ],
        *[("text", ground) for ground in ("good-soft", "bad-soft", "good-mark", "bad-mark", "accent-soft")],
        *[("muted", ground) for ground in ("accent-soft",)],
        ("accent", "accent-soft"),
        ("good", "good-soft"),
        ("bad", "bad-soft"),
        ("warn", "warn-soft"),
        ("surface", "good"),
        ("surface", "accent"),
        *[
            (text, ground)
            for text in ("keyword", "string", "comment", "number", "function", "type")
            for ground in ("surface", "good-soft", "bad-soft", "good-mark", "bad-mark")
        ],
        ("space", "surface"),
    ],
)
def test_text_has_enough_contrast(name: str, table: dict[str, str], text: str, ground: str) -> None:
    low, high = sorted([luminance(table[text]), luminance(table[ground])])
    assert (high + 0.05) / (low + 0.05) >= 4.5, name
