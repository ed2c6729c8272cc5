"""Watches the approval folders, the history and the refused edits, and tells when something has changed.

With the extra `suture[review]` the operating system tells, through `watchfiles`. Without it, or where that does not
work, as on some network file systems, the directories are looked at several times a second. Only directories are
watched, not what is below them, so that a long history costs nothing.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from ..state.refused_files import refused_base
from ..state.state_folder import STORE, approvals_base, state_folders_with_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Any, Self, TypeAlias

    _Stamp: TypeAlias = tuple[int, ...]

#: How often the directories are looked at where nobody tells, in seconds.
POLL = 0.2
#: How long it is waited for more changes before they are told, in milliseconds.
_GATHER = 20
#: When directories are looked at even if nobody tells, in milliseconds: a new one is not watched from its first moment.
_RENEW = 500


class Watch:
    """Calls a function, in a thread of its own, whenever requests, commits or refused edits come or go.

    `folders` are approval folders besides those of the state directory, `roots` the workspaces with a history to watch.
    Use it as a context, or call `start` and `stop`.
    """

    def __init__(
        self,
        changed: Callable[[], None],
        *,
        folders: Iterable[str] = (),
        roots: Iterable[str] = (),
        poll: float | None = None,
    ) -> None:
        self._changed = changed
        self._folders = tuple(folders)
        self._roots = tuple(roots)
        #: The interval of polling; None to be told by the operating system.
        self._poll = poll
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: list[_Stamp] = []

    @property
    def polls(self) -> bool:
        """Whether the directories are looked at again and again, because nobody tells."""
        return self._poll is not None or _watchfiles() is None

    def start(self) -> None:
        """Begin to watch. What changes after this call is told."""
        self._seen = self._state()
        self._thread = threading.Thread(target=self._run, name="suture: watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; no call comes after this."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        """Tell of changes until it is stopped: as the system reports them, else by looking again and again."""
        listen = None if self.polls else _watchfiles()
        while not self._stop.is_set():
            if listen is not None:
                paths = self._paths()
                try:
                    changes = listen(
                        *paths,
                        watch_filter=None,
                        debounce=_GATHER,
                        step=_GATHER,
                        stop_event=self._stop,
                        rust_timeout=_RENEW,
                        yield_on_timeout=True,
                        recursive=False,
                        ignore_permission_denied=True,
                        raise_interrupt=False,
                    )
                    for _ in changes:
                        self._tell()
                        if self._paths() != paths:
                            break
                    continue
                except FileNotFoundError:
                    continue  # a directory was removed meanwhile
                except (OSError, RuntimeError):
                    # The limit of watches is reached, or the file system does not support them.
                    listen = None
            if not self._stop.wait(POLL if self._poll is None else self._poll):
                self._tell()

    def _tell(self) -> None:
        """Tell if something has changed."""
        now = self._state()
        if now != self._seen:
            self._seen = now
            self._changed()

    def _paths(self) -> list[str]:
        """The directories to watch, as far as they exist."""
        return sorted({*self._queues(), *self._stores()})

    def _queues(self) -> list[str]:
        """The directories of requests and refused edits."""
        paths = []
        for base in (approvals_base(), refused_base()):
            with suppress(OSError):
                Path(base).mkdir(0o700, parents=True, exist_ok=True)
                paths.append(base)
                with os.scandir(base) as entries:
                    paths += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        return paths + [folder for folder in self._folders if Path(folder).is_dir()]

    def _stores(self) -> list[str]:
        """The directories with a history."""
        with suppress(OSError):
            return [folder.path for root in self._roots for folder in state_folders_with_store(root)]
        return []

    def _state(self) -> list[_Stamp]:
        """What changes when something is added, removed or written.

        To read a history makes an empty log beside it and removes it again. That is no change: whoever reads because of
        a change would never end.
        """
        stamps = [_stamp(path) for path in sorted(set(self._queues()))]
        for path in self._stores():
            log = _stamp(f"{path}/{STORE}-wal")
            stamps += [_stamp(f"{path}/{STORE}"), log if log[-1:] != (0,) else ()]
        return [stamp for stamp in stamps if stamp]


def _stamp(path: str) -> _Stamp:
    """What changes when a directory or a file does, with its size last; nothing if it is not there."""
    with suppress(OSError):
        status = Path(path).stat()
        return status.st_ino, status.st_mtime_ns, status.st_size
    return ()


def _watchfiles() -> Any:  # noqa: ANN401 - a function, or None
    try:
        from watchfiles import watch
    except ImportError:
        return None
    return watch
