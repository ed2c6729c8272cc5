"""String edits: beside what plain Python needs for the same text, and on inputs that make a naive search quadratic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import suture
from benchmarks.speed.clock import best, milliseconds, table
from benchmarks.speed.texts import hunks, module

if TYPE_CHECKING:
    from collections.abc import Callable

    #: A text, and the old and the new text of an edit.
    Case = tuple[str, str, str]


def edited(text: str, old: str, new: str) -> object:
    """What Suture makes of it: the Replacement, or the refusal with its explanation."""
    try:
        return suture.replace(text, old, new)
    except suture.PatchRejected as rejected:
        return rejected.for_model()


def pair(hunk: list[str]) -> tuple[str, str]:
    """The old and the new text that a hunk speaks of."""
    return tuple("\n".join(line[1:] for line in hunk if line[0] != kind) for kind in "+-")  # type: ignore[return-value]


def _trimmed(text: str) -> Callable[[], object]:
    return lambda: [line.strip() for line in text.splitlines()]


def _rows() -> list[tuple[str, int, str, str]]:
    """What is measured: a name, the lines of the file, the hunk of `hunks`, and beside what."""
    return [
        ("exact", 10_000, "exact", "replace"),
        ("exact", 200_000, "exact", "replace"),
        ("line-trimmed", 10_000, "indent (outdented by four)", "strip"),
        ("line-trimmed", 200_000, "indent (outdented by four)", "strip"),
        ("whitespace-normalized", 200_000, "whitespace", "strip"),
        ("escape-normalized", 200_000, "escapes", "strip"),
        ("block-anchor", 200_000, "similar", "strip"),
        ("no match, one line away", 200_000, "absent, one line away", "strip"),
        ("no match at all", 200_000, "absent altogether", "strip"),
    ]


def edits(*, quick: bool) -> dict[str, float]:
    """One edit near the end of a file, beside `str.replace` or trimming the lines of the same text."""
    figures: dict[str, float] = {}
    lines = []
    for name, size, hunk, beside in _rows():
        text = module(size)
        old, new = pair(hunks(size)[hunk])
        plain = {"replace": lambda: text.replace(old, new), "strip": _trimmed(text)}[beside]  # noqa: B023
        calls = {"suture": lambda: edited(text, old, new), "plain": plain}  # noqa: B023
        times = best(calls, rounds=5 if quick else 15)
        answer = edited(text, old, new)
        how = answer.replacer if isinstance(answer, suture.Replacement) else "refused"
        ratio = figures[f"string {name} {size} / {beside}"] = times["suture"] / times["plain"]
        label = "str.replace" if beside == "replace" else "splitlines and strip"
        lines.append((name, f"{size:,}", how, milliseconds(times["suture"]), f"{ratio:.2f} ×", label))
    print("## String edits: one near the end of the file, with the explanation where it is refused\n")
    print(table(("edit", "lines", "outcome", "time", "ratio", "to"), lines), end="\n\n")
    return figures


def _first_line_everywhere() -> Case:
    text = "".join(f"if ready:\n    step({i})\n    done({i})\nend\n" for i in range(50_000))
    return text, "if ready:\n    stop()\n    gone()\nend", "pass"


def _blank_lines() -> Case:
    return "word\n\n\n" * 66_000, "\n\n\n\n", "x"


def _only_blank_lines() -> Case:
    return "\n" * 200_000, "\n\n  \n", "x"


def _long_line() -> Case:
    return "ab" * 2_500_000 + "\n", "ab" * 2_000 + "c", "x"


def _long_line_loose() -> Case:
    return "ab cd " * 800_000 + "\n", "ab  cd  ef", "x"


def _both_anchors() -> Case:
    text = "".join(f"begin\n  a{i}\n  b{i}\n  c{i}\nend of it\n" for i in range(10_000))
    return text, "begin\n  other\n  lines\n  here\nend of it", "begin\n  other\n  lines\n  there\nend of it"


def _escapes() -> Case:
    return 'say("x")\n' * 200_000, 'say(\\"x\\")\\nsay(\\"y\\")', "x"


def _nearly_everywhere() -> Case:
    block = "".join(f"    step({i})\n" for i in range(20))
    old = "".join(f"    step({i})\n" for i in range(19))
    return block * 10_000, old + "    step(99)\n", old + "    step(100)\n"


def _typo_everywhere() -> Case:
    line = "    value = compute(first, second)\n"
    return line * 200_000, line.replace("compute", "comqute") * 3 + "    last()\n", "x\n"


HOSTILE: dict[str, Callable[[], Case]] = {
    "first line in every block of 200,000 lines": _first_line_everywhere,
    "blank lines, among 200,000 lines": _blank_lines,
    "blank lines, with trailing space": _only_blank_lines,
    "one line of 5 MB": _long_line,
    "one line of 5 MB, white space differs": _long_line_loose,
    "10,000 candidates for both anchors": _both_anchors,
    "escapes, first line on 200,000 lines": _escapes,
    "20 lines that are nearly there 10,000 times": _nearly_everywhere,
    "a slip in a line that stands 200,000 times": _typo_everywhere,
}


def hostile_edits(*, quick: bool) -> dict[str, float]:
    """String edits that make a naive search quadratic."""
    figures: dict[str, float] = {}
    lines = []
    for name, make in HOSTILE.items():
        text, old, new = make()
        calls = {"suture": lambda: edited(text, old, new), "strip": _trimmed(text)}  # noqa: B023
        times = best(calls, rounds=1 if quick else 3)
        ratio = figures[f"hostile string {name} / strip"] = times["suture"] / times["strip"]
        answer = edited(text, old, new)
        outcome = answer.replacer if isinstance(answer, suture.Replacement) else "refused"
        lines.append((name, outcome, milliseconds(times["suture"]), f"{ratio:.1f} ×"))
    print("## Hostile string edits\n")
    print(table(("input", "outcome", "time", "to splitlines and strip"), lines), end="\n\n")
    return figures
