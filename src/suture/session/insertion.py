"""What the tool `insert` plans: whole lines after a line number, or after the line with a text."""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text

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
    text = Text(file.content, workspace.encoding, file.path)
    if line is None:
        if text.body.count(after) != 1:
            # The engine finds it with other whitespace, or says why not.
            trimmed = after.rstrip("\n")
            return workspace.plan_edit(path, trimmed, f"{trimmed}\n{content}").replace(tool="insert")
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
    plan = workspace.plan_write(path, text.content(raw), expected_sha256=file.sha256)
    return plan.replace(tool="insert", patch=f"insert {path}:{line}\n{content}")
