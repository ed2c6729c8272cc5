"""That a path may not be touched, by the globs of the workspace."""

from __future__ import annotations

from ..core.common_limits import LONGEST_PATH
from ..core.paths import escape_glob, visible_path
from ..core.problems import Cause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.readers import Reader


class UnlistedPath(Cause):
    """A path is not among the allowed ones; `named` is how messages name it, with the links that it leads through."""

    path: str
    named: str

    reason = "not_allowed"

    def message(self, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """Which path it is."""
        return f"{self.named} may not be touched: it is not among the allowed paths."

    def hint(self, reader: Reader) -> str:
        """How the user can allow it."""
        return reader.denied.format(way=reader.allow)

    @property
    def details(self) -> Mapping[str, object]:
        """The path as it was written."""
        return {"path": self.path[:LONGEST_PATH], "reason": self.reason}


class DeniedPath(Cause):
    """A path matches a glob that denies it.

    `relative` is the path from its root, and `by_default` the globs that deny it unless they are lifted.
    """

    path: str
    named: str
    glob: str
    relative: str = ""
    by_default: Sequence[str] = ()

    reason = "denied"

    def message(self, reader: Reader) -> str:  # noqa: ARG002
        """Which path it is, and which glob."""
        return f"{self.named} may not be touched: it matches {self.glob}, which is denied."

    def hint(self, reader: Reader) -> str:
        """How the user can allow it."""
        way = reader.deny
        if self.by_default:
            way = reader.lift.format(path=visible_path(escape_glob(self.relative)), globs=list(self.by_default))
        return reader.denied.format(way=way)

    @property
    def details(self) -> Mapping[str, object]:
        """The path as it was written, and the glob."""
        return {"path": self.path[:LONGEST_PATH], "reason": self.reason, "glob": self.glob}
