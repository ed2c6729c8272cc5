"""Unified diffs that `git apply` and `patch -p1` take.

Common lines at the head and the tail are cut off first; what is left is split at lines that stand once on either side,
and only what lies between those is compared as a whole, up to a bound. So a large file with few changes is fast, and a
hostile pair gives a coarse diff instead of a long wait. Lines end at LF here, as for git: a CR is part of its line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, AnyStr

    #: Lines [a, b) of the text before became lines [c, d) of the text after.
    Block = tuple[int, int, int, int]

#: Pairs of lines that are compared as a whole; a larger block is shown as removed and added.
MOST_PAIRS = 25_000_000
_LONGEST_STEP = 65536


def unified_diff(
    before: AnyStr | None, after: AnyStr | None, path: str, *, to_path: str | None = None, context: int = 3
) -> str:
    """The change from one text to the other as a unified diff; empty where there is none.

    `before` is None for a new file, `after` for a deleted one; `to_path` is the new name of one that moved. Bytes are
    UTF-8 without a BOM, of which no more is decoded than what differs.
    """
    new_path = path if to_path is None else to_path
    old_name = "/dev/null" if before is None else _quoted("a/" + path)
    new_name = "/dev/null" if after is None else _quoted("b/" + new_path)
    header = ""
    if before is None or after is None or new_path != path:
        header = f"diff --git {_quoted('a/' + path, tab='')} {_quoted('b/' + new_path, tab='')}\n"
        if before is None:
            header += "new file mode 100644\n"
        elif after is None:
            header += "deleted file mode 100644\n"
        else:
            header += f"rename from {_quoted(path, tab='')}\nrename to {_quoted(new_path, tab='')}\n"
    first, old, new = _differing_lines(before, after, context)
    body = "".join(_hunks(old, new, changed_blocks(old, new), context, first))
    return f"{header}--- {old_name}\n+++ {new_name}\n{body}" if body else header


def joined_diffs(diffs: Iterable[str]) -> str:
    """Diffs of several files as one. A file without hunks ends with its header, and what follows needs one as well:
    its names would be taken for those of the file before.
    """
    joined = ""
    bare = False
    for diff in diffs:
        if bare and diff.startswith("--- "):
            old, new = (line[4:].rstrip("\t") for line in diff.split("\n", 2)[:2])
            joined += f"diff --git {old} {new}\n"
        joined += diff
        bare = "\n@@ " not in diff if diff else bare
    return joined


def count_changes(diff: str) -> tuple[int, int]:
    """How many lines a unified diff adds and removes. Lines are counted as far as the hunk's header says."""
    added = removed = old = new = 0
    for line in diff.split("\n"):
        if old <= 0 and new <= 0:
            if line.startswith("@@ -"):
                old, new = _lengths(line)
        elif line[:1] in ("+", "-", " "):
            added += line[0] == "+"
            removed += line[0] == "-"
            new -= line[0] != "-"
            old -= line[0] != "+"
    return added, removed


def _lengths(header: str) -> tuple[int, int]:
    """How many lines a hunk has on both sides, by its header: `@@ -1,3 +1,4 @@`."""
    ranges = header.split(" ")[1:3]
    counts = [part.partition(",")[2] or "1" for part in ranges]
    return (int(counts[0]), int(counts[1])) if len(counts) == 2 and all(map(str.isdecimal, counts)) else (0, 0)


def trimmed_diff(diff: str) -> str:
    """A unified diff for people: endings normalised, the indentation that all its lines share taken off.

    It is for reading: what it shows can't be applied.
    """
    lines = diff.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("@@")]
    shown = {i for i in range(starts[0], len(lines)) if lines[i][:1] in (" ", "+", "-")} if starts else set()
    shown -= {i for i in shown if lines[i].startswith(("--- a/", "+++ b/"))}
    texts = [lines[i][1:] for i in shown if lines[i][1:].strip()]
    if not texts:
        return "\n".join(lines)
    low, high = min(texts), max(texts)
    common = 0
    while common < len(low) and low[common] in " \t" and low[common] == high[common : common + 1]:
        common += 1
    return "\n".join(line[0] + line[1 + common :] if i in shown else line for i, line in enumerate(lines))


def common_ends(one: AnyStr, other: AnyStr) -> tuple[int, int]:
    """How much two texts have in common at their beginning, and at their end behind that. Costs a few comparisons."""
    most = min(len(one), len(other))
    head = _agreeing(lambda start, end: other.startswith(one[start:end], start), most)
    rest, a, b = most - head, len(one), len(other)
    tail = _agreeing(lambda start, end: other.endswith(one[a - end : a - start], 0, b - start), rest)
    return head, tail


def _agreeing(equal: Callable[[int, int], bool], most: int) -> int:
    """How far a comparison holds: in growing steps up to the first that fails, then halving that one.

    No step is so long that what is compared has to be fetched from memory: that takes longer than the comparison.
    """
    done, step = 0, 256
    while done < most and equal(done, min(most, done + step)):
        done = min(most, done + step)
        step = min(2 * step, _LONGEST_STEP)
    low, high = done, min(most, done + step)
    while low < high:
        middle = (low + high + 1) // 2
        if equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _differing_lines(before: AnyStr | None, after: AnyStr | None, context: int) -> tuple[int, list[str], list[str]]:
    """The lines of both texts without those that they have in common at the two ends, but for some as context.

    The number comes first of lines that were left out above.
    """
    if before is None or after is None:
        return 0, _lines(before or ""), _lines(after or "")
    newline: AnyStr = _newline(before)
    head, tail = common_ends(before, after)
    start = head = before.rfind(newline, 0, head) + 1
    for _ in range(context):
        start = before.rfind(newline, 0, max(0, start - 1)) + 1
    end = len(before) - min(tail, len(before) - head, len(after) - head)
    # The tail begins behind a newline that both have.
    for _ in range(context + 1):
        end = before.find(newline, end) + 1 or len(before)
    behind = len(before) - end
    return before.count(newline, 0, start), _lines(before[start:end]), _lines(after[start : len(after) - behind])


def _newline(text: str | bytes) -> Any:  # noqa: ANN401 - of the type of the text
    return "\n" if isinstance(text, str) else b"\n"


def _lines(text: str | bytes) -> list[str]:
    return split_lines(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def split_lines(text: str) -> list[str]:
    """The lines of a text with their newlines, split at LF alone."""
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    if last:
        lines.append(last)
    return lines


def _quoted(name: str, tab: str = "\t") -> str:
    """A file name as git writes it: in quotes with escapes where it has odd characters, a tab behind blanks."""
    if name.isascii() and name.isprintable() and '"' not in name and "\\" not in name and name[-1] != " ":
        return name + tab if " " in name else name
    out = []
    for byte in name.encode("utf-8", "surrogateescape"):
        character = chr(byte)
        if character in '"\\':
            out.append("\\" + character)
        elif " " <= character <= "~":
            out.append(character)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks of lines that differ, in order."""
    blocks: list[Block] = []
    waiting: list[Block] = [(0, len(old), 0, len(new))]
    while waiting:
        a, b, c, d = _trimmed(old, new, waiting.pop())
        if a == b or c == d:
            if a < b or c < d:
                blocks.append((a, b, c, d))
            continue
        in_place = _in_place(old, new, (a, b, c, d))
        common = [] if in_place else _unique_common(old, new, (a, b, c, d))
        if in_place:
            blocks += in_place
        elif common:
            parts: list[Block] = []
            for i, j in (*common, (b, d)):
                parts.append((a, i, c, j))
                a, c = i + 1, j + 1
            # The last part comes off the stack last, so that blocks arise in order.
            waiting += reversed(parts)
        elif (b - a) * (d - c) > MOST_PAIRS or set(old[a:b]).isdisjoint(new[c:d]):
            blocks.append((a, b, c, d))
        else:
            blocks += _compared(old, new, (a, b, c, d))
    return _merged(blocks)


def _trimmed(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _in_place(old: Sequence[str], new: Sequence[str], block: Block) -> list[Block]:
    """The blocks of a part in which lines were changed one by one; none where lines have moved.

    It is as long on both sides, and no line that goes comes in anywhere: so no other pairing keeps more lines.
    """
    a, b, c, d = block
    if b - a != d - c:
        return []
    pairs = zip(old[a:b], new[c:d], strict=True)
    changed = [at for at, (one, other) in enumerate(pairs) if one != other]
    if not {old[a + at] for at in changed}.isdisjoint([new[c + at] for at in changed]):
        return []
    return [(a + at, a + at + 1, c + at, c + at + 1) for at in changed]


def _unique_common(old: Sequence[str], new: Sequence[str], block: Block) -> list[tuple[int, int]]:
    """Pairs of lines that stand once on either side, the longest chain of them that rises on both."""
    a, b, c, d = block
    old_at = _once(old, a, b)
    new_at = _once(new, c, d)
    pairs = [(i, new_at[line]) for line, i in old_at.items() if line in new_at]
    if not pairs:
        return []
    from bisect import bisect_left

    tails: list[int] = []
    links: list[int] = []
    heads: list[int] = []
    for index, (_, j) in enumerate(pairs):
        rank = bisect_left(tails, j)
        links.append(heads[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [j]
        heads[rank : rank + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = heads[-1] if heads else -1
    while index >= 0:
        chain.append(pairs[index])
        index = links[index]
    chain.reverse()
    return chain


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines that stand once in the range, with where."""
    at: dict[str, int] = {}
    for index in range(start, end):
        line = lines[index]
        at[line] = -1 if line in at else index
    return {line: index for line, index in at.items() if index >= 0}


def _compared(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    """The blocks of one part that has no line of its own, by its longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    a, b, c, d = block
    for step in LCSseq.opcodes(list(old[a:b]), list(new[c:d])):
        if step.tag != "equal":
            yield a + step.src_start, a + step.src_end, c + step.dest_start, c + step.dest_end


def _merged(blocks: list[Block]) -> list[Block]:
    """Blocks that touch, made one."""
    merged: list[Block] = []
    for block in blocks:
        if merged and merged[-1][1] == block[0] and merged[-1][3] == block[2]:
            merged[-1] = (merged[-1][0], block[1], merged[-1][2], block[3])
        else:
            merged.append(block)
    return merged


def _hunks(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block], context: int, above: int) -> Iterator[str]:
    """The hunks of a unified diff, neighbouring blocks that share context in one."""
    group: list[Block] = []
    for block in (*blocks, None):
        if group and (block is None or block[0] - group[-1][1] > 2 * context):
            yield from _hunk(old, new, group, context, above)
            group = []
        if block is not None:
            group.append(block)


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Block], context: int, above: int) -> Iterator[str]:
    before = min(context, group[0][0])
    after = min(context, len(old) - group[-1][1])
    first, last = group[0][0] - before, group[-1][1] + after
    new_first, new_last = group[0][2] - before, group[-1][3] + after
    yield f"@@ -{_range(above + first, above + last)} +{_range(above + new_first, above + new_last)} @@\n"
    at = first
    for a, b, c, d in group:
        for line in old[at:a]:
            yield _line(" ", line)
        for line in old[a:b]:
            yield _line("-", line)
        for line in new[c:d]:
            yield _line("+", line)
        at = b
    for line in old[at:last]:
        yield _line(" ", line)


def _range(first: int, last: int) -> str:
    count = last - first
    # An empty range is named by the line before it.
    start = first + 1 if count else first
    return str(start) if count == 1 else f"{start},{count}"


def _line(kind: str, line: str) -> str:
    return kind + line if line[-1] == "\n" else f"{kind}{line}\n\\ No newline at end of file\n"
