"""Reading tool calls out of an answer or a log: JSON values, and the markup of `<invoke>` and `<write_to_file>`.

A JSON value may span lines; where it ends is found by counting brackets outside of strings, once over the text. A value
without an edit in it is prose.
"""

from __future__ import annotations

import re
from json import JSONDecoder

from ..core.advice import Copy, Send
from ..core.problems import PatchInvalidError
from .blocks import Block, CallBlock
from .call_arguments import CallError, members
from .envelope import parse_envelope
from .format_limits import DEEPEST_JSON, MOST_CALL_VALUES, MOST_OPEN_CALLS
from .markup_calls import calls_in, markup_of
from .nameless_edits import nameless_edits
from .raw_syntax import MARKS, end_token, json_follows, tool_before
from .raw_turns import edit_of_others, mark_before_call
from .spoken_edits import read_spoken
from .tool_calls import envelopes_in, operations_in, streamed_operations
from .unread_calls import UnreadCall, was_meant
from .unread_python import meant_in_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.patch import Operation
    from ..core.problems import Advice
    from .sections import ParserState
    from .tool_calls import CallLog

_TOKENS = re.compile(r'"(?:[^"\\]++|\\.?)*+("|$)|[{}\[\]]')
_REST_OF_STRING = re.compile(r'(?:[^"\\]++|\\.?)*+("|$)')
#: Argument names that make a broken JSON text an edit that was meant.
_ARGUMENTS = ("old_string", "oldString", "old_str", "new_string", "newString", "new_str", "file_text", "oldText")
#: Tags that close what is around a call.
_CLOSING_TAGS = re.compile(r"^\s*(?:</[\w:.-]{1,60}>\s*)+")
_TOML_TABLE = re.compile(r"\[\[[\w.-]{1,100}\]\]\s*")
#: A bracket that may begin a JSON value, or a mark in brackets.
_BRACKET = re.compile(rf"{MARKS}|[{{\[]")


def json_start(line: str) -> int:
    """Where a JSON value may begin in a line: -1 if nowhere."""
    text = line.lstrip()
    if _begins_json(text):
        return len(line) - len(text)
    if json_follows(line):
        brackets = (match.start() for match in _BRACKET.finditer(line) if len(match[0]) == 1)
        return next(brackets, -1)
    brace = line.find('{"')
    if brace < 0:
        brace = line.find("{'")
    if brace >= 0 and any(name in line for name in _ARGUMENTS):
        return brace
    return -1


def _begins_json(text: str) -> bool:
    """Whether a text begins like JSON. A list of tasks, a link, a section of an INI file or a TOML table does not."""
    if not text.startswith(("{", "[")):
        return False
    inside = text[1:].lstrip()
    is_opened = not inside or inside[0] in '{["'
    return is_opened and _TOML_TABLE.fullmatch(text) is None


class JsonBlock(CallBlock):
    """The JSON values that begin on one line. `form` is the envelope's where they have nothing but an envelope."""

    form = "json"
    name = "a tool call in JSON"
    ends_with_fence = True

    def __init__(self, state: ParserState, log: CallLog, tool: str = "") -> None:
        super().__init__(state)
        self._log = log
        #: The tool that a line above the first value names.
        self._tool = tool
        self._lines: list[str] = []
        self._depth = 0
        self._in_string = False
        self._complete = False
        self._operations: list[Operation] = []
        #: The token that the syntax of a model needs behind its last call, while it has not been read.
        self.end_token = ""
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
        return self._depth <= DEEPEST_JSON

    def _load(self, text: str) -> None:
        decoder = JSONDecoder(strict=False, object_pairs_hook=members)
        envelopes: list[str] = []
        at = last = 0
        mark = ""
        self.text_beside = text
        for _ in range(MOST_CALL_VALUES):
            opening = _BRACKET.search(text, at)
            if opening is None:
                break
            if len(opening[0]) > 1:
                at = opening.end()
                continue
            before = text[last : opening.start()]
            tool = tool_before(before) or self._tool
            if self.end_token and self.end_token not in before:
                self.refuse_open()
            self.end_token = end_token(before)
            try:
                value, at = decoder.raw_decode(text, opening.start())
                mark = mark or mark_before_call(_before_value(text, last, opening.start()))
                last, self._tool = at, ""
                if tool and isinstance(value, dict):
                    value = {"name": tool, "input": value}
                operations, inner = streamed_operations(value, self.line, self._log), envelopes_in(value)
                if mark and (operations or inner):
                    raise edit_of_others(mark)
                self._operations += operations
                envelopes += inner
                for path in nameless_edits(value) if not tool else ():
                    self._log.note_unread(UnreadCall(self.line, "", path), self.form)
            except CallError as error:
                self._error, self._hint = str(error), error.hint
                return
            except (ValueError, RecursionError) as error:
                self._error = self._meant(text, f"This looks like a tool call, but it is not valid JSON: {error}.")
                return
        else:
            # What follows may be an edit, too, and edits are applied all or none.
            self._error = f"This line has more than {MOST_CALL_VALUES:,} JSON values, which may be tool calls."
            self._hint = Send("the calls on lines of their own.")
            return
        self.text_beside = mark or _before_value(text, last, len(text))
        if self.end_token in text[last:]:
            self.end_token = ""
        if not self._operations and len(envelopes) == 1:
            self.form = "envelope"
            self._operations += _read_envelope(envelopes[0], self.state)

    def _meant(self, text: str, message: str) -> str:
        """The message, if the text was meant to be an edit."""
        if any(f'"{name}"' in text or f"'{name}'" in text for name in _ARGUMENTS):
            return message
        start = json_start(text)
        tool = tool_before(text[:start]) if start > 0 else ""
        is_meant = was_meant(text, tool or self._tool) or meant_in_python(text)
        return message if is_meant else ""

    def refuse_open(self) -> None:
        """Refuse a call without its end token, as it may have been cut off."""
        hint = Copy("the call again, up to its end.")
        self.error(f"This tool call has no {self.end_token}; it may have been cut off.", hint)

    def operations(self) -> Sequence[Operation]:
        """The operations, once the value is complete."""
        return self._operations

    def finish(self) -> Sequence[Operation]:
        """The operations of the value."""
        if not self.is_complete:
            self.text_beside = "\n".join(self._lines)
            self._error = self._meant(
                "\n".join(self._lines), "This tool call is not complete: it may have been cut off."
            )
        if self._error:
            self.error(self._error, self._hint)
        return self._operations


def _before_value(text: str, last: int, end: int) -> str:
    """The text before a JSON value, with the bracket that closes the one before it."""
    return text[max(0, last - 1) : end]


class TranscriptBlock(Block):
    """What a transcript has beside complete calls: the rest of a stream, and the text of messages."""

    form = "json"
    name = "a transcript"

    def __init__(self, state: ParserState, log: CallLog, *, has_edits: bool) -> None:
        super().__init__(state)
        self._log = log
        self._has_edits = has_edits

    def finish(self) -> Sequence[Operation]:
        """The operations of calls whose end is missing although they are complete; without any, those in texts."""
        streams = self._log.streams
        if streams.has_dropped:
            message = f"This stream has more than {MOST_OPEN_CALLS:,} calls and texts at a time."
            self.error(message, Send("the calls in several parts."))
            return ()
        if streams.is_open:
            hint = Copy("the whole stream, up to its last event.")
            self.error("This stream has no end; it may have been cut off.", hint)
            return ()
        try:
            operations = operations_in(streams.rest(), self.line, self._log)
            if not operations and not self._has_edits:
                for text, line in self._log.spoken:
                    operations += read_spoken(text, line, self._log.read_text)
        except CallError as error:
            self.error(str(error), error.hint)
            return ()
        return operations


class MarkupBlock(CallBlock):
    """Calls as markup, from an opening tag to the closing one, and further ones on its line.

    Texts are taken as they are. `form` is the envelope's where they have nothing but an envelope.
    """

    form = "xml"
    name = "a tool call in markup"

    def __init__(self, state: ParserState, log: CallLog, tool: str, closing: str, path: str = "") -> None:
        super().__init__(state)
        self._path = path
        self._log = log
        self._tool = tool
        self._closing = closing
        self._lines: list[str] = []
        self._closed = False
        #: The tool of a call in other markup that begins on the last line.
        self._follower = ""

    @property
    def is_complete(self) -> bool:
        """Whether the closing tag was read."""
        return self._closed

    def read(self, line: str) -> bool:
        """Take a line."""
        self._lines.append(line)
        _, closing, rest = line.rpartition(self._closing)
        self.text_beside = f">{rest}" if closing else ""
        self._closed = bool(closing)
        self._follower = ""
        following = markup_of(_CLOSING_TAGS.sub("", rest)) if closing else None
        if following is not None:
            tool, closing_tag = following
            if closing_tag == self._closing:
                # A further call of the same markup: this block takes it too.
                self._closed = False
            else:
                self._follower = tool
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
        if self._follower:
            message = f"The call of {self._follower} begins on the line of another one."
            raise CallError(message, "Put each call on a line of its own.")
        calls = calls_in("\n".join(self._lines), self._closing)
        values = [{"name": tool, "input": self._with_path(arguments)} for tool, arguments in calls]
        operations = operations_in(values, self.line, self._log, "xml")
        envelopes = envelopes_in(values)
        if operations or len(envelopes) != 1:
            return operations
        self.form = "envelope"
        return _read_envelope(envelopes[0], self.state)

    def _with_path(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments with the path that is above the call, where they are a list of edits without one."""
        is_list = isinstance(arguments.get("edits"), list)
        return {"path": self._path, **arguments} if is_list and self._path else arguments


def _read_envelope(text: str, state: ParserState) -> Sequence[Operation]:
    """The operations of an envelope that was an argument of a call."""
    try:
        return parse_envelope(text, state.dialect).operations
    except PatchInvalidError as invalid:
        state.problems += invalid.problems
        return ()
