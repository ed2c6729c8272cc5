"""Entries of ours in a list of a YAML file, as lines between two marks. Everything else keeps its bytes.

There is no YAML parser here: whole lines are added at a place that a plain file has, and any other file is refused. A
plain file is a block mapping: each line that is not indented is a key, an item of a list or a comment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN = "# Begin: written by `suture install`"
END = "# End: written by `suture install`"
#: A line of a block mapping that is not indented.
_KEY = re.compile(r"[A-Za-z_][\w-]*:(\s|$)")
_FIRST_LINE = re.compile(rf"^ *{re.escape(BEGIN)}\r?\n", re.MULTILINE)
_LAST_LINE = re.compile(rf"^ *{re.escape(END)}(\r?\n|\Z)", re.MULTILINE)
#: Blank lines and comments, and the beginning of an item.
_FIRST_ITEM = re.compile(r"(?:[^\S\n]*+\n| *+#.*+\n)*+(?P<indent> *)-\s")
_ITEM = re.compile(r"-(\s|$)")
_OTHER_ITEM = re.compile(r" +-\s")
#: Blank lines and comments to the next key or the end, behind a key that has nothing.
_NOTHING = re.compile(r"(?:[^\S\n]*+\n| *+#.*+\n)*+(?=[A-Za-z_]|\Z)")


class YamlTextError(ValueError):
    """A file into which no entries can be put."""


def with_entries(text: str, key: str, entries: Sequence[str]) -> str:
    """The text with items, given as lines without indentation, at the beginning of the list of a key.

    Raises:
        YamlTextError: the file is not a plain one, or the key has no list of lines.
    """
    text = without_entries(text)
    _check_plain(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    key_line = re.search(rf"^{key}:(?P<value>.*)\n", text, re.MULTILINE)
    if key_line is None:
        if re.search(rf"^{key}:", text, re.MULTILINE):
            message = f"has no list at {key}"
            raise YamlTextError(message)
        start = newline if text and not text.endswith("\n") else ""
        block = [BEGIN, f"{key}:", *[f"  {line}" for line in entries], END]
        return f"{text}{start}{newline.join(block)}{newline}"
    value = key_line["value"].strip()
    rest = text[key_line.end() :]
    item = _FIRST_ITEM.match(rest)
    if value in ("", "[]") and _NOTHING.match(rest):
        before = f"{text[: key_line.start()]}{key}:{newline}"
        indent = "  "
    elif item is not None and (not value or value.startswith("#")):
        before = text[: key_line.end()]
        indent = item["indent"]
    else:
        message = f"has no list of lines at {key}"
        raise YamlTextError(message)
    return before + "".join(f"{indent}{line}{newline}" for line in (BEGIN, *entries, END)) + rest


def without_entries(text: str) -> str:
    """The text without the lines between the marks, and without these. A key that got other items stays."""
    kept: list[str] = []
    done = 0
    while (first := _FIRST_LINE.search(text, done)) and (last := _LAST_LINE.search(text, first.end())):
        kept.append(text[done : first.start()])
        ours = text[first.start() : last.end()]
        key = re.search(r"^\w+:\r?\n", ours, re.MULTILINE)
        has_other_items = _OTHER_ITEM.match(text, last.end()) is not None
        if key and has_other_items:
            kept.append(key[0])
        done = last.end()
    kept.append(text[done:])
    return "".join(kept)


def _check_plain(text: str) -> None:
    """Check that a text is a block mapping whose keys are not indented."""
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if lines and lines[0].rstrip() == "---":
        del lines[0]
    begins_well = not lines or _KEY.match(lines[0]) is not None
    if not begins_well or not all(line[0] == " " or _KEY.match(line) or _ITEM.match(line) for line in lines):
        message = "is not a plain block mapping"
        raise YamlTextError(message)
