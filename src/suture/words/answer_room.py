"""How the problems of one update share the room of one answer."""

from __future__ import annotations

from ..core.readers import PYTHON
from .message_limits import ANSWER_ROOM
from .message_lines import size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .edit_phrases import PlacementCause


def share_room(causes: Sequence[PlacementCause]) -> list[PlacementCause]:
    """The causes, of which those that need too much room get the same share of it."""
    # Other readers' names are about as long.
    sizes = [size_of(f"{cause.message(PYTHON)}\n{cause.hint(PYTHON)}") for cause in causes]
    share = fair_share(sizes, ANSWER_ROOM)
    return [
        cause if size <= share else cause.replace(subject=cause.subject.replace(room=share))
        for cause, size in zip(causes, sizes, strict=True)
    ]


def fair_share(sizes: Sequence[int], room: int) -> int:
    """The most that each of some texts may take so that all fit: what short ones leave is for the others."""
    share = room
    for number, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - number)
        if size > share:
            break
        room -= size
    else:
        return max(sizes, default=room)
    return share
