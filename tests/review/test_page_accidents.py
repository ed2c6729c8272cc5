"""Nothing is answered on the page by accident: what is typed, what comes late, and what has just changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.review.chromium import ESCAPE, ONE_REQUEST
from tests.review.review_site import three_hunks, write

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite


class TestNothingIsAnsweredByAccident:
    """Whoever types a sentence answers nothing with it, whatever happens to the request meanwhile."""

    def test_what_is_typed_after_the_request_has_ended_is_no_answer(self, site: ReviewSite, browser: Browser) -> None:
        agent = three_hunks(site, browser)
        others = [site.agent(write(f"other{number}.txt", "text\n")) for number in range(3)]
        browser.wait("document.querySelectorAll('#requests li.item').length === 4")
        browser.select("app.py")
        browser.press("m")
        browser.press_at_once("This is a ra")
        agent.kill()
        browser.wait_text("#gone", "no longer waits")
        browser.press_at_once("ther bad idea, and a third a a r r")
        assert browser.value("document.activeElement.id + document.activeElement.value") == (
            "messageThis is a rather bad idea, and a third a a r r"
        )
        assert browser.texts(".hunk"), "the diff is still there"
        assert all(other.process.poll() is None for other in others)
        assert len(site.waiting()) == 3

    def test_the_address_of_what_is_open_draws_nothing_over_a_comment(self, site: ReviewSite, browser: Browser) -> None:
        three_hunks(site, browser)
        browser.hold("GET", ONE_REQUEST)
        # As when somebody clicks on a request in the list at the moment when it opens by itself.
        browser.run("const address = location.hash; location.hash = '#/requests'; location.hash = address;")
        browser.click(".diff tr:has(td.code.plus) td.number.can-comment")
        browser.wait("document.activeElement.matches('.comment textarea')")
        browser.release()
        browser.press_at_once("Keep this")
        assert browser.value("document.activeElement.value") == "Keep this"

    def test_what_is_open_stays_if_somebody_comes_back_before_another_one_is_there(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        agent = three_hunks(site, browser)
        other = site.agent(write("other.txt", "text\n"))
        browser.wait("document.querySelectorAll('#requests li.item').length === 2")
        browser.hold("GET", ONE_REQUEST)
        browser.press("n")
        browser.wait("window.holds === 1")
        browser.press_at_once("p")
        browser.release()
        browser.answer("a")
        assert agent.result()["ok"]
        assert other.process.poll() is None

    def test_what_is_typed_into_the_search_while_an_answer_is_on_its_way_stays_there(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        site.agent(*(write(f"{number}.txt", "text\n") for number in range(3)))
        site.waiting(3)
        browser.open(site.address)
        browser.hold("POST", "/answer$")
        browser.answer("a")
        browser.wait("window.holds === 1")
        browser.press_at_once("/")
        browser.press_at_once("a b")
        browser.release()
        browser.wait_text("#status", "Approved")
        browser.press("ra")
        assert browser.value("document.activeElement.id + document.activeElement.value") == "searcha bra"
        assert len(site.waiting()) == 2

    def test_what_is_typed_while_more_lines_are_on_their_way_stays_in_the_message(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        site.agent(write("table.csv", "".join([f"{n}\n" for n in range(1000)])))
        browser.open(site.address)
        browser.wait_text(".more", "of 700")
        browser.hold("GET", "/hunks/")
        browser.click(".more")
        browser.wait("window.holds === 1")
        browser.press_at_once("m")
        browser.press_at_once("half a ")
        browser.release()
        browser.wait("document.querySelector('#approve').disabled === false")
        browser.press("ra")
        assert browser.value("document.activeElement.id + document.activeElement.value") == "messagehalf a ra"
        assert len(site.waiting()) == 1

    def test_what_is_typed_before_the_editor_is_there_answers_nothing(self, site: ReviewSite, browser: Browser) -> None:
        three_hunks(site, browser)
        browser.hold("GET", "/text[?]")
        browser.press("e")
        browser.wait("window.holds === 1")
        browser.press_at_once("ra")
        browser.click("#edit-0")
        browser.release()
        browser.wait("document.activeElement.matches('.editor')")
        assert len(browser.texts(".editor")) == 1
        assert len(site.waiting()) == 1

    def test_keys_without_a_focus_do_nothing(self, site: ReviewSite, browser: Browser) -> None:
        agent = three_hunks(site, browser)
        browser.run("document.activeElement.blur()")
        browser.press("ra")
        browser.focus("#open-keys")
        browser.press("ra")
        assert agent.process.poll() is None
        assert len(site.waiting()) == 1

    def test_keys_that_answer_wait_a_moment_after_what_is_shown_has_changed(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        three_hunks(site, browser)
        site.agent(write("other.txt", "text\n"))
        browser.wait("document.querySelectorAll('#requests li.item').length === 2")
        browser.run("document.querySelector('#detail').dataset.keys = 'paused'")
        browser.press_at_once("ra")
        assert len(site.waiting()) == 2

    def test_keys_that_answer_wait_for_the_request_that_was_asked_for(self, site: ReviewSite, browser: Browser) -> None:
        three_hunks(site, browser)
        site.agent(write("other.txt", "text\n"))
        browser.wait("document.querySelectorAll('#requests li.item').length === 2")
        browser.hold("GET", ONE_REQUEST)
        browser.press("n")
        browser.press_at_once("ra")
        browser.wait("window.holds === 1")
        browser.press_at_once("ra")
        browser.release()
        browser.wait_text("#detail h2", "other.txt")
        assert len(site.waiting()) == 2
        assert browser.value("window.holds") == 1

    def test_a_second_click_does_not_answer_the_next_request(self, site: ReviewSite, browser: Browser) -> None:
        agent = site.agent(*(write(f"{number}.txt", "text\n") for number in range(2)))
        site.waiting(2)
        browser.open(site.address)
        # Its buttons are there: a click on those of the first one would open a panel, which takes the keys.
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.wait("document.querySelectorAll('#requests li.item').length === 2")
        # As soon as the next one is drawn, there is a click on each of its buttons.
        browser.run(
            "const click = () => document.querySelectorAll('.action-row > button').forEach((one) => one.click());"
            "window.clicks = 0;"
            "const drawn = new MutationObserver(() => { window.clicks += 1; click(); });"
            "drawn.observe(document.querySelector('#detail'), { childList: true });"
        )
        browser.answer("a")
        assert agent.result()["ok"]
        browser.wait("document.querySelectorAll('#requests li.item').length === 1 && window.clicks > 0")
        browser.wait("document.querySelector('#approve')?.disabled === false")
        assert len(site.waiting()) == 1
        # The panel of "Always…" is open now, and what confirms it waits as well.
        browser.wait("document.querySelector('#always-confirm')?.disabled === false")
        browser.run(
            "document.querySelector('#detail').dataset.keys = 'paused';"
            "document.querySelector('#always-confirm').click();"
        )
        assert len(site.waiting()) == 1

    def test_a_list_that_comes_before_the_end_of_an_answer_is_asked_for_again(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        agent = site.agent(write("0.txt", "text\n"), write("1.txt", "text\n"))
        site.waiting(2)
        browser.open(site.address)
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.hold("POST", "/answer$")
        browser.run("window.endAnswer = window.release")
        browser.answer("a")
        assert agent.result()["ok"]
        browser.wait("document.querySelectorAll('#requests li.item').length === 1")
        browser.hold("GET", "api/requests([?]|$)")
        (row,) = site.waiting()
        approve = {"kind": "once", "fingerprint": row["fingerprint"]}
        assert site.post(f"/api/requests/{row['id']}/answer", approve)[0] == 200
        assert agent.result()["ok"]
        # Both are gone when this list is made. It comes after the answer, which made it out of date.
        browser.wait("window.held.some((text) => text.startsWith('{') && JSON.parse(text).total === 0)")
        browser.run("window.endAnswer()")
        browser.wait_text("#status", "Approved")
        browser.release()
        browser.wait("document.querySelectorAll('#requests li.item').length === 0")
        browser.wait_text("#detail", "it was approved")

    def test_keys_can_be_switched_off(self, site: ReviewSite, browser: Browser) -> None:
        three_hunks(site, browser)
        browser.click("#open-keys")
        browser.click("#use-keys")
        browser.press_at_once(ESCAPE)
        browser.focus("#detail")
        browser.press("ra")
        assert len(site.waiting()) == 1
