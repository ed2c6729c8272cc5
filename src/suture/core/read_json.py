"""Values from JSON documents, checked against the annotations of their classes.

The data cannot be trusted: every field is checked, at any depth, so what comes out has the declared types or nothing
comes out at all. Unknown fields are ignored, since a later version may have written them.

Annotations are texts until something is read. Then they are resolved in the module of their class, so the names that
they use must exist there at run time. An alias such as `Kind` is itself a text: nothing imports `typing` for it.
"""

from __future__ import annotations

import sys
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from json import loads
from math import isfinite
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    #: Turns JSON data into a value of the expected type, or raises a ValueError.
    Reader: TypeAlias = Callable[[Any], Any]

V = TypeVar("V", bound=Value)


def from_json(cls: type[V], text: str) -> V:
    """The value of a JSON document.

    Raises:
        ValueError: it is not such a document, or a field has the wrong type.
    """
    try:
        value: V = _reader(cls)(loads(text, parse_int=_integer))
    except (ValueError, RecursionError) as error:
        message = f"expected a {cls.__name__} as JSON; {error}"
        raise ValueError(message) from error
    return value


def _integer(digits: str) -> int:
    """A number that fits into 64 bits, as all of ours do."""
    number = int(digits)
    if not -(1 << 63) <= number < 1 << 63:
        message = f"found the number {digits[:30]}, which is too large"
        raise ValueError(message)
    return number


@cache
def _reader(hint: Any) -> Reader:  # noqa: ANN401 - any type
    """The function that reads data of this type."""
    origin = get_origin(hint) or hint
    arguments = get_args(hint)
    if origin is object:
        return lambda data: data
    if origin in (UnionType, Union):
        return _choice(hint, [_reader(argument) for argument in arguments])
    if origin is tuple:
        read_item = _reader(arguments[0])
        return lambda data: tuple([read_item(item) for item in _expect(list, data)])
    if origin is Mapping:
        read_value = _reader(arguments[1])
        return lambda data: {key: read_value(value) for key, value in _expect(dict, data).items()}
    if origin is bytes:
        return lambda data: b64decode(_expect(str, data), validate=True)
    if origin is Literal:
        return lambda data: data if data in arguments else _expect(hint, data)
    if origin is float:
        return _number
    if issubclass(origin, Value):
        return _object(origin)
    return lambda data: _expect(origin, data)


def _number(data: object) -> object:
    """A number: an integer as it is, or a float that JSON has."""
    return data if type(data) is int else _finite(_expect(float, data))


def _expect(kind: Any, data: Any) -> Any:  # noqa: ANN401 - any data
    """The data itself, if it is of this type."""
    if type(data) is not kind:
        message = f"found {data!r:.60} where {getattr(kind, '__name__', kind)} was expected"
        raise ValueError(message)
    return data


def _finite(number: float) -> float:
    """The number itself, if JSON has it; Python also reads NaN and Infinity, and 1e999 as the latter."""
    if not isfinite(number):
        message = f"found {number} where a number was expected"
        raise ValueError(message)
    return number


def _choice(hint: object, readers: list[Reader]) -> Reader:
    """The function that reads data of one of several types: the first that fits."""

    def read(data: object) -> object:
        for reader in readers:
            with suppress(ValueError):
                return reader(data)
        return _expect(hint, data)

    return read


def _object(cls: type[Value]) -> Reader:
    """The function that reads an object as a value of this class. Members that the class does not have are ignored."""
    readers = {name: _reader(_resolve(cls, annotation)) for name, annotation in cls.json_types().items()}

    def read(data: object) -> Value:
        members = _expect(dict, data)
        fields: dict[str, object] = {}
        for name, reader in readers.items():
            try:
                if name in members:
                    fields[name] = reader(members[name])
            except ValueError as error:
                message = f"{name}: {error}"
                raise ValueError(message) from error
        try:
            return cls.from_fields(fields)
        except TypeError as error:
            message = f"{cls.__name__}: {error}"
            raise ValueError(message) from error

    return read


def _resolve(cls: type[Value], annotation: str) -> Any:  # noqa: ANN401 - any type
    """The type that an annotation of a class means."""
    scope = {"Literal": Literal, "Mapping": Mapping, **vars(sys.modules[cls.__module__])}
    hint: Any = annotation
    while isinstance(hint, str):
        hint = eval(hint, scope)  # noqa: S307 - our own annotation, or the alias that it names
    return hint
