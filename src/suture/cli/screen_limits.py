"""Limits of what the programs show and read, each with what happens beyond it."""

from __future__ import annotations

#: The most places of an ambiguous hunk that are shown. The others are counted.
MOST_PLACES_EXPLAINED = 5
#: How many lines around each place are shown.
LINES_AROUND_PLACE = 2
#: The most answers of the list for programs. Older ones are left out.
MOST_PRINTED_ANSWERS = 100
#: The most commits that are listed. Older ones are left out.
MOST_COMMITS_LISTED = 500
#: The most commits that are read from the history at once. Longer histories are read in several pages.
LARGEST_PAGE = 1024
#: The most lines of a deleted file that are shown. Everything that would be written is shown.
MOST_DELETED = 40
#: The most refused edits that are listed. Older ones are left out.
MOST_REFUSED = 200
#: The most lines of a block of changes in which words are compared. In a longer one, none are marked.
MOST_LINES_BY_WORD = 60
#: The most characters that can be typed. Further keys do nothing.
LONGEST_INPUT = 4000
#: The most requests with a draft of an answer. The oldest draft is dropped.
MOST_DRAFTS = 1000
#: The most lines of a hunk and of a place that are compared. The others are counted.
MOST_LINES_SIDE_BY_SIDE = 1000
#: The most rows that are all shown. Of more, those that differ are, with some around them.
MOST_ROWS_SIDE_BY_SIDE = 40
#: The most rows of a line that differs. What follows is cut off.
MOST_ROWS_OF_A_LINE = 8
#: The most bytes of all files of a directory, or of a single file. A sparse file can be larger than the memory. Beyond
#: it, the command is refused.
MOST_TREE_BYTES = 1 << 30
