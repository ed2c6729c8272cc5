"""Cline and Roo Code: `<task>/api_conversation_history.json`, a list of messages as the model's API has them.

- A message has `role`, `content[]`, `ts`, `modelInfo.modelId` and `metrics.tokens.completion`.
- Calls are `tool_use` parts, or markup in a text: `<replace_in_file><path>…</path><diff>…</diff></replace_in_file>`.
  `diff` has SEARCH/REPLACE blocks (`------- SEARCH` … `+++++++ REPLACE`); those of Roo's `apply_diff` have
  `:start_line:` lines.
- The answer is in the next message: `[replace_in_file for '<path>'] Result:` and either `<final_file_content path="…">`
  with the whole file after, or an error, and `<file_content path="…">` with the whole file as it was. `read_file` shows
  a file as it is, or with line numbers and their count.
"""

from __future__ import annotations

import re

from ..recording import (
    FileChange,
    RecordedCall,
    TranscriptReader,
    Turn,
    between,
    items,
    number,
    plain_text,
    seconds,
    text,
)
from ..shell_reads import may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..recording import TranscriptFile

_TOOLS = ("replace_in_file", "apply_diff", "write_to_file", "read_file", "execute_command")
_FIELDS = ("path", "absolutePath", "diff", "content", "command")
_RESULT = re.compile(r"\[(\w+)(?: for '[^\n]*?')?\] Result:")
_COUNT = re.compile(r"\(File has (\d{1,9}) lines total\.\)\s*")
_START_LINE = re.compile(r"^:(start|end)_line:\s*\d+\n|(?<=\d\n)-{7}\n", re.MULTILINE)
_OPENING, _CLOSING = re.compile(r"^[-<]{7,} SEARCH>?$", re.MULTILINE), re.compile(r"^[+>]{7,} REPLACE>?$", re.MULTILINE)


class Cline(TranscriptReader):
    """Reads the tasks of Cline and of Roo Code."""

    agent = "cline"

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By its name; nothing else in a task is needed."""
        return name.endswith("api_conversation_history.json") and head.lstrip().startswith(b"[")

    def read(self, document: TranscriptFile) -> None:
        """Read a task."""
        messages = self.parse(document.data)
        if not isinstance(messages, list):
            self.recording.broken += 1
            return
        agent = "roo-code" if "roo" in document.name.lower() else ""
        calls: list[tuple[str, dict[str, str]]] = []
        for position, message in enumerate(items(messages)):
            role, time = message.get("role"), seconds(message.get("ts"))
            model = text(message, "modelInfo", "modelId") or agent
            if role == "assistant":
                self.recording.add(
                    document.name, Turn(f"{position}", time, number(message, "metrics", "tokens", "completion"))
                )
                calls = list(_calls(message))
                self._model, self._time = model, time
            elif role == "user":
                results = _results(message)
                if not results:
                    self.recording.add(document.name, Turn(f"{position}", time, is_prompt=True))
                for order, (name, given) in enumerate(calls):
                    output = results[order] if order < len(results) else ""
                    self.recording.add(document.name, self._call(f"{position}:{order}", name, given, output))
                calls = []
            else:
                self.recording.count_unknown(role)

    def _call(self, name: str, tool: str, given: dict[str, str], output: str) -> RecordedCall:
        """One call as it is recorded, with whether its output says that it was accepted."""
        contents = _files(output)
        is_read = tool == "read_file" and bool(contents.get("file_content") or _whole_file(output))
        accepted = True if is_read else _was_accepted(output, contents)
        changes = _changes(tool, given, output, contents, accepted=accepted)
        writes = tool == "execute_command" and may_write(given.get("command", ""))
        return RecordedCall(
            name, tool, self._time, self._model, changes, accepted, output if accepted is False else "", writes
        )


def _calls(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The calls of a message: as parts of it, or as markup in its text."""
    content = message.get("content")
    uses = [part for part in items(content) if part.get("type") == "tool_use"]
    for use in uses:
        given = use.get("input")
        yield (
            text(use, "name"),
            {key: value for key, value in given.items() if isinstance(value, str)} if isinstance(given, dict) else {},
        )
    if not uses:
        said = plain_text(content)
        for tool in _TOOLS:
            for body in between(said, f"<{tool}>", f"</{tool}>"):
                values = {name: next(between(body, f"<{name}>", f"</{name}>"), None) for name in _FIELDS}
                yield tool, {name: value.strip("\n") for name, value in values.items() if value is not None}


def _was_accepted(output: str, contents: dict[str, str]) -> bool | None:
    """Whether the output of an edit says that it was saved; None if it does not say, or contradicts itself."""
    is_saved = "successfully saved" in output or "final_file_content" in contents or "<file_write_result>" in output
    failed = "<error" in output or "does not match" in output or "failed with" in output
    return is_saved if is_saved != failed else None


def _changes(
    tool: str, given: dict[str, str], output: str, contents: dict[str, str], *, accepted: bool | None
) -> tuple[FileChange, ...]:
    """What a call did to its file, or read of it. `contents` are the files in its output."""
    path = given.get("path") or given.get("absolutePath") or ""
    if tool in ("replace_in_file", "apply_diff"):
        edit = f"{path}\n```\n{_plain_blocks(given.get('diff', ''))}\n```\n"
        before = None if accepted else contents.get("file_content")
        return (FileChange(path, "search-replace", edit, before, contents.get("final_file_content")),)
    if tool == "write_to_file":
        return (FileChange(path, "whole", after=contents.get("final_file_content", given.get("content"))),)
    content = (contents.get("file_content") or _whole_file(output)) if tool == "read_file" else ""
    return (FileChange(path, "read", after=content),) if content else ()


def _files(output: str) -> dict[str, str]:
    """The files in an answer, by the mark around them."""
    values = {}
    for mark in ("final_file_content", "file_content"):
        for inside in between(output, f'<{mark} path="', f"\n</{mark}>"):
            values[mark] = inside.partition('">\n')[2]
    return values


def _results(message: dict[str, Any]) -> list[str]:
    """What the tools answered, in order. An answer may be in the part after the one that announces it."""
    results: list[str] = []
    content = message.get("content")
    for part in items(content) or [{"text": content}]:
        if part.get("type") == "tool_result":
            results.append(plain_text(part.get("content")))
        elif opening := _RESULT.match(text(part, "text")):
            results.append(text(part, "text")[opening.end() :].removeprefix("\n"))
        elif results and not results[-1]:
            results[-1] = text(part, "text")
    return results


def _whole_file(output: str) -> str | None:
    """The file that a read shows: as it is, or with line numbers if it says that these are all lines."""
    numbered, _, rest = output.rpartition("\n(File has ")
    count = _COUNT.fullmatch("(File has " + rest)
    if not numbered or count is None:
        return None if "<file" in output or " | " in output[:12] or "<error" in output else output
    lines = [line.partition(" | ")[2] for line in numbered.strip("\n").split("\n")]
    return "\n".join(lines) + "\n" if len(lines) == int(count[1]) else None


def _plain_blocks(diff: str) -> str:
    """The blocks with the markers that everybody knows, and without line numbers."""
    return _CLOSING.sub(">>>>>>> REPLACE", _OPENING.sub("<<<<<<< SEARCH", _START_LINE.sub("", diff))).strip("\n")
