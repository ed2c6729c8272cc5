"""What hunks are placed in, the places that were found for each, and why there is none, all as values for `explain`."""

from __future__ import annotations

from time import monotonic

from ..core.search_budget import SearchBudget
from ..core.value import Value
from .limits import MANY_HUNKS, MOST_PLACES, READS_PER_SEARCH
from .readings import normalize, pass_anchors_on
from .scopes import ScopeReader
from .search import line_index
from .tiers import FOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.text import Text
    from .place import Place


class Refusal(Value):
    """Why one hunk or edit has no place. Its kind and its rule are rows of the table of answers."""

    kind: str
    #: The number of the hunk, from 0.
    number: int = 0
    #: The offsets of its places, of what is there already, or of the two ends of a place that is too long.
    starts: tuple[int, ...] = ()
    #: The tier or the replacer that found them, and the name of the rule that forbids the place.
    tier: str = ""
    rule: str = ""
    #: The anchor that is missing, or the reading of an edit that is not unique.
    text: str = ""
    #: The number of another hunk that is in the way.
    other: int = -1
    #: The offsets of places that speak against those, and whether there may be more of both.
    others: tuple[int, ...] = ()
    cut_short: bool = False
    #: The scope of the anchor that the places are outside of, as two offsets.
    scope: tuple[int, int] = (0, 0)


class Candidates:
    """The places where one hunk may go, and those that a constraint left out."""

    def __init__(self, number: int, hunk: Hunk, places: list[Place]) -> None:
        self.number = number
        self.hunk = hunk
        self.places = places
        #: The one that was chosen, after all hunks were arranged.
        self.place = places[0]
        #: Whether it is inside the block of an anchor, and whether there may be more.
        self.anchored = False
        #: Whether it only adds lines, and nothing says that they belong at the end but that they belong nowhere else.
        self.is_appended = False
        self.cut_short = len(places) >= MOST_PLACES
        self.left_out: tuple[int, ...] = ()

    def keep(self, places: Sequence[Place]) -> None:
        """Leave out all places but these."""
        kept_starts = {place.start for place in places}
        self.left_out += tuple([place.start for place in self.places if place.start not in kept_starts])
        self.places = list(places)

    def refused(self, rule: str = "") -> Refusal:
        """The refusal of a hunk that has several places, or one that the rule forbids."""
        starts, tier = tuple([place.start for place in self.places]), self.places[0].tier
        return Refusal("several", self.number, starts, tier, rule, others=self.left_out, cut_short=self.cut_short)


class Situation:
    """What a hunk is placed in: the text, all hunks of the update, and the dialect. Explanations need the same."""

    def __init__(
        self,
        text: Text,
        hunks: Sequence[Hunk],
        dialect: Dialect,
        seconds: float,
        first: int = 0,
        count: int = 0,
        is_pristine: bool | None = None,
        budget: SearchBudget | None = None,
    ) -> None:
        self.text = text
        #: What the searches for all hunks of the update may cost.
        self.budget = budget or SearchBudget()
        #: The hunk that was looked for last.
        self.latest = 0
        #: Whether the file is the one that the hunks were made for; None where nothing tells it.
        self.is_pristine = is_pristine
        #: The hunks as they were written, and as they are placed.
        self.written = hunks
        self.hunks = tuple(pass_anchors_on([normalize(hunk) for hunk in hunks]) if dialect.cautious else hunks)
        self.dialect = dialect
        self.deadline = monotonic() + seconds
        #: The number of the first of these hunks among all of the update, and how many there are.
        self.first = first
        self.count = count or len(hunks)
        self._scopes: ScopeReader | None = None
        self._folded_lines: frozenset[str] | None = None
        #: Where each line of the text is, if there are so many hunks that it pays.
        self.index = line_index(text.body) if len(hunks) > MANY_HUNKS else None

    @property
    def scopes(self) -> ScopeReader:
        """What reads the scopes of anchors in the text."""
        if self._scopes is None:
            # Most updates never need it, and it takes time to load.

            self._scopes = ScopeReader(self.text.body, self.text.path)
        return self._scopes

    @property
    def folded_lines(self) -> frozenset[str]:
        """The lines of the text without what differs between tiers."""
        if self._folded_lines is None:
            self._folded_lines = frozenset(map(FOLDS["whitespace"], self.text.lines))
        return self._folded_lines

    def is_below_heading(self, offset: int, heading: str) -> bool:
        """Whether a line may be below a heading, as diffs name it."""
        is_below = self.scopes.is_below_heading(offset, heading)
        self.spend_on_scopes()
        return is_below

    def spend_on_scopes(self) -> None:
        """Count what was read to know scopes, line by line."""
        if self._scopes is not None:
            self.budget.spend(READS_PER_SEARCH * self._scopes.take_read())
