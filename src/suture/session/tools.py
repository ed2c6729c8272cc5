"""The tools as data: their names, descriptions and arguments; and the check of the arguments that a model sends.

Argument names are those of the tools that models know, in camelCase; snake_case is accepted too. Values that can be
read with certainty are accepted: `edits` as a JSON string, a number in quotes. Everything else is a problem that says
what to send instead.
"""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class ToolArgument(Value):
    """One argument of a tool: its type, its description, and whether it is required."""

    name: str
    kind: str
    description: str
    required: bool = True


class Tool(Value):
    """One tool: its name, its description for the model, and its arguments."""

    name: str
    description: str
    arguments: tuple[ToolArgument, ...]

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return _schema(self.arguments)


def _schema(arguments: Sequence[ToolArgument]) -> dict[str, Any]:
    """The JSON schema of an object with these arguments."""
    properties = {one.name: {**_TYPES[one.kind], "description": one.description} for one in arguments}
    required = [one.name for one in arguments if one.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_EDIT = (
    ToolArgument("oldString", "string", "The text to replace, exactly as it is in the file"),
    ToolArgument("newString", "string", "The replacement"),
    ToolArgument("replaceAll", "boolean", "Replace every occurrence of oldString (default false)", required=False),
)
_TYPES: dict[str, Mapping[str, object]] = {
    "path": {"type": "string"},
    "string": {"type": "string"},
    "integer": {"type": "integer", "minimum": 0},
    "boolean": {"type": "boolean"},
    "hashes": {"type": "object", "additionalProperties": {"type": "string"}},
}
_TYPES["edits"] = {"type": "array", "items": _schema(_EDIT), "minItems": 1}
_PATH = ToolArgument("filePath", "path", "The path of the file, relative to the workspace or absolute")

#: All tools, in the order in which a model sees them.
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "read",
            "Reads a file or lists a directory. Lines are numbered from 1; the number and the tab after it are not "
            "part of the file. Read a file before you edit it. For a long file, continue with offset.",
            (
                _PATH,
                ToolArgument("offset", "integer", "The first line to read, from 1", required=False),
                ToolArgument("limit", "integer", "The maximum number of lines to read", required=False),
            ),
        ),
        Tool(
            "write",
            "Writes a whole file. Creates it, or replaces its content. An existing file must be read first. To change "
            "some lines of a file, use edit or apply_patch.",
            (_PATH, ToolArgument("content", "string", "The complete content of the file")),
        ),
        Tool(
            "edit",
            "Replaces text in a file. Read the file first. Copy oldString from the file, including indentation, "
            "without line numbers. It must occur exactly once: include enough surrounding lines, or set replaceAll. "
            "An empty oldString creates a new file.",
            (_PATH, *_EDIT),
        ),
        Tool(
            "multiedit",
            "Makes several replacements in one file. They are applied in order, each to the result of the one before. "
            "Either all of them are applied or none. Read the file first.",
            (_PATH, ToolArgument("edits", "edits", "The replacements, in order")),
        ),
        Tool(
            "apply_patch",
            "Adds, updates, deletes and moves files with one patch. Either all of it is applied or none. The patch "
            "starts with *** Begin Patch and ends with *** End Patch. Context lines start with a space, removed lines "
            "with -, added lines with +.",
            (
                ToolArgument("patchText", "string", "The complete patch"),
                ToolArgument(
                    "expectedSha256ByPath",
                    "hashes",
                    "The SHA-256 that each file must have; empty for a file that must not exist",
                    required=False,
                ),
                ToolArgument(
                    "atomic",
                    "boolean",
                    "Apply all of it or none (default true); false stops at a failure",
                    required=False,
                ),
                ToolArgument("dryRun", "boolean", "Only report what would change (default false)", required=False),
            ),
        ),
        Tool("delete", "Deletes a file. Read it first. The user can restore it.", (_PATH,)),
        Tool(
            "move",
            "Moves or renames a file. Read it first. Creates missing directories.",
            (_PATH, ToolArgument("toPath", "path", "The new path, relative to the workspace or absolute")),
        ),
    )
}


def definitions(style: str) -> list[dict[str, Any]]:
    """The tools in the format of an API: "openai", "anthropic", or "json" for plain JSON schemas.

    Raises:
        ValueError: there is no such style.
    """
    if style == "openai":
        return [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema()}}
            for t in TOOLS.values()
        ]
    if style not in ("anthropic", "json"):
        message = f"expected one of the styles openai, anthropic, json; found {style!r}"
        raise ValueError(message)
    key = "input_schema" if style == "anthropic" else "parameters"
    return [{"name": t.name, "description": t.description, key: t.schema()} for t in TOOLS.values()]


def parse_arguments(arguments: object) -> Mapping[str, Any]:
    """The arguments of a call, which some frameworks pass as a JSON string.

    Raises:
        PatchRejectedError: they are not an object.
    """
    parsed = arguments
    hint = "Send an object that maps argument names to values."
    if isinstance(arguments, str):
        from json import loads

        try:
            parsed = loads(arguments)
        except (ValueError, RecursionError) as error:
            raise PatchRejectedError([_problem(f"The arguments are not valid JSON: {error}.", hint)]) from None
    if not hasattr(parsed, "items"):
        raise PatchRejectedError([_problem(f"The arguments must be an object, not {_describe(parsed)}.", hint)])
    return parsed  # type: ignore[return-value]


def check_arguments(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, each with the right type.

    Raises:
        PatchRejectedError: the tool is unknown, or arguments are missing, unknown or of the wrong type.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise PatchRejectedError([_problem(f"There is no tool {name}.", f"The tools are {', '.join(TOOLS)}.")])
    values, problems = _values(name, tool.arguments, arguments)
    for number, edit in enumerate(values.get("edits", ()), 1):
        if isinstance(edit, dict):
            fields, more = _values(f"Edit {number}", _EDIT, edit, f" of edit {number}")
            values["edits"][number - 1] = fields
            problems += more
    if problems:
        raise PatchRejectedError(problems)
    return values


def _values(
    owner: str, arguments: Sequence[ToolArgument], given: Mapping[str, Any], where: str = ""
) -> tuple[dict[str, Any], list[Problem]]:
    """The valid arguments by their names, and a problem for each other one, with `where` after its name."""
    known = {argument.name: argument for argument in arguments}
    names = {snake_case(one): one for one in known} | {one: one for one in known}
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    wrong: set[str] = set()
    for key, value in given.items():
        name = names.get(key) or names.get(snake_case(str(key)))
        if name is None:
            hint = f"Its arguments are {', '.join(known)}."
            problems.append(_problem(f"{owner} has no argument {key}.", hint, argument=key))
        elif name in values or name in wrong:
            problems.append(_problem(f"{name}{where} is there twice.", "Send it once.", argument=name))
        elif value is not None and (value != "" or known[name].kind != "path"):
            kind = known[name].kind
            try:
                values[name] = _READERS[kind](value)
            except _WrongTypeError as error:
                wrong.add(name)
                message = f"{name}{where} must be {_NAMES[kind]}, not {error}."
                problems.append(_problem(message, _FORMS[kind], argument=name))
    for argument in arguments:
        if argument.required and argument.name not in values and argument.name not in wrong:
            hint = f"Send {argument.name}: {argument.description[0].lower()}{argument.description[1:]}."
            problems.append(_problem(f"{argument.name}{where} is required.", hint, argument=argument.name))
    return values, problems


def snake_case(name: str) -> str:
    """The name of an argument in Python."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _problem(message: str, hint: str, **details: object) -> Problem:
    return Problem("invalid_arguments", message, details=details, hint=hint)


class _WrongTypeError(Exception):
    """A value has the wrong type; which one, in words."""


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _WrongTypeError(_describe(value))
    return value


def _integer(value: object) -> int:
    if isinstance(value, str) and len(value) < 20 and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _WrongTypeError(_describe(value))
    return value


def _boolean(value: object) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise _WrongTypeError(_describe(value))
    return value


def _parse(value: object) -> object:
    """The content of a JSON string; anything else as it is."""
    if not isinstance(value, str):
        return value
    from json import loads

    try:
        return loads(value)
    except (ValueError, RecursionError) as error:
        reason = f"a string that is not valid JSON ({error})"
        raise _WrongTypeError(reason) from None


def _edits(value: object) -> list[object]:
    edits = _parse(value)
    if isinstance(edits, dict):
        edits = [edits]
    if not isinstance(edits, list):
        raise _WrongTypeError(_describe(edits))
    return [_parse(one) for one in edits]


def _hashes(value: object) -> dict[str, str]:
    hashes = _parse(value)
    if not isinstance(hashes, dict):
        raise _WrongTypeError(_describe(hashes))
    for path, hash_ in hashes.items():
        if not isinstance(path, str) or not isinstance(hash_, str):
            message = f"an object with {_describe(hash_)} for {path}"
            raise _WrongTypeError(message)
    return hashes


def _describe(value: object) -> str:
    """A value in words; numbers and short strings are quoted."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value:g}"
    if isinstance(value, str) and len(value) <= 40:
        return f"the string {value!r}"
    names = {
        dict: "an object",
        list: "an array",
        str: "a string",
        bool: str(value).lower(),
    }
    return names.get(type(value), "something else") if value is not None else "null"


_READERS: Mapping[str, Any] = {
    "path": _string,
    "string": _string,
    "integer": _integer,
    "boolean": _boolean,
    "edits": _edits,
    "hashes": _hashes,
}
_NAMES = {
    "path": "a path",
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
    "edits": "an array of edits",
    "hashes": "an object of hashes",
}
_FORMS = {
    "path": "Send a path as a string.",
    "string": "Send a string.",
    "integer": "Send an integer, 0 or greater.",
    "boolean": "Send true or false.",
    "edits": 'Send an array: [{"oldString": "…", "newString": "…"}].',
    "hashes": 'Send an object: {"path": "sha256"}.',
}
