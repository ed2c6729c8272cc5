"""Pairs of edits and formatters, from the commits of a repository: what two agents do to one file at the same time."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from suture.core.line_diff import changed_blocks, split_lines

from .merge_cases import GitReader, MergeCase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from suture.core.line_diff import Block

#: Commands that format standard input, by the endings of files.
FORMATTERS = {
    "py": ["ruff", "format", "--isolated", "--stdin-filename", "a.py", "-"],
    "rs": ["rustfmt", "--edition", "2021", "--emit", "stdout"],
    "go": ["gofmt"],
    "js": ["prettier", "--stdin-filepath", "a.js"],
    "ts": ["prettier", "--stdin-filepath", "a.ts"],
}


def updates(repository: Path, most: int) -> Iterator[tuple[str, str, str, str]]:
    """Text files that commits have changed: the commit, the path, the texts before and after."""
    git = GitReader(repository)
    commits = git.run("log", "--all", "--no-merges", "--format=%H").split()
    count = 0
    for commit in sorted(commits):
        for path, blobs in list(git.modified(f"{commit}^", commit).items())[:3]:
            before, after = (git.text(blob) for blob in blobs)
            if before is None or after is None:
                continue
            yield f"{repository.parent.name} {commit[:10]}", path, before, after
            count += 1
            if count >= most:
                git.close()
                return
    git.close()


def with_blocks(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block]) -> str:
    """The old text with some of the blocks that differ made as in the new one."""
    parts: list[str] = []
    done = 0
    for a, b, c, d in blocks:
        parts += [*old[done:a], *new[c:d]]
        done = b
    return "".join([*parts, *old[done:]])


def two_agents(repository: Path, most: int) -> Iterator[tuple[str, MergeCase]]:
    """Two edits of one file: at least a line apart, adjacent, or overlapping."""
    counts = {"apart": 0, "adjacent": 0, "overlapping": 0}
    for name, path, before, after in updates(repository, 20 * most):
        old, new = split_lines(before), split_lines(after)
        blocks = changed_blocks(old, new)
        for kind, current, edited, expected in _pairs(old, new, blocks):
            case = MergeCase(name, path, before, current, edited, expected)
            if counts[kind] < most and len({before, current, edited}) == 3:
                counts[kind] += 1
                yield kind, case
        if min(counts.values()) >= most:
            return


def _pairs(old: list[str], new: list[str], blocks: Sequence[Block]) -> Iterator[tuple[str, str, str, str | None]]:
    """Of the changes of one commit: two of them, the two halves of one, and one against another edit of its lines."""
    if len(blocks) > 1:
        one, other = blocks[0], blocks[1]
        texts = [with_blocks(old, new, chosen) for chosen in ([one], [other], [one, other])]
        yield "apart", texts[0], texts[1], texts[2]
    for a, b, c, d in blocks[:1]:
        middle = a + 1
        if b - a > 1 and d - c == b - a:
            halves = (a, middle, c, c + 1), (middle, b, c + 1, d)
            texts = [with_blocks(old, new, [half]) for half in halves]
            yield "adjacent", texts[0], texts[1], with_blocks(old, new, [(a, b, c, d)])
        if a > 0 and b < len(old) and b > a:
            # The other side removes the same lines and one around them: both can't be had.
            gone = "".join([*old[: a - 1], *old[b + 1 :]])
            yield "overlapping", with_blocks(old, new, [(a, b, c, d)]), gone, None


def formatted(text: str, ending: str) -> str | None:
    """A text as a formatter leaves it; None where there is no formatter, or it can't read the text."""
    command = FORMATTERS.get(ending)
    program = shutil.which(command[0]) if command else None
    if command is None or program is None:
        return None
    done = subprocess.run([program, *command[1:]], input=text.encode(), capture_output=True, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def formatters(repository: Path, most: int) -> Iterator[MergeCase]:
    """Edits that were written before a formatter ran on the file. What is expected is the edit, formatted."""
    count = 0
    for name, path, before, after in updates(repository, 40 * most):
        ending = path.rpartition(".")[2]
        if ending not in FORMATTERS or len(before) > 60_000:
            continue
        old, new = split_lines(before), split_lines(after)
        edited = with_blocks(old, new, changed_blocks(old, new)[:1])
        current = formatted(before, ending)
        expected = formatted(edited, ending) if current and current != before else None
        if current is None or expected is None or edited == before:
            continue
        yield MergeCase(name, path, before, current, edited, expected)
        count += 1
        if count >= most:
            return
