"""The path that a line of prose, a fence or a tag names: `src/app.py`, `**File: app.py**`, "```python:src/app.py".

Models write the path of a block near it, in many ways. A line names a path only if it can name no other: a sentence
with two file names names none.
"""

from __future__ import annotations

import re
from collections import deque

#: The longest line that is looked at.
_LONGEST = 500
#: Lines above a block among which its path is looked for.
WINDOW = 3
_TAG = re.compile(r"<(path|file_path|filePath|file|filename)>\s*([^<>]+?)\s*</\1>")
_LABEL = re.compile(
    r"(?:file ?name|file ?path|file|path|in|update|edit|modify|create|changes? (?:to|in))\s*:?\s+", re.IGNORECASE
)
_MARKS = re.compile(r"(?:#{1,6}|//|/\*|<!--|--|;+|>|\d{1,3}[.)]|[-*+])\s+")
_SPANS = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"[^\s`'\"<>|*?:,;(){}]*(?:[/\\][^\s`'\"<>|*?:,;(){}]+|\.[A-Za-z]\w{0,14})")
#: Files without an extension that a line alone may name.
_PLAIN_NAMES = frozenset(
    "Makefile Dockerfile Containerfile LICENSE README CHANGELOG Gemfile Rakefile Procfile Justfile Vagrantfile "
    "Jenkinsfile CODEOWNERS Pipfile BUILD WORKSPACE .gitignore .dockerignore .editorconfig".split()
)
_ATTRIBUTE = re.compile(r"(?:title|file|filename|path|name)=[\"']?([^\"'\s]+)")


def path_in(line: str) -> str:
    """The path that a line names; empty if it names none, or more than one."""
    text = line.strip()
    if not text or len(text) > _LONGEST:
        return ""
    if tag := _TAG.search(text):
        return tag[2]
    marked = False
    while mark := _MARKS.match(text):
        text, marked = text[mark.end() :], True
    text = text.removesuffix("-->").removesuffix("*/").strip()
    bold = text.startswith(("**", "__", "`"))
    is_label = marked or bold or text.endswith((":", ":**", ":__"))
    text = text.strip("*_:").strip()
    written = _SPANS.findall(text)
    spans = [span for span in written if is_path(span, alone=True)]
    if spans:
        return spans[0] if len(spans) == 1 else ""
    if any(" " in span and is_path(span.split()[-1]) for span in written):
        # A path with spaces if it is alone, or a command: never a part of it.
        return written[0] if text == f"`{written[0]}`" else ""
    if label := _LABEL.match(text):
        text, is_label = text[label.end() :].strip("*_: "), True
    text = text.strip("`\"'")
    if is_path(text, alone=True) and (bold or not any(map(str.isspace, text))):
        return text
    tokens = [token for token in (word.strip("`\"'*_:,()") for word in text.split()) if is_path(token)]
    return tokens[0] if is_label and len(tokens) == 1 else ""


def is_path(text: str, *, alone: bool = False) -> bool:
    """Whether a text looks like a path; `alone` also accepts well-known names without an extension."""
    if _PATH.fullmatch(text):
        return "://" not in text and text.strip("./\\") != ""
    return alone and text.rpartition("/")[2] in _PLAIN_NAMES


def path_in_fence(info: str) -> str:
    """The path in the text after the opening marks of a fence: `python:src/app.py`, `src/app.py`, `js title="a.js"`."""
    if len(info) > _LONGEST:
        return ""
    if named := _ATTRIBUTE.search(info):
        return named[1] if is_path(named[1], alone=True) else ""
    words = [word for part in info.split() for word in (part, part.partition(":")[2])]
    paths = list(dict.fromkeys(word for word in words if is_path(word, alone=True) and word[:1] != "."))
    return paths[0] if len(paths) == 1 else ""


class PathLines:
    """The lines above the next block, and the path that they name."""

    __slots__ = ("_fenced", "_inside", "_lines", "last")

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=WINDOW)
        #: The number of lines since a fence was opened, and a path that was alone in the fence before.
        self._inside, self._fenced = 0, ""
        #: The path of the block before.
        self.last = ""

    def note(self, line: str) -> None:
        """Take a line outside of any block."""
        self._lines.append(line)
        self._inside += 1
        self._fenced = ""

    def open_fence(self) -> None:
        """A fence opens."""
        self._inside = 0

    def note_path(self, path: str) -> None:
        """Take a path that the info string of a fence names."""
        if path:
            self.note(f"`{path}`")

    def close_fence(self) -> None:
        """Drop the lines: they were the content of a fence, unless that was a path and the block comes right after."""
        self._fenced = path_in(self._lines[-1]) if self._inside == 1 else ""
        self._lines.clear()

    def take(self) -> str:
        """The path for a block that begins now: of the nearest line that names one, or of the block before."""
        self.last = self.take_new() or self.last
        return self.last

    def take_new(self) -> str:
        """The path that the nearest line names; empty if none does."""
        path = next(filter(None, map(path_in, reversed(self._lines))), self._fenced)
        self._lines.clear()
        # A fence with a block has more than a path.
        self._inside, self._fenced = WINDOW, ""
        return path
