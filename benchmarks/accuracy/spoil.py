"""The table of ways to spoil a patch, by name.

A way has up to two steps: one on the hunks (what the lines say) and one on the text (how it is framed). Each is a small
function of its own in the modules beside this one; all chance comes from the case's name, so that a case is the same in
every run. `either` marks the ways after which nobody can be sure: the right text and a refusal both count as right
there, and they are reported apart.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from . import spoil_envelope as frame, spoil_habits as habits, spoil_headers as heads, spoil_lines as lines
from .change import Draft, envelope

if TYPE_CHECKING:
    from collections.abc import Callable

    HunkStep = Callable[[Draft, random.Random], Draft | None]
    TextStep = Callable[[Draft, str, random.Random], str | None]

Expectation = Literal["after", "refuse", "either"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to spoil a patch.

    A `bare` one starts from hunks without anchors, since it writes the `@@` lines itself. A `sure` one makes sure
    itself that its hunks name one place.
    """

    hunks: HunkStep | None = None
    text: TextStep | None = None
    expectation: Expectation = "after"
    bare: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A draft and its envelope after a way was used; `detail` says which steps where the way itself chooses them."""

    draft: Draft
    text: str
    expectation: Expectation
    detail: str = ""
    sure: bool = False


def crlf_file(draft: Draft, _chance: random.Random) -> Draft | None:
    """The file has CRLF line endings, the patch LF."""
    return None if draft.eol == "\r\n" else replace(draft, eol="\r\n")


def no_final_newline(draft: Draft, _chance: random.Random) -> Draft | None:
    """The file's last line has no newline, and the patch does not speak of it."""
    if not draft.final or not draft.before[-1] or draft.after().endswith(2 * draft.eol):
        return None  # without its newline, a blank last line would be no line at all
    reaches_end = any(piece.start + len(piece.old) >= len(draft.before) for piece in draft.truth)
    return replace(draft, final=False) if reaches_end or len(draft.before) < 150 else None


WAYS: dict[str, Way] = {
    "clean": Way(),
    # the frame
    "prose_around": Way(text=frame.prose_around),
    "fenced": Way(text=frame.fenced),
    "fenced_in_prose": Way(text=frame.fenced_in_prose),
    "heredoc": Way(text=frame.heredoc),
    "command_in_front": Way(text=frame.command_in_front),
    "json_object": Way(text=frame.json_object),
    "json_argv": Way(text=frame.json_argv),
    "json_command": Way(text=frame.json_command),
    "escaped_newlines": Way(text=frame.escaped_newlines),
    "crlf": Way(text=frame.crlf),
    "padded_markers": Way(text=frame.padded_markers),
    "other_capitals": Way(text=frame.other_capitals),
    "no_space_in_markers": Way(text=frame.no_space_in_markers),
    "quoted_path": Way(text=frame.quoted_path),
    "backticked_path": Way(text=frame.backticked_path),
    "dotted_path": Way(text=frame.dotted_path),
    "file_headers": Way(text=frame.file_headers),
    "environment_id": Way(text=frame.environment_id),
    "several_envelopes": Way(text=frame.several_envelopes),
    "cut_off": Way(text=frame.cut_off, expectation="refuse"),
    "no_end": Way(text=frame.no_end, expectation="refuse"),
    # prefixes
    "bare_blank": Way(text=frame.bare_blank),
    "bare_flush_context": Way(text=frame.bare_flush_context),
    "bare_context": Way(text=frame.bare_context),
    "bare_one_context": Way(text=frame.bare_one_context),
    "bare_added_blank": Way(text=frame.bare_added_blank),
    "bare_added": Way(text=frame.bare_added),
    "blank_layout": Way(text=frame.blank_layout),
    "line_numbers": Way(text=frame.line_numbers),
    # headers and order
    "header_missing": Way(heads.header_missing, bare=True),
    "header_enclosing": Way(heads.header_enclosing, bare=True),
    "header_repeated": Way(heads.header_repeated, bare=True),
    "header_shortened": Way(heads.header_shortened, bare=True),
    "header_stacked": Way(heads.header_stacked, bare=True),
    "header_is_first_line": Way(heads.header_is_first_line, bare=True),
    "header_takes_first_line": Way(heads.header_takes_first_line, bare=True),
    "unified_right": Way(heads.unified_right, bare=True),
    "unified_right_text": Way(heads.unified_right_text, bare=True),
    "unified_wrong": Way(heads.unified_wrong, bare=True),
    "unified_wrong_text": Way(heads.unified_wrong_text, bare=True),
    "end_of_file": Way(heads.end_of_file),
    "reordered": Way(heads.reordered),
    # the file itself
    "crlf_file": Way(crlf_file),
    "no_final_newline": Way(no_final_newline),
    # white space
    "lost_trailing": Way(lines.lost_trailing),
    "added_trailing": Way(lines.added_trailing),
    "tabs_for_spaces": Way(lines.tabs_for_spaces),
    "spaces_for_tabs": Way(lines.spaces_for_tabs),
    "spaces_in_tabbed_file": Way(lines.spaces_in_tabbed_file),
    "outdented": Way(lines.outdented),
    "half_outdented": Way(lines.half_outdented),
    "too_deep": Way(lines.too_deep),
    "first_line_bare": Way(habits.first_line_bare),
    # characters
    "curly_context": Way(lines.curly_context),
    "curly_old": Way(lines.curly_old),
    "straight_for_curly": Way(lines.straight_for_curly),
    "ascii_for_typography": Way(lines.ascii_for_typography),
    "escaped_quotes": Way(lines.escaped_quotes),
    "wrong_character": Way(lines.wrong_character),
    "unescaped": Way(habits.unescaped),
    "unescaped_quotes": Way(habits.unescaped_quotes),
    # habits
    "context_anchor": Way(habits.context_anchor, bare=True),
    "context_anchor_decides": Way(habits.context_anchor_decides, bare=True, sure=True),
    "no_op_hunk": Way(habits.no_op_hunk),
    "no_op_lines": Way(habits.no_op_lines),
    "whole_block": Way(habits.whole_block),
    "same_hunk_again": Way(habits.same_hunk_again, bare=True, sure=True),
    # context
    "skipped_line": Way(lines.skipped_line),
    "invented_line": Way(lines.invented_line),
    "line_from_memory": Way(lines.line_from_memory),
    "one_context_line": Way(lines.one_context_line),
    "no_context_after": Way(lines.no_context_after),
    "no_context_before": Way(lines.no_context_before),
    # nobody can be sure
    "wrong_character_removed": Way(lines.wrong_character_removed, expectation="either"),
    "skipped_beside_change": Way(lines.skipped_beside_change, expectation="either"),
    "invented_beside_change": Way(lines.invented_beside_change, expectation="either"),
}
#: Two at once, chosen by the case's name: a way on the lines with one on the frame, or with another one on the lines.
MIXTURES = ("mixture_lines_and_frame", "mixture_lines_and_lines")

_FRAMES = (
    "fenced", "prose_around", "heredoc", "json_object", "crlf", "padded_markers", "other_capitals", "file_headers",
)  # fmt: skip
#: Groups of which a mixture takes at most one each: two ways of one group would undo or contradict one another.
_GROUPS = (
    ("lost_trailing", "added_trailing"),
    ("tabs_for_spaces", "spaces_for_tabs", "outdented", "too_deep"),
    ("curly_context", "curly_old", "straight_for_curly"),
    ("wrong_character", "skipped_line", "invented_line"),
    ("header_enclosing", "header_shortened", "unified_wrong", "reordered"),
    ("crlf_file",),
)


def names() -> list[str]:
    """All ways, in the order of the report."""
    return [*WAYS, *MIXTURES]


def spoil(draft: Draft, name: str, seed: str) -> Spoilt | None:
    """The draft spoilt in the way of that name, or nothing where it does not apply to this change."""
    chance = random.Random(f"{seed}/{name}")
    if name in MIXTURES:
        return _mixed(draft, name, chance)
    return _used(draft, [name], chance)


def _mixed(draft: Draft, name: str, chance: random.Random) -> Spoilt | None:
    groups = chance.sample(_GROUPS, 2)
    chosen = [chance.choice(group) for group in groups]
    if name == "mixture_lines_and_frame":
        chosen[1] = chance.choice(_FRAMES)
    chosen.sort(key=list(WAYS).index, reverse=True)
    return _used(draft, chosen, chance)


def _used(draft: Draft, names: list[str], chance: random.Random) -> Spoilt | None:
    ways = [WAYS[name] for name in names]
    if any(way.bare for way in ways):
        draft = draft.with_written(replace(piece, anchors=()) for piece in draft.written)
    for way in ways:
        step = way.hunks(draft, chance) if way.hunks else draft
        if step is None:
            return None
        draft = step
    text: str | None = envelope(draft)
    for way in ways:
        if way.text and text is not None:
            text = way.text(draft, text, chance)
    if text is None:
        return None
    detail = " + ".join(names) if len(names) > 1 else ""
    return Spoilt(draft, text, ways[-1].expectation, detail, sure=any(way.sure for way in ways))
