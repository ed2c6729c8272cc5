"""Edits in the text of a message of a transcript: what the model said, not what it called.

Only messages of the model are read, and only in a transcript without a call that changes files: beside such a call, the
text is likely to show the same edit. What the user, the system or a tool says is not an edit.
"""

from __future__ import annotations

import re

from ..core.problems import PatchInvalidError
from .call_arguments import CallError
from .transcript_roles import MODEL_ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..core.patch import Operation
    from .diff_argument import TextReader

_TEXT_PARTS = ("text", "output_text")
#: What an edit in a text has at least.
_MARKS = re.compile(
    r"^(?:\*\*\* ?Begin|-{5,} ?SEARCH|--- |diff --git |@@)|[<{\[]|tool_code|TOOL_NAME:|^\s*edit |str_replace_editor "
    r"|^(?:```|~~~)(?:save|append) |\w\(\s*[\w\"']",
    re.MULTILINE,
)


def spoken_texts(item: Mapping[str, Any]) -> list[str]:
    """The texts of a message of the model that may have edits; none if an object is no such message."""
    role = item.get("role") or item.get("author") or item.get("from")
    if role not in MODEL_ROLES:
        return []
    said = item.get("content") if "content" in item else item.get("value")
    return [text for text in _texts(said) if _MARKS.search(text)]


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
                yield part["text"]


def read_spoken(text: str, line: int, read_text: TextReader) -> list[Operation]:
    """The edits in the text of a message.

    Raises:
        CallError: it has one that can't be read.
    """
    try:
        patch = read_text(text, None, "")
    except PatchInvalidError as invalid:
        problem = invalid.problems[0]
        message = f"An edit in the text of a message can't be read. {problem.message}"
        raise CallError(message, problem.hint) from invalid
    return [operation.replace(line=line) for operation in patch.operations]
