"""The tools that a model calls: what each of them plans, shows and answers.

A `ToolCall` is one call. How a call is checked, asked for and committed is the same for all tools, see `steps`.
"""

from __future__ import annotations

import asyncio

from ..core.display import encodable
from ..core.interface_names import TOOL, with_interface
from ..core.problems import PatchRejectedError
from ..format.envelope import parse
from .partial_plan import plan_up_to_failure
from .result import Result, cap_output, change_result
from .steps import CallSteps, locked
from .view import view_file, view_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..workspace.guard import ResolvedPath
    from .steps import PlanAndFailures


class ToolCall(CallSteps):
    """One call of a tool; its methods are the tools. They raise a `SutureError` if the call is refused."""

    @with_interface(TOOL)
    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with numbered lines, or the names in a directory, and record the read."""
        # A directory may end with a slash, as it does in a listing.
        resolved = self.visible.guard().resolve(file_path.rstrip("/") or file_path)
        async with self.session.queues.turn([resolved.path]):
            await self.may_read(resolved)
            self.end_preview()
            return await asyncio.to_thread(self._read, resolved, offset, limit)

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self.change(
            [file_path], lambda: (self.visible.plan_write(file_path, content), ()), "File written."
        )

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""

        def plan() -> PlanAndFailures:
            return self.visible.plan_edit(file_path, old_string, new_string, replace_all=replace_all), ()

        return await self.change([file_path], plan, "Edit applied successfully.")

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return await self.change(
            [file_path],
            lambda: (self.visible.plan_multiedit(file_path, edits), ()),
            "All edits applied successfully.",
        )

    @with_interface(TOOL)
    async def apply_patch(
        self,
        patch_text: str,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch. With `dry_run` only report what it would do.

        Without `atomic` it is applied up to the first section that fails.
        """
        parsed = parse(patch_text, self.workspace.dialect)

        def make_plan() -> PlanAndFailures:
            if atomic or dry_run:
                return self.visible.plan(parsed, text=patch_text, expected_sha256=expected_sha256_by_path), ()
            return plan_up_to_failure(self.visible, parsed, patch_text, expected_sha256_by_path)

        paths = [name for one in parsed.operations for name in (one.path, getattr(one, "move_to", None)) if name]
        if not dry_run:
            return await self.change(paths, make_plan, "", atomic=atomic)
        names = self.names(paths, strict=False)
        async with self.session.queues.turn(locked(names)):
            await self.enter(names)
            plan, _ = await asyncio.to_thread(make_plan)
        if plan.problems:
            raise PatchRejectedError(plan.problems)
        self.end_preview(plan)
        return change_result("Nothing was changed. The patch would do this:", plan, (), (), {}, atomic=atomic)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return await self.change([file_path], lambda: (self.visible.plan_delete(file_path), ()), "File deleted.")

    async def move(self, file_path: str, to_path: str) -> Result:
        """Move or rename a file."""
        return await self.change(
            [file_path, to_path], lambda: (self.visible.plan_move(file_path, to_path), ()), "File moved."
        )

    def _read(self, resolved: ResolvedPath, offset: int, limit: int) -> Result:
        content = self.visible.planner().look(resolved)
        if content is None:
            # Names below a directory that may be listed are shown, unless a rule denies them.
            text = view_folder(self.session.access.view().guard(), resolved, offset, limit)
            return Result(resolved.shown, cap_output(text), {"folder": True})
        try:
            view = view_file(content, resolved.shown, self.workspace.encoding, offset, limit)
        except PatchRejectedError as refused:
            if refused.problems[0].code != "invalid_arguments":
                # That it is binary is all there is to know.
                self.session.reads.note(resolved.path, content)
            raise
        self.session.reads.note(resolved.path, content, ((view.first, view.last),) if view.of else None)
        metadata = {"first": view.first, "last": view.last, "of": view.of, "whole": view.is_whole}
        return Result(resolved.shown, encodable(view.text), metadata)
