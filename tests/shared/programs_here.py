"""The programs, run in the process of a test: under Wine, where a process takes seconds to start and may hang.

What only a process of its own can show is not tested so: the start, signals, and the end of the interpreter.
"""

from __future__ import annotations

import gc
import locale
import os
import sys
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: The module of each program; its `run` takes the arguments and returns the exit status.
MODULES = {
    "suture": "suture.cli.main",
    "apply_patch": "suture.cli.apply_patch",
    "applypatch": "suture.cli.apply_patch",
}


def run_here(
    program: str, arguments: Sequence[str | bytes], stdin: bytes, environment: Mapping[str, str], folder: Path
) -> tuple[int, bytes, bytes]:
    """Run a program in this process; returns its exit status, standard output and standard error."""
    module = import_module(MODULES[program])
    out, err = BytesIO(), BytesIO()
    with _surroundings(environment, folder), _streams(stdin, out, err):
        try:
            status = module.run([os.fsdecode(argument) for argument in arguments])
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    # A program that ends leaves nothing open.
    gc.collect()
    return status, out.getvalue(), err.getvalue()


@contextmanager
def _surroundings(environment: Mapping[str, str], folder: Path) -> Iterator[None]:
    """The environment and the current directory of a new process."""
    variables, current = dict(os.environ), Path.cwd()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(current)
        os.environ.clear()
        os.environ.update(variables)


@contextmanager
def _streams(stdin: bytes, out: BytesIO, err: BytesIO) -> Iterator[None]:
    """Standard streams as Python makes them for pipes: on Windows, they have its encoding and its line ends."""
    kept = sys.stdin, sys.stdout, sys.stderr
    encoding = locale.getencoding()
    sys.stdin = TextIOWrapper(BytesIO(stdin), encoding)
    sys.stdout = TextIOWrapper(out, encoding)
    sys.stderr = TextIOWrapper(err, encoding, "backslashreplace")
    streams = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
        # A wrapper that is collected would close what it wraps, which the caller still reads.
        for stream in streams:
            stream.detach()
