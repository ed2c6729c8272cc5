"""The path that a line of prose, a fence or a tag names: `src/app.py`, `**File: app.py**`, "```python:src/app.py".

Models write the path of a block near it, in many ways. A line names a path only if it can name no other: a sentence
with two file names names none.
"""

from __future__ import annotations

import re
from collections import deque

from .format_limits import LONGEST_PATH_LINE

#: Lines above a block among which its path is looked for.
WINDOW = 3
#: A line with more words is a sentence, which may end with `self.name`.
_FEW_WORDS = 3
_TAG = re.compile(r"<(path|file_path|filePath|file|filename)>\s*([^<>]+?)\s*</\1>")
_LABEL = re.compile(
    r"(?:file ?name|file ?path|file|path|in|update|edit|modify|create|changes? (?:to|in))\s*:?\s+", re.IGNORECASE
)
#: A label after which nothing but a path follows, so that the path may have spaces.
_FILE_LABEL = re.compile(r"(?:file ?name|file ?path|file|path)\s*:\s+", re.IGNORECASE)
_MARKS = re.compile(r"(?:#{1,6}|//|/\*|<!--|--|;+|>|\d{1,3}[.)]|[-*+])\s+")
_SPANS = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"[^\s`'\"<>|*?:,;(){}]*(?:[/\\][^\s`'\"<>|*?:,;(){}]+|\.[A-Za-z]\w{0,14})")
#: Parts of names that have brackets, as in `app/(group)/page.tsx` and `{{cookiecutter.name}}/setup.py`. A name does
#: not end with one, so neither does the path: `print(a/b)` is none.
_BRACKETED = re.compile(r"(?:(?<=[/\\])|^)(?:\([^\s`'\"(){}/\\]*\))+|\{\{[^\s`'\"(){}/\\]*\}\}")
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,14}")
#: Files without an extension that a line alone may name.
_PLAIN_NAMES = frozenset(
    "Makefile Dockerfile Containerfile LICENSE README CHANGELOG Gemfile Rakefile Procfile Justfile Vagrantfile "
    "Jenkinsfile CODEOWNERS Pipfile BUILD WORKSPACE .gitignore .dockerignore .editorconfig".split()
)
_FILEPATH = re.compile(r"(?:#|//|--|;+|%|/\*|<!--)\s*filepath:\s*(\S.{0,998}?)\s*(?:\*/|-->)?")
_ATTRIBUTE = re.compile(r"(?:title|file|filename|path|name)=(?:\"([^\"]+)\"|'([^']+)'|([^\"'\s]+))")


def path_in(line: str) -> str:
    """The path that a line names; empty if it names none, or more than one."""
    text = line.strip()
    if not text or len(text) > LONGEST_PATH_LINE:
        return ""
    if tag := _TAG.search(text):
        return tag[2]
    is_label = False
    while mark := _MARKS.match(text):
        text, is_label = text[mark.end() :], True
    text = text.removesuffix("-->").removesuffix("*/").strip()
    is_label = is_label or text.endswith((":", ":**", ":__"))
    plain = _without_emphasis(text)
    is_strong = text.startswith("`") or (text.startswith(("**", "__")) and not plain.startswith(text[:2]))
    return _path_in_label(plain, is_label=is_label or is_strong, is_strong=is_strong)


def _path_in_label(text: str, *, is_label: bool, is_strong: bool) -> str:
    """The path in the text of a line without its marks; `is_label` says that the line is no sentence."""
    code_spans = _SPANS.findall(text)
    paths = [span for span in code_spans if is_path(span, alone=True)]
    if paths:
        return paths[0] if len(paths) == 1 else ""
    file_label = _FILE_LABEL.match(text)
    if any(map(_ends_with_path, code_spans)):
        # A path with spaces if nothing else is on the line, otherwise a command: its last word is no path of the line.
        rest = text[file_label.end() :] if file_label else text
        return code_spans[0] if rest == f"`{code_spans[0]}`" else ""
    if label := file_label or _LABEL.match(text):
        text, is_label = _without_emphasis(text[label.end() :]), True
    text = text.strip("`\"'")
    has_spaces = any(map(str.isspace, text))
    if is_path(text, alone=True) and (is_strong or not has_spaces):
        return text
    paths = [path for path in map(_bare_word, text.split()) if is_path(path)]
    if file_label and paths and text.endswith(paths[-1]) and not any(map(_has_extension, paths[:-1])):
        # `File: my notes/a b.md`: a path with spaces.
        return text
    return paths[0] if is_label and len(paths) == 1 else ""


def _ends_with_path(code: str) -> bool:
    """Whether a code span of several words ends with a path, as `git add a.py` does."""
    return " " in code and is_path("".join(code.split()[-1:]))


def _without_emphasis(text: str) -> str:
    """A text without the stars and underscores that make it bold or italic, its brackets, and a colon at its end.

    An underscore can be part of a name: `__init__.py`, `_a_/b_`. A star can't, but it can be part of a glob.
    """
    text = text.strip(": ")
    if text.count("**") % 2 == 0 or re.match(r"\*\*+[\w.]", text):
        text = text.replace("**", "")
    for mark in ("*", "_"):
        size = min(len(text) - len(text.lstrip(mark)), len(text) - len(text.rstrip(mark)))
        if 0 < size < len(text) / 2 and (mark == "*" or _is_emphasis(text, size)):
            text = text[size:-size]
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return text.strip(": ")


def _bare_word(word: str) -> str:
    """A word of a sentence without what may stand around a path."""
    word = word.strip("`\"',:")
    if "(" not in word:
        word = word.rstrip(")")
    elif ")" not in word:
        word = word.lstrip("(")
    return _without_emphasis(word.strip("`\"',:"))


def _is_emphasis(text: str, size: int) -> bool:
    """Whether so many underscores at both ends of a text are not part of a name."""
    inside = text[size:-size].rstrip(":")
    name = inside.rpartition("/")[2]
    return any(map(str.isspace, inside)) or not is_path(text) or _has_extension(name) or name in _PLAIN_NAMES


def _has_extension(path: str) -> bool:
    """Whether the last name of a path has an extension."""
    return _EXTENSION.fullmatch(path[path.rfind(".") :]) is not None and "." in path


def is_path(text: str, *, alone: bool = False) -> bool:
    """Whether a text looks like a path; `alone` also accepts well-known names without an extension."""
    plain = _BRACKETED.sub("x", text)
    if _PATH.fullmatch(plain) and (plain == text or _has_extension(plain)):
        return "://" not in text and text.strip("./\\") != ""
    return alone and text.rpartition("/")[2] in _PLAIN_NAMES


def path_in_fence(info: str) -> str:
    """The path in the text after the opening marks of a fence: `python:src/app.py`, `src/app.py`, `js title="a.js"`."""
    if len(info) > LONGEST_PATH_LINE:
        return ""
    if attribute := _ATTRIBUTE.search(info):
        quoted, bare = attribute[1] or attribute[2], attribute[3]
        path = quoted or bare
        # Without quotes, a path with spaces has no certain end.
        may_go_on = bare and not _has_extension(path) and info[attribute.end() :].strip()
        return path if not may_go_on and is_path(path.replace(" ", "_"), alone=True) else ""
    words = info.split()
    candidates = [*words, *(word.partition(":")[2] for word in words)]
    paths = {path for path in candidates if _is_in_fence(path)}
    if len(paths) != 1:
        return ""
    (path,) = paths
    position = next(number for number, word in enumerate(words) if word.endswith(path))
    if position == 0:
        return path
    language, *between = words[:position]
    if ":" in language.rstrip(":"):
        return ""
    # Any other word before the path may be a part of it, but for labels and signs.
    are_no_names = all(word.endswith(":") or not any(map(str.isalnum, word)) for word in between)
    return path if are_no_names else ""


def path_in_comment(line: str) -> str:
    """The path in a comment that names the file of a fence, as Copilot writes it: `// filepath: src/app.ts`."""
    named = _FILEPATH.fullmatch(line.strip()) if len(line) <= LONGEST_PATH_LINE else None
    return named[1] if named and is_path(named[1].replace(" ", "_"), alone=True) else ""


def _is_in_fence(word: str) -> bool:
    """Whether a word after the marks of a fence is a path; a dot and a language, as in "```.py", is none."""
    return is_path(word, alone=True) and (word[0] != "." or "/" in word)


def _may_mean_other(line: str, path: str) -> bool:
    """Whether a line of a few words, which names no file for certain, ends with the name of another one."""
    words = line.split()
    if not 0 < len(words) <= _FEW_WORDS:
        return False
    name = _bare_word(words[-1])
    return _has_extension(name) and not path.endswith(name)


#: A command that opens a file.
_OPENED = re.compile(r"\s*open ([^\s\"']{1,1000})(?: \d{1,9})?\s*$")


class PathLines:
    """The lines above the next block, and the path that they name."""

    __slots__ = ("_fenced", "_inside", "_lines", "default", "last")

    def __init__(self, default: str = "") -> None:
        self._lines: deque[str] = deque(maxlen=WINDOW)
        #: The path of a block where no line before it names one.
        self.default = default
        #: The number of lines since a fence was opened, and a path that was alone in the fence before.
        self._inside, self._fenced = 0, ""
        #: The path of the block before.
        self.last = ""

    def note(self, line: str) -> None:
        """Take a line outside of any block; the command `open` of SWE-agent names a file, too."""
        opened = _OPENED.match(line)
        self._lines.append(f"`{opened[1]}`" if opened else line)
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
        """The path for a block that begins now: of the nearest line that names one, the last one, or the default.

        It is empty if the nearest line names none but may mean another file, such as one with a space in its path.
        """
        nearest = self._lines[-1] if self._lines else ""
        path = self.take_new()
        before = self.last or self.default
        if not path and not _may_mean_other(nearest, before):
            path = before
        self.last = path or self.last
        return path

    def take_new(self) -> str:
        """The path that the nearest line names; empty if none does."""
        path = next(filter(None, map(path_in, reversed(self._lines))), self._fenced)
        self._lines.clear()
        # A fence with a block has more than a path.
        self._inside, self._fenced = WINDOW, ""
        return path
