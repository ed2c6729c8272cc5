"""What a plan reports of an operation: the change with its hunks, stale files."""

from __future__ import annotations

from codecs import BOM_UTF8

from ..core.line_hunks import line_hunks
from ..core.match import Match
from ..core.outcome import Change
from ..core.patch import EXECUTABLE
from ..core.problems import PatchRejectedError, Problem, hunk_ref
from ..core.text import Text, is_plain
from ..words.file_problems import other_content
from ..words.remarks import OtherFile
from .workspace_limits import MOST_FILES_SEARCHED, MOST_PROBLEMS_SEARCHED, MOST_SEARCH_WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Binary, Kind
    from ..core.patch import Hunk, Mode, UpdateFile
    from ..core.record import Snapshot


def change_of(
    kind: Kind,
    path: str,
    before: tuple[Snapshot, bytes | None],
    after: tuple[Snapshot, bytes | None],
    *,
    move_to: str = "",
    target: str = "",
    encoding: str | None = None,
) -> Change:
    """The change of a file from one state to another."""
    modes = before[0].git_mode, after[0].git_mode
    is_file = after[0].kind == "file"
    mode: Mode = modes[1] if is_file and modes[0] != modes[1] else ""
    hunks, binary = lines_changed(before[1], after[1], encoding)
    return Change(
        kind,
        path,
        move_to,
        target,
        hunks,
        before[0].sha256,
        after[0].sha256,
        mode=mode,
        binary=binary,
        was_executable=before[0].kind == "file" and not is_file and modes[0] == EXECUTABLE,
    )


def lines_changed(
    before: bytes | None, after: bytes | None, encoding: str | None
) -> tuple[tuple[LineHunk, ...], Binary]:
    """The lines that differ between two contents; or that one of them is binary, and then none."""
    if before == after:
        return (), ""
    contents = [content for content in (before, after) if content is not None]
    if encoding is None and all(map(is_plain, contents)):
        return line_hunks(before, after), ""
    old, new = (None if content is None else _text_in_diff(content, encoding) for content in (before, after))
    was_text, is_text = before is None or old is not None, after is None or new is not None
    if was_text and is_text:
        return line_hunks(old, new), ""
    if was_text:
        return (), "becomes"
    return (), "was" if is_text else "is"


def _text_in_diff(content: bytes, encoding: str | None) -> str | None:
    """A content as in a diff; None if it is binary."""
    try:
        return with_bom(Text(content, encoding))
    except PatchRejectedError:
        return None


def with_bom(text: Text) -> str:
    """A text as in a diff: for git and patch the BOM of UTF-8 is a character of the first line."""
    return f"\ufeff{text.raw}" if text.bom == BOM_UTF8 else text.raw


def placed_exactly(number: int, hunk: Hunk) -> Match:
    """A hunk of a diff at its own line number."""
    number_in_diff = hunk.line_hint or 0
    # A hunk without old lines names the line before it.
    first = max(1, number_in_diff) if hunk.old else number_in_diff + 1
    return Match(number, first, first + len(hunk.old) - 1, "exact", (), 1.0, ())


def check_deleted(content: str, current: str | bytes, path: str, encoding: str | None) -> None:
    """Check that a file has the lines that a diff deletes. Line endings and trailing whitespace may differ.

    Raises:
        PatchRejectedError: it has other lines.
    """
    ours, lines = Text(content).lines, Text(current, encoding, path).lines
    pairs = zip(ours, lines, strict=False)
    number = next(
        (n for n, (one, line) in enumerate(pairs) if one.rstrip() != line.rstrip()), min(len(ours), len(lines))
    )
    if number == len(ours) == len(lines):
        return
    raise PatchRejectedError([other_content(path, ours, lines, number)])


def name_other_files(
    problems: Sequence[Problem],
    updates: Sequence[UpdateFile],
    contents: Mapping[str, bytes],
    encoding_of: Callable[[str], str | None],
    form: str = "envelope",
) -> list[Problem]:
    """The problems; that of a hunk without a place names another file of the patch that has its lines."""
    from ..place.search import find_block

    texts: dict[str, str] = {}
    named: list[Problem] = []
    work = 0
    for problem in problems:
        hunk = _hunk_of(problem, updates) if len(named) < MOST_PROBLEMS_SEARCHED else None
        for other_path, content in list(contents.items())[:MOST_FILES_SEARCHED] if hunk is not None else ():
            work += len(content)
            if other_path == problem.path or work > MOST_SEARCH_WORK:
                continue
            if other_path not in texts:
                texts[other_path] = _body(content, encoding_of(other_path))
            if hunk is not None and find_block(texts[other_path], hunk.old, ("exact", "trailing")) is not None:
                remarks = (*problem.remarks, OtherFile(other_path, form))
                problem = problem.replace(remarks=remarks)  # noqa: PLW2901 - the same one, with more to say
                break
        named.append(problem)
    return named


def _hunk_of(problem: Problem, updates: Iterable[UpdateFile]) -> Hunk | None:
    """The hunk that a problem is about, if its lines were not found. A file may have several sections."""
    ref = problem.hunk
    if ref is None or problem.reason != "context_not_found":
        return None
    for update in updates:
        for number, hunk in enumerate(update.hunks, 1):
            if hunk_ref(hunk, number, len(update.hunks)) == ref:
                return hunk
    return None


def _body(content: bytes, encoding: str | None) -> str:
    try:
        return Text(content, encoding).body
    except PatchRejectedError:
        return ""
