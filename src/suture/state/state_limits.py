"""Limits of what is kept, each with what happens beyond it."""

from __future__ import annotations

#: The size in bytes of the log of answers from which a new file is begun. One older file is kept.
LARGEST_ANSWER_LOG = 1_000_000
#: The most bytes of an answer to a request. A longer one is invalid, and removed.
LARGEST_ANSWER = 10_000_000
#: The most names and links on the path of an approval directory. Those behind are not looked at.
MOST_PATH_STEPS = 4000
#: The most bytes of the file with what a session claims. A larger one is not read, and of files that a session has
#: finished with, those that fit are kept.
LARGEST_CLAIM = 1_000_000
#: The longest pause in seconds between two attempts to take a lock, within the first second and after it.
LONGEST_LOCK_PAUSE = 0.005
LONGEST_LATER_PAUSE = 0.02
#: The most refused edits that are kept for a workspace. The oldest are removed.
MOST_REFUSED_EDITS = 50
#: The most bytes of a refused edit. Of a larger one, the beginning is kept, or nothing.
LARGEST_REFUSED_EDIT = 500_000
#: The most contents of one file that a session keeps to merge later edits, the largest of them, and the most bytes of
#: those of all sessions, compressed. A larger content is not kept; otherwise the oldest are forgotten.
MOST_BASES = 6
LARGEST_BASE = 2_000_000
MOST_BASE_BYTES = 16_000_000
#: The most applied calls of a session that are remembered. The oldest are forgotten.
MOST_CALLS = 100
#: The most characters of the id of a workspace. A longer one is not ours.
LONGEST_WORKSPACE_ID = 80
#: The most bytes of a path in the trash. A longer one, together with that of the state directory, might exceed the
#: limit of the system, so only its last name is kept.
LONGEST_TRASH_PATH = 2000
#: The most trusted configurations that are remembered. The oldest are forgotten.
MOST_TRUSTED = 1000
#: The most commits that are looked at for one that is recorded with a text. An older one is not found.
MOST_COMMITS_COMPARED = 100
