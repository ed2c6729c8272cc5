"""Limits that several folders share, and those of the values, each with what happens beyond it."""

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
#: The most bytes that a text for a model may have. A longer one is cut.
MODEL_TEXT_LIMIT = 4000
#: For reading contents of any size, such as those that a commit has written, and lists of any length.
NO_LIMIT = 1 << 62
#: The most characters of a text from outside on one line. A longer one is cut.
LONGEST_OUTSIDE_TEXT = 300
#: The most characters of a path that a message shows. A longer one is cut.
LONGEST_SHOWN_PATH = 200
#: The most pairs of lines that are compared in full. A larger block counts as removed and added.
MOST_LINE_PAIRS = 25_000_000
#: The most lines that are compared at once to find where two texts begin to differ. Longer ones take several steps.
LONGEST_STEP = 65536
#: The largest notebook that is read as cells, in characters. A larger one is refused.
LARGEST_NOTEBOOK = 50_000_000
#: The most characters of an id or a kind of a cell that are shown. The rest is cut.
LONGEST_CELL_NAME = 60
#: The most work that the names of keys in TOML may cost. The parser's time for a name grows with the square of its
#: parts: beyond it, a text is refused.
MOST_KEY_WORK = 25_000_000
#: How deep tables of TOML may be nested. Whoever walks a deeper content may run out of stack, so it is refused.
MOST_NESTED_TABLES = 100
#: The most marks on top of one another that are shown as they are: terminals leave out further ones. These are shown as
#: codes.
MOST_MARKS = 2
#: How many directories deep a path may be that is made or searched. Making a deeper one is refused, and a search leaves
#: it out. A path of 4,096 bytes could have 2,000 directories, and every later walk would pay for each of them.
DEEPEST_FOLDER = 100
