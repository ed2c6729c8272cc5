"""Values as JSON documents. `read_json` reads them back.

What JSON has of a value, its `json_fields` say. Bytes are written as base64, and the hunk of a change as its text.
"""

from __future__ import annotations

from .line_hunks import LineHunk
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self


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
    text = _document(data, in_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _document(data, in_ascii=True)
    return text


def _document(data: object, *, in_ascii: bool) -> str:
    """What `json.dumps` gives."""
    try:
        # The public module would load the parser and regular expressions as well, at every start of a program.
        from _json import encode_basestring, encode_basestring_ascii, make_encoder
    except ImportError:
        from json import dumps

        return dumps(data, ensure_ascii=in_ascii, default=_unknown)
    quoted = encode_basestring_ascii if in_ascii else encode_basestring
    return "".join(make_encoder(None, _unknown, quoted, None, ": ", ", ", False, False, True)(data, 0))


def _unknown(value: object) -> NoReturn:
    message = f"{type(value).__name__} has no form in JSON"
    raise TypeError(message)
