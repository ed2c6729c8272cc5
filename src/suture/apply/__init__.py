"""From matches to new text, in memory: updates by hunks, string edits, and what new text may not bring in."""
