"""Hunks on a text, in memory. `update` takes str or bytes, returns the same type, and never touches a file."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from ..core.common_limits import MOST_LINES
from ..core.dialect import PREFIXES, STANDARD, Dialect, dialect_named
from ..core.edit_options import DEFAULT_OPTIONS
from ..core.match import Match
from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.system_errors import reports_system_errors
from ..core.text import BOM, Text, check_size
from ..core.value import Value
from .fast_update import fast_update
from .place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, ClassVar, TypeAlias, Unpack

    from ..core.edit_options import EditOptions, EditSettings
    from ..core.patch import Hunk
    from .arrange import Rivals

    #: The number of a hunk, from 0, the text in which it was placed, its place, and the offsets of its rivals.
    PlacedHunk: TypeAlias = tuple[int, str, Place, Sequence[int]]

#: Seconds after which a search gives up. Work is bounded by counting; this is the safety net.
SECONDS = 5.0


class Update(Value):
    """The result of `update`: the new text, of the type that was given, and a Match for each hunk."""

    text: Any
    #: On the fast path, instead of a list: the text, the hunks, their offsets, and those of their rivals.
    _placed: list[PlacedHunk] | tuple[str, tuple[Hunk, ...], list[int], Rivals]

    _public: ClassVar = ("text", "matches")

    @property
    def matches(self) -> tuple[Match, ...]:
        """Where each hunk went."""
        placed = self._placed
        if isinstance(placed, tuple):
            body, hunks, starts, rivals = placed
            places = enumerate(map(Place, hunks, starts, ["exact"] * len(hunks)))
            placed = [(number, body, place, rivals.get(number, ())) for number, place in places]
        return tuple([match for body, rows in groupby(placed, itemgetter(1)) for match in _matches(body, list(rows))])


def _matches(body: str, rows: Sequence[PlacedHunk]) -> Iterator[Match]:
    """The matches of hunks that were placed in one text, whose lines are counted once."""
    ends = [place.end(body) for _, _, place, _ in rows]
    offsets = set(ends)
    for _, _, place, rivals in rows:
        offsets.update((place.start, *rivals))
    #: The line number at each of these offsets.
    lines: dict[int, int] = {}
    newlines = position = 0
    for offset in sorted(offsets):
        newlines += body.count("\n", position, offset)
        position = offset
        # The end of a body without a final newline counts as the line after it.
        lines[offset] = newlines + (2 if offset > len(body) else 1)
    for (number, _, place, starts), end in zip(rows, ends, strict=True):
        concessions = tuple([Concession(name, place.hunk.line) for name in dict.fromkeys(place.concession_names)])
        rivals = tuple(sorted([lines[start] for start in starts if start != place.start]))
        yield Match(number + 1, lines[place.start], lines[end] - 1, place.tier, concessions, place.score, rivals)


@reports_system_errors
def update(
    content: str | bytes,
    hunks: Iterable[Hunk],
    *,
    dialect: str | Dialect = STANDARD,
    path: str = "",
    options: EditOptions = DEFAULT_OPTIONS,
    seconds: float = SECONDS,
    is_pristine: bool | None = None,
    **settings: Unpack[EditSettings],
) -> Update:
    """Place hunks in a text and return the new text with a Match for each hunk.

    `path` is for messages. `settings` are fields of `EditOptions` that differ from `options`. With `skip_applied`, the
    matches of hunks that are applied already cover no lines and have the concession `already_applied`. `is_pristine`
    says whether the text is the very one that a diff was made for, as its hashes may tell: such a diff is not applied
    already. If it is another one, line numbers prove less.

    Raises:
        PatchRejectedError: a hunk has no place, more than one, or can't be written; it has all problems.
    """
    if dialect is not STANDARD:
        dialect = dialect_named(dialect)
    if settings:
        options = options.replace(**settings)
    if len(content) > min(options.max_size, MOST_LINES):
        check_size(content, path, options.max_size)
    hunks = tuple(hunks)
    _check(hunks, path)
    text: Text | None = None
    if isinstance(content, str) and content[:1] != BOM:
        raw = content
    else:
        text = Text(content, options.encoding, path)
        if text.bom:
            from .byte_order_mark import name_in_hunks

            text, hunks = name_in_hunks(text, hunks)
        raw = text.raw
    takes_first = dialect.several == "first"
    # Without a final newline the dialects differ, and one by one a hunk may depend on the result of the one before it.
    may_be_fast = raw.endswith("\n") if takes_first else dialect.several == "refuse"
    if may_be_fast:
        placed = fast_update(raw, hunks, path, takes_first=takes_first)
        if placed is not None:
            new = placed[0] if text is None else text.content(placed[0])
            return Update(new, (raw, hunks, *placed[1:]))
    # Most updates never get here, and loading this takes longer than they do.
    from .slow_update import check_control, slow_update

    if not options.allow_control:
        check_control(hunks, path)
    text = text or Text(content, options.encoding, path)
    raw, rows = slow_update(
        text,
        hunks,
        dialect,
        seconds,
        skip_applied=options.skip_applied,
        syntax=not options.allow_syntax_errors,
        is_pristine=is_pristine,
    )
    return Update(text.content(raw), rows)


def _check(hunks: Sequence[Hunk], path: str) -> None:
    """Refuse hunks that no patch text could contain: those built by hand, not by the parser."""
    for number, hunk in enumerate(hunks):
        if hunk.line:
            continue
        lines = [line for line in hunk.lines or ("",) if line[:1] not in PREFIXES or "\n" in line]
        anchors = [anchor for anchor in hunk.anchors if not anchor.strip() or "\n" in anchor]
        for line in lines + anchors:
            from .refusal_causes import not_a_line

            raise PatchRejectedError([not_a_line(hunks, number, path, line, is_anchor=not lines)])
