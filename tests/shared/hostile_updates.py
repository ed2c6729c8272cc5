"""Files and edits of them that make searches expensive, for any number of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suture import Hunk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    MakeLines = Callable[[int], list[str]]
    MakeHunk = Callable[[Sequence[str], int], Hunk]
    MakeEdit = Callable[[Sequence[str], int], tuple[str, str] | tuple[str, str, bool]]


def typo(line: str) -> str:
    """A line with a mistake."""
    return line.replace("e", "ee", 1) if "e" in line else f"{line}q"


def _repeated(*lines: str) -> MakeLines:
    """A file in which these lines are repeated, each with the number of the repetition for `{}`."""

    def make(count: int) -> list[str]:
        return [lines[index % len(lines)].replace("{}", str(index // len(lines))) for index in range(count)]

    return make


#: The lines of a file of any length.
FILES: Mapping[str, MakeLines] = {
    "numbered": _repeated("line number {} has text"),
    "equal": _repeated("the same line here"),
    "pairs": _repeated("start of it", "value {} there"),
    "blank": _repeated(""),
    "nested": lambda count: [" " * min(index, 60) + f"block {index}:" for index in range(count)],
    "zigzag": lambda count: ["    " * (index % 9) + f"if x{index} == 5:" for index in range(count)],
    "functions": _repeated("def function{}(a, b):", '    """Doc {}."""', "    return a + b * {}", ""),
    "equal functions": _repeated("def function(a, b):", "    value = a", "    return a + b", ""),
    "open brackets": _repeated("call({}, [", "{"),
    "closing brackets": _repeated("}"),
    "headings": _repeated("# Heading {}", "text {} of it", "## Part {}", "more text {}"),
    "quotes": _repeated('x{} = "a \\"b\\" {}"'),
    "long strings": _repeated('"""', "text {} here"),
    "other punctuation": _repeated("it\u2019s \u201cquoted\u201d \u2014 {}\u00a0x\u2026"),
    "tags": _repeated("<div id={}>", "</div>"),
    "comments": _repeated("// words of a comment number {} that says much"),
    "prefixes": lambda count: ["a" * (index % 50 + 1) for index in range(count)],
    "keys": lambda count: ["  " * (index % 5) + f"key{index}: value" for index in range(count)],
}

#: A hunk for a line of a file; some fit, and some do not.
HUNKS: Mapping[str, MakeHunk] = {
    "exact": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}")),
    "exact with context": lambda lines, at: Hunk((f" {lines[at - 1]}", f"-{lines[at]}", f"+new {at}")),
    "added lines": lambda lines, at: Hunk((f" {lines[at]}", f"+alpha {at}", f"+beta {at}", f"+gamma {at}")),
    "removed": lambda lines, at: Hunk((f"-{lines[at]}",)),
    "trailing blanks": lambda lines, at: Hunk((f"-{lines[at]}  ", f"+new {at}")),
    "indented": lambda lines, at: Hunk((f"-    {lines[at]}", f"+    new {at}")),
    "other blanks": lambda lines, at: Hunk((f"-{lines[at].replace(' ', '  ')}", f"+new {at}")),
    "a typo": lambda lines, at: Hunk((f"-{typo(lines[at])}", f"+new {at}")),
    "a typo in context": lambda lines, at: Hunk(
        (f" {lines[at - 2]}", f" {typo(lines[at - 1])}", f"-{lines[at]}", f"+new {at}")
    ),
    "absent": lambda _, at: Hunk((f"-no such thing {at}", f"+new {at}")),
    "absent below context": lambda lines, at: Hunk((f" {lines[at - 1]}", f"-no such thing {at}", f"+new {at}")),
    "applied": lambda lines, at: Hunk((f"-no such thing {at}", f"+{lines[at]}")),
    "applied below context": lambda lines, at: Hunk((f" {lines[at - 2]}", f"+{lines[at - 1]}", f"+{lines[at]}")),
    "escaped": lambda lines, at: Hunk((f"-{lines[at].replace(' ', chr(92) + 't')}", f"+new {at}")),
    "with line numbers": lambda lines, at: Hunk((f"-{at + 1}| {lines[at]}", f"+{at + 1}| new {at}")),
    "anchored": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}"), (lines[at - 1].strip() or "x",)),
    "an absent anchor": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}"), (f"class Absent{at}",)),
    "an absent anchor and line": lambda _, at: Hunk((f"-zip zap {at}", f"+new {at}"), (f"class Absent{at}",)),
    "a part of an anchor": lambda lines, at: Hunk(
        (f"-{lines[at]}", f"+new {at}"), (lines[at - 1].strip()[:-2] or "x",)
    ),
    "added below an anchor": lambda lines, at: Hunk((f"+new {at}",), (lines[at - 1].strip() or "x",)),
    "stacked anchors": lambda lines, at: Hunk(
        (f"-{lines[at]}", f"+new {at}"), tuple([lines[at - away].strip() or "x" for away in (3, 2, 1)])
    ),
    "blank with an anchor": lambda lines, at: Hunk((" ",), (lines[at - 1].strip() or "x",)),
    "context": lambda lines, at: Hunk((f" {lines[at]}",)),
    "absent context": lambda _, at: Hunk((f" gone {at}",)),
    "context with a typo": lambda lines, at: Hunk((f" {typo(lines[at])}", f" {lines[at - 1]}")),
    "added alone": lambda _, at: Hunk((f"+new {at}",)),
    "numbered": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}"), line_hint=at + 1),
    "numbered wrongly": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}"), line_hint=at + 5),
    "below a heading": lambda lines, at: Hunk(
        (f"-{lines[at]}", f"+new {at}"), line_hint=at + 5, heading=lines[at - 1].strip()
    ),
    "numbered and applied": lambda lines, at: Hunk((f"-old {at}", f"+{lines[at]}"), line_hint=at + 1),
    "at the end": lambda lines, at: Hunk((f"-{lines[at]}", f"+new {at}"), at_end=True),
    "long": lambda lines, at: Hunk(
        (*[f" {line}" for line in lines[max(0, at - 20) : at]], f"-{lines[at]}", f"+new {at}")
    ),
    "a block with a typo": lambda lines, at: Hunk((f"-{typo(lines[at])}", f"+new {at}"), is_block=True),
}

#: A string edit for a line of a file.
EDITS: Mapping[str, MakeEdit] = {
    "exact": lambda lines, at: (lines[at] or "x", f"new {at}"),
    "part of a line": lambda lines, at: (lines[at][2:] or "x", f"new {at}"),
    "a typo": lambda lines, at: (typo(lines[at]), f"new {at}"),
    "a typo in context": lambda lines, at: (f"{typo(lines[at - 1])}\n{lines[at]}", f"{lines[at - 1]}\nnew {at}"),
    "trailing blanks": lambda lines, at: (f"{lines[at]}  ", f"new {at}"),
    "indented": lambda lines, at: (f"   {lines[at]}\n", f"   new {at}\n"),
    "other blanks": lambda lines, at: (lines[at].replace(" ", "  ") or "x", f"new {at}"),
    "absent": lambda _, at: (f"no such thing {at}", f"new {at}"),
    "applied": lambda lines, at: (f"no such thing {at}", f"{lines[at]}\n{lines[at - 1]}"),
    "inserted": lambda lines, at: (lines[at] or "x", f"{lines[at]}\nnew {at}"),
    "deleted": lambda lines, at: (f"{lines[at]}\n", ""),
    "escaped": lambda lines, at: (lines[at].replace(" ", "\\t") or "x", f"new {at}"),
    "with line numbers": lambda lines, at: (f"{at + 1}: {lines[at]}", f"{at + 1}: new {at}"),
    "joined lines": lambda lines, at: (f"{lines[at - 1]} {lines[at]}", f"new {at}"),
    "several places": lambda lines, at: (lines[at][:4] or "\n", "zz"),
    "every place": lambda lines, at: (lines[at][:4] or "\n", f"zz{at}", True),
    "every letter": lambda _, at: ("e", "ee" if at % 2 else "f", True),
    "the ends of a block": lambda lines, at: (f"{lines[at - 3]}\nno\nsuch\n{lines[at]}", f"new {at}"),
}


def every_fifth(count: int) -> range:
    """The lines of a file that are edited."""
    return range(5, count, 5)
