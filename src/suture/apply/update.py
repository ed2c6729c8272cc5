"""Hunks on a text, in memory: find the places, rewrite the text.

`update` does all of it in one call. It takes str or bytes, returns the same type, and never touches a file.
"""

from __future__ import annotations

from ..core.dialect import PREFIXES, STANDARD, Dialect, dialect_named
from ..core.patch import Concession
from ..core.problems import HunkRef, PatchRejectedError, Problem
from ..core.text import MAX_SIZE, Text, check_size, is_plain
from ..core.value import Value
from ..locate.place import Place, applied_place
from .control_characters import control_character
from .fast_update import fast_update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, ClassVar

    from ..core.patch import Hunk
    from ..locate.placement import Candidates

#: Seconds after which a search gives up. Work is bounded by counting; this is the safety net.
SECONDS = 5.0


class Match(Value):
    """Where a hunk went: the lines it covers (from 1; `end` is the last one, `start - 1` for an insertion), its tier,
    what was conceded, its score, and the first lines of the rivals that constraints ruled out.

    Line numbers are those of the text that the hunk was matched against. They are computed when they are asked for.
    """

    _body: str | bytes
    _place: Place
    hunk: int
    _rivals: Sequence[int]
    concessions: tuple[Concession, ...]

    _public: ClassVar = ("hunk", "start", "end", "tier", "concessions", "score", "rivals")

    @property
    def start(self) -> int:
        """The first line it covers, or the line before which it inserts."""
        return self._line(self._place.start)

    @property
    def end(self) -> int:
        """The last line it covers."""
        return self._line(self._behind()) - 1

    @property
    def tier(self) -> str:
        """The tier at which its lines equal the file's."""
        return self._place.tier

    @property
    def score(self) -> float:
        """1 if all lines are equal, less at `similar`."""
        return self._place.score

    @property
    def rivals(self) -> tuple[int, ...]:
        """The first lines of other places that fit, but were ruled out by a constraint."""
        return tuple(sorted(self._line(start) for start in self._rivals if start != self._place.start))

    def _behind(self) -> int:
        """The offset after its last old line."""
        if isinstance(self._body, str):
            return self._place.end(self._body)
        # Only plain hunks are placed in bytes: their lines are consecutive.
        return self._place.start + sum([len(line) for line in self._place.hunk.lines if line[0] != "+"])

    def _newlines(self, start: int, end: int) -> int:
        body = self._body
        return body.count("\n", start, end) if isinstance(body, str) else body.count(b"\n", start, end)

    def _line(self, offset: int) -> int:
        return self._newlines(0, offset) + (2 if offset > len(self._body) else 1)


def line_ranges(matches: Iterable[Match]) -> list[tuple[int, int]]:
    """`start` and `end` of each match. The lines of a text are counted once if its matches are in order."""
    ranges: list[tuple[int, int]] = []
    body: str | bytes = ""
    at, line = 0, 1
    for match in matches:
        start, end = match._place.start, match._behind()  # noqa: SLF001 - of the same module, as all here
        if match._body is not body or start < at:  # noqa: SLF001
            body, at, line = match._body, 0, 1  # noqa: SLF001
        line += match._newlines(at, start)  # noqa: SLF001
        at = start
        behind = line + match._newlines(start, end) + (end > len(body))  # noqa: SLF001
        ranges.append((line + (start > len(body)), behind - 1))
    return ranges


class Update(Value):
    """The result of `update`: the new text, of the type that was given, and a Match for each hunk."""

    text: Any
    matches: tuple[Match, ...]


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
    dialect = dialect_named(dialect)
    check_size(content, path, max_size)
    hunks = tuple(hunks)
    _check(hunks, path)
    # Without a final newline the dialects differ, and one by one a hunk may depend on the result of the one before it.
    if (dialect.several == "refuse" or (dialect.several == "first" and _ends_with_newline(content))) and (
        type(content) is str or (type(content) is bytes and encoding is None and is_plain(content))
    ):
        placed = fast_update(content, hunks, one_anchor=dialect.several == "first")
        if placed is not None:
            new, starts = placed
            exact = [Match(content, Place(hunks[n], at, "exact"), n + 1, (), ()) for n, at in enumerate(starts)]
            return Update(new, tuple(exact))
    text = Text(content, encoding, path)
    return _slow_update(text, hunks, dialect, allow_control, allow_syntax_errors, skip_applied, seconds)


def _ends_with_newline(content: str | bytes) -> bool:
    return content.endswith("\n") if isinstance(content, str) else content.endswith(b"\n")


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
        if after.raw == text.raw and not any("already_applied" in step.place.notes for step in steps):
            raise PatchRejectedError([_no_change(hunks, path)])
        matches = [_match(step.text.body, step.place, number, ()) for number, step in enumerate(steps)]
        return Update(text.content(after.raw), tuple(matches))
    places, options, skipped = _place(text, hunks, dialect, seconds, skip_applied=skip_applied)
    raw, notes = rewrite(text, places, dialect)
    no_change = ("no_change",) if raw == text.raw and not skipped else ()
    if no_change and dialect.refuse_no_change:
        raise PatchRejectedError([_no_change(hunks, path)])
    if dialect.cautious and not allow_syntax_errors:
        _check_syntax(
            text, raw, hunks, [(option.number, place.tier) for option, place in zip(options, places, strict=True)]
        )
    matches = [
        _match(text.body, place, option.number, option.rivals(), fitting + no_change)
        for option, place, fitting in zip(options, places, notes, strict=True)
    ]
    matches += [_match(text.body, place, number, ()) for number, place in skipped.items()]
    return Update(text.content(raw), tuple(sorted(matches, key=lambda match: match.hunk)))


def _place(
    text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float, *, skip_applied: bool
) -> tuple[list[Place], list[Candidates], dict[int, Place]]:
    """A place for each hunk, and by their numbers the places of hunks that are applied already and skipped.

    Raises:
        PatchRejectedError: a hunk has no place.
    """
    from ..locate.hunks import locate
    from ..locate.placement import Situation

    skipped: dict[int, Place] = {}
    while True:
        # Where the first place counts, a hunk that is skipped still says from where on the next one is looked for.
        kept = [n for n, hunk in enumerate(hunks) if n not in skipped or (dialect.several == "first" and hunk.new)]
        tried = [_as_context(hunks[number]) if number in skipped else hunks[number] for number in kept]
        places, options, refusals = locate(Situation(text, tried, dialect, seconds))
        for option in options:
            option.number = kept[option.number]
        if not refusals:
            chosen = [
                (place, option) for place, option in zip(places, options, strict=True) if option.number not in skipped
            ]
            return [place for place, _ in chosen], [option for _, option in chosen], skipped
        from ..explain.hunk_problems import applied_line, explain_hunks

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


def _check_syntax(text: Text, raw: str, hunks: Sequence[Hunk], tiers: Sequence[tuple[int, str]]) -> None:
    """Refuse loose matches after which a file that parsed no longer does."""
    loose = [(number, tier) for number, tier in tiers if tier != "exact"]
    if not loose or not text.path:
        return
    from .syntax_check import check_syntax

    numbers = [number for number, _ in loose]
    subject = _hunk_named(numbers[0], hunks)
    ref = HunkRef(numbers[0] + 1, len(hunks), hunks[numbers[0]].line)
    check_syntax(
        text, text.with_raw(raw), "patch_apply_error", subject, dict(loose).values(), ref, hunkIndex=numbers[0]
    )


def _check(hunks: Sequence[Hunk], path: str) -> None:
    """Refuse hunks that no patch text could contain: those built by hand, not by the parser."""
    for number, hunk in enumerate(hunks, 1):
        if hunk.line:
            continue
        for line in hunk.lines or ("",):
            if line[:1] not in PREFIXES or "\n" in line:
                message = f"Hunk {number} of {len(hunks)} has a line that is not a hunk line: {line!r}."
                hint = "Start every line with a space, + or -, and put only one line in each."
                ref = HunkRef(number, len(hunks))
                details = {"path": path, "hunkIndex": number - 1, "line": line}
                raise PatchRejectedError([Problem("invalid_arguments", message, path, ref, details, hint)])


def _match(body: str, place: Place, number: int, rivals: Sequence[int], notes: tuple[str, ...] = ()) -> Match:
    names = dict.fromkeys(place.concession_names + notes)
    concessions = tuple([Concession(name, place.hunk.line) for name in names])
    return Match(body, place, number + 1, rivals, concessions)


def _hunk_named(number: int, hunks: Sequence[Hunk]) -> str:
    line = hunks[number].line
    return f"Hunk {number + 1} of {len(hunks)}{f' (patch line {line})' if line else ''}"


def _no_change(hunks: Sequence[Hunk], path: str) -> Problem:
    why = "it adds the lines that it removes"
    hint = "Leave the update out, or make the added lines different from the removed ones."
    if all(line[0] == " " for hunk in hunks for line in hunk.lines):
        why = "it has only context lines"
        hint = "Mark the lines to remove with - and the lines to add with +, or leave the update out."
    message = f"The update of {path or 'the file'} changes nothing: {why}."
    return Problem("no_change", message, path, None, {"path": path, "hunks": len(hunks)}, hint)


def _control_characters(hunks: Sequence[Hunk], path: str) -> list[Problem]:
    """A problem for each hunk that adds control characters (except tab and form feed) or lone surrogates."""
    problems: list[Problem] = []
    for number, hunk in enumerate(hunks):
        if "".join(hunk.lines).isprintable():
            continue
        odd = control_character("".join(hunk.added), "".join(hunk.old), allowed="\t\f")
        if odd is not None:
            message = (
                f"{_hunk_named(number, hunks)} adds the control character U+{ord(odd):04X} to {path or 'the file'}."
            )
            hint = "Leave it out, or write it as an escape of the file's language."
            details = {"path": path, "hunkIndex": number, "reason": "control_character", "character": ord(odd)}
            ref = HunkRef(number + 1, len(hunks), hunk.line)
            problems.append(Problem("encoding_error", message, path, ref, details, hint))
    return problems
