"""Real changes of repositories, written as ideal sketches and applied: `python -m benchmarks.sketches REPOSITORY…`.

A change is a file of a commit before and after. Its sketch has the changed lines with some context lines at each edge,
and a marker for everything between. `exact` is the file after the commit, byte for byte; `drift` differs in white space
alone; anything else that is written is `wrong`. Only repositories that were not used to make the rules say anything
about them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from suture import SutureError
from suture.core.line_diff import changed_blocks
from suture.place.definitions import definitions_in
from suture.place.sketches import apply_sketch

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The endings of files that are taken, and how a marker is written in them.
MARKERS = {
    **dict.fromkeys(("py", "rb", "sh"), "# ... existing code ..."),
    **dict.fromkeys(("js", "ts", "tsx", "go", "rs", "java", "c", "cpp", "cs"), "// ... existing code ..."),
}
#: Files with more lines, and changes with more parts, are left out.
MOST_LINES = 3000
MOST_PARTS = 8


class FileChange(NamedTuple):
    """A file of a commit."""

    path: str
    before: str
    after: str


def git(repository: str, *arguments: str, check: bool = True) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], check=check, capture_output=True).stdout


def changes_of(repository: str, most: int, most_of_commit: int) -> Iterator[FileChange]:
    """The files that commits without merges modify, the latest first, and the first ones of each commit."""
    options = ["--no-merges", "--diff-filter=M", "--raw", "--no-abbrev", "--format=%H", "-n", str(most * 4)]
    # A repository may be a part of one: the log ends where objects are missing.
    log = git(repository, "log", *options, check=False)
    count = of_commit = 0
    for row in log.decode("utf-8", "replace").splitlines():
        head, _, path = row.partition("\t")
        ending = path.rpartition(".")[2]
        if row and not path:
            of_commit = 0
        if not row.startswith(":") or ending not in MARKERS or of_commit >= most_of_commit:
            continue
        _, _, old, new, _ = head.split()
        try:
            before, after = (git(repository, "cat-file", "blob", name).decode() for name in (old, new))
        except (subprocess.CalledProcessError, UnicodeDecodeError):
            continue
        lines = before.split("\n")
        parts = len(changed_blocks(lines, after.split("\n")))
        if 10 < len(lines) <= MOST_LINES and 0 < parts <= MOST_PARTS and "\r" not in before + after:
            yield FileChange(path, before, after)
            count += 1
            of_commit += 1
        if count >= most:
            return


def sketch_lines(change: FileChange, context: int) -> str:
    """The change as a sketch with so many context lines at each edge; blank lines don't count as context."""
    marker = MARKERS[change.path.rpartition(".")[2]]
    before, after = change.before.split("\n"), change.after.split("\n")
    kept: set[int] = set()
    for _, _, c, d in changed_blocks(before, after):
        kept.update(range(c, d))
        for step, start in ((-1, c - 1), (1, d)):
            at, found = start, 0
            while 0 <= at < len(after) and found < context:
                kept.add(at)
                found += bool(after[at].strip())
                at += step
    out: list[str] = []
    previous = -1
    for number in sorted(kept):
        if number != previous + 1:
            out.append(marker)
        out.append(after[number])
        previous = number
    if previous < len(after) - 2:
        out.append(marker)
    return "\n".join(out)


def without_a_marker(sketch: str, path: str) -> str | None:
    """The sketch without one of the markers inside; None if there is none."""
    marker = MARKERS[path.rpartition(".")[2]]
    lines = sketch.split("\n")
    inside = [number for number, line in enumerate(lines) if line == marker and 0 < number < len(lines) - 1]
    if not inside:
        return None
    del lines[inside[len(inside) // 2]]
    return "\n".join(lines)


def definition_sketch(change: FileChange) -> str | None:
    """The changed definitions as wholes, between markers; None if more changes than inside of unique definitions."""
    marker = MARKERS[change.path.rpartition(".")[2]]
    try:
        old, new = definitions_in(change.path, change.before), definitions_in(change.path, change.after)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not old or not new or [one.name for one in old] != [one.name for one in new]:
        return None
    short = Counter(one.short_name for one in new)
    chosen: dict[str, None] = {}
    after = change.after.split("\n")
    for a, b, c, d in changed_blocks(change.before.split("\n"), after):
        around = [
            (two.last - two.own, two.name)
            for one, two in zip(old, new, strict=True)
            if one.own <= a and b - 1 <= one.last and two.own <= c and d - 1 <= two.last and short[two.short_name] == 1
        ]
        if not around:
            return None
        chosen[min(around)[1]] = None
    parts = [marker]
    for one in new:
        if one.name in chosen and one.outer not in chosen:
            parts += [*after[one.own : one.last + 1], marker]
    return "\n".join(parts)


def outcome(change: FileChange, before: str, sketch: str) -> str:
    try:
        result = apply_sketch(before, sketch, path=change.path)
    except SutureError:
        return "refused"
    if result == change.after:
        return "exact"
    assert isinstance(result, str)
    return "drift" if "".join(result.split()) == "".join(change.after.split()) else "wrong"


def main() -> None:
    """Print the counts of each style."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--most", type=int, default=300, help="changes of each repository (default 300)")
    parser.add_argument("--of-commit", type=int, default=300, help="changes of each commit (default 300)")
    parser.add_argument("--show", choices=("exact", "wrong", "refused"), help="print the sketches with this outcome")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    seconds: list[float] = []
    for repository in options.repositories:
        for change in changes_of(repository, options.most, options.of_commit):
            three = sketch_lines(change, 3)
            styles = {
                "3 context lines": (change.before, three),
                "2 context lines": (change.before, sketch_lines(change, 2)),
                "1 context line": (change.before, sketch_lines(change, 1)),
                "whole definitions": (change.before, definition_sketch(change)),
                "a marker forgotten": (change.before, without_a_marker(three, change.path)),
                "applied twice": (change.after, three),
            }
            for style, (before, sketch) in styles.items():
                if sketch is None:
                    continue
                began = time.perf_counter()
                became = outcome(change, before, sketch)
                seconds.append(time.perf_counter() - began)
                if style == "applied twice" and became == "exact":
                    # To write anything is wrong, even by chance.
                    became = "wrong"
                counts.setdefault(style, Counter())[became] += 1
                if became == options.show:
                    sys.stdout.write(f"=== {style}: {change.path}\n{sketch}\n")
    for style, found in counts.items():
        exact, total = found["exact"], sum(found.values())
        numbers = "".join(f"{found[name]:6} {name}" for name in ("exact", "drift", "wrong", "refused"))
        sys.stdout.write(f"{style:20}{numbers}  {exact / total:.1%} exact\n")
    if seconds:
        sys.stdout.write(f"median {sorted(seconds)[len(seconds) // 2] * 1000:.1f} ms\n")


if __name__ == "__main__":
    main()
