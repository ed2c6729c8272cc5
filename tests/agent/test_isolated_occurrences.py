"""An edit in isolation that replaces every occurrence does not leave one that the workspace got since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW

from suture import PatchRejectedError, SyncSession, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "a(1)\n\nb()\n\na(2)\n\nc()\n"


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "root" / "src").mkdir(parents=True)
    return Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process", actor="bob")


@pytest.fixture
def session(place: Workspace) -> Iterator[SyncSession]:
    with SyncSession(place, id="one", rules=ALLOW, isolated=True, profile="all") as session:
        yield session


def start(place: Workspace, session: SyncSession) -> Path:
    path = Path(place.root) / "src" / "a.js"
    path.write_text(TEXT)
    session.read("src/a.js")
    assert not session.edit("src/a.js", "a(", "aa(", replace_all=True).is_error
    path.write_text(TEXT.replace("c()", "a(3)"))
    return path


def test_a_new_one_is_a_conflict(place: Workspace, session: SyncSession) -> None:
    path = start(place, session)
    later = path.read_text()
    with pytest.raises(PatchRejectedError, match=r"a\(3\)") as refused:
        session.merge()
    assert refused.value.problems[0].details["rule"] == "every-occurrence"
    assert path.read_text() == later


def test_also_after_the_file_was_moved(place: Workspace, session: SyncSession) -> None:
    start(place, session)
    session.move("src/a.js", "src/b.js")
    session.move("src/b.js", "src/c.js")
    with pytest.raises(PatchRejectedError, match="every occurrence"):
        session.merge()


def test_also_in_another_process(place: Workspace, session: SyncSession) -> None:
    start(place, session)
    again = SyncSession(place, id="one", rules=ALLOW, isolated=True, profile="all")
    with again, pytest.raises(PatchRejectedError, match="every occurrence"):
        again.merge()


def test_what_the_session_took_back_does_not_count(place: Workspace, session: SyncSession) -> None:
    path = start(place, session)
    session.edit("src/a.js", "b()", "bb()")
    session.edit("src/a.js", "aa(", "a(", replace_all=True)
    assert not session.merge().is_error
    assert path.read_text() == "a(1)\n\nbb()\n\na(2)\n\na(3)\n"
