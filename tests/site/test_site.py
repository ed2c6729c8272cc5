"""The documentation site as a reader has it, in a real Chromium: pages, links, the search, colors, versions."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from tests.review.chromium import Browser
from tests.shared.pages import ROOT

from suture import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Pages that Zensical makes for itself.
OWN_PAGES = {"404.html"}


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files, and reports nothing."""

    def log_message(self, *_: object) -> None:
        pass


class Page(HTMLParser):
    """The links, pictures and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(str(given["id"]))
        target = given.get("href") if tag in {"a", "link"} else given.get("src")
        if target:
            self.links.add(target)


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with two versions, published as the workflow does it."""
    directory = tmp_path_factory.mktemp("site")
    (directory / "versions.json").write_text('[{"version": "0.0.1", "title": "0.0.1", "aliases": ["latest"]}]', "utf-8")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "build-site", "--publish", directory],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


@pytest.fixture(scope="session")
def address(directory: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.driver.quit()


def pages_of(directory: Path) -> list[str]:
    """The addresses of all pages of the latest version, below the site."""
    latest = directory / "latest"
    return sorted(
        f"/{path.relative_to(directory).as_posix().removesuffix('index.html')}"
        for path in latest.rglob("*.html")
        if path.name not in OWN_PAGES
    )


def test_every_page_of_the_repository_is_on_the_site(directory: Path) -> None:
    docs = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    names = {name.removesuffix("README").strip("/") for name in docs}
    names |= {"", "security", "changelog", "architecture", "contributing", "benchmarks"}
    assert {page.removeprefix("/latest/").strip("/") for page in pages_of(directory)} == names


def test_every_link_leads_to_a_page_and_an_anchor(directory: Path) -> None:
    pages = {
        page: Page((directory / page.strip("/") / "index.html").read_text("utf-8")) for page in pages_of(directory)
    }
    missing = []
    for page, content in pages.items():
        for link in content.links:
            parts = urlsplit(urljoin(f"http://site{page}", link))
            if parts.netloc != "site":
                continue
            file = directory / unquote(parts.path).strip("/")
            target = pages.get(parts.path)
            if not file.exists() or (parts.fragment and target and unquote(parts.fragment) not in target.anchors):
                missing.append((page, link))
    assert missing == []


def test_every_page_opens_without_an_error_and_loads_nothing_from_elsewhere(
    directory: Path, address: str, browser: Browser
) -> None:
    for page in pages_of(directory):
        browser.driver.get(address + page)
        assert browser.wait("document.querySelector('h1')?.innerText"), page
        broken = "[...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"
        assert browser.value(broken) == [], page
        loaded = browser.value("performance.getEntriesByType('resource').map((one) => one.name)")
        assert [one for one in loaded if not one.startswith((address, "data:", "blob:"))] == [], page
        assert browser.errors() == [], page


#: The search is in a shadow tree of its own.
SEARCH = "[...document.querySelectorAll('*')].find((one) => one.shadowRoot)?.shadowRoot"


@pytest.mark.parametrize(
    ("words", "page"), [("heredoc", "invocations"), ("durability", "atomicity"), ("rivals", "glossary")]
)
def test_a_search_finds_the_page(words: str, page: str, address: str, browser: Browser) -> None:
    browser.driver.get(f"{address}/latest/")
    browser.wait("document.querySelector('h1')?.innerText")
    browser.press_at_once("/")
    browser.wait(f"{SEARCH}?.activeElement?.tagName === 'INPUT'")
    browser.press_at_once(words)
    browser.wait(f"[...{SEARCH}.querySelectorAll('a')].some((one) => one.href.includes('/latest/{page}/'))")


@pytest.mark.parametrize(("preference", "scheme"), [("light", "default"), ("dark", "slate")])
def test_the_colors_are_those_of_the_system(preference: str, scheme: str, address: str, browser: Browser) -> None:
    features = [{"name": "prefers-color-scheme", "value": preference}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.driver.get(f"{address}/latest/cli/")
    assert browser.wait("document.body?.dataset.mdColorScheme") == scheme


def test_a_reader_can_choose_a_version(address: str, browser: Browser) -> None:
    browser.driver.get(f"{address}/")
    browser.wait("location.pathname === '/latest/' && document.querySelector('.md-version')")
    links = browser.value("[...document.querySelectorAll('.md-version a')].map((one) => one.innerText.trim())")
    assert links == [__version__, "0.0.1"]
