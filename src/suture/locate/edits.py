"""A string edit × a text → the spans that it changes.

The replacers are asked in their order; the first that finds anything decides. Then the refusals have the last word,
those of hunks where whole lines were found loosely. The invariant: without `replace_all` no span is returned that was
not the only one of the replacer that decided.
"""

from __future__ import annotations

from ..dialect import STANDARD
from . import explain, unfound
from .ladder import says_something
from .refusals import is_telling, refuse_repetition, refuse_rivals
from .replacers import REPLACERS, Span, multi_occurrence, similar
from .situation import Candidates, Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..problems import Problem
    from ..text import Text
    from .shown import Words
    from .wanted import Wanted

#: Seconds that the refusals of hunks may look around; their work is counted, this stands behind it.
SECONDS = 5.0


class Located:
    """Which replacer decided, how the edit was read, and the spans in order, none overlapping."""

    __slots__ = ("replacer", "spans", "wanted")

    def __init__(self, replacer: str, wanted: Wanted, spans: list[Span]) -> None:
        self.replacer = replacer
        self.wanted = wanted
        self.spans = spans


def locate_edit(text: Text, wanted: Wanted, words: Words, *, replace_all: bool) -> Located | Problem:
    """Where the edit goes, or why nowhere."""
    found = _first(text, wanted, replace_all=replace_all)
    if found is None:
        return unfound.not_found(text, wanted, words)
    read, spans = found.wanted, found.spans
    for span in spans:
        if found.replacer not in ("simple", "multi-occurrence") and _is_disproportionate(text, read, span):
            return unfound.disproportionate(text, read, span, found.replacer, words)
    if len(spans) > 1 and read.notes:
        return unfound.not_unique_reading(text, spans, read.notes[0], words)
    if len(spans) > 1 and not replace_all:
        return unfound.several(text, spans, found.replacer, words)
    problem = _refused(text, found, words)
    if problem is not None:
        return problem
    found.spans = _apart(spans)
    return found


def _first(text: Text, wanted: Wanted, *, replace_all: bool) -> Located | None:
    """What the first replacer with any span has found."""
    if replace_all:
        spans = multi_occurrence(text, wanted)
        if spans:
            return Located("multi-occurrence", wanted, spans)
    readings = list(wanted.readings())
    for name, replacer in (*REPLACERS.items(), ("similar", similar)):
        for reading in readings:
            spans = replacer(text, reading)
            if spans:
                return Located(name, reading, spans)
    return None


def _is_disproportionate(text: Text, wanted: Wanted, span: Span) -> bool:
    """Whether a span is much longer than the old text: a match that took too much."""
    old = wanted.old.strip("\n")
    asked = old.count("\n") + 1
    taken = text.body.count("\n", span.start, span.end) + 1
    too_long = span.end - span.start > max(len(old) + 500, 4 * len(old))
    return taken >= max(asked + 3, 2 * asked) or (asked > 1 and too_long)


def _refused(text: Text, found: Located, words: Words) -> Problem | None:
    """What speaks against the one place, although it is the only one."""
    span = found.spans[0]
    if len(found.spans) > 1:
        return None
    situation = Situation(text, (found.wanted.hunk,), STANDARD, SECONDS, words)
    if span.place is None:
        return _repeated(situation, found.wanted, span)
    option = Candidates(0, found.wanted.hunk, [span.place])
    if not is_telling(situation, option):
        return explain.several(situation, option)
    problems: list[Problem] = []
    refuse_repetition(situation, [option], [span.place], problems)
    if not problems:
        refuse_rivals(situation, [option], [span.place], problems)
    return problems[0] if problems else None


def _repeated(situation: Situation, wanted: Wanted, span: Span) -> Problem | None:
    """An edit that writes three or more lines that say something, and whose new text is there around its old one."""
    old, new = wanted.old, span.new
    if new.count("\n") < 3 or old not in new or sum(map(says_something, wanted.hunk.added)) < 3:
        return None
    start = span.start - new.find(old)
    if start >= 0 and situation.text.body.startswith(new, start):
        return explain.already_applied(situation, 0, start)
    return None


def _apart(spans: Sequence[Span]) -> list[Span]:
    """The spans from left to right, without those that overlap the one before."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
