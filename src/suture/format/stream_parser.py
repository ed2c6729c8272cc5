"""Parsing a text of any form, as a whole or while it arrives. `patch_parser` has the quick way for plain envelopes."""

from __future__ import annotations

from ..core.dialect import MAX_SECTIONS, MAX_SIZE, STANDARD, Dialect, dialect_named
from ..core.patch import BOM, Concession, Patch
from ..core.problems import PatchInvalidError
from .answer import AnswerParser
from .color_filter import ColorFilter
from .envelope import EnvelopeParser
from .leftovers import all_excluded
from .reasoning_filter import ReasoningFilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation
    from .diff_blocks import Exclude

#: The forms by their names.
FORMS = ("envelope", "unified", "search-replace", "json", "xml", "whole", "sketch")


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
            self._colors = ColorFilter()
        self._reasoning: ReasoningFilter | None = None
        if dialect.lenient:
            self._reasoning = ReasoningFilter()
        self._parser: EnvelopeParser | AnswerParser
        if is_envelope:
            self._parser = EnvelopeParser(dialect, max_size=max_size, max_sections=max_sections)
        else:
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
        raise PatchInvalidError([all_excluded([one.about for one in left_out])])
    return patch.replace(operations=tuple(kept), concessions=(*patch.concessions, *left_out))
