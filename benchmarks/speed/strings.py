"""String edits: beside what plain Python needs for the same text, and on inputs that make a naive search quadratic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import suture
from benchmarks.speed.clock import best, milliseconds, table
from benchmarks.speed.texts import hunks, module
from suture.place import Replacement

if TYPE_CHECKING:
    from collections.abc import Callable

    #: A text, and the old and the new text of an edit.
    Case = tuple[str, str, str]


def edited(text: str, old: str, new: str, *, replace_all: bool = False) -> object:
    """What Suture makes of it: the Replacement, or the refusal with its explanation."""
    try:
        return suture.replace(text, old, new, replace_all=replace_all)
    except suture.PatchRejectedError as rejected:
        return rejected.for_model()


def outcome_of(answer: object) -> str:
    """The replacer that decided, or that it was refused."""
    return answer.replacer if isinstance(answer, Replacement) else "refused"


def pair(hunk: list[str]) -> tuple[str, str]:
    """The old and the new text that a hunk speaks of."""
    return tuple("\n".join(line[1:] for line in hunk if line[0] != kind) for kind in "+-")  # type: ignore[return-value]


def _trimmed(text: str) -> Callable[[], object]:
    return lambda: [line.strip() for line in text.splitlines()]


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured: an edit of a file of so many lines, beside what, and who has to decide it."""

    name: str
    lines: int
    hunk: str
    outcome: str
    beside: str = "strip"
    spoil: Callable[[list[str]], list[str]] = list
    replace_all: bool = False

    def texts(self) -> tuple[str, str]:
        """The old and the new text, both spoilt in the same way."""
        if self.replace_all:
            return "return value", "return result"
        old, new = pair(hunks(self.lines)[self.hunk])
        return "\n".join(self.spoil(old.split("\n"))), "\n".join(self.spoil(new.split("\n")))


def _outdented(lines: list[str]) -> list[str]:
    """The lines of the function, without the indentation that they have in common."""
    return [line.removeprefix("    ") for line in lines[1:3]]


def _spread(lines: list[str]) -> list[str]:
    """Two blanks in the first line: in a line between, block-anchor would forgive them."""
    return [lines[0].replace(" ", "  ", 1), *lines[1:]]


def _flush(lines: list[str]) -> list[str]:
    """Begins behind `value = `, and the rest is at another depth."""
    return [lines[1].removeprefix("    value = "), *(line.removeprefix("    ") for line in lines[2:3])]


def _blank_around(lines: list[str]) -> list[str]:
    return ["", "", "", *lines, "", ""]


def _from_memory(lines: list[str]) -> list[str]:
    """With the next function, of which nearly half of the lines between are nothing like the file's."""
    number = int(lines[-2].removeprefix("def function_").partition("(")[0])
    unlike = [f"{'@' * 60} {count}" for count in (number, number + 1) for _ in range(2)]
    return [*lines[:-1], *unlike[:2], "", *unlike[2:], f"    return value * {number + 1}"]


def _slip(lines: list[str]) -> list[str]:
    """A slip in the first line, where no anchor may have one."""
    return [lines[0].replace("function", "functoin", 1), *lines[1:]]


LARGE = 200_000
ROWS = (
    Row("exact", 1_000, "exact", "simple", "replace"),
    Row("exact", 10_000, "exact", "simple", "replace"),
    Row("exact", LARGE, "exact", "simple", "replace"),
    Row("every occurrence, 50,000 in all", LARGE, "exact", "multi-occurrence", "replace", replace_all=True),
    Row("different indentation", 10_000, "exact", "line-trimmed", spoil=_outdented),
    Row("different indentation", LARGE, "exact", "line-trimmed", spoil=_outdented),
    Row("a typo in a middle line", LARGE, "similar", "block-anchor"),
    Row("different whitespace in the first line", LARGE, "exact", "whitespace-normalized", spoil=_spread),
    Row("begins inside a line", LARGE, "exact", "indentation-flexible", spoil=_flush),
    Row("escaped quotes", LARGE, "escapes", "escape-normalized"),
    Row("blank lines around the text", LARGE, "exact", "trimmed-boundary", spoil=_blank_around),
    Row("middle lines written from memory", LARGE, "exact", "context-aware", spoil=_from_memory),
    Row("a typo in the first line", LARGE, "exact", "similar", spoil=_slip),
    Row("no match, one line differs", LARGE, "no match, one line differs", "refused"),
    Row("no match at all", LARGE, "no match at all", "refused"),
)


def edits(*, quick: bool) -> dict[str, float]:
    """One edit near the end of a file, beside `str.replace` or trimming the lines of the same text.

    Raises:
        RuntimeError: An edit was decided by another replacer than the one it is to measure.
    """
    figures: dict[str, float] = {}
    lines = []
    for row in ROWS:
        text = module(row.lines)
        old, new = row.texts()
        plain = {"replace": lambda: text.replace(old, new), "strip": _trimmed(text)}[row.beside]  # noqa: B023
        call = partial(edited, text, old, new, replace_all=row.replace_all)
        outcome = outcome_of(call())
        if outcome != row.outcome:
            message = f"{row.name}: {outcome} instead of {row.outcome}"
            raise RuntimeError(message)
        times = best({"suture": call, "plain": plain}, rounds=5 if quick else 15)
        ratio = figures[f"string {row.name} {row.lines} / {row.beside}"] = times["suture"] / times["plain"]
        label = "str.replace" if row.beside == "replace" else "splitlines and strip"
        lines.append((row.name, f"{row.lines:,}", outcome, milliseconds(times["suture"]), f"{ratio:.2f}×", label))
    print("## String edits: one near the end of the file, with the explanation where it is refused\n")
    print(table(("edit", "lines", "decided by", "time", "ratio", "to"), lines), end="\n\n")
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
    "one line of 5 MB, whitespace differs": _long_line_loose,
    "10,000 candidates for both anchors": _both_anchors,
    "escapes, first line on 200,000 lines": _escapes,
    "20 lines with 10,000 near matches": _nearly_everywhere,
    "a typo in a line that occurs 200,000 times": _typo_everywhere,
}


LINES_OF_ONE_LETTER = "a b\n" * 1_000_000
NUMBERED = "".join(f"line number {i}\n" for i in range(1_000))
#: Each of these is undone by the one a thousand edits later, so that the file stays small.
MANY_EDITS = [
    (f"line number {i % 1_000}{'x' * (i // 1_000 % 2)}\n", f"line number {i % 1_000}{'x' * (1 - i // 1_000 % 2)}\n")
    for i in range(5_000)
]


def _one_by_one() -> None:
    text = NUMBERED
    for old, new in MANY_EDITS:
        text = suture.replace(text, old, new).text


def _double(text: str, times: int) -> None:
    for _ in range(times):
        text = text.replace("a", "aa")


def _parsed(text: str) -> object:
    try:
        return suture.parse(text)
    except suture.PatchInvalidError as invalid:
        return invalid.for_model()


#: Small calls that would take long or fill memory: what is called, and a baseline that is linear.
BESIDE: dict[str, tuple[str, Callable[[], object], Callable[[], object]]] = {
    "every occurrence, 1,000,000 in all": (
        "str.replace",
        lambda: edited(LINES_OF_ONE_LETTER, "a", "xy", replace_all=True),
        lambda: LINES_OF_ONE_LETTER.replace("a", "xy"),
    ),
    "a list of 5,000 edits": ("each alone", lambda: suture.multiedit(NUMBERED, MANY_EDITS), _one_by_one),
    "a list that doubles a letter 22 times": (
        "str.replace",
        lambda: suture.multiedit("a", [("a", "aa", True)] * 22),
        lambda: _double("a", 22),
    ),
    "10 MB of begin markers": (
        "splitlines and strip",
        lambda: _parsed("*** Begin Patch\n" * 620_000),
        _trimmed("*** Begin Patch\n" * 620_000),
    ),
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
        outcome = outcome_of(edited(text, old, new))
        lines.append((name, outcome, milliseconds(times["suture"]), f"{ratio:.1f}×"))
    print("## Hostile string edits\n")
    print(table(("input", "outcome", "time", "to splitlines and strip"), lines), end="\n\n")
    lines = []
    for name, (label, call, baseline) in BESIDE.items():
        times = best({"suture": call, "baseline": baseline}, rounds=1 if quick else 3)
        ratio = figures[f"hostile {name} / {label}"] = times["suture"] / times["baseline"]
        lines.append((name, milliseconds(times["suture"]), f"{ratio:.1f}×", label))
    print("## Small calls with much to do\n")
    print(table(("call", "time", "ratio", "to"), lines), end="\n\n")
    return figures
