"""Which directory a server works in. Nothing here needs the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError
from suture.mcp.workspace_roots import choose_roots, path_of

if TYPE_CHECKING:
    from pathlib import Path


def test_the_roots_of_a_client_are_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, first, second = (tmp_path / name for name in ("home", "a b", "second"))
    for folder in (home, first / "inside", second):
        folder.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(tmp_path)
    uris = [first.as_uri(), second.as_uri(), (first / "inside").as_uri(), second.as_uri(), home.as_uri(), "file:///"]
    assert choose_roots(None, uris) == (str(first), str(second))
    assert choose_roots(None, ["https://example.com/x", second.as_uri()]) == (str(second),)
    assert choose_roots(str(second), uris) == (str(second),)
    for wrong in (home.as_uri(), tmp_path.as_uri(), "file:///", (tmp_path / "none").as_uri()):
        with pytest.raises(PatchRejectedError):
            choose_roots(None, [wrong, second.as_uri()])
    for wrong_root in ("/", str(home), "home", str(tmp_path / "none")):
        with pytest.raises(PatchRejectedError):
            choose_roots(wrong_root)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///C:/a%20b", "C:/a b"),
        ("file:///c%3A/a", "c:/a"),
        ("file://localhost/C:/a", "C:/a"),
        ("file://server/share/a", ""),
        ("https://example.com/C:/a", ""),
        ("file:///", "/"),
    ],
)
def test_a_root_on_windows_has_its_drive(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path
