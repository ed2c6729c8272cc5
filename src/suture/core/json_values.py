"""Values as JSON documents. `read_json` reads them back.

What JSON has of a value, its `json_fields` say. Bytes are written as base64, and the hunk of a change as its text.
"""

from __future__ import annotations

import sys

from .line_hunks import LineHunk
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class JsonValue(Value):
    """A value that can be stored as a JSON document."""

    def to_json(self) -> str:
        """The value as a JSON document, which `from_json` reads back."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The value of a JSON document. Unknown fields are ignored.

        Raises:
            ValueError: it is not such a document, or a field has the wrong type.
        """
        from .read_json import from_json

        return from_json(cls, text)


def to_data(value: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
    """A value as objects, lists, strings and numbers."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, LineHunk):
        return str(value)
    if isinstance(value, Value):
        return {name: to_data(field) for name, field in value.json_fields().items()}
    if isinstance(value, tuple | list):
        return [to_data(item) for item in value]
    if isinstance(value, bytes):
        from base64 import b64encode

        return b64encode(value).decode("ascii")
    if hasattr(value, "items"):
        return {str(key): to_data(item) for key, item in value.items()}
    return value


def to_json(value: Value) -> str:
    """A value as a JSON document. Where it has lone surrogates, which stand for undecodable bytes, it is ASCII."""
    data = to_data(value)
    # `json` writes long texts faster, but loading it takes longer than an edit: it is used where it is there already.
    write = getattr(sys.modules.get("json"), "dumps", None)
    text: str = write_document(data) if write is None else write(data, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        from json import dumps

        return dumps(data)
    return text


def write_document(data: Any) -> str:  # noqa: ANN401 - what `to_data` gives
    """What `json.dumps` gives, for programs that have not loaded `json` with its regular expressions.

    Raises:
        TypeError: it holds something that has no form in JSON.
    """
    if isinstance(data, str):
        return _quoted(data)
    if data is None or isinstance(data, bool):
        return _WORDS[data]
    if isinstance(data, int | float):
        return _WORDS.get(str(data), str(data))
    if isinstance(data, list):
        return f"[{', '.join([write_document(item) for item in data])}]"
    if isinstance(data, dict):
        return f"{{{', '.join([f'{write_document(name)}: {write_document(item)}' for name, item in data.items()])}}}"
    message = f"{type(data).__name__} has no form in JSON"
    raise TypeError(message)


#: What has another name in JSON than in Python; of the numbers, as `json` writes them.
_WORDS = {None: "null", True: "true", False: "false", "nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _quoted(text: str) -> str:
    """A text as a JSON string. Most have none of the rare control characters, and `str.translate` is slow."""
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    if not text.isprintable():
        for character, escape in _CONTROLS.items():
            text = text.replace(character, escape)
    return f'"{text}"'


#: What a JSON string has instead of these characters; the backslash is first, because the others bring more of them.
_ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))
#: The same for the other control characters.
_CONTROLS = {chr(number): f"\\u{number:04x}" for number in range(32)} | {"\b": "\\b", "\f": "\\f"}
