"""Texts that go over several lines: strings, comments, here documents, and blocks of code in prose.

Lines inside of such a text have no indentation of their own, and no heading or section begins in it.
"""

from __future__ import annotations

import re

from .file_kinds import ASCIIDOC, MARKDOWN, SHELLS
from .limits import LONGEST_PARSED
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from re import Pattern

#: Each pattern finds texts of several lines, the group `text`, and what could be taken for their beginning. A text that
#: never ends is no text, but is read to the end of the file, because to look for its end again and again would take too
#: long.
_QUOTED = r"""|"(?:\\.|[^"\\\n]){0,80}+"|'(?:\\.|[^'\\\n]){0,80}+'"""
_TRIPLE = r'''"""(?:\\.|[^\\])*?(?:"""|\Z)'''
_SINGLE_TRIPLE = r"""'''(?:\\.|[^\\])*?(?:'''|\Z)"""
_REMARK = r"/\*.*?(?:\*/|\Z)"
_VERBATIM = r'@\$?"(?:[^"]|"")*+(?:"|\Z)'
_RAW_CPP = r'\bR"(?P<tag>[^()\\\s"]{0,16})\(.*?(?:\)(?P=tag)"|\Z)'
_RAW_RUST = r'\bb?r(?P<tag>\#{0,9})".*?(?:"(?P=tag)|\Z)'
_STRING_RUST = r'"(?:\\.|[^"\\])*+(?:"|\Z)'
_CHARACTER_RUST = r"|'(?:\\.[^'\n]{0,8}|[^'\\\n])'"
_HERE = r"<<[-~]?(['\"]?)(?P<mark>[A-Za-z_]\w*)\2[^\n]*\n.*?(?:\n[ \t]*(?P=mark)(?=\n|\Z)|\Z)"
_HERE_PHP = r"<<<[ \t]*(['\"]?)(?P<mark>[A-Za-z_]\w*)\2[ \t]*\n.*?(?:\n[ \t]*(?P=mark)\b|\Z)"
_LONG_LUA = r"(?:--)?\[(?P<level>=*)\[.*?(?:\](?P=level)\]|\Z)"
_FENCE_MARKDOWN = r"[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[^\n]*$|\Z)"
_FENCE_ASCIIDOC = r"(?P<fence>-{4,}|\.{4,}|`{3,})[^\n]*\n.*?(?:^(?P=fence)[ \t]*$|\Z)"

_PYTHON = re.compile(rf"(?s)#[^\n]*|(?P<text>{_TRIPLE}|{_SINGLE_TRIPLE}){_QUOTED}")
_SCRIPT = re.compile(rf"(?s)//[^\n]*|(?P<text>{_REMARK}|`(?:\\.|[^`\\])*+(?:`|\Z)){_QUOTED}")
_BRACES = re.compile(rf"(?s)//[^\n]*|(?P<text>{_REMARK}|{_TRIPLE}){_QUOTED}")
#: The endings of files, and the pattern for them. Rare ones are compiled when they are needed.
_LONG_TEXTS: Mapping[str, Pattern[str] | str] = {
    **dict.fromkeys("ex exs py pyi toml".split(), _PYTHON),
    **dict.fromkeys("cjs go js jsx mjs ts tsx".split(), _SCRIPT),
    **dict.fromkeys("java kt kts scala swift".split(), _BRACES),
    **dict.fromkeys("c cc cpp cxx h hh hpp".split(), rf"(?s)//[^\n]*|(?P<text>{_REMARK}|{_RAW_CPP}){_QUOTED}"),
    "cs": rf"(?s)//[^\n]*|(?P<text>{_REMARK}|{_TRIPLE}|{_VERBATIM}){_QUOTED}",
    "rs": rf"(?s)//[^\n]*|(?P<text>{_REMARK}|{_RAW_RUST}|{_STRING_RUST}){_CHARACTER_RUST}",
    "lua": rf"(?s)(?P<text>{_LONG_LUA})|--[^\n]*{_QUOTED}",
    "php": rf"(?s)(?P<text>{_HERE_PHP})",
    **dict.fromkeys((*SHELLS, "rb"), rf"(?s)(?P<text>{_HERE})"),
    **dict.fromkeys(MARKDOWN, rf"(?ms)^(?P<text>{_FENCE_MARKDOWN})"),
    **dict.fromkeys(ASCIIDOC, rf"(?ms)^(?P<text>{_FENCE_ASCIIDOC})"),
}
#: What only follows a quote that ends a text.
_CLOSES_TEXT = re.compile(r"(?:\"\"\"|'''|`|\")[.),;\]]")


def long_texts(body: str, path: str, ending: str) -> tuple[list[int], list[int]]:
    """Where such texts begin and end; none where a quote is missing, because then code looks like a text."""
    long_text = _LONG_TEXTS.get(ending)
    if long_text is None or len(body) > LONGEST_PARSED:
        return [], []
    matches = re.compile(long_text).finditer(body)
    texts = [match.span("text") for match in matches if match["text"] and "\n" in match["text"]]
    spans = [(start, end) for start, end in texts if end < len(body)]
    if not spans or not _is_whole(body, path, ending, spans):
        return [], []
    return [start for start, _ in spans], [end for _, end in spans]


def _is_whole(body: str, path: str, ending: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether every text begins and ends where it seems to.

    A missing quote turns code into text, so that lines in it are less deep than the line that seems to begin it. Only
    then is the file parsed, which takes long.
    """
    if ending not in ("py", "pyi"):
        return not any(_CLOSES_TEXT.match(body, start) for start, _ in spans)
    if not any(_is_outdented(body, start, end) for start, end in spans):
        return True
    return fault_in(path, body) is None


def _is_outdented(body: str, start: int, end: int) -> bool:
    """Whether a text has a line that is less deep than the line in which it begins, or a definition at its depth."""
    line = body[body.rfind("\n", 0, start) + 1 : start]
    width = len(line) - len(line.lstrip())
    below = body[body.find("\n", start) : end]
    outdented = rf"\n[ \t]{{0,{width - 1}}}[^\s]" if width else r"\n(?:async def|class|def)\b"
    return re.compile(outdented).search(below) is not None
