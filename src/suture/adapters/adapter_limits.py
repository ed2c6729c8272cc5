"""Limits of the adapters, each with what happens beyond it."""

from __future__ import annotations

#: The most characters of hunks that a question shows: questions are stored with each step of a conversation. Nobody is
#: asked about a change with more of them.
MOST_ASKED_CHARACTERS = 100_000
#: The most open questions that an adapter remembers. Beyond it, the oldest is forgotten.
MOST_OPEN_QUESTIONS = 1000
