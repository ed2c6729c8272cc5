"""`suture apply --review` with the page: it is served for one request, and ends with its answer."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place, patch, update
from tests.shared.reviews import until

from suture.agent import Answer
from suture.review import Inbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    made.environment |= {"DISPLAY": ":99", "BROWSER": "true"}
    monkeypatch.setenv("SUTURE_STATE_DIR", made.environment["SUTURE_STATE_DIR"])
    return made


@pytest.fixture
def applying(place: Place) -> Iterator[subprocess.Popen[str]]:
    """A patch that waits on its page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "suture", "apply", "--review"],
        cwd=place.root,
        env=place.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(patch(update("app.py", "-    return 1", "+    return 11")))
    process.stdin.close()
    process.stdin = None
    assert process.stderr.readline().startswith("Review at http://127.0.0.1:")
    assert process.stderr.readline().startswith("Token ")
    yield process
    process.kill()
    process.communicate()


def test_it_is_served_until_it_is_answered(place: Place, applying: subprocess.Popen[str]) -> None:
    (item,) = until(lambda: Inbox().pending() or None)
    Inbox().answer(item.id, Answer.once(), item.fingerprint)
    assert "Commit" in applying.communicate(timeout=30)[0]
    assert applying.returncode == 0
    assert "return 11" in place.files()["app.py"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_an_interrupt_withdraws_it_and_says_no_more(
    place: Place, applying: subprocess.Popen[str], number: signal.Signals
) -> None:
    applying.send_signal(number)
    assert applying.communicate(timeout=30) == ("", "Interrupted. Nothing was done.\n")
    assert applying.returncode == 130
    assert Inbox().count() == 0
    assert "return 11" not in place.files()["app.py"]
