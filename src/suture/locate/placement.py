"""What hunks are placed in, and the places that were found for each."""

from __future__ import annotations

from time import monotonic

from .limits import MANY_HUNKS, MOST_PLACES
from .readings import normalize, pass_anchors_on
from .search import line_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.text import Text
    from .place import Place


class Candidates:
    """The places where one hunk may go, and those that a constraint left out."""

    __slots__ = ("anchored", "cut_short", "hunk", "left_out", "number", "place", "places")

    def __init__(self, number: int, hunk: Hunk, places: list[Place]) -> None:
        self.number = number
        self.hunk = hunk
        self.places = places
        #: The one that was chosen, after all hunks were arranged.
        self.place = places[0]
        #: Whether it is inside the block of an anchor.
        self.anchored = False
        #: Whether there may be more.
        self.cut_short = len(places) >= MOST_PLACES
        self.left_out: Sequence[int] = ()

    def rivals(self) -> list[int]:
        """The offsets of all places that fitted, the chosen one among them."""
        return [*(place.start for place in self.places), *self.left_out]


class Situation:
    """What a hunk is placed in: the text, all hunks of the update, and the dialect. Explanations need the same."""

    __slots__ = ("_copies", "count", "deadline", "dialect", "first", "hunks", "index", "text", "written")

    def __init__(
        self,
        text: Text,
        hunks: Sequence[Hunk],
        dialect: Dialect,
        seconds: float,
        first: int = 0,
        count: int | None = None,
    ) -> None:
        #: The number of the first of these hunks among all of the update, and how many there are.
        self.first = first
        self.count = len(hunks) if count is None else count
        self.text = text
        #: The hunks as they were written, and as they are placed.
        self.written = hunks
        self.hunks = tuple(pass_anchors_on([normalize(hunk) for hunk in hunks]) if dialect.cautious else hunks)
        self.dialect = dialect
        self.deadline = monotonic() + seconds
        self._copies: dict[tuple[str, ...], int] = {}
        #: Where each line of the text stands, where there are so many hunks that it pays.
        self.index = line_index(text.body) if len(hunks) > MANY_HUNKS else None

    def copies(self, hunk: Hunk) -> int:
        """How often the same lines were given as a hunk."""
        if not self._copies:
            for other in self.hunks:
                self._copies[other.lines] = self._copies.get(other.lines, 0) + 1
        return self._copies[hunk.lines]
