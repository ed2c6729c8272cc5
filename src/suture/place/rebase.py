"""An edit of one text brought to another: a three-way merge that is clean and passes all checks, or a refusal.

Pure: texts in, a text or a `MergeConflict` out. Lines are merged first. Where they meet although the current text
differs from the base in layout alone, the edit is merged by tokens.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks, split_lines
from ..core.value import Value
from ..words.merge_conflict import MeetingChanges, MergeConflict
from .file_kinds import ending_of
from .limits import LONGEST_PARSED
from .merge_checks import RULES
from .merge_evidence import MergeEvidence
from .merge_imports import in_order_of_file
from .merge_lines import MergedLines, merge_lines
from .merge_names import ending_for_names
from .merge_tokens import has_same_letters, merge_layout
from .python_text import same_program
from .rule import first_refusal
from .syntax import fault_in
from .token_kinds import OLD_PYTHON, WORDS, token_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .merge_lines import LineRange

#: The endings of files in which neither indentation nor the end of a line says what belongs together.
_FREE_LAYOUT = frozenset(
    "c cc cjs cpp cs css cts cxx dart go h hh hpp java js json jsonc jsx kt kts less m mjs mm mts php proto rs scala"
    " scss sol sql swift ts tsx zig".split()
)


class MergedText(Value):
    """An edit that was merged: the text, and the lines of it that the file's change and the edit have written.

    Ranges are of lines from 0 with an exclusive end; they are empty where lines were removed. With `is_layout` the
    file's change is one of layout alone.
    """

    text: str
    current: tuple[LineRange, ...]
    edited: tuple[LineRange, ...]
    is_layout: bool = False


def merge_texts(
    base: str, current: str, edited: str, path: str = "", replaced: Iterable[str] = ()
) -> MergedText | MergeConflict:
    """The current text with what the edit did to the base, or why that can't be said with certainty.

    The ending of the path says which language the checks are for. `replaced` are the texts of which the edit replaces
    every occurrence: the current text must not have more of them.
    """
    merged = _merge_with_endings(base, current, edited, path)
    if isinstance(merged, MergedText):
        texts = [_with_lf(one) for one in (base, current, edited, merged.text)]
        conflicts = (_added_occurrence(_with_lf(one), *texts) for one in replaced)
        return next((conflict for conflict in conflicts if conflict is not None), merged)
    return merged


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _added_occurrence(replaced: str, base: str, current: str, edited: str, merged: str) -> MergeConflict | None:
    """A conflict where the merged text has more occurrences of a text than the edit has left."""
    if not replaced or merged.count(replaced) <= edited.count(replaced):
        return None
    old, now, new = [tuple(split_lines(one)) for one in (base, current, edited)]
    blocks = changed_blocks(old, now)
    first = replaced.strip("\n").partition("\n")[0]
    with_it = (one for one in blocks if any(first in line for line in now[one[2] : one[3]]))
    start, end, low, high = next(with_it, blocks[0])
    meeting = MeetingChanges((start, end), (low, high), _same_place(old, new, start, end))
    fault = "The edit replaces every occurrence of a text, and the file has more of them by now."
    return MergeConflict(old, now, new, (meeting,), fault, "every-occurrence")


def _merge_with_endings(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    """The merge of texts whose lines may end differently."""
    endings = [_line_ending(text) for text in (base, current, edited)]
    if len(set(endings)) > 1 and "" not in endings:
        # A change of all line endings is none of the lines. The side that made it decides about the endings.
        chosen = endings[1] if endings[2] == endings[0] else endings[2]
        base, current, edited = [text.replace("\r\n", "\n") for text in (base, current, edited)]
        merged = _merge(base, current, edited, path)
        if isinstance(merged, MergedText) and chosen == "\r\n":
            return merged.replace(text=merged.text.replace("\n", "\r\n"))
        return merged
    return _merge(base, current, edited, path)


def _line_ending(text: str) -> str:
    """How all lines of a text end; empty if they end differently."""
    crlf = text.count("\r\n")
    if crlf == 0 and "\r" not in text:
        return "\n"
    return "\r\n" if crlf == text.count("\n") == text.count("\r") else ""


def _merge(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    merged = _merge_in_order(base, current, edited, path)
    if isinstance(merged, MergedText):
        return merged
    old, now, new = [split_lines(text) for text in (base, current, edited)]
    sorted_texts = in_order_of_file(old, now, new, ending_of(path))
    if sorted_texts is None:
        return merged
    in_order = _merge_in_order("".join(sorted_texts[0]), current, "".join(sorted_texts[1]), path)
    return _laid_out(in_order.text, now, new, is_layout=False) if isinstance(in_order, MergedText) else merged


def _merge_in_order(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    """The merge of texts whose imports count as lines like any others."""
    old, now, new = [tuple(split_lines(text)) for text in (base, current, edited)]
    merged = merge_lines(old, now, new)
    if isinstance(merged, MergedLines):
        refusal = first_refusal(RULES, MergeEvidence(path, ending_for_names(path), old, (now, new), merged))
        if refusal is None:
            return MergedText("".join(merged.lines), merged.current, merged.edited)
        # A change of layout alone takes nothing away that the edit uses, and says nothing a second time.
        by_tokens = _merge_layout(base, current, edited, path)
        if by_tokens is not None:
            return _laid_out(by_tokens, now, new)
        start, end = _extent(old, new)
        meeting = MeetingChanges((start, end), _same_place(old, now, start, end), _same_place(old, new, start, end))
        return MergeConflict(old, now, new, (meeting,), str(refusal[1]), refusal[0].name)
    if all(meeting.touches for meeting in merged):
        by_tokens = _merge_layout(base, current, edited, path)
        if by_tokens is not None:
            return _laid_out(by_tokens, now, new)
        by_tokens = _merge_in_two_steps(old, now, new, path, merged)
        if by_tokens is not None:
            return _laid_out(by_tokens, now, new, is_layout=False)
    return MergeConflict(old, now, new, merged)


def _merge_in_two_steps(
    base: Sequence[str], current: Sequence[str], edited: Sequence[str], path: str, meetings: Sequence[MeetingChanges]
) -> str | None:
    """The edit in the current text, where that differs in layout alone at the places where both have changed it.

    First the edit is merged, by lines, with all of the file's change but these places; then with these, by tokens.
    """
    rest: list[str] = []
    done = 0
    for meeting in meetings:
        (start, end), (low, high) = meeting.base, meeting.current
        if not has_same_letters(base[start:end], current[low:high]):
            return None
        rest += [*current[done:low], *base[start:end]]
        done = high
    rest += current[done:]
    if tuple(rest) in (base, current):
        return None
    merged = merge_lines(base, rest, edited)
    if not isinstance(merged, MergedLines):
        return None
    if first_refusal(RULES, MergeEvidence(path, ending_for_names(path), base, (rest, edited), merged)) is not None:
        return None
    return _merge_layout("".join(rest), "".join(current), "".join(merged.lines), path)


def _laid_out(merged: str, current: Sequence[str], edited: Sequence[str], *, is_layout: bool = True) -> MergedText:
    """A text that was merged by tokens: each side has written what differs from the other side's text."""
    lines = split_lines(merged)
    written = tuple([(c, d) for _, _, c, d in changed_blocks(current, lines)])
    laid_out = tuple([(c, d) for _, _, c, d in changed_blocks(edited, lines)])
    return MergedText(merged, laid_out, written, is_layout)


def _merge_layout(base: str, current: str, edited: str, path: str) -> str | None:
    """The edit in the layout of the current text, if only its layout has changed.

    In Python the parser tells, and what is merged has to be the program that the edit makes.
    """
    ending = ending_of(path)
    if ending not in ("py", "pyi"):
        if ending not in _FREE_LAYOUT:
            return None
        merged = merge_layout(base, current, edited, token_kind(ending))
        is_broken = merged is not None and fault_in(path, merged) is not None and fault_in(path, edited) is None
        return None if is_broken else merged
    if max(map(len, (base, current, edited))) > LONGEST_PARSED or not has_same_letters(
        split_lines(base), split_lines(current)
    ):
        return None
    is_layout = same_program(base, current)
    if is_layout is False:
        return None
    kind = WORDS if is_layout else OLD_PYTHON
    merged = merge_layout(base, current, edited, kind, is_same=is_layout is True)
    if merged is None:
        return None
    is_right = same_program(edited, merged)
    if is_right is None:
        # Nothing can be said about the program of an edit that does not parse.
        is_right = same_program(edited, edited) is None
    return merged if is_right else None


def _extent(base: Sequence[str], edited: Sequence[str]) -> LineRange:
    """The lines of the base from the first to the last one that the edit changes."""
    blocks = changed_blocks(base, edited)
    return (blocks[0][0], blocks[-1][1]) if blocks else (0, 0)


def _same_place(base: Sequence[str], side: Sequence[str], start: int, end: int) -> LineRange:
    """Where lines of the base are in another text, with all that was put between them."""
    low, high = start, end
    for a, b, _, d in changed_blocks(base, side):
        if b <= start and a < start:
            low = start + d - b
        if a <= end:
            high = max(d, end + d - b)
    return low, max(low, high)
