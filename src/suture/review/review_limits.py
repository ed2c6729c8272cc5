"""Limits of the review page and its API, each with what happens beyond it."""

from __future__ import annotations

# ---- What is sent at once ----

#: The most unchanged lines that are sent at once. A page asks again for more.
MOST_UNCHANGED_LINES = 500
#: The most rows of a hunk, and of all hunks of a request or a commit, that are sent before a reader asks for more.
MOST_ROWS = 300
MOST_ROWS_IN_ALL = 2000
#: The most rows that are sent at once if a reader asks for more.
MOST_ROWS_AT_ONCE = 2000
#: The most characters of a line that are sent before a reader asks for all of it.
LONGEST_ROW = 2000
#: The most pairs of removed and added lines that are compared to find which belong together, in a block and in a hunk.
#: With more, they are shown one below the other.
MOST_ROW_PAIRS = 900
MOST_PAIRS_IN_HUNK = 20_000
#: The most pairs of characters in lines whose words are compared, in a hunk. With more, no words are marked.
MOST_WORD_WORK = 10_000_000
#: The most files of a request or a commit that are sent at once, and of a row in a list. A page asks for the others.
MOST_SENT_FILES = 200
MOST_ROW_NAMES = 5
#: The most paths of a row in a list, for a search in it. The request itself has all of them.
MOST_ROW_PATHS = 50
#: The most files of a commit that are followed back to what they were. The others have no text around their hunks.
MOST_TRACED = 20
#: The longest text of a file that is sent at once or taken, in characters. A longer one is refused.
LONGEST_SHOWN_TEXT = 400_000
#: The most answers that are taken at once. A call with more is refused.
MOST_ANSWERS = 200
#: The most bytes of the body of a request. A larger one is refused with the status 413.
LARGEST_REQUEST_BODY = 1_000_000

# ---- Texts and pictures ----

#: The largest file of which texts are shown, in bytes. Of a larger one, only the hunks are.
LARGEST_TEXT = 5_000_000
#: The largest picture that is sent, in bytes. A larger one is shown as any other binary file.
LARGEST_PICTURE = 5_000_000
#: The most points of a picture that is drawn, and the most passes of a JPEG: each takes as long as a picture. One with
#: more is shown as any other binary file.
MOST_PICTURE_POINTS = 40_000_000
MOST_PICTURE_PASSES = 30
#: The most lines above a hunk that are looked at for the name of its function. If it is further up, there is none.
MOST_LINES_ABOVE = 2000
#: The longest name of a function that is shown. The rest is cut.
LONGEST_SECTION_NAME = 120
#: The longest text that is colored, in characters. A longer one is plain.
LONGEST_COLORED_TEXT = 400_000
#: The most texts whose colors are kept. The oldest are forgotten.
MOST_COLORED_TEXTS = 64

# ---- Lists ----

#: The most pending requests that are listed. The oldest are left out.
MOST_PENDING = 1000
#: The most files that a pattern covers that are listed, and that are looked at. The page says that there may be more.
MOST_COVERED = 200
MOST_VISITED = 50_000
#: The most requests that have gone that are remembered. A page that has missed more is sent the whole list.
MOST_GONE = 5000
#: The most outcomes of edits at another place that are remembered. The oldest are forgotten.
MOST_OUTCOMES = 200
#: The most requests that a notification names, and characters of each. The others are counted.
MOST_NOTIFIED = 3
LONGEST_NOTIFIED = 120
#: The most commits that one look goes through. Older ones are not found.
MOST_SEARCHED_COMMITS = 10_000
#: The most commits of a file that a blame goes back, and the most lines that it has. Others have no commit.
MOST_BLAMED = 500
MOST_BLAMED_LINES = 20_000
#: How long one text may take, in seconds, and how many bytes of memory it may need.
MOST_COLOR_SECONDS = 6.0
MOST_COLOR_MEMORY = 700_000_000
