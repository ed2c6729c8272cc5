"""Rows on many processes of this machine: in order, exactly once, in bounded memory.

Rows go to the workers in chunks. A worker that dies or hangs costs nothing but time: its chunk runs again, row by row,
and a row that takes its worker with it becomes a row with a problem. At most a few chunks a worker are in memory, since
no chunk is sent that is too far ahead of the oldest one that has not come back.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from ..core.system import ENDING_SIGNALS
from ..core.value import Value
from .batch_limits import MOST_ATTEMPTS
from .row_score import blank_score, score

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.context import SpawnProcess
    from multiprocessing.sharedctypes import Synchronized
    from typing import Self

#: Rows and bytes in a chunk, whichever comes first, and how many chunks a worker may be ahead.
CHUNK_ROWS = 256
CHUNK_BYTES = 1 << 20
AHEAD = 4
#: A worker that is this many times over the time of a row does not listen to its alarm and is killed.
PATIENCE = 2.0
#: Seconds that a worker may take to start, and to take a chunk.
STARTING = 30.0
#: Seconds between two looks at the clock of each worker.
WORKER_TICK = 0.5
#: The variable with which Python leaves the current directory out of its search for modules.
_SAFE_PATH = "PYTHONSAFEPATH"
#: Objects that a worker may make before the garbage collector looks for cycles.
GARBAGE = 100_000


class RowLimits(Value):
    """What one row may cost: seconds, bytes of memory on top of what a worker needs, and bytes of input."""

    seconds: float = 10.0
    memory: int = 1 << 30
    size: int = 64 << 20


def score_rows(
    rows: Iterable[Mapping[str, Any] | bytes],
    *,
    processes: int | None = None,
    limits: RowLimits = RowLimits(),  # noqa: B008 - a value
    texts: bool = False,
) -> Iterator[dict[str, Any]]:
    """The scored rows, in order. A row is a mapping, or the bytes of a JSON object."""
    with WorkerPool(processes, limits, texts=texts) as pool:
        for answers in pool.run(rows):
            for answer in answers:
                yield json.loads(answer)


class WorkerPool:
    """A context with processes that score chunks; `run` gives each chunk's answers as JSON texts, in order."""

    def __init__(self, processes: int | None = None, limits: RowLimits = RowLimits(), *, texts: bool = False) -> None:  # noqa: B008
        self._count = processes or count_cores()
        self._limits = limits
        self._texts = texts
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def run(self, rows: Iterable[Mapping[str, Any] | bytes]) -> Iterator[list[bytes]]:
        """The answers of each chunk, in order. The workers stay for the next run."""
        for left in [worker for worker in self._workers if worker.chunk is not None]:
            # An earlier run was not read to its end.
            self._end_worker(left)
        while len(self._workers) < self._count:
            self._add_worker()
        chunks = enumerate(_chunks(rows))
        following = next(chunks, None)
        again: deque[_Chunk] = deque()
        done: dict[int, list[bytes]] = {}
        oldest = 0
        while True:
            for worker in self._workers:
                if worker.chunk is not None:
                    continue
                if again:
                    worker.send(again.popleft())
                elif following is not None and following[0] - oldest < AHEAD * self._count:
                    worker.send(_Chunk(*following))
                    following = next(chunks, None)
            # While the workers work, the answers are passed on.
            while oldest in done:
                yield done.pop(oldest)
                oldest += 1
            busy = [worker for worker in self._workers if worker.chunk is not None]
            if not busy and following is None:
                return
            for chunk in self._finished(busy, again) if busy else ():
                if chunk.rest:
                    again.append(chunk.next_row())
                else:
                    done[chunk.number] = chunk.answers

    def _finished(self, busy: Sequence[_Worker], again: deque[_Chunk]) -> list[_Chunk]:
        """The chunks that came back; a worker that is gone or hangs is replaced, and its chunk runs again."""
        ready = wait([end for worker in busy for end in (worker.pipe, worker.process.sentinel)], WORKER_TICK)
        finished = []
        for worker in busy:
            chunk = worker.chunk
            assert chunk is not None, "BUG: a busy worker has a chunk"
            if worker.receive():
                finished.append(chunk)
            elif worker.process.sentinel in ready or worker.hangs():
                again.append(chunk.without_culprit(worker))
                self._end_worker(worker)
                self._add_worker()
        return finished

    def _add_worker(self) -> None:
        """Start a process. A signal waits until it is listed, and has been told all that it needs to start."""
        with _signals_blocked():
            self._workers.append(_Worker(self._limits, texts=self._texts))

    def _end_worker(self, worker: _Worker) -> None:
        """End a process. A signal waits until it is no longer listed."""
        with _signals_blocked():
            worker.stop()
            self._workers.remove(worker)


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Chunk:
    """Some rows that travel together; `rest` are those that run alone after their worker was lost."""

    def __init__(self, number: int, rows: Sequence[Any]) -> None:
        self.number, self.rows = number, rows
        self.rest: list[Any] = []
        self.answers: list[bytes] = []
        self.attempts = 0

    def next_row(self) -> _Chunk:
        """The chunk with the next of the rest alone."""
        self.rows, self.attempts = [self.rest.pop(0)], 0
        return self

    def without_culprit(self, worker: _Worker) -> _Chunk:
        """The chunk to run again: row by row, with a row given up that has lost two workers alone."""
        if len(self.rows) > 1:
            self.rest = [*self.rows, *self.rest]
            return self.next_row()
        self.attempts += 1
        if self.attempts < MOST_ATTEMPTS and not worker.hung:
            return self
        problem = (
            ("timeout", "The row took too long.") if worker.hung else ("command_failed", "The row ended its worker.")
        )
        self.answers.append(_problem_row(self.rows[0], *problem))
        if not self.rest:
            self.rows = []
            return self
        return self.next_row()


#: What may end the program.
_ENDING_SIGNALS = (signal.SIGINT, *ENDING_SIGNALS)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Let signals wait for what must not be done by halves. Windows can't; its workers end with their pipes."""
    if sys.platform == "win32":
        yield
    else:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _own_modules_only() -> Iterator[None]:
    """Processes that Python starts do not look for modules in the current directory.

    It may be a repository with a file such as `multiprocessing.py`, which they would run.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


class _Worker:
    """A process, the pipe to it, and the chunk that it works on."""

    def __init__(self, limits: RowLimits, *, texts: bool) -> None:
        context = multiprocessing.get_context("spawn")
        with _own_modules_only():
            self.pipe, end = context.Pipe()
            self.clock: Synchronized[float] = context.Value("d", 0.0)
            self.process: SpawnProcess = context.Process(
                target=_work, args=(end, self.clock, limits, texts), daemon=True, name="suture-batch"
            )
            self.process.start()
        end.close()
        self.chunk: _Chunk | None = None
        self.hung = False
        # The worker itself stops a row at its limit; this is for one that no longer can.
        self._limit = limits.seconds * PATIENCE + 1
        self._sent = 0.0

    def send(self, chunk: _Chunk) -> None:
        self.chunk, self._sent = chunk, time.monotonic()
        # Where it is gone, the sentinel says so next.
        with suppress(OSError):
            self.pipe.send(chunk.rows)

    def receive(self) -> bool:
        """Take the answers to the chunk, if they are there."""
        try:
            answers = self.pipe.recv() if self.pipe.poll() else None
        except (EOFError, OSError):
            return False
        if answers is None or self.chunk is None:
            return False
        self.chunk.answers += answers
        self.chunk = None
        return True

    def hangs(self) -> bool:
        began = self.clock.value
        limit = self._limit if began else max(self._limit, STARTING)
        is_late = time.monotonic() - (began or self._sent) > limit
        # A worker that stopped before it began says nothing about the row.
        self.hung = is_late and bool(began)
        return is_late

    def stop(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def _chunks(rows: Iterable[Mapping[str, Any] | bytes]) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    room = CHUNK_BYTES
    for row in rows:
        chunk.append(row)
        room -= len(row) if isinstance(row, bytes) else CHUNK_BYTES // CHUNK_ROWS
        if room <= 0 or len(chunk) >= CHUNK_ROWS:
            yield chunk
            chunk, room = [], CHUNK_BYTES
    if chunk:
        yield chunk


class _RowTimeoutError(BaseException):
    """The alarm of a row. No `except Exception` below may take it."""


#: A patch that fits, one that does not, and a string edit that does not.
_FIRST_ROWS = (
    {"text": "a\n", "edit": "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch\n"},
    {"text": "a\n", "edit": "*** Begin Patch\n*** Update File: a\n@@\n-some text\n+b\n*** End Patch\n"},
    {"text": "a\n", "old": "some text", "new": "b"},
)


def _work(pipe: Connection, clock: Synchronized[float], limits: RowLimits, texts: bool) -> None:
    """What a worker does until its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING_SIGNALS)
        signal.signal(signal.SIGALRM, _raise_timeout)
    # What is imported on first use is not paid for by the first row.
    for row in _FIRST_ROWS:
        score(row)
    # What is loaded now stays, and a row leaves next to no cycles: the garbage collector need not look again and again.
    gc.freeze()
    gc.set_threshold(GARBAGE)
    while True:
        try:
            rows = pipe.recv()
        except (EOFError, OSError):
            return
        answers = []
        with _limited_memory(limits.memory):
            for row in rows:
                clock.value = time.monotonic()
                answers.append(_score_within(row, limits, texts=texts))
        clock.value = 0.0
        pipe.send(answers)


def _raise_timeout(*_: object) -> None:
    raise _RowTimeoutError


@contextmanager
def _limited_memory(memory: int) -> Iterator[None]:
    """Let the process grow by so many bytes at most. Elsewhere than on Linux, the system does not enforce the limit."""
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - not worth an import
            used = int(file.read().split()[0]) * resource.getpagesize()
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        limits = [limit for limit in (used + memory, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    else:
        yield


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `_RowTimeoutError` after so many seconds. Windows has no alarm: the parent ends a worker that hangs."""
    if sys.platform == "win32":
        yield
    else:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _score_within(row: object, limits: RowLimits, *, texts: bool) -> bytes:
    """A row scored within its limits, as JSON."""
    if isinstance(row, bytes) and len(row) > limits.size:
        return _problem_row(b"", "file_too_large", f"The row has more than {limits.size} bytes.")
    try:
        with _alarm(limits.seconds):
            return _score_json(row, texts=texts)
    except _RowTimeoutError:
        return _problem_row(row, "timeout", f"The row took more than {limits.seconds:g} s.")
    except MemoryError:
        return _problem_row(row, "file_too_large", f"The row needs more than {limits.memory >> 20} MB of memory.")


def _score_json(row: object, *, texts: bool) -> bytes:
    """The score of a row, which is JSON or values that JSON can hold, as JSON."""
    try:
        values = json.loads(row) if isinstance(row, bytes) else row
    except (ValueError, RecursionError) as error:
        return _problem_row(b"", "invalid_arguments", f"The row is not JSON: {error}")
    scored = score(values, texts=texts)
    try:
        return json.dumps(scored).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return _problem_row(b"", "invalid_arguments", f"The id of the row can't be written as JSON: {error}")


def _problem_row(row: object, code: str, message: str) -> bytes:
    """The answer to a row that could not be scored."""
    name = row.get("id") if isinstance(row, Mapping) else _id_of(row)
    return json.dumps(blank_score() | {"id": name, "codes": [code], "answer": message}).encode()


def _id_of(row: object) -> object:
    """The id of a row in JSON that is not too large to be read a second time."""
    if not isinstance(row, bytes) or len(row) > CHUNK_BYTES:
        return None
    try:
        values = json.loads(row)
    except (ValueError, RecursionError):
        return None
    return values.get("id") if isinstance(values, dict) else None
