"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json`, or `.jsonl` with one message a line.

A session has `sessionId` and `messages[]`. A message has `id`, `timestamp`, `type` (`user`, `gemini`, …), `model`,
`tokens.output` and `toolCalls[]`: `id`, `name`, `args`, `status` (`success`, `error`, `cancelled`), `result`, and
`resultDisplay`: of `replace` and `write_file`, `originalContent`, `newContent` and `fileDiff`.
"""

from __future__ import annotations

from ...core.string_edits import StringEdit
from ..recording import (
    FileChange,
    RecordedCall,
    TranscriptReader,
    Turn,
    items,
    number,
    optional_text,
    pick,
    seconds,
    text,
)
from ..shell_reads import call_may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..recording import TranscriptFile

_READ_ONLY = frozenset({
    "read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search", "google_web_search",
    "web_fetch", "write_todos", "save_memory", "ask_user", "activate_skill",
})  # fmt: skip
_ACCEPTED = {"success": True, "error": False}


class GeminiCli(TranscriptReader):
    """Reads the chats of Gemini CLI."""

    agent = "gemini-cli"
    ignored = frozenset({"user", "info", "error", "warning"})

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By the hash of the project, or by messages of the type `gemini`."""
        named = b'"projectHash"' in head or b'"type":"gemini"' in head.replace(b" ", b"")
        return ".json" in name and named and b'"info"' not in head[:200]

    def read(self, document: TranscriptFile) -> None:
        """Read a session, or the messages of one line by line."""
        whole = self.parse(document.data)
        if isinstance(whole, dict) and "messages" in whole:
            for message in items(whole, "messages"):
                self._message(text(whole, "sessionId") or document.name, message)
            return
        session = document.name
        for record in self.lines(document):
            session = text(record, "sessionId") or session
            if "type" in record:
                self._message(session, record)
            elif not record.keys() & {"sessionId", "$set", "$rewindTo", "startTime", "lastUpdated"}:
                self.recording.count_unknown("/".join(sorted(record)[:4]))

    def _message(self, session: str, message: dict[str, Any]) -> None:
        kind, time = text(message, "type"), seconds(message.get("timestamp"))
        if kind != "gemini" and kind not in self.ignored:
            self.recording.count_unknown(kind)
        tokens = number(message, "tokens", "output") + number(message, "tokens", "thoughts")
        name = text(message, "id") or f"{time}"
        self.recording.add(session, Turn(name, time, tokens, kind == "user"))
        for call in items(message, "toolCalls"):
            self.recording.add(session, self._call(call, text(message, "model"), time))

    @staticmethod
    def _call(call: dict[str, Any], model: str, time: float) -> RecordedCall:
        name, given, display = text(call, "name"), call.get("args"), call.get("resultDisplay")
        path, accepted = text(given, "file_path"), _ACCEPTED.get(text(call, "status"))
        before, after = optional_text(display, "originalContent"), optional_text(display, "newContent")
        changes: tuple[FileChange, ...] = ()
        if name == "replace":
            # It replaces all occurrences if their number was told.
            every = number(given, "expected_replacements") > 1 or pick(given, "allow_multiple") is True
            edit = StringEdit(text(given, "old_string"), text(given, "new_string"), every)
            changes = (FileChange(path, "string", (edit,), before, after, text(display, "fileDiff")),)
        elif name == "write_file":
            changes = (FileChange(path, "whole", before=before, after=text(given, "content")),)
        refusal = text(call, "result", 0, "functionResponse", "response", "error") if accepted is False else ""
        refusal = refusal or (display if isinstance(display, str) and accepted is False else "")
        command = text(given, "command")
        writes = not changes and call_may_write(name, command, shell_tool="run_shell_command", read_only=_READ_ONLY)
        began = seconds(call.get("timestamp")) or time
        return RecordedCall(text(call, "id"), name, began, model, changes, accepted, refusal, writes)
