"""What has changed in the list of requests since a page looked last, so that it need not fetch all of it again."""

from __future__ import annotations

from secrets import token_hex

from ..core.fork_lock import ForkLock
from .review_limits import MOST_GONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class ListChanges:
    """The list as it is known, with a number for each change of it."""

    def __init__(self) -> None:
        #: Marks of another run of the server mean nothing here.
        self._run = token_hex(4)
        self._number = 0
        self._rows: dict[str, tuple[int, Mapping[str, Any]]] = {}
        self._gone: dict[str, int] = {}
        #: The number of the oldest change that is still known.
        self._oldest = 0
        self._lock = ForkLock()

    def since(self, mark: str, look: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
        """The rows that are new or different since a mark, the ids that have gone, and the mark for the next time.

        `look` returns the list as it is now; of two looks, the later one is taken last. `is_whole` says that the rows
        are all there are, since the mark is unknown or too old.
        """
        with self._lock:
            rows = look()
            self._take(rows)
            known = self._number_of(mark)
            if known is None:
                return {"requests": rows, "gone": [], "is_whole": True, "mark": self._mark}
            fresh = [row for row in rows if self._rows[row["id"]][0] > known]
            gone = [name for name, number in self._gone.items() if number > known]
            return {"requests": fresh, "gone": gone, "is_whole": False, "mark": self._mark}

    @property
    def _mark(self) -> str:
        return f"{self._run}-{self._number}"

    def _number_of(self, mark: str) -> int | None:
        run, _, number = mark.partition("-")
        if run != self._run or not number.isdecimal() or len(number) > 12:
            return None
        return int(number) if self._oldest <= int(number) <= self._number else None

    def _take(self, rows: list[dict[str, Any]]) -> None:
        self._number += 1
        now = {row["id"]: row for row in rows}
        for name in self._rows.keys() - now.keys():
            del self._rows[name]
            self._gone[name] = self._number
        for name, row in now.items():
            self._gone.pop(name, None)
            if name not in self._rows or self._rows[name][1] != row:
                self._rows[name] = self._number, row
        while len(self._gone) > MOST_GONE:
            self._oldest = self._gone.pop(next(iter(self._gone)))
