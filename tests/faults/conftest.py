"""Thousands of small commits: in memory where the system has a folder for that, as the disk has no say in them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the folder is made by tempfile, for the user alone


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that is fast."""
    if not os.access(SHARED_MEMORY, os.W_OK):
        yield tmp_path_factory.mktemp("faults")
        return
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        yield Path(folder)
