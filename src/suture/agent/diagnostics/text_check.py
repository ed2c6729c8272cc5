"""Diagnostics for changes that are not on the disk: those of an isolated session.

A diagnoser that can check texts says so with `checks_texts`. It gets all texts that the session has changed, so that a
file is checked together with them. The result of any other diagnoser would be about the files on the disk, so it is not
asked.
"""

from __future__ import annotations

from .diagnostic_limits import MOST_OTHER_BYTES, MOST_OTHERS
from .report import EditedFile, NoDiagnoser, Report, check_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .report import Diagnoser


def isolated_diagnoser(diagnoser: Diagnoser, contents: Callable[[], Mapping[str, bytes]]) -> Diagnoser:
    """A diagnoser for a session whose changed files have these contents, by absolute path."""
    if isinstance(diagnoser, NoDiagnoser):
        return diagnoser
    if not getattr(diagnoser, "checks_texts", False):
        return _DiskDiagnoser(diagnoser)
    return IsolatedDiagnoser(diagnoser, contents)


class IsolatedDiagnoser:
    """Checks texts together with all others that a session has changed."""

    def __init__(self, diagnoser: Diagnoser, contents: Callable[[], Mapping[str, bytes]]) -> None:
        self._diagnoser = diagnoser
        self._contents = contents

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """Check one file."""
        (report,) = await self.check_all([EditedFile(path, before, after, is_on_disk=False)], timeout=timeout)
        return report

    async def check_all(self, edited: Sequence[EditedFile], *, timeout: float) -> list[Report]:
        """Check files that were edited together; the others only so that their texts are known."""
        files = [one.replace(is_on_disk=False) for one in edited]
        reports = await check_all(
            self._diagnoser, [*files, *self._others({one.path for one in edited})], timeout=timeout
        )
        return reports[: len(files)]

    async def close(self) -> None:
        """Close the diagnoser itself."""
        await self._diagnoser.close()

    def _others(self, edited: set[str]) -> list[EditedFile]:
        """The other files that the session has changed, as far as they are texts."""
        others: list[EditedFile] = []
        room = MOST_OTHER_BYTES
        for path, content in self._contents().items():
            room -= len(content)
            if path in edited or room < 0 or len(others) == MOST_OTHERS:
                continue
            try:
                text = content.decode("utf-8")
            except UnicodeDecodeError:
                continue
            others.append(EditedFile(path, text, text, is_on_disk=False))
        return others


class _DiskDiagnoser:
    """A diagnoser that reads the disk: it knows nothing of the changes of an isolated session."""

    def __init__(self, diagnoser: Diagnoser) -> None:
        self._diagnoser = diagnoser

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ARG002 - the protocol's
        """Report unknown at once."""
        reason = "the diagnoser reads files from the disk, and the changes of an isolated session are not there yet"
        return Report(path, "unknown", reason=reason, asked=False)

    async def close(self) -> None:
        """Close the diagnoser itself."""
        await self._diagnoser.close()
