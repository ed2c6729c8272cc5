"""Problems of changes that carry no text to find: by line numbers, cells, definitions and sketches."""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Code


def change_refusal(
    code: Code, path: str, message: str, hint: str, *, reason: str = "", **details: object
) -> PatchRejectedError:
    """The refusal of a change of a file."""
    known = {"path": path, **({"reason": reason} if reason else {}), **details}
    return PatchRejectedError([Problem(code, message, path, None, known, hint)])
