"""The fast path of an update: hunks that each occur exactly once, in order, and that no rule objects to.

Most hunks of most models are like that. `locate` and `rewrite` decide the same, only slower; a property test compares
the two. Kept short and flat because this is what a caller waits for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from ..core.patch import Hunk

    #: The new text, and the offset of each hunk in the old one.
    Placed: TypeAlias = tuple[str | bytes, list[int]]

#: An update with more hunks takes the slow path, which watches the clock.
MOST_HUNKS = 50


def fast_update(body: str | bytes, hunks: Sequence[Hunk], *, one_anchor: bool = False) -> Placed | None:
    """The new text and the offset of each hunk, or None if the slow path has to decide.

    Bytes are UTF-8 without a BOM. ASCII lines can be found without decoding them; hunks with other lines take the slow
    path. With `one_anchor` an anchor must occur once in the text, otherwise at or above its hunk.
    """
    if not hunks or len(hunks) > MOST_HUNKS:
        return None
    for hunk in hunks:
        if len(hunk.anchors) > 1 or hunk.at_end or hunk.no_newline or hunk.bare:
            return None
    lines = [hunk.lines for hunk in hunks]
    anchors = [hunk.anchors[0] if hunk.anchors else "" for hunk in hunks]
    if isinstance(body, str):
        return _place_lines(body, lines, anchors, one_anchor)
    if not all(map(str.isascii, anchors)) or not all(line.isascii() for some in lines for line in some):
        return None
    # In Latin-1 a byte is a character, so the offsets are those of the bytes.
    placed = _place_lines(body.decode("latin-1"), lines, anchors, one_anchor)
    return None if placed is None else (placed[0].encode("latin-1"), placed[1])


def _place_lines(
    body: str, hunks: list[tuple[str, ...]], anchors: list[str], one_anchor: bool
) -> tuple[str, list[int]] | None:
    if "\r" in body or "\0" in body or body[:1] == "\ufeff":
        return None
    pieces: list[str] = []
    starts: list[int] = []
    done = behind = 0
    for lines, anchor in zip(hunks, anchors, strict=True):
        kinds = "".join([line[0] for line in lines])
        changes = kinds.strip(" ")
        first = kinds.find(changes)
        last = first + len(changes)
        old = [line[1:] for line in lines if line[0] != "+"]
        block = "\n".join(old)
        # The prefix of a line is as long as its newline.
        lead = len("".join(lines[:first]))
        start, lead_alone = _find_once(body, block, lead)
        end = start + len(block)
        if not changes or not block or start < behind or body[end : end + 1] != "\n":
            return None
        if (start and body[start - 1] != "\n") or (lead_alone and not body.startswith(block, start)):
            return None
        if anchor and not _is_below(body, anchor, start + len(old[0]) + 1, one_anchor):
            return None
        # From the first change to the last; the context in between is as in the file.
        at, to = start + lead, end + 1 - len("".join(lines[last:]))
        if at == done and starts:
            return None
        added = [line[1:] for line in lines[first:last] if line[0] == "+"]
        if added:
            text = "".join(added)
            if not text.isprintable() and not text.replace("\t", "").isprintable():
                return None
            above = below = ""
            if first == 0 or last == len(lines):
                if _rests_on_one_line(body, lines[first:last], old):
                    return None
                above, below = _lines_beside(body, start, end)
            if _repeats(lines, kinds, above, below) and _is_there(body, lines, start):
                return None
            if len(added) > 2:
                new = "\n".join([line[1:] for line in lines if line[0] != "-"])
                if body.startswith(new, start) if lead_alone and lead else new in body:
                    return None
        new_text = "".join([line[1:] + "\n" for line in lines[first:last] if line[0] != "-"])
        if new_text == body[at:to]:
            return None
        pieces += (body[done:at], new_text)
        done = to
        behind = end + 1
        starts.append(start)
    pieces.append(body[done:])
    return "".join(pieces), starts


def _find_once(body: str, block: str, lead: int) -> tuple[int, bool]:
    """Where a block occurs, -1 if not exactly once; and whether its first `lead` characters do, or all of it.

    Leading context that occurs exactly once locates both the old lines and the new ones, which begin with it too.
    """
    needle = block[:lead] or block
    start = body.find(needle)
    if start >= 0 and body.find(needle, start + 1) < 0:
        return start, True
    start = body.find(block)
    return (start if body.find(block, start + 1) < 0 else -1), False


def _is_below(body: str, anchor: str, end: int, one_anchor: bool) -> bool:
    """Whether the last occurrence of an anchor before an offset is a line of its own, whatever its indentation."""
    spot = body.rfind(anchor, 0, end)
    after = spot + len(anchor)
    if spot < 0 or anchor[0].isspace() or body[after : after + 1] != "\n":
        return False
    if body[body.rfind("\n", 0, spot) + 1 : spot].strip():
        return False
    return not one_anchor or (body.find(anchor) == spot and body.find(anchor, spot + 1) < 0)


def _lines_beside(body: str, start: int, end: int) -> tuple[str, str]:
    """The line above a block and the one below it."""
    after = body.find("\n", end + 1)
    return body[body.rfind("\n", 0, max(0, start - 1)) + 1 : start], body[end + 1 : after if after >= 0 else len(body)]


def _repeats(lines: tuple[str, ...], kinds: str, above: str, below: str) -> bool:
    """Whether lines that are added and replace none may be there already: the last of them above, or the first below.

    Among lines that replace others, those may be that are beside one that stays, or that are more than they replace.
    """
    first = 0
    for run in kinds.split(" "):
        last = first + len(run)
        if "+" in run:
            added = [line[1:] for line in lines[first:last] if line[0] == "+"]
            removed = [line[1:].strip() for line in lines[first:last] if line[0] == "-"]
            if removed and not set(removed).isdisjoint(map(str.strip, added)):
                return True
            extra = len(added) - len(removed)
            over = lines[first - 1][1:] if first else above
            under = lines[last][1:] if last < len(lines) else below
            if extra > 0 and (added[-extra].split() == under.split() or added[extra - 1].split() == over.split()):
                return True
        first = last + 1
    return False


def _is_there(body: str, lines: tuple[str, ...], start: int) -> bool:
    """Whether lines that are only added are around their place already."""
    from ..locate.refusals import find_inserted

    starts = [start]
    for line in lines:
        if line[0] != "+":
            starts.append(starts[-1] + len(line))
    return bool(find_inserted(body, lines, starts))


def _rests_on_one_line(body: str, changes: tuple[str, ...], old: list[str]) -> bool:
    """Whether a hunk that keeps all its lines has only one that is distinctive, which may be elsewhere too."""
    added = {line[1:] for line in changes if line[0] == "+"}
    if any(line[0] == "-" and line[1:] not in added for line in changes):
        return False
    from ..locate.tiers import is_distinctive

    distinctive = [line for line in old if is_distinctive(line)]
    return len(old) > 1 and len(distinctive) == 1 and body.count(distinctive[0]) > 1
