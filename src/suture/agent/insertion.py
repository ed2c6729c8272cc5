"""What the tool `insert` plans: whole lines after a line number, or after the line with a text."""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..core.text import BOM, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..workspace.outcome import Plan
    from ..workspace.workspace import Workspace


def plan_insert(workspace: Workspace, path: str, content: str, line: int | None, after: str) -> Plan:
    """The plan that inserts lines after a line, from 1, or after the text that occurs exactly once.

    Raises:
        PatchRejectedError: there is no such file or line, or it is not text.
    """
    file = workspace.read(path)
    text = Text(file.content, workspace.encoding_of(workspace.guard().resolve(path).path), file.path)
    if line is None:
        if text.body.count(after) != 1:
            return _plan_after(workspace, path, content, after.rstrip("\n"))
        line = text.body.count("\n", 0, text.body.index(after) + len(after.rstrip("\n"))) + 1
    lines, starts = text.rows
    if line > len(lines):
        message = f"{file.path} has {len(lines)} line{'s' * (len(lines) != 1)}, so nothing can go after line {line}."
        hint = f"Send a line from 0 to {len(lines)}."
        raise PatchRejectedError(
            [Problem("invalid_arguments", message, file.path, None, {"path": file.path, "argument": "line"}, hint)]
        )
    added = content.replace("\r\n", "\n").removesuffix("\n").replace("\n", text.newline)
    if starts[line] > len(text.body):
        # Behind a last line without a newline. The file goes on to have none.
        raw = f"{text.raw}{text.newline}{added}"
    else:
        offset = text.raw_offset(starts[line])
        raw = f"{text.raw[:offset]}{added}{text.newline}{text.raw[offset:]}"
    # As text, not as bytes, so that it is checked like every text that a model sends.
    plan = workspace.plan_write(path, f"{BOM if text.bom else ''}{raw}", expected_sha256=file.sha256)
    return plan.replace(tool="insert", patch=f"insert {path}:{line}\n{content}")


def _plan_after(workspace: Workspace, path: str, content: str, after: str) -> Plan:
    """The plan for a text that is not exactly once in the file: the engine finds its line, or says why not."""
    found = workspace.plan_edit(path, after, f"{after}\n{content}")
    if found.problems:
        return found.replace(tool="insert")
    (edit,) = found.changes[0].edits
    plan = plan_insert(workspace, path, content, edit.spans[0].last_line, "")
    return plan.replace(changes=tuple([one.replace(concessions=edit.concessions) for one in plan.changes]))
