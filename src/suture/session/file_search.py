"""Finding files by name and by content, within the guard and the rules, for the tools `glob` and `grep`.

Everything has a limit: how many entries are visited, how many bytes are read, how much is shown, and how long a regular
expression may take. Links are not followed. What `.gitignore` excludes is left out, as git does it, also in directories
below.
"""

from __future__ import annotations

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from re import Pattern
    from typing import TypeAlias

    from pathspec import GitIgnoreSpec

    from ..workspace.files import Stat
    from ..workspace.guard import Guard, ResolvedPath

    #: The `.gitignore` files above a directory, outermost first, each with the directory that it is in.
    Ignores: TypeAlias = tuple[tuple[str, GitIgnoreSpec], ...]

#: How many files and directories a search visits.
MOST_VISITED = 50_000
#: How many files or lines an answer has, and how many characters of a line it shows.
MOST_FOUND = 200
LONGEST_LINE = 300
#: The size in bytes of the largest file that is searched, and of all files together.
LARGEST_FILE = 2_000_000
MOST_BYTES = 200_000_000
#: How many parts and choices a glob may have.
MOST_PARTS = 50
MOST_CHOICES = 64
#: How many bytes are searched at a time, and how many seconds that may take.
BATCH = 16_000_000
SECONDS = 10.0

#: A program that searches texts for a regular expression. As a process of its own it can be stopped: a regular
#: expression of a model may take forever, and holds up every thread of the process that evaluates it.
_WORKER = """
import json, re, sys
pattern, flags, most, texts = json.load(sys.stdin)
expression, found = re.compile(pattern, flags), []
for index, text in enumerate(texts):
    for number, line in enumerate(text.split("\\n"), 1):
        if expression.search(line):
            found.append((index, number))
            if len(found) > most:
                break
    if len(found) > most:
        break
json.dump(found, sys.stdout)
"""


class FoundFile(Value):
    """A file that a search may show."""

    path: str
    shown: str
    stat: Stat


class FileSearch:
    """One search below a file or directory."""

    def __init__(self, guard: Guard, start: ResolvedPath, encoding_of: Callable[[str], str | None]) -> None:
        self._guard = guard
        #: The encoding that was set for a file, by its absolute path.
        self._encoding_of = encoding_of
        self._files = guard.files
        self._start = start
        self._visited = 0
        #: Why the answer is incomplete; empty if it is complete.
        self.cut = ""
        #: What `grep` has not searched.
        self.left_out = ""

    def files(self) -> Iterator[FoundFile]:
        """The files below the start that may be read, in order of their paths."""
        found = self._start.found
        if found is not None and found.kind == "file":
            yield FoundFile(self._start.path, self._start.shown, found)
        elif found is not None:
            yield from self._below(self._start.path, self._ignores_above(self._start.path))

    def glob(self, pattern: str) -> list[FoundFile]:
        """The files whose paths below the start match a pattern, the most recently changed first."""
        wanted = PathPattern(pattern)
        found = [file for file in self.files() if wanted.matches(self._relative(file))]
        return sorted(found, key=lambda file: (-file.stat.mtime_ns, file.path))

    def grep(self, pattern: str, include: str = "", ignore_case: bool = False) -> list[tuple[FoundFile, int, str]]:
        """The lines that a regular expression matches: the file, the number and the text of each.

        Raises:
            PatchRejectedError: the regular expression is invalid (`invalid_arguments`) or takes too long (`timeout`).
        """
        import re

        flags = re.IGNORECASE if ignore_case else 0
        try:
            re.compile(pattern, flags)
        except (re.error, RecursionError, OverflowError) as error:
            message = f"pattern is not a valid regular expression: {error}."
            hint = "Escape characters that are meant literally, such as \\( and \\[."
            details = {"argument": "pattern"}
            raise PatchRejectedError([Problem("invalid_arguments", message, details=details, hint=hint)]) from None
        wanted = PathPattern(include or "**")
        rows: list[tuple[FoundFile, int, str]] = []
        batch: list[tuple[FoundFile, str]] = []
        held = total = 0
        for file in self.files():
            text = self._text(file) if wanted.matches(self._relative(file)) else None
            if text is None:
                continue
            batch.append((file, text))
            held += len(text)
            total += len(text)
            if held > BATCH or total > MOST_BYTES:
                rows += _search(pattern, int(flags), batch, MOST_FOUND + 1 - len(rows))
                batch, held = [], 0
            if len(rows) > MOST_FOUND:
                break
            if total > MOST_BYTES:
                self.cut = "the files are too large to search all of them"
                break
        if batch and len(rows) <= MOST_FOUND:
            rows += _search(pattern, int(flags), batch, MOST_FOUND + 1 - len(rows))
        return rows

    def _relative(self, file: FoundFile) -> str:
        """The path of a file below the start; of the start itself, its name."""
        start = self._start.path.rstrip("/")
        return file.path.removeprefix(f"{start}/") if file.path != start else start.rpartition("/")[2]

    def _text(self, file: FoundFile) -> str | None:
        """The text of a file; None if it is too large, binary or gone."""
        if file.stat.size > LARGEST_FILE:
            self.left_out = f"files over {LARGEST_FILE / 1_000_000:g} MB were not searched"
            return None
        try:
            content, _ = self._files.read(file.path, LARGEST_FILE)
        except (OSError, PatchRejectedError):
            return None
        if b"\0" in content:
            return None
        return content.decode(self._encoding_of(file.path) or "utf-8", "replace").replace("\r\n", "\n")

    def _below(self, folder: str, ignores: Ignores) -> Iterator[FoundFile]:
        """The files below a directory, without recursion: directories may be nested deeply."""
        waiting = [(folder, ignores)]
        while waiting:
            folder, ignores = waiting.pop()
            own = self._ignore_file(folder)
            ignores = (*ignores, own) if own is not None else ignores
            folders = []
            try:
                names = self._files.names(folder)
            except OSError:
                continue
            for name in names:
                path = f"{folder.rstrip('/')}/{name}"
                self._visited += 1
                if self._visited > MOST_VISITED:
                    self.cut = f"only the first {MOST_VISITED:,} files and directories were visited"
                    return
                stat = self._stat(path)
                if stat is None or _is_ignored(path, ignores, is_folder=stat.kind == "folder"):
                    continue
                if stat.kind == "folder":
                    folders.append((path, ignores))
                elif stat.kind == "file":
                    yield FoundFile(path, self._guard.shown(path), stat)
            waiting += reversed(folders)

    def _stat(self, path: str) -> Stat | None:
        """What a path is; None if it may not be named or is gone."""
        try:
            self._guard.check_globs(path, path)
            return self._files.stat(path)
        except PatchRejectedError as refused:
            # A directory that is not among the allowed paths may lead to some.
            if refused.problems[0].details.get("reason") != "not_allowed":
                return None
            stat = self._files.stat(path)
            return stat if stat is not None and stat.kind == "folder" else None
        except OSError:
            return None

    def _ignores_above(self, folder: str) -> Ignores:
        """The `.gitignore` files of the directories above, up to the root."""
        root = next((one for one, prefix in self._guard.roots if folder == one or folder.startswith(prefix)), folder)
        above: list[tuple[str, GitIgnoreSpec]] = []
        while folder != root and len(folder) > len(root):
            folder = folder.rpartition("/")[0] or "/"
            found = self._ignore_file(folder)
            if found is not None:
                above.append(found)
        return tuple(reversed(above))

    def _ignore_file(self, folder: str) -> tuple[str, GitIgnoreSpec] | None:
        try:
            content, _ = self._files.read(f"{folder.rstrip('/')}/.gitignore", LARGEST_FILE)
        except (OSError, PatchRejectedError):
            return None
        from pathspec import GitIgnoreSpec

        try:
            return folder, GitIgnoreSpec.from_lines(content.decode("utf-8", "replace").splitlines())
        except ValueError:
            # git ignores a line that it can't read, and so does this; the library refuses the whole file.
            return None


class PathPattern:
    """A glob of a model: `**` is any number of directories, and `{a,b}` is either. Without a slash it matches names.

    A match takes no longer than the product of the lengths.

    Raises:
        PatchRejectedError: it has too many parts.
    """

    def __init__(self, pattern: str) -> None:
        import re
        from fnmatch import translate

        anywhere = "/" not in pattern.strip("/")
        self._choices = []
        for choice in _expand_braces(pattern):
            parts = [part for part in choice.split("/") if part not in ("", ".")]
            if len(parts) > MOST_PARTS:
                raise PatchRejectedError([_bad_pattern(f"it has more than {MOST_PARTS} parts")])
            parts = ["**", *parts] if anywhere and parts != ["**"] else parts
            self._choices.append([None if part == "**" else re.compile(translate(part)) for part in parts])

    def matches(self, path: str) -> bool:
        """Whether a relative path matches."""
        names = path.split("/")
        return any(_match_parts(parts, names) for parts in self._choices)


def _match_parts(parts: Sequence[Pattern[str] | None], names: Sequence[str]) -> bool:
    """Whether names match parts one by one, where None is any number of names, at least one at the end."""
    # For each number of names: whether the parts so far match that many.
    reached = [True] + [False] * len(names)
    for number, part in enumerate(parts, 1):
        if part is None:
            first = next((index for index, is_reached in enumerate(reached) if is_reached), len(names) + 1)
            first += number == len(parts)
            reached = [index >= first for index in range(len(names) + 1)]
        else:
            step = [
                is_reached and part.match(name) is not None for is_reached, name in zip(reached, names, strict=False)
            ]
            reached = [False, *step]
    return reached[-1]


def _expand_braces(pattern: str) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`. Braces inside braces are taken as they are."""
    done, waiting = [], [pattern]
    while waiting:
        one = waiting.pop(0)
        before, brace, rest = one.partition("{")
        inside, closing, after = rest.partition("}")
        if not (brace and closing and "," in inside):
            done.append(one)
        else:
            waiting += [f"{before}{choice}{after}" for choice in inside.split(",")]
        if len(done) + len(waiting) > MOST_CHOICES:
            raise PatchRejectedError([_bad_pattern(f"it has more than {MOST_CHOICES} choices")])
    return done


def _bad_pattern(reason: str) -> Problem:
    hint = "Send a glob such as **/*.py or src/**/*.{ts,tsx}."
    return Problem(
        "invalid_arguments", f"The glob can't be used: {reason}.", details={"argument": "pattern"}, hint=hint
    )


def _is_ignored(path: str, ignores: Ignores, *, is_folder: bool) -> bool:
    """Whether the `.gitignore` files exclude a path: the innermost that names it decides."""
    if path.endswith("/.git"):
        return True
    for folder, spec in reversed(ignores):
        found = spec.check_file(path.removeprefix(f"{folder.rstrip('/')}/") + "/" * is_folder)
        if found.include is not None:
            return found.include
    return False


def _search(
    pattern: str, flags: int, batch: Sequence[tuple[FoundFile, str]], most: int
) -> list[tuple[FoundFile, int, str]]:
    """The matching lines of some texts, at most `most`."""
    import json
    import subprocess
    import sys

    given = json.dumps([pattern, flags, most - 1, [text for _, text in batch]])
    try:
        process = subprocess.run(  # noqa: S603 - our own program; the pattern is data
            [sys.executable, "-I", "-S", "-c", _WORKER],
            input=given.encode(),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        message = f"The search took longer than {SECONDS:g} seconds, so it was stopped."
        hint = "Send a simpler regular expression, or search fewer files."
        details = {"argument": "pattern", "seconds": SECONDS}
        raise PatchRejectedError([Problem("timeout", message, details=details, hint=hint)]) from None
    except (OSError, subprocess.CalledProcessError) as error:
        message = f"The search failed: {type(error).__name__}."
        raise PatchRejectedError([Problem("command_failed", message, details={})]) from error
    lines = {index: text.split("\n") for index, (_, text) in enumerate(batch)}
    return [(batch[index][0], number, lines[index][number - 1]) for index, number in json.loads(process.stdout)]


def glob_text(files: Sequence[FoundFile], cut: str) -> str:
    """The answer of `glob`."""
    rows = [safe_text(file.shown) for file in files[:MOST_FOUND]]
    more = f"{len(files) - MOST_FOUND} more files match" if len(files) > MOST_FOUND else ""
    return _text(rows, "No file matches.", [more, cut])


def grep_text(rows: Sequence[tuple[FoundFile, int, str]], cut: str, left_out: str) -> str:
    """The answer of `grep`."""
    shown = [f"{safe_text(file.shown)}:{number}:{_shorten(line)}" for file, number, line in rows[:MOST_FOUND]]
    more = f"only the first {MOST_FOUND} lines are shown" if len(rows) > MOST_FOUND else ""
    return _text(shown, "No line matches.", [more, cut]) + (f"\n({left_out})" if left_out else "")


def _text(rows: Sequence[str], empty: str, notices: Sequence[str]) -> str:
    said = "; ".join(filter(None, notices))
    return "\n".join([*(rows or [empty]), *([f"({said}; narrow the search)"] if said else [])])


def _shorten(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
