"""The list of requests in a real Chromium: its order, its search, and several requests that are answered together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.review.chromium import ESCAPE
from tests.review.review_site import edit, patch, write

from suture import SyncSession, Workspace

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

COUNT = "document.querySelectorAll('#requests li.item').length"
IS_ENABLED = "document.querySelector('#approve') && !document.querySelector('#approve').disabled"


def names(browser: Browser) -> list[str]:
    return browser.texts("#requests li.item .subject")


def test_the_oldest_is_first_and_a_name_comes_before_its_folder(site: ReviewSite, browser: Browser) -> None:
    browser.open(site.address)
    for number, name in enumerate(["deep/down/zebra.txt", "apple.txt", "mango.txt"], 1):
        site.agent(write(name, "text\n"))
        browser.wait(f"{COUNT} === {number}")
    assert names(browser) == ["zebra.txt", "apple.txt", "mango.txt"]
    assert browser.texts("#requests li.item:not(.group) .folder") == ["deep/down/"]


def test_requests_of_several_sessions_are_grouped(site: ReviewSite, browser: Browser) -> None:
    browser.open(site.address)
    site.agent(write("one.txt", "text\n"))
    site.agent(write("two.txt", "text\n"))
    browser.wait(f"{COUNT} === 2")
    browser.wait("document.querySelectorAll('#requests li.group').length === 2")


def test_a_search_leaves_what_has_all_its_words(site: ReviewSite, browser: Browser) -> None:
    browser.open(site.address)
    site.agent(*(write(name, "text\n") for name in ("src/one.py", "src/two.py", "docs/one.md")))
    browser.wait(f"{COUNT} === 3")
    browser.press("/")
    browser.press_at_once("one src")
    browser.wait(f"{COUNT} === 1")
    assert names(browser) == ["one.py"]
    browser.fill("#search", "nothing like it")
    browser.wait_text("#list", "No request matches.")


def test_several_requests_are_read_and_answered_together(site: ReviewSite, browser: Browser) -> None:
    for number in range(6):
        site.file(f"f{number}.txt", "old\n")
    agent = site.agent(*(edit(f"f{number}.txt", "old", f"new {number}") for number in range(6)))
    browser.open(site.address)
    browser.wait(f"{COUNT} === 6")
    browser.click("#pick-all")
    browser.click("#requests li.item:nth-of-type(2) .pick")
    browser.wait_text("#read-picked", "Read 5 requests together")
    browser.click("#read-picked")
    browser.wait("document.querySelectorAll('.one-of-several').length === 5")
    shown = browser.value("document.querySelector('.files').textContent")
    assert len([number for number in range(6) if f"new {number}" in shown]) == 5
    headings = browser.texts(".one-of-several > header")
    assert all(text.startswith("agent wants to edit f") and str(site.root) in text for text in headings)
    browser.answer("a")
    assert sorted(agent.result()["ok"] for _ in range(5)) == [True] * 5
    browser.wait(f"{COUNT} === 1")
    assert [(site.root / f"f{number}.txt").read_text() for number in range(6)].count("old\n") == 1


def test_what_is_not_shown_of_one_of_them_is_not_approved_with_the_others(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(write("short.txt", "text\n"), write("long.txt", "x\n" * 5000))
    browser.open(site.address)
    browser.wait(f"{COUNT} === 2")
    browser.click("#pick-all")
    browser.click("#read-picked")
    browser.wait_text("#hidden", "Not everything is shown of 1 request: long.txt")
    browser.press("a")
    assert len(site.waiting()) == 2
    browser.click("#reveal")
    browser.answer("a")
    assert [agent.result()["ok"], agent.result()["ok"]] == [True, True]


def test_what_somebody_has_begun_to_answer_is_not_answered_with_others(site: ReviewSite, browser: Browser) -> None:
    names = ("a.txt", "b.txt", "c.txt")
    for name in names:
        site.file(name, "old\n")
    agent = site.agent(*(edit(name, "old", "new") for name in names))
    browser.open(site.address)
    browser.wait(f"{COUNT} === 3")
    browser.select("b.txt")
    browser.press("m")
    browser.press_at_once("Is that so?")
    browser.click("#pick-all")
    browser.click("#read-picked")
    browser.wait_text("#begun", "b.txt")
    browser.wait("document.querySelectorAll('.one-of-several').length === 2")
    browser.answer("a")
    assert [agent.result()["ok"] for _ in range(2)] == [True, True]
    browser.wait_text("#detail h2", "b.txt")
    assert browser.value("document.querySelector('#message').value") == "Is that so?"
    assert (site.root / "b.txt").read_text() == "old\n"


def test_one_that_has_changed_meanwhile_is_named_and_the_others_are_answered(
    site: ReviewSite, browser: Browser
) -> None:
    site.file("a.txt", "old\n")
    site.file("b.txt", "old\n")
    site.agent(edit("a.txt", "old", "new"), edit("b.txt", "old", "new"))
    browser.open(site.address)
    browser.wait(f"{COUNT} === 2")
    browser.click("#pick-all")
    browser.click("#read-picked")
    # Until they are drawn, the buttons are those of the one that was open.
    browser.wait(f"document.querySelectorAll('.one-of-several').length === 2 && ({IS_ENABLED})")
    (site.root / "a.txt").write_text("changed old\n")
    browser.click("#approve")
    browser.wait_text("#detail .notice.bad", "These were not answered:")
    assert "a.txt" in browser.text("#detail .notice.bad")
    assert (site.root / "a.txt").read_text() == "changed old\n"


def test_what_needs_a_closer_look_is_marked_and_a_key_leads_there(site: ReviewSite, browser: Browser) -> None:
    site.file("old.txt", "x\n")
    site.file("b.txt", "x\n")
    site.agent(write("a.txt", "new\n"), actor="claude")
    site.waiting(1)
    # Its first file is changed, and its second one is deleted.
    lines = ("*** Update File: b.txt", "@@", "-x", "+y", "*** Delete File: old.txt")
    site.agent(patch(*lines), actor="codex")
    site.waiting(2)
    browser.open(site.address)
    browser.wait("document.querySelectorAll('#requests li.item').length === 2")
    browser.wait_text("#detail h2", "a.txt")
    assert browser.texts("#requests .badge.warn") == ["deletes a file"]
    browser.press("!")
    browser.wait_text("#detail h2", "codex")
    browser.press("/")
    browser.press_at_once("old.txt")
    browser.wait("document.querySelectorAll('#requests li.item').length === 1")
    browser.press_at_once(ESCAPE)
    browser.wait("document.querySelectorAll('#requests li.item').length === 2")
    assert browser.value("document.activeElement.id") == "detail"


def test_claims_are_listed(site: ReviewSite, browser: Browser) -> None:
    site.file("src/a.txt", "one\n")
    rules = [("*", "*", "allow")]
    with Workspace(site.root) as workspace, SyncSession(workspace, actor="claude", claims=600, rules=rules) as session:
        assert not session.call("read", {"filePath": "src/a.txt"}).is_error
        browser.open(site.address)
        browser.use(".answers:has(#claims) summary")
        browser.wait_text("#claims", "src/a.txt")
        # Rows that have just been drawn anew have no visible text for a moment.
        browser.wait_text("#claims", "claude")
    browser.open(site.address)
    browser.use(".answers:has(#claims) summary")
    browser.wait_text("#claims", "None.")
