"""Real merges: the files that both sides of a merge commit have changed, and what a person committed.

Any repository will do, a bare one too; nothing of it is run, and nothing is fetched.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Files with more bytes are left out.
LARGEST = 300_000
#: Files of one merge that are taken, so that no merge of two long branches counts for more than all others.
FILES_OF_A_MERGE = 8


@dataclass(frozen=True, slots=True)
class MergeCase:
    """A file that two sides have changed. `expected` is what it should become; None where no result is right."""

    name: str
    path: str
    base: str
    current: str
    edited: str
    expected: str | None


class GitReader:
    """Reads commits and contents of a repository."""

    def __init__(self, repository: Path) -> None:
        self._command = ["git", "-C", str(repository)]
        self._blobs = subprocess.Popen(
            [*self._command, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def close(self) -> None:
        """End the process that reads contents."""
        assert self._blobs.stdin is not None
        self._blobs.stdin.close()
        self._blobs.wait()

    def run(self, *arguments: str) -> str:
        """What a command of git prints; empty where it fails."""
        done = subprocess.run([*self._command, *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "surrogateescape")

    def text(self, blob: str) -> str | None:
        """The content of a blob; None where it is too large or no text."""
        assert self._blobs.stdin is not None
        assert self._blobs.stdout is not None
        self._blobs.stdin.write(f"{blob}\n".encode())
        self._blobs.stdin.flush()
        head = self._blobs.stdout.readline().split()
        if len(head) < 3:
            return None
        content = self._blobs.stdout.read(int(head[2]))
        self._blobs.stdout.read(1)
        if len(content) > LARGEST or b"\0" in content:
            return None
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def modified(self, before: str, after: str) -> dict[str, tuple[str, str]]:
        """The files that were modified between two commits: the blobs before and after, by path."""
        fields = self.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--diff-filter=M", before, after).split(
            "\0"
        )
        files = {}
        for head, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, old, new, _ = head.split()
            if mode.startswith("100"):
                files[path] = (old, new)
        return files


def merges(repository: Path, most: int) -> Iterator[MergeCase]:
    """Files of merge commits that both parents have changed in different ways, from all of the history."""
    git = GitReader(repository)
    rows = [line.split() for line in git.run("log", "--all", "--merges", "--format=%H %P").splitlines()]
    rows = [row for row in rows if len(row) == 3]
    count = 0
    # Merges from all times, in an order that does not depend on how many are taken.
    for row in sorted(rows):
        commit, one, other = row
        base = git.run("merge-base", one, other).split()
        if len(base) != 1:
            continue
        ours, theirs = git.modified(base[0], one), git.modified(base[0], other)
        both = sorted(path for path in ours.keys() & theirs.keys() if ours[path][1] != theirs[path][1])
        for path in both[:FILES_OF_A_MERGE]:
            result = git.run("rev-parse", f"{commit}:{path}").strip()
            texts = [git.text(blob) for blob in (*ours[path], theirs[path][1], result)]
            if None in texts:
                continue
            before, current, edited, expected = [text or "" for text in texts]
            yield MergeCase(f"{repository.parent.name} {commit[:10]}", path, before, current, edited, expected)
            count += 1
            if count >= most:
                git.close()
                return
    git.close()
