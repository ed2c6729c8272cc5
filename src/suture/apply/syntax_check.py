"""The last check of an edit that was placed loosely: a file that parsed still parses."""

from __future__ import annotations

from ..core.problems import PatchRejectedError
from ..locate.rule import first_refusal
from ..locate.syntax import RULES, EditedText, SyntaxFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.problems import Code, HunkRef
    from ..core.text import Text


def check_syntax(
    before: Text,
    after: Text,
    code: Code,
    subject: str,
    found_by: Iterable[str],
    ref: HunkRef | None = None,
    **details: object,
) -> None:
    """Check the text after the edit that `subject` names, which was found by these tiers or replacers.

    Raises:
        PatchRejectedError: the text before parses, and this one does not.
    """
    refusal = first_refusal(RULES, EditedText(before.path, before.body, after.body))
    if refusal is not None:
        from ..explain.syntax_problems import explain_fault

        fault = refusal[1]
        assert isinstance(fault, SyntaxFault), "BUG: the rule says what is wrong"
        names = ", ".join(dict.fromkeys(found_by))
        problem = explain_fault(code, subject, before.path, after.body, fault, names, ref, **details)
        raise PatchRejectedError([problem])
