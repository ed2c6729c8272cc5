"""State that another user owns, or can write to, is not used: no trust, no answer, no journal, no refused edit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import edit_request

from suture import PatchRejectedError, Workspace
from suture.agent.answers import Answer
from suture.agent.approval_folder import ApprovalFolder
from suture.agent.configuration import load, trust
from suture.state.approval_requests import ANSWER, REQUEST
from suture.state.private_files import check_private_folders, make_private_folder, read_private
from suture.state.refused_files import RefusedEdit, RefusedEdits
from suture.state.state_folder import approvals_path, state_folder

if TYPE_CHECKING:
    from collections.abc import Callable

SETTINGS = '[[formatters]]\nglob = "*"\ncommand = ["x"]\n'
REFUSED = RefusedEdit("1", 1.0, "/w", "edit", "patch", (), expires=1e12)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state directory, which does not exist yet."""
    folder = tmp_path / "state"
    monkeypatch.setenv("SUTURE_STATE_DIR", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


@pytest.fixture
def root(tmp_path: Path, base: Path) -> Path:
    """A project whose settings are trusted, with a commit, a refused edit and the directory of its requests."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / ".suture.toml").write_text(SETTINGS)
    trust(str(folder))
    with Workspace(folder) as workspace:
        workspace.edit("a.txt", "one", "two")
    RefusedEdits(str(folder)).keep(REFUSED)
    assert [path.stat().st_mode & 0o777 for path in (base, base / "trusted")] == [0o700, 0o600]
    return folder


def open_to_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - as the others
    path.chmod(0o777)


def open_to_group(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    path.chmod(0o770)


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a file that of another user: by the administrator really, otherwise by becoming somebody else."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        another = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: another)


@pytest.fixture(params=[open_to_all, open_to_group, give_away])
def expose(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    return lambda path: request.param(path, monkeypatch)


@pytest.mark.parametrize("name", [".", "trusted"])
def test_nothing_is_trusted(root: Path, base: Path, name: str, expose: Callable[[Path], None]) -> None:
    assert load(str(root)).untrusted == ()
    expose(base / name)
    assert load(str(root)).untrusted == ("formatters",)


def test_a_link_in_the_place_of_what_is_trusted_is_not_followed(root: Path, base: Path) -> None:
    (base / "trusted").rename(base / "elsewhere")
    (base / "trusted").symlink_to("elsewhere")
    assert load(str(root)).untrusted == ("formatters",)
    trust(str(root))
    assert load(str(root)).untrusted == ()


def test_a_base_of_others_is_refused_with_what_to_do(root: Path, base: Path, expose: Callable[[Path], None]) -> None:
    expose(base)
    with Workspace(root) as workspace:
        for use in (
            lambda: workspace.edit("a.txt", "two", "three"),
            lambda: trust(str(root)),
            lambda: workspace.undo("a"),
        ):
            with pytest.raises(PatchRejectedError) as caught:
                use()
            (problem,) = caught.value.problems
            assert problem.message.startswith(f"The state is not kept in {base}: ")
            assert f"chmod go-w {base}" in problem.hint
    assert (root / "a.txt").read_text() == "two\n"
    with pytest.raises(PatchRejectedError):
        state_folder(str(root))


def test_refused_edits_of_others_are_neither_read_nor_kept(root: Path, expose: Callable[[Path], None]) -> None:
    kept = RefusedEdits(str(root))
    assert kept.all() == [REFUSED]
    expose(Path(kept.folder))
    assert kept.all() == []
    kept.keep(REFUSED.replace(id="2"))
    assert [path.name for path in Path(kept.folder).iterdir()] == ["1.json"]


@pytest.mark.parametrize("part", ["answer", "request", "folder", "all requests", "base"])
def test_an_answer_of_others_does_not_count(root: Path, base: Path, part: str, expose: Callable[[Path], None]) -> None:
    request = edit_request()
    folder = ApprovalFolder(approvals_path(str(root)))
    folder.put(request)
    folder.reply(request.id, Answer("once"))
    assert folder.answer(request) == Answer("once")
    here = folder.path / request.id
    places = {"answer": here / ANSWER, "request": here, "folder": folder.path, "all requests": base / "approvals"}
    expose(places.get(part, base))
    assert folder.answer(request) is None
    folder.withdraw(request)


def test_a_request_of_others_is_not_shown(root: Path, expose: Callable[[Path], None]) -> None:
    request = edit_request()
    folder = ApprovalFolder(approvals_path(str(root)))
    folder.put(request)
    assert folder.pending() == [request]
    expose(folder.path / request.id / REQUEST)
    assert folder.pending() == []
    folder.withdraw(request)


def test_every_directory_is_made_for_the_user_alone_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(str(tmp_path / "a/b/c"))
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_the_base_may_be_a_link_but_nothing_below_it(tmp_path: Path) -> None:
    make_private_folder(str(tmp_path / "real/below"))
    (tmp_path / "real/below/file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    assert read_private(str(tmp_path / "link"), str(tmp_path / "link/below/file"), 10) == b"x"
    (tmp_path / "real/other").symlink_to("below")
    with pytest.raises(OSError, match="not what Suture has put there"):
        check_private_folders(str(tmp_path / "real"), str(tmp_path / "real/other"))
