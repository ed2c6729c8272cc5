"""What is read of a repository: contents up to a limit, commits by their names, and which paths are repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared import transcripts as made

from suture.replay import git_history
from suture.replay.git_history import GitHistory
from suture.replay.sources import Source, given_places

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made.repository(tmp_path, made.BEFORE, made.AFTER, name="a.py")
    return tmp_path


def test_a_content_is_read_up_to_the_limit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(made.AFTER)
    with GitHistory(str(repository)) as history:
        monkeypatch.setattr(git_history, "LARGEST_CONTENT", size)
        assert history.content_at("HEAD", "a.py") == made.AFTER.encode()
        # What is not read does not get into the next content.
        monkeypatch.setattr(git_history, "LARGEST_CONTENT", size - 1)
        assert history.content_at("HEAD", "a.py") is None
        monkeypatch.setattr(git_history, "LARGEST_CONTENT", size)
        assert history.content_at("HEAD^", "a.py") == made.BEFORE.encode()


def test_a_commit_is_known_by_what_names_it_and_no_option_is_one(repository: Path) -> None:
    head = made.git(repository, "rev-parse", "HEAD").strip()
    with GitHistory(str(repository)) as history:
        assert history.commit("HEAD") == history.commit(head[:10]) == head
        assert [history.commit(name) for name in ("nobody", "--all", "-q")] == ["", "", ""]
        assert history.failure == ""


def test_a_repository_is_one_source_and_what_is_in_its_folder_another(repository: Path) -> None:
    bare = repository / "bare"
    made.git(repository, "clone", "-q", "--bare", ".", str(bare))
    plain = repository / "plain"
    plain.mkdir()
    assert list(given_places(map(str, (repository, bare, plain)))) == [
        Source(repository, is_repository=True),
        Source(repository),
        Source(bare, is_repository=True),
        Source(plain),
    ]
