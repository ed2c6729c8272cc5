"""The half of a workspace that only reads: where it is, what may be touched there, and plans.

A plan says all that a patch or an edit would do, with all its problems. `Workspace` is this and what writes.
"""

from __future__ import annotations

import os

from ..core.dialect import dialect_named
from ..core.patch import DeleteFile, Patch, UpdateFile
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..core.text import MAX_SIZE
from ..format.envelope import parse
from .files import problem_of
from .guard import Guard
from .overlay import Settings
from .planner import Planner
from .state_folder import INSIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias, TypedDict

    from ..core.dialect import Dialect
    from ..core.patch import Operation
    from .files import Files
    from .outcome import Plan

    Expected: TypeAlias = Mapping[str, str] | None

    class Choices(TypedDict, total=False):
        """What a workspace hands on to the half of it that only reads."""

        dialect: str | Dialect
        extra_roots: Iterable[str | os.PathLike[str]]
        allow: Iterable[str]
        deny: Iterable[str]
        lift: Iterable[str]
        hard_links: bool
        encoding: str | None
        max_size: int
        allow_control: bool
        allow_placeholders: bool


class Plans:
    """A folder, or `MemoryFiles`, in which patches and edits are planned; nothing is ever written."""

    def __init__(
        self,
        root: str | os.PathLike[str] | Files,
        *,
        dialect: str | Dialect = "standard",
        extra_roots: Iterable[str | os.PathLike[str]] = (),
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        lift: Iterable[str] = (),
        hard_links: bool = True,
        encoding: str | None = None,
        max_size: int = MAX_SIZE,
        allow_control: bool = False,
        allow_placeholders: bool = False,
    ) -> None:
        self.dialect = dialect_named(dialect)
        self.files = _files(root, extra_roots)
        self.root = self.files.roots[0]
        self._settings = Settings(
            encoding=encoding, max_size=max_size, allow_control=allow_control, allow_placeholders=allow_placeholders
        )
        globs = {"allow": tuple(allow), "deny": (*deny, *self._own_folders()), "lift": tuple(lift)}
        self._guards = {
            absolute: Guard(self.files, hard_links=hard_links, allow_absolute=absolute, **globs)
            for absolute in (True, False)
        }

    def plan(
        self, patch: str | Patch, *, dialect: str | Dialect | None = None, expected_sha256: Expected = None
    ) -> Plan:
        """What a patch would do, with all its problems. `expected_sha256` holds files to what the caller knows.

        Raises:
            PatchInvalidError: the patch can't be read.
        """
        chosen = self.chosen(dialect)
        parsed, text = parsed_patch(patch, chosen)
        self.ready()
        return self.plan_operations(parsed.operations, parsed, text, chosen, expected_sha256)

    def plan_edit(
        self, path: str, old: str, new: str, *, replace_all: bool = False, expected_sha256: Expected = None
    ) -> Plan:
        """What a string edit would do; an empty `old` makes the file."""
        self.ready()
        planner = self.planner(self.dialect, expected_sha256)
        planner.edit(path, old, new, replace_all=replace_all)
        return planner.plan(_edit_text(path, [(old, new)]), "edit")

    def plan_multiedit(
        self,
        path: str,
        edits: Iterable[Any],
        *,
        against: Literal["result", "original"] = "result",
        expected_sha256: Expected = None,
    ) -> Plan:
        """What a list of string edits of one file would do."""
        self.ready()
        planner = self.planner(self.dialect, expected_sha256)
        listed = list(edits)
        planner.multiedit(path, listed, against)
        return planner.plan(_edit_text(path, listed), "multiedit")

    def plan_write(self, path: str, content: str | bytes, *, expected_sha256: Expected = None) -> Plan:
        """What writing a whole file would do. A text takes the BOM, encoding and line endings that the file has."""
        self.ready()
        planner = self.planner(self.dialect, expected_sha256)
        planner.write(path, content)
        return planner.plan(f"write {path}", "write")

    def plan_delete(self, path: str, *, expected_sha256: Expected = None) -> Plan:
        """What deleting a file would do."""
        self.ready()
        planner = self.planner(self.dialect, expected_sha256)
        planner.operations([DeleteFile(path)])
        return planner.plan(f"delete {path}", "delete")

    def plan_move(self, path: str, to: str, *, expected_sha256: Expected = None) -> Plan:
        """What giving a file another name would do."""
        self.ready()
        planner = self.planner(self.dialect, expected_sha256)
        planner.operations([UpdateFile(path, (), to)])
        return planner.plan(f"move {path} -> {to}", "move")

    def _own_folders(self) -> tuple[str, ...]:
        """Globs of the folders in the workspace that are Suture's own, and that no patch may reach."""
        return (INSIDE,)

    def ready(self) -> None:
        """Whatever has to be done before the files can be trusted: nothing, where nothing is ever written."""

    def chosen(self, dialect: str | Dialect | None) -> Dialect:
        """The dialect that was asked for, or the workspace's own."""
        return self.dialect if dialect is None else dialect_named(dialect)

    @property
    def encoding(self) -> str | None:
        """The encoding of texts that are neither UTF-8 nor begin with a BOM."""
        return self._settings.encoding

    def guard(self, dialect: Dialect | None = None) -> Guard:
        """Which paths may be touched."""
        return self._guards[(dialect or self.dialect).absolute_paths]

    def planner(self, dialect: Dialect, expected_sha256: Expected = None) -> Planner:
        """A plan in the making."""
        planner = Planner(self.files, self.guard(dialect), dialect, self._settings)
        if expected_sha256:
            planner.expect(expected_sha256)
        return planner

    def plan_operations(
        self,
        operations: Sequence[Operation],
        parsed: Patch,
        text: str,
        dialect: Dialect,
        expected_sha256: Expected,
        named: dict[str, Operation] | None = None,
    ) -> Plan:
        """What some operations of a patch would do. `named` has the paths of those before them, and is added to."""
        planner = self.planner(dialect, expected_sha256)
        if named is not None:
            planner.named = named
        planner.operations(operations)
        return planner.plan(text, "apply_patch", parsed.concessions)


def _files(root: str | os.PathLike[str] | Files, extra_roots: Iterable[str | os.PathLike[str]]) -> Files:
    if isinstance(root, str | os.PathLike):
        from .disk import DiskFiles

        try:
            return DiskFiles([os.path.expanduser(os.fspath(one)) for one in (root, *extra_roots)])
        except OSError as error:
            raise PatchRejectedError([problem_of(error, str(error.filename or os.fspath(root)))]) from error
    return root


def parsed_patch(patch: str | Patch, dialect: Dialect) -> tuple[Patch, str]:
    """The patch and its text, whichever was given."""
    if isinstance(patch, Patch):
        from ..format.writer import render

        if not patch.operations:
            raise PatchInvalidError([Problem("patch_parse_error", "The patch has no sections, so it says nothing.")])
        try:
            return patch, render(patch)
        except ValueError:
            # No envelope can say it; the history keeps it as it is.
            return patch, repr(patch)
    return parse(patch, dialect), patch


def _edit_text(path: str, edits: Sequence[object]) -> str:
    """A string edit as the history keeps it."""
    from json import dumps

    from .outcome import to_data

    return dumps({"path": path, "edits": to_data(edits)}, ensure_ascii=False, default=str)
