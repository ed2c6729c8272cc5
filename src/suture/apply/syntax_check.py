"""The last check of an edit that was placed loosely: a file that parsed still parses."""

from __future__ import annotations

from ..core.problems import PatchRejectedError
from ..locate.rule import first_refusal
from ..locate.syntax import RULES, SyntaxFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text


def check_syntax(
    before: Text, after: Text, found_by: Iterable[str], hunks: Sequence[Hunk] = (), number: int = 0
) -> None:
    """Check the text after an edit, or after the hunk of that number, that was found by these tiers or replacers.

    Raises:
        PatchRejectedError: the text before parses, and this one does not.
    """
    refusal = first_refusal(RULES, (before.path, before.body, after.body))
    if refusal is not None:
        from ..explain.problem_table import EDIT, Fields, hunk_fields
        from ..explain.refusal_problems import explain_fault

        fault = refusal[1]
        assert isinstance(fault, SyntaxFault), "BUG: the rule says what is wrong"
        fields = hunk_fields(hunks, number, before.path) if hunks else Fields(EDIT, before.path)
        fields["tiers"] = ", ".join(dict.fromkeys(found_by))
        raise PatchRejectedError([explain_fault(fields, after.body, fault)])
