"""How much a message shows. Beyond a limit, a text is cut or left out, and a mark says so."""

from __future__ import annotations

#: The most lines of one listing that are all shown. Of more, those that differ are, and some around them.
MOST_SHOWN_LINES = 20
#: The most places that are listed. The others are given by their line numbers.
MOST_LISTED = 10
#: Characters of a line that a message shows; of one that differs, and around the difference in it; of an `@@` line.
LONGEST_SHOWN = 160
LONGEST_COMPARED_SHOWN = 1000
BEFORE_DIFFERENCE = 60
LONGEST_HEADER = 80
#: Bytes that the problems of one update may take, what each needs beside lines of the file, and the least for these.
ANSWER_ROOM = 3700
FRAME_ROOM = 450
LEAST_ROOM = 400
#: Lines whose two versions are shown if there is little room, and the most lines that are tried then.
MOST_COMPARED = 3
MOST_DIFFERING = 200
#: Line numbers that a message lists, and characters that it names if two lines do not differ in more than `MOST_ODD`.
MOST_NUMBERS = 5
MOST_NAMED = 3
MOST_ODD = 4
#: Lines that are shown around one that matters.
LINES_AROUND = 2
#: Lines that are shown around a place of a conflict.
LINES_AROUND_MEETINGS = 1
#: The most places of a conflict that a message shows, and lines of each text at a place. The rest is cut.
MOST_MEETINGS = 3
MOST_MEETING_LINES = 12
#: The longest line in which words are compared. In a longer one, none are marked.
LONGEST_BY_WORD = 400
