"""OpenCode: `~/.local/share/opencode`, as a database, as files, or as an export of a session.

- An export, or a transcript in git: `{"info": …, "messages": [{"info": …, "parts": […]}]}`.
- Files: `storage/message/<session>/<message>.json` has a message's info, `storage/part/<message>/<part>.json` a part.
- `opencode.db` (SQLite): tables `message` and `part`, whose column `data` is the same as JSON.

A message has `role`, `modelID` and `tokens`. A part of type `tool` has `tool`, `callID` and `state`: `status`, `input`,
`error`, `time.start`, and `metadata`: of `edit`, `filediff` (`before` and `after`, or a `patch`) or `diff`; of
`apply_patch`, `files[]` with `filePath`, `type`, `before` and `after`, or `patch`. Diffs may have lost an indentation
that all their lines share.
"""

from __future__ import annotations

from pathlib import Path

from ...core.string_edits import StringEdit
from ..opencode_database import DatabaseError, read_rows
from ..patch_sections import is_same_path, split_patch
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
    from collections.abc import Iterable
    from typing import Any

    from ..recording import Form, TranscriptFile

_READ_ONLY = frozenset({
    "read", "grep", "glob", "list", "ls", "webfetch", "websearch", "todowrite", "todoread", "question", "skill",
    "plan_enter", "plan_exit", "lsp_hover", "lsp_diagnostics", "codesearch", "invalid",
})  # fmt: skip


class OpenCode(TranscriptReader):
    """Reads the sessions of OpenCode."""

    agent = "opencode"
    ignored = frozenset({
        "text", "reasoning", "step-start", "step-finish", "file", "snapshot", "patch", "agent", "compaction", "subtask",
        "retry",
    })  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._models: dict[str, str] = {}

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """A database, an export, or a message or part that names its session."""
        if name.endswith(".db"):
            return head.startswith(b"SQLite format 3")
        is_export = b'"messages"' in head and b'"info"' in head
        return ".json" in name and head.lstrip()[:1] == b"{" and (is_export or b'"sessionID"' in head)

    def read(self, document: TranscriptFile) -> None:
        """Read an export, a message, a part, or all of a database."""
        if document.name.endswith(".db"):
            self._database(Path(document.name))
            return
        record = self.parse(document.data)
        if not isinstance(record, dict):
            self.recording.broken += 1
        elif "messages" in record:
            for message in items(record, "messages"):
                self._message(pick(message, "info"), items(message, "parts"))
        elif "messageID" in record:
            self._parts([record])
        elif "role" in record:
            self._message(record, [])
        elif "time" not in record:  # the record of a session
            self.recording.count_unknown("/".join(sorted(record)[:4]))

    def _database(self, path: Path) -> None:
        try:
            for keys, data in read_rows(path):
                self._row(keys, data)
        except DatabaseError as error:
            self.recording.count_unknown(f"database: {error}")

    def _row(self, keys: dict[str, str], data: bytes | None) -> None:
        record = None if data is None else self.parse(data)
        if not isinstance(record, dict):
            self.recording.broken += 1
        elif "messageID" in keys:
            self._parts([record | keys])
        else:
            self._message(record | keys, [])

    def _message(self, info: object, parts: Iterable[dict[str, Any]]) -> None:
        name, time = text(info, "id"), seconds(pick(info, "time", "created"))
        self._models[name] = text(info, "modelID") or text(info, "model", "modelID")
        tokens = number(info, "tokens", "output") + number(info, "tokens", "reasoning")
        is_prompt = text(info, "role") == "user"
        self.recording.add(text(info, "sessionID"), Turn(f"{name}:{time}", time, tokens, is_prompt))
        self._parts(parts)

    def _parts(self, parts: Iterable[dict[str, Any]]) -> None:
        for part in parts:
            if part.get("type") == "tool":
                self.recording.add(text(part, "sessionID"), self._call(part))
            elif text(part, "type") not in self.ignored:
                self.recording.count_unknown(part.get("type"))

    def _call(self, part: dict[str, Any]) -> RecordedCall:
        tool, state = text(part, "tool"), part.get("state")
        start, status = pick(state, "time", "start"), text(state, "status")
        given, seen = pick(state, "input"), pick(state, "metadata")
        accepted = {"completed": True, "error": False}.get(status)
        changes = self._changes(tool, given, seen, accepted=accepted is True)
        writes = not changes and call_may_write(tool, text(given, "command"), shell_tool="bash", read_only=_READ_ONLY)
        # Ids may have been redacted; no two calls of a message start at the same time.
        name = f"{text(part, 'messageID')}:{tool}:{start}:{text(part, 'callID')}"
        model = self._models.get(text(part, "messageID"), "")
        return RecordedCall(name, tool, seconds(start), model, changes, accepted, text(state, "error"), writes)

    @staticmethod
    def _changes(tool: str, given: object, seen: object, *, accepted: bool) -> tuple[FileChange, ...]:
        """What a call did to files, with what the metadata of its result shows of them."""
        if tool in ("apply_patch", "patch"):
            return tuple(_with_result(change, seen) for change in split_patch(text(given, "patchText")))
        path, recorded = text(given, "filePath"), pick(seen, "filediff")
        before, after = optional_text(recorded, "before"), optional_text(recorded, "after")
        if tool == "write":
            return (FileChange(path, "whole", before=before, after=text(given, "content") if accepted else None),)
        if tool not in ("edit", "multiedit"):
            return ()
        sent_edits = items(given, "edits") if tool == "multiedit" else [given]
        edits = tuple(
            StringEdit(text(edit, "oldString"), text(edit, "newString"), pick(edit, "replaceAll") is True)
            for edit in sent_edits
        )
        if not edits:
            return ()
        form: Form = "string" if len(edits) == 1 else "strings"
        diff = text(recorded, "patch") or text(seen, "diff")
        return (FileChange(path, form, edits, before, after, diff),)


def _with_result(change: FileChange, seen: object) -> FileChange:
    """A change with what the metadata of the result shows of its file, if it shows that file."""
    for file in items(seen, "files"):
        is_its_file = is_same_path(change.path, text(file, "filePath")) or text(file, "relativePath") == change.path
        if not is_its_file:
            continue
        before, after = optional_text(file, "before"), optional_text(file, "after")
        if change.form == "whole":
            return change.replace(path=text(file, "filePath"), before=before)
        return change.replace(
            path=text(file, "filePath"),
            before=before,
            after=after,
            diff=text(file, "patch") or text(file, "diff"),
            moved_to=text(file, "movePath"),
        )
    return change
