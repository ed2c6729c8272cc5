"""Data from outside: whatever it is, the exception is ours, or the ValueError of `from_json`."""

from __future__ import annotations

import json
import os
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.sites import Site, codes, envelope, updated

from suture import PatchRejectedError, SutureError, Workspace
from suture.cli.main import run
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from pathlib import Path

#: How many plans are changed at random; `SUTURE_MUTATIONS=6000` takes a minute.
MUTATIONS = int(os.environ.get("SUTURE_MUTATIONS", "200"))
LONE = ["\ud800", "\udc80", "a\udfffb"]
HUGE = 10**30

VALUES: list[Any] = [
    *(None, True, 0, -1, 1, 2**62, -(2**63), 0o4755, 0o10000, 1e308, [], {}, ["a"], {"a": 1}),
    *("", "a", "../x", "/etc/passwd", "/", "//", "\0", "\ud800", "file", "link", "folder", "absent", "YQ==", "é"),
    *("0" * 64, "x" * 5000, "a/../b", ".git/config"),
]
PATCH = envelope(
    *updated("a", "one", "ONE"),
    "*** Delete File: b",
    *("*** Update File: m", "*** Move to: n/m"),
    *("*** Update File: k", "*** Move to: l", "@@", "-k", "+K"),
    *("*** Add File: d/e", "+e"),
)


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every item of JSON data."""
    items = list(data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ())
    return [(*at, key) for key, _ in items] + [place for key, item in items for place in places(item, (*at, key))]


def mutate(chance: random.Random, data: Any) -> None:
    """Change, remove, repeat or swap one item."""
    *way, key = chance.choice(places(data))
    holder = data
    for step in way:
        holder = holder[step]
    act = chance.random()
    if act < 0.1 and isinstance(holder, dict):
        del holder[key]
    elif act < 0.2 and isinstance(holder, list):
        holder.append(json.loads(json.dumps(holder[key])))
    elif act < 0.3:
        other = data
        for step in chance.choice(places(data)):
            other = other[step]
        holder[key] = json.loads(json.dumps(other))
    else:
        holder[key] = chance.choice(VALUES)


@pytest.mark.parametrize("where", ["disk", "memory"])
def test_a_plan_that_was_changed_at_random_is_refused_or_committed(where: str, tmp_path: Path) -> None:
    chance = random.Random(9)
    contents = {"a": "one\n", "b": "b\n", "m": "m\n", "k": "k\n"}
    site = Site("disk", tmp_path)
    for number in range(MUTATIONS // 2):
        if where == "disk":
            workspace = site.workspace
            for name, content in contents.items():
                site.put(name, content)
            for name in ("l", "n/m", "d/e"):
                (tmp_path / "root" / name).unlink(missing_ok=True)
        else:
            workspace = Workspace(MemoryFiles(contents))
        data = json.loads(workspace.plan(PATCH).to_json())
        for _ in range(chance.choice((1, 1, 2, 3))):
            mutate(chance, data)
        try:
            plan = Plan.from_json(json.dumps(data))
        except ValueError:
            continue
        try:
            workspace.commit(plan)
        except SutureError:
            continue
        except Exception as error:
            raise AssertionError(number, data) from error


@pytest.mark.parametrize("change", [{"mode": 1 << 20}, {"size": 1}, {"sha256": "\ud800"}, {"kind": "folder"}])
def test_a_plan_with_impossible_values_is_refused_before_anything_is_written(
    site: Site, change: dict[str, Any]
) -> None:
    plan = site.plan("*** Add File: a", "+a")
    (file,) = plan.files
    forged = plan.replace(files=(file.replace(after=file.after.replace(**change)),))
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(forged)
    assert codes(raised) == ["invalid_arguments"]
    assert site.tree() == {}


@pytest.mark.parametrize("name", [*LONE, 5, None, ""])
def test_what_no_commit_can_be_called_is_not_found(site: Site, name: Any) -> None:
    site.apply("*** Add File: a", "+a")
    for act in (site.workspace.show, *([site.workspace.undo] if isinstance(name, str) else [])):
        with pytest.raises(PatchRejectedError) as raised:
            act(name)
        assert codes(raised) == ["not_found"]
    if name is not None:
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.log(before=name)
        assert codes(raised) == ["not_found"]


@pytest.mark.parametrize("text", LONE)
def test_a_read_is_recorded_whatever_its_texts_are(site: Site, text: str) -> None:
    site.workspace.records_of(text).record_read(site.at("a"), text, text, 1.0)
    assert site.workspace.records_of(text).last_read(site.at("a")) == (text, text, 1.0)


def test_a_limit_may_be_larger_than_any_number_of_commits(site: Site) -> None:
    site.apply("*** Add File: a", "+a")
    assert len(site.workspace.log(HUGE)) == 1
    assert site.workspace.prune(keep_seconds=HUGE**20, keep_bytes=HUGE) == 0


@pytest.mark.parametrize("expected", [{"a": None}, {"a": 5}, {5: ""}, {"a": b""}])
def test_an_expected_hash_that_is_no_text_is_refused(site: Site, expected: Any) -> None:
    site.put("a", "one\n")
    assert site.codes(*updated("a", "one", "two"), expected_sha256=expected) == ["invalid_arguments"]


def test_a_workspace_that_does_not_exist_is_not_found_by_both_names(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as raised:
        Workspace(missing)
    error = raised.value
    assert isinstance(error, PatchRejectedError)
    assert (error.filename, codes(raised)) == (str(missing), ["not_found"])
    assert str(error) == error.for_model()
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), again.problems, again.errno) == (type(error), error.problems, error.errno)


def test_a_root_that_is_no_path_is_refused() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        Workspace("/a\0b")
    assert codes(raised) == ["invalid_arguments"]


def damage(store: Path) -> None:
    """Break the text of the schema, so that SQLite's message about it is not UTF-8."""
    data = store.read_bytes()
    at = data.index(b"CREATE TABLE entry")
    store.write_bytes(data[:at] + b"\xff\xfe\xfd" + data[at + 3 :])


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_store_is_reported_by_every_call(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    with Workspace(root, state_dir=state, durability="process") as workspace:
        receipt = workspace.write("a", "a\n")
    (store,) = state.glob("*/store.db")
    if seed == 0:
        damage(store)
    else:
        data = bytearray(store.read_bytes())
        for _ in range(400):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        store.write_bytes(data)
    with Workspace(root, state_dir=state) as workspace:
        for act in (
            workspace.log,
            workspace.recover,
            lambda: workspace.read("a"),
            lambda: workspace.write("a", "b\n"),
            lambda: workspace.undo(receipt),
            lambda: workspace.records_of("s").last_read("a"),
        ):
            with pytest.raises(SutureError) as raised:
                act()
            assert codes(raised) == ["io_error"]


def test_doctor_says_what_to_do_about_a_damaged_store_and_sets_it_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root, state = tmp_path / "root", tmp_path / "state"
    root.mkdir()
    monkeypatch.setenv("SUTURE_STATE_DIR", str(state))
    with Workspace(root, durability="process") as workspace:
        workspace.write("a", "a\n")
    (store,) = state.glob("*/store.db")
    damage(store)
    assert run(["doctor", "--root", str(root)]) == 1
    assert "suture doctor --set-aside" in capsys.readouterr().out
    assert run(["doctor", "--root", str(root), "--set-aside"]) == 0
    assert "set aside" in capsys.readouterr().out
    assert len(list(store.parent.glob("store.db.damaged-*"))) == 1
    with Workspace(root, durability="process") as workspace:
        workspace.write("a", "b\n")
        assert len(workspace.log()) == 1
