"""Limits of the file system, each with what happens beyond it."""

from __future__ import annotations

#: The largest stream of a file on Windows that is copied to its successor. It holds notes of other programs, not
#: content. A file with a larger one is not replaced.
LARGEST_STREAM = 1_000_000
#: The most characters of a final path on Windows. The system has no longer ones.
LONGEST_FINAL_PATH = 33_000
#: The most names of a directory that are looked at to see whether its file system knows them in other letters. If none
#: of these has letters, the directory above it tells.
MOST_NAMES_TRIED = 100
