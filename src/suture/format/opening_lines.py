"""What single lines of an answer say: that an envelope begins, or that a fence ends."""

from __future__ import annotations

from ..core.dialect import BEGIN
from .markers import read_marker
from .raw_syntax import without_tokens
from .unwrap import read_command_prefix

#: What may be on the line of a block's opening marker in markup.
_TAGS = ("<diff>", "<content>", "<![CDATA[")


def begins_envelope(line: str) -> bool:
    """Whether a line begins an envelope, maybe with a command before it."""
    if "patch" not in line.lower():
        return False
    marker = read_marker(line, padded=True, lenient=True)
    return (marker is not None and marker[0] == BEGIN) or read_command_prefix(line) is not None


def without_tags(line: str) -> str:
    """A marker without the tags of markup before it."""
    for tag in _TAGS:
        if tag in line[:100]:
            line = line.partition(tag)[2]
    return line


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line closes a fence: at least as many of the same marks, and nothing else."""
    text = without_tokens(line).strip()
    return text.startswith(fence) and not text.strip(fence[0])
