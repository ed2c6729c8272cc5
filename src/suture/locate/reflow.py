"""An edit laid on a text that has its words, but breaks its lines elsewhere.

Each old line is given its part of the file's text: its words however the file breaks them, and the white space before
them. Blank lines are lines like any other, as far as the file has them. Then the edit is made line by line: what is
kept stays as the file has it, what goes takes its white space along, and what comes in is written as the new text has
it, at the file's depth.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .indentation import shifted, split_indent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.line_diff import Block


class Part:
    """What the file has for one old line: the white space before it, from a line break on, and the line itself."""

    __slots__ = ("lead", "text")

    def __init__(self, lead: str, text: str) -> None:
        self.lead = lead
        self.text = text

    @property
    def size(self) -> int:
        """How many characters of the file it is."""
        return len(self.lead) + len(self.text)


def woven(
    found: str, old: Sequence[str], new: Sequence[str], shift: Callable[[str], str]
) -> tuple[int, int, str] | None:
    """Which part of a text with the old lines' words changes, and what comes there: two offsets in it, and a text.

    `found` begins and ends where its lines do, or else with a word. `shift` takes the depth of the edit's lines to that
    of the file's. None where nothing changes, where it can't be told what becomes of blank lines at the two ends, or
    where the file has lines that change on one line with others.
    """
    inner = _without_ends(old, new)
    if inner is None:
        return None
    old, new = inner
    parts = _parts(found, old)
    blocks = changed_blocks(old, new)
    if not blocks:
        return None
    first, last = blocks[0][0], blocks[-1][1]
    joined = [number > 0 and bool(part.text.strip()) and "\n" not in part.lead for number, part in enumerate(parts)]
    if any(_comes_apart(parts, joined, old, new, block) for block in blocks):
        return None
    written: list[str] = []
    done = first
    for a, b, c, d in blocks:
        written += [part.lead + part.text for part in parts[done:a]]
        added = ["\n" + shifted(line, shift) for line in new[c:d]]
        if a < b and c < d and old[a].strip() and new[c].strip() and _indent(new[c]) == _indent(old[a]):
            # What comes in the stead of a line begins where that did.
            added[0] = parts[a].lead + new[c].lstrip()
        written += added
        if not b:
            # The first line comes below them.
            written.append("\n")
        done = b
    start, end = (sum(part.size for part in parts[:number]) for number in (first, last))
    if not start:
        # The first line has no line before it.
        written[:1] = [text.removeprefix("\n") for text in written[:1]]
        end += not written and found[end : end + 1] == "\n"
    text = "".join(written)
    if not text and start:
        # What stays before it says that more than this line break is left.
        start, text = start - 1, found[start - 1]
    return start, end, text


def _comes_apart(
    parts: Sequence[Part], joined: Sequence[bool], old: Sequence[str], new: Sequence[str], block: Block
) -> bool:
    """Whether the file has what changes, or what it would stand beside, on one line with something else."""
    a, b, c, d = block
    behind = next((number for number in range(b, len(parts)) if parts[number].text.strip()), None)
    if (a < b and joined[a]) or (behind is not None and joined[behind]):
        return True
    # Lines that come in at the depth of a line that the file has behind another one would lie too deep.
    return 0 < a == b and c < d and joined[a - 1] and _indent(new[c]) == _indent(old[a - 1])


def _without_ends(old: Sequence[str], new: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Both without the blank lines that the old text begins and ends with; None where the new one has not the same."""
    head = next((count for count, line in enumerate(old) if line.strip()), 0)
    tail = next((count for count, line in enumerate(reversed(old)) if line.strip()), 0)
    ends = (*new[:head], *new[len(new) - tail :])
    if len(ends) != head + tail or any(map(str.strip, ends)):
        return None
    return old[head : len(old) - tail], new[head : len(new) - tail]


def _parts(found: str, old: Sequence[str]) -> list[Part]:
    """The file's text, cut into what stands for each old line; the first and the last of those are distinctive."""
    from re import finditer

    spots = [match.span() for match in finditer(r"\S+", found)]
    parts: list[Part] = []
    blanks: list[Part] = []
    words = position = 0
    for line in old:
        count = len(line.split())
        if not count:
            blanks.append(Part("", ""))
            continue
        start, end = spots[words][0], spots[words + count - 1][1]
        trailing, *lines = found[position:start].split("\n")
        lead = trailing
        if lines:
            # Blanks at the end of a line are that line's, and blank lines those of the old text, in their order.
            parts[-1].text += trailing
            for blank in blanks[: len(lines) - 1]:
                blank.lead, blank.text = "\n", lines.pop(0)
            lead = "\n" + "\n".join(lines)
        parts += (*blanks, Part(lead, found[start:end]))
        words, position, blanks = words + count, end, []
    parts[-1].text += found[position:]
    return parts


def _indent(line: str) -> str:
    return split_indent(line)[0]
