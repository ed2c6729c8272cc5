"""Finding files by name and by content, within the guard and the rules, for the tools `glob` and `grep`.

Everything has a limit: how many entries are visited, how many bytes are read, how much is shown, and how long a regular
expression may take. `file_walk.py` decides which files there are to search.
"""

from __future__ import annotations

from ..core.display import safe_text
from ..core.problems import PatchRejectedError
from .agent_limits import LARGEST_SEARCHED_FILE, LONGEST_MATCHED_LINE, MOST_MATCHES, MOST_SEARCHED_BYTES
from .file_walk import FileWalk
from .line_search import LineSearch
from .path_pattern import PathPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..workspace.guard import Guard, ResolvedPath
    from .file_walk import FoundFile

#: How many characters are searched at a time.
BATCH = 16_000_000


class FileSearch:
    """One search below a file or directory."""

    def __init__(self, guard: Guard, start: ResolvedPath, encoding_of: Callable[[str], str | None]) -> None:
        self._guard = guard
        #: The encoding that was set for a file, by its absolute path.
        self._encoding_of = encoding_of
        self._files = guard.files
        self._start = start
        self._walk = FileWalk(guard, start)
        self._cut = ""
        #: What `grep` has not searched.
        self.left_out = ""
        self._lines: LineSearch | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """End the search early, from another thread. What it returns then is incomplete."""
        self._is_stopped = True
        if self._lines is not None:
            self._lines.stop()

    @property
    def cut(self) -> str:
        """Why the answer is incomplete; empty if it is complete."""
        return self._cut or self._walk.cut

    def glob(self, pattern: str) -> list[FoundFile]:
        """The files whose paths below the start match a pattern, the most recently changed first."""
        paths = PathPattern(pattern)
        files = [file for file in self._files_until_stopped() if paths.matches(self._relative(file))]
        return sorted(files, key=lambda file: (-file.stat.mtime_ns, file.path))

    def grep(self, pattern: str, include: str = "", ignore_case: bool = False) -> list[tuple[FoundFile, int, str]]:
        """The lines that a regular expression matches: the file, the number and the text of each.

        Raises:
            PatchRejectedError: the regular expression is invalid, too long or needs too much memory
                (`invalid_arguments`), or takes too long (`timeout`).
        """
        included = PathPattern(include or "**")
        self._lines = search = LineSearch(pattern, ignore_case=ignore_case)
        rows: list[tuple[FoundFile, int, str]] = []
        batch: list[tuple[FoundFile, str]] = []
        held = total = 0
        for file in self._files_until_stopped():
            text = self._text(file) if included.matches(self._relative(file)) else None
            if text is None:
                continue
            batch.append((file, text))
            held += len(text)
            total += len(text)
            if held > BATCH or total > MOST_SEARCHED_BYTES:
                rows += _search(search, batch, MOST_MATCHES + 1 - len(rows))
                batch, held = [], 0
            if len(rows) > MOST_MATCHES:
                break
            if total > MOST_SEARCHED_BYTES:
                self._cut = "the files are too large to search all of them"
                break
        if batch or total == 0:
            # Without any file, it is still said whether the regular expression is valid.
            rows += _search(search, batch, MOST_MATCHES + 1 - len(rows))
        return rows

    def _files_until_stopped(self) -> Iterator[FoundFile]:
        for file in self._walk.files():
            if self._is_stopped:
                return
            yield file

    def _relative(self, file: FoundFile) -> str:
        """The path of a file below the start; of the start itself, its name."""
        start = self._start.path.rstrip("/")
        return file.path.removeprefix(f"{start}/") if file.path != start else start.rpartition("/")[2]

    def _text(self, file: FoundFile) -> str | None:
        """The text of a file; None if it is too large, binary or gone."""
        if file.stat.size > LARGEST_SEARCHED_FILE:
            self.left_out = f"files over {LARGEST_SEARCHED_FILE / 1_000_000:g} MB were not searched"
            return None
        try:
            content, _ = self._files.read(file.path, LARGEST_SEARCHED_FILE)
        except (OSError, PatchRejectedError):
            return None
        if b"\0" in content:
            return None
        return content.decode(self._encoding_of(file.path) or "utf-8", "replace").replace("\r\n", "\n")


def _search(search: LineSearch, batch: Sequence[tuple[FoundFile, str]], most: int) -> list[tuple[FoundFile, int, str]]:
    """The matching lines of some files, at most `most`."""
    matches = search.search([text for _, text in batch], most)
    lines = {index: batch[index][1].split("\n") for index, _ in matches}
    return [(batch[index][0], number, lines[index][number - 1]) for index, number in matches]


def glob_text(files: Sequence[FoundFile], cut: str) -> str:
    """The answer of `glob`."""
    rows = [safe_text(file.shown) for file in files[:MOST_MATCHES]]
    more = f"{len(files) - MOST_MATCHES} more files match" if len(files) > MOST_MATCHES else ""
    return _text(rows, "No file matches.", [more, cut])


def grep_text(rows: Sequence[tuple[FoundFile, int, str]], cut: str, left_out: str) -> str:
    """The answer of `grep`."""
    matches = [f"{safe_text(file.shown)}:{number}:{_shorten(line)}" for file, number, line in rows[:MOST_MATCHES]]
    more = f"only the first {MOST_MATCHES} lines are shown" if len(rows) > MOST_MATCHES else ""
    return _text(matches, "No line matches.", [more, cut]) + (f"\n({left_out})" if left_out else "")


def _text(rows: Sequence[str], empty: str, notices: Sequence[str]) -> str:
    said = "; ".join(filter(None, notices))
    return "\n".join([*(rows or [empty]), *([f"({said}; narrow the search)"] if said else [])])


def _shorten(line: str) -> str:
    return line if len(line) <= LONGEST_MATCHED_LINE else f"{line[:LONGEST_MATCHED_LINE]}…"
