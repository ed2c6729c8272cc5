"""Claude Code: `~/.claude/projects/<project>/<session>.jsonl`, one record a line.

- `type`: `assistant`, `user` or `progress` (a message of a subagent, in `data.message`); the others are not needed.
- `message.content[]`: `tool_use` (`id`, `name`, `input`) from the model, `tool_result` (`tool_use_id`, `content`,
  `is_error`) for it. `message.usage.output_tokens` grows from line to line of one `message.id`.
- `toolUseResult`: of `Edit`, the strings that were used (`oldString`, `newString`), the whole file before
  (`originalFile`; newer versions leave it out), the difference (`structuredPatch`: hunks with line numbers), and
  `userModified`; of `Read`, `file` with `content`, `startLine`, `numLines` and `totalLines`; of `Write`,
  `originalFile`.
"""

from __future__ import annotations

from ...core.string_edits import StringEdit
from ..recorded_diff import write_hunks
from ..recording import (
    FileChange,
    RecordedCall,
    TranscriptReader,
    Turn,
    items,
    number,
    optional_text,
    pick,
    plain_text,
    seconds,
    text,
)
from ..shell_reads import call_may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..recording import Form, TranscriptFile

_READ_ONLY = frozenset({
    "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList",
    "AskUserQuestion", "ToolSearch", "Skill", "EnterPlanMode", "ExitPlanMode",
})  # fmt: skip


class ClaudeCode(TranscriptReader):
    """Reads the sessions of Claude Code."""

    agent = "claude-code"
    ignored = frozenset({
        "summary", "system", "file-history-snapshot", "file-history-delta", "queue-operation", "attachment",
        "last-prompt", "custom-title", "ai-title", "agent-name", "mode", "permission-mode", "pr-link", "frame-link",
    })  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._uses: dict[str, tuple[dict[str, Any], str]] = {}
        self._tokens: dict[str, int] = {}

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By fields that all of its records share."""
        return ".jsonl" in name and (b'"sessionId"' in head or b'"tool_use"' in head or b'"leafUuid"' in head)

    def read(self, document: TranscriptFile) -> None:
        """Read a session, or a copy of one."""
        for record in self.lines(document, skip_copies=True):
            kind = text(record, "type")
            if kind in ("assistant", "user"):
                self._message(record, text(record, "sessionId"))
            elif kind == "progress":
                inner = pick(record, "data", "message")
                if isinstance(inner, dict):
                    self._message(inner, text(record, "sessionId"))
            elif kind not in self.ignored:
                self.recording.count_unknown(kind)

    def _message(self, record: dict[str, Any], session: str) -> None:
        time, message = seconds(record.get("timestamp")), record.get("message")
        parts = items(message, "content")
        if record.get("type") == "assistant":
            self._count_tokens(session, time, message)
        elif not any(part.get("type") == "tool_result" for part in parts) and not record.get("isMeta"):
            self.recording.add(session, Turn(text(record, "uuid") or f"{time}", time, is_prompt=True))
        for part in parts:
            if part.get("type") == "tool_use" and "REDACTED" not in text(part, "id"):
                self._uses.setdefault(text(part, "id"), (part, text(message, "model")))
                self.recording.add(session, self._call(part, text(message, "model"), time))
            elif part.get("type") == "tool_result" and text(part, "tool_use_id") in self._uses:
                use, model = self._uses[text(part, "tool_use_id")]
                # The call again, now with its result, instead of the one without.
                self.recording.add(session, self._call(use, model, time, part, record.get("toolUseResult")))

    def _count_tokens(self, session: str, time: float, message: object) -> None:
        """Record the tokens that a message has more than in its last copy."""
        name, tokens = text(message, "id"), number(message, "usage", "output_tokens")
        more = tokens - self._tokens.get(name, 0)
        if name and more > 0:
            self._tokens[name] = tokens
            self.recording.add(session, Turn(f"{name}:{tokens}", time, more))

    def _call(
        self, use: dict[str, Any], model: str, time: float, answer: object = None, result: object = None
    ) -> RecordedCall:
        """One call as it is recorded, with its outcome if an answer is given."""
        name, arguments = text(use, "name"), use.get("input")
        accepted = None if answer is None else not pick(answer, "is_error")
        if pick(result, "userModified") is True:
            # What was written is not what the model sent.
            accepted, arguments = None, {}
        changes = self._changes(name, arguments, result if accepted else None)
        command = text(arguments, "command")
        writes = not changes and call_may_write(name, command, shell_tool="Bash", read_only=_READ_ONLY)
        refusal = plain_text(pick(answer, "content")) if accepted is False else ""
        return RecordedCall(text(use, "id"), name, time, model, changes, accepted, refusal, writes)

    def _changes(self, name: str, given: object, result: object) -> tuple[FileChange, ...]:
        """What a call did to its file, or read of a whole one."""
        path, before = text(given, "file_path"), optional_text(result, "originalFile")
        if name == "Read":
            file = pick(result, "file")
            is_whole = pick(file, "startLine") == 1 and pick(file, "numLines") == pick(file, "totalLines")
            content = optional_text(file, "content") if is_whole else None
            return () if content is None else (FileChange(path, "read", after=content),)
        if name == "Write":
            return (FileChange(path, "whole", before=before, after=text(given, "content")),)
        if name not in ("Edit", "MultiEdit"):
            return ()
        edits = _string_edits(items(given, "edits") if name == "MultiEdit" else [given])
        if not edits:
            return ()
        form: Form = "string" if len(edits) == 1 else "strings"
        return (FileChange(path, form, edits, before, diff=_recorded_diff(result)),)


def _recorded_diff(result: object) -> str:
    """The difference that the result of an edit recorded, as a unified diff."""
    hunks = items(result, "structuredPatch")
    return write_hunks(
        (number(hunk, "oldStart"), number(hunk, "oldLines"), number(hunk, "newStart"), hunk.get("lines"))
        for hunk in hunks
    )


def _string_edits(given: list[Any]) -> tuple[StringEdit, ...]:
    pairs = [(optional_text(one, "old_string"), optional_text(one, "new_string")) for one in given]
    if any(old is None or new is None for old, new in pairs):
        return ()
    flags = [pick(one, "replace_all") is True for one in given]
    return tuple(StringEdit(old or "", new or "", flag) for (old, new), flag in zip(pairs, flags, strict=True))
