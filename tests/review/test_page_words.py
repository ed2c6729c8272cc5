"""What a person says and writes besides yes and no: comments on lines, and text of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.review.chromium import ESCAPE
from tests.review.review_site import edit, patch, write
from tests.shared.permission_requests import edit_request

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

TEXT = "def one():\n    return 1\n"


def comment_on(browser: Browser, kind: str, text: str) -> None:
    """Click the number of the first line of a kind, and write."""
    browser.wait(f"document.querySelector('.diff td.code.{kind}')")
    browser.click(f".diff tr:has(td.code.{kind}) td.number.can-comment")
    browser.wait("document.activeElement.matches('.comment textarea')")
    browser.press_at_once(text)


def test_comments_travel_with_a_rejection_as_path_and_line(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", TEXT)
    agent = site.agent(write("a.py", TEXT.replace("return 1", "return 2")))
    browser.open(site.address)
    comment_on(browser, "plus", "Why 2, and not ra ra?")
    browser.press(ESCAPE)
    browser.wait_text("#answer-note", "1 line comment will be sent along.")
    browser.answer("r")
    assert "a.py:2: Why 2, and not ra ra?" in agent.result()["output"]


def test_a_comment_on_a_removed_line_says_so_and_is_kept(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", TEXT)
    agent = site.agent(write("a.py", TEXT.replace("return 1", "return 2")), write("b.py", "text\n"))
    browser.open(site.address)
    browser.select("a.py")
    comment_on(browser, "minus", "Keep this")
    browser.select("b.py")
    browser.select("a.py")
    browser.wait("document.querySelector('.comment textarea')?.value === 'Keep this'")
    browser.press("s")
    browser.wait("document.querySelector('.split .comment textarea')?.value === 'Keep this'")
    browser.focus("#detail")
    browser.answer("a")
    output = agent.result()["output"]
    assert "a.py:2 (before the change): Keep this" in output
    assert (site.root / "a.py").read_text() == "def one():\n    return 2\n"


def test_a_comment_without_words_is_not_sent_and_can_be_removed(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("a.py", TEXT))
    browser.open(site.address)
    browser.wait("document.querySelector('.hunk')")
    browser.press("c")
    browser.wait("document.activeElement.matches('.comment textarea')")
    browser.press_at_once(ESCAPE)
    browser.wait("!document.querySelector('.comment')")
    comment_on(browser, "plus", "x")
    browser.click(".comment .quiet-button")
    browser.wait("!document.querySelector('.comment') && document.querySelector('#answer-note').hidden")
    assert browser.value("document.activeElement.matches('.hunk')")


def test_a_person_writes_another_text_and_the_agent_is_told_what_changed(site: ReviewSite, browser: Browser) -> None:
    site.file("a.py", TEXT)
    agent = site.agent(write("a.py", TEXT.replace("return 1", "return 2")))
    browser.open(site.address)
    browser.click("#edit-0")
    browser.wait("document.activeElement.matches('.editor')")
    browser.press_at_once("    # mine\n")
    browser.click("#keep-0")
    browser.wait_text(".file-head", "your version")
    browser.wait_text(".diff", "# mine")
    assert browser.value("document.querySelector('#always').disabled")
    browser.driver.refresh()
    browser.wait_text(".file-head", "your version")
    browser.wait_text("#answer-note", "With your version of 1 file.")
    browser.answer("a")
    result = agent.result()
    assert result["ok"]
    assert "# mine" in result["output"]
    assert (site.root / "a.py").read_text() == "def one():\n    # mine\n    return 2\n"


def test_an_editor_is_in_view_and_begins_where_the_hunk_is(site: ReviewSite, browser: Browser) -> None:
    lines = [f"line {number}\n" for number in range(1, 401)]
    site.file("long.txt", "".join(lines))
    # The second hunk is far below what is in view, since the first one is long.
    lines[2:102] = [f"row {number}\n" for number in range(3, 103)]
    lines[299] = "three hundredth\n"
    site.agent(write("long.txt", "".join(lines)))
    browser.open(site.address)
    browser.wait("document.querySelectorAll('.hunk').length === 2")
    browser.press("jj")
    place = browser.value("document.querySelector('#detail').scrollTop")
    assert place > 0
    browser.press("e")
    browser.wait("document.activeElement.matches('.editor')")
    caret = "document.activeElement.value.slice(document.activeElement.selectionStart).split('\\n')[0]"
    assert browser.value(caret) == "three hundredth"
    script = """
        const field = document.activeElement;
        const [box, pane] = [field, document.querySelector("#detail")].map((one) => one.getBoundingClientRect());
        const style = getComputedStyle(field);
        const line = 299 * parseFloat(style.lineHeight) - field.scrollTop;
        return [box.top >= pane.top, line >= 0 && line < field.clientHeight, style.fontFamily.includes("monospace")];
    """
    assert browser.run(script) == [True, True, True]
    browser.press_at_once(ESCAPE)
    browser.wait("!document.querySelector('.editor')")
    assert browser.value("document.querySelector('#detail').scrollTop") == place


def test_a_text_that_is_discarded_is_not_written(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(write("a.py", TEXT))
    browser.open(site.address)
    browser.click("#edit-0")
    browser.wait("document.activeElement.matches('.editor')")
    browser.press_at_once("x")
    browser.click("#keep-0")
    browser.click("#discard-0")
    browser.wait("!document.querySelector('.file-head').innerText.includes('your version')")
    browser.focus("#detail")
    browser.answer("a")
    assert agent.result()["ok"]
    assert (site.root / "a.py").read_text() == TEXT


def test_the_line_endings_of_a_file_stay(site: ReviewSite, browser: Browser) -> None:
    site.file("a.txt", b"one\r\ntwo\r\n")
    agent = site.agent(edit("a.txt", "two", "zwei"))
    browser.open(site.address)
    browser.click("#edit-0")
    browser.wait("document.activeElement.matches('.editor')")
    browser.run("const field = document.querySelector('.editor'); field.setRangeText('eins', 0, 3);")
    browser.click("#keep-0")
    browser.wait_text(".diff", "eins")
    browser.focus("#detail")
    browser.answer("a")
    assert agent.result()["ok"]
    assert (site.root / "a.txt").read_bytes() == b"eins\r\nzwei\r\n"


def test_the_header_is_a_sentence_with_the_reason(site: ReviewSite, browser: Browser) -> None:
    site.file("old.py", TEXT)
    call = patch("*** Delete File: old.py")
    call["arguments"]["reason"] = "Nothing imports <b>it</b> any more."
    site.agent(call, actor="claude")
    browser.open(site.address)
    browser.wait_text("#detail h2", "claude wants to delete old.py")
    browser.wait_text(".reason", "Nothing imports <b>it</b> any more.")


@pytest.mark.parametrize(
    "body",
    [
        {"parts": {"a.py": ["9"]}},
        {"parts": {"a.py": ["1.9"]}},
        {"parts": {"a.py": "1"}},
        {"parts": {"other.py": ["1"]}},
        {"parts": ["1"]},
        {"parts": {"a.py": ["1"]}, "edits": 5},
        {"parts": {"a.py": ["1"]}, "edits": {"a.py": "another text"}},
        {"edits": {"other.py": "text"}},
        {"comments": [{"path": "other.py", "line": 1, "text": "x"}]},
        {"comments": [{"path": "a.py", "line": 0, "text": "x"}]},
        {"comments": [{"path": "a.py", "line": 1, "text": " "}]},
    ],
)
def test_an_answer_that_fits_no_file_is_refused(site: ReviewSite, body: dict[str, object]) -> None:
    site.file("a.py", TEXT)
    site.agent(write("a.py", TEXT.replace("return 1", "return 2")))
    (row,) = site.waiting()
    answer = {"kind": "once", "fingerprint": row["fingerprint"], **body}
    assert site.post(f"/api/requests/{row['id']}/answer", answer)[0] == 422
    assert site.waiting()


def test_of_several_answers_each_has_its_own_outcome(site: ReviewSite) -> None:
    site.ask(edit_request())
    (row,) = site.waiting()
    given = [{"id": name, "kind": "reject", "fingerprint": row["fingerprint"]} for name in (row["id"], "none")]
    status, outcome = site.post("/api/answers", {"answers": given})
    assert status == 200
    assert [bool(one["message"]) for one in outcome["answers"]] == [False, True]
    for wrong in ([], [1], [{"kind": "reject"}], "x", given * 200):
        assert site.post("/api/answers", {"answers": wrong})[0] == 422


def test_text_in_an_open_editor_is_kept_and_never_approved_away(site: ReviewSite, browser: Browser) -> None:
    site.file("a.txt", "one\n")
    site.agent(edit("a.txt", "one", "two"))
    browser.open(site.address)
    browser.wait("document.querySelector('#approve')?.disabled === false")
    browser.press("e")
    browser.wait("document.activeElement.matches('.editor')")
    browser.press_at_once("my own ")
    browser.wait_text("#answer-note", "Use your text of a.txt, or cancel it")
    assert browser.value("document.querySelector('#approve').disabled && document.querySelector('#always').disabled")
    # The other kind of diff draws the request anew, and so does a reload.
    browser.use("#toggle-split")
    assert "my own" in browser.value("document.querySelector('.editor').value")
    browser.driver.refresh()
    browser.wait("document.querySelector('.editor')?.value.includes('my own')")
    browser.focus("#detail")
    browser.press("a")
    assert len(site.waiting()) == 1
    browser.use("#cancel-0")
    browser.wait("document.querySelector('#approve')?.disabled === false")
    browser.press("e")
    browser.wait("document.querySelector('.editor')?.value === 'two\\n'")


def test_a_text_that_can_not_be_brought_back_after_a_reload_is_in_an_open_editor(
    site: ReviewSite, browser: Browser
) -> None:
    site.file("a.txt", "one\n")
    site.agent(edit("a.txt", "one", "two"))
    browser.open(site.address)
    browser.click("#edit-0")
    browser.wait("document.activeElement.matches('.editor')")
    browser.press_at_once("my own ")
    browser.click("#keep-0")
    browser.wait_text(".file-head", "your version")
    refuse = (
        "const real = window.fetch;"
        "window.fetch = (to, how) => to.includes('/edited')"
        " ? Promise.resolve(Response.json({ message: 'Not now.' }, { status: 409 })) : real(to, how);"
    )
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": refuse})
    browser.driver.refresh()
    browser.wait("document.querySelector('.editor')?.value.includes('my own')")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    browser.wait_text("#connection", "Not now.")
    assert browser.value("document.querySelector('#approve').disabled")


def test_escape_closes_what_was_opened_at_a_file_but_no_editor_with_text(site: ReviewSite, browser: Browser) -> None:
    site.file("a.md", "def total(items):\n    result = sum(items)\n    return result\n")
    site.agent(edit("a.md", "def total(items):\n    reslt = sum(items)\n    return result", "# Total"))
    browser.open(site.address)
    for selector, shown in (("#preview-0", ".markdown"), ("button.badge", ".sent"), ("#edit-0", ".editor")):
        browser.click(selector)
        browser.wait(f"document.querySelector({shown!r})")
        browser.press_at_once(ESCAPE)
        browser.wait(f"!document.querySelector({shown!r})")
        assert browser.value(f"document.activeElement.matches({selector!r})")
    browser.click("#edit-0")
    browser.wait("document.activeElement.matches('.editor')")
    browser.press_at_once("my own ")
    browser.press_at_once(ESCAPE)
    browser.wait("document.activeElement.id === 'detail'")
    assert "my own" in browser.value("document.querySelector('.editor').value")
