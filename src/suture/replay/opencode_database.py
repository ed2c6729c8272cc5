"""The rows of OpenCode's database, which a process with limits reads: the file may be anybody's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from ..agent.limited_process import KILLED, OutOfMemoryError, OutOfTimeError, check_end, start_limited
from . import transcript_limits

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import IO, Any


_WORKER = str(Path(__file__).with_name("database_worker.py"))


class DatabaseError(Exception):
    """A database, or the rest of it, can't be read; the message says why."""


def read_rows(path: Path) -> Iterator[tuple[dict[str, str], bytes | None]]:
    """The ids of each row and its text, which is None if it is not a text.

    Raises:
        DatabaseError: the database can't be read, or not to its end.
    """
    try:
        with start_limited(
            _WORKER,
            _arguments(path),
            memory=transcript_limits.DATABASE_MEMORY,
            seconds=transcript_limits.DATABASE_SECONDS,
        ) as process:
            assert process.stdout is not None, "BUG: its output is a pipe"
            watch = Timer(transcript_limits.DATABASE_SECONDS, process.kill)
            watch.start()
            try:
                trouble = yield from _rows(process.stdout)
                process.wait()
            finally:
                watch.cancel()
                process.kill()
    except OSError as error:
        raise DatabaseError(error.strerror or str(error)) from error
    if trouble is None:
        raise DatabaseError(_reason(process))
    if trouble:
        raise DatabaseError(trouble)


def _arguments(path: Path) -> list[str]:
    """Read without writing: a database that nobody has open is not even locked."""
    log = path.with_name(path.name + "-wal")
    is_open = log.exists() and path.with_name(path.name + "-shm").exists()
    size = path.stat().st_size + (log.stat().st_size if is_open else 0)
    uri = f"{path.resolve().as_uri()}?{'mode=ro' if is_open else 'immutable=1'}"
    return [uri, str(transcript_limits.LONGEST_TRANSCRIPT_LINE), str(size * transcript_limits.DATABASE_GROWTH)]


def _rows(output: IO[bytes]) -> Generator[tuple[dict[str, str], bytes | None], None, str | None]:
    """The rows as they come; at the end, what went wrong, or None if the process did not say."""
    while line := output.readline(transcript_limits.LONGEST_ROW_HEAD):
        if not line.endswith(b"\n"):
            # The process was ended while it wrote.
            break
        head: dict[str, Any] = json.loads(line)
        if "trouble" in head:
            return str(head["trouble"])
        if "broken" in head:
            yield {}, None
            continue
        text = output.read(head["length"])
        if len(text) < head["length"]:
            break
        yield head["keys"], text
    return None


def _reason(process: subprocess.Popen[bytes]) -> str:
    """Why a process has ended before its last line."""
    try:
        check_end(process)
    except OutOfMemoryError:
        return "it needs too much memory"
    except OutOfTimeError:
        return "it takes too much time"
    except subprocess.CalledProcessError as error:
        if error.returncode == KILLED:
            return "it takes too much time"
    return "the process that reads it has failed"
