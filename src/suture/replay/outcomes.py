"""What Suture does with recorded edits: each is a row of a batch, in its limits, compared with the record."""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING

from ..batch.workers import score_rows
from ..core.line_hunks import line_hunks
from ..core.value import Value
from ..core.write_diff import FileSection, cut_section
from . import transcript_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal

    from .recorded_edit import RecordedEdit

    #: Of an accepted edit: same, different or refused. Of a rejected one: placed or refused. Otherwise not scored.
    Outcome = Literal["same", "different", "refused", "placed", "not scored"]

_HEADER = re.compile(r"^\*\*\* (Update File|Move to): (.*)$", re.MULTILINE)


class ReplayedEdit(Value):
    """A recorded edit and what became of it. Texts are kept only where somebody may want to look at them."""

    edit: RecordedEdit
    outcome: Outcome
    #: What Suture changes; of a different result, how Suture's differs from the recorded one.
    difference: FileSection | None = None
    #: What a model would have been told.
    answer: str = ""
    concessions: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    #: Whether a different result differs in whitespace alone.
    is_whitespace: bool = False

    @property
    def diff(self) -> str:
        """The difference as text; empty if there is none."""
        return "" if self.difference is None else str(self.difference)


def replay(edits: Iterable[RecordedEdit], *, processes: int | None = None, show: str = "") -> Iterator[ReplayedEdit]:
    """Run Suture on edits, in order. An edit whose file is not certain is not scored.

    A result that is the same comes without a difference, except for ids that begin with `show`.
    """
    waiting: deque[RecordedEdit] = deque()

    def rows() -> Iterator[dict[str, Any]]:
        for edit in edits:
            waiting.append(edit)
            if edit.before is not None:
                yield to_row(edit, edit.before)

    for scored in score_rows(rows(), processes=processes, texts=True):
        while (edit := waiting.popleft()).before is None:
            yield ReplayedEdit(edit, "not scored")
        yield _compare(edit, edit.before, scored, keep=bool(show) and edit.id.startswith(show))
    for edit in waiting:
        yield ReplayedEdit(edit, "not scored")


def to_row(edit: RecordedEdit, before: str) -> dict[str, Any]:
    """The row of a batch: the edit and its file, under the last part of the path, which any workspace accepts."""
    path = short_path(edit.path)
    row: dict[str, Any] = {"files": {path: before}, "path": path}
    if isinstance(edit.edit, str):
        written = edit.edit
        if edit.form == "envelope":
            written = _HEADER.sub(lambda marker: f"*** {marker[1]}: {short_path(marker[2].rstrip())}", written)
        else:
            written = re.sub(rf"^{re.escape(edit.path)}$", lambda _: path, written, flags=re.MULTILINE)
        return row | {"edit": written, "form": edit.form}
    if len(edit.edit) == 1:
        one = edit.edit[0]
        return row | {"old": one.old, "new": one.new, "replace_all": one.replace_all}
    edits = [{"oldString": one.old, "newString": one.new, "replaceAll": one.replace_all} for one in edit.edit]
    return row | {"edit": json.dumps({"filePath": path, "edits": edits}), "form": "json"}


def short_path(path: str) -> str:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or "file.txt"


def _compare(edit: RecordedEdit, before: str | None, scored: Mapping[str, Any], *, keep: bool) -> ReplayedEdit:
    """What became of a recorded edit, compared with the results that are right."""
    codes, concessions = tuple(scored["codes"]), tuple(scored["concessions"])
    answer = scored["answer"][: transcript_limits.LONGEST_ENTRY_TEXT]
    if not scored["applied"]:
        return ReplayedEdit(edit, "refused", answer=answer, codes=codes)
    result, path = next(iter(scored["files"].values()), ""), short_path(edit.path)
    if edit.verdict == "rejected":
        difference = _difference(before or "", result, path)
        return ReplayedEdit(edit, "placed", difference, answer, concessions)
    rights = [_compared(edit, right) for right in edit.results]
    if _compared(edit, result) in rights:
        if not keep:
            return ReplayedEdit(edit, "same", concessions=concessions)
        difference = _difference(before or "", result, path)
        return ReplayedEdit(edit, "same", difference, answer, concessions)
    difference = _difference(edit.results[0], result, path)
    is_whitespace = any("".join(right.split()) == "".join(result.split()) for right in rights)
    return ReplayedEdit(edit, "different", difference, answer, concessions, (), is_whitespace)


def _difference(before: str, after: str, path: str) -> FileSection:
    """The difference between two texts, up to a limit."""
    return cut_section(FileSection(path, path, line_hunks(before, after)), transcript_limits.LONGEST_ENTRY_TEXT)


def _compared(edit: RecordedEdit, text: str) -> str:
    """What has to agree: recorded differences may have lost newlines at the end and carriage returns."""
    return text if edit.origin == "recorded" and edit.form != "envelope" else text.replace("\r\n", "\n").rstrip("\r\n")
