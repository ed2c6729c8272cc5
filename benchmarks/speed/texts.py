"""Texts and patches of any size that the benchmark writes itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = "module.py"


def module(lines: int) -> str:
    """Source of so many lines, of which every fourth is like no other."""
    blocks = (
        f'def function_{i}(a, b):\n    value = a["k"] + {i} - b\n    return value * {i}\n\n' for i in range(lines // 4)
    )
    return "".join(blocks)


def patch(hunk: Sequence[str]) -> str:
    """An envelope of one hunk."""
    return "\n".join(("*** Begin Patch", f"*** Update File: {PATH}", "@@", *hunk, "*** End Patch", ""))


def hunks(lines: int) -> dict[str, list[str]]:
    """A hunk near the end of `module(lines)` for each tier, one that is absent, and one that is nowhere near."""
    i = lines // 4 - 3
    exact = [
        f" def function_{i}(a, b):",
        f'     value = a["k"] + {i} - b',
        f"-    return value * {i}",
        f"+    return value * {i} + 1",
        " ",
        f" def function_{i + 1}(a, b):",
        f'     value = a["k"] + {i + 1} - b',
    ]

    def with_lines(change: dict[int, str]) -> list[str]:
        return [change.get(index, line) for index, line in enumerate(exact)]

    return {
        "exact": exact,
        "trailing": with_lines({0: exact[0] + "  "}),
        "indent (flattened)": [line[0] + line[1:].removeprefix("    ") for line in exact],
        "punctuation": with_lines({1: f'     value = a["k"] + {i} \u2013 b'}),
        "whitespace": with_lines({1: f'     value  =  a["k"] + {i} - b'}),
        "escapes": with_lines({1: f'     value = a[\\"k\\"] + {i} - b'}),
        "similar": with_lines({1: f'     vaalue = a["k"] + {i} - b'}),
        "no match, one line differs": with_lines({2: f"-    return other / {i}"}),
        "no match at all": [" def zebra(x, y):", "     quagga = horse + 9", "-    return fish", "+    return bird"],
    }


def repeated_methods(lines: int) -> str:
    """Source of so many lines in which every tenth is the same head of a method."""
    body = "".join(f"        step(self, {{i}}, {j})\n" for j in range(7))
    block = f"    def run(self):\n{body}        return self.total({{i}})\n\n"
    return "".join(block.format(i=i) for i in range(lines // 10))


def outdented_method(lines: int) -> list[str]:
    """A hunk for a method near the end of `repeated_methods(lines)`, all of it without the indentation."""
    i = lines // 10 - 3
    return [
        " def run(self):",
        f"     step(self, {i}, 0)",
        f"-    step(self, {i}, 1)",
        f"+    step(self, {i}, 99)",
        f"     step(self, {i}, 2)",
    ]
