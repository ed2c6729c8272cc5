"""Aider: `.aider.chat.history.md` in a repository, a chat as Markdown.

- `# aider chat started at <time>` opens a session, `#### ` a line of the prompt, `> ` a line that Aider printed. All
  else is the model's answer, with SEARCH/REPLACE blocks, each below the path of its file.
- Aider printed: `Model: <name> with <form> edit format`, `Tokens: <n> sent, <n> received`, `Applied edit to <path>`,
  `Commit <hash> <message>`, and for a block without a place `… failed to exactly match lines in <path>` in a report
  that repeats the block.

There are no files in a chat. The commit that an edit led to has its result, and the parent of that commit has the file
before.
"""

from __future__ import annotations

import re

from ..recording import FileChange, RecordedCall, TranscriptReader, Turn, seconds
from ..transcript_limits import LONGEST_PRINTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..recording import TranscriptFile

_OPENING, _CLOSING = re.compile(r"<{5,9} SEARCH\b"), re.compile(r">{5,9} REPLACE\b")
_MODEL = re.compile(r"(?:Main model|Models?): (\S+) with (\S+) edit format")
_TOKENS = re.compile(r"Tokens: .*?(\d[\d,]{0,11}(?:\.\d{1,6})?)(k?) received")
_FAILED = re.compile(r"failed to exactly match lines in (.+)")
_APPLIED, _COMMIT = re.compile(r"Applied edit to (.+)"), re.compile(r"Commit ([0-9a-f]{7,40}) ")
#: Lines before a block in which its path is looked for.
_PATH_LINES = 3
#: The report about blocks without a place repeats them, and only its first line starts with `> `. How it ends:
_REPORT_ENDS = (
    "The SEARCH section must exactly match", "# The other ", "Don't re-send them", "Just reply with fixed versions",
)  # fmt: skip


class Aider(TranscriptReader):
    """Reads the chats of Aider."""

    agent = "aider"

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """By its name."""
        return name.endswith(".aider.chat.history.md") or head.lstrip().startswith(b"# aider chat started at ")

    def read(self, document: TranscriptFile) -> None:
        """Read all chats of a file."""
        self._session, self._time, self._model, self._count = document.name, 0.0, "", 0
        said: list[str] = []
        printed: list[str] = []
        is_report = False
        for line in document.data.decode("utf-8", "replace").splitlines():
            is_start = line.startswith("# aider chat started at ")
            is_prompt = line.startswith("#### ")
            is_quoted = line.startswith("> ") or line == ">"
            ends_report = bool(printed) and line.startswith(_REPORT_ENDS)
            is_printed = is_quoted or is_report or ends_report
            # A report on blocks that did not match goes on in lines without `>`.
            is_report = (is_report or line.endswith("failed to match!")) and not line.startswith(_REPORT_ENDS[0])
            # What the model says behind what aider has printed is its next answer.
            is_next_answer = bool(said and printed and line.strip()) and not is_printed
            if is_start or is_prompt or is_next_answer:
                self._answer(said, printed)
                said, printed = [], []
            if is_start:
                start_time = line.removeprefix("# aider chat started at ").strip()
                self._session, self._time = f"{document.name}:{start_time}", seconds(start_time)
            elif is_prompt:
                self._count += 1
                self.recording.add(self._session, Turn(f"p{self._count}", self._time, is_prompt=True))
            elif is_printed:
                printed.append(line[:LONGEST_PRINTED].removeprefix("> ").rstrip())
            elif said or line.strip():
                said.append(line)
        self._answer(said, printed)

    def _answer(self, said: list[str], printed: list[str]) -> None:
        """Record what the model said and what Aider printed about it: the tokens, and a call for each file."""
        output = "\n".join(printed)
        if model := _MODEL.search(output):
            self._model = model[1]
        self._count += 1
        if tokens := _TOKENS.search(output):
            unit = 1000 if tokens[2] else 1
            received = float(tokens[1].replace(",", "")) * unit
            self.recording.add(self._session, Turn(f"t{self._count}", self._time, int(received)))
        failed = {path.strip() for path in _FAILED.findall(output)}
        applied = {path.strip() for path in _APPLIED.findall(output)}
        commit_line = _COMMIT.search(output, output.rfind("Applied edit to")) if applied else None
        commit = commit_line[1] if commit_line else ""
        for path, edit in _blocks(said).items():
            is_applied, has_failed = path in applied, path in failed
            # A file of several blocks can be in both lists.
            accepted = is_applied if is_applied != has_failed else None
            change = FileChange(path, "search-replace", edit, commit=commit if accepted else "")
            answer = f"{path}: failed to exactly match" if accepted is False else ""
            name = f"{self._session}:{self._count}:{path}"
            call = RecordedCall(name, "SEARCH/REPLACE", self._time, self._model, (change,), accepted, answer)
            self.recording.add(self._session, call)


def _blocks(answer: list[str]) -> dict[str, str]:
    """The blocks of an answer by path, each file's together. A block without a path belongs to the file before it."""
    blocks: dict[str, list[str]] = {}
    path, start = "", -1
    for number, line in enumerate(answer):
        if _OPENING.match(line):
            start = number
            path = _path_above(answer[max(0, number - _PATH_LINES) : number]) or path
        elif start >= 0 and _CLOSING.match(line):
            if path:
                written = "\n".join(answer[start : number + 1])
                blocks.setdefault(path, []).append(f"{path}\n```\n{written}\n```\n")
            start = -1
    return {path: "\n".join(texts) for path, texts in blocks.items()}


def _path_above(lines: list[str]) -> str:
    """The path in the lines above a block: the last that is neither blank nor a fence, unless a block ends there."""
    for line in reversed(lines):
        if _CLOSING.match(line):
            return ""
        name = line.strip().strip("#*` :")
        if name and not line.strip().startswith("```"):
            return name
    return ""
