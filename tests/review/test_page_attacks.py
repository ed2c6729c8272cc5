"""What a model writes is never markup, script or style: in names, paths, contents and everything else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.review.chromium import ESCAPE
from tests.review.review_site import edit, write
from tests.shared.permission_requests import edit_request

from suture import Workspace
from suture.core.line_hunks import LineHunk

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

SCRIPT = "<img src=x onerror=window.hacked=1>"
ATTACKS = (
    SCRIPT,
    "<script>window.hacked=1</script>",
    '"><svg onload=window.hacked=1>',
    "</td></table><iframe srcdoc='<script>parent.hacked=1</script>'>",
    "javascript:window.hacked=1",
    "<style>*{display:none}</style>",
    "' onfocus=window.hacked=1 autofocus '",
    "{{constructor.constructor('window.hacked=1')()}}",
)
#: The elements of the page that come neither from its HTML nor from its scripts.
FOREIGN = "img:not([src='icon.svg']), iframe, style, script:not([src='app.js']), svg[onload], [onfocus], [onerror]"


def is_unharmed(browser: Browser) -> bool:
    return bool(browser.value(f'!window.hacked && !document.querySelector("{FOREIGN}")'))


def test_in_the_names_paths_and_contents_of_files(site: ReviewSite, browser: Browser) -> None:
    name = SCRIPT.replace("/", "")
    site.agent(
        *[write(f"{name}/{number}{name}.html", "\n".join(ATTACKS) + "\n") for number in range(2)], actor=ATTACKS[1]
    )
    browser.open(site.address)
    browser.wait("document.querySelectorAll('#requests li.item').length === 2")
    for number in (1, 0):
        browser.select(f"{number}{name}")
        browser.wait_text(".diff", ATTACKS[2])
        shown = browser.text(".diff")
        assert [attack for attack in ATTACKS if attack not in shown] == []
        browser.wait_text("#detail h2", name)
        assert is_unharmed(browser)
        browser.press("svA")
        browser.wait("document.querySelector('.covers p')")
        browser.press(ESCAPE)
    browser.answer("a")
    browser.wait("document.querySelectorAll('#requests li.item').length === 1")
    browser.press("?")
    assert is_unharmed(browser)


@pytest.mark.parametrize("field", ["tool", "actor", "session", "workspace", "rule", "permission"])
def test_in_every_field_of_a_request(site: ReviewSite, browser: Browser, field: str) -> None:
    request = edit_request().replace(**{field: SCRIPT}, time=time.time())
    site.ask(request)
    browser.open(site.address)
    browser.click(".facts-box summary")
    browser.wait_text("#detail", SCRIPT)
    assert is_unharmed(browser)


def test_in_diagnostics_notes_and_links(site: ReviewSite, browser: Browser) -> None:
    request = edit_request()
    file = request.files[0].replace(resolved="", target=SCRIPT, move_to=SCRIPT, kind="move")
    diagnostics = [{"message": SCRIPT}, SCRIPT, 7]
    site.ask(request.replace(files=(file,), metadata={"diagnostics": diagnostics}, always=(SCRIPT,)))
    browser.open(site.address)
    browser.wait_text("#detail", SCRIPT)
    assert browser.text("#detail").count(SCRIPT) >= 4
    assert is_unharmed(browser)


def test_in_history_blame_answers_and_refusals(site: ReviewSite, browser: Browser) -> None:
    site.file("a.html", "\n".join(ATTACKS) + "\n")
    with Workspace(site.root, actor=SCRIPT) as workspace:
        workspace.apply(
            f"*** Begin Patch\n*** Update File: a.html\n@@\n-{ATTACKS[2]}\n+{SCRIPT}{SCRIPT}\n*** End Patch"
        )
    agent = site.agent(edit("a.html", f"{ATTACKS[1]}x\n{SCRIPT}y\nz", "none"), actor=SCRIPT)
    assert not agent.result()["ok"]
    browser.open(site.address)
    browser.press("2")
    browser.wait_text("#detail", SCRIPT + SCRIPT)
    assert is_unharmed(browser)
    browser.click("[aria-label='Blame of a.html']")
    browser.wait_text(".blame", SCRIPT)
    assert is_unharmed(browser)
    browser.press("3")
    browser.wait_text("#detail h2", "a.html")
    assert is_unharmed(browser)


def test_characters_that_hide_or_reverse_text_are_shown_as_their_codes(site: ReviewSite, browser: Browser) -> None:
    request = edit_request()
    hunk = LineHunk(0, 0, ("-if admin:\n", "+if admin:  # \u2066 \u202e check\n", "+\u200bpass\x1b[2J\n"))
    file = request.files[0].replace(path="exe\u202etxt.py", resolved="", hunks=(hunk,))
    site.ask(request.replace(files=(file,), actor="a\u202eb"))
    browser.open(site.address)
    browser.wait_text(".diff", "⟨U+202E⟩")
    codes = browser.value(r"document.querySelector('.diff').innerText.match(/⟨U.*?⟩/g)")
    assert {"⟨U+2066⟩", "⟨U+202E⟩", "⟨U+200B⟩", "⟨U+001B⟩"} == set(codes)
    browser.wait_text("#detail h2", "exe⟨U+202E⟩txt.py")
    browser.wait_text("#detail", "a⟨U+202E⟩b")
    assert "\u202e" not in browser.text("body")


def test_a_browser_refuses_markup_even_if_a_script_of_the_page_tries(site: ReviewSite, browser: Browser) -> None:
    browser.open(site.address)
    attempts = (
        "document.body.innerHTML = '<b>x</b>'",
        "document.write('x')",
        "document.createElement('script').textContent = 'window.hacked = 1'",
        "document.body.insertAdjacentHTML('beforeend', '<b>x</b>')",
    )
    for attempt in attempts:
        assert browser.run(f"try {{ {attempt}; return 'done' }} catch (error) {{ return error.name }}") == "TypeError"
    assert len(browser.errors()) == len(attempts)


def test_an_address_with_script_in_it_does_nothing(site: ReviewSite, browser: Browser) -> None:
    browser.open(site.address)
    for address in (
        f"#/requests/{SCRIPT}",
        "#/history/%3Fcommit=<script>",
        "#/__proto__/x",
        "#/requests/..%2F..%2Fx",
        "#token=<x>",
    ):
        browser.run("location.hash = arguments[0]", address)
        browser.wait("document.readyState === 'complete'")
        assert is_unharmed(browser)
