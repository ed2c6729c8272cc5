"""Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, one event a line with `type`, `data` and `timestamp`.

- `session.start`: `sessionId`. `user.message`. `assistant.message`: `outputTokens`.
- `tool.execution_start`: `toolCallId`, `toolName`, `arguments`, `model`. `tool.execution_complete`: `toolCallId`,
  `success`, `error.message`, and `result`: `content`, and the difference with line numbers in `detailedContent`.
- `edit` takes `path`, `old_str` and `new_str`; `create` takes `file_text`; `view` shows a file, all of it unless
  `view_range` is given; `apply_patch` takes an envelope, as a text or as `input`.
"""

from __future__ import annotations

import re

from ...core.string_edits import StringEdit
from ..patch_sections import split_patch
from ..recording import FileChange, RecordedCall, TranscriptReader, Turn, number, optional_text, pick, seconds, text
from ..shell_reads import call_may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..recording import TranscriptFile

_READ_ONLY = frozenset({
    "view", "grep", "glob", "rg", "web_fetch", "web_search", "ask_user", "store_memory", "task_complete",
    "report_intent", "update_todo", "session_store_sql", "sql", "list_agents", "fetch_copilot_cli_documentation",
})  # fmt: skip
_WHOLE = re.compile(r"^@@ -1,(\d{1,9}) \+1,\1 @@", re.MULTILINE)


class CopilotCli(TranscriptReader):
    """Reads the events of Copilot CLI."""

    agent = "copilot-cli"
    _IGNORED_FAMILIES = ("session.", "hook.", "permission.", "subagent.", "assistant.", "system.", "skill.")
    ignored = frozenset({"abort", "tool.user_requested", "tool.execution_partial_result", "tool.execution_progress"})

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By types of events that no other agent has."""
        kinds = (b'"session.start"', b'"assistant.turn_start"', b'"tool.execution_start"')
        return ".jsonl" in name and any(kind in head for kind in kinds)

    def read(self, document: TranscriptFile) -> None:
        """Read the events of a session."""
        session = document.name
        starts: dict[str, tuple[object, float]] = {}
        for event in self.lines(document):
            kind, data, time = text(event, "type"), event.get("data"), seconds(event.get("timestamp"))
            if kind == "session.start":
                session = text(data, "sessionId") or session
            elif kind == "user.message":
                self.recording.add(session, Turn(text(event, "id"), time, is_prompt=True))
            elif kind == "assistant.message":
                self.recording.add(session, Turn(text(event, "id"), time, number(data, "outputTokens")))
            elif kind == "tool.execution_start":
                starts[text(data, "toolCallId")] = (data, time)
                self.recording.add(session, self._call(data, time, None))
            elif kind == "tool.execution_complete":
                start, began = starts.get(text(data, "toolCallId"), (None, time))
                if start is not None:
                    self.recording.add(session, self._call(start, began, data))
            elif kind not in self.ignored and not kind.startswith(self._IGNORED_FAMILIES):
                self.recording.count_unknown(kind)

    @classmethod
    def _call(cls, start: object, time: float, end: Any) -> RecordedCall:  # noqa: ANN401 - JSON
        tool, given = text(start, "toolName"), pick(start, "arguments")
        accepted = None if end is None else pick(end, "success") is True
        changes = cls._changes(tool, given, pick(end, "result"))
        writes = not changes and call_may_write(tool, text(given, "command"), shell_tool="bash", read_only=_READ_ONLY)
        refusal = text(end, "error", "message") or text(end, "result", "content") if accepted is False else ""
        return RecordedCall(
            text(start, "toolCallId"), tool, time, text(start, "model"), changes, accepted, refusal, writes
        )

    @staticmethod
    def _changes(tool: str, given: object, result: object) -> tuple[FileChange, ...]:
        """What a call did to files, or read of a whole file."""
        path, diff = text(given, "path"), text(result, "detailedContent")
        if tool == "str_replace_editor":
            tool = {"str_replace": "edit", "create": "create", "view": "view"}.get(text(given, "command"), tool)
        if tool == "apply_patch":
            patch = given if isinstance(given, str) else text(given, "input") or text(given, "patch")
            changes = tuple(split_patch(patch))
            if len(changes) == 1 and changes[0].form == "envelope":
                return (changes[0].replace(diff=diff),)
            return changes
        if tool == "edit" and optional_text(given, "old_str") is not None:
            edit = StringEdit(text(given, "old_str"), text(given, "new_str"))
            return (FileChange(path, "string", (edit,), diff=diff),)
        if tool == "create":
            return (FileChange(path, "whole", after=text(given, "file_text")),)
        content, header = optional_text(result, "content"), _WHOLE.search(diff)
        is_view = tool == "view" and pick(given, "view_range") is None
        if not is_view or content is None or header is None:
            return ()
        # Whether a newline at the end counts as one more line differs.
        lines = content.count("\n") + 1
        is_whole = int(header[1]) in (lines, lines - 1)
        return (FileChange(path, "read", after=content),) if is_whole else ()
