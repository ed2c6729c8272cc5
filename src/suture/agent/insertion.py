"""What the tool `insert` plans: whole lines after a line number, or after the line with a text."""

from __future__ import annotations

from ..core.display import plural
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..core.text_changes import InsertLines
from .numbered_lines import plan_change, plan_numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.outcome import Plan
    from ..workspace.workspace import Workspace
    from .reads import Reads


def plan_insert(workspace: Workspace, reads: Reads, path: str, content: str, line: int | None, after: str) -> Plan:
    """The plan that inserts lines after a line, from 1, or after the text that occurs exactly once.

    Raises:
        PatchRejectedError: there is no such file or line, or it is not text.
    """
    file = workspace.read(path)
    text = Text(file.content, workspace.encoding_of(workspace.guard().resolve(path).path), file.path)
    if line is not None:
        _check_line(text, line)
        return plan_numbered(workspace, reads, path, InsertLines(content, line), tool="insert")
    if text.body.count(after) != 1:
        return _plan_after(workspace, path, content, after.rstrip("\n"))
    number = text.body.count("\n", 0, text.body.index(after) + len(after.rstrip("\n"))) + 1
    return _plan_at(workspace, path, content, number)


def _plan_at(workspace: Workspace, path: str, content: str, line: int) -> Plan:
    """The plan that inserts lines after a line that was found by its text."""
    file = workspace.read(path)
    plan = plan_change(workspace, path, InsertLines(content, line), tool="insert", expected=file.sha256)
    return plan.replace(patch=f"insert {path}:{line}\n{content}")


def _check_line(text: Text, line: int) -> None:
    """Refuse a line that the file does not have."""
    lines = text.rows[0]
    if line > len(lines):
        message = f"{text.path} has {len(lines)} {plural('line', len(lines))}, so nothing can go after line {line}."
        hint = f"Send a line from 0 to {len(lines)}."
        raise PatchRejectedError(
            [Problem("invalid_arguments", message, text.path, None, {"path": text.path, "argument": "line"}, hint)]
        )


def _plan_after(workspace: Workspace, path: str, content: str, after: str) -> Plan:
    """The plan for a text that is not exactly once in the file: the engine finds its line, or says why not."""
    edit_plan = workspace.plan_edit(path, after, f"{after}\n{content}")
    if edit_plan.problems:
        return edit_plan.replace(tool="insert")
    (edit,) = edit_plan.changes[0].edits
    plan = _plan_at(workspace, path, content, edit.spans[0].last_line)
    return plan.replace(changes=tuple([one.replace(concessions=edit.concessions) for one in plan.changes]))
