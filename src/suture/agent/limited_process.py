"""Programs of ours that work on hostile data, such as a model's regular expression: in a process with limits.

The limits on memory and processor time are set before the program reads anything, so they hold for all that it does,
also after this process is gone. Who starts a program limits its time as well, because a program can wait without using
the processor.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from weakref import WeakKeyDictionary

if sys.platform == "win32":
    from .windows_jobs import WindowsJob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: The exit status of a program that reached the limit on memory.
OUT_OF_MEMORY = 3
#: That of one that was killed.
KILLED = -getattr(signal, "SIGKILL", -1)
#: That of one that the system has ended because of its processor time; Windows ends none for that.
_OUT_OF_PROCESSOR_TIME = -getattr(signal, "SIGXCPU", 24)

#: Sets the limits, then runs a program. Where the system has no limit on memory, as macOS, only the others hold.
_START = f"""
import sys

if sys.platform == "win32":
    resource = None
else:
    import resource

def limit(kind, soft, hard):
    allowed = resource.getrlimit(kind)[1]
    if allowed != resource.RLIM_INFINITY:
        soft, hard = min(soft, allowed), min(hard, allowed)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):
        if sys.platform == "linux":
            raise

program, memory, seconds, *arguments = sys.argv[1:]
if resource is not None:
    limit(resource.RLIMIT_AS, int(memory), int(memory))
    limit(resource.RLIMIT_CPU, int(seconds), int(seconds) + 1)
    limit(resource.RLIMIT_FSIZE, 0, 0)
    limit(resource.RLIMIT_CORE, 0, 0)
sys.argv = [program, *arguments]
try:
    with open(program, encoding="utf-8") as file:
        code = compile(file.read(), program, "exec")
    exec(code, {{"__name__": "__main__"}})
    sys.stdout.flush()
except MemoryError:
    sys.exit({OUT_OF_MEMORY})
"""


class OutOfTimeError(Exception):
    """A program has used more time than it may."""


class OutOfMemoryError(Exception):
    """A program has used more memory than it may."""


def start_limited(
    program: str, arguments: Sequence[str] = (), *, memory: int, seconds: float
) -> subprocess.Popen[bytes]:
    """Start a program, a Python file that imports nothing but the standard library.

    It may use so many bytes of memory and so many seconds of processor time.

    Raises:
        OSError: it can't be started.
    """
    limits = [str(memory), str(int(seconds) + 1)]
    process = subprocess.Popen(  # noqa: S603 - a program of ours; what is hostile is its input
        [sys.executable, "-I", "-S", "-W", "ignore", "-c", _START, program, *limits, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    if sys.platform == "win32":
        # It waits for its input until it is in there.
        _jobs[process] = WindowsJob(process.pid, memory=memory, seconds=seconds)
    return process


#: The jobs of the processes that run, on Windows.
_jobs: WeakKeyDictionary[subprocess.Popen[bytes], object] = WeakKeyDictionary()


def run_limited(
    program: str,
    given: bytes,
    *,
    memory: int,
    seconds: float,
    started: Callable[[subprocess.Popen[bytes]], object] = lambda _: None,
) -> bytes:
    """What a program prints, if it is given these bytes. `started` gets its process, which may be killed at any time.

    Raises:
        OutOfTimeError: it has not ended within the time.
        OutOfMemoryError: it has used more memory than it may.
        OSError: it can't be started.
        subprocess.CalledProcessError: it has failed.
    """
    with start_limited(program, memory=memory, seconds=seconds) as process:
        try:
            started(process)
            output, _ = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise OutOfTimeError from None
        finally:
            process.kill()
    check_end(process)
    return output


def check_end(process: subprocess.Popen[bytes]) -> None:
    """Raise if a process that has ended did so by a limit or a failure.

    Raises:
        OutOfTimeError: it has used more processor time than it may.
        OutOfMemoryError: it has used more memory than it may.
        subprocess.CalledProcessError: it has failed.
    """
    if process.returncode == OUT_OF_MEMORY:
        raise OutOfMemoryError
    if process.returncode == _OUT_OF_PROCESSOR_TIME:
        raise OutOfTimeError
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
