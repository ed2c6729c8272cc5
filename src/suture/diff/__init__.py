"""Unified diffs, written and read, and two trees as a patch."""
