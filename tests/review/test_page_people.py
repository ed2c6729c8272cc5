"""How people use the page: on a phone, with the keyboard, and while they look elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from selenium.webdriver.common.keys import Keys
from tests.review.chromium import ESCAPE
from tests.review.review_site import write
from tests.shared.permission_requests import edit_request

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

LONG = "".join([f"line {n}\n" for n in range(200)])
COUNT = "document.querySelectorAll('#requests li.item').length"


def is_visible(selector: str) -> str:
    return f"Boolean(document.querySelector({selector!r})?.offsetParent)"


def test_on_a_phone_the_list_and_a_request_are_two_screens(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("one.txt", "text\n"))
    site.waiting(1)
    agent = site.agent(write("two.txt", "text\n"))
    browser.resize(390, 800)
    browser.open(site.address)
    browser.wait(f"{COUNT} === 2")
    assert browser.value(is_visible("#requests"))
    assert not browser.value(is_visible("#detail h2"))
    browser.select("two.txt")
    browser.wait(is_visible("#detail h2"))
    assert not browser.value(is_visible("#requests"))
    assert browser.value("document.activeElement.id") == "detail"
    assert browser.value(is_visible("nav")), "the navigation stays"
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    browser.click("#approve")
    assert agent.result()["ok"]
    browser.wait("document.querySelector('#detail h2')?.innerText.includes('one.txt')")
    assert not browser.value(is_visible("#requests")), "the next one follows"
    browser.click("#back")
    browser.wait(is_visible("#requests"))
    assert browser.value("document.querySelector('#list').contains(document.activeElement)")


def test_the_keys_of_a_keyboard_scroll_once_a_request_is_there(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("long.txt", LONG))
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.diff tr').length === 200")
    for key in (Keys.PAGE_DOWN, Keys.ARROW_DOWN):
        before = browser.value("document.querySelector('#detail').scrollTop")
        browser.press(key)
        browser.wait(f"document.querySelector('#detail').scrollTop > {before}")


def test_a_focus_in_the_bar_that_answers_moves_nothing_else(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("long.txt", LONG))
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.diff tr').length === 200 && document.activeElement.id === 'detail'")
    place = "document.querySelector('#detail').scrollTop"
    browser.run(f"{place} = 1500")
    for keys, focused in (("m", "message"), (ESCAPE, "detail"), ("A", "patterns"), (ESCAPE, "always")):
        browser.press(keys)
        browser.wait(f"document.activeElement.id === {focused!r}")
        assert browser.value(place) == 1500
    for selector in ("#approve", "#reject"):
        browser.focus(selector)
        assert browser.value(place) == 1500


def test_the_focus_is_never_lost_after_an_answer(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(*(write(f"{n}.txt", "text\n") for n in range(3)))
    browser.open(site.address)
    browser.wait(f"{COUNT} === 3")
    for left in (2, 1, 0):
        browser.answer("a")
        assert agent.result()["ok"]
        browser.wait(f"{COUNT} === {left}")
        browser.wait("document.activeElement.id === 'detail'")


def test_how_long_an_agent_waits_and_what_a_late_answer_does_is_shown(site: ReviewSite, browser: Browser) -> None:
    request = edit_request()
    file = request.files[0].replace(resolved="")
    site.ask(request.replace(files=(file,), deadline=time.time() + 4, stays_open=True))
    site.ask(request.replace(files=(file,), id="r2", deadline=time.time() + 4000, time=time.time()))
    browser.open(site.address)
    browser.wait("document.querySelector('#approve')")
    browser.wait_text("#answer-note", "takes effect when it sends the same call again")
    browser.wait("document.querySelectorAll('#requests .late').length === 1")
    browser.answer("a")
    browser.wait_text("#told", "takes effect when it sends the same call again")
    # How long it took until here does not matter.
    browser.wait("/The agent waits (6[0-7]|[1-5]?[0-9]) min more/.test(document.querySelector('#waits').textContent)")


def test_a_notification_is_shown_only_on_request_and_while_nobody_looks(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("first.txt", "text\n"))
    permission = {"permissions": ["notifications"], "origin": f"http://127.0.0.1:{site.port}"}
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", permission)
    browser.open(site.address)
    browser.wait(f"{COUNT} === 1")
    browser.run(
        "window.told = [];"
        "const state = { hidden: false };"
        "window.hide = (yes) => { state.hidden = yes; };"
        "Object.defineProperty(document, 'hidden', { get: () => state.hidden });"
        "const granted = Notification.permission;"
        "window.Notification = class { constructor(title, { body }) { window.told.push(body); }"
        "  static get permission() { return granted; }"
        "  static requestPermission() { return Promise.resolve('granted'); } };"
    )
    browser.run("window.hide(true)")
    site.agent(write("second.txt", "text\n"))
    browser.wait(f"{COUNT} === 2")
    assert browser.value("window.told") == []
    browser.click("#toggle-notify")
    browser.wait("document.querySelector('#toggle-notify').ariaPressed === 'true'")
    site.agent(write("third.txt", "text\n"), actor="cla\u202eude")
    browser.wait("window.told.length === 1")
    assert browser.value("window.told") == ["cla⟨U+202E⟩ude wants to create third.txt"]
    browser.run("window.hide(false)")
    site.agent(write("fourth.txt", "text\n"))
    browser.wait(f"{COUNT} === 4")
    assert len(browser.value("window.told")) == 1
