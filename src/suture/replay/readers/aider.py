"""Aider: `.aider.chat.history.md` in a repository, a chat as Markdown.

- `# aider chat started at <time>` opens a session, `#### ` a line of the prompt, `> ` a line that Aider printed. All
  else is the model's answer, with SEARCH/REPLACE blocks, each below the path of its file.
- Aider printed: `Model: <name> with <form> edit format`, `Tokens: <n> sent, <n> received`, `Applied edit to <path>`,
  `Commit <hash> <message>`, and for a block without a place `… failed to exactly match lines in <path>`.

There are no files in a chat. The commit that an edit led to has its result, and the parent of that commit has the file
before.
"""

from __future__ import annotations

import re

from ..recording import FileChange, RecordedCall, TranscriptReader, Turn, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..recording import TranscriptFile

_BLOCK = re.compile(r"^<{5,9} SEARCH\b[^\n]*\n.*?^>{5,9} REPLACE\b", re.MULTILINE | re.DOTALL)
_MODEL = re.compile(r"(?:Main model|Models?): (\S+) with (\S+) edit format")
_TOKENS = re.compile(r"Tokens: .*?([\d.,]+)(k?) received")
_FAILED = re.compile(r"failed to exactly match lines in (.+)")
_APPLIED, _COMMIT = re.compile(r"Applied edit to (.+)"), re.compile(r"Commit ([0-9a-f]{7,40}) ")
#: Lines before a block in which its path is looked for.
_PATH_LINES = 3


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
        for line in document.data.decode("utf-8", "replace").splitlines():
            is_start, is_prompt = line.startswith("# aider chat started at "), line.startswith("#### ")
            is_printed = line.startswith("> ") or line == ">"
            if is_start or is_prompt or (printed and said and not is_printed and line.strip()):
                self._answer(said, printed)
                said, printed = [], []
            if is_start:
                self._session, self._time = f"{document.name}:{line[24:].strip()}", seconds(line[24:].strip())
            elif is_prompt:
                self._count += 1
                self.recording.add(self._session, Turn(f"p{self._count}", self._time, is_prompt=True))
            elif is_printed:
                printed.append(line[2:].rstrip())
            elif said or line.strip():
                said.append(line)
        self._answer(said, printed)

    def _answer(self, said: list[str], printed: list[str]) -> None:
        told = "\n".join(printed)
        if model := _MODEL.search(told):
            self._model = model[1]
        self._count += 1
        if tokens := _TOKENS.search(told):
            received = (
                float(tokens[1].replace(",", "") or 0) * (1000 if tokens[2] else 1) if tokens[1].strip(".,") else 0
            )
            self.recording.add(self._session, Turn(f"t{self._count}", self._time, int(received)))
        blocks = _blocks("\n".join(said))
        failed = {path.strip() for path in _FAILED.findall(told)}
        applied = {path.strip() for path in _APPLIED.findall(told)}
        commit = _COMMIT.search(told, told.rfind("Applied edit to")) if applied else None
        for path, edit in blocks.items():
            accepted = None if (path in failed) == (path in applied) else path in applied
            change = FileChange(path, "search-replace", edit, commit=commit[1] if commit and accepted else "")
            answer = f"{path}: failed to exactly match" if accepted is False else ""
            call = RecordedCall(
                f"{self._count}:{path}", "SEARCH/REPLACE", self._time, self._model, (change,), accepted, answer
            )
            self.recording.add(self._session, call)


def _blocks(answer: str) -> dict[str, str]:
    """The blocks of an answer by path, each file's together. A block without a path belongs to the file before it."""
    blocks: dict[str, list[str]] = {}
    path = ""
    for block in _BLOCK.finditer(answer):
        above = answer[max(0, block.start() - 1000) : block.start()].splitlines()[-_PATH_LINES:]
        for line in reversed(above):
            name = line.strip().strip("#*` :")
            if line.strip().startswith((">>>>", "```")) or not name:
                if line.strip().startswith(">>>>"):
                    break
                continue
            path = name
            break
        if path:
            blocks.setdefault(path, []).append(f"{path}\n```\n{block[0]}\n```\n")
    return {path: "\n".join(texts) for path, texts in blocks.items()}
