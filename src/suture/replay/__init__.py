"""Edits from the transcripts of coding agents: what the agent's own tool did with each, and what Suture does."""
