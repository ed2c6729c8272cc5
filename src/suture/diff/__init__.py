"""Unified diffs, written and read, and patches from two trees."""
