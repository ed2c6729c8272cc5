"""The programs without enough descriptors: what they say about the disk is true, and the advice names the limit."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Done, Place

if TYPE_CHECKING:
    from pathlib import Path


def run_with(descriptors: int, place: Place, *arguments: str) -> Done:
    """Run `suture` with so many descriptors."""
    script = f'ulimit -n {descriptors}; exec "$0" "$@"'
    done = subprocess.run(
        ["bash", "-c", script, str(BIN / "suture"), *arguments],
        cwd=place.root,
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("old", ["    return 1", "    return nothing_like_it"], ids=["fits", "does not fit"])
@pytest.mark.parametrize("descriptors", range(5, 16))
def test_what_is_said_about_the_disk_is_true(tmp_path: Path, descriptors: int, old: str) -> None:
    place = Place(tmp_path)
    done = run_with(descriptors, place, "edit", "app.py", "--old", old, "--new", "    return 11")
    text = (place.root / "app.py").read_text()
    if done.status == 0:
        assert text != APP
        return
    assert text == APP
    assert "No file was changed." in done.err
    assert "may have been changed" not in done.err
    assert "may be changed" not in done.err
    if "Too many open files" in done.err:
        assert "raise the limit (`ulimit -n`)" in done.err
        assert "disk space" not in done.err
    # With enough of them, it goes on.
    assert place.suture("edit", "app.py", "--old", "    return 1\n", "--new", "    return 11\n").status == 0
