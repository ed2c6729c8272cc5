"""The views of refused edits in `suture review --terminal`: what an agent sent, beside the file as it was.

An edit can be asked for at one of the places that are shown. The request is then shown and answered like any other.
"""

from __future__ import annotations

from ..core.display import one_line, plural, printable, visible_whitespace
from ..review.explanations import Explanations, explain
from .render import format_time
from .screen_limits import MOST_REFUSED
from .terminal_view import Row, ScrolledView, TerminalView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..review.explanations import ComparedLine, ComparedPlace, ExplainedProblem
    from ..state.refused_files import RefusedEdit
    from .review_terminal import ReviewViews


class RefusedList(TerminalView):
    """The refused edits of the workspace, newest first."""

    keys = "enter show  ? help  q back"
    help = (("j, k", "the next, the previous edit"), ("Enter", "show the edit beside the file"))

    def __init__(self, views: ReviewViews, root: str) -> None:
        super().__init__(views)
        self._root = root
        self._edits: list[RefusedEdit] = []
        self.refresh()

    @property
    def title(self) -> str:  # type: ignore[override]
        """Of which workspace."""
        count = len(self._edits)
        return f"{count or 'No'} refused {plural('edit', count)}: {one_line(self._root)}"

    def refresh(self) -> None:
        """Read the edits."""
        self._edits = Explanations(self._root).refused(MOST_REFUSED)
        super().refresh()

    def rows(self) -> list[Row]:
        """A line for each."""
        return [Row(_edit_row(edit)) for edit in self._edits]

    def press(self, key: str) -> None:
        """Show the selected edit."""
        if key in ("q", "back"):
            self.views.leave(self)
        elif key in ("enter", "l") and self._edits:
            self.views.open(RefusedView(self.views, self._root, self._edits[self.selected]))
        else:
            super().press(key)


class RefusedView(ScrolledView):
    """One refused edit: each problem, and the lines of the edit and of the file at the place that is nearest."""

    keys = "a apply here  j/k scroll  ? help  q back"
    help = (
        ("a", "ask for the edit at one of the places that are shown; you approve it as any other request"),
        ("j, k", "scroll"),
        ("-", "a line of the edit that the file does not have"),
        ("+", "a line of the file that the edit does not have"),
    )

    def __init__(self, views: ReviewViews, root: str, edit: RefusedEdit) -> None:
        super().__init__(views)
        self._root = root
        self._edit = edit
        #: The places where it can be applied: each the number of a problem, and of a place of it.
        self._places: list[tuple[int, int]] = []
        facts = [("time", format_time(edit.time)), ("tool", edit.tool), ("actor", edit.actor)]
        facts += [("session", edit.session)]
        self._rows = [Row(f"{name + ':':11}{one_line(value)}", "dim") for name, value in facts if value]
        for number, problem in enumerate(explain(edit).problems):
            can_apply = problem.is_whole and bool(problem.problem.path)
            self._rows += _problem_rows(problem, len(self._places) if can_apply else None)
            if can_apply:
                self._places += [(number, place) for place in range(len(problem.places))]

    @property
    def title(self) -> str:  # type: ignore[override]
        """What was refused."""
        return _edit_row(self._edit)

    def rows(self) -> list[Row]:
        """The facts, the problems and the places."""
        return self._rows

    def notice(self) -> str:
        """What became of it, if it was asked for again."""
        _, outcome = self.views.applied.outcomes.get(self._edit.id, ("", ""))
        return " ".join(filter(None, [one_line(outcome), super().notice()]))

    def press(self, key: str) -> None:
        """Go back, scroll, or ask for the edit at a place."""
        if key in ("q", "back"):
            self.views.leave(self)
        elif key == "a" and not self._places:
            self.views.say("There is no place to apply it at: it was not kept whole, or nothing in the file is near.")
        elif key == "a":
            count = len(self._places)
            self.views.ask(f"Apply at place (1 to {count}): ", "1" if count == 1 else "", self._apply)
        else:
            super().press(key)

    def _apply(self, text: str) -> None:
        """Ask for the edit at the place with a number, and show the request."""
        number = text.strip()
        if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= len(self._places)):
            self.views.say(f"Type a number from 1 to {len(self._places)}.")
            return
        request = self.views.applied.ask(self._root, self._edit, *self._places[int(number) - 1])
        self.views.open_request(request)


def _edit_row(edit: RefusedEdit) -> str:
    """A refused edit in a line: when, who, what, and the first problem."""
    problem = edit.problems[0].problem if edit.problems else None
    what = "" if problem is None else f"{problem.path or ''}: {problem.message.splitlines()[0]}"
    more = f" (and {len(edit.problems) - 1} more)" if len(edit.problems) > 1 else ""
    clock = format_time(edit.time)[11:16]
    return one_line(f"{clock} {edit.actor or '-':10.10} {edit.tool:11.11} {what}{more}")


def _problem_rows(explained: ExplainedProblem, before: int | None) -> list[Row]:
    """A problem and its places, which are numbered after those `before`; None if it can't be applied at any."""
    problem = explained.problem
    rows = [Row("")]
    if problem.path:
        rows.append(Row(one_line(problem.path), "bold"))
    rows += [Row(line, "red") for line in printable(problem.message, "\n").split("\n")]
    rows += [Row(line, "yellow") for line in printable(problem.hint, "\n").split("\n") if line]
    for number, place in enumerate(explained.places, 1):
        name = "" if before is None else f"Place {before + number}: "
        rows += _place_rows(place, name)
    if explained.replacement:
        rows.append(Row("The edit would have written:", "cyan"))
        rows += [Row(f"{'':7}{visible_whitespace(line)}") for line in explained.replacement]
    return rows


def _place_rows(place: ComparedPlace, name: str) -> list[Row]:
    rows = [Row(f"{name}Lines {place.start} to {place.end} of the file (-: the edit, +: the file):", "cyan")]
    for line in place.rows:
        rows += _line_rows(line)
    return rows


def _line_rows(line: ComparedLine) -> list[Row]:
    """The rows of one compared line: one if edit and file agree, otherwise one for each of them that has it."""
    number = "" if line.number is None else str(line.number)
    is_around = line.kind == "around"
    if line.edit == line.file or (is_around and line.file is not None):
        return [Row(f"{number:>5}  {visible_whitespace(line.file or '')}", "dim" if is_around else "")]
    rows = []
    if line.edit is not None:
        rows.append(Row(f"{'':5} -{visible_whitespace(line.edit)}", "removed"))
    if line.file is not None:
        rows.append(Row(f"{number:>5} +{visible_whitespace(line.file)}", "added"))
    return rows
