"""What a tool's answer is worth: exact, drift, wrong or refused.

- `exact`: byte for byte what was expected; a refusal, or a file that stays as it is, where only a refusal is right (or
  is right too).
- `drift`: the right place, other whitespace or punctuation only.
- `wrong`: said success and is something else, or broke with an exception that is no refusal.
- `refused`: said no where an edit was right.
- `undecidable`: success on a file that has changed since, but the edit (every hunk of a patch) still occurs in it
  exactly and was placed at a tier no looser than `trailing`: no text can tell.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from .ambiguity import squeezed
from .cases import Case
from .peers import KNOW_THE_LINE, Answer, NotAskedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Outcome = Literal["exact", "drift", "wrong", "refused", "undecidable", "not asked"]

#: What Suture answers where it took an edit as it is, whitespace at the ends of lines aside.
FIRM = frozenset({"exact", "trailing", "simple", "final_newline"})

_C = TypeVar("_C", bound=Case)


@dataclass(frozen=True, slots=True)
class Result:
    """One tool's outcome on one case, with what is needed to look into it."""

    tool: str
    outcome: Outcome
    note: str = ""
    content: bytes = b""
    tiers: tuple[str, ...] = ()
    seconds: float = 0.0


def run(case: _C, tool: str, tools: Mapping[str, Callable[[_C], Answer]]) -> Result:
    """Ask one tool."""
    began = time.perf_counter()
    try:
        answer = tools[tool](case)
    except NotAskedError:
        return Result(tool, "not asked")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as refusal:  # noqa: BLE001  # each peer has exceptions of its own, and Rust panics are no Exception
        return _refused(case, tool, refusal, time.perf_counter() - began)
    seconds = time.perf_counter() - began
    outcome = _judged(case, answer.content, answer.tiers, tool)
    return Result(tool, outcome, answer.note, answer.content, answer.tiers, seconds)


def _refused(case: Case, tool: str, refusal: BaseException, seconds: float) -> Result:
    note = f"{type(refusal).__name__}: {refusal}"
    if _is_suture(tool):
        from suture import SutureError

        if not isinstance(refusal, SutureError):
            return Result(tool, "wrong", note, seconds=seconds)
        note = "; ".join(
            f"{problem.code}/{problem.details.get('reason', '')}: {problem.message}" for problem in refusal.problems
        )
    return Result(tool, "refused" if case.expectation == "after" else "exact", note, seconds=seconds)


def _is_suture(tool: str) -> bool:
    """Whether a tool is Suture, in any form or dialect."""
    return tool.startswith("suture")


def _judged(case: Case, content: bytes, tiers: tuple[str, ...], tool: str) -> Outcome:
    if case.expectation == "refuse":
        if content == case.before.encode():
            return "exact"
        if tool in KNOW_THE_LINE and not case.safety and content == case.after.encode():
            return "exact"
        unsure = case.safety and case.fits and (not _is_suture(tool) or FIRM.issuperset(tiers))
        return "undecidable" if unsure else "wrong"
    if content == case.after.encode():
        return "exact"
    if squeezed(content.decode(errors="replace")) == squeezed(case.after):
        return "drift"
    return "wrong"
