"""Tests of the page need the extra `review` and Chromium: `make test-adapters`. Elsewhere they are left out."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

HAS_SERVER = bool(find_spec("starlette") and find_spec("uvicorn"))
HAS_BROWSER = bool(HAS_SERVER and find_spec("selenium") and shutil.which("chromium") and shutil.which("chromedriver"))
collect_ignore_glob = [] if HAS_BROWSER else ["test_page_*.py"]
collect_ignore = [] if HAS_SERVER else ["test_apply_review.py", "test_review_api.py", "test_review_strangers.py"]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReviewSite]:
    """A workspace, a state directory of its own, and the server of a review."""
    from tests.review.review_site import ReviewSite  # noqa: PLC0415 - it needs the extra

    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    with ReviewSite(tmp_path) as site:
        yield site


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReviewSite]:
    """The same for tests that leave it as it is."""
    from tests.review.review_site import ReviewSite  # noqa: PLC0415 - it needs the extra

    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUTURE_STATE_DIR", str(folder / "state"))
        with ReviewSite(folder) as site:
            yield site


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    from tests.review.chromium import Browser  # noqa: PLC0415 - it needs Selenium

    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.driver.quit()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """A browser with an empty page. A test fails if a page has reported an error."""
    yield chromium
    errors = chromium.errors()
    chromium.reset()
    assert errors == []
