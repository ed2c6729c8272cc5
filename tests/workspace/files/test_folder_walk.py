"""Walks of directories that are not reached through a workspace."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place

from suture.agent.diagnostics.watched_files import CREATED, WatchedFiles
from suture.core.common_limits import DEEPEST_FOLDER
from suture.workspace.files.folder_walk import walk_folders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A directory that is removed by a program that does not recurse: pytest could not do it."""
    folder = tmp_path / "deep"
    folder.mkdir()
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def make_deep(folder: Path, depth: int) -> None:
    """A chain of directories with a file in each, which may be deeper than a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        here = below
    os.close(here)


def test_files_come_sorted_and_before_those_of_directories_and_links_are_not_followed(tmp_path: Path) -> None:
    for name in ("b/z", "b/y", "a/x", "skipped/x", "c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("b")
    walked = walk_folders(str(tmp_path), lambda name: name == "skipped")
    listed = [(prefix, [entry.name for entry in entries]) for prefix, entries in walked]
    assert listed == [("", ["c", "link"]), ("a/", ["x"]), ("b/", ["y", "z"])]


@pytest.mark.parametrize("depth", [DEEPEST_FOLDER, DEEPEST_FOLDER + 1, 3000])
def test_a_walk_ends_where_directories_are_nested_too_deeply(deep_folder: Path, depth: int) -> None:
    make_deep(deep_folder, depth)
    errors: list[OSError] = []
    walked = list(walk_folders(str(deep_folder), lambda _: False, errors.append))
    assert len(walked) == DEEPEST_FOLDER + 1
    expected = ["directories are nested more than 100 levels deep"] if depth > DEEPEST_FOLDER else []
    assert [error.strerror for error in errors] == expected


def test_all_who_walk_bear_a_tree_that_is_deeper_than_python_can_recurse(deep_folder: Path) -> None:
    place = Place(deep_folder)
    make_deep(place.root, 1500)
    done = place.suture("diff", ".", ".")
    assert done.status == 1
    assert "directories are nested more than 100 levels deep" in done.err
    watched = WatchedFiles(str(place.root))
    assert watched.changes() == {}
    place.write("new", "")
    assert watched.changes() == {str(place.root / "new"): CREATED}
