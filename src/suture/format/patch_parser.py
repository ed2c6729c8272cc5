"""Parsing what a model wrote into a `Patch`: the form is recognized from the text, or named.

This is the way in: an envelope that is nothing else is parsed at once, without loading the readers of other forms.
Other forms are recognized only in a dialect that reads text leniently; the others have envelopes alone, unless a form
is named.
"""

from __future__ import annotations

from ..core.dialect import BEGIN, END, MAX_SECTIONS, MAX_SIZE, STANDARD, Dialect, dialect_named
from ..core.patch import Concession, Patch
from ..core.problems import PatchInvalidError
from ..core.system_errors import reports_system_errors
from .fast_parse import fast_parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation
    from .answer import AnswerParser
    from .color_filter import ColorFilter
    from .diff_blocks import Exclude
    from .envelope import EnvelopeParser
    from .reasoning_filter import ReasoningFilter

#: The forms by their names.
FORMS = ("envelope", "unified", "search-replace", "json", "xml", "whole", "sketch")

#: What some programs put in front of a text; it is not part of it.
BOM = "\ufeff"
#: What every other form needs at least.
_OTHER_FORMS = ("--- ", "diff --", "Index: ", "@@", "SEARCH", "ORIGINAL", "{", "[", "<", "```diff", "```patch")


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
        is_plain = not _has_reasoning(text) and not _has_colors(text)
        if not dialect.lenient or (is_plain and (form == "envelope" or _has_only_envelopes(text))):
            from .envelope import parse_envelope

            return parse_envelope(text, dialect, max_size=max_size, max_sections=max_sections)
    parser = PatchParser(
        dialect, form=form, strip=strip, max_size=max_size, max_sections=max_sections, exclude=exclude, path=path
    )
    parser.feed(text)
    return parser.close()


def _has_reasoning(text: str) -> bool:
    if text[:1] == "*":
        return False
    from .reasoning_filter import begins_with_reasoning

    return begins_with_reasoning(text)


def _has_colors(text: str) -> bool:
    if "\x1b" not in text:
        return False
    from .color_filter import has_colors

    return has_colors(text)


def _has_only_envelopes(text: str) -> bool:
    """Whether no form but the envelope can be in a text: there is nothing around its envelopes that opens another."""
    from .markers import read_marker

    outside: list[str] = []
    end = 0
    at = text.find("***") if BEGIN in text else -1
    while at >= 0:
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        last = last if last >= 0 else len(text)
        line = text[first:last]
        is_plain = "patch" not in line.lower()
        name, _, spelling = (None if is_plain else read_marker(line, padded=True, lenient=True)) or ("", "", "")
        if spelling and name in (BEGIN, END):
            # Whether it is a marker depends on what is around it.
            return False
        if name == BEGIN and end >= 0:
            outside.append(text[end:first])
            end = -1
        elif name == END and end < 0:
            end = last
        at = text.find("***", last)
    if not outside:
        return False
    if end >= 0:
        outside.append(text[end:])
    return not any(mark in part for part in outside if part for mark in _OTHER_FORMS)


class PatchParser:
    """Parses a text that arrives in pieces: `feed` each piece, read `operations` any time, `close` at the end.

    The settings are those of `parse`.
    """

    def __init__(
        self,
        dialect: str | Dialect = STANDARD,
        *,
        form: str | None = None,
        strip: int | None = None,
        max_size: int = MAX_SIZE,
        max_sections: int = MAX_SECTIONS,
        exclude: Exclude | None = None,
        path: str = "",
    ) -> None:
        if form is not None and form not in FORMS:
            message = f"expected one of the forms {', '.join(FORMS)}; found {form!r}"
            raise ValueError(message)
        dialect = dialect_named(dialect)
        self._is_new = True
        self._exclude = exclude
        is_envelope = form == "envelope" or (form is None and not dialect.lenient)
        self._colors: ColorFilter | None = None
        if dialect.lenient or not is_envelope:
            from .color_filter import ColorFilter

            self._colors = ColorFilter()
        self._reasoning: ReasoningFilter | None = None
        if dialect.lenient:
            from .reasoning_filter import ReasoningFilter

            self._reasoning = ReasoningFilter()
        self._parser: EnvelopeParser | AnswerParser
        if is_envelope:
            from .envelope import EnvelopeParser

            self._parser = EnvelopeParser(dialect, max_size=max_size, max_sections=max_sections)
        else:
            from .answer import AnswerParser

            self._parser = AnswerParser(dialect, form, strip, max_size, max_sections, exclude, path)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations read so far; the last one may still grow."""
        return self._parser.operations

    def feed(self, piece: str) -> None:
        """Take the next piece of the text, of any size."""
        if self._is_new and piece:
            self._is_new = False
            piece = piece.removeprefix(BOM)
        self._feed(piece if self._colors is None else self._colors.feed(piece))

    def _feed(self, piece: str) -> None:
        """Pass on a piece without colors."""
        reasoning = self._reasoning
        self._parser.feed(piece if reasoning is None or reasoning.is_done else reasoning.feed(piece))

    def close(self) -> Patch:
        """Return the patch, at the end of its text.

        Raises:
            PatchInvalidError: the text can't be parsed; the exception has all its errors.
        """
        patch = self._close()
        return patch if self._exclude is None else without_excluded(patch, self._exclude)

    def _close(self) -> Patch:
        concessions: list[Concession] = []
        if self._colors is not None:
            self._feed(self._colors.close())
            if self._colors.first_line:
                concessions.append(Concession("colors", self._colors.first_line))
        if self._reasoning is not None:
            self._parser.feed(self._reasoning.close())
            if self._reasoning.has_reasoning:
                concessions.append(Concession("reasoning", 1))
        patch = self._parser.close()
        return patch.replace(concessions=(*concessions, *patch.concessions)) if concessions else patch


def without_excluded(patch: Patch, exclude: Exclude) -> Patch:
    """The patch without files that are excluded, by the paths that they get.

    Raises:
        PatchInvalidError: nothing is left of it.
    """
    kept: list[Operation] = []
    left_out: list[Concession] = []
    for operation in patch.operations:
        path = getattr(operation, "move_to", None) or operation.path
        if exclude(path):
            left_out.append(Concession("excluded", operation.line, path))
        else:
            kept.append(operation)
    if not left_out:
        return patch
    if not kept:
        from .leftovers import all_excluded

        raise PatchInvalidError([all_excluded([one.about for one in left_out])])
    return patch.replace(operations=tuple(kept), concessions=(*patch.concessions, *left_out))
