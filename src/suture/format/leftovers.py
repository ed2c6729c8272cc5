"""Lines outside of all blocks that were meant as edits: to skip them could leave a change half done.

Each row is the form that was meant, how such a line looks, what it is, and what to write instead.
"""

from __future__ import annotations

import re

from ..core.dialect import BEGIN, END
from ..core.value import Value
from .format_limits import MOST_NAMED_FILES
from .parse_errors import quote
from .parse_fault import ParseFault
from .search_replace import DIVIDER, REPLACE, SEARCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.problems import Advice, Problem
    from ..core.readers import Reader

#: What an edit looks like in each form.
_NAMES = {
    "envelope": f"a patch from {BEGIN} on",
    "unified": "a unified diff",
    "search-replace": "a SEARCH/REPLACE block",
    "json": "an edit call in JSON",
    "xml": "an edit call in markup",
    "whole": "a fenced file below its path",
    "sketch": "a fenced sketch below the path of its file",
}
#: What was read but is no edit, by the name of its concession.
_NO_EDITS = {
    "file_mode": (
        "a diff that only sets a mode that git does not know",
        "Use chmod to set other modes than those of git.",
    ),
    "failed_call": ("a tool call that failed", "A call whose result is an error is left out; copy one that succeeded."),
}
#: What may be before a line in a list, or in a heading.
_IN_LIST = r"\s*(?:(?:[-*+]|#{1,6}|\d{1,9}[.)])\s+)?"
_BARE_HEADER = re.compile(r"@@(?: |$)")
_HUNK_ALONE = "a hunk of a unified diff, but not part of one"
_NAME_FILES = "Put --- and +++ lines with the path above it, and start its lines at the left margin."
_ROWS = (
    (
        "envelope",
        re.compile(rf"{_IN_LIST}\*\*\* ?(?:Add|Update|Delete|Move) File: *\S", re.IGNORECASE),
        f"a section of a patch, but it is not between {BEGIN} and {END}",
        f"Put it between {BEGIN} and {END}, or leave it out.",
    ),
    (
        "search-replace",
        re.compile(
            rf"{_IN_LIST}(?:<{{5,}}|-{{5,}}) ?(?:SEARCH|ORIGINAL|OLD|BEFORE|FIND)>?:?"
            r"(?:\W{1,3}lines?\b.{0,60})?\s*$",
            re.IGNORECASE,
        ),
        "the start of a SEARCH/REPLACE block, but not written as one",
        f"Write its markers as {SEARCH}, {DIVIDER} and {REPLACE}, each at the start of a line.",
    ),
    (
        "unified",
        re.compile(r"\*\*\* \d+(?:,\d+)? \*{4}\s*$"),
        "a context diff, which can't be read",
        "Use a unified diff instead, as diff -u writes it.",
    ),
    (
        "unified",
        re.compile(rf"{_IN_LIST}@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@"),
        _HUNK_ALONE,
        _NAME_FILES,
    ),
    (
        "json",
        re.compile(r"@@start\s*$"),
        "an edit by line numbers in Mentat's form, which can't be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
    # A hunk without numbers may as well be one of an envelope.
    ("envelope", _BARE_HEADER, _HUNK_ALONE, _NAME_FILES),
    ("unified", _BARE_HEADER, _HUNK_ALONE, _NAME_FILES),
    (
        "xml",
        re.compile(r"\s*<(?:replace|REPLACE|old_str(?:ing)?|oldString|insert_content|search_and_replace)>"),
        "an edit in markup, but not one that can be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
    (
        "xml",
        re.compile(
            r"\s*<file(?=\s[^>]{0,500}\bpath=)(?:\s+path=[\"'][^\"'>]{1,500}[\"']\s*>"
            # RepoPrompt says what becomes of the file.
            r"|\s[^>]{0,500}\baction=[\"'](?:create|rewrite|modify|delete)\b)"
        ),
        "a file in markup, but not one that can be read",
        "Use a call that writes the file, or an envelope, instead.",
    ),
    (
        "xml",
        re.compile(
            r"\s*<(?:patched>|PlandexBlock\s[^>]*\bpath=|QuickEdit\s[^>]*\bfile=|augment_code_snippet\s[^>]*\bmode=\"?EDIT)"
        ),
        "an edit in markup, but not one that can be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
    (
        "xml",
        re.compile(
            r"\s*<(?:CodeProject(?=[\s>])[^>]{0,500}>"
            r"|antArtifact\s[^>]{0,500}(?:\bcommand=[\"']update\b|\btype=[\"']application/vnd\.ant\.code\b))"
        ),
        "a file in markup, but not one that can be read",
        "Use a call that writes the file, or an envelope, instead.",
    ),
    (
        "json",
        re.compile(r"\s*¶\S{0,500}\.\w{1,10}#\w{2,64}\s*$"),
        "the head of edits by the hashes of lines, but not one that can be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
    (
        "xml",
        re.compile(r"\s*<(?:save|append|patch)\s+args=[\"']\S"),
        "an edit in markup, but not one that can be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
    (
        "json",
        re.compile(r"\s*(?:edit_file_by_replace|insert_content_at_line)\(\s*\S"),
        "an edit as a command, but not one that can be read",
        "Use a call with its arguments in JSON, or a SEARCH/REPLACE block, instead.",
    ),
)
#: What every row needs.
_ANY = re.compile(r"\*\*\* ?[AUDMaudm\d]|@@ -|^@@|<\w|<{5}|-{5}|^\s*(?:(?:edit|insert)_|¶)")


def leftover(line: str, number: int, form: str | None) -> Problem | None:
    """The problem with a line that no block has taken, if it was meant as an edit in this form, or in any."""
    if _ANY.search(line) is None:
        return None
    for meant, pattern, what, hint in _ROWS:
        if form in (None, meant) and pattern.match(line):
            message = f"This looks like {what}. Found {quote(line)}."
            return ParseFault(number, message, hint, line, (), meant, repeats=[number]).problem()
    return None


#: A line that a diff adds or removes, but no item of a list, no rule of dashes, and no name of a file.
_CHANGED = re.compile(r"\+(?!\+\+ |[ \t]?\+*$| \S)|-(?!-|[ \t]?$| \S)")
#: The same with a space behind the sign, as models write it.
_SPACED = re.compile(r"\+ \S")


class LinesBelowDiff:
    """The lines below a diff, which ended at one that was meant as a part of its hunk.

    That is a context line without its space, or a fence of the file itself, such as three backticks. To skip what comes
    below it would leave the change half done.
    """

    def __init__(self, number: int, *, is_diff: bool) -> None:
        #: Whether a diff has ended, and nothing since then shows that its last hunk has, too.
        self._is_open = is_diff
        #: The number of the last line that was read.
        self._number = number
        self._has_blank = False

    def note(self, line: str, number: int) -> Problem | None:
        """The problem with a line outside of all blocks, if it is one of that hunk."""
        if not self._is_open:
            return None
        self._has_blank = self._has_blank or number > self._number + 1
        self._number = number
        if _CHANGED.match(line) or (not self._has_blank and _SPACED.match(line)):
            self._is_open = False
            message = f"The diff above ends before this line, which looks like a part of its hunk. Found {quote(line)}."
            hint = "Start every context line of a diff with a space, also a fence such as ```."
            return ParseFault(number, message, hint, line, (), "unified", repeats=[number]).problem()
        # Prose comes below a blank line, and a hunk goes on with context.
        self._is_open = not self._has_blank or line.startswith(" ")
        return None


def all_excluded(paths: Sequence[str]) -> Problem:
    """The problem with a patch of which nothing is left, because all of its files are excluded."""
    names = ", ".join(paths[:MOST_NAMED_FILES])
    more = f" and {len(paths) - MOST_NAMED_FILES} more" if len(paths) > MOST_NAMED_FILES else ""
    message = f"Every file of the patch is excluded: {names}{more}."
    hint = "Exclude fewer files, or leave the patch out."
    return ParseFault(1, message, hint, reason="all_excluded", more={"paths": list(paths)}).problem()


def no_edits(text: str, form: str | None, seen: Sequence[str], concessions: Iterable[str]) -> Problem:
    """The problem with a text without edits; `seen` are things in it that are none."""
    numbered = enumerate(text.split("\n"), 1)
    number, line = next(((number, line) for number, line in numbered if line.strip()), (1, ""))
    hint: Advice = _SendEdits(has_form=form is not None, has_files=bool(seen) and form is None)
    for name in dict.fromkeys(concessions):
        if name in _NO_EDITS:
            what, hint = _NO_EDITS[name]
            seen = [*seen, what]
    contents = f" It has {' and '.join(seen)}." if seen else ""
    if form:
        expected = [_NAMES[form]]
        choices = expected[0]
    else:
        expected = [name for one, name in _NAMES.items() if one not in ("whole", "sketch")]
        choices = f"{', '.join(expected[:-1])} or {expected[-1]}"
    message = f"The text contains no edits.{contents} Expected {choices}; found {quote(line)}."
    return ParseFault(number, message, hint, line, expected).problem()


class _SendEdits(Value):
    """The advice to send edits in a form that is read; fenced files are, if that is asked for."""

    has_form: bool
    has_files: bool

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        advice = f"{reader.send} the edits in {'this form' if self.has_form else 'one of these forms'}."
        if self.has_files:
            whole = reader.form.format(form="whole")
            advice += f" A fenced file is read as a whole file only on request: {whole}."
        return advice


class KeepOne(Value):
    """The advice to keep one of two changes, or to read only the form of the first."""

    form: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"Keep one of them. To read only one form, {reader.form.format(form=self.form)}."
