"""One string edit in memory: find `old`, put `new` there.

`replace` asks the nine replacers in their order and changes only the place that was found. It takes str or bytes,
returns the same type, and never touches a file.
"""

from __future__ import annotations

from ..core.string_edits import StringEdit
from ..core.text import MAX_SIZE, Text, check_size
from ..core.value import Value
from ..explain.message_lines import string_words
from .edit_step import EditRules, make_step
from .spans import applied_edits, count_lines, spans_of, written_ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ..core.patch import Concession
    from ..core.string_edits import AppliedEdit, Span
    from .edit_step import EditStep


class Replacement(Value):
    """The result of `replace`: the new text, of the type that was given, and where it differs.

    `spans` are the places in the content that was given, `written` the same places in `text`; both count characters of
    a str and bytes of bytes. `additions` and `deletions` count lines. All of these are computed when they are asked
    for.
    """

    text: Any
    replacer: str
    concessions: tuple[Concession, ...]
    _before: Text
    _raw: str
    _step: EditStep

    _public: ClassVar = ("text", "replacer", "spans", "written", "concessions", "additions", "deletions")

    @property
    def _after(self) -> Text:
        return self._before.with_raw(self._raw)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the old text was."""
        return spans_of(self._before, self._step.with_ranges(self._before).ranges)

    @property
    def written(self) -> tuple[Span, ...]:
        """Where the new text is."""
        return spans_of(self._after, written_ranges([self._step.with_ranges(self._before)])[0])

    @property
    def additions(self) -> int:
        """How many lines were added."""
        return count_lines(self._before, self._after)[0]

    @property
    def deletions(self) -> int:
        """How many lines were deleted."""
        return count_lines(self._before, self._after)[1]

    @property
    def applied(self) -> AppliedEdit:
        """The edit as plans and receipts have it: of very many places, one span for all."""
        return applied_edits(self._before, self._after, [self._step])[0]


def replace(
    content: str | bytes,
    old: str,
    new: str,
    replace_all: bool = False,
    *,
    encoding: str | None = None,
    path: str = "",
    allow_control: bool = False,
    allow_placeholders: bool = False,
    allow_syntax_errors: bool = False,
    max_size: int = MAX_SIZE,
) -> Replacement:
    """Put `new` where `old` is, and return the new text with where that was.

    `old` must have exactly one place, unless `replace_all` is set, which changes all of them. An empty `old` fills an
    empty content. `new` is taken as it is, except for the file's own line endings and, where whole lines were found at
    another depth, its indentation.

    Raises:
        PatchRejectedError: `old` has no place or more than one, or `new` can't be written.
    """
    check_size(content, path, max_size)
    before = Text(content, encoding, path)
    rules = EditRules(allow_control, allow_placeholders, max_size, string_words())
    step, raw = make_step(before, StringEdit(old, new, replace_all), rules)
    if step.concessions and path and not allow_syntax_errors:
        from .syntax_check import check_syntax

        check_syntax(before, before.with_raw(raw), "invalid_arguments", rules.words.subject, [step.replacer])
    return Replacement(before.content(raw), step.replacer, step.concessions, before, raw, step)
