"""A diff or blocks inside an argument of a call: the same forms as in an answer, for the file that the call names."""

from __future__ import annotations

import re

from ..core.dialect import ADD, BEGIN, END, UPDATE
from ..core.problems import PatchInvalidError
from .call_arguments import CallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ..core.patch import Operation, Patch

    #: Reads a text in a form, or in any, with the path of edits that name none.
    TextReader: TypeAlias = Callable[[str, str | None, str], Patch]

#: What only a unified diff has at the start of a line.
_UNIFIED = re.compile(r"^(?:diff --git |--- |@@ -\d)", re.MULTILINE)
#: The header of a section of hashline.
_HASHLINE = re.compile(r"^\[[^\[\]#\n]{1,1000}#[0-9A-Za-z]{2,16}\]\s*$", re.MULTILINE)
#: The marker that the hints of Roo Code follow.
_SEARCH = re.compile(r"^<<<<<<< SEARCH$", re.MULTILINE)
_BLOCK = re.compile(r"^\s*(?:<{3,}|-{5,}) ?(?:SEARCH|ORIGINAL)", re.MULTILINE)


def read_diff_argument(
    text: str, path: str, line: int, read_text: TextReader, *, is_new: bool = False
) -> list[Operation]:
    """The operations of a text that is an envelope, blocks, a unified diff, or the hunks of a section of an envelope.

    `path` is the file of blocks and hunks that name none; `is_new` says that the hunks add it.

    Raises:
        CallError: it can't be read.
    """
    try:
        if BEGIN in text:
            patch = read_text(text, None, "")
        elif _BLOCK.search(text):
            patch = read_text(text, "search-replace", path)
        elif _HASHLINE.search(text):
            patch = read_text(text, "json", "")
        elif _UNIFIED.search(text):
            patch = read_text(text, "unified", path)
        elif path:
            patch = read_text(_section(text, path, is_new=is_new), None, "")
        else:
            message = "The argument of the call has no edit that can be read."
            raise CallError(message)
        if not patch.operations:
            message = f"The diff of the call{f' for {path}' if path else ''} has no edits."
            raise CallError(message)
    except PatchInvalidError as invalid:
        problem = invalid.problems[0]
        message = f"The diff of the call{f' for {path}' if path else ''} can't be read. {problem.message}"
        raise CallError(message, problem.hint) from invalid
    other = next((one.path for one in patch.operations if path and one.path != path and not _same(one.path, path)), "")
    if other and len(patch.operations) == 1:
        message = f"The call is for {path}, but its diff is for {other}."
        raise CallError(message, "Keep the path that is meant.")
    return [operation.replace(line=line) for operation in patch.operations]


def joined_diffs(value: object) -> str:
    """The diffs of a list as one; empty if it is none. An item is a text, or an object with it and its first line."""
    diffs = [_diff_of_item(one) for one in value] if isinstance(value, list) else []
    return "\n".join(diffs) if all(diffs) else ""


def _diff_of_item(item: object) -> str:
    if isinstance(item, str):
        return item
    text, line = (item.get("content"), item.get("start_line")) if isinstance(item, dict) else (None, None)
    if not isinstance(text, str):
        return ""
    has_line = isinstance(line, int) and ":start_line:" not in text
    return _SEARCH.sub(rf"\g<0>\n:start_line:{line}\n-------", text, count=1) if has_line else text


def _same(one: str, other: str) -> bool:
    """Whether two paths may name the same file: one of them may be absolute, or have the prefix of a diff."""
    return one.removeprefix("a/").endswith(other.removeprefix("./")) or other.endswith(one.removeprefix("./"))


def _section(text: str, path: str, *, is_new: bool) -> str:
    """An envelope around the lines of one section, which has them without its header."""
    body = text.rstrip("\n")
    lines = body.split("\n")
    if is_new:
        if not all(line.startswith("+") for line in lines if line):
            body = "\n".join([f"+{line}" for line in lines])
        return f"{BEGIN}\n{ADD}{path}\n{body}\n{END}\n"
    return f"{BEGIN}\n{UPDATE}{path}\n{body}\n{END}\n"
