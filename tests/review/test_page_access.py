"""axe-core finds no barrier on any view of the page, in light and dark, narrow, wide and enlarged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.review.chromium import HEEDS_KEYS
from tests.review.review_site import edit, patch

import suture
from suture import Workspace

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

STATIC = Path(suture.__file__).parent / "review" / "static"
AXE = Path(__file__).parents[2] / "build/axe-core/node_modules/axe-core/axe.min.js"
pytestmark = pytest.mark.skipif(not AXE.exists(), reason="scripts/install-axe-core was not run")

CLASS = "class A:\n    def two(self):\n        x = 1\n        y = 2\n        return x + y\n"
#: Width in pixels, and how much is enlarged.
SIZES = [(1440, 1.0), (1024, 1.0), (390, 1.0), (1280, 2.0)]
RUN = """
    const [rules, done] = arguments;
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
    axe.run(options).then(({ violations }) => done(violations.flatMap((one) =>
      one.nodes.slice(0, 3).map((node) => `${one.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`))));
"""
#: The rules whose outcome depends on colors. The others look at elements, their names and their sizes.
COLOR_RULES = ["color-contrast", "link-in-text-block"]


def barriers(browser: Browser) -> list[str]:
    """What axe-core finds on the page as it is: in light, and then in dark by the rules about colors."""
    browser.wait(HEEDS_KEYS)
    if not browser.value("Boolean(window.axe)"):
        browser.run(AXE.read_text("utf-8"))
    violations: list[str] = []
    for scheme, rules in (("light", None), ("dark", COLOR_RULES)):
        # Without motion, no color is on its way from one scheme to the other.
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in features.items()]}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.draw()
        violations += [f"{scheme}: {one}" for one in browser.driver.execute_async_script(RUN, rules)]
    assert browser.value("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut at the side"
    list_fits = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('#list'))"
    assert browser.value(list_fits), "no row of the list is wider than it"
    return violations


@pytest.fixture(scope="module")
def full_site(shared_site: ReviewSite) -> ReviewSite:
    """Everything that a view can show. The tests only look at it."""
    site = shared_site
    site.file("one.py", CLASS)
    site.file("README.md", "# Title\n\ntext\n")
    site.file("old.txt", "x\n")
    site.file("loose.py", "def total(items):\n    result = sum(items)\n    return result\n")
    site.file("h.py", "def total(items):\n    return sum(items)\n")
    with Workspace(site.root, actor="claude") as workspace:
        workspace.edit("h.py", "sum(items)", "max(items)")
    refused = site.agent(edit("h.py", "def totals(item):\n    return maximum(items, 0)\n", "pass\n"))
    assert not refused.result()["ok"]
    call = patch(
        "*** Update File: one.py",
        "@@",
        "-        x = 1",
        "+        x = 11",
        "         y = 2",
        "-        return x + y",
        "+        return x * y",
        "*** Update File: README.md",
        "@@",
        "-text",
        "+## more",
        "*** Delete File: old.txt",
    )
    call["arguments"]["reason"] = "It is needed."
    site.agent(call, actor="codex")
    site.waiting(1)
    old = "def total(items):\n    reslt = sum(items)\n    return result"
    site.agent(edit("loose.py", old, "def total(items):\n    return sum(items)"), actor="claude")
    site.waiting(2)
    return site


def test_the_page_has_another_color_scheme_only_in_its_styles() -> None:
    """So the rules that do not look at colors need not run twice."""
    for file in STATIC.glob("*.js"):
        assert "matchMedia" not in file.read_text("utf-8"), file.name


@pytest.mark.parametrize(("width", "scale"), SIZES, ids=["1440", "1024", "390", "200%"])
@pytest.mark.timeout(600)  # axe-core looks at thirteen views, in light and dark
def test_no_view_has_a_barrier(full_site: ReviewSite, browser: Browser, width: int, scale: float) -> None:
    browser.resize(int(width / scale), int(900 / scale), scale)
    browser.open(full_site.address)
    browser.wait("document.querySelectorAll('#requests li.item').length === 2")
    violations = {"list": barriers(browser)}

    browser.select("one.py")
    browser.wait("document.querySelector('.split-hunk')")
    violations["request"] = barriers(browser)
    for selector in (".split-hunk", "#hunk-0-1-2-choice", "#file-2-choice", ".facts-box summary", "#preview-1"):
        browser.use(selector)
    browser.wait("document.querySelector('.markdown')")
    browser.use("td.can-comment")
    violations["left out, comment, preview"] = barriers(browser)
    for selector in (".split-hunk", "#file-2-choice", "#always"):
        browser.use(selector)
    browser.wait("document.querySelector('.covered')")
    violations["always"] = barriers(browser)

    browser.run("location.hash = '#/requests'")
    browser.select("loose.py")
    browser.use("button.badge")
    browser.wait("document.querySelector('.sent')")
    violations["what the model wrote"] = barriers(browser)
    browser.use("#edit-0")
    browser.wait("document.querySelector('.editor')")
    violations["editor"] = barriers(browser)

    browser.run("location.hash = '#/requests'")
    browser.use("#pick-all")
    violations["chosen"] = barriers(browser)
    browser.use("#read-picked")
    browser.wait("document.querySelectorAll('.one-of-several').length === 2")
    violations["several"] = barriers(browser)

    browser.run("location.hash = '#/history'")
    browser.wait("document.querySelector('#reverse')")
    violations["history, list"] = barriers(browser)
    browser.use("#list a[data-commit]")
    violations["history"] = barriers(browser)
    browser.use('[aria-label="Blame of h.py"]')
    browser.wait("document.querySelector('.blame')")
    violations["blame"] = barriers(browser)

    browser.run("location.hash = '#/refused'")
    # Until then, the list is that of the history.
    browser.use("#list [id^=refused-]")
    browser.wait("document.querySelector('.three')")
    violations["refused"] = barriers(browser)
    browser.use("#open-keys")
    violations["keys"] = barriers(browser)
    assert {view: what for view, what in violations.items() if what} == {}
