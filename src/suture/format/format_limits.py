"""Limits of reading edits, each with what happens beyond it."""

from __future__ import annotations

#: The most lines of a text in which a path alone is no prose. Below them, it is.
MOST_LAYOUT_LINES = 1000
#: The most things that are no edits that a message names. The others are left out.
MOST_NAMED_LEFTOVERS = 3
#: The most problems that are reported. More would help nobody, and are dropped.
MOST_BLOCK_PROBLEMS = 100
#: The most values of JSON that are looked for in a text. One with more is refused.
MOST_CALL_VALUES = 10_000
#: The most tools whose names are remembered with what they say. Others are looked at again.
MOST_KNOWN_TOOLS = 1000
#: The most lines of a text for `ed` between its command and its dot. Beyond them, a dot is one of prose.
LONGEST_ED_TEXT = 1000
#: The most digits of a mode in a diff. A longer one is no mode.
LONGEST_MODE = 6
#: How often a name may have the word between two names. Of a longer line, the first pair counts.
MOST_NAME_WORDS = 20
#: The most files that a message names. The others are left out.
MOST_NAMED_FILES = 5
#: The most characters of a line that a message about a parse error shows. The rest is cut.
LONGEST_QUOTED_LINE = 120
#: The most lines of an error that repeats itself that are named. The others are counted.
MOST_NAMED_LINES = 5
#: The most characters of a line that is read as a path. A longer one has none.
LONGEST_PATH_LINE = 500
#: The most characters of the name of a call in Python. A longer name is that of no tool.
LONGEST_CALLED_NAME = 100
#: The longest call in Python that is parsed, in characters, and how often one of several lines is tried. Others are no
#: calls.
LONGEST_CALL = 1_000_000
MOST_TRIES = 50
#: The most calls in Python on a line of prose that are looked at. Others are prose.
MOST_CALLS_IN_LINE = 100
#: The longest special token of a model at the end of a call in Python that is taken off. A longer one is no token.
LONGEST_MARK = 64
#: Lists and objects inside of each other in the arguments of a call of Gemma. A call with deeper ones is refused.
DEEPEST_ARGUMENT = 20
#: The most concessions that are recorded. The rest are dropped.
MOST_CONCESSIONS = 10_000
#: The most errors of a text. After them, the rest is not read.
MOST_ERRORS = 1000
#: The most calls and texts of one stream that are put together at a time. One with more is refused.
MOST_OPEN_CALLS = 10_000
#: The most calls of one id in a log that are held against each other. Others are not taken for the same call.
MOST_OF_CALL = 100
#: The most tags around a call on its line. Behind more of them, it is no call.
MOST_AROUND = 5
#: The deepest JSON that is read, and the most values on one line.
DEEPEST_JSON = 1000
#: The deepest nesting of a log that is looked at.
DEEPEST_LOG = 12
