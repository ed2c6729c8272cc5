"""Where a hunk goes that only adds lines: it has no line of the file that says so."""

from __future__ import annotations

from .place import Place, end_of_lines, line_after
from .placement import Candidates, Refusal
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Hunk
    from .anchors import AnchorLines
    from .placement import Situation


def place_insertion(
    situation: Situation, number: int, hunk: Hunk, anchor_lines: AnchorLines | None
) -> Candidates | Refusal:
    """Places for a hunk of added lines alone: right after its anchor, at the end, or nowhere."""
    body, dialect = situation.text.body, situation.dialect
    notes = () if anchor_lines is None else anchor_lines.notes
    end = end_of_lines(body) if body else 0
    is_for_end = hunk.at_end or hunk.no_newline == "new" or not body
    if is_for_end:
        starts = [end]
    elif anchor_lines is not None:
        starts = [line_after(body, spot) for spot in anchor_lines.spots]
        if _is_repeated(situation, hunk, starts[0]):
            return Refusal("already_applied", number, (starts[0],))
    else:
        # Nothing says where the lines belong.
        if dialect.insertion != "or_at_end":
            return Refusal("no_context", number)
        starts = [end]
        notes += ("inserted_at_end",)
    if dialect.insertion == "never":
        return Refusal("no_context", number)
    option = Candidates(number, hunk, [Place(hunk, start, "exact", notes) for start in starts])
    option.is_appended = not is_for_end and anchor_lines is None
    return option


def _is_repeated(situation: Situation, hunk: Hunk, start: int) -> bool:
    """Whether the first place counts and the lines that a hunk adds are already there."""
    dialect = situation.dialect
    counts_first = dialect.refuse_repeats and dialect.several == "first"
    if not counts_first or not any(map(is_distinctive, hunk.added)):
        return False
    return situation.text.body.startswith("".join([line + "\n" for line in hunk.added]), start)
