"""The tools that a model calls: what each of them plans, shows and answers.

A `ToolCall` is one call. How a call is checked, asked for and committed is the same for all tools, see `steps`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.display import encodable
from ..core.patch import paths_of
from ..core.paths import visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.string_edits import StringEdit
from ..core.text_changes import InsertDefinition, ReplaceDefinition, ReplaceLines, Sketch
from ..format.envelope import parse_envelope
from ..place.replace import read_edits
from ..workspace.shell_commands import invocation_folder, rebase_patch
from .agent_limits import MOST_CHARACTERS_OF_DIFF, MOST_HISTORY_ROWS
from .file_search import FileSearch, glob_text, grep_text
from .insertion import plan_insert
from .isolated_calls import merged_isolation
from .numbered_lines import plan_change, plan_numbered
from .queues import paths_to_lock
from .read_access import ReadAccess, may_be_named, readable_changes
from .result import Result, cap_output
from .steps import CallSteps
from .threads import in_thread
from .view import view_file, view_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.outcome import Change, Plan, Receipt
    from ..core.text_changes import TextChange
    from ..format.invocations import Invocation
    from ..workspace.files.file_system import FileContent
    from ..workspace.guard import ResolvedPath
    from ..workspace.isolation import Isolation
    from .steps import PlanAndFailures


class ToolCall(CallSteps):
    """One call of a tool; its methods are the tools. They raise a `SutureError` if the call is refused."""

    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with numbered lines, or the names in a directory, and record the read."""
        # A directory may end with a slash, as it does in a listing.
        resolved = self.visible.guard().resolve(file_path.rstrip("/") or file_path)
        async with self.session.queues.turn([resolved.path]):
            await self.may_read(resolved)
            self.end_preview()
            return await in_thread(self._read, resolved, offset, limit)

    async def read_raw(self, file_path: str) -> FileContent:
        """The content of a file for the host, which counts as a read by the model."""
        resolved = self.visible.guard().resolve(file_path)
        async with self.session.queues.turn([resolved.path]):
            await self.may_read(resolved)
            content = await in_thread(self.visible.read, file_path)
            await in_thread(self.session.reads.note, resolved.path, content.content)
            return content

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self.change(
            [file_path], lambda: (self.visible.plan_write(file_path, content), ()), "File written."
        )

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""
        # Before the path is looked at: two empty texts neither create a file nor empty one.
        read_edits([StringEdit(old_string, new_string, replace_all)], file_path)

        def plan() -> PlanAndFailures:
            if not old_string and self.session.empty_old == "overwrite":
                return self.visible.plan_write(file_path, new_string), ()
            return self.visible.plan_edit(file_path, old_string, new_string, replace_all=replace_all), ()

        return await self.change([file_path], plan, "Edit applied successfully.")

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        read_edits(edits, file_path)
        return await self.change(
            [file_path],
            lambda: (self.visible.plan_multiedit(file_path, edits), ()),
            "All edits applied successfully.",
        )

    async def apply_patch(
        self,
        patch_text: str | Invocation,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch, or what `parse_invocation` found in a command. With `dry_run` only report what it would do.

        Without `atomic` it is applied up to the first section that fails.
        """
        if isinstance(patch_text, str):
            text, dialect = patch_text, self.workspace.dialect
            parsed, cwd = parse_envelope(text, dialect), self.access.guard.cwd
        else:
            text, dialect = patch_text.text, patch_text.dialect
            parsed, cwd = rebase_patch(patch_text, self.visible), invocation_folder(patch_text, self.visible)

        def make_plan() -> PlanAndFailures:
            expected, is_whole = expected_sha256_by_path, atomic or dry_run
            plan = self.visible.plan(parsed, dialect=dialect, text=text, expected_sha256=expected, atomic=is_whole)
            return plan.replace(atomic=atomic, cwd=cwd), plan.failures

        paths = list(filter(None, paths_of(parsed.operations)))
        if not dry_run:
            return await self.change(paths, make_plan, "", strict=False)
        names = self.names(paths, strict=False)
        async with self.session.queues.turn(paths_to_lock(names)):
            await self.enter(names)
            plan, _ = await in_thread(make_plan)
        if plan.problems:
            raise PatchRejectedError(plan.problems, plan)
        self.end_preview(plan)
        return self.answer("Nothing was changed. The patch would do this:", plan)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return await self.change([file_path], lambda: (self.visible.plan_delete(file_path), ()), "File deleted.")

    async def move(self, file_path: str, to_path: str) -> Result:
        """Move or rename a file."""
        return await self.change(
            [file_path, to_path], lambda: (self.visible.plan_move(file_path, to_path), ()), "File moved."
        )

    def _read(self, resolved: ResolvedPath, offset: int, limit: int) -> Result:
        """The lines of a file, or the names in a directory, as the session may see them."""
        content = self.visible.planner().look(resolved)
        if content is None:
            # Names below a directory that may be listed are shown, unless a rule denies them.
            text = view_folder(self.session.access.guard, resolved, offset, limit)
            return Result(visible_path(resolved.shown), cap_output(text), {"folder": True})
        try:
            view = view_file(
                content, resolved.shown, self.workspace.encoding_of(resolved.path), offset, limit, self.reader
            )
        except PatchRejectedError as refused:
            if refused.problems[0].code != "invalid_arguments":
                # That it is binary is all there is to know.
                self.session.reads.note(resolved.path, content)
            raise
        self.session.reads.note(resolved.path, content, view.whole_lines)
        metadata = {"first": view.first, "last": view.last, "of": view.of, "whole": view.is_whole}
        return Result(visible_path(resolved.shown), encodable(view.text), metadata)

    async def insert(self, file_path: str, content: str, line: int | None = None, after: str = "") -> Result:
        """Insert whole lines after a line number, or after the line with a text."""
        if (line is None) == (not after):
            hint = "Send line, the number of the line to insert after, or after, a text that occurs exactly once."
            message = "insert needs exactly one of line and after."
            raise PatchRejectedError([Problem("invalid_arguments", message, details={"argument": "line"}, hint=hint)])

        if line is not None:
            self.count_lines()

        def plan() -> PlanAndFailures:
            return plan_insert(self.visible, self.session.reads, file_path, content, line, after), ()

        return await self.change([file_path], plan, "Lines inserted.")

    async def replace_lines(
        self,
        file_path: str,
        start_line: int,
        end_line: int,
        content: str,
        start_text: str = "",
        end_text: str = "",
    ) -> Result:
        """Replace lines by their numbers, as the session has shown them."""
        change = ReplaceLines(content, start_line, end_line, start_text or None, end_text or None)
        self.count_lines()

        def plan() -> PlanAndFailures:
            return plan_numbered(self.visible, self.session.reads, file_path, change, tool="replace_lines"), ()

        return await self.change([file_path], plan, "Lines replaced.")

    async def replace_definition(self, file_path: str, name: str, content: str, renames: bool = False) -> Result:
        """Replace a whole function, method or class by its name."""
        return await self._change_text(file_path, ReplaceDefinition(content, name, renames), "Definition replaced.")

    async def insert_definition(self, file_path: str, name: str, content: str, where: str = "after") -> Result:
        """Add a function, method or class after the definition of a name, or before it."""
        if where not in ("after", "before"):
            message = f"where is after or before, not {where!r:.40}."
            details = {"argument": "where"}
            raise PatchRejectedError([Problem("invalid_arguments", message, details=details, hint="Send one of them.")])
        return await self._change_text(
            file_path, InsertDefinition(content, name, before=where == "before"), "Definition added."
        )

    async def edit_file(self, target_file: str, code_edit: str, instructions: str = "") -> Result:
        """Change a file by a sketch of its new code, in which comments stand for the lines that stay."""
        del instructions  # They are for a model that would merge the sketch. Here nothing is guessed.
        result = await self._change_text(target_file, Sketch(code_edit), "Sketch applied.")
        # A context line that the model remembered wrongly is a change, too: it has to see it.
        diff = result.metadata.get("shownDiff", "")
        output = f"{result.output}\nThe file was changed like this:\n{diff}"
        if len(output) > MOST_CHARACTERS_OF_DIFF:
            output = f"{result.output}\nThe change is too long to be shown. Read the file before you go on."
        return result.replace(output=cap_output(output))

    async def _change_text(self, path: str, change: TextChange, done: str) -> Result:
        """Change a file in a way that names its place by something else than the text that it changes."""

        def plan() -> PlanAndFailures:
            return plan_change(self.visible, path, change, tool=self.tool), ()

        return await self.change([path], plan, done)

    def count_lines(self) -> None:
        """Make this a call by line number, which in every mode counts only against what the session has shown."""
        self.is_by_number = True
        if self.mode != "rebase":
            self.mode = "require"

    async def glob(self, pattern: str, path: str = "") -> Result:
        """List the files whose paths match a pattern."""
        search = await self._search(path)
        files = await self.session.searches.run(lambda: search.glob(pattern), search.stop)
        return Result(visible_path(pattern), cap_output(glob_text(files, search.cut)), {"count": len(files)})

    async def grep(self, pattern: str, path: str = "", include: str = "", ignore_case: bool = False) -> Result:
        """Search the content of files for a regular expression."""
        search = await self._search(path)
        rows = await self.session.searches.run(lambda: search.grep(pattern, include, ignore_case), search.stop)
        return Result(
            visible_path(pattern), cap_output(grep_text(rows, search.cut, search.left_out)), {"count": len(rows)}
        )

    async def undo(self, commit: str = "") -> Result:
        """Take back a change: the one with this id, or the last one of this session."""
        commit = commit or next(reversed(self.session.commits), "")
        if not commit:
            message = "This session has not changed anything that could be undone."
            hint = "Send the id of a change as commit."
            raise PatchRejectedError([Problem("no_change", message, details={}, hint=hint)])
        receipt = await in_thread(self._find_commit, commit)
        if not all(may_be_named(self.visible.guard(), file.path) for file in receipt.files):
            message = f"The change {receipt.id} may not be undone: it is about files that may not be read."
            raise _unreadable(message, "The user can undo it")

        if receipt.id not in self.session.commits:
            # Somebody else's change: its content may be new to the model.
            self.mode = self.session.foreign_undo_mode
        # In another process, "the last one" would be another.
        self.arguments = {"commit": receipt.id}

        def undo(_: Plan) -> Receipt:
            return self.workspace.undo(receipt, actor=self.session.actor or None)

        return await self.change(
            [file.path for file in receipt.files],
            lambda: (self.workspace.plan_undo(receipt.id), ()),
            f"The change {receipt.id} was undone.",
            write=undo,
        )

    async def history(self, file_path: str = "", limit: int = 0) -> Result:
        """List the latest changes, newest first. Files that may not be read are not named."""
        guard = self.visible.guard()
        path = guard.resolve(file_path).shown if file_path else None
        self.end_preview()
        receipts = await in_thread(self._latest_commits, min(limit or 10, MOST_HISTORY_ROWS), path)
        commits = [(receipt, readable_changes(receipt, guard)) for receipt in receipts]
        rows = {receipt.id: history_row(receipt, changes) for receipt, changes in commits if changes}
        metadata = {"commits": list(rows)}
        return Result(
            visible_path(path or "history"), cap_output("\n".join(rows.values()) or "There are no changes."), metadata
        )

    def _find_commit(self, commit: str) -> Receipt:
        """A commit by its id. One that an isolated session does not have is one of the workspace."""
        try:
            return self.workspace.show(commit)
        except PatchRejectedError as unknown:
            if self.session.isolation is None or unknown.problems[0].code != "not_found":
                raise
            self._enter_tree()
            return self.workspace.show(commit)

    def _latest_commits(self, limit: int, path: str | None) -> list[Receipt]:
        """The latest commits, newest first; of an isolated session, its own and those of the workspace."""
        receipts = self.workspace.log(limit, path=path)
        if self.session.isolation is not None:
            receipts += self.session.tree.log(limit, path=path)
        return sorted(receipts, key=lambda receipt: receipt.time, reverse=True)[:limit]

    async def merge(self) -> Result:
        """Bring all changes of an isolated session into the workspace, all or nothing."""
        isolation = self._isolation()
        self._enter_tree()
        if not all(may_be_named(self.visible.guard(), path) for path in await in_thread(lambda: isolation.paths)):
            message = "The changes of this session may not be merged: some are of files that may not be read."
            raise _unreadable(message, "The user can merge them")
        first = await in_thread(isolation.plan_merge)
        if not first.plan.problems and not first.plan.files:
            self.end_preview(first.plan)
            await in_thread(isolation.forget_merged, first)
            return Result("merge", "There is nothing to merge: the workspace has all changes of this session.")
        merges = [first]

        def make_plan() -> PlanAndFailures:
            merges.append(isolation.plan_merge())
            plan = merges[-1].plan
            if plan.problems:
                raise PatchRejectedError(plan.problems, plan)
            return plan, ()

        self.find_merge = lambda *_: merged_isolation(self.session, merges[-1])
        self.plans_again = True
        return await self.change(
            isolation.paths,
            make_plan,
            "Merged. The workspace now has all changes of this session:",
            write=lambda _: isolation.commit_merge(merges[-1], self.session.actor or None),
        )

    async def discard(self, file_path: str = "") -> Result:
        """Forget changes of an isolated session that are not merged: of one file, or all."""
        isolation = self._isolation()
        self.end_preview()
        paths = await in_thread(isolation.discard, file_path or None)
        if not paths:
            return Result("discard", "There is nothing to discard.")
        guard = self.visible.guard()
        names = "\n".join([visible_path(path) for path in paths if may_be_named(guard, path)])
        return Result("discard", cap_output(f"Discarded. These files are as the workspace has them:\n{names}"))

    def _isolation(self) -> Isolation:
        """The isolation of the session.

        Raises:
            PatchRejectedError: it has none.
        """
        if self.session.isolation is None:
            message = "This session is not isolated: its changes are in the workspace already."
            raise PatchRejectedError([Problem("invalid_arguments", message, hint="Continue without this call.")])
        return self.session.isolation

    def _enter_tree(self) -> None:
        """Go on in the workspace that everybody sees."""
        self.workspace = self.session.tree
        self.access = ReadAccess(self.workspace, self.session.permissions)
        self.visible = self.access.before_asking

    async def _search(self, path: str) -> FileSearch:
        """A search below a file or directory that may be read."""
        resolved = self.visible.guard().resolve(path.rstrip("/") or path or ".")
        await self.may_read(resolved)
        self.end_preview()
        if resolved.found is None:
            # It says which path may have been meant.
            self.visible.planner().look(resolved)
        return FileSearch(self.visible.guard(), resolved, self.workspace.encoding_of)


def _unreadable(message: str, others: str) -> PatchRejectedError:
    """The refusal of what is about files that may not be read, of which the caller has written no name."""
    hint = f"Continue without it. {others}, or change the setting rules."
    details = {"permission": "read"}
    return PatchRejectedError([Problem("rejected", message, "", None, details, hint, recoverable=False, reason="rule")])


def history_row(receipt: Receipt, changes: Sequence[Change]) -> str:
    """A commit in a line, with these of its changes."""
    when = datetime.fromtimestamp(receipt.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
    undone = " (undone)" if receipt.undone_by else ""
    return f"{receipt.id} {when} {receipt.tool}{undone}: {', '.join(map(str, changes))}"
