"""A string edit or a whole file × files → a `Plan`: reads, never writes. `patch_planner` does the same for patches.

Everything runs in memory, in order, each edit on the result of those before it. Every file is read once, and the plan
has every problem. The result is the net effect: for each path, what it was and what it becomes.
"""

from __future__ import annotations

from ..core.outcome import Outcome, Plan
from ..core.patch import paths_of
from ..core.paths import folders_above
from ..core.problems import PatchRejectedError, Problem
from ..core.record import PlannedFile
from ..core.search_budget import OutOfBudgetError, SearchBudget
from ..core.string_edits import StringEdit
from ..core.text import characters_of, check_lines, check_size
from ..place.limits import READS_PER_SEARCH
from ..words.file_problems import stale_file
from ..words.remarks import EarlierEdit
from .changes import change_of
from .overlay import Overlay, refuse, refuse_control, refuse_placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from ..core.dialect import Dialect
    from ..core.edit_options import EditOptions
    from ..core.outcome import Change, Kind
    from ..core.patch import ChangeFile, Concession, Operation, Patch
    from ..core.record import Snapshot
    from ..core.string_edits import AppliedEdit
    from ..place.edited_file import EditedContent
    from .files.file_system import Files
    from .guard import Guard, ResolvedPath
    from .numbered_changes import NumberedChanges
    from .overlay import OverlayNode, Settings

    State: TypeAlias = tuple[Snapshot, bytes | None]

#: The codes of problems that show lines of a file.
_ABOUT_LINES = ("patch_apply_error", "multiple_matches", "old_text_not_found")


class Planner:
    """Makes one plan."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        self._guard = guard
        self._dialect = dialect
        self._settings = settings
        self._overlay = Overlay(files, guard, dialect, settings)
        self._changes: list[Change] = []
        self._problems: list[Problem] = []
        #: What all edits of the plan may cost together, and whether they cost more.
        self._budget = SearchBudget()
        self._is_out_of_budget = False
        #: The SHA-256 of files that the caller knows.
        self._expected: dict[str, str] = {}
        #: The lines that changes by line numbers have touched.
        self._numbers: NumberedChanges | None = None
        #: The file of the current operation of a patch.
        self._source: ResolvedPath | None = None
        #: What was sent, as values.
        self._sent: Patch | tuple[StringEdit, ...] | None = None
        #: Each operation of a patch that was planned, and which of all changes and problems are its own.
        self._planned: list[tuple[Operation, slice, slice]] = []
        #: Whether the last of them failed and the plan ends before it.
        self._ends_before_failure = False

    def write(self, path: str, content: str | bytes) -> None:
        """Plan to write a whole file. A text takes the line endings, the BOM and the encoding of the file."""
        self._attempt(self._write, path, content)

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> None:
        """Plan a string edit. An empty `old` creates the file."""
        self._attempt(self._edit, path, old, new, replace_all)

    def multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        """Plan several string edits of one file."""
        self._attempt(self._multiedit, path, edits, against)

    def expect(self, expected: Mapping[str, str]) -> None:
        """Require that files have the SHA-256 that the caller knows; empty for a file that must not exist."""
        for path, digest in expected.items():
            self._attempt(self._expect, path, digest)

    def look(self, resolved: ResolvedPath) -> bytes | None:
        """The content of a file; None for a directory.

        Raises:
            PatchRejectedError: it does not exist, or is not a regular file.
        """
        node = self._overlay.node(resolved.path)
        if node.now.kind == "folder":
            return None
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        return node.content or b""

    def paths(self, operations: Sequence[Operation]) -> list[str]:
        """The paths to lock for operations: all that they touch, as far as they can be resolved."""
        paths: dict[str, None] = {}
        for text in paths_of(operations):
            for path in (text, *shorter_paths(text)):
                try:
                    resolved = self._guard.resolve(path)
                except PatchRejectedError:
                    # The plan reports it.
                    continue
                paths |= {resolved.name: None, resolved.path: None}
        return list(paths)

    def plan(self, patch: str, tool: str, concessions: Sequence[Concession] = ()) -> Plan:
        """The plan of all operations so far."""
        plan = Plan(
            tuple(self._changes),
            tuple(self._problems),
            concessions=tuple(concessions),
            patch=patch,
            tool=tool,
            cwd=self._guard.cwd,
            sent=self._sent,
            outcomes=self._outcomes(),
            contents=self._overlay.contents(),
        )
        if plan.problems and not self._ends_before_failure:
            return plan
        nodes = [node for node in self._overlay.nodes.values() if node.is_changed]
        files = [self._planned_file(node) for node in nodes]
        # A later operation may have removed what a directory was needed for.
        needed = folders_above({file.path for file in files if file.after.kind != "absent"})
        folders = tuple(sorted(needed.intersection(self._overlay.folders), key=len))
        return plan.replace(problems=(), files=tuple(files), folders=folders)

    def _outcomes(self) -> tuple[Outcome, ...]:
        """What became of each operation of a patch."""
        return tuple(
            [
                Outcome(operation, tuple(self._changes[changes]), tuple(self._problems[problems]))
                for operation, changes, problems in self._planned
            ]
        )

    def _planned_file(self, node: OverlayNode) -> PlannedFile:
        """What becomes of one path of the plan, compared with what it was."""
        # A rename keeps all attributes of a file, but both paths must be free: the old one after, the new one before.
        source = self._overlay.nodes.get(node.moved_from)
        is_free = source is not None and source.now.kind == "absent" and node.before.kind == "absent"
        renamed = source if is_free else None
        has_new_content = renamed is None and node.now.kind == "file"
        return PlannedFile(
            path=node.path,
            shown=self._guard.shown(node.path),
            before=node.before,
            after=node.now,
            content=(node.content or b"") if has_new_content else b"",
            like=node.like,
            moved_from=node.moved_from if renamed is not None else "",
            was=node.was if renamed is None else renamed.was,
            encoding=self._overlay.encoding_of(node.like or node.path) or "",
        )

    def _attempt(self, action: Callable[..., None], *arguments: object) -> bool:
        if self._is_out_of_budget:
            return False
        try:
            action(*arguments)
        except OutOfBudgetError:
            self._is_out_of_budget = True
            self._problems.append(_too_much_work(self._source))
            return False
        except PatchRejectedError as rejected:
            self._problems += map(self._with_remarks, rejected.problems)
            return False
        return True

    def _with_remarks(self, problem: Problem) -> Problem:
        """The problem, with a remark if it shows lines that the disk does not have, or bytes that are no characters."""
        if problem.code not in _ABOUT_LINES:
            return problem
        problem = self._overlay.note_unknown_bytes(problem)
        node = self._source and self._overlay.nodes.get(self._source.path)
        if not node or node.before.kind != "file" or node.now == node.before:
            return problem
        return problem.replace(remarks=(*problem.remarks, EarlierEdit()))

    # Whole files and string edits.

    def _write(self, path: str, content: str | bytes, *, check: bool = False) -> None:
        """Write a whole file; `check` refuses a text in which something was left out."""
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            self._overlay.add_parents(resolved, resolved.path)
        else:
            self._overlay.check_file(resolved, node)
        if check and isinstance(content, str) and not self._settings.options.allow_placeholders:
            refuse_placeholder(content, node.content, resolved.shown)
        data = content if isinstance(content, bytes) else self._overlay.encode(content, resolved, node.content)
        if data == node.content:
            refuse("no_change", resolved.shown, f"{resolved.shown} already has this content.", "Nothing to do.")
        check_size(data, resolved.shown, self._settings.options.max_size)
        # Bytes are what the host wants, also if they are not text.
        origin = data if isinstance(content, bytes) else None
        self._write_content(resolved, node, data, origin=origin)

    def _edit(self, path: str, old: str, new: str, replace_all: bool) -> None:
        # That a single edit was applied before is an error, whatever lists of edits may skip.
        options = self._settings.options.replace(skip_applied=False)
        self._make_edits(path, [StringEdit(old, new, replace_all)], options)

    def _multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        self._make_edits(path, edits, self._settings.options, against)

    def _make_edits(
        self,
        path: str,
        edits: Sequence[Any],
        options: EditOptions,
        against: Literal["result", "original"] = "result",
    ) -> None:
        """Make the string edits of a plan that has only these. The budget of their searches is their own."""
        from ..place.edited_file import edit_file
        from ..place.replace import read_edits

        sent = tuple(read_edits(edits, path))
        self._sent = sent
        resolved, node = self._resolve_for_edit(path, sent)
        if node.failed:
            return
        options = options.replace(encoding=self._overlay.encoding_of(resolved.path))
        edited = edit_file(node.content or b"", sent, path=resolved.shown, options=options, against=against)
        self._write_edited(resolved, node, edited)

    def _write_edited(
        self, resolved: ResolvedPath, node: OverlayNode, edited: EditedContent, concessions: tuple[Concession, ...] = ()
    ) -> None:
        """Give a file the content after string edits; `concessions` are those in what was sent."""
        self._write_content(resolved, node, edited.content, edited.edits)
        self._changes[-1] = self._changes[-1].replace(concessions=(*concessions, *edited.concessions))

    def _change_file(self, operation: ChangeFile, resolved: ResolvedPath, concessions: tuple[Concession, ...]) -> None:
        """Change a file by line numbers and the like; text to append, and code without markers, create a file."""
        from ..core.text_changes import AppendText, ChangeCell
        from ..place.change_text import change_text, is_whole_file, reads_of
        from .numbered_changes import NumberedChanges

        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind != "absent":
            self._overlay.check_file(resolved, node)
        elif isinstance(operation.change, AppendText):
            self._overlay.add_parents(resolved, resolved.path)
        elif is_whole_file(operation.change, resolved.shown):
            self._write(operation.path, operation.change.text, check=True)
            return
        else:
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        options, path = self._options(resolved), resolved.shown
        now = node.content or b""
        before = now if node.now is node.before else node.was or b""
        # The number of a cell is about the notebook before the plan.
        is_cell = isinstance(operation.change, ChangeCell)
        is_known = bool(self._expected.get(resolved.path)) and (before == now or not is_cell)
        numbers = self._numbers = self._numbers or NumberedChanges()
        touched = numbers.check(resolved.path, path, operation.change, (before, now), options.encoding)
        self._budget.spend(reads_of(operation.change, len(node.content or b"")))
        changed = change_text(now, operation.change, path=path, options=options, is_known=is_known)
        self._write_content(resolved, node, changed.text)
        numbers.note(resolved.path, changed.text, touched)
        self._changes[-1] = self._changes[-1].replace(concessions=(*concessions, *changed.concessions))

    def _options(self, resolved: ResolvedPath) -> EditOptions:
        """The options for edits of a file, with its encoding."""
        encoding, options = self._overlay.encoding_of(resolved.path), self._settings.options
        return options if encoding == options.encoding else options.replace(encoding=encoding)

    def _resolve_for_edit(self, path: str, edits: Sequence[StringEdit]) -> tuple[ResolvedPath, OverlayNode]:
        """The file of some edits. If the first one has no old text, it creates the file."""
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        if node.failed:
            return resolved, node
        if node.now.kind != "absent":
            self._overlay.check_file(resolved, node)
        elif not edits[0].old:
            self._overlay.add_parents(resolved, resolved.path)
        else:
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        return resolved, node

    def _write_content(
        self,
        resolved: ResolvedPath,
        node: OverlayNode,
        after: bytes,
        edits: tuple[AppliedEdit, ...] = (),
        *,
        origin: bytes | None = None,
    ) -> None:
        check_lines(after, resolved.shown, is_new=True)
        before = node.state
        node.write(after)
        kind: Kind = "add" if before[0].kind == "absent" else "update"
        self._changes.append(self._change(kind, resolved, before, node, origin=origin).replace(edits=edits))

    def _change(
        self,
        kind: Kind,
        resolved: ResolvedPath,
        before: State,
        node: OverlayNode,
        move_to: ResolvedPath | None = None,
        *,
        origin: bytes | None = None,
    ) -> Change:
        """The change that an operation has made to a node, which is behind a link where its name is another.

        Every operation ends here, so this is where a control character that it adds is refused: one that is neither
        in the content before nor in `origin`, the content that the new one was made from where that is another.
        """
        names, to = [resolved.name], ""
        if move_to is not None:
            names, to = [resolved.name, move_to.name], move_to.shown
        target = "" if node.path in names else self._guard.shown(node.path)
        # A file that is moved has the encoding of its old path.
        encoding = self._overlay.encoding_of(
            resolved.name if move_to is not None and node.path == move_to.name else node.path
        )
        known = before[1] if origin is None else origin
        if node.content and node.content != known and not self._settings.options.allow_control:
            refuse_control(characters_of(node.content, encoding), known, encoding, self._guard.shown(node.path))
        after = node.state
        change = change_of(kind, resolved.shown, before, after, move_to=to, target=target, encoding=encoding)
        contents = len(before[1] or b"") + len(after[1] or b"")
        # Many changed lines take as long as a search, and memory for as long as the plan is there.
        self._budget.spend(contents + READS_PER_SEARCH * change.size)
        return change

    def _count_searches(self, content: bytes, loose: int) -> None:
        """Count edits of a file that were not found exactly, so that the file was searched for each of them."""
        self._budget.spend(READS_PER_SEARCH * len(content) * loose)

    # Checks.

    def _expect(self, path: object, digest: object) -> None:
        if not isinstance(path, str) or not isinstance(digest, str):
            message = f"A path and its SHA-256 are texts; found {path!r:.40} and {digest!r:.40}."
            hint = "Use the SHA-256 of the file, or an empty text for a file that must not exist."
            refuse("invalid_arguments", path if isinstance(path, str) else "", message, hint)
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        self._expected[resolved.path] = digest
        if node.before.sha256 != digest.lower() and not node.failed:
            self._overlay.fail(resolved.path)
            raise PatchRejectedError([stale_file(resolved.shown, digest, node.before.sha256)])


def _too_much_work(source: ResolvedPath | None) -> Problem:
    """The problem of a patch whose operations cost too much."""
    display_path = "" if source is None else source.shown
    file = display_path or "this file"
    message = f"The patch was not planned beyond {file}: its edits need too many searches in large files."
    hint, reason = "Send several smaller patches.", "search_budget"
    return Problem("timeout", message, display_path, None, {"path": display_path}, hint, reason=reason)


def shorter_paths(path: str) -> tuple[str, ...]:
    """A path without the `a/` or `b/` of a diff, if it has one."""
    return (path[2:],) if path[:2] in ("a/", "b/") and len(path) > 2 else ()
