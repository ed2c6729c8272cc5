"""Limits of batches, each with what happens beyond it."""

from __future__ import annotations

#: How often a row may lose its worker before it is reported: a worker can also be killed by somebody else.
MOST_ATTEMPTS = 2
