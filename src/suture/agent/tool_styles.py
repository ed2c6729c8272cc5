"""The tools in the formats of model APIs, each in the strict form that its API demands."""

from __future__ import annotations

from ..core.value import Value
from ..format.lark_grammar import LARK_GRAMMAR
from .tools import EDIT, REASON, TOOLS, ToolArgument, snake_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .profiles import Profile
    from .tools import Tool


#: One hash, where an API has no objects with free keys.
_HASH = (ToolArgument("path", "string", "The path"), ToolArgument("sha256", "string", "The SHA-256"))


def definitions(profile: Profile, style: str, *, hidden: bool = False) -> list[dict[str, Any]]:
    """The definitions of a profile's tools in a style; with `hidden`, also the arguments that only programs need.

    Raises:
        ValueError: there is no such style.
    """
    write = STYLES.get(style)
    if write is None:
        message = f"expected one of the styles {', '.join(STYLES)}; found {style!r}"
        raise ValueError(message)
    asks_reason = profile.asks_reason or style == "mcp"
    return [write(_ToolText(TOOLS[our], profile, hidden=hidden, asks_reason=asks_reason)) for our in profile.tools]


class _ToolText:
    """One tool in the words of a profile."""

    def __init__(self, tool: Tool, profile: Profile, *, hidden: bool, asks_reason: bool) -> None:
        self.tool = tool
        self.name = profile.tools[tool.name]
        self._profile = profile
        self.arguments = [self._argument(one) for one in tool.arguments if hidden or not one.hidden]
        if asks_reason and not tool.read_only:
            self.arguments.append(REASON)

    @property
    def description(self) -> str:
        """The description, with the sentences about other tools that the model has."""
        # Where reads are off, a model need not be told to read.
        names = {our: theirs for our, theirs in self._profile.tools.items() if our != "read" or self._needs_read()}
        advice = [one for one in self.tool.advice if one[one.index("{") + 1 : one.index("}")] in names]
        return " ".join([self._words(self.tool.description), *[one.format(**names) for one in advice]])

    def schema(self, form: _SchemaForm) -> dict[str, Any]:
        """The schema of the arguments."""
        return form.schema(self.arguments, [self._argument(one) for one in EDIT])

    def _needs_read(self) -> bool:
        return self._profile.reads.get(self.tool.name, "require") in ("require", "rebase")

    def _argument(self, argument: ToolArgument) -> ToolArgument:
        name = snake_case(argument.name) if self._profile.snake_case else argument.name
        return argument.replace(name=name, description=self._words(argument.description))

    def _words(self, text: str) -> str:
        """A text with the names of arguments as the profile writes them."""
        if self._profile.snake_case:
            for one in (*EDIT, *self.tool.arguments):
                if one.name != snake_case(one.name):
                    text = text.replace(one.name, snake_case(one.name))
        return text


class _SchemaForm(Value):
    """How an API wants its schemas. What it does not know is left out; the values are checked anyway."""

    #: Whether types are written in capitals and objects can't be closed, as in Gemini's subset of OpenAPI.
    openapi: bool = False
    #: OpenAI's strict form: every argument is required, an optional one may be null, and no object has free keys.
    strict: bool = False

    def schema(self, arguments: Sequence[ToolArgument], nested: Sequence[ToolArgument]) -> dict[str, Any]:
        """The schema of an object with these arguments; `nested` are those of one edit."""
        properties = {}
        for one in arguments:
            schema = {**self._type(one, nested), "description": one.description}
            if self.strict and not one.required:
                schema["type"] = [schema["type"], "null"]
            properties[one.name] = schema
        required = [one.name for one in arguments if one.required or self.strict]
        written = {"type": self._word("object"), "properties": properties, "required": required}
        return written if self.openapi else {**written, "additionalProperties": False}

    def _type(self, argument: ToolArgument, nested: Sequence[ToolArgument]) -> dict[str, Any]:
        """The type of an argument in JSON Schema, with as many limits as the style allows."""
        is_plain = not (self.openapi or self.strict)
        if argument.kind == "edits":
            edits = {"type": self._word("array"), "items": self.schema(nested, ())}
            return {**edits, "minItems": 1} if is_plain else edits
        if argument.kind == "hashes":
            if is_plain:
                return {"type": "object", "additionalProperties": {"type": "string"}}
            return {"type": self._word("array"), "items": self.schema(_HASH, ())}
        schema = {"type": self._word("string" if argument.kind == "path" else argument.kind)}
        return {**schema, "minimum": 0} if is_plain and argument.kind == "integer" else schema

    def _word(self, kind: str) -> str:
        return kind.upper() if self.openapi else kind


_PLAIN, _STRICT, _OPENAPI = _SchemaForm(), _SchemaForm(strict=True), _SchemaForm(openapi=True)


# Styles.


def _openai(text: _ToolText) -> dict[str, Any]:
    function = {"name": text.name, "description": text.description, "parameters": text.schema(_STRICT), "strict": True}
    return {"type": "function", "function": function}


def _openai_responses(text: _ToolText) -> dict[str, Any]:
    return {"type": "function", **_openai(text)["function"]}


def _openai_freeform(text: _ToolText) -> dict[str, Any]:
    if text.tool.name != "apply_patch":
        return _openai_responses(text)
    description = f"{text.description} Send the patch as it is, not as JSON."
    grammar = {"type": "grammar", "syntax": "lark", "definition": LARK_GRAMMAR}
    return {"type": "custom", "name": text.name, "description": description, "format": grammar}


def _anthropic(text: _ToolText) -> dict[str, Any]:
    return {"name": text.name, "description": text.description, "input_schema": text.schema(_PLAIN)}


def _gemini(text: _ToolText) -> dict[str, Any]:
    return {"name": text.name, "description": text.description, "parameters": text.schema(_OPENAPI)}


def _json(text: _ToolText) -> dict[str, Any]:
    tool = text.tool
    annotations = {"readOnly": tool.read_only, "destructive": tool.destructive, "idempotent": tool.idempotent}
    return {
        "name": text.name,
        "title": tool.title,
        "description": text.description,
        "parameters": text.schema(_PLAIN),
        "annotations": annotations,
    }


def _mcp(text: _ToolText) -> dict[str, Any]:
    tool = text.tool
    annotations = {
        "title": tool.title,
        "readOnlyHint": tool.read_only,
        "destructiveHint": tool.destructive,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }
    return {
        "name": text.name,
        "title": tool.title,
        "description": text.description,
        "inputSchema": text.schema(_PLAIN),
        "annotations": annotations,
    }


#: The styles by name.
STYLES: dict[str, Callable[[_ToolText], dict[str, Any]]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "openai-freeform": _openai_freeform,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "json": _json,
    "mcp": _mcp,
}
