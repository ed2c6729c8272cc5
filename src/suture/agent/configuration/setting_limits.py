"""Limits of files of settings, each with what happens beyond it."""

from __future__ import annotations

#: The most mistakes in a file that are reported. The others are left out.
MOST_FAULTS = 50
#: The most globs with an encoding: all are matched with the path of every file. A setting with more is refused.
MOST_ENCODINGS = 100
#: The most globs of a list, and the most rules or formatters: a path is matched with all of them. More are refused.
MOST_GLOBS = 1000
MOST_TABLES = 1000
#: The most seconds or days of a setting: the system waits no longer, and more can't be written as JSON. A larger number
#: is refused.
LARGEST_NUMBER = 1_000_000_000
#: The most bytes of a setting: no file is larger. A larger number is refused.
LARGEST_SIZE = 2**63 - 1
#: The most characters and items of a wrong value that a message shows. The rest is cut.
LONGEST_VALUE = 200
#: How deep a message looks into a wrong value.
DEEPEST_VALUE = 10
