"""What was not shown on the page can't be approved there, and the ends of lines are visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.review.review_site import patch, write
from tests.shared.hunks import hunks_of
from tests.shared.permission_requests import three_hunks

from suture import Workspace
from suture.agent.requests import Request
from suture.workspace import Change

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

IS_DISABLED = "document.querySelector('#approve')?.disabled"
IS_ENABLED = "document.querySelector('#approve')?.disabled === false"


def is_waiting(site: ReviewSite) -> bool:
    """Whether a request still waits after all keys were handled."""
    return len(site.queue.ids()) == 1


def test_rows_that_were_not_sent_yet(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(write("long.sh", "".join([f"echo {n}\n" for n in range(3000)]) + "rm -rf ~\n"))
    browser.open(site.address)
    browser.wait(IS_DISABLED)
    assert "1 hunk is incomplete" in browser.text("#hidden")
    assert browser.value("document.querySelector('#always').disabled")
    browser.press("a")
    browser.wait("document.querySelector('#status').textContent.startsWith('Not approved')")
    assert is_waiting(site)
    browser.click("#reveal")
    browser.wait(IS_ENABLED)
    browser.scroll_to_end()
    browser.wait("document.querySelector('.files').textContent.includes('rm -rf ~')")
    browser.answer("a")
    assert agent.result()["ok"]


def test_the_end_of_a_long_line(site: ReviewSite, browser: Browser) -> None:
    agent = site.agent(write("long.sh", "echo " + "x" * 5000 + "; rm -rf ~\n"))
    browser.open(site.address)
    browser.wait(IS_DISABLED)
    assert "more characters" in browser.text(".diff")
    browser.wait_text(".more", "Show all of 1 long line")
    browser.click(".more")
    browser.wait(IS_ENABLED)
    assert browser.text(".diff").endswith("; rm -rf ~")
    browser.answer("a")
    assert agent.result()["ok"]


def test_files_that_are_folded_or_were_not_sent_yet(site: ReviewSite, browser: Browser) -> None:
    count = 230
    agent = site.agent(patch(*[line for n in range(count) for line in (f"*** Add File: f{n}.sh", f"+echo {n}")]))
    browser.open(site.address)
    browser.wait(IS_DISABLED)
    assert "185 hunks and 30 files are incomplete" in browser.text("#hidden")
    browser.click("#reveal")
    browser.wait(IS_ENABLED)
    assert browser.value("document.querySelectorAll('.diff').length") == count
    browser.answer("a")
    assert agent.result()["ok"]
    assert len(list(site.root.glob("f*.sh"))) == count


def test_a_hunk_that_is_left_out_need_not_be_shown_and_always_would_write_it(
    site: ReviewSite, browser: Browser
) -> None:
    before, after = three_hunks()
    (site.root / "a.py").write_text(before)
    agent = site.agent(write("a.py", after.replace("LINE 2\n", "LINE 2\n" + "y" * 3000 + "\n")))
    browser.open(site.address)
    browser.wait(IS_DISABLED)
    browser.click("#hunk-0-1-choice")
    browser.wait(IS_ENABLED)
    assert browser.value("document.querySelector('#always').disabled")
    browser.answer("a")
    assert agent.result()["ok"]
    assert "LINE 15" in (site.root / "a.py").read_text()
    assert "y" not in (site.root / "a.py").read_text().split("\n")[1]


def test_a_deleted_file_is_told_by_its_name(site: ReviewSite, browser: Browser) -> None:
    (site.root / "long.txt").write_text("x\n" * 3000)
    agent = site.agent(patch("*** Delete File: long.txt"))
    browser.open(site.address)
    browser.answer("a")
    assert agent.result()["ok"]


def lines(browser: Browser, kind: str) -> list[str]:
    """The lines of a kind, as a person sees them, without their signs."""
    return [text[1:].removeprefix("\n") for text in browser.texts(f".diff .code.{kind}")]


def test_the_ends_of_changed_lines_are_visible(site: ReviewSite, browser: Browser) -> None:
    hunk = "@@ -1,3 +1,5 @@\n kept \n-old\n+old\r\n+spaces  \n+tab\t\n+\r\n no carriage return\r\n"
    request = Request("r1", "edit", (Change("update", "a.sh", hunks=hunks_of(hunk)),), ("a.sh",))
    site.ask(request)
    browser.open(site.address)
    browser.wait_text(".diff", "old")
    assert lines(browser, "plus") == ["old\\r", "spaces··", "tab→", "\\r"]
    assert lines(browser, "minus") == ["old"]
    assert [text.rstrip(" ") for text in lines(browser, "same")] == ["kept", "no carriage return\\r"]


def test_a_line_without_the_carriage_return_of_its_neighbors_stands_out(site: ReviewSite, browser: Browser) -> None:
    (site.root / "a.bat").write_bytes(b"one\r\ntwo\r\n")
    plan = Workspace(site.root, state_dir=site.root.parent / "other").plan_write("a.bat", b"one\r\ntwo\nthree")
    site.ask(Request.from_plan(plan))
    browser.open(site.address)
    browser.wait_text(".diff", "three")
    assert lines(browser, "same") == ["one\\r"]
    assert lines(browser, "minus") == ["two\\r"]
    assert lines(browser, "plus") == ["two", "three no newline at end of file"]


def test_a_text_that_becomes_binary_is_shown_with_its_bytes(site: ReviewSite, browser: Browser) -> None:
    (site.root / "run.sh").write_text("echo ok\n")
    plan = Workspace(site.root, state_dir=site.root.parent / "other").plan_write("run.sh", b"rm -rf ~\n\0\n")
    site.ask(Request.from_plan(plan))
    browser.open(site.address)
    browser.wait_text(".diff", "rm -rf ~")
    assert "⟨U+0000⟩" in browser.text(".diff")
    assert "becomes binary" in browser.text(".file-head")
