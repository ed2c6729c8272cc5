"""Limits of sessions and their tools, each with what happens beyond it."""

from __future__ import annotations

# ---- What a model is sent ----

#: The most characters of an answer. A longer one is cut, and says by how much.
MOST_OUTPUT_CHARACTERS = 30_000
#: The most lines that `read` shows at once, and characters of one line among others. The answer says how to go on.
MOST_READ_LINES = 2000
LONGEST_READ_LINE = 2000
#: The most characters that `read` shows in all, which is also what it shows of a line that is read alone.
MOST_READ_CHARACTERS = 50_000
#: The most names of a directory that `read` shows. The answer says how to go on.
MOST_READ_NAMES = 1000
#: The most files or lines that `glob` and `grep` list, and characters of a line. The rest is cut, with a mark.
MOST_MATCHES = 200
LONGEST_MATCHED_LINE = 300
#: The most changes that `history` lists. Older ones are left out.
MOST_HISTORY_ROWS = 100
#: The longest answer that shows the difference that a sketch made, in characters. A longer one says to read the file.
MOST_CHARACTERS_OF_DIFF = 6000
#: The most lines of a file that a refusal by line numbers shows. It counts the others.
MOST_REFUSED_LINES = 6
#: The most bytes of a diff that shows what has changed, and of the lines that a second refusal shows. What else such an
#: answer says needs the rest of what a model is sent. Both are cut.
MOST_STALE_DIFF = 1500
MOST_STALE_EXCERPT = 2500
#: The most characters of lines that an answer shows for a merged edit, and of those that it adds for the file's change.
#: The other lines are left out.
MOST_EDITED = 3000
MOST_CHANGED = 1500
#: The most characters of such a line. A longer one is cut.
LONGEST_MERGED_LINE = 500
#: Lines that are shown around such lines.
LINES_AROUND_MERGED = 2
#: The most bits of a number in an argument. A larger one is refused, and described by its length. A float, which is the
#: other way to write it, ends at 1,024.
MOST_NUMBER_BITS = 64

# ---- Searches ----

#: The size in bytes of the largest file that is searched, and of all files together. Others are skipped, with a note.
LARGEST_SEARCHED_FILE = 2_000_000
MOST_SEARCHED_BYTES = 200_000_000
#: The most files and directories that a walk visits. Then it ends, and the answer says so.
MOST_WALKED = 50_000
#: The most work that the names may be: characters of paths, and what the automatons of `.gitignore` files count. Then
#: the walk ends.
MOST_WALK_WORK = 20_000_000
#: The size in bytes of the largest `.gitignore` file that is used. A larger one is ignored.
LARGEST_IGNORE_FILE = 100_000
#: The most characters of a regular expression. Longer ones are refused.
LONGEST_EXPRESSION = 2_000
#: The most parts and choices of a glob. One with more is refused.
MOST_GLOB_PARTS = 50
MOST_GLOB_CHOICES = 64
#: How many searches of one session run at a time, and how many more wait. Any more are refused.
MOST_RUNNING = 2
MOST_WAITING = 30
#: How many searches of all sessions run at a time on an event loop. Each may use the memory of one `grep`. Others wait.
MOST_THREADS = 8

# ---- What a session remembers ----

#: The most changed places of a file that are remembered, and their characters. Of more, only the hash of the file is.
MOST_REMEMBERED_PLACES = 20
MOST_REMEMBERED_CHARACTERS = 20_000
#: The most results that are kept in memory to tell what has come since, and their bytes. The oldest are forgotten.
MOST_CONTENTS = 20
MOST_CONTENT_BYTES = 5_000_000
#: The most pairs of changes that are compared to tell. Of more, nothing counts as new.
MOST_COMPARED_CHANGES = 1_000_000
#: The most contents that are kept to show what has changed, and their bytes. The oldest are forgotten.
MOST_READ_CONTENTS = 100
MOST_READ_BYTES = 20_000_000
#: The most characters to search for further occurrences. With more, a place does not count as certain.
MOST_SEARCHED_CHARACTERS = 1_000_000_000
#: The most answered requests that a session remembers. The oldest is forgotten.
MOST_RESUMED = 1000
#: The most commits that subscribers are told of after each look. Of more, the newest.
MOST_FED_COMMITS = 200

# ---- Requests and answers ----

#: The most characters of a reason. A longer one is cut.
LONGEST_REASON = 500
#: The most parts of a request that show what a model wrote, lines of each, and characters of a line. The rest is cut.
MOST_SENT_PARTS = 20
MOST_SENT_LINES = 200
LONGEST_SENT_LINE = 2000
#: The most comments of an answer, and the most characters of one. An answer with more is refused.
MOST_COMMENTS = 100
LONGEST_COMMENT = 4000
#: The most files of a closed request that are named, and characters of a message that are kept. The rest is cut.
MOST_LOGGED_FILES = 20
MOST_LOGGED_CHARACTERS = 4000

# ---- Commands and servers ----

#: The most bytes that a formatter may print, unless that is less than ten times its input. Then it is stopped.
MOST_FORMATTED_BYTES = 10_000_000
#: The most messages of a run that are reported. Then one more says that there may be others.
MOST_MESSAGES = 100
#: The most characters of a message, which may have a traceback. A longer one is cut.
LONGEST_MESSAGE = 4_000
#: The most connections that strangers may have in all, and from one address. With more, their oldest ones are closed.
MOST_STRANGERS = 64
MOST_STRANGERS_OF_ADDRESS = 32
#: The most connections that may have shown the token. A request on a further one is refused.
MOST_USERS = 400
#: How many lines of the difference a model is shown for each file.
MOST_EDITED_LINES = 40
#: How many rejected hunks a model is shown, and how many lines of each.
MOST_REJECTED_LINES = 12
MOST_REJECTED_HUNKS = 10
#: How many events can wait for one subscriber.
MOST_WAITING_EVENTS = 1000
#: How many closed requests are remembered, to say in reply to a late answer what became of them.
MOST_CLOSED_REQUESTS = 1000
#: How many seconds all processes of one search may take together. Then the search is refused.
MOST_SEARCH_SECONDS = 20.0
#: How many bytes of memory a process may use. With more, the search is refused. A text of 2 MB needs about 60 MB.
MOST_SEARCH_MEMORY = 256_000_000
