"""Hunks on a text, in memory: find the places, rewrite the text.

`update` does all of it in one call. It takes str or bytes, returns the same type, and never touches a file.
"""

from __future__ import annotations

from operator import itemgetter

from ..core.dialect import PREFIXES, STANDARD, Dialect, dialect_named
from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.text import MAX_SIZE, Text, check_size
from ..core.value import Value
from ..locate.place import Place, applied_place
from .fast_update import fast_update
from .new_text import control_character

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, ClassVar, TypeAlias

    from ..core.patch import Hunk
    from ..core.problems import Problem
    from ..locate.arrange import Rivals
    from ..locate.placement import Candidates

    #: The place of a hunk, its number from 0, the offsets of its rivals, and what was conceded.
    PlacedRow: TypeAlias = tuple[Place, int, Sequence[int], tuple[Concession, ...]]

#: Seconds after which a search gives up. Work is bounded by counting; this is the safety net.
SECONDS = 5.0


class Match(Value):
    """Where a hunk went: the lines it covers (from 1; `end` is the last one, `start - 1` for an insertion), its tier,
    what was conceded, its score (1 if all lines are equal, less at `similar`), and the first lines of the rivals that
    constraints ruled out.

    Line numbers are those of the text that the hunk was matched against.
    """

    hunk: int
    start: int
    end: int
    tier: str
    concessions: tuple[Concession, ...]
    score: float
    rivals: tuple[int, ...]


class Update(Value):
    """The result of `update`: the new text, of the type that was given, and a Match for each hunk."""

    text: Any
    #: What the matches are made of: hunks that were placed, and the text in which they were.
    _placed: tuple[tuple[str, Sequence[PlacedRow]], ...]
    #: On the fast path instead: the text, the hunks, their offsets, and those of their rivals.
    _exact: tuple[str, tuple[Hunk, ...], list[int], Rivals] | None = None

    _public: ClassVar = ("text", "matches")

    @property
    def matches(self) -> tuple[Match, ...]:
        """Where each hunk went."""
        placed = self._placed
        if self._exact is not None:
            body, hunks, starts, rivals = self._exact
            places = enumerate(map(Place, hunks, starts, ["exact"] * len(hunks)))
            placed = ((body, [(place, number, rivals.get(number, ()), ()) for number, place in places]),)
        return tuple([match for body, rows in placed for match in _matches(body, rows)])


def _matches(body: str, rows: Sequence[PlacedRow]) -> Iterator[Match]:
    """The matches of hunks that were placed in one text, whose lines are counted once."""
    ends = [place.end(body) for place, *_ in rows]
    offsets = {offset for place, _, rivals, _ in rows for offset in (place.start, *rivals)}.union(ends)
    lines: dict[int, int] = {}
    line = position = 0
    for offset in sorted(offsets):
        line += body.count("\n", position, offset)
        position = offset
        lines[offset] = line + (2 if offset > len(body) else 1)
    for (place, number, starts, concessions), end in zip(rows, ends, strict=True):
        rivals = tuple(sorted([lines[start] for start in starts if start != place.start]))
        yield Match(number + 1, lines[place.start], lines[end] - 1, place.tier, concessions, place.score, rivals)


def update(
    content: str | bytes,
    hunks: Iterable[Hunk],
    *,
    dialect: str | Dialect = STANDARD,
    encoding: str | None = None,
    path: str = "",
    allow_control: bool = False,
    allow_syntax_errors: bool = False,
    skip_applied: bool = False,
    max_size: int = MAX_SIZE,
    seconds: float = SECONDS,
) -> Update:
    """Place hunks in a text and return the new text with a Match for each hunk.

    `encoding` is for bytes that are not UTF-8 and have no BOM; it is never guessed. `path` is for messages.
    `allow_control` allows control characters in added lines, `allow_syntax_errors` a loose match after which a file
    that parsed no longer does. `skip_applied` skips hunks that are applied already; their matches cover no lines and
    have the concession `already_applied`.

    Raises:
        PatchRejectedError: a hunk has no place, more than one, or can't be written; it has all problems.
    """
    if dialect is not STANDARD:
        dialect = dialect_named(dialect)
    if len(content) > max_size:
        check_size(content, path, max_size)
    hunks = tuple(hunks)
    _check(hunks, path)
    text: Text | None = None
    if isinstance(content, str):
        raw = content
    else:
        text = Text(content, encoding, path)
        raw = text.raw
    takes_first = dialect.several == "first"
    # Without a final newline the dialects differ, and one by one a hunk may depend on the result of the one before it.
    if raw[-1:] == "\n" if takes_first else dialect.several == "refuse":
        placed = fast_update(raw, hunks, takes_first=takes_first)
        if placed is not None:
            new = placed[0] if text is None else text.content(placed[0])
            return Update.make(new, (), (raw, hunks, *placed[1:]))
    text = text or Text(content, encoding, path)
    return _slow_update(text, hunks, dialect, allow_control, allow_syntax_errors, skip_applied, seconds)


def _slow_update(
    text: Text,
    hunks: tuple[Hunk, ...],
    dialect: Dialect,
    allow_control: bool,
    allow_syntax_errors: bool,
    skip_applied: bool,
    seconds: float,
) -> Update:
    # Most updates never get here, and loading this takes longer than they do.
    from .rewrite import rewrite

    path = text.path
    problems = [] if allow_control else _control_characters(hunks, path)
    if problems:
        raise PatchRejectedError(problems)
    if dialect.several == "one_by_one":
        from .one_by_one import place_one_by_one

        steps, after = place_one_by_one(text, hunks, dialect, seconds, skip_applied=skip_applied)
        if after.raw == text.raw and not any("already_applied" in place.notes for _, place in steps):
            raise PatchRejectedError([_no_change(hunks, path)])
        placed = [(there.body, [_row(place, number)]) for number, (there, place) in enumerate(steps)]
        return Update(text.content(after.raw), tuple(placed))
    options, skipped = _place(text, hunks, dialect, seconds, skip_applied=skip_applied)
    raw, notes = rewrite(text, [option.place for option in options], dialect)
    no_change = ("no_change",) if raw == text.raw and not skipped else ()
    if no_change and dialect.refuse_no_change:
        raise PatchRejectedError([_no_change(hunks, path)])
    if dialect.cautious and not allow_syntax_errors:
        _check_syntax(text, raw, hunks, options)
    rows = [
        _row(
            option.place,
            option.number,
            [*(place.start for place in option.places), *option.left_out],
            fitting + no_change,
        )
        for option, fitting in zip(options, notes, strict=True)
    ]
    rows += [_row(place, number) for number, place in skipped.items()]
    return Update(text.content(raw), ((text.body, sorted(rows, key=itemgetter(1))),))


def _place(
    text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float, *, skip_applied: bool
) -> tuple[list[Candidates], dict[int, Place]]:
    """A place for each hunk, and by their numbers the places of hunks that are applied already and skipped.

    Raises:
        PatchRejectedError: a hunk has no place.
    """
    from ..locate.hunks import locate
    from ..locate.placement import Situation

    skipped: dict[int, Place] = {}
    while True:
        # Where the first place counts, a hunk that is skipped still says from where on the next one is looked for.
        kept = [n for n, hunk in enumerate(hunks) if n not in skipped or dialect.several == "first"]
        tried = [_as_context(hunks[number]) if number in skipped else hunks[number] for number in kept]
        options, refusals = locate(Situation(text, tried, dialect, seconds))
        for option in options:
            option.number = kept[option.number]
        if not refusals:
            return [option for option in options if option.number not in skipped], skipped
        from ..explain.refusal_problems import applied_line, explain_hunks

        moved = [
            refusal.replace(number=kept[refusal.number], other=kept[refusal.other] if refusal.other >= 0 else -1)
            for refusal in refusals
        ]
        problems = explain_hunks(Situation(text, hunks, dialect, seconds), moved)
        lines = {refusal.number: applied_line(problem) for problem, refusal in zip(problems, moved, strict=True)}
        applied = [number for number, line in lines.items() if line and number not in skipped]
        if not skip_applied or not applied:
            raise PatchRejectedError(problems)
        # Every round skips one hunk more, so there are at most as many as there are hunks.
        skipped |= {number: applied_place(hunks[number], text.rows[1][lines[number] - 1]) for number in applied}


def _as_context(hunk: Hunk) -> Hunk:
    """The hunk that finds the result of this one and changes nothing."""
    return hunk.replace(lines=tuple([" " + line for line in hunk.new]), bare=())


def _check_syntax(text: Text, raw: str, hunks: Sequence[Hunk], options: Sequence[Candidates]) -> None:
    """Refuse loose matches after which a file that parsed no longer does."""
    loose = [option for option in options if option.place.tier != "exact"]
    if loose:
        from .new_text import check_syntax

        tiers = [option.place.tier for option in loose]
        check_syntax(text, text.with_raw(raw), tiers, hunks, loose[0].number)


def _check(hunks: Sequence[Hunk], path: str) -> None:
    """Refuse hunks that no patch text could contain: those built by hand, not by the parser."""
    for number, hunk in enumerate(hunks):
        if hunk.line:
            continue
        lines = [line for line in hunk.lines or ("",) if line[:1] not in PREFIXES or "\n" in line]
        anchors = [anchor for anchor in hunk.anchors if not anchor.strip() or "\n" in anchor]
        for line in lines + anchors:
            from ..explain.problem_table import hunk_fields

            fields = hunk_fields(hunks, number, path, found=line, expected="a hunk line" if lines else "an anchor")
            raise PatchRejectedError([fields.problem("not_a_line")])


def _row(place: Place, number: int, rivals: Sequence[int] = (), notes: tuple[str, ...] = ()) -> PlacedRow:
    names = dict.fromkeys(place.concession_names + notes)
    return place, number, rivals, tuple([Concession(name, place.hunk.line) for name in names])


def _no_change(hunks: Sequence[Hunk], path: str) -> Problem:
    from ..explain.problem_table import HUNK, Fields

    is_context = all(line[0] == " " for hunk in hunks for line in hunk.lines)
    why = "it has only context lines" if is_context else "it adds the lines that it removes"
    return Fields(HUNK, path, why=why).problem("no_change")


def _control_characters(hunks: Sequence[Hunk], path: str) -> list[Problem]:
    """A problem for each hunk that adds control characters (except tab and form feed) or lone surrogates."""
    odd = [control_character("".join(hunk.added), "".join(hunk.old), allowed="\t\f") for hunk in hunks]
    if not any(odd):
        return []
    from ..explain.problem_table import hunk_fields

    return [
        hunk_fields(hunks, number, path, character=ord(character)).problem("control_character")
        for number, character in enumerate(odd)
        if character is not None
    ]
