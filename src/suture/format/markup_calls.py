"""Calls in markup, as agents and models write them: which lines open one, and the tools and arguments inside.

=============  ============================================================================================
syntax         example
=============  ============================================================================================
invoke         `<invoke name="Edit"><parameter name="path">…</parameter></invoke>`, with any prefix
older invoke   `<invoke><tool_name>Edit</tool_name><parameters><path>…</path></parameters></invoke>`
function       `<function=edit><parameter=path>…</parameter></function>`, or JSON between the tags
key and value  `<tool_call>edit<arg_key>path</arg_key><arg_value>…</arg_value></tool_call>`
tags           `<write_to_file><path>…</path><content>…</content></write_to_file>`
attributes     `<dyad-write path="…">…</dyad-write>`
Gemma          `<start_function_call>call:edit{path:<escape>…<escape>}<end_function_call>`
edits          `<edits><old_text line=3>…</old_text><new_text>…</new_text></edits>`
=============  ============================================================================================

Texts are taken as they are; entities in them are not decoded.
"""

from __future__ import annotations

import re

from .call_arguments import CallError, load_json, put_argument
from .call_shapes import shapes_of
from .format_limits import MOST_AROUND
from .gemma_calls import gemma_call, gemma_calls
from .raw_turns import edit_of_others, mark_before_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: What may be before the name of a tag: a namespace, or the mark of DeepSeek.
_PREFIX = r"(?:\w{1,20}:|｜DSML｜)?"
_INVOKE = re.compile(
    rf"""(?<!`)<{_PREFIX}(?:invoke|function_call)\s(?:[^<>]{{0,100}}\s)?name\s?=\s?(?:"([^"]{{1,100}})"|'([^']{{1,100}})')[^<>]{{0,100}}>"""
)
#: How Claude's first models opened a call.
_OLD_INVOKE = "<invoke>"
_PARAMETER = re.compile(
    rf"""<{_PREFIX}parameter\s(?:[^<>]{{0,100}}\s)?name\s?=\s?(?:"([^"]{{1,100}})"|'([^']{{1,100}})')[^<>]{{0,100}}>"""
)
_FUNCTION = re.compile(r"(?<!`)<function=\"?([\w.:/-]{1,100})\"?\s?>")
_VALUE = re.compile(r"<parameter=\"?([\w.-]{1,100})\"?\s?>")
_KEYED = re.compile(r"(?<!`)<((?:longcat_)?tool_call)>\s*([\w.-]{1,100})[^\S\n]*(?:$|(?=<))", re.MULTILINE)
_ARGUMENT = re.compile(
    r"<(?:longcat_)?arg_key>\s*+([^<>]{1,100}?)\s*+</(?:longcat_)?arg_key>\s*+<((?:longcat_)?arg_value)>"
)
#: Tools that are called by a tag of their own name.
_TAGS = (
    "write_to_file",
    "write_file",
    "create_file",
    "edit_file",
    "rewrite_file",
    "delete_file",
    "insert_content",
    "search_and_replace",
    "str_replace",
    "remove_str",
    "find_and_edit",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "proposed_file_replace_substring",
    "proposed_file_replace",
    "proposed_file_insert",
    "edits",
)
#: Tools whose tag has the arguments as attributes.
_TAGS_WITH_ATTRIBUTES = (
    *("dyad-write", "dyad-delete", "dyad-rename", "dyad-search-replace", "dyad-edit", "boltAction", "insert"),
    *("lov-write", "lov-delete", "lov-rename", "undo_edit"),
)
_TAG = re.compile(rf"<({'|'.join(_TAGS)})>")
_ATTRIBUTE_TAG = re.compile(
    rf"<({'|'.join((*_TAGS, *_TAGS_WITH_ATTRIBUTES))})((?:\s+[\w-]+=(?:\"[^\"]*\"|'[^']*'))+)\s*(/?)>"
)
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
_CHILD = re.compile(r"<([a-zA-Z_]{1,40})>")
_OLD_TEXT = re.compile(r"<old_text(?:\s+line=\"?(\d{1,9})\"?)?>")
#: Children whose text may contain their own closing tag.
_LONG_CHILDREN = ("content", "file_text", "new_content")
#: A tag around calls, on the line of the first.
_AROUND = re.compile(r"<[\w:-]{1,40}(?:\s[^<>]{0,300})?>\s*")
#: What every opening has.
_ANY = re.compile(r"<(?:\w|｜|\|tool_call>)")


def markup_of(line: str) -> tuple[str, str] | None:
    """The tool that a line of markup calls, and its closing tag."""
    if _ANY.search(line) is None:
        return None
    if invoke := _INVOKE.search(line):
        return invoke[1] or invoke[2], f"</{invoke[0][1:].split()[0]}>"
    if function := _FUNCTION.search(line):
        return function[1], "</function>"
    if keyed := _KEYED.search(line):
        return keyed[2], f"</{keyed[1]}>"
    if gemma := gemma_call(line):
        return gemma
    text = _without_around(line)
    if text == _OLD_INVOKE:
        return "invoke", "</invoke>"
    if tag := _TAG.match(text):
        return tag[1], f"</{tag[1]}>"
    if tag := _ATTRIBUTE_TAG.match(text):
        return tag[1], "/>" if tag[3] else f"</{tag[1]}>"
    return None


def calls_in(text: str, closing: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls in a text from an opening tag to the closing one: the name of each tool and its arguments.

    Raises:
        CallError: a tag is not closed, or what belongs to which call is not clear.
    """
    if _INVOKE.search(text):
        return list(_invoked(text, closing))
    if _FUNCTION.search(text):
        return list(_functions(text))
    if _KEYED.search(text.partition("\n")[0]):
        return list(_keyed(text, closing))
    if gemma_call(text.partition("\n")[0]):
        return list(gemma_calls(text))
    if text.lstrip().startswith(_OLD_INVOKE):
        return list(_named_inside(text))
    if closing == "/>":
        return list(_self_closing(_without_around(text)))
    return [_tagged(_without_around(text), closing)]


def _without_around(text: str) -> str:
    """A text without the tags around the call that it begins with."""
    text = text.strip()
    at = 0
    for _ in range(MOST_AROUND):
        if _TAG.match(text, at) or _ATTRIBUTE_TAG.match(text, at):
            return text[at:]
        around = _AROUND.match(text, at)
        if around is None:
            break
        at = around.end()
    return text


def _invoked(text: str, closing: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls in `<invoke name="…">` tags, each with its arguments in `<parameter name="…">` tags."""
    at = 0
    while invoked := _INVOKE.search(text, at):
        _check_speaker(text[max(0, at - 1) : invoked.start()])
        arguments: dict[str, Any] = {}
        at = invoked.end()
        while opening := _PARAMETER.search(text, at):
            if text.find(closing, at, opening.start()) >= 0:
                break
            name, end_tag = opening[1] or opening[2], f"</{opening[0][1:].split()[0]}>"
            end = text.find(end_tag, opening.end())
            if end < 0:
                raise _not_closed("parameter", name)
            put_argument(arguments, name, without_cdata(text[opening.end() : end]))
            at = end + len(end_tag)
        yield invoked[1] or invoked[2], arguments


def _named_inside(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls in `<invoke>` tags that have the name of the tool and its arguments in tags of their own."""
    for inner in text.split(_OLD_INVOKE)[1:]:
        call = _children(inner.rpartition("</invoke>")[0])
        yield str(call.get("tool_name", "")).strip(), _children(str(call.get("parameters", "")))


def _functions(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls in `<function=…>` tags; around a value, one newline on each side is layout."""
    at = 0
    while function := _FUNCTION.search(text, at):
        _check_speaker(text[max(0, at - 1) : function.start()])
        at = function.end()
        body_end = text.find("</function>", at)
        if body_end < 0:
            body_end = len(text)
        body = text[at:body_end]
        if body.lstrip().startswith("{"):
            yield function[1], _json_arguments(body, function[1])
            at += len(body)
            continue
        arguments: dict[str, Any] = {}
        while opening := _VALUE.search(text, at):
            if text.find("</function>", at, opening.start()) >= 0:
                break
            end = text.find("</parameter>", opening.end())
            if end < 0:
                raise _not_closed("parameter", opening[1])
            put_argument(arguments, opening[1], text[opening.end() : end].removeprefix("\n").removesuffix("\n"))
            at = end + len("</parameter>")
        yield function[1], arguments


def _check_speaker(text: str) -> None:
    """Refuse a call behind text in which somebody other than the model begins to speak."""
    if mark := mark_before_call(text):
        raise edit_of_others(mark)


def _json_arguments(text: str, tool: str) -> dict[str, Any]:
    """Arguments that are a JSON object between the tags."""
    value = load_json(text.strip())
    if not isinstance(value, dict):
        message = f"The arguments of the call of {tool} are not valid JSON."
        raise CallError(message)
    return value


def _keyed(text: str, closing: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls that have their arguments as pairs of a key and a value."""
    at = 0
    while keyed := _KEYED.search(text, at):
        _check_speaker(text[max(0, at - 1) : keyed.start()])
        arguments: dict[str, Any] = {}
        at = keyed.end()
        while opening := _ARGUMENT.search(text, at):
            if text.find(closing, at, opening.start()) >= 0:
                break
            end_tag = f"</{opening[2]}>"
            end = text.find(end_tag, opening.end())
            if end < 0:
                raise _not_closed("argument", opening[1])
            put_argument(arguments, opening[1], text[opening.end() : end])
            at = end + len(end_tag)
        yield keyed[2], arguments


def _self_closing(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of tools by tags that close themselves, one after another."""
    at = 0
    while tag := _ATTRIBUTE_TAG.match(text, at):
        if not tag[3]:
            message = f"The call of {tag[1]} begins on the line of another one."
            raise CallError(message, "Put each call on a line of its own.")
        yield tag[1], _attributes(tag[2])
        at = tag.end()
        while text[at : at + 1].isspace():
            at += 1


def _attributes(text: str) -> dict[str, Any]:
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}


def _tagged(text: str, closing: str) -> tuple[str, dict[str, Any]]:
    """The call of a tool by a tag of its own name."""
    if with_attributes := _ATTRIBUTE_TAG.match(text):
        tool = with_attributes[1]
        arguments = _attributes(with_attributes[2])
        body = text[with_attributes.end() : text.rfind(closing)]
        if re.search(rf"{closing}\s*<{tool}\b", body):
            message = f"There are several calls of {tool} on one line."
            raise CallError(message, "Put each call on a line of its own.")
        if any("#text" in shape.names.values() for shape in shapes_of(tool)):
            return tool, {**arguments, "#text": body.removeprefix("\n")}
        return tool, {**arguments, **_children(body)}
    tag = _TAG.match(text)
    assert tag is not None, "BUG: a block begins with its opening tag"
    tool, inner = tag[1], text[tag.end() : text.rfind(closing)]
    if re.search(rf"{closing}\s*<", inner):
        message = f"There are several calls of {tool} on one line."
        raise CallError(message, "Put each call on a line of its own.")
    if tool == "edits":
        return "edit_file", {"edits": list(_pairs(inner))}
    return tool, _children(inner)


def _pairs(text: str) -> Iterator[dict[str, Any]]:
    """The pairs of `<old_text>` and `<new_text>` of Zed; a line number is where the old text begins."""
    at = 0
    while opening := _OLD_TEXT.search(text, at):
        old_end = text.find("</old_text>", opening.end())
        new_start = text.find("<new_text>", old_end)
        new_end = text.find("</new_text>", new_start)
        if min(old_end, new_start, new_end) < 0:
            raise _not_closed("argument", "new_text" if old_end >= 0 else "old_text")
        old, new = text[opening.end() : old_end], text[new_start + len("<new_text>") : new_end]
        pair: dict[str, Any] = {"old_text": old.removeprefix("\n"), "new_text": new.removeprefix("\n")}
        if opening[1]:
            pair["start_line"] = int(opening[1])
        yield pair
        at = new_end


def _children(text: str) -> dict[str, Any]:
    """The arguments in tags of their own names; a newline after the opening and before the closing tag is layout."""
    arguments: dict[str, Any] = {}
    at = 0
    while opening := _CHILD.search(text, at):
        closing = f"</{opening[1]}>"
        end = text.rfind(closing) if opening[1] in _LONG_CHILDREN else text.find(closing, opening.end())
        if end < opening.end():
            raise _not_closed("argument", opening[1])
        value = text[opening.end() : end]
        put_argument(arguments, opening[1], value.removeprefix("\n") if "\n" in value else value)
        at = end + len(closing)
    return arguments


def _not_closed(what: str, name: str) -> CallError:
    return CallError(f"The {what} {name} is not closed.")


def without_cdata(value: str) -> str:
    """A value without the section that protects it from being read as markup."""
    inner = value.strip()
    is_wrapped = inner.startswith("<![CDATA[") and inner.endswith("]]>") and inner.count("<![CDATA[") == 1
    return inner.removeprefix("<![CDATA[").removesuffix("]]>") if is_wrapped else value
