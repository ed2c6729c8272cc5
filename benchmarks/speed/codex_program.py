"""The `codex` program from npm, started under the name `apply_patch`: what agents call today.

It is downloaded by name into the cache of the benchmarks when it is asked for first (about 400 MB); without npm or the
network there is none, and its rows are left out.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.accuracy.corpus import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "@openai/codex"


@cache
def codex_program() -> Path | None:
    """The program under the name that makes it apply a patch; None where it can't be had."""
    folder = cache_folder() / "codex"
    npm = shutil.which("npm")
    binaries = _binaries(folder)
    if not binaries and npm is not None:
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
        subprocess.run(command, check=False, capture_output=True, timeout=600)
        binaries = _binaries(folder)
    if not binaries:
        return None
    link = folder / "apply_patch"
    if not link.is_symlink():
        link.symlink_to(binaries[0])
    return link


def _binaries(folder: Path) -> list[Path]:
    return sorted(folder.glob("node_modules/@openai/codex-*/vendor/*/bin/codex"))
