"""Calls in the text between the blocks of an answer: those that look like edits, and that no block has taken."""

from __future__ import annotations

import re

from .nameless_edits import KeyedEdits
from .parse_fault import ParseFault
from .path_lines import path_in_comment, path_in_fence
from .unread_calls import MarkupTags, call_in_line
from .unread_diffs import ChangesByNumbers
from .unread_python import PythonCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Problem


#: A comment for code that stays, as only sketches have it.
_MARKER = re.compile(
    r"\s*(?:(?:#|//|--|/\*|<!--|\{/\*|[;%])\s*)?(?:\.{3}|…|\{\{ \.\.\.)\s*(?:existing code|rest of|\}\})"
)
#: What Morph's prompts have around a sketch.
_UPDATE = "<update>"


class MarkedSketches:
    """Follows fences that name their file, and `<update>` tags: with a comment for code that stays, one is an edit."""

    def __init__(self) -> None:
        #: The file, or what stands for it.
        self._path = ""

    def note(self, line: str, number: int, info: str | None, *, is_first: bool) -> Problem | None:
        """The problem with the sketch that a line shows."""
        if info is None:
            is_update = self._path == _UPDATE or line.lstrip().startswith(_UPDATE)
            self._path = _UPDATE if is_update else ""
            line = line.replace(_UPDATE, "", 1)
        elif is_first:
            self._path = path_in_fence(info) or path_in_comment(line)
        if not self._path or _MARKER.match(line) is None:
            if info is None and "</update>" in line:
                self._path = ""
            return None
        place = "tag <update>" if self._path == _UPDATE else f"fence for {self._path}"
        message = f"The {place} has a sketch of the new code, which is not read beside other edits."
        self._path = ""
        hint = "Apply it alone, with the form sketch, or use an edit with the text to find and its replacement."
        return ParseFault(number, message, hint, form="sketch", repeats=[number]).problem()


class UnreadText:
    """The lines between the blocks, as calls in markup, JSON and Python, as edits in YAML, as sketches and as diffs."""

    def __init__(self, *, markup: bool, json: bool, diffs: bool) -> None:
        #: Whether calls in markup, calls in JSON, and diffs would be read.
        self._reads_markup = markup
        self._reads_json = json
        self._reads_diffs = diffs
        self._tags = MarkupTags()
        self._python_calls = PythonCalls()
        self._keyed_edits = KeyedEdits()
        self._sketches = MarkedSketches()
        self._by_numbers = ChangesByNumbers()

    def note(self, line: str, number: int, info: str | None, *, is_first: bool) -> Problem | None:
        """The problem with a line; `info` is what the fence around it says, None without one.

        Each reader takes every line, because an edit can have several; of several problems, the first counts.
        """
        language = None if info is None else info.partition(" ")[0].lower()
        problems: list[Problem | None] = []
        if self._reads_markup:
            problems.append(self._tags.note(line, number))
        if self._reads_json:
            problems.append(call_in_line(line, number))
            problems.append(self._python_calls.note(line, number, language))
            problems.append(self._keyed_edits.note(line, number, language, is_first=is_first))
            problems.append(self._sketches.note(line, number, info, is_first=is_first))
        if self._reads_diffs:
            problems.append(self._by_numbers.note(line, number, language))
        return next((problem for problem in problems if problem is not None), None)

    def end_at_block(self) -> list[Problem]:
        """What ends where a block begins: tags around it are its own, and a call before it was cut off."""
        self._tags.forget()
        cut_off = self._python_calls.close()
        return [] if cut_off is None else [cut_off]

    def close(self) -> list[Problem]:
        """What was cut off at the end of the text."""
        return [one for one in (self._tags.close(), self._python_calls.close()) if one is not None]
