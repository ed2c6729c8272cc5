"""JSON schemas from annotations: a `TypedDict` describes an object, and its schema is made of its fields.

The first paragraph of its docstring is the description, and `Annotated[str, "…"]` describes a field. A `Keyword` in
`Annotated` adds another keyword, such as `minimum`. For programs that write schemas; nothing here checks data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import getdoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from .value import Value

Schema: TypeAlias = dict[str, Any]
#: The address of a type that has a schema of its own; empty for one whose schema is written where it is used.
Address: TypeAlias = Callable[[Any], str]

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Any: {},
}


class Keyword(Value):
    """A keyword of JSON Schema and its value."""

    name: str
    value: int | str | tuple[str, ...]


def object_schema(shape: Any, address: Address) -> Schema:  # noqa: ANN401 - a TypedDict
    """The schema of a `TypedDict`. Fields that are `NotRequired` need not be there, and others may not be."""
    schema: Schema = {"type": "object"}
    description = (getdoc(shape) or "").partition("\n\n")[0].replace("\n", " ")
    if description:
        schema["description"] = description
    schema["properties"] = field_schemas(shape, address)
    schema["required"] = required_fields(shape)
    schema["additionalProperties"] = False
    return schema


def field_schemas(shape: Any, address: Address) -> dict[str, Schema]:  # noqa: ANN401 - a TypedDict
    """The schema of each field of a `TypedDict`."""
    return {name: type_schema(kind, address) for name, kind in get_type_hints(shape, include_extras=True).items()}


def required_fields(shape: Any) -> list[str]:  # noqa: ANN401 - a TypedDict
    """The fields of a `TypedDict` that are always there, in its order."""
    hints = get_type_hints(shape, include_extras=True)
    return [name for name, kind in hints.items() if get_origin(kind) is not NotRequired]


def type_schema(kind: Any, address: Address) -> Schema:  # noqa: ANN401 - any type
    """The schema of data of a type."""
    if reference := address(kind):
        return {"$ref": reference}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return type_schema(arguments[0], address)
    if origin is Annotated:
        return type_schema(arguments[0], address) | _keywords(arguments[1:])
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return _choice([type_schema(member, address) for member in arguments])
    if origin is list:
        return {"type": "array", "items": type_schema(arguments[0], address)}
    if origin is dict:
        values = type_schema(arguments[1], address)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if is_typeddict(kind):
        return object_schema(kind, address)
    return dict(_PLAIN[kind])


def _keywords(notes: Iterable[str | Keyword]) -> Schema:
    """What `Annotated` adds to a schema: a text is the description."""
    keywords: Schema = {}
    for note in notes:
        if isinstance(note, str):
            keywords["description"] = note
        else:
            keywords[note.name] = list(note.value) if isinstance(note.value, tuple) else note.value
    return keywords


def _choice(schemas: list[Schema]) -> Schema:
    """One of several schemas. Plain types are named in one list."""
    if all(list(schema) == ["type"] for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}
