"""Merges that would be wrong, in every way in which an edit can be merged: all of them refuse, and write nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.place.test_rebase_attacks import ATTACKS, Attack
from tests.shared.agents import ALLOW

from suture import PatchRejectedError, SyncSession, Workspace, parse, rebase, unified_diff

#: One attack of each rule, the last of the table.
LAST = {attack.rule: name for name, attack in ATTACKS.items() if attack.rule}


@pytest.fixture(params=sorted(LAST.values()))
def attack(request: pytest.FixtureRequest) -> Attack:
    return ATTACKS[request.param]


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "root").mkdir()
    return Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process")


def put(place: Workspace, attack: Attack, text: str) -> None:
    Path(place.root, attack.path).write_bytes(text.encode())


def conflict_of(refused: pytest.ExceptionInfo[PatchRejectedError]) -> str:
    (problem,) = refused.value.problems
    assert problem.code == "conflict"
    return str(problem.details["rule"])


def test_the_function_refuses(attack: Attack) -> None:
    edit = parse(unified_diff(attack.base, attack.edited, attack.path))
    with pytest.raises(PatchRejectedError) as refused:
        rebase(attack.base, attack.current, edit, attack.path)
    assert conflict_of(refused) == attack.rule


def test_a_session_refuses(place: Workspace, attack: Attack) -> None:
    put(place, attack, attack.base)
    with SyncSession(place, rules=ALLOW) as session:
        session.read(attack.path)
        put(place, attack, attack.current)
        with pytest.raises(PatchRejectedError) as refused:
            session.write(attack.path, attack.edited)
    assert conflict_of(refused) == attack.rule
    assert Path(place.root, attack.path).read_bytes().decode() == attack.current


def test_the_merge_of_an_isolated_session_refuses(place: Workspace, attack: Attack) -> None:
    put(place, attack, attack.base)
    with SyncSession(place, rules=ALLOW, isolated=True) as session:
        session.read(attack.path)
        session.write(attack.path, attack.edited)
        put(place, attack, attack.current)
        with pytest.raises(PatchRejectedError) as refused:
            session.merge()
    assert conflict_of(refused) == attack.rule
    assert Path(place.root, attack.path).read_bytes().decode() == attack.current


def test_undo_refuses(place: Workspace, attack: Attack) -> None:
    put(place, attack, attack.edited)
    first = place.apply(unified_diff(attack.edited, attack.base, attack.path))
    place.apply(unified_diff(attack.base, attack.current, attack.path))
    with pytest.raises(PatchRejectedError):
        place.undo(first.id, merge=True)
    assert Path(place.root, attack.path).read_bytes().decode() == attack.current
