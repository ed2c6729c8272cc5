"""Lines outside of all blocks that were meant as edits: to skip them could leave a change half done.

Each row is the form that was meant, how such a line looks, what it is, and what to write instead.
"""

from __future__ import annotations

import re

from ..core.dialect import BEGIN, END
from ..core.problems import Problem
from .parse_errors import quote
from .search_replace import DIVIDER, REPLACE, SEARCH

_ROWS = (
    (
        "envelope",
        re.compile(r"\s*\*\*\* ?(?:Add|Update|Delete|Move) File: *\S", re.IGNORECASE),
        f"a section of a patch, but it is not between {BEGIN} and {END}",
        f"Put it between {BEGIN} and {END}, or leave it out.",
    ),
    (
        "search-replace",
        re.compile(r"\s*(?:<{5,}|-{5,}) ?(?:SEARCH|ORIGINAL|OLD|BEFORE|FIND)>?:?\s*$", re.IGNORECASE),
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
        re.compile(r"\s*@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@"),
        "a hunk of a unified diff, but not part of one",
        "Put --- and +++ lines with the path above it, and start its lines at the left margin.",
    ),
    (
        "xml",
        re.compile(r"\s*<(?:replace|old_str(?:ing)?|oldString|insert_content|search_and_replace)>"),
        "an edit in markup, but not one that can be read",
        "Use a SEARCH/REPLACE block or a unified diff instead.",
    ),
)
#: What every row needs.
_ANY = re.compile(r"\*\*\* ?[AUDMaudm\d]|@@ -|<\w|<{5}|-{5}")


def leftover(line: str, number: int, form: str | None) -> Problem | None:
    """The problem with a line that no block has taken, if it was meant as an edit in this form, or in any."""
    if _ANY.search(line) is None:
        return None
    for meant, pattern, what, hint in _ROWS:
        if form in (None, meant) and pattern.match(line):
            message = f"Patch line {number}: This looks like {what}. Found {quote(line)}."
            details = {"line": number, "lines": [number], "found": line, "expected": [], "form": meant}
            return Problem("patch_parse_error", message, details=details, hint=hint)
    return None
