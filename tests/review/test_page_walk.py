"""A person answers 20 requests of three agents on the page, and 50 small ones.

It counts keys and clicks. `pytest -s` prints them for each thing to do, with the time of the page and the server.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from selenium.webdriver.common.action_chains import ActionChains
from tests.review.chromium import ENTER, ESCAPE
from tests.review.review_site import write
from tests.shared.twenty_requests import ACTORS, MODULE, README, calls_by_agent, project_files

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

IS_ENABLED = "document.querySelector('#approve')?.disabled === false"
#: The middle of a word in a field, in pixels of the window: where somebody double-clicks to replace it.
PLACE_OF_WORD = """
    const [field, word] = [document.querySelector(arguments[0]), arguments[1]];
    const copy = document.createElement("div");
    const style = getComputedStyle(field);
    for (const name of ["font", "lineHeight", "padding", "border", "whiteSpace", "letterSpacing", "boxSizing"]) {
      copy.style[name] = style[name];
    }
    const box = field.getBoundingClientRect();
    const [left, top, width] = [box.left, box.top, box.width].map((length) => `${length}px`);
    Object.assign(copy.style, { position: "fixed", left, top, width });
    const at = field.value.indexOf(word);
    const mark = document.createElement("span");
    mark.textContent = word;
    copy.append(field.value.slice(0, at), mark, field.value.slice(at + word.length));
    document.body.append(copy);
    const place = mark.getBoundingClientRect();
    copy.remove();
    return [Math.round(place.left + place.width / 2), Math.round(place.top + place.height / 2)];
"""


class Walk:
    """A person at the page, whose keys and clicks are counted."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.keys = self.clicks = 0
        self._began = time.monotonic()

    def press(self, *keys: str) -> None:
        """Press keys, each once the page heeds it."""
        for key in keys:
            self.keys += 1
            self.browser.press(key)

    def answer(self, key: str) -> None:
        """Press a key that answers, once what is open can be answered."""
        self.keys += 1
        self.browser.answer(key)

    def type(self, text: str) -> None:
        """Type a text into the field that has the focus."""
        self.keys += len(text)
        self.browser.press_at_once(text)

    def press_with_control(self, key: str) -> None:
        """Press a key while Control is down."""
        self.keys += 1
        self.browser.press_with_control(key)

    def double_click_on_word(self, selector: str, word: str) -> None:
        """Select a word in a field, as one does with the mouse."""
        self.clicks += 2
        left, top = self.browser.run(PLACE_OF_WORD, selector, word)
        actions = ActionChains(self.browser.driver, duration=0)
        actions.w3c_actions.pointer_action.move_to_location(left, top)
        actions.double_click().perform()

    def done(self, what: str) -> int:
        """What was done; the keys and clicks that it took."""
        keys, clicks = self.keys, self.clicks
        self.keys = self.clicks = 0
        now = time.monotonic()
        sys.stdout.write(f"{what}: {keys} keys, {clicks} clicks, {now - self._began:.1f} s\n")
        self._began = now
        return keys + clicks


def test_a_person_answers_twenty_requests(site: ReviewSite, browser: Browser) -> None:
    for path, content in project_files().items():
        site.file(path, content)
    agents = [
        site.agent(*[{"tool": tool, "arguments": given} for tool, given in calls], actor=actor)
        for actor, calls in zip(ACTORS, calls_by_agent(), strict=True)
    ]
    site.waiting(20)
    browser.open(site.address)
    browser.wait("document.querySelectorAll('#requests li.item').length === 20")
    browser.wait(IS_ENABLED)
    walk = Walk(browser)

    walk.press("!")
    browser.wait_text("#detail h2", "claude wants to delete")
    browser.wait_text("#detail", "Cleans up.")
    assert walk.done("find the risky one") == 1
    walk.answer("r")
    browser.wait("document.querySelectorAll('#requests li.item').length === 19")
    assert walk.done("reject it") == 1

    walk.press("/")
    walk.type("_17")
    walk.press(ENTER)
    browser.wait_text("#detail h2", "module_17.py")
    walk.press("c")
    browser.wait("document.activeElement.matches('.comment textarea')")
    walk.type("Keep the plus.")
    walk.press(ESCAPE)
    walk.answer("r")
    browser.wait("document.querySelectorAll('#requests li.item').length === 0")
    assert walk.done("reject one with a comment on a line") < 30

    walk.press("/")
    walk.type("README")
    walk.press(ENTER)
    browser.wait_text("#detail h2", "README.md")
    walk.press("e")
    browser.wait("document.activeElement.matches('.editor')")
    walk.double_click_on_word(".editor", "teh")
    walk.type("the")
    walk.press_with_control(ENTER)
    browser.wait_text("#detail .files", "Runs all the steps.")
    walk.answer("a")
    browser.wait("document.querySelectorAll('#requests li.item').length === 0")
    assert walk.done("change one word of another") < 20
    walk.press("/", ESCAPE)
    browser.wait("document.querySelectorAll('#requests li.item').length === 17")

    walk.press("*", "x", "n", "x", "o")
    browser.wait("document.querySelectorAll('.one-of-several').length === 15")
    browser.wait_text("#approve", "Approve 15 requests")
    walk.answer("a")
    browser.wait("document.querySelectorAll('#requests li.item').length === 2")
    assert walk.done("approve 15 at once") < 12

    # An undo takes back what is written, so the agents have to be done with it.
    left = Counter(row["actor"] for row in site.waiting(2))
    counts = [len(calls) - left[actor] for actor, calls in zip(ACTORS, calls_by_agent(), strict=True)]
    told = [agent.result() for agent, count in zip(agents, counts, strict=True) for _ in range(count)]
    assert len(told) == 18
    walk.press("2")
    browser.wait("document.querySelector('#reverse')")
    walk.press("u")
    browser.wait_text("#list .item .outcome", "undone")
    assert walk.done("undo the last") == 2

    files = {path: (site.root / path).read_text() for path in project_files()}
    assert files["deploy/production.env"] == "KEY=1\n"
    assert files["README.md"] == README.replace("Runs the", "Runs all the")
    assert files["src/pkg1/module_17.py"] == MODULE.format(17)
    assert sum("-> int" in text for text in files.values()) == 14
    assert any("src/pkg1/module_17.py:6: Keep the plus." in one["output"] for one in told)
    assert any("+Runs all the steps." in one["output"] for one in told), "the agent is told what was changed"


def test_fifty_small_requests_take_a_key_each(site: ReviewSite, browser: Browser) -> None:
    """In two minutes there are 2.4 s for each: what the page takes of it is little, so the rest is for reading."""
    count = 50
    agent = site.agent(*[write(f"notes/{number:02}.txt", f"note {number}\n") for number in range(count)])
    site.waiting(count)
    browser.open(site.address)
    walk = Walk(browser)
    for left in range(count, 0, -1):
        browser.wait(f"document.querySelectorAll('#requests li.item').length === {left} && ({IS_ENABLED})")
        walk.answer("a")
    browser.wait_text("#detail", "No agent is waiting")
    assert walk.done("answer 50 small requests, one after the other") == count
    assert all(agent.result()["ok"] for _ in range(count))
    assert len(list((site.root / "notes").iterdir())) == count
