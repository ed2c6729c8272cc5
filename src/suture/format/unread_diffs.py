"""Changes by the numbers of lines alone, as `diff` without options and `ed` have them.

They name no file, and nothing shows that their numbers are those of the file, so nothing of them is read.
"""

from __future__ import annotations

import re

from .format_limits import LONGEST_ED_TEXT
from .parse_fault import ParseFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Problem

#: The languages of fences that may have one. In others, such as those of a shell, it is what a command takes or says.
_LANGUAGES = (None, "", "diff", "patch", "ed", "text", "plaintext", "txt")
#: What `diff` without options says about some lines, and how the first of these lines begins.
_DIFF_COMMAND = re.compile(r"\d{1,9}(?:,\d{1,9})?([acd])\d{1,9}(?:,\d{1,9})?\s*")
_FIRST_LINE = {"a": "> ", "c": "< ", "d": "< "}
#: A command of `ed` that takes the lines below it, up to one with a dot.
_ED_COMMAND = re.compile(r"(?:\d{1,9}|\$)(?:,(?:\d{1,9}|\$))?[aci]\s*")


class ChangesByNumbers:
    """Follows the lines between the blocks: a command, and below it the lines that show what it is."""

    def __init__(self) -> None:
        self._command = ""
        self._number = 0
        #: The language of the fence around the command.
        self._language: str | None = None
        #: Whether the line above is one of a terminal, whose output follows.
        self._is_output = False

    def note(self, line: str, number: int, language: str | None) -> Problem | None:
        """The problem with the change that a line shows; `language` is that of the fence around it, if any."""
        what = self._shown_by(line, number) if self._command and language == self._language else ""
        if what:
            message = f"This looks like {what}, which can't be read. Found {self._command!r}."
            hint = "Use a unified diff instead, as diff -u writes it, or a SEARCH/REPLACE block."
            self._command = ""
            return ParseFault(self._number, message, hint, form="unified", repeats=[self._number]).problem()
        is_command = _DIFF_COMMAND.fullmatch(line) or _ED_COMMAND.fullmatch(line)
        if is_command and language in _LANGUAGES and not self._is_output:
            self._command, self._number, self._language = line.strip(), number, language
        self._is_output = line.startswith(("$ ", "% "))
        return None

    def _shown_by(self, line: str, number: int) -> str:
        """What the command is, if a line below it shows that."""
        command = _DIFF_COMMAND.fullmatch(self._command)
        if command is None:
            is_text = number - self._number <= LONGEST_ED_TEXT
            return "a command of ed" if is_text and line.rstrip() == "." else ""
        is_next = number == self._number + 1
        return "a diff without context" if is_next and line.startswith(_FIRST_LINE[command[1]]) else ""
