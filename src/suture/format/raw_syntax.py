"""The raw syntax of models around calls in JSON, as it is before a server has parsed it.

A mark before the JSON names the tool: Kimi's `functions.edit:0<|tool_call_argument_begin|>`, gptme's `@patch(call-1):`,
Mistral's `[TOOL_CALLS]edit[ARGS]`, the `to=functions.edit` of gpt-oss, DeepSeek's `edit<｜tool▁sep｜>`, and
`Action: edit` on the line before `Action Input:`.
"""

from __future__ import annotations

import re

_NAME = r"([\w./-]{1,100})"
#: Marks in brackets, which are not JSON.
MARKS = r"\[(?:/?TOOL_CALLS|ARGS|CALL_ID|/?TOOL_RESULTS|AVAILABLE_TOOLS)\]"
#: How the text before a JSON value names the tool that is called with it.
_BEFORE = (
    re.compile(rf"(?:functions\.)?{_NAME}:\d{{1,6}}\s*<\|tool_call_argument_begin\|>\s*$"),
    re.compile(rf"\[TOOL_CALLS\]\s*{_NAME}\s*(?:\[CALL_ID\][\w-]{{1,100}}\s*)?\[ARGS\]\s*$"),
    re.compile(rf"\bto=(?:functions\.)?{_NAME}[^{{}}]{{0,200}}<\|message\|>\s*$"),
    re.compile(rf"(?:^|[>｜|]){_NAME}<｜tool▁sep｜>\s*$"),
    re.compile(rf"<\|tool_call>\s*call:{_NAME}\s*$"),
    re.compile(rf"^\s*@{_NAME}\([\w-]{{0,60}}\):\s*$"),
)
#: A line that names the tool of the JSON value below it.
_ABOVE = re.compile(rf"<｜tool▁sep｜>{_NAME}\s*$|^\s*Action:\s*{_NAME}\s*$")
#: What a line has where a call in JSON follows, also if its arguments are on later lines.
_OPENING = re.compile(
    r"<\|tool_call_argument_begin\|>|<\|message\|>|<｜tool▁sep｜>|<\|python_tag\|>|<\|tool_call\|>|<tool_call>|<TOOLCALL>"
    r"|<tool_calls>|<\|action_start\|>|\[TOOL_CALLS\]|functools\[|^data:|^\s*Action Input:"
    r"|^\s*@\w{1,100}\([\w-]{0,60}\):"
)
#: What gpt-oss writes before a message.
_MESSAGE = "<|message|>"
#: Special tokens of models, which may follow the end of a fence.
_TOKENS = re.compile(r"<[|｜][^<>|｜]{1,60}[|｜]>")


def tool_before(text: str) -> str:
    """The tool that the text right before a JSON value names; empty if it names none."""
    tail = text[-500:]
    for pattern in _BEFORE:
        if named := pattern.search(tail):
            return named[1]
    return ""


def tool_above(line: str) -> str:
    """The tool that a line names for the JSON value below it; empty if it names none."""
    if "Action:" not in line and "｜" not in line:
        return ""
    named = _ABOVE.search(line[-500:])
    return (named[1] or named[2]) if named else ""


def behind_message_token(line: str) -> tuple[str, str]:
    """A line of gpt-oss up to the token that its message follows, and the message; empty if that is none, or JSON."""
    before, token, message = line.rpartition(_MESSAGE)
    text = message.lstrip()
    is_text = bool(text) and (text[0] not in "{[<" or text.startswith("<<<<<"))
    return (before + token, message) if token and is_text else ("", "")


def end_token(text: str) -> str:
    """The token that ends the call whose JSON follows a text; empty if it needs none."""
    return "<|tool_call_end|>" if text.rstrip().endswith("<|tool_call_argument_begin|>") else ""


def json_follows(line: str) -> bool:
    """Whether a line has a mark after which a call in JSON begins."""
    return _OPENING.search(line) is not None


def without_tokens(text: str) -> str:
    """A text without the special tokens of models."""
    return _TOKENS.sub("", text) if "<" in text else text
