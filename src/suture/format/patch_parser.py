"""Parsing what a model wrote into a `Patch`: the form is recognized from the text, or named.

This is the way in: an envelope that is nothing else is parsed at once, without loading the readers of other forms.
Other forms are recognized only in a dialect that reads text leniently; the others have envelopes alone, unless a form
is named.
"""

from __future__ import annotations

from ..core.dialect import MAX_SECTIONS, MAX_SIZE, STANDARD, dialect_named
from ..core.patch import BOM, Patch
from ..core.system_errors import reports_system_errors
from .fast_parse import fast_parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.dialect import Dialect
    from .diff_blocks import Exclude


@reports_system_errors
def parse(
    text: str,
    dialect: str | Dialect = STANDARD,
    *,
    form: str | None = None,
    strip: int | None = None,
    max_size: int = MAX_SIZE,
    max_sections: int = MAX_SECTIONS,
    exclude: Exclude | None = None,
    path: str = "",
) -> Patch:
    """Parse a patch, a diff, SEARCH/REPLACE blocks or tool calls, with or without prose around them.

    `form` names the only form to read: "envelope", "unified", "search-replace", "json", "xml", "whole" or
    "sketch". `strip`
    removes that many leading directories from the paths of a unified diff. `exclude` is a function of a path: files for
    which it is true are left out, with a concession. `path` is the file of blocks and diffs that name none.

    Raises:
        PatchInvalidError: the text can't be parsed; the exception has all its errors.
    """
    dialect = dialect_named(dialect)
    text = text.removeprefix(BOM)
    if form in (None, "envelope") and len(text) <= max_size and exclude is None:
        parsed = fast_parse(text, max_sections)
        if parsed is not None:
            return Patch.make(tuple(parsed[0]))
        from .plain_envelope import parse_plain_envelope

        is_named = form == "envelope"
        patch = parse_plain_envelope(text, dialect, is_named=is_named, max_size=max_size, max_sections=max_sections)
        if patch is not None:
            return patch
    from .stream_parser import PatchParser

    parser = PatchParser(
        dialect, form=form, strip=strip, max_size=max_size, max_sections=max_sections, exclude=exclude, path=path
    )
    parser.feed(text)
    return parser.close()
