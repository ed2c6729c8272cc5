"""The tools as data: their names, what they are for, and their arguments; and the check of what a model sends.

Names of arguments are those of the tools that models know, in camelCase; snake_case is taken too. What can be read with
certainty is read: `edits` that arrive as a JSON string, a number in quotes. All else is a problem that says what to
send instead.
"""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Argument(Value):
    """One argument of a tool: its JSON type, what it means, and whether it has to be there."""

    name: str
    kind: str
    meaning: str
    required: bool = True


class Tool(Value):
    """One tool: how it is called, and in few words how to use it well."""

    name: str
    description: str
    arguments: tuple[Argument, ...]

    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return _schema(self.arguments)


def _schema(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The JSON schema of an object with these arguments."""
    properties = {one.name: {**_TYPES[one.kind], "description": one.meaning} for one in arguments}
    required = [one.name for one in arguments if one.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_EDIT = (
    Argument("oldString", "string", "The text to replace, exactly as the file has it"),
    Argument("newString", "string", "The text to put there"),
    Argument("replaceAll", "boolean", "Replace every occurrence", required=False),
)
_TYPES: dict[str, Mapping[str, object]] = {
    "path": {"type": "string"},
    "string": {"type": "string"},
    "integer": {"type": "integer", "minimum": 0},
    "boolean": {"type": "boolean"},
    "hashes": {"type": "object", "additionalProperties": {"type": "string"}},
}
_TYPES["edits"] = {"type": "array", "items": _schema(_EDIT), "minItems": 1}
_PATH = Argument("filePath", "path", "The file, relative to the workspace or absolute")

#: All tools, in the order in which a model is told of them.
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "read",
            "Read a file, with its lines numbered, or list a folder. Read a file before you change it. The numbers and "
            "the tab behind them are not part of the file. For a long file go on with offset.",
            (
                _PATH,
                Argument("offset", "integer", "The first line to show, from 1", required=False),
                Argument("limit", "integer", "How many lines to show at most", required=False),
            ),
        ),
        Tool(
            "write",
            "Write a whole file, new or not. For a change of some lines use edit or apply_patch instead.",
            (_PATH, Argument("content", "string", "All of the file's text")),
        ),
        Tool(
            "edit",
            "Replace one text in a file by another. oldString must be copied from the file as it is, with its "
            "indentation, and must stand there once: give enough lines around the change. An empty oldString makes the "
            "file.",
            (_PATH, *_EDIT),
        ),
        Tool(
            "multiedit",
            "Do several replacements in one file, one after another, each on the result of the one before. All are "
            "done or none.",
            (_PATH, Argument("edits", "edits", "The replacements, in order")),
        ),
        Tool(
            "apply_patch",
            "Add, update, delete and move files by one patch, all of it or none. The patch begins with *** Begin Patch "
            "and ends with *** End Patch; context lines begin with a space, removed ones with -, added ones with +.",
            (
                Argument("patchText", "string", "The whole patch"),
                Argument(
                    "expectedSha256ByPath", "hashes", "SHA-256 that files must have; empty for none", required=False
                ),
                Argument("atomic", "boolean", "All or none; true unless said otherwise", required=False),
                Argument("dryRun", "boolean", "Only tell what would happen", required=False),
            ),
        ),
        Tool("delete", "Delete a file. It can be brought back.", (_PATH,)),
        Tool(
            "move",
            "Give a file another name or folder.",
            (_PATH, Argument("toPath", "path", "The new path, relative to the workspace or absolute")),
        ),
    )
}


def definitions(style: str) -> list[dict[str, Any]]:
    """The tools as an interface for models wants them: "openai", "anthropic" or "json" for plain JSON schemas.

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


def arguments_of(given: object) -> Mapping[str, Any]:
    """The arguments of a call, which some frameworks hand on as JSON.

    Raises:
        PatchRejectedError: they are none.
    """
    found = given
    hint = "Send an object with the arguments by their names."
    if isinstance(given, str):
        from json import loads

        try:
            found = loads(given)
        except (ValueError, RecursionError) as error:
            raise PatchRejectedError([_problem(f"The arguments are no JSON: {error}.", hint)]) from None
    if not hasattr(found, "items"):
        raise PatchRejectedError([_problem(f"The arguments should be an object, and they are {_kind(found)}.", hint)])
    return found  # type: ignore[return-value]


def checked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, each of the type that it should have.

    Raises:
        PatchRejectedError: the tool is unknown, or arguments are missing, unknown or of another type.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise PatchRejectedError([_problem(f"There is no tool {name}.", f"The tools are {', '.join(TOOLS)}.")])
    problems: list[Problem] = []
    values = _values(name, tool.arguments, given, problems)
    for number, one in enumerate(values.get("edits", ()), 1):
        if isinstance(one, dict):
            values["edits"][number - 1] = _values(f"Edit {number}", _EDIT, one, problems, f" of edit {number}")
    if problems:
        raise PatchRejectedError(problems)
    return values


def _values(
    owner: str, arguments: Sequence[Argument], given: Mapping[str, Any], problems: list[Problem], where: str = ""
) -> dict[str, Any]:
    """The arguments that are right, by their names; what is wrong goes to `problems`, with `where` behind each name."""
    known = {argument.name: argument for argument in arguments}
    names = {snake_case(one): one for one in known} | {one: one for one in known}
    values: dict[str, Any] = {}
    #: The arguments that something was said of.
    named: set[str] = set()
    for key, value in given.items():
        full = names.get(key) or names.get(snake_case(str(key)))
        if full is None:
            hint = f"Its arguments are {', '.join(known)}."
            problems.append(_problem(f"{owner} has no argument {key}.", hint, argument=key))
        elif full in values or full in named:
            problems.append(_problem(f"{full}{where} was given twice.", "Give it once.", argument=full))
        elif value is not None and (value != "" or known[full].kind != "path"):
            kind = known[full].kind
            try:
                values[full] = _READERS[kind](value)
            except _Unfit as unfit:
                named.add(full)
                message = f"{full}{where} should be {_NAMES[kind]}, and it is {unfit}."
                problems.append(_problem(message, _FORMS[kind], argument=full))
    for argument in arguments:
        if argument.required and argument.name not in values and argument.name not in named:
            hint = f"Send {argument.name}: {argument.meaning[0].lower()}{argument.meaning[1:]}."
            problems.append(_problem(f"{argument.name}{where} is required.", hint, argument=argument.name))
    return values


def snake_case(name: str) -> str:
    """The name of an argument as the methods have it."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _problem(message: str, hint: str, **details: object) -> Problem:
    return Problem("invalid_arguments", message, details=details, hint=hint)


class _Unfit(Exception):
    """A value is of another type than it should be; which, in words."""


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _Unfit(_kind(value))
    return value


def _integer(value: object) -> int:
    if isinstance(value, str) and len(value) < 20 and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Unfit(_kind(value))
    return value


def _boolean(value: object) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise _Unfit(_kind(value))
    return value


def _parsed(value: object) -> object:
    """What a JSON string holds; anything else as it is."""
    if not isinstance(value, str):
        return value
    from json import loads

    try:
        return loads(value)
    except (ValueError, RecursionError) as error:
        why = f"a text that is no JSON ({error})"
        raise _Unfit(why) from None


def _edits(value: object) -> list[object]:
    found = _parsed(value)
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        raise _Unfit(_kind(found))
    return [_parsed(one) for one in found]


def _hashes(value: object) -> dict[str, str]:
    found = _parsed(value)
    if not isinstance(found, dict):
        raise _Unfit(_kind(found))
    for path, hash_ in found.items():
        if not isinstance(path, str) or not isinstance(hash_, str):
            message = f"one with {_kind(hash_)} for {path}"
            raise _Unfit(message)
    return found


def _kind(value: object) -> str:
    """What a value is, in words; numbers and short texts by themselves."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value:g}"
    if isinstance(value, str) and len(value) <= 40:
        return f"the text {value!r}"
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
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
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "edits": "a list of edits",
    "hashes": "an object of hashes",
}
_FORMS = {
    "path": "Send a path as a text.",
    "string": "Send a text, in quotes.",
    "integer": "Send a whole number from 0 on.",
    "boolean": "Send true or false.",
    "edits": 'Send a list: [{"oldString": "…", "newString": "…"}].',
    "hashes": 'Send an object: {"path": "sha256"}.',
}
