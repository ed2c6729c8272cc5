"""Stale edits: three-way merges beside `git merge-file`, on merges, pairs of edits and formatters."""
