"""Diffs of real commits as `git` prints them, file by file, beside `git apply`.

The ways, with 0, 1 or 3 lines of context where the name ends in a number:

- `pristine_*`: the diff on the file that it was made for;
- `added`, `added_executable`, `added_empty`, `deleted`, `renamed`: files that come and go; the mode of an added file
  counts;
- `filled`, `emptied`: a diff that begins with an existing empty file (`@@ -0,0`), or ends with one, made from files
  that were added;
- `twice_*`: the diff on its own result, where only a refusal or no change is right;
- `older_*`, `newer_*`: the diff on a version of the file from up to ten changes earlier or later. What is right is the
  three-way merge of `git merge-file`. Where that has conflicts, the case is left out; where it leaves the file as it
  is, a refusal is right.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.accuracy import file_diffs
from benchmarks.accuracy.cases import Case
from benchmarks.accuracy.file_diffs import File, FileDiff
from benchmarks.accuracy.forms import RefusalError
from benchmarks.accuracy.peers import Answer

from .family import Family, Quota

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from benchmarks.accuracy.spoil import Expectation

CONTEXTS = (0, 1, 3)
STALE_CONTEXTS = (1, 3)
WHOLE_FILES = ("added", "added_executable", "added_empty", "deleted", "renamed", "filled", "emptied")
WAYS = (
    *(f"pristine_{context}" for context in CONTEXTS),
    *WHOLE_FILES,
    *(f"twice_{context}" for context in CONTEXTS),
    *(f"twice_{way}" for way in WHOLE_FILES),
    *(f"{age}_{context}" for age in ("older", "newer") for context in STALE_CONTEXTS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCase(Case):
    """A diff of one file and the files that are there; `before` and `after` list their texts."""

    diff: str
    files: tuple[File, ...]
    #: Whether the modes of the files count.
    has_modes: bool

    def shown(self) -> str:
        """The diff."""
        return self.diff


def listing(files: Iterable[File], *, has_modes: bool) -> str:
    """All files as one text, so that two directories can be compared."""
    texts = []
    for file in sorted(files, key=lambda file: file.path):
        mode = f" {file.mode}" if has_modes else ""
        texts.append(f"=== {file.path}{mode}\n{file.text}")
    return "".join(texts)


def cases_of(diff: FileDiff, context: int, quota: Quota) -> Iterator[DiffCase]:
    """A diff with so many lines of context as it is, sent twice, on another version, and with an empty file."""
    way = _way(diff, context)
    if way is None:
        return
    yield from _once_and_twice(diff, way)
    if way == "added" and context == CONTEXTS[-1]:
        yield from _once_and_twice(_filled(diff), "filled")
        yield from _once_and_twice(_emptied(diff), "emptied")
    if diff.before is not None and way.startswith("pristine") and context in STALE_CONTEXTS:
        for age, text in (("older", diff.older), ("newer", diff.newer)):
            stale_way = f"{age}_{context}"
            if text is not None and quota.is_open(stale_way):
                stale = _stale(diff, stale_way, replace(diff.before, text=text))
                if stale is not None:
                    yield stale


def _way(diff: FileDiff, context: int) -> str | None:
    """The way of a diff; nothing for what is the same with another number of lines of context, or empty."""
    if diff.before is not None and diff.after is not None and diff.before.path == diff.after.path:
        return f"pristine_{context}" if diff.before.text != diff.after.text else None
    if context != CONTEXTS[-1]:
        return None
    if diff.after is None:
        return "deleted"
    if diff.before is not None:
        return "renamed"
    if not diff.after.text:
        return "added_empty"
    return "added_executable" if diff.after.mode == "100755" else "added"


def _once_and_twice(diff: FileDiff, way: str) -> Iterator[DiffCase]:
    before = [] if diff.before is None else [diff.before]
    after = [] if diff.after is None else [diff.after]
    yield _case(diff, way, before, after, "after")
    twice = way.replace("pristine", "twice") if way.startswith("pristine") else f"twice_{way}"
    yield replace(_case(diff, twice, after, after, "refuse"), safety=True)


def _case(
    diff: FileDiff, way: str, before: Sequence[File], after: Sequence[File], expectation: Expectation
) -> DiffCase:
    has_modes = "added" in way
    return DiffCase(
        name=diff.name,
        way=way,
        detail="",
        path=diff.name.partition(":")[2],
        before=listing(before, has_modes=has_modes),
        after=listing(after, has_modes=has_modes),
        expectation=expectation,
        diff=diff.diff,
        files=tuple(before),
        has_modes=has_modes,
    )


def _filled(diff: FileDiff) -> FileDiff:
    """The diff of an added file as that of an empty file which gets the same lines."""
    assert diff.after is not None, "BUG: an added file is there afterwards"
    head, hunk_mark, hunk = diff.diff.partition("\n@@ ")
    head = head.replace(f"new file mode {diff.after.mode}\n", "").replace("index 0000000..", "index e69de29..")
    head = head.replace("--- /dev/null", f"--- a/{diff.after.path}")
    return replace(diff, before=replace(diff.after, text=""), diff=head + hunk_mark + hunk)


def _emptied(diff: FileDiff) -> FileDiff:
    """The diff of an added file, backwards, as that of a file which becomes empty."""
    assert diff.after is not None, "BUG: an added file is there afterwards"
    path = diff.after.path
    head, _, hunk = diff.diff.partition("\n@@ ")
    blob = head.partition("index 0000000..")[2].partition("\n")[0]
    numbers, _, lines = hunk.partition("\n")
    size = numbers.partition("+")[2].partition(" ")[0]
    removed = "".join(f"-{line[1:]}" if line.startswith("+") else line for line in lines.splitlines(keepends=True))
    text = (
        f"diff --git a/{path} b/{path}\nindex {blob}..e69de29 {diff.after.mode}\n"
        f"--- a/{path}\n+++ b/{path}\n@@ -{size} +0,0 @@\n{removed}"
    )
    return replace(diff, before=diff.after, after=replace(diff.after, text=""), diff=text)


def _stale(diff: FileDiff, way: str, file: File) -> DiffCase | None:
    """The diff on another version of the file; nothing where a merge has conflicts."""
    assert diff.before is not None, "BUG: a modified file was there before"
    assert diff.after is not None, "BUG: a modified file is there afterwards"
    if file.text == diff.before.text:
        return None
    merged = merge(file.text, diff.before.text, diff.after.text)
    if merged is None:
        return None
    if merged == file.text:
        return replace(_case(diff, way, [file], [file], "refuse"), safety=True)
    return _case(diff, way, [file], [replace(file, text=merged)], "after")


def merge(ours: str, base: str, theirs: str) -> str | None:
    """The merge of two changes to a text; nothing where they conflict."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, text in zip(paths, (ours, base, theirs), strict=True):
            path.write_bytes(text.encode())
        done = subprocess.run(["git", "merge-file", "-p", *map(str, paths)], capture_output=True, check=False)
        return done.stdout.decode() if done.returncode == 0 else None


def suture(case: DiffCase) -> Answer:
    """Suture, in memory; on the disk where modes count."""
    if case.has_modes:
        return _in_a_directory(case, _apply_in_workspace)
    from suture import apply_in_memory

    done = apply_in_memory(case.diff, {file.path: file.text.encode() for file in case.files})
    files = []
    for path, content in done.texts.items():
        text = content if isinstance(content, str) else content.decode()
        files.append(File(path, "", text))
    tiers = tuple(match.tier for change in done.plan.changes for match in change.matches)
    return Answer(listing(files, has_modes=False).encode(), tiers)


def _apply_in_workspace(case: DiffCase, folder: Path) -> None:
    from suture import Workspace

    with (
        tempfile.TemporaryDirectory() as state,
        Workspace(folder, durability="process", history=False, state_dir=state) as workspace,
    ):
        workspace.apply(case.diff)


def git_apply(case: DiffCase) -> Answer:
    """`git apply`, which is told where a diff has no context."""
    return _in_a_directory(case, _run_git_apply)


def _run_git_apply(case: DiffCase, folder: Path) -> None:
    command = ["git", "apply", "--whitespace=nowarn"]
    if case.way.endswith("_0"):
        command.append("--unidiff-zero")
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = subprocess.run(
        [*command, "-"], cwd=folder, input=case.diff.encode(), capture_output=True, env=environment, check=False
    )
    if done.returncode:
        raise RefusalError(done.stderr.decode(errors="replace")[:300])


def _in_a_directory(case: DiffCase, apply: Callable[[DiffCase, Path], None]) -> Answer:
    """The files of a case in a directory of their own, after a tool has worked there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in case.files:
            path = folder / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.text.encode())
            path.chmod(0o755 if file.mode == "100755" else 0o644)
        apply(case, folder)
        files = []
        for path in folder.rglob("*"):
            if path.is_file():
                mode = "100755" if path.stat().st_mode & 0o100 else "100644"
                files.append(File(path.relative_to(folder).as_posix(), mode, path.read_bytes().decode()))
        return Answer(listing(files, has_modes=case.has_modes).encode())


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[DiffCase]:
    """At most so many cases of each way."""
    paths = list(paths)
    diffs = ((diff, context) for context in CONTEXTS for diff in file_diffs.load(paths, context))
    quota = Quota(each, only or WAYS)
    return quota.take(case for diff, context in diffs for case in cases_of(diff, context, quota))


FAMILY = Family(
    "diffs of commits, sent once, twice, and to other versions of the file",
    WAYS,
    make,
    {"suture": suture, "git apply": git_apply},
    cases_of_each=1_000,
)
