"""Inputs that make a naive search quadratic or worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed.texts import patch

if TYPE_CHECKING:
    from collections.abc import Callable

    Case = Callable[[], tuple[str, str]]


def _equal_lines() -> tuple[str, str]:
    return "same\n" * 200_000, patch([" same"] * 50 + ["-same", "+other"])


def _first_line_everywhere() -> tuple[str, str]:
    return "head\ntail\n" * 100_000, patch([" head", " tail", "-head", "+foot", " gone"])


def _blank_lines() -> tuple[str, str]:
    return "\n" * 200_000, patch([" ", " ", "-", "+x"])


def _long_line() -> tuple[str, str]:
    return "ab" * 2_500_000 + "\n", patch(["-" + "ab" * 2_000 + "c", "+x"])


def _nearly_everywhere() -> tuple[str, str]:
    block = "".join(f"    step({i})\n" for i in range(20))
    return block * 10_000, patch([f"     step({i})" for i in range(19)] + ["-    step(99)", "+    step(100)"])


def _nested_anchors() -> tuple[str, str]:
    text = "".join(" " * (i % 200) + "if x:\n" for i in range(100_000))
    return text, patch([]).replace("@@\n", "@@ if x:\n if x:\n-if y:\n+if z:\n")


def _many_hunks() -> tuple[str, str]:
    text = "".join(f"line {i}\n" for i in range(20_000))
    return text, patch([f"-line {2 * i}\n+LINE {2 * i}\n@@" for i in range(5_000)] + ["-line 19999", "+LINE"])


def _unicode() -> tuple[str, str]:
    return "say \u201chi\u201d \u2026\n" * 100_000 + "end\n", patch([' say "hi" ...', "-end of it", "+x"])


CASES: dict[str, Case] = {
    "200,000 equal lines": _equal_lines,
    "first line on every second line": _first_line_everywhere,
    "200,000 blank lines": _blank_lines,
    "one line of 5 MB": _long_line,
    "20 lines with 10,000 near matches": _nearly_everywhere,
    "100,000 nested anchors": _nested_anchors,
    "5,000 hunks": _many_hunks,
    "100,000 lines of Unicode punctuation": _unicode,
}
