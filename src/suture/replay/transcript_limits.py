"""Every limit of reading and replaying transcripts, each with what happens beyond it.

Transcripts and repositories are written by others, so that each of these bounds what a hostile one can cost.
"""

from __future__ import annotations

# ---- Transcripts ----

#: The most files below a directory that are looked at. The others are left out.
MOST_TRANSCRIPT_FILES = 200_000
#: The bytes at the start of a file that tell which agent wrote it.
TRANSCRIPT_HEAD = 1 << 16
#: The most bytes of a transcript, and of one of its lines. What is longer is counted and skipped.
LARGEST_TRANSCRIPT = 1 << 29
LONGEST_TRANSCRIPT_LINE = 1 << 26
#: The most bytes of JSON that are parsed at once. More is counted and skipped.
LARGEST_JSON = 1 << 27
#: The most calls and turns of transcripts that are read together. The others are left out.
MOST_ITEMS = 1_000_000
#: The most characters that are kept of a tool's answer. The rest is cut off.
LONGEST_ANSWER = 2000
#: The most characters that are kept of the name of an unknown record, and the most names. Others count as one.
LONGEST_RECORD_NAME = 60
MOST_RECORD_NAMES = 200
#: The most files of a patch that are looked at. The others are left out.
MOST_PATCH_SECTIONS = 2000
#: The most characters of a shell command that is looked into. A longer one may do anything.
LONGEST_COMMAND = 2000

# ---- The database of OpenCode ----

#: The most seconds that a database may take. What was read until then counts.
DATABASE_SECONDS = 120.0
#: The most bytes of memory for the process that reads it, of which a value of the largest size needs half.
DATABASE_MEMORY = 1_000_000_000
#: The most bytes of a line that describes a row. A longer one ends the reading.
LONGEST_ROW_HEAD = 40_000
#: How many bytes all values may have for each byte of the file: UTF-16 becomes UTF-8. With more, the reading ends.
DATABASE_GROWTH = 2

# ---- Repositories ----

#: The most branches of checkpoints that are read. The others are counted.
MOST_BRANCHES = 1000
#: The most versions of a file that are tried, and the most versions of a transcript that are read.
MOST_VERSIONS = 100
MOST_TRANSCRIPT_VERSIONS = 20
#: The most bytes of a version of a file. A larger one is no version.
LARGEST_VERSION = 1 << 24
#: The most bytes of files that are kept for the next edit. With more, all are forgotten.
MOST_VERSIONS_BYTES = 1 << 27
#: The newest commits, in which the versions of files are looked for. Older ones are not.
MOST_HISTORY_COMMITS = 100_000
#: The most bytes of the lists of branches, commits and files that git makes of one repository. A tree can hold another
#: one many times, so a few hundred bytes can stand for billions of files. With more, git is stopped.
MOST_LISTED_BYTES = 1 << 27
#: The most bytes of memory for git, which keeps all that it lists of one commit until it has all of it.
GIT_MEMORY = 1 << 30
#: The most bytes that are kept of what git says when it fails.
LONGEST_GIT_ERROR = 10_000
#: The most seconds for one run of git, or one file that it reads: a repository may have a pipe in place of a file.
GIT_SECONDS = 600.0
#: The same for the texts of `suture apply --base`, for which somebody waits. The patch is refused then.
GIT_SECONDS_FOR_A_BASE = 30.0
#: The most repositories that are kept open, and directories whose repository is looked for.
MOST_REPOSITORIES = 50
MOST_REPOSITORY_FOLDERS = 10_000

# ---- Files before an edit ----

#: How many items after a rejected edit its follow-up is looked for in.
LONGEST_FOLLOW_UP = 200
#: The most characters of all versions of files that the edits of a session lead to. Later files are not certain.
MOST_REBUILT = 1 << 28
#: The least length of the id of a call that is its own, and no number within a session.
LEAST_UNIQUE_ID = 16
#: The most directories of a path that are compared with relative paths.
MOST_PATH_PARTS = 40
#: The most digits of a line number in a recorded diff. A diff with a longer one does not fit.
LONGEST_LINE_NUMBER = 9

# ---- Reports ----

#: The most edits that a report lists. The others are only counted.
MOST_ENTRIES = 2000
#: The most characters of a difference and of an answer that are kept.
LONGEST_ENTRY_TEXT = 20_000
#: The most edits of each list on the page, and characters of each text.
MOST_ON_PAGE = 300
LONGEST_ON_PAGE = 6000
#: The most characters of the ending of a name that a redacted report shows.
LONGEST_ENDING = 6
#: How many rows of a Parquet file are written together.
EXPORT_ROWS = 1000

# ---- Readers and reports ----

#: The most characters of a line that Aider printed. The rest is cut.
LONGEST_PRINTED = 500
#: The most tools that are counted one by one. The others are counted as one.
MOST_SHAPES = 500
