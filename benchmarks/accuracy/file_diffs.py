"""The diffs of commits as `git` prints them, one for each file, with the file before and after.

Files that are no text in UTF-8, links and submodules are left out, and so are paths that `git` quotes.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .repositories import changed_files, name_of, run_git, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

#: At most so many commits are looked at, so many of these are taken, and so many files of one commit.
COMMITS = 6_000
COMMITS_TAKEN = 250
FILES_OF_A_COMMIT = 12
#: An older or a newer version of a file is at most so many changes away.
MOST_STEPS = 10
EMPTY_BLOB = "0" * 40
REGULAR = ("100644", "100755")
COMMIT = re.compile(rb"(?m)^([0-9a-f]{40})\n")
#: The line of a file in git's raw format: modes, blobs, a letter with a score, and one path or two.
RAW = re.compile(rb"(?m)^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) ([A-Z])\d*\t(.*)$")


@dataclass(frozen=True, slots=True)
class File:
    """A file by its path, with git's mode of it."""

    path: str
    mode: str
    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a commit did to one file; there is no file before it was added, and none after it was deleted.

    `older` and `newer` are texts of the file from some commits earlier and later, where it was only modified.
    """

    source: str
    commit: str
    before: File | None
    after: File | None
    diff: str
    older: str | None = None
    newer: str | None = None

    @property
    def name(self) -> str:
        """Repository, commit and path."""
        file = self.after or self.before
        assert file is not None, "BUG: a diff of no file"
        return f"{self.source}@{self.commit[:8]}:{file.path}"


@dataclass(frozen=True, slots=True)
class _Row:
    modes: tuple[str, str]
    blobs: tuple[str, str]
    paths: tuple[str, str]


def load(paths: Iterable[Path], context: int) -> list[FileDiff]:
    """Diffs of all the repositories with so many lines of context, in a fixed order that mixes them.

    Raises:
        OSError: There is no git repository at a path.
    """
    diffs = [diff for path in paths for diff in diffs_of(path, context)]
    random.Random("diffs").shuffle(diffs)
    return diffs


def diffs_of(path: Path, context: int) -> Iterator[FileDiff]:
    """The diffs of some commits of a repository.

    Raises:
        OSError: There is no git repository at the path.
    """
    listed = run_git(path, "rev-list", "--no-merges", f"--max-count={COMMITS}", "HEAD").decode().split()
    commits = sorted(listed)
    random.Random(name_of(path)).shuffle(commits)
    rows = list(_rows(_printed(path, commits[:COMMITS_TAKEN], context)))
    neighbours = _neighbours(path)
    others = {commit_and_path: neighbours.get(commit_and_path, ("", "")) for commit_and_path in map(_key, rows)}
    blobs = {blob for _, row, _ in rows for blob in row.blobs}.union(*others.values()) - {EMPTY_BLOB, ""}
    texts = texts_of(path, blobs)
    for commit, row, diff in rows:
        sides = [_file(*side, texts) for side in zip(row.paths, row.modes, row.blobs, strict=True)]
        if "unknown" in sides or b"\nBinary files " in diff:
            continue
        try:
            text = diff.decode()
        except UnicodeDecodeError:
            continue
        before, after = (side for side in sides if not isinstance(side, str))
        older, newer = others[commit, row.paths[1]]
        yield FileDiff(name_of(path), commit, before, after, text, texts.get(older), texts.get(newer))


def _key(row: tuple[str, _Row, bytes]) -> tuple[str, str]:
    return row[0], row[1].paths[1]


def _neighbours(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """By commit and path, the blob of the file some changes earlier, and the one some changes later."""
    histories: dict[str, list[tuple[str, str, str]]] = {}
    for commit, file, before, after in changed_files(path):
        histories.setdefault(file, []).append((commit, before, after))
    neighbours = {}
    for file, history in histories.items():
        for i, (commit, _, _) in enumerate(history):
            steps = random.Random(commit + file).randint(1, MOST_STEPS)
            older, newer = history[i + 1 : i + 1 + steps], history[max(0, i - steps) : i]
            neighbours[commit, file] = (older[-1][1] if older else "", newer[0][2] if newer else "")
    return neighbours


def _printed(path: Path, commits: Sequence[str], context: int) -> bytes:
    """The commits as git prints them; without those of which the repository lacks a blob."""
    try:
        return run_git(
            path, "diff-tree", "--stdin", "--root", "-r", "-M", "--raw", "-p", f"-U{context}", "--no-ext-diff",
            "--no-textconv", "--no-color", given="".join(f"{commit}\n" for commit in commits).encode(),
        )  # fmt: skip
    except OSError:
        if len(commits) <= 1:
            return b""
        half = len(commits) // 2
        return _printed(path, commits[:half], context) + _printed(path, commits[half:], context)


def _rows(printed: bytes) -> Iterator[tuple[str, _Row, bytes]]:
    """Commit, row and diff of each file."""
    parts = COMMIT.split(printed)
    for commit, content in zip(parts[1::2], parts[2::2], strict=True):
        raw, _, patch = content.partition(b"\n\n")
        diffs = [b"diff --git " + diff for diff in re.split(rb"(?m)^diff --git ", patch)[1:]]
        rows = [_row(match) for match in RAW.finditer(raw)]
        if len(rows) != len(diffs):
            continue
        for row, diff in list(zip(rows, diffs, strict=True))[:FILES_OF_A_COMMIT]:
            if row is not None:
                yield commit.decode(), row, diff


def _row(match: re.Match[bytes]) -> _Row | None:
    """The row of a file; nothing where a path is quoted or no text."""
    try:
        one, _, other = match[6].decode().partition("\t")
    except UnicodeDecodeError:
        return None
    if '"' in one + other:
        return None
    return _Row((match[1].decode(), match[2].decode()), (match[3].decode(), match[4].decode()), (one, other or one))


def _file(path: str, mode: str, blob: str, texts: Mapping[str, str]) -> File | str | None:
    """The file on one side of a diff; `unknown` where its text is not to be had."""
    if mode == "000000":
        return None
    if mode not in REGULAR or blob not in texts:
        return "unknown"
    return File(path, mode, texts[blob])
