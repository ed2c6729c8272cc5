"""Writing unified diffs that `git apply` and `patch -p1` accept.

Lines end at LF only, as in git: a CR is part of its line.
"""

from __future__ import annotations

from ..core.dialect import NO_NEWLINE
from ..core.line_diff import changed_blocks, common_ends, split_lines
from ..core.patch import PLAIN
from .read_diff import hunk_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, AnyStr

    from ..core.line_diff import Block
    from ..core.patch import Hunk, Mode


def unified_diff(
    before: AnyStr | None,
    after: AnyStr | None,
    path: str,
    *,
    to_path: str | None = None,
    context: int = 3,
    old_mode: Mode = PLAIN,
    new_mode: Mode = PLAIN,
) -> str:
    """The change from one text to the other as a unified diff; empty if there is none.

    `before` is None for a new file, `after` for a deleted one; `to_path` is the new path of a file that moved, and the
    modes are those of git: "100755" for a file that can be executed, otherwise "100644". Bytes must be UTF-8 without a
    BOM; only the part that differs is decoded.
    """
    new_path = path if to_path is None else to_path
    old_name = "/dev/null" if before is None else _quoted("a/" + path)
    new_name = "/dev/null" if after is None else _quoted("b/" + new_path)
    header = ""
    if before is None:
        header = _git_header(path, new_path, f"new file mode {new_mode}\n")
    elif after is None:
        header = _git_header(path, new_path, f"deleted file mode {old_mode}\n")
    elif new_path != path or old_mode != new_mode:
        header = git_header(path, new_path, old_mode, new_mode)
    first, old, new = _differing_lines(before, after, context)
    body = "".join(_hunks(old, new, changed_blocks(old, new), context, first))
    return f"{header}--- {old_name}\n+++ {new_name}\n{body}" if body else header


def git_header(
    path: str, new_path: str, old_mode: Mode, new_mode: Mode, *, is_copy: bool = False, blobs: Sequence[str] = ()
) -> str:
    """The lines of git above the names of a file that exists before and after."""
    lines = ""
    if old_mode != new_mode:
        lines += f"old mode {old_mode}\nnew mode {new_mode}\n"
    if new_path != path:
        verb = "copy" if is_copy else "rename"
        lines += f"{verb} from {_quoted(path, tab='')}\n{verb} to {_quoted(new_path, tab='')}\n"
    if blobs:
        lines += f"index {'..'.join(blobs)}\n"
    return _git_header(path, new_path, lines)


def _git_header(path: str, new_path: str, lines: str) -> str:
    return f"diff --git {_quoted('a/' + path, tab='')} {_quoted('b/' + new_path, tab='')}\n{lines}"


def names_lines(path: str, new_path: str) -> str:
    """The two lines with the names of a file that exists before and after."""
    return f"--- {_quoted('a/' + path)}\n+++ {_quoted('b/' + new_path)}\n"


def join_diffs(diffs: Iterable[str]) -> str:
    """Join the diffs of several files.

    After a file without hunks, the next one gets a `diff --git` header too. Otherwise its names would be read as those
    of the file before it.
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
    """How many lines a unified diff adds and removes."""
    signs = [line[0] for _, _, lines in hunk_texts(diff) for line in lines]
    return signs.count("+"), signs.count("-")


def trim_diff(diff: str) -> str:
    """A unified diff to read: with LF line endings, without a BOM and the indentation that all its lines share.

    The result can't be applied.
    """
    lines = diff.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("@@")]
    in_hunk = {i for i in range(starts[0], len(lines)) if lines[i][:1] in (" ", "+", "-")} if starts else set()
    in_hunk -= {i for i in in_hunk if lines[i].startswith(("--- a/", "+++ b/"))}
    for i in in_hunk:
        lines[i] = lines[i][0] + lines[i][1:].removeprefix("\ufeff")
    texts = [lines[i][1:] for i in in_hunk if lines[i][1:].strip()]
    if not texts:
        return "\n".join(lines)
    low, high = min(texts), max(texts)
    common = 0
    while common < len(low) and low[common] in " \t" and low[common] == high[common : common + 1]:
        common += 1
    return "\n".join(line[0] + line[1 + common :] if i in in_hunk else line for i, line in enumerate(lines))


def _differing_lines(before: AnyStr | None, after: AnyStr | None, context: int) -> tuple[int, list[str], list[str]]:
    """The number of lines to skip at the start, then the lines of both texts that differ, with their context."""
    if before is None or after is None:
        return 0, _lines(before or ""), _lines(after or "")
    newline: AnyStr = _newline(before)
    head, tail = common_ends(before, after)
    start = head = before.rfind(newline, 0, head) + 1
    for _ in range(context):
        start = before.rfind(newline, 0, max(0, start - 1)) + 1
    end = len(before) - min(tail, len(before) - head, len(after) - head)
    # The tail starts after a newline in both texts.
    for _ in range(context + 1):
        end = before.find(newline, end) + 1 or len(before)
    rest = len(before) - end
    return before.count(newline, 0, start), _lines(before[start:end]), _lines(after[start : len(after) - rest])


def _newline(text: str | bytes) -> Any:  # noqa: ANN401 - of the same type as the text
    return "\n" if isinstance(text, str) else b"\n"


def _lines(text: str | bytes) -> list[str]:
    return split_lines(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def _quoted(name: str, tab: str = "\t") -> str:
    """A file name as git writes it: odd characters as escapes in quotes, a tab after a name with blanks."""
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


def _hunks(old: Sequence[str], new: Sequence[str], blocks: Sequence[Block], context: int, above: int) -> Iterator[str]:
    """The hunks of a unified diff; adjacent blocks that share context form one hunk."""
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


def write_hunk(hunk: Hunk, shift: int) -> Iterator[str]:
    """A hunk with its own line number; `shift` is how many lines the hunks before it have added."""
    kinds = [line[0] for line in hunk.exact or hunk.lines]
    old, new = (len(kinds) - kinds.count(other) - kinds.count("\\") for other in "+-")
    start = max(0, (hunk.line_hint or 1) - 1) if old else hunk.line_hint or 0
    heading = f" {hunk.heading}" if hunk.heading else ""
    yield f"@@ -{_range(start, start + old)} +{_range(start + shift, start + shift + new)} @@{heading}\n"
    if hunk.exact:
        yield from [f"{line}\n" for line in hunk.exact]
        return
    last = {
        side: max((n for n, line in enumerate(hunk.lines) if line[0] in kinds), default=-1)
        for side, kinds in (("old", " -"), ("new", " +"))
        if hunk.no_newline in (side, "both")
    }
    for number, line in enumerate(hunk.lines):
        yield f"{line}\n"
        if number in last.values():
            yield f"{NO_NEWLINE}\n"


def _range(first: int, last: int) -> str:
    count = last - first
    # An empty range has the number of the line before it.
    start = first + 1 if count else first
    return str(start) if count == 1 else f"{start},{count}"


def _line(kind: str, line: str) -> str:
    return kind + line if line[-1] == "\n" else f"{kind}{line}\n{NO_NEWLINE}\n"
