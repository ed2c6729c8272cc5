"""Limits of the MCP server and of `suture install`, each with what happens beyond it."""

from __future__ import annotations

#: How often one call may ask: for a directory outside, for reading, for the edit, and again after a typing error. After
#: that it is refused.
MOST_ROUNDS = 8
#: The most commits that are listed, and the most characters of one. Older ones are left out, and longer ones cut.
MOST_RESOURCES = 50
MOST_RESOURCE_CHARACTERS = 100_000
#: How deep values may be nested. A deeper file is not a file of settings, and is refused.
MOST_NESTED_VALUES = 100
#: The most characters of the hunks in a form. Hunks behind them can't be approved there.
MOST_FORM_CHARACTERS = 30_000
#: The most characters of a person's message to the model. The rest is cut.
MOST_SAID = 2000
#: The largest message of a client, in bytes. A larger one is refused.
LARGEST_CLIENT_MESSAGE = 16 * 1024 * 1024
#: The most sessions. The longest idle one is ended for a new one; if none is idle, the call is refused.
MOST_SESSIONS = 1000
#: How many seconds a client may take to list its roots. A client that takes longer has none.
MOST_SECONDS_FOR_ROOTS = 10.0
#: The most open questions that a session remembers. The oldest is withdrawn.
MOST_QUESTIONS = 100
#: The most characters of a client's name in the history. A longer one is cut.
LONGEST_CLIENT_NAME = 60
#: The most digits of a part of a client's release. A release with a longer part is not known.
MOST_RELEASE_DIGITS = 9
#: The largest file, in bytes, in which a client keeps what it trusts. Of a larger one, nothing is known.
LARGEST_TRUST_FILE = 20_000_000
#: The most commits of a file of settings that are looked at for what earlier setups wrote. Older ones are not known.
MOST_SETUPS = 1000
