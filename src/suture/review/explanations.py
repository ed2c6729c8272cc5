"""Refused edits side by side with the file: data for a page or a terminal, nothing is decided here.

The sessions of a workspace keep its last refused edits. Any other edit is explained from its text.
"""

from __future__ import annotations

from ..core.json_values import JsonValue
from ..core.problems import Problem  # noqa: TC001 - `from_json` looks it up by its name
from ..core.value import Value
from ..state.refused_files import RefusedEdit, RefusedEdits
from ..words.word_diff import changed_words, pair_lines
from ..workspace.refused_edits import refused_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..state.refused_files import Excerpt, RefusedHunk
    from ..workspace.workspace import Workspace


class ComparedLine(Value):
    """A row: a line of the edit, a line of the file, or both; `marks` are the characters in which they differ.

    `kind` is "equal", "different", "edit" (only in the edit), "file" (only in the file), or "around" (lines of the file
    around the place).
    """

    kind: str
    number: int | None = None
    edit: str | None = None
    file: str | None = None
    edit_marks: tuple[tuple[int, int], ...] = ()
    file_marks: tuple[tuple[int, int], ...] = ()


class ComparedPlace(Value):
    """One place of the file beside the edit: its first line, its last line, and the rows."""

    start: int
    end: int
    rows: tuple[ComparedLine, ...]


class ExplainedProblem(Value):
    """A problem, with the place that is nearest, or the places that all fit."""

    problem: Problem
    places: tuple[ComparedPlace, ...] = ()
    #: The lines that it would have written, and whether these are all of them.
    replacement: tuple[str, ...] = ()
    is_whole: bool = False


class Explanation(JsonValue):
    """A refused edit, and each of its problems beside the file as it was then."""

    edit: RefusedEdit
    problems: tuple[ExplainedProblem, ...]


class Explanations:
    """The refused edits of a workspace."""

    def __init__(self, root: str, state_dir: str | None = None) -> None:
        self._kept = RefusedEdits(root, state_dir)

    def refused(self, limit: int = 50) -> list[RefusedEdit]:
        """The last refused edits, newest first."""
        return self._kept.all(limit)

    def explanation(self, edit_id: str) -> Explanation:
        """One of them, explained.

        Raises:
            KeyError: it is not kept, or no longer.
        """
        for edit in self._kept.all():
            if edit.id == edit_id:
                return explain(edit)
        raise KeyError(edit_id)


def explain(edit: RefusedEdit) -> Explanation:
    """A refused edit beside the file."""
    return Explanation(edit, tuple([_explained(one) for one in edit.problems]))


def explain_patch(workspace: Workspace, patch: str) -> Explanation:
    """Why a patch does not apply to the files as they are now; without problems, it does.

    Raises:
        PatchInvalidError: it can't be read.
    """
    return explain(refused_edit(workspace, workspace.plan(patch)))


def _explained(hunk: RefusedHunk) -> ExplainedProblem:
    places = [ComparedPlace(place.start, place.end, tuple(_rows(hunk.old, place))) for place in hunk.places]
    return ExplainedProblem(hunk.problem, tuple(places), hunk.new, hunk.is_whole)


def _rows(old: Sequence[str], place: Excerpt) -> Iterator[ComparedLine]:
    above, below = place.start - place.first, place.end - place.first + 1
    yield from _around(place, 0, above)
    yield from compared_lines(old, place.lines[above:below], place.start)
    yield from _around(place, below, len(place.lines))


def compared_lines(edit: Sequence[str], file: Sequence[str], first: int) -> Iterator[ComparedLine]:
    """Lines of an edit beside lines of the file, which are numbered from the first."""
    for edit_index, file_index in pair_lines(edit, file):
        edit_line = None if edit_index is None else edit[edit_index]
        file_line = None if file_index is None else file[file_index]
        number = None if file_index is None else first + file_index
        if edit_line is None:
            yield ComparedLine("file", number, edit_line, file_line)
        elif file_line is None:
            yield ComparedLine("edit", number, edit_line, file_line)
        elif edit_line == file_line:
            yield ComparedLine("equal", number, edit_line, file_line)
        else:
            words = changed_words(edit_line, file_line)
            edit_spans = tuple([edit_span for edit_span, _ in words])
            file_spans = tuple([file_span for _, file_span in words])
            yield ComparedLine("different", number, edit_line, file_line, edit_spans, file_spans)


def _around(place: Excerpt, start: int, end: int) -> Iterator[ComparedLine]:
    for index in range(start, end):
        yield ComparedLine("around", place.first + index, None, place.lines[index])
