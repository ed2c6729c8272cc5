"""Files of reports: each appears when it is complete, and never replaces anything."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from ..core.problems import PatchInvalidError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Self


class NewFile:
    """A context with a file for bytes, which gets its name at the end, or is removed if an exception ends the context.

    Raises:
        PatchInvalidError: something has the name, now or at the end, or there is no such directory.
    """

    def __init__(self, target: str) -> None:
        self._target = Path(target).absolute()
        self._given = target
        if os.path.lexists(self._target):
            raise self._taken()
        if not self._target.parent.is_dir():
            message = f"{target} can't be written: there is no such directory."
            raise PatchInvalidError((Problem("not_found", message, path=target),))

    def __enter__(self) -> Self:
        self.file: IO[bytes] = NamedTemporaryFile(
            dir=self._target.parent, prefix=".suture-", suffix=".tmp", delete=False
        )
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        draft = Path(self.file.name)
        try:
            self.file.close()
            if kind is None:
                self._publish(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _publish(self, draft: Path) -> None:
        try:
            os.link(draft, self._target)
        except FileExistsError as error:
            raise self._taken() from error
        except OSError as error:  # a file system without links
            if os.path.lexists(self._target):
                raise self._taken() from error
            draft.rename(self._target)

    def _taken(self) -> PatchInvalidError:
        message = f"{self._given} exists. Choose another file."
        return PatchInvalidError((Problem("already_exists", message, path=self._given),))
