"""Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`, one record a line with `type` and `payload`.

- `session_meta`: `id`, `cwd`. `turn_context`: `model`.
- `response_item` of type `custom_tool_call` or `function_call` (`call_id`, `name`, and `input` or `arguments`, which is
  JSON in a text), and `…_output` for it. A patch is the input of `apply_patch`, or a heredoc in a shell command.
- `event_msg` of type `patch_apply_end`: `call_id`, `success`, and `changes` by path: `type`, `content` of an added
  file, `unified_diff` of an updated one, `move_path`. Of type `token_count`: `info.last_token_usage.output_tokens`.
"""

from __future__ import annotations

from ..patch_sections import is_same_path, split_patch
from ..recording import RecordedCall, TranscriptReader, Turn, number, pick, seconds, text
from ..shell_reads import may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..recording import FileChange, TranscriptFile

_CALLS = ("custom_tool_call", "function_call", "local_shell_call")
_READ_ONLY = frozenset({"update_plan", "view_image", "write_stdin"})


class Codex(TranscriptReader):
    """Reads the rollouts of Codex."""

    agent = "codex"
    ignored = frozenset({
        "message", "reasoning", "web_search_call", "agent_message", "agent_reasoning", "task_started", "task_complete",
        "web_search_end", "web_search_begin", "context_compacted", "turn_aborted", "tool_search_call",
        "tool_search_output",
        "mcp_tool_call_end", "mcp_tool_call_begin", "exec_command_end", "exec_command_begin", "patch_apply_begin",
        "agent_reasoning_section_break", "compaction", "thread_settings_applied", "item_completed", "ghost_snapshot",
        "patch_apply_updated", "error", "warning", "view_image_tool_call", "context_compaction",
    })  # fmt: skip

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By its first record, or by the record that holds a call."""
        return ".jsonl" in name and (b'"session_meta"' in head or b'"response_item"' in head)

    def read(self, document: TranscriptFile) -> None:
        """Read a rollout; forks and copies of a session share its id."""
        session = cwd = model = ""
        calls: dict[str, dict[str, Any]] = {}
        for order, record in enumerate(self.lines(document)):
            kind, payload, time = text(record, "type"), record.get("payload"), seconds(record.get("timestamp"))
            inner = text(payload, "type")
            call = calls.get(text(payload, "call_id"), {})
            if kind == "session_meta":
                session = session or text(payload, "id")
                cwd = cwd or text(payload, "cwd").rstrip("/")
            elif kind == "turn_context":
                model = text(payload, "model")
            elif inner in _CALLS and text(payload, "call_id"):
                calls[text(payload, "call_id")] = {"payload": payload, "time": time, "model": model}
            elif inner in ("custom_tool_call_output", "function_call_output"):
                call["output"] = pick(payload, "output")
            elif inner == "patch_apply_end":
                call["end"] = payload
            elif inner == "token_count":
                tokens = number(payload, "info", "last_token_usage", "output_tokens")
                self.recording.add(session or document.name, Turn(f"t{time}:{order}", time, tokens))
            elif inner == "user_message":
                self.recording.add(session or document.name, Turn(f"p{time}", time, is_prompt=True))
            elif kind != "compacted" and inner not in self.ignored:
                self.recording.count_unknown(f"{kind}/{inner}" if inner else kind)
        for call_id, call in calls.items():
            self.recording.add(session or document.name, self._call(call_id, call, cwd))

    def _call(self, call_id: str, call: dict[str, Any], cwd: str) -> RecordedCall:
        """One call as it is recorded, with its outcome as far as that is known."""
        payload, end = call["payload"], call.get("end")
        name, given = text(payload, "name") or "shell", pick(payload, "arguments")
        arguments = self.parse(given.encode("utf-8", "surrogatepass")) if isinstance(given, str) else given
        command = _command(arguments)
        sent_patch = text(payload, "input") or text(arguments, "input")
        patch = sent_patch if name == "apply_patch" else _patch_in(command)
        output = call.get("output")
        answer = output if isinstance(output, str) else text(output, "content") or text(output, "output")
        success = pick(end, "success")
        accepted: bool | None = None
        if isinstance(success, bool):
            accepted = success
        elif "output" in call:
            accepted = "Success." in answer
        changes = tuple([self._with_result(change, cwd, end) for change in split_patch(patch)]) if patch else ()
        writes = not changes and name not in _READ_ONLY and may_write(" ".join(command) if command else "")
        # The answer to a patch is worth keeping only if it says why the patch was refused.
        refusal = "" if patch and accepted is not False else answer
        return RecordedCall(call_id, name, call["time"], call["model"], changes, accepted, refusal, writes)

    @staticmethod
    def _with_result(change: FileChange, cwd: str, end: object) -> FileChange:
        """A change with an absolute path, and with the difference that the end of its call recorded for its file."""
        path = change.path
        is_full = path.startswith("/") or ":" in path[:3]
        full_path = path if is_full else f"{cwd}/{path}"
        recorded = pick(end, "changes")
        if isinstance(recorded, dict):
            for name, result in recorded.items():
                if name == path or is_same_path(path, name):
                    moved = text(result, "move_path") or text(result, "update", "move_path")
                    diff = text(result, "unified_diff") or text(result, "update", "unified_diff")
                    return change.replace(path=full_path, diff=diff, moved_to=moved)
        return change.replace(path=full_path)


def _command(arguments: object) -> list[str]:
    given = pick(arguments, "command") or pick(arguments, "cmd")
    words = given if isinstance(given, list) else [given]
    return [word for word in words if isinstance(word, str)]


def _patch_in(command: list[str]) -> str:
    """The patch that a shell command carries, if it is a call of `apply_patch` and nothing else."""
    if not any("*** Begin Patch" in word for word in command):
        return ""
    script = command[-1]
    return script[script.find("*** Begin Patch") : script.rfind("*** End Patch") + len("*** End Patch")]
