"""Line numbers in a plan of several operations: all of them are about the file before the plan.

A number counts as long as it is above all that the operations before it have touched. The changes of one call are
planned from the last line up, so that this holds for all of them, unless two overlap.
"""

from __future__ import annotations

from ..core.text import Text
from ..core.text_changes import InsertLines, ReplaceLines
from ..place.moved_lines import first_changed, is_only_place
from ..words.change_problems import change_refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.text_changes import TextChange


class NumberedChanges:
    """Which lines of each file the operations of a plan have touched so far."""

    def __init__(self) -> None:
        #: The content after the last change by numbers, and the first line that was touched, by path.
        self._touched: dict[str, tuple[bytes, int]] = {}

    def check(
        self, path: str, display_path: str, change: TextChange, contents: tuple[bytes, bytes], encoding: str | None
    ) -> int | None:
        """The first line that is touched with this change, in the file before the plan; None if it names no lines.

        `contents` are those before the plan and now.

        Raises:
            PatchRejectedError: earlier operations have changed lines that its numbers are about, or above them.
        """
        before, now = contents
        if not isinstance(change, InsertLines | ReplaceLines):
            return None
        first, last = (
            (change.after + 1, change.after) if isinstance(change, InsertLines) else (change.first, change.last)
        )
        if before == now and path not in self._touched:
            return first
        content, touched = self._touched.get(path, (b"", 0))
        if content != now:
            old, new = (Text(one, encoding, display_path).lines for one in contents)
            touched = first_changed(old, new)
        if last < touched:
            return min(first, touched)
        if isinstance(change, ReplaceLines) and is_only_place(Text(now, encoding, display_path).lines, change):
            return min(first, touched)
        what = f"inserts after line {last}" if isinstance(change, InsertLines) else f"replaces lines {first}-{last}"
        message = (
            f"A change {what} of {display_path}, but an earlier change has touched the file from line {touched} on"
        )
        message += ": they overlap, or it is not certain which lines the numbers mean."
        hint = "Make one change of those that overlap, put changes by line numbers from the last line to the first, or "
        hint += "use an edit with the text to find."
        details = {"first": first, "last": last, "touched": touched}
        raise change_refusal("patch_apply_error", display_path, message, hint, reason="lines_moved", **details)

    def note(self, path: str, content: bytes, touched: int | None) -> None:
        """Note the content after a change, and the first line that is touched."""
        if touched is not None:
            self._touched[path] = (content, touched)
