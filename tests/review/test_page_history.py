"""The history on the page: one line of time, undo of hunks and sessions; and refused edits that are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.review.chromium import ESCAPE, ONE_COMMIT, ONE_REQUEST
from tests.review.review_site import edit, write
from tests.shared.permission_requests import edit_request

from suture import SyncSession, Workspace

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

NUMBERED = "".join([f"line {n}\n" for n in range(1, 61)])


def words(browser: Browser) -> list[str]:
    """What happened, in a word each, newest first."""
    return browser.texts("#list .item .outcome")


def test_what_was_asked_answered_written_and_undone_is_linked(site: ReviewSite, browser: Browser) -> None:
    site.file("a.txt", "one\n")
    agent = site.agent(edit("a.txt", "one", "two"), edit("a.txt", "two", "three"), actor="claude")
    browser.open(site.address)
    browser.answer("a")
    assert agent.result()["ok"]
    site.waiting()
    browser.press("2")
    browser.wait("document.querySelectorAll('#list .item').length === 3")
    assert words(browser) == ["asked", "written", "approved"]
    browser.wait("document.querySelector('#reverse')")
    browser.click("#approved-by")
    browser.wait_text("#detail h2", "a.txt was approved")
    browser.click("#written-by button")
    browser.wait("document.querySelector('#reverse')")
    browser.press("u")
    browser.wait("document.querySelectorAll('#list .item').length === 4")
    assert words(browser)[0] == "undone"
    assert (site.root / "a.txt").read_text() == "one\n"


def test_what_was_asked_leads_to_the_request_that_was_open_before(site: ReviewSite, browser: Browser) -> None:
    with Workspace(site.root) as workspace:
        workspace.write("a.txt", "one\n")
    site.agent(write("b.txt", "new\n"))
    browser.open(site.address)
    browser.wait("document.querySelector('#approve')?.disabled === false")
    browser.press("2")
    browser.wait("document.querySelector('#reverse')")
    browser.click("#list .item a[href^='#/requests/']")
    browser.wait_text("#detail h2", "b.txt")


def test_one_hunk_of_a_commit_is_undone(site: ReviewSite, browser: Browser) -> None:
    site.file("a.txt", NUMBERED)
    with Workspace(site.root) as workspace:
        workspace.write("a.txt", NUMBERED.replace("line 5\n", "five\n").replace("line 50\n", "fifty\n"))
    browser.open(site.address)
    browser.press("2")
    browser.click("[aria-label='Undo hunk 1 of a.txt']")
    browser.wait("document.querySelectorAll('#list .item').length === 2")
    assert (site.root / "a.txt").read_text() == NUMBERED.replace("line 50\n", "fifty\n")
    browser.wait("document.activeElement.id === 'detail'")


def test_a_hunk_of_a_file_that_has_changed_is_not_undone(site: ReviewSite) -> None:
    site.file("a.txt", NUMBERED)
    with Workspace(site.root) as workspace:
        commit = workspace.write("a.txt", NUMBERED.replace("line 5\n", "five\n").replace("line 50\n", "fifty\n")).id
    site.file("a.txt", "something else\n")
    for body in ({"file": 0, "hunk": 1}, {"file": 0, "hunk": 9}, {"file": 9, "hunk": 1}):
        status, _ = site.post(f"/api/commits/{commit}/undo-hunk", body)
        assert status in (404, 409)
    assert site.post(f"/api/commits/{commit}/undo-hunk", {"file": "x", "hunk": 1})[0] == 422
    assert (site.root / "a.txt").read_text() == "something else\n"


def test_a_whole_session_is_undone_after_a_summary(site: ReviewSite, browser: Browser) -> None:
    site.file("a.txt", "one\n")
    with Workspace(site.root, actor="me") as workspace:
        workspace.write("mine.txt", "mine\n")
    agent = site.agent(edit("a.txt", "one", "two"), write("b.txt", "new\n"), actor="claude")
    browser.open(site.address)
    for _ in range(2):
        browser.answer("a")
        assert agent.result()["ok"]
    browser.press("2")
    browser.click("#undo-session")
    browser.wait_text("#session-undo", "This takes back 2 commits")
    assert (site.root / "a.txt").read_text() == "two\n"
    browser.click("#undo-session-confirm")
    browser.wait_text("#detail", "2 commits of the session were undone.")
    assert (site.root / "a.txt").read_text() == "one\n"
    assert not (site.root / "b.txt").exists()
    assert (site.root / "mine.txt").read_text() == "mine\n"


class TestWhatComesLate:
    """What the server says to one view draws nothing over another one, and answers nothing there."""

    def test_an_answer_that_ends_after_a_look_at_the_history(self, site: ReviewSite, browser: Browser) -> None:
        agent = site.agent(write("a.txt", "new\n"), actor="claude")
        browser.open(site.address)
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.hold("POST", "/answer")
        browser.answer("a")
        assert agent.result()["ok"]
        browser.press_at_once("2")
        browser.wait("document.querySelector('#reverse')")
        browser.wait("window.holds > 0")
        browser.release()
        assert browser.value("Boolean(document.querySelector('#reverse'))"), browser.text("#detail")
        assert browser.value("location.hash").startswith("#/history")
        browser.press("1")
        browser.wait_text("#detail", "No agent is waiting")

    def test_a_request_that_comes_after_a_look_at_the_history(self, site: ReviewSite, browser: Browser) -> None:
        with Workspace(site.root) as workspace:
            workspace.write("a.txt", "one\n")
        site.agent(write("b.txt", "new\n"), write("c.txt", "new\n"))
        site.waiting(2)
        browser.open(site.address)
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.hold("GET", ONE_REQUEST)
        browser.press("n")
        browser.wait("window.holds === 1")
        # Keys that answer pause until the next request is drawn; those that go elsewhere do not.
        browser.press_at_once("2")
        browser.wait("document.querySelector('#reverse')")
        browser.release()
        assert browser.value("Boolean(document.querySelector('#reverse'))"), browser.text("#detail")
        browser.press("1")
        browser.wait("document.querySelector('#approve')?.disabled === false")

    def test_a_commit_that_comes_after_a_look_at_the_requests(self, site: ReviewSite, browser: Browser) -> None:
        for name in ("a.txt", "b.txt"):
            with Workspace(site.root) as workspace:
                workspace.write(name, "one\n")
        site.agent(write("c.txt", "new\n"))
        browser.open(site.address)
        browser.press("2")
        browser.wait("document.querySelector('#reverse')")
        browser.hold("GET", ONE_COMMIT)
        browser.press("n")
        browser.wait("window.holds > 0")
        browser.press_at_once("1")
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.release()
        assert browser.value("Boolean(document.querySelector('#approve'))"), browser.text("#detail")
        assert browser.value("location.hash").startswith("#/requests")

    def test_no_key_undoes_a_commit_while_another_one_is_asked_for(self, site: ReviewSite, browser: Browser) -> None:
        for name in ("a.txt", "b.txt"):
            with Workspace(site.root) as workspace:
                workspace.write(name, "one\n")
        browser.open(site.address)
        browser.press("2")
        browser.wait_text("#detail h2", "b.txt")
        browser.hold("GET", ONE_COMMIT)
        browser.press("n")
        browser.press_at_once("u")
        browser.wait("window.holds > 0")
        browser.press_at_once("u")
        browser.run("document.querySelector('#reverse').click()")
        browser.release()
        browser.wait_text("#detail h2", "a.txt")
        assert [(site.root / name).exists() for name in ("a.txt", "b.txt")] == [True, True]
        browser.press("u")
        browser.wait("document.querySelectorAll('#list .item').length === 3")
        assert [(site.root / name).exists() for name in ("a.txt", "b.txt")] == [False, True]

    def test_what_is_typed_into_a_filter_while_an_undo_is_on_its_way_stays_there(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        with Workspace(site.root) as workspace:
            workspace.write("a.txt", "one\n")
        browser.open(site.address)
        browser.press("2")
        browser.wait("document.querySelector('#reverse')?.disabled === false")
        browser.hold("POST", "/undo$")
        browser.press("u")
        browser.wait("window.holds === 1")
        browser.press_at_once("/")
        browser.press_at_once("s")
        browser.release()
        browser.wait_text("#detail", "Redo this commit")
        browser.press("u")
        assert browser.value("document.activeElement.id + document.activeElement.value") == "filter-pathsu"
        assert not (site.root / "a.txt").exists()

    def test_no_key_answers_a_request_while_the_history_is_still_on_the_screen(
        self, site: ReviewSite, browser: Browser
    ) -> None:
        with Workspace(site.root) as workspace:
            workspace.write("a.txt", "one\n")
        site.agent(write("c.txt", "new\n"))
        browser.open(site.address)
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.press("2")
        browser.wait("document.querySelector('#reverse')")
        browser.hold("GET", "api/requests")
        browser.press("1")
        browser.wait("window.holds > 0")
        browser.press("ra")
        browser.release()
        assert len(site.waiting()) == 1
        assert not (site.root / "c.txt").exists()


class TestNewsThatComeFasterThanTheList:
    """On a slow machine, the next news are there before the list has come. It is drawn all the same."""

    ITEMS = "document.querySelectorAll('#list li.item').length"
    SLOW = """
        const real = window.fetch;
        window.fetch = async (to, how) => {
          const answer = await real(to, how);
          if (new RegExp("api/(timeline|requests)([?]|$)").test(to)) await new Promise((go) => setTimeout(go, 500));
          return answer;
        };
    """

    def test_in_the_history(self, site: ReviewSite, browser: Browser) -> None:
        browser.open(site.address)
        browser.wait_text("#detail", "No agent is waiting")
        browser.run(self.SLOW)
        with Workspace(site.root, durability="process") as workspace:
            workspace.write("a.txt", "0\n")
            browser.press("2")
            for number in range(200):
                workspace.write("a.txt", f"new {number}\n")
                if browser.value(f"{self.ITEMS} > 0"):
                    break
        assert number < 199

    def test_in_the_requests(self, site: ReviewSite, browser: Browser) -> None:
        browser.open(site.address)
        browser.wait_text("#detail", "No agent is waiting")
        browser.run(self.SLOW)
        request = edit_request()
        for number in range(200):
            site.ask(request.replace(id=f"r{number}"))
            if browser.value(f"{self.ITEMS} > 0"):
                break
        assert number < 199


def test_of_a_long_path_the_folder_is_cut_and_not_the_name(site: ReviewSite, browser: Browser) -> None:
    with Workspace(site.root) as workspace:
        workspace.write(f"{'some_folder/' * 8}name_of_file.py", "x = 1\n")
    browser.open(site.address)
    browser.press("2")
    browser.wait("document.querySelector('#list .item .base')")
    is_cut = "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('#list .item .%s'))"
    assert [browser.value(is_cut % part) for part in ("folder", "base")] == [True, False]
    inside = (
        "document.querySelector('#list .item .base').getBoundingClientRect().right"
        " <= document.querySelector('#list').getBoundingClientRect().right"
    )
    assert browser.value(inside)


def test_older_ones_stay_in_the_list_when_news_come(site: ReviewSite, browser: Browser) -> None:
    with Workspace(site.root, durability="process") as workspace:
        for number in range(101):
            workspace.write("a.txt", f"{number}\n")
        browser.open(site.address)
        browser.press("2")
        browser.wait("document.querySelectorAll('#list .item').length === 100")
        browser.click("#list p.empty button")
        browser.wait("document.querySelectorAll('#list .item').length === 101")
        workspace.write("a.txt", "new\n")
        browser.wait("document.querySelectorAll('#list .item').length === 102")


def test_the_question_before_a_session_is_undone_survives_news(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(write("a.txt", "new\n"), actor="claude")
    (row,) = site.waiting()
    approve = {"kind": "once", "fingerprint": row["fingerprint"]}
    assert site.post(f"/api/requests/{row['id']}/answer", approve)[0] == 200
    assert agent.result()["ok"]
    browser.open(site.address)
    browser.press("2")
    browser.click("#undo-session")
    browser.wait_text("#session-undo", "This takes back 1 commit")
    browser.run("for (const one of document.querySelectorAll('#list .item a, #reverse')) one.known = true")
    site.file("a.txt", "changed\n")
    with Workspace(site.root) as workspace:
        workspace.write("b.txt", "one\n")
    browser.wait_text("#reason", "a.txt")
    browser.wait("document.querySelectorAll('#list .item').length === 3")
    assert "This takes back 1 commit" in browser.text("#session-undo")
    # Whoever is about to click on a row or the button still can: they are the same.
    assert browser.value("[...document.querySelectorAll('#list .item a')].filter((one) => one.known).length") == 2
    assert browser.value("document.querySelector('#reverse').known && document.querySelector('#reverse').disabled")
    browser.focus("#detail")
    browser.press_at_once(ESCAPE)
    browser.wait("!document.querySelector('#session-undo') && document.activeElement.id === 'undo-session'")


def test_an_undo_of_a_session_ends_where_it_can_not_go_on(site: ReviewSite) -> None:
    site.file("a.txt", "one\n")
    agent = site.agent(edit("a.txt", "one", "two"), actor="claude")
    (row,) = site.waiting()
    answer = {"kind": "once", "fingerprint": row["fingerprint"]}
    assert site.post(f"/api/requests/{row['id']}/answer", answer)[0] == 200
    assert agent.result()["ok"]
    site.file("a.txt", "changed\n")
    status, outcome = site.post("/api/sessions/undo", {"session": row["session"]})
    assert (status, outcome["undone"]) == (200, [])
    assert outcome["stopped_at"]
    assert "a.txt" in outcome["reason"]
    assert site.post("/api/sessions/undo", {"session": ""})[0] == 422
    assert site.post("/api/sessions/undo", {"session": "nobody"})[1]["undone"] == []


class TestSessionUndoIsAllOrNothing:
    """Whether all commits of a session can be undone is known before the first one is."""

    def session(self, site: ReviewSite, *calls: tuple[str, str, str]) -> str:
        """The session of an agent that has made edits, one after the other."""
        with (
            Workspace(site.root, actor="claude") as workspace,
            SyncSession(workspace, id="s-1", rules=[("*", "*", "allow")], reads={"edit": "off"}) as session,
        ):
            for path, old, new in calls:
                assert not session.call("edit", {"filePath": path, "oldString": old, "newString": new}).is_error
        return "s-1"

    def test_one_file_several_times(self, site: ReviewSite) -> None:
        for name in ("a.txt", "b.txt"):
            site.file(name, "one\n")
        edits = [("a.txt", "one", "two"), ("b.txt", "one", "two"), ("a.txt", "two", "three")]
        session = self.session(site, *edits, ("a.txt", "three", "four"))
        status, outcome = site.post("/api/sessions/undo", {"session": session})
        assert (status, len(outcome["undone"]), outcome["stopped_at"]) == (200, 4, "")
        assert [(site.root / name).read_text() for name in ("a.txt", "b.txt")] == ["one\n", "one\n"]

    def test_an_old_commit_that_can_not_be_undone_keeps_all(self, site: ReviewSite) -> None:
        for name in ("a.txt", "b.txt"):
            site.file(name, "one\n")
        session = self.session(site, ("a.txt", "one", "two"), ("b.txt", "one", "two"))
        site.file("a.txt", "changed\n")
        _, outcome = site.post("/api/sessions/undo", {"session": session})
        assert outcome["undone"] == []
        assert "a.txt" in outcome["reason"]
        assert (site.root / "b.txt").read_text() == "two\n"

    def test_another_session_in_between_keeps_all(self, site: ReviewSite) -> None:
        site.file("a.txt", "one\nuno\n")
        self.session(site, ("a.txt", "one", "two"))
        with Workspace(site.root, actor="me") as workspace:
            workspace.edit("a.txt", "uno", "due")
        session = self.session(site, ("a.txt", "two", "three"))
        _, outcome = site.post("/api/sessions/undo", {"session": session})
        assert outcome["undone"] == []
        assert "a.txt was changed after the commit" in outcome["reason"]
        assert (site.root / "a.txt").read_text() == "three\ndue\n"


class TestRefused:
    """A refused edit has an address, words for its code, and a way to be applied."""

    def refused(self, site: ReviewSite) -> None:
        site.file("a.py", "import os\n\n\ndef total(items):\n    return sum(items)\n")
        agent = site.agent(edit("a.py", "def totals(item):\n    return maximum(items, 0)\n", "def best():\n    pass\n"))
        assert not agent.result()["ok"]

    def test_it_is_applied_where_a_person_points_after_an_approval(self, site: ReviewSite, browser: Browser) -> None:
        self.refused(site)
        browser.open(site.address)
        browser.press("3")
        browser.wait_text("#list .outcome", "not found in the file")
        browser.wait_text(".three", "def best():")
        address = browser.value("location.hash")
        browser.click(".apply-here")
        browser.wait("document.querySelector('#approve')?.disabled === false")
        assert "def total(" in (site.root / "a.py").read_text()
        browser.answer("a")
        browser.wait_text("#detail", "No agent is waiting")
        browser.run("location.hash = arguments[0]", address)
        browser.wait_text("#applied", "It was written by the commit")
        assert (site.root / "a.py").read_text() == "import os\n\n\ndef best():\n    pass\n"

    def test_what_became_of_it_is_shown_by_itself(self, site: ReviewSite, browser: Browser) -> None:
        self.refused(site)
        browser.open(site.address)
        browser.press("3")
        browser.click(".apply-here")
        browser.wait("document.querySelector('#approve')?.disabled === false")
        browser.press("3")
        browser.wait_text("#applied", "It waits for your approval")
        (row,) = site.waiting()
        approve = {"kind": "once", "fingerprint": row["fingerprint"]}
        assert site.post(f"/api/requests/{row['id']}/answer", approve)[0] == 200
        browser.wait_text("#applied", "It was written by the commit")

    def test_a_place_that_has_changed_is_refused(self, site: ReviewSite, browser: Browser) -> None:
        self.refused(site)
        browser.open(site.address)
        browser.press("3")
        browser.wait("document.querySelector('.apply-here')")
        text = (site.root / "a.py").read_text().replace("total", "all")
        site.file("a.py", text)
        browser.click(".apply-here")
        browser.wait_text("#detail .notice.bad", "has changed at lines 4 to 5")
        assert (site.root / "a.py").read_text() == text
        (row,) = site.get("/api/refused")["refused"]
        for body in ({"problem": 9, "place": 0}, {"problem": 0, "place": 9}):
            assert site.post(f"/api/refused/{row['id']}/apply", body)[0] == 404

    def test_one_that_is_rejected_is_not_written(self, site: ReviewSite, browser: Browser) -> None:
        self.refused(site)
        before = (site.root / "a.py").read_text()
        browser.open(site.address)
        browser.press("3")
        browser.click(".apply-here")
        browser.answer("r")
        browser.wait_text("#detail", "No agent is waiting")
        browser.press("3")
        browser.wait_text("#applied", "It was rejected.")
        assert (site.root / "a.py").read_text() == before
