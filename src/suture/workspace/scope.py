"""What a workspace plans with: its files, which of them may be touched, and how texts are treated. It only reads."""

from __future__ import annotations

import errno
from contextlib import suppress

from ..core.dialect import STANDARD, dialect_named
from ..core.file_errors import failure
from ..core.fingerprint import fingerprint
from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import copied
from .files.file_system import FileContent, problem_of
from .guard import Guard
from .patch_planner import PatchPlanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from ..core.dialect import Dialect
    from ..core.outcome import Plan
    from ..core.patch import Operation, Patch
    from .files.file_system import Files
    from .guard import PathCheck
    from .overlay import Settings


class Scope:
    """Makes plans for the files of a workspace."""

    def __init__(
        self,
        files: Files,
        dialect: Dialect,
        settings: Settings,
        *,
        allow: Iterable[str],
        deny: Iterable[str],
        lift: Iterable[str],
        hard_links: bool,
        relative_to: str,
    ) -> None:
        self.files = files
        self.dialect = dialect
        self.settings = settings
        globs = {"allow": tuple(allow), "deny": tuple(deny), "lift": tuple(lift)}
        #: The guard of dialects that accept absolute paths, and of those that don't.
        self._guards = {
            absolute: Guard(files, hard_links=hard_links, allow_absolute=absolute, relative_to=relative_to, **globs)
            for absolute in (True, False)
        }

    def restricted(self, check: PathCheck, passed: Container[str]) -> Scope:
        """The same, where paths must also pass a check."""
        other = copied(self)
        other._guards = {absolute: guard.restricted(check, passed) for absolute, guard in self._guards.items()}  # noqa: SLF001
        return other

    def over(self, files: Files) -> Scope:
        """The same for other files below the same roots."""
        other = copied(self)
        other.files = files
        other._guards = {absolute: guard.over(files) for absolute, guard in self._guards.items()}  # noqa: SLF001
        return other

    def dialect_or_own(self, dialect: str | Dialect | None) -> Dialect:
        """The dialect of that name, or the workspace's own."""
        return self.dialect if dialect is None else dialect_named(dialect)

    def guard(self, dialect: Dialect | None = None) -> Guard:
        """Which paths may be touched: by patches of a dialect, or by everything else."""
        return self._guards[(dialect or STANDARD).absolute_paths]

    def planner(self, dialect: Dialect | None = None, expected: Mapping[str, str] | None = None) -> PatchPlanner:
        """A planner for one plan: of a patch in a dialect, or of anything else, which no dialect concerns."""
        dialect = dialect or STANDARD
        planner = PatchPlanner(self.files, self.guard(dialect), dialect, self.settings)
        if expected:
            planner.expect(expected)
        return planner

    def read(self, path: str) -> FileContent:
        """The content of a file as it is now.

        Raises:
            PatchRejectedError: there is no such file, it may not be touched, or it is not a regular file.
        """
        resolved = self.guard().resolve(path)
        content = self.planner().look(resolved)
        if content is None:
            raise PatchRejectedError([problem_of(failure(errno.EISDIR, resolved.path), resolved.shown)])
        text = None
        with suppress(PatchRejectedError):  # it is not text
            encoding = self.settings.encoding_of(self.guard().shown(resolved.path))
            text = Text(content, encoding, resolved.shown).body
        return FileContent(resolved.shown, content, text, fingerprint(content))

    def with_existing_paths(self, patch: Patch, dialect: Dialect) -> Patch:
        """A patch with paths as the files have them: with slashes, and in a unified diff without other directories.

        The operations of a diff are put in an order in which each finds the files that it is about.
        """
        has_backslashes = dialect.lenient and any("\\" in one.path for one in patch.operations)
        if not has_backslashes and patch.form != "unified":
            return patch
        from .operation_order import order_moves
        from .strip_paths import slash_paths, strip_paths

        if has_backslashes:
            patch = slash_paths(patch, self.guard(dialect))
        if patch.form != "unified":
            return patch
        if patch.strip is None:
            patch = strip_paths(patch, self.guard(dialect))
        return order_moves(patch, self.guard(dialect))

    def plan(
        self, patch: Patch, text: str, dialect: Dialect, expected: Mapping[str, str] | None, *, atomic: bool = True
    ) -> Plan:
        """What a patch would do; `text` is what the history keeps of it."""
        return _plan(self.planner(dialect, expected), patch, text, atomic=atomic)

    def plan_each(
        self, patch: Patch, text: str, dialect: Dialect, expected: Mapping[str, str] | None
    ) -> Iterator[Plan]:
        """A plan for each operation of a patch, made once the plans before it are committed."""
        first: dict[str, Operation] = {}
        for operation in patch.operations:
            planner = self.planner(dialect, expected)
            planner.named = first
            expected = None
            yield _plan(planner, patch.replace(operations=(operation,)), text).replace(atomic=False)


def _plan(planner: PatchPlanner, patch: Patch, text: str, *, atomic: bool = True) -> Plan:
    planner.patch(patch, atomic=atomic)
    return planner.plan(text, "apply_patch", patch.concessions).replace(atomic=atomic)
