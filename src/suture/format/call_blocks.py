"""Reading tool calls out of an answer or a log: JSON values, and the markup of `<invoke>` and `<write_to_file>`.

A JSON value may span lines; where it ends is found by counting brackets outside of strings, once over the text. A value
without an edit in it is prose.
"""

from __future__ import annotations

import re

from ..core.advice import Copy
from .blocks import Block
from .tool_calls import CallError, envelopes_in, operations_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Operation
    from ..core.problems import Advice
    from .sections import ParserState
    from .tool_calls import CallLog

_TOKENS = re.compile(r'"(?:[^"\\]++|\\.?)*+("|$)|[{}\[\]]')
_REST_OF_STRING = re.compile(r'(?:[^"\\]++|\\.?)*+("|$)')
#: Argument names that make a broken JSON text an edit that was meant.
_ARGUMENTS = ("old_string", "oldString", "old_str", "new_string", "newString", "new_str", "file_text", "oldText")
_INVOKE = re.compile(r"""(?<!`)<(?:\w{1,20}:)?invoke name=(?:"([^"]{1,100})"|'([^']{1,100})')>""")
_TOOLS = (
    "write_to_file",
    "write_file",
    "create_file",
    "edit_file",
    "str_replace_editor",
    "str_replace_based_edit_tool",
)
_OPENING_TOOL = re.compile(rf"<({'|'.join(_TOOLS)})>")
_PARAMETER = re.compile(
    r"""<(?:\w{1,20}:)?parameter(?: [^<>]{0,100})? name=(?:"([^"]{1,100})"|'([^']{1,100})')[^<>]{0,100}>"""
)
_CHILD = re.compile(r"<([a-zA-Z_]{1,40})>")
_BRACKET = re.compile(r"[{\[]")
#: The deepest JSON that is read, and the most values on one line.
_DEEPEST_JSON = 1000
_MOST_VALUES = 10_000


def json_start(line: str) -> int:
    """Where a JSON value may begin in a line: -1 if nowhere."""
    text = line.lstrip()
    if text[:1] in ("{", "["):
        # A list of tasks, a link or a section of an INI file is not JSON.
        after = text[1:].lstrip()
        if not after or after[0] in '{["':
            return len(line) - len(text)
    at = line.find('{"') if '{"' in line else line.find("{'")
    return at if at >= 0 and any(name in line for name in _ARGUMENTS) else -1


def markup_of(line: str) -> tuple[str, str] | None:
    """The tool that a line of markup calls, and its closing tag."""
    if "<" not in line:
        return None
    if invoke := _INVOKE.search(line):
        return invoke[1] or invoke[2], f"</{invoke[0][1:].partition(' ')[0]}>"
    tool = _OPENING_TOOL.match(line.strip())
    return (tool[1], f"</{tool[1]}>") if tool else None


class JsonBlock(Block):
    """The JSON values that begin on one line. `form` is the envelope's where they have nothing but an envelope."""

    form = "json"
    name = "a tool call in JSON"
    ends_with_fence = True

    def __init__(self, state: ParserState, log: CallLog) -> None:
        super().__init__(state)
        self._log = log
        self._lines: list[str] = []
        self._depth = 0
        self._in_string = False
        self._complete = False
        self._operations: list[Operation] = []
        #: What is wrong with an edit in it, or why it is not JSON although it was meant to be.
        self._error = ""
        self._hint: Advice = Copy("the call again, as one JSON object with all its strings quoted.")

    @property
    def is_complete(self) -> bool:
        """Whether all values are complete."""
        return self._complete

    def read(self, line: str) -> bool:
        """Take a line; False once the nesting is too deep."""
        at = 0
        if self._in_string:
            rest = _REST_OF_STRING.match(line)
            assert rest is not None, "BUG: it matches any text"
            at, self._in_string = rest.end(), rest[1] != '"'
        for token in _TOKENS.finditer(line, at):
            mark = token[0][0]
            if mark == '"':
                self._in_string = token[1] != '"'
            else:
                self._depth = max(0, self._depth + (1 if mark in "{[" else -1))
        self._lines.append(line)
        if not self._depth:
            self._complete = True
            self._load("\n".join(self._lines))
        return self._depth <= _DEEPEST_JSON

    def _load(self, text: str) -> None:
        from json import JSONDecoder

        decoder = JSONDecoder(strict=False)
        envelopes: list[str] = []
        at = 0
        for _ in range(_MOST_VALUES):
            opening = _BRACKET.search(text, at)
            if opening is None:
                break
            try:
                value, at = decoder.raw_decode(text, opening.start())
                self._operations += operations_in(value, self.line, self._log)
                envelopes += envelopes_in(value)
            except CallError as error:
                self._error, self._hint = str(error), error.hint
                return
            except (ValueError, RecursionError) as error:
                self._error = self._meant(text, f"This looks like a tool call, but it is not valid JSON: {error}.")
                return
        if not self._operations and len(envelopes) == 1:
            self.form = "envelope"
            self._operations += _read_envelope(envelopes[0], self.state)

    def _meant(self, text: str, message: str) -> str:
        """The message, if the text was meant to be an edit."""
        return message if any(f'"{name}"' in text or f"'{name}'" in text for name in _ARGUMENTS) else ""

    def operations(self) -> Sequence[Operation]:
        """The operations, once the value is complete."""
        return self._operations

    def finish(self) -> Sequence[Operation]:
        """The operations of the value."""
        if not self.is_complete:
            self._error = self._meant(
                "\n".join(self._lines), "This tool call is not complete: it may have been cut off."
            )
        if self._error:
            self.error(self._error, self._hint)
        return self._operations


class MarkupBlock(Block):
    """Calls as markup, from an opening tag to the closing one, and further ones on its line.

    Texts are taken as they are. `form` is the envelope's where they have nothing but an envelope.
    """

    form = "xml"
    name = "a tool call in markup"

    def __init__(self, state: ParserState, log: CallLog, tool: str, closing: str) -> None:
        super().__init__(state)
        self._log = log
        self._tool = tool
        self._closing = closing
        self._lines: list[str] = []
        self._closed = False

    @property
    def is_complete(self) -> bool:
        """Whether the closing tag was read."""
        return self._closed

    def read(self, line: str) -> bool:
        """Take a line."""
        self._lines.append(line)
        _, closing, rest = line.rpartition(self._closing)
        self._closed = bool(closing) and not rest.lstrip().startswith(self._closing.replace("/", "").rstrip(">"))
        return True

    def operations(self) -> Sequence[Operation]:
        """The operation, once all of its texts are there."""
        try:
            return self._read_call() if self._closed else ()
        except CallError:
            return ()

    def finish(self) -> Sequence[Operation]:
        """The operation of the call."""
        hint = Copy("the call again, with every tag closed.")
        if not self._closed:
            self.error(f"This call of {self._tool} has no {self._closing}; it may have been cut off.", hint)
            return ()
        try:
            return self._read_call()
        except CallError as error:
            self.error(str(error), error.hint)
        return ()

    def _read_call(self) -> Sequence[Operation]:
        text = "\n".join(self._lines)
        if _INVOKE.search(text):
            calls = list(_calls(text, self._closing))
        else:
            inner = text[text.find(">") + 1 : text.rfind(self._closing)]
            if re.search(rf"{self._closing}\s*<", inner):
                message = f"There are several calls of {self._tool} on one line."
                raise CallError(message, "Put each call on a line of its own.")
            calls = [(self._tool, _children(inner))]
        values = [{"name": tool, "input": arguments} for tool, arguments in calls]
        operations = operations_in(values, self.line, self._log)
        envelopes = envelopes_in(values)
        if operations or len(envelopes) != 1:
            return operations
        self.form = "envelope"
        return _read_envelope(envelopes[0], self.state)


def _read_envelope(text: str, state: ParserState) -> Sequence[Operation]:
    """The operations of an envelope that was an argument of a call."""
    from ..core.problems import PatchInvalidError
    from .envelope import parse_envelope

    try:
        return parse_envelope(text, state.dialect).operations
    except PatchInvalidError as invalid:
        state.problems += invalid.problems
        return ()


def _without_cdata(value: str) -> str:
    """A value without the section that protects it from being read as markup."""
    inner = value.strip()
    is_wrapped = inner.startswith("<![CDATA[") and inner.endswith("]]>") and inner.count("<![CDATA[") == 1
    return inner.removeprefix("<![CDATA[").removesuffix("]]>") if is_wrapped else value


def _calls(text: str, closing: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The calls in `<invoke name="…">` tags, each with its arguments in `<parameter name="…">` tags."""
    at = 0
    while invoked := _INVOKE.search(text, at):
        arguments: dict[str, str] = {}
        at = invoked.end()
        while opening := _PARAMETER.search(text, at):
            if text.find(closing, at, opening.start()) >= 0:
                break
            name, end_tag = opening[1] or opening[2], f"</{opening[0][1:].partition(' ')[0]}>"
            end = text.find(end_tag, opening.end())
            if end < 0:
                message = f"The parameter {name} is not closed."
                raise CallError(message)
            arguments[name] = _without_cdata(text[opening.end() : end])
            at = end + len(end_tag)
        yield invoked[1] or invoked[2], arguments


def _children(text: str) -> dict[str, str]:
    """The arguments in tags of their own names; a newline after the opening and before the closing tag is layout."""
    arguments: dict[str, str] = {}
    at = 0
    while opening := _CHILD.search(text, at):
        closing = f"</{opening[1]}>"
        end = text.rfind(closing) if opening[1] in ("content", "file_text") else text.find(closing, opening.end())
        if end < opening.end():
            message = f"The argument {opening[1]} is not closed."
            raise CallError(message)
        value = text[opening.end() : end]
        arguments[opening[1]] = value.removeprefix("\n") if "\n" in value else value
        at = end + len(closing)
    return arguments
