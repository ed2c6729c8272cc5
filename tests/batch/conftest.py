"""Rows for the tests with other packages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXT = "def f(x):\n    return x\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n def f(x):\n-    return x\n+    return x + 1\n*** End Patch\n"
WANTED = "def f(x):\n    return x + 1\n"
#: The outcomes of `rows_of`, over and over.
OUTCOMES = ("equal", "different", "refused", "unreadable")


def rows_of(count: int) -> list[dict[str, Any]]:
    """Rows with all kinds of outcomes. The first thousand are all alike, as columns without values are a trap."""
    kinds: list[dict[str, Any]] = [{}, {"wanted": TEXT}, {"text": "x = 1\n"}, {"edit": "Sorry, I can't."}]
    return [
        {"id": number, "text": TEXT, "edit": PATCH, "wanted": WANTED, **(kinds[number % 4] if number >= 1000 else {})}
        for number in range(count)
    ]


def outcomes_of(count: int) -> list[str]:
    return [OUTCOMES[number % 4] if number >= 1000 else "equal" for number in range(count)]


def write_lines(path: Path, rows: Sequence[dict[str, Any] | bytes]) -> str:
    path.write_bytes(b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows))
    return str(path)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
