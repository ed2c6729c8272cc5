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
from .merge_checks import CODE_RULES, RULES
from .merge_evidence import MergeEvidence
from .merge_imports import in_order_of_file
from .merge_lines import MergedLines, merge_lines
from .merge_names import ending_for_names
from .merge_notebooks import code_evidence
from .merge_tokens import has_same_letters, merge_layout
from .python_text import same_program
from .rule import first_refusal
from .syntax import fault_in
from .token_kinds import OLD_PYTHON, WORDS, token_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from .merge_lines import LineRange
    from .rule import MatchRule

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
    replaced = tuple(replaced)
    if isinstance(merged, MergeConflict) or not replaced:
        return merged
    texts = [_with_lf(text) for text in (base, current, edited, merged.text)]
    for text in replaced:
        conflict = _added_occurrence(_with_lf(text), *texts)
        if conflict is not None:
            return conflict
    return merged


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _added_occurrence(replaced: str, base: str, current: str, edited: str, merged: str) -> MergeConflict | None:
    """A conflict where the merged text has more occurrences of a text than the edit has left."""
    if not replaced or merged.count(replaced) <= edited.count(replaced):
        return None
    base_lines, current_lines, edited_lines = [tuple(split_lines(text)) for text in (base, current, edited)]
    blocks = changed_blocks(base_lines, current_lines)
    first_line = replaced.strip("\n").partition("\n")[0]
    # The change that is shown is the first one with the text, if it is in one.
    start, end, current_start, current_end = blocks[0]
    for block in blocks:
        if any(first_line in line for line in current_lines[block[2] : block[3]]):
            start, end, current_start, current_end = block
            break
    edited_range = _same_place(base_lines, edited_lines, start, end)
    meeting = MeetingChanges((start, end), (current_start, current_end), edited_range)
    fault = "The edit replaces every occurrence of a text, and the file has more of them by now."
    return MergeConflict(base_lines, current_lines, edited_lines, (meeting,), fault, "every-occurrence")


def _merge_with_endings(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    """The merge of texts whose lines may end differently."""
    base_ending, current_ending, edited_ending = [_line_ending(text) for text in (base, current, edited)]
    endings = {base_ending, current_ending, edited_ending}
    if len(endings) == 1 or "" in endings:
        return _merge(base, current, edited, path)
    # A change of all line endings is none of the lines. The side that made it decides about the endings.
    chosen = current_ending if edited_ending == base_ending else edited_ending
    merged = _merge(_with_lf(base), _with_lf(current), _with_lf(edited), path)
    if isinstance(merged, MergedText) and chosen == "\r\n":
        return merged.replace(text=merged.text.replace("\n", "\r\n"))
    return merged


def _line_ending(text: str) -> str:
    """How all lines of a text end; empty if they end differently."""
    if "\r" not in text:
        return "\n"
    crlf = text.count("\r\n")
    return "\r\n" if crlf == text.count("\n") == text.count("\r") else ""


def _merge(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    """The merge of texts; where they conflict as they are, with the imports of all in the order of the current text."""
    merged = _merge_in_order(base, current, edited, path)
    if isinstance(merged, MergedText):
        return merged
    base_lines, current_lines, edited_lines = [split_lines(text) for text in (base, current, edited)]
    sorted_texts = in_order_of_file(base_lines, current_lines, edited_lines, ending_of(path))
    if sorted_texts is None:
        return merged
    sorted_base, sorted_edited = sorted_texts
    in_order = _merge_in_order("".join(sorted_base), current, "".join(sorted_edited), path)
    if isinstance(in_order, MergeConflict):
        return merged
    return _laid_out(in_order.text, current_lines, edited_lines, is_layout=False)


def _merge_in_order(base: str, current: str, edited: str, path: str) -> MergedText | MergeConflict:
    """The merge of texts whose imports count as lines like any others."""
    base_lines, current_lines, edited_lines = [tuple(split_lines(text)) for text in (base, current, edited)]
    merged = merge_lines(base_lines, current_lines, edited_lines)
    if isinstance(merged, MergedLines):
        refusal = _refusal(path, base_lines, (current_lines, edited_lines), merged)
        if refusal is None:
            return MergedText("".join(merged.lines), merged.current, merged.edited)
        # A change of layout alone takes nothing away that the edit uses, and says nothing a second time.
        by_tokens = _merge_layout(base, current, edited, path)
        if by_tokens is not None:
            return _laid_out(by_tokens, current_lines, edited_lines)
        start, end = _extent(base_lines, edited_lines)
        current_range = _same_place(base_lines, current_lines, start, end)
        edited_range = _same_place(base_lines, edited_lines, start, end)
        meeting = MeetingChanges((start, end), current_range, edited_range)
        forbidding_rule, reason = refusal
        return MergeConflict(base_lines, current_lines, edited_lines, (meeting,), str(reason), forbidding_rule.name)
    if all(meeting.touches for meeting in merged):
        by_tokens = _merge_layout(base, current, edited, path)
        if by_tokens is not None:
            return _laid_out(by_tokens, current_lines, edited_lines)
        by_tokens = _merge_in_two_steps(base_lines, current_lines, edited_lines, path, merged)
        if by_tokens is not None:
            return _laid_out(by_tokens, current_lines, edited_lines, is_layout=False)
    return MergeConflict(base_lines, current_lines, edited_lines, merged)


def _refusal(
    path: str, base: Sequence[str], sides: tuple[Sequence[str], Sequence[str]], merged: MergedLines
) -> tuple[MatchRule, Any] | None:
    """The first rule that forbids a merge, and what it has against it."""
    evidence = MergeEvidence(path, ending_for_names(path), base, sides, merged)
    refusal = first_refusal(RULES, evidence)
    if refusal is None and evidence.ending == "ipynb":
        code = code_evidence(evidence)
        return None if code is None else first_refusal(CODE_RULES, code)
    return refusal


def _merge_in_two_steps(
    base: Sequence[str], current: Sequence[str], edited: Sequence[str], path: str, meetings: Sequence[MeetingChanges]
) -> str | None:
    """The edit in the current text, where that differs in layout alone at the places where both have changed it.

    First the edit is merged, by lines, with all of the file's change but these places; then with these, by tokens.
    """
    # The current text, with the lines of the base at the places where both have changed it.
    rest: list[str] = []
    done = 0
    for meeting in meetings:
        base_start, base_end = meeting.base
        current_start, current_end = meeting.current
        if not has_same_letters(base[base_start:base_end], current[current_start:current_end]):
            return None
        rest += current[done:current_start]
        rest += base[base_start:base_end]
        done = current_end
    rest += current[done:]
    if tuple(rest) in (base, current):
        return None
    merged = merge_lines(base, rest, edited)
    if not isinstance(merged, MergedLines):
        return None
    if _refusal(path, base, (rest, edited), merged) is not None:
        return None
    return _merge_layout("".join(rest), "".join(current), "".join(merged.lines), path)


def _laid_out(merged: str, current: Sequence[str], edited: Sequence[str], *, is_layout: bool = True) -> MergedText:
    """A text that was merged by tokens: each side has written what differs from the other side's text."""
    lines = split_lines(merged)
    return MergedText(merged, _written_lines(edited, lines), _written_lines(current, lines), is_layout)


def _written_lines(before: Sequence[str], after: Sequence[str]) -> tuple[LineRange, ...]:
    """The ranges of lines of a text that differ from another one."""
    return tuple([(start, end) for _, _, start, end in changed_blocks(before, after)])


def _merge_layout(base: str, current: str, edited: str, path: str) -> str | None:
    """The edit in the layout of the current text, if only its layout has changed."""
    ending = ending_of(path)
    if ending in ("py", "pyi"):
        return _merge_python_layout(base, current, edited)
    if ending not in _FREE_LAYOUT:
        return None
    merged = merge_layout(base, current, edited, token_kind(ending))
    is_broken = merged is not None and fault_in(path, merged) is not None and fault_in(path, edited) is None
    return None if is_broken else merged


def _merge_python_layout(base: str, current: str, edited: str) -> str | None:
    """The edit of a Python text in the layout of the current text.

    The parser tells whether only the layout has changed, and what is merged has to be the program that the edit makes.
    """
    if max(map(len, (base, current, edited))) > LONGEST_PARSED:
        return None
    if not has_same_letters(split_lines(base), split_lines(current)):
        return None
    is_same = same_program(base, current)
    if is_same is None:
        # The parser can't read one of them, such as Python 2: the tokens tell.
        merged = merge_layout(base, current, edited, OLD_PYTHON)
    elif is_same:
        merged = merge_layout(base, current, edited, WORDS, is_same=True)
    else:
        return None
    if merged is None:
        return None
    is_right = same_program(edited, merged)
    if is_right is None:
        # One of the two does not parse. Nothing can be said about the program of an edit that does not.
        does_edit_parse = same_program(edited, edited) is not None
        return None if does_edit_parse else merged
    return merged if is_right else None


def _extent(base: Sequence[str], edited: Sequence[str]) -> LineRange:
    """The lines of the base from the first to the last one that the edit changes."""
    blocks = changed_blocks(base, edited)
    return (blocks[0][0], blocks[-1][1]) if blocks else (0, 0)


def _same_place(base: Sequence[str], side: Sequence[str], start: int, end: int) -> LineRange:
    """Where lines of the base are in another text, with all that was put between them."""
    side_start, side_end = start, end
    for block_start, block_end, _, side_block_end in changed_blocks(base, side):
        # By how many lines the other text is longer up to the end of the block.
        shift = side_block_end - block_end
        if block_end <= start and block_start < start:
            side_start = start + shift
        if block_start <= end:
            side_end = max(side_block_end, end + shift)
    return side_start, max(side_start, side_end)
