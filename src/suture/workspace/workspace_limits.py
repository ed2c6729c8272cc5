"""Limits of planning, committing and undoing, each with what happens beyond it."""

from __future__ import annotations

# ---- Paths ----

#: The most words that all steps of an automaton together may have that are remembered. With more, all are forgotten.
MOST_REMEMBERED_WORDS = 400_000
#: The longest glob. It is more than a path needs in which every character is escaped. A longer one is refused.
LONGEST_GLOB = 10_000
#: The most sets of globs that are kept. With more, all are forgotten.
MOST_SHARED_GLOBS = 256
#: The most links that one path may pass through, as on Linux, and names that are looked up for it. A path with more is
#: refused.
MOST_PATH_LINKS = 40
MOST_LOOKUPS = 250
#: The largest file with settings, in bytes. A larger one is an error.
LARGEST_SETTINGS_FILE = 1_000_000

# ---- Planning ----

#: The most directories that one call may make. A call that needs more is refused.
MOST_NEW_FOLDERS = 10_000
#: The most directories that the paths of a diff may lose, and files that are looked for. With more, they stay.
MOST_STRIPPED = 8
MOST_FILES_LOOKED_FOR = 50
#: The most problems that get a search for their hunk in other files, the most files, and the most bytes. Others get no
#: hint.
MOST_PROBLEMS_SEARCHED = 20
MOST_FILES_SEARCHED = 50
MOST_SEARCH_WORK = 20_000_000
#: The most hints in one plan, and names of one directory that are compared. Beyond them, nothing is suggested.
MOST_HINTS = 20
MOST_NAMES_COMPARED = 5000
#: How often an edit is planned: once, and three times more if its file changed between the plan and the commit. Then it
#: is refused.
MOST_PLANS = 4
#: The most bytes of the files of one isolated session, with what they were before. A commit beyond it is refused.
MOST_ISOLATED_BYTES = 200_000_000

# ---- History and refused edits ----

#: The most characters of a diff that a problem of an undo shows. The rest is cut.
MOST_UNDO_CHARACTERS = 1500
#: The most earlier commits of a file that are looked at, to see whether it is as it was. With more, it is not known.
MOST_EARLIER = 100
#: The most later commits of a file that are followed back. With more, the content is not known.
MOST_LATER = 50
#: The most problems of a refused edit that are kept, places of a problem, and lines of a place. The rest is left out.
MOST_KEPT_PROBLEMS = 20
MOST_KEPT_PLACES = 5
MOST_KEPT_LINES = 60
#: How many lines around such a place are kept.
LINES_AROUND_KEPT = 3
#: The longest line of a refused edit that is kept. The rest is cut.
LONGEST_KEPT_LINE = 2000
