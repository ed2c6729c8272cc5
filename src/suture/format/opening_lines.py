"""What single lines and problems of an answer say: that an envelope begins, that a fence ends, that a diff is shown."""

from __future__ import annotations

from ..core.dialect import BEGIN
from .markers import read_marker
from .parse_fault import fault_of
from .raw_syntax import without_tokens
from .unwrap import read_command_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Problem

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


def without_indent(line: str, indent: int, *, whole: bool) -> str:
    """A line without the indentation of the fence around it; if that has to be `whole`, a line with less is as it is.

    A line of a diff that is less indented than its fence is not indented with it: its first space is its sign.
    """
    own = len(line) - len(line.lstrip(" "))
    return line if whole and own < indent else line[min(indent, own) :]


def is_illustration(problem: Problem) -> bool:
    """Whether a problem is about a diff without a file, which may only be shown to a reader."""
    return problem.reason == "no_path" and fault_of(problem).form == "unified"
