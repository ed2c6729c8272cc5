"""Limits of linters and language servers, each with what happens beyond it."""

from __future__ import annotations

#: The most documents that are open at once. The least recently written are closed.
MOST_DOCUMENTS = 64
#: The most pushes that come before the answer to a pull. Then the client stops pulling.
MOST_UNANSWERED = 3
#: The most bytes of a command's output. One that prints more is reported as failed.
MOST_LINTER_BYTES = 4_000_000
#: The largest frame, and the most bytes that are accepted between two answers. Beyond it, the connection is closed.
LARGEST_SERVER_MESSAGE = 64_000_000
#: The most bytes that can wait for a server that does not read. Beyond it, the connection is closed.
MOST_UNREAD = 64_000_000
#: The most bytes of a frame's header. A longer one is an error of the server.
LONGEST_FRAME_HEADER = 4096
#: The most lines of those that a diagnostic covers that are compared. The others do not count.
MOST_COVERED_LINES = 200
#: The most failures of a server within its time. After them, it is not restarted.
MOST_FAILURES = 5
#: The most characters of a text that is sent to a server. A longer one is not.
LONGEST_SERVED_TEXT = 5_000_000
#: LSP positions are smaller than this. A larger one is an error of the server.
MOST_UNITS = 2**31
#: The most diagnostics of a file that are compared. With more, it would take too long, and none are.
MOST_DIAGNOSTICS = 5_000
#: The most diagnostics of a file that are shown. The others are counted.
MOST_SHOWN_DIAGNOSTICS = 20
#: The most characters of a message and of its code that are shown. The rest is cut.
LONGEST_DIAGNOSTIC = 300
LONGEST_DIAGNOSTIC_CODE = 80
#: The most other changed files that are checked together with an edited one, and their bytes. Others are left out.
MOST_OTHERS = 50
MOST_OTHER_BYTES = 2_000_000
#: The most files of a directory that is scanned. One with more is not: it would take too long after each edit.
MOST_WATCHED_FILES = 20_000
