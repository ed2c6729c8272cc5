"""The check of the arguments that a model sends.

Names may be in camelCase or snake_case, or one of the other usual names of an argument. Values that can be read with
certainty are accepted: `edits` as a JSON string, a number in quotes. Everything else is a problem that says what to
send instead.
"""

from __future__ import annotations

from json import loads

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from .agent_limits import MOST_NUMBER_BITS
from .tools import EDIT, REASON, TOOLS, snake_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .tools import ToolArgument


#: How the names of arguments begin that clients add to every call, for themselves: Gemini CLI and Cline.
CLIENT_EXTRAS = ("wait_for_previous", "task_progress")


def drop_client_extras(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments without those that a client has added for itself, and the names of these."""
    extras = [name for name in arguments if str(name).startswith(CLIENT_EXTRAS)]
    return {name: value for name, value in arguments.items() if name not in extras}, extras


def parse_arguments(name: str, arguments: object) -> Mapping[str, Any]:
    """The arguments of a call, which some frameworks pass as a JSON string. A bare patch is the patch to apply.

    Raises:
        PatchRejectedError: they are not an object.
    """
    parsed = arguments
    if isinstance(arguments, str) and name == "apply_patch" and arguments.lstrip()[:1] not in ("{", "[", '"'):
        return {"patchText": arguments}
    hint = "Send an object that maps argument names to values."
    if isinstance(arguments, str):
        try:
            parsed = loads(arguments)
        except (ValueError, RecursionError) as error:
            raise PatchRejectedError([_problem(f"The arguments are not valid JSON: {error}.", hint)]) from None
    if not hasattr(parsed, "items"):
        raise PatchRejectedError([_problem(f"The arguments must be an object, not {_describe(parsed)}.", hint)])
    return parsed  # type: ignore[return-value]


def check_arguments(name: str, arguments: Mapping[str, Any], *, in_snake_case: bool = False) -> dict[str, Any]:
    """The arguments of a call by their names, each with the right type. Problems name them as the model knows them.

    Raises:
        PatchRejectedError: arguments are missing, unknown or of the wrong type.
    """
    spell = snake_case if in_snake_case else str
    values, problems = _values(name, (*TOOLS[name].arguments, REASON), arguments, spell)
    for number, edit in enumerate(values.get("edits", ()), 1):
        if isinstance(edit, dict):
            fields, more = _values(f"Edit {number}", EDIT, edit, spell, f" of edit {number}")
            values["edits"][number - 1] = fields
            problems += more
    if problems:
        raise PatchRejectedError(problems)
    return values


def _values(
    owner: str,
    arguments: Sequence[ToolArgument],
    given: Mapping[str, Any],
    spell: Callable[[str], str],
    where: str = "",
) -> tuple[dict[str, Any], list[Problem]]:
    """The valid arguments by their names, and a problem for each other one, with `where` after its name."""
    known = {argument.name: argument for argument in arguments}
    names = {_plain(alias): one.name for one in arguments for alias in (one.name, *one.aliases)}
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    wrong: set[str] = set()
    for key, value in given.items():
        name = names.get(_plain(str(key)))
        if name is None:
            hint = f"Its arguments are {', '.join(map(spell, known))}."
            problems.append(_problem(f"{owner} has no argument {safe_text(str(key))}.", hint, argument=key))
        elif name in values or name in wrong:
            problems.append(_problem(f"{spell(name)}{where} is there twice.", "Send it once.", argument=name))
        elif value is not None and (value != "" or known[name].kind != "path"):
            kind = known[name].kind
            try:
                values[name] = _READERS[kind](value)
            except _WrongTypeError as error:
                wrong.add(name)
                message = f"{spell(name)}{where} must be {_NAMES[kind]}, not {error}."
                hint = _FORMS[kind].format(old=spell("oldString"), new=spell("newString"))
                problems.append(_problem(message, hint, argument=name))
    for argument in arguments:
        if argument.required and argument.name not in values and argument.name not in wrong:
            hint = f"Send {spell(argument.name)}: {argument.description[0].lower()}{argument.description[1:]}."
            problems.append(_problem(f"{spell(argument.name)}{where} is required.", hint, argument=argument.name))
    return values, problems


def _plain(name: str) -> str:
    """The name of an argument however it is written: `filePath`, `file_path`, `FilePath`."""
    return name.replace("_", "").replace("-", "").lower()


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
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**MOST_NUMBER_BITS:
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
    if isinstance(hashes, list) and all(
        isinstance(one, dict) and {"path", "sha256"} == set(one) and isinstance(one["path"], str) for one in hashes
    ):
        # The form of strict schemas.
        hashes = {one["path"]: one["sha256"] for one in hashes}
    if not isinstance(hashes, dict):
        raise _WrongTypeError(_describe(hashes))
    for path, hash_ in hashes.items():
        if not isinstance(path, str) or not isinstance(hash_, str):
            message = f"an object with {_describe(hash_)} for {safe_text(str(path))}"
            raise _WrongTypeError(message)
    return hashes


def _describe(value: object) -> str:
    """A value in words; numbers and short strings are quoted."""
    if isinstance(value, int) and value.bit_length() > MOST_NUMBER_BITS:
        return f"a number of {value.bit_length():,} bits"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {value:g}"
    if isinstance(value, str) and len(value) <= 40:
        return f"the string {value!r}"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    # Not its text: that of an array that is nested too deeply can't be made.
    names: dict[type, str] = {dict: "an object", list: "an array", str: "a string"}
    return names.get(type(value), "something else")


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
    "edits": 'Send an array: [{{"{old}": "…", "{new}": "…"}}].',
    "hashes": 'Send an object: {{"path": "sha256"}}.',
}
