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
    if len(hunks) > MOST_HUNKS:
        return None
    for hunk in hunks:
        if len(hunk.anchors) > 1 or hunk.at_end or hunk.no_newline or hunk.bare:
            return None
    lines = tuple([hunk.lines for hunk in hunks])
    anchors = [hunk.anchors[0] if hunk.anchors else "" for hunk in hunks]
    if isinstance(body, str):
        return _place_lines(body, lines, anchors, one_anchor)
    if not all(map(str.isascii, anchors)) or not all(line.isascii() for some in lines for line in some):
        return None
    # In Latin-1 a byte is a character, so the offsets are those of the bytes.
    placed = _place_lines(body.decode("latin-1"), lines, anchors, one_anchor)
    return None if placed is None else (placed[0].encode("latin-1"), placed[1])


def _is_below(body: str, anchor: str, end: int, one_anchor: bool) -> bool:
    """Whether the last occurrence of an anchor before an offset is a line of its own, whatever its indentation."""
    spot = body.rfind(anchor, 0, end)
    after = spot + len(anchor)
    if spot < 0 or anchor[0].isspace() or body[after : after + 1] != "\n":
        return False
    if body[body.rfind("\n", 0, spot) + 1 : spot].strip():
        return False
    return not one_anchor or (body.find(anchor) == spot and body.find(anchor, spot + 1) < 0)


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


def _place_lines(
    body: str, hunks: tuple[tuple[str, ...], ...], anchors: list[str], one_anchor: bool
) -> tuple[str, list[int]] | None:
    if "\r" in body or "\0" in body or body[:1] == "\ufeff":
        return None
    pieces: list[str] = []
    starts: list[int] = []
    done = behind = 0
    for lines, anchor in zip(hunks, anchors, strict=True):
        first, last, lead = 0, len(lines), 0
        while first < last and lines[first][0] == " ":
            lead += len(lines[first])
            first += 1
        old = [line[1:] for line in lines if line[0] != "+"]
        block = "\n".join(old)
        start, lead_alone = _find_once(body, block, lead)
        end = start + len(block)
        if not block or start < behind or body[end : end + 1] != "\n" or (start and body[start - 1] != "\n"):
            return None
        if lead_alone and not body.startswith(block, start):
            return None
        if anchor and not _is_below(body, anchor, start + len(old[0]) + 1, one_anchor):
            return None
        # From the first change to the last; the context in between is as in the file.
        at, to = start + lead, end + 1
        while last > first and lines[last - 1][0] == " ":
            last -= 1
            to -= len(lines[last])
        at_edge = first == 0 or last == len(lines)
        if first == last or (at_edge and all(line[0] != "-" for line in lines[first:last])):
            return None
        added = [line[1:] for line in lines[first:last] if line[0] != "-"]
        if not "".join(added).isprintable():
            return None
        fresh = max([line[1:].strip() for line in lines[first:last] if line[0] == "+"], key=len, default="")
        reach = 2 * sum(map(len, added)) + len(block)
        if fresh and fresh in body[max(0, at - reach) : to + reach]:
            # It may be there already, next to where it would come in.
            return None
        if len(lines) - len(old) > 2:
            new = "\n".join([line[1:] for line in lines if line[0] != "-"])
            if body.startswith(new, start) if lead_alone and lead else new in body:
                return None
        if added:
            added.append("")
        pieces += (body[done:at], "\n".join(added))
        done = to
        behind = end + 1
        starts.append(start)
    pieces.append(body[done:])
    text = "".join(pieces)
    return None if text == body else (text, starts)
