"""Calls in the text between the blocks of an answer: those that look like edits, and that no block has taken."""

from __future__ import annotations

from .unread_calls import MarkupTags, call_in_line
from .unread_python import PythonCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Problem


class UnreadText:
    """The lines between the blocks, as calls in markup, in JSON and in Python."""

    def __init__(self) -> None:
        self._tags = MarkupTags()
        self._python_calls = PythonCalls()

    def note(self, line: str, number: int, language: str | None, *, markup: bool, json: bool) -> Problem | None:
        """The problem with a line; `language` is that of the fence around it, None without one."""
        in_markup = self._tags.note(line, number) if markup else None
        if not json:
            return in_markup
        in_python = self._python_calls.note(line, number, language)
        return in_markup or call_in_line(line, number) or in_python

    def end_at_block(self) -> list[Problem]:
        """What ends where a block begins: tags around it are its own, and a call before it was cut off."""
        self._tags.forget()
        cut_off = self._python_calls.close()
        return [] if cut_off is None else [cut_off]

    def close(self) -> list[Problem]:
        """What was cut off at the end of the text."""
        return [one for one in (self._tags.close(), self._python_calls.close()) if one is not None]
