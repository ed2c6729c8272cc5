"""The fast path of an update: hunks that each have one exact place, in order, and that no rule objects to.

Most hunks of most models are like that. `locate` and `rewrite` decide the same, only slower; a property test compares
the two. Kept short and flat because this is what a caller waits for.
"""

from __future__ import annotations

from itertools import accumulate

from .limits import FAST_HUNKS, FAST_NEEDLE, FAST_REACH, LARGE_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from .arrange import Arrangement, HunkParts, Rivals

#: What may begin another section of Markdown.
_SECTIONS = ("\n#", "\n=", "\n-")
#: Lines of these characters alone are not distinctive.
_PLAIN = " \t\n\f\v{}()[];,"
#: Instead of an offset: a block does not occur, or more than once.
_ABSENT, _SEVERAL = -1, -2


def fast_update(
    body: str, hunks: Sequence[Hunk], path: str = "", *, takes_first: bool = False
) -> tuple[str, list[int], Rivals] | None:
    """The new text and the offset of each hunk in the old one, or None if the slow path has to decide.

    With `takes_first`, the first of several places is the one: hunks with several take the slow path.
    """
    if not body or not 0 < len(hunks) <= FAST_HUNKS:
        return None
    if "\r" in body or "\0" in body or body[0] == "\ufeff":
        return None
    ends_open = body[-1] != "\n"
    if ends_open:
        body += "\n"
    parts: list[HunkParts] = []
    for hunk in hunks:
        part = _split_hunk(hunk)
        if part is None:
            return None
        parts.append(part)
    pieces: list[str] = []
    starts: list[int] = []
    arranged: Arrangement | None = None
    rivals: Rivals = {}
    # Behind the last change, and the end of the last place.
    done, last_end = 0, -1
    for hunk, (lead, old, new, tail, added, is_plain) in zip(hunks, parts, strict=True):
        block = lead + old + tail
        # Context that occurs once says where both the old and the new lines are, which begin with it.
        start = _find_once(body, lead) if len(lead) > 1 else _SEVERAL
        is_sure = start >= 0
        if start == _SEVERAL:
            start = _find_once(body, block)
        if start == _SEVERAL and not takes_first:
            from .arrange import arrange_exact

            arranged = arranged or arrange_exact(body, hunks, parts, path)
            if arranged is None:
                return None
            start, rivals[len(starts)] = arranged[len(starts)]
        elif (hunk.anchors or hunk.line_hint is not None) and not _is_claimed(body, hunk, start, new, path):
            return None
        change, end = start + len(lead) - 1, start + len(block) - 1
        if start <= last_end or not body.startswith(old + tail, change):
            return None
        if not is_plain:
            if rests_on_one_line(body, lead, old, new, tail):
                return None
            if may_be_there(body, start, end, lead, added, tail) and _is_there(body, hunk, start, "" if old else added):
                return None
        if added.count("\n") > 2:
            # The result may be in the file already: at the context that occurs once, or anywhere.
            if is_sure:
                is_applied = body.startswith(new + tail, change)
            else:
                is_applied = new[:FAST_NEEDLE] in body and (lead + new + tail)[1:] in body
            if is_applied:
                return None
        pieces += (body[done:change], new)
        starts.append(start)
        last_end, done = end, change + len(old)
    pieces.append(body[done:])
    text = "".join(pieces)
    return text[:-1] if ends_open else text, starts, rivals


def _split_hunk(hunk: Hunk) -> HunkParts | None:
    """The parts of a hunk; None if there is more to it than lines that can be written and an anchor."""
    if len(hunk.anchors) > 1 or hunk.at_end or hunk.no_newline or hunk.bare:
        return None
    lead, old, new, added, tail = "\n", "", "", "", ""
    for line in hunk.lines:
        text = line[1:] + "\n"
        if line[0] == " ":
            if old or new:
                tail += text
            else:
                lead += text
            continue
        if tail:
            # Another change follows, so this was not the end.
            old += tail
            new += tail
            tail = ""
        if line[0] == "-":
            old += text
        else:
            new += text
            added += text
    if old == new or len(lead + old + tail) < 3 or not is_printable(new):
        return None
    # `lead` has the newline before it, too.
    count = added.count("\n")
    has_fewer_than_context = count < lead.count("\n") and count <= tail.count("\n")
    return lead, old, new, tail, added, has_fewer_than_context


def _find_once(body: str, needle: str) -> int:
    """The offset of the only occurrence of a block of whole lines; `_ABSENT` or `_SEVERAL` if that is not one.

    The block is given with the newline before it, which keeps the search to the starts of lines.
    """
    # What is searched first; with only the beginning of the block, the rest is compared where that is.
    short = needle[:FAST_NEEDLE] if len(body) < LARGE_TEXT else needle
    start = 0
    # The first line of the body has no newline before it.
    if body[0] != needle[1] or not body.startswith(needle[1:]):
        # 0 if it is absent, because then `find` gives -1.
        start = body.find(short) + 1
        if start and short is not needle and not body.startswith(needle, start - 1):
            start = body.find(needle, start) + 1
        if not start:
            return _ABSENT
    if body.find(short, start) != -1 and body.find(needle, start) != -1:
        return _SEVERAL
    return start


def _is_in_block(body: str, anchor: str, start: int, path: str) -> bool:
    """Whether the last occurrence of an anchor before the end of a place's first line is a line, whose block has it.

    All lines from the anchor to the place are deeper or blank then, or the anchor is the first line of the place or the
    line above it. Below a heading of Markdown, there is no other one.
    """
    spot = body.rfind(anchor, 0, body.find("\n", start))
    if spot == -1:
        return False
    top = body.rfind("\n", 0, spot) + 1
    bottom = body.find("\n", spot)
    indent = body[top:spot]
    if indent.strip() or bottom != spot + len(anchor):
        return False
    if start in (top, bottom + 1):
        return True
    first = start
    while body[first] == "\n" and first < len(body) - 1:
        # A place that begins with a blank line is as deep as the line below it.
        first += 1
    # From the newline of the anchor to the first character that tells how deep the place is.
    between = body[bottom : first + len(indent) + 1]
    if "\n\n\n" in between:
        while "\n\n" in between:
            between = between.replace("\n\n", "\n")
    deeper_count = between.count(f"\n{indent} ") + between.count(f"\n{indent}\t")
    blank_count = between.count("\n\n")
    if deeper_count + blank_count == between.count("\n"):
        return True
    return anchor.startswith("#") and path.endswith(".md") and not any(map(between.__contains__, _SECTIONS))


def _is_claimed(body: str, hunk: Hunk, start: int, new: str, path: str) -> bool:
    """Whether a place is where the hunk says beyond its lines, and no search has to find out whether it was made.

    It is in the block of its anchor, and at its line number, or its result is nowhere in the file, so that it can't
    have been made before.
    """
    if hunk.anchors and not _is_in_block(body, hunk.anchors[0], start, path):
        return False
    if hunk.line_hint is not None and body.count("\n", 0, start) + 1 == hunk.line_hint:
        return True
    if hunk.heading:
        return False
    if new != "" and new not in body:
        return True
    return not hunk.new or "\n".join(hunk.new) + "\n" not in body


def is_printable(text: str) -> bool:
    """Whether there are no control characters but tabs in the lines of a text."""
    line = text.replace("\n", "")
    return line.isprintable() or line.replace("\t", "").isprintable()


def rests_on_one_line(body: str, lead: str, old: str, new: str, tail: str) -> bool:
    """Whether lines come in on one side of context of which only one line is distinctive, which is elsewhere too."""
    if (tail and len(lead) > 1) or not all(line in new for line in old.split("\n")):
        return False
    from .search import occurrences
    from .tiers import is_distinctive

    lines = (lead + old + tail).split("\n")[1:-1]
    distinctive = [line for line in lines if is_distinctive(line)]
    return len(lines) > 1 and len(distinctive) == 1 and len(occurrences(body, distinctive[0], most=2)) > 1


def may_be_there(body: str, start: int, end: int, lead: str, added: str, tail: str) -> bool:
    """Whether added lines may be around their place already.

    Their copy goes from the place through the context on one side to a distinctive line beside it.
    """
    count = added.count("\n")
    if count >= lead.count("\n") and _may_be_above(body, start, lead, added):
        return True
    return count > tail.count("\n") and _may_be_below(body, end, tail, added)


def _may_be_above(body: str, start: int, lead: str, added: str) -> bool:
    """Whether added lines have the words from the last distinctive line above a place through the context there."""
    above = body[max(0, start - FAST_REACH) : start]
    distinctive = above.rstrip(_PLAIN)
    if distinctive == "" and start <= FAST_REACH:
        return False
    last_line_on = above[distinctive.rfind("\n") + 1 :]
    return _has_words(added, last_line_on + lead)


def _may_be_below(body: str, end: int, tail: str, added: str) -> bool:
    """Whether added lines have the words from the context through the first distinctive line below a place."""
    below = body[end : end + FAST_REACH]
    distinctive = below.lstrip(_PLAIN)
    if distinctive == "" and len(below) < FAST_REACH:
        return False
    plain = below[: len(below) - len(distinctive)]
    first_line = distinctive.partition("\n")[0]
    return _has_words(added, tail + plain + first_line)


def _has_words(added: str, lines: str) -> bool:
    """Whether added lines have the words of others, one after another, however their punctuation is written."""
    if not (added.isascii() and lines.isascii()):
        from .tiers import fold_text

        added, lines = fold_text(added), fold_text(lines)
    words = lines.split()
    return all(map(added.__contains__, words)) and " ".join(words) in " ".join(added.split())


def _is_there(body: str, hunk: Hunk, start: int, alone: str) -> bool:
    """Whether lines that are only added are around their place already; not if they are `alone` and have a new word."""
    if body.isascii() and alone.isascii() and not all(map(body.__contains__, alone.split())):
        return False

    from .inserted_lines import find_inserted

    starts = accumulate([len(line) for line in hunk.lines if line[0] != "+"], initial=start)
    return bool(find_inserted(body, hunk.lines, list(starts)))
