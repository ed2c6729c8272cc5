"""How often a refusal alone holds everything that a correct edit needs: `python -m benchmarks.accuracy.answers`.

Only edits with a right place count. What a model needs for its next try is the file's own lines at that place: those
that change, or the one before and the one after an insertion. Lines that the edit has as the file has them need not be
shown again.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from suture import PatchRejectedError, SutureError, Workspace, replace
from suture.workspace import MemoryFiles

from .quick import quick_cases, quick_strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .cases import Case, PatchCase
    from .strings import StringCase


def needed_lines(case: Case) -> Iterator[str]:
    """The file's lines that a correct edit has to get right, without blank ones and those that the edit has."""
    before, after = case.before.split("\n"), case.after.split("\n")
    sent = {line.strip() for text in case.shown().split("\n") for line in (text, text[1:])}
    for tag, start, end, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            # A removed line says where it is; an insertion is between two lines.
            for line in before[start:end] or before[max(0, start - 1) : start + 1]:
                if line.strip() and line.strip() not in sent:
                    yield line.strip()


def missing_lines(case: Case, answer: str) -> list[str]:
    """What a correct edit needs and neither the edit nor the answer has."""
    return [line for line in needed_lines(case) if line not in answer]


def patch_answer(case: PatchCase) -> str | None:
    """The answer to a patch; None if it was applied."""
    try:
        Workspace(MemoryFiles({case.path: case.before})).apply(case.patch)
    except SutureError as refused:
        return refused.for_model()
    return None


def string_answer(case: StringCase) -> str | None:
    """The answer to a string edit; None if it was applied."""
    try:
        replace(case.before, case.old, case.new)
    except PatchRejectedError as refused:
        return refused.for_model()
    return None


def measure(answers: Iterable[tuple[Case, str | None]]) -> tuple[int, int, Counter[str]]:
    """How many refusals there were, how many hold everything, and the ways of the others."""
    refused = complete = 0
    others: Counter[str] = Counter()
    for case, answer in answers:
        # A patch that was cut off needs the rest of what the model wrote, and nothing of the file.
        if case.safety or case.way == "cut_off" or case.before == case.after or answer is None:
            continue
        refused += 1
        if missing_lines(case, answer):
            others[case.way] += 1
        else:
            complete += 1
    return refused, complete, others


def main() -> None:
    """Print the figures."""
    for kind, found in (
        ("patches", measure((case, patch_answer(case)) for case in quick_cases())),
        ("string edits", measure((case, string_answer(case)) for case in quick_strings())),
    ):
        refused, complete, others = found
        share = 100 * complete / refused if refused else 100
        print(f"{kind}: {complete} of {refused} refusals hold everything ({share:.1f} %)")
        print("  incomplete:", ", ".join(f"{way} {count}" for way, count in others.most_common(12)) or "none")


if __name__ == "__main__":
    main()
