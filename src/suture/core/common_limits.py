"""Limits that several folders share. The limits of one folder are in a module of its own or beside what they limit."""

from __future__ import annotations

#: The most bytes of one name in a path, as most file systems have it. A longer name is refused.
LONGEST_FILE_NAME = 255
#: The most bytes of a path, as Linux has it. A longer path is refused.
LONGEST_PATH = 4096
#: The most bytes of one input of a program: standard input, or a file with a patch. A longer input is refused. It is
#: more than the parser accepts, so that the parser can say how much too long a text is.
MOST_INPUT_BYTES = 64 * 1024 * 1024
#: The largest content of a file, in characters or bytes, that is edited, or read to show lines of it. A larger one is
#: refused.
LARGEST_CONTENT = 50_000_000
#: The most lines of a file that is edited, written, moved or deleted. A line takes some 250 bytes of memory while its
#: file is compared, so a small archive of nothing but newlines could fill the memory. A file with more is refused.
MOST_LINES = 1_000_000
