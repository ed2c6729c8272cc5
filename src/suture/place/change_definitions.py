"""Whole definitions, replaced or added by the name of one that the file has: no old text is needed.

The name must be unique. The new text is fitted to the indentation of the place. Decorators and the comment above a
definition are replaced where the new text has such, and stay where it has none.
"""

from __future__ import annotations

from textwrap import dedent

from ..core.text import Text, check_growth, check_size
from ..core.text_changes import InsertDefinition, ReplaceDefinition
from ..words.change_problems import change_refusal
from .definitions import definitions_in
from .new_text import control_character, placeholder_in
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .definitions import Definition

#: What begins a line that is a comment, in the languages that are parsed.
_COMMENTS = ("#", "//", "/*", "*", "--")
#: How many names a message lists.
_MOST_NAMES = 40


def replace_definition(
    content: str, name: str, text: str, *, path: str, renames: bool = False, allow_placeholders: bool = False
) -> str:
    """The content with the whole definition of this name replaced by a text. `path` tells the language.

    With `renames`, the new definition may have another name.

    Raises:
        PatchRejectedError: there is no such definition, or more than one; or the text is no definition of that name.
    """
    change = ReplaceDefinition(text, name, renames)
    return _as_text(change_definition(content, change, path=path, allow_placeholders=allow_placeholders))


def insert_definition(
    content: str, name: str, text: str, *, path: str, before: bool = False, allow_placeholders: bool = False
) -> str:
    """The content with a new definition after, or before, the one of this name. `path` tells the language.

    Raises:
        PatchRejectedError: there is no such definition, or more than one; or the new one is there already.
    """
    change = InsertDefinition(text, name, before)
    return _as_text(change_definition(content, change, path=path, allow_placeholders=allow_placeholders))


def _as_text(content: str | bytes) -> str:
    assert isinstance(content, str), "BUG: the content was given as a text"
    return content


def change_definition(
    content: str | bytes,
    change: ReplaceDefinition | InsertDefinition,
    *,
    path: str,
    encoding: str | None = None,
    allow_control: bool = False,
    allow_placeholders: bool = False,
    max_size: int = 50_000_000,
) -> str | bytes:
    """The content after a change of a definition.

    Raises:
        PatchRejectedError: it has no certain place, or the file would no longer parse.
    """
    check_size(content, path, max_size)
    text = Text(content, encoding, path)
    new = dedent(change.text.replace("\r\n", "\n")).strip("\n")
    _check_new(text, new, allow_control=allow_control, allow_placeholders=allow_placeholders)
    known = _known(path, text.body)
    target = _find(path, known, change.name)
    (added,) = _new_definition(path, new)
    if isinstance(change, ReplaceDefinition):
        lines = _replaced(text, target, new, added, path, renames=change.renames)
    else:
        lines = _inserted(text, target, known, new, added, path, before=change.before)
    body = "\n".join(lines)
    if body == text.body:
        raise change_refusal(
            "no_change", path, f"{target.name} of {path} is already as the text says.", "Leave it out.", reason=""
        )
    fault = fault_in(path, body)
    if fault is not None and fault_in(path, text.body) is None:
        message = f"{path} would no longer parse with the new {target.name}: {fault.reason} (line {fault.line})."
        raise change_refusal(
            "invalid_arguments", path, message, "Send the whole definition, complete.", reason="syntax_error"
        )
    raw = body if text.raw is text.body else body.replace("\n", text.newline)
    check_growth(text, len(raw) - len(text.raw), max_size)
    return text.content(raw)


def _known(path: str, body: str) -> list[Definition]:
    """The definitions of the file.

    Raises:
        PatchRejectedError: it can't be parsed.
    """
    try:
        known = definitions_in(path, body)
    except (SyntaxError, ValueError, RecursionError):
        message = f"{path} does not parse, so its definitions are not known."
        raise change_refusal(
            "patch_apply_error", path, message, "Use an edit with the text to find.", reason="no_parser"
        ) from None
    if known is None:
        message = f"No parser knows the definitions of {path}."
        hint = "Use an edit with the text to find. For languages other than Python, install suture[parsers]."
        raise change_refusal("patch_apply_error", path, message, hint, reason="no_parser")
    return known


def _find(path: str, known: Sequence[Definition], name: str) -> Definition:
    """The only definition of this name, which may be qualified by some of the names around it.

    Raises:
        PatchRejectedError: with the names that there are.
    """
    plain = name.strip().strip("/").replace("/", ".").replace("::", ".").removesuffix("()")
    named = [one for one in known if one.name == plain] or [one for one in known if one.name.endswith(f".{plain}")]
    if len(named) == 1:
        return named[0]
    if named:
        spots = ", ".join(f"{one.name} (line {one.own + 1})" for one in named[:_MOST_NAMES])
        message = f"{path} has {len(named)} definitions of {plain}: {spots}."
        hint = "Qualify the name by the definition around it, or use an edit with the text to find."
        raise change_refusal("multiple_matches", path, message, hint, reason="several_definitions")
    names = ", ".join(one.name for one in known[:_MOST_NAMES]) + (" …" if len(known) > _MOST_NAMES else "")
    message = f"{path} has no definition of {plain}. It has: {names or 'none'}."
    raise change_refusal("patch_apply_error", path, message, "Name one of these.", reason="no_definition")


def _new_definition(path: str, new: str) -> list[Definition]:
    """The definition that the new text is, as a list of one.

    Raises:
        PatchRejectedError: it is none, or several.
    """
    try:
        outer = [one for one in definitions_in(path, new) or [] if not one.outer] or _wrapped(path, new)
    except (SyntaxError, ValueError, RecursionError) as error:
        message = f"The new definition for {path} does not parse: {error}."
        raise change_refusal(
            "invalid_arguments", path, message, "Send the whole definition, complete.", reason="syntax_error"
        ) from None
    if len(outer) != 1:
        message = f"The new text for {path} has {len(outer)} definitions at its top level, and one is needed."
        raise change_refusal(
            "invalid_arguments", path, message, "Send one whole definition.", reason="not_a_definition"
        )
    return outer


def _wrapped(path: str, new: str) -> list[Definition]:
    """The definition in a text that is one only inside of a class, such as a method of Java or TypeScript."""
    if path.endswith((".py", ".pyi")):
        return []
    known = definitions_in(path, f"class Wrapper {{\n{new}\n}}") or []
    inner = [one for one in known if one.outer == "Wrapper"]
    return [one.replace(first=one.first - 1, own=one.own - 1, last=one.last - 1) for one in inner]


def _replaced(text: Text, target: Definition, new: str, added: Definition, path: str, *, renames: bool) -> list[str]:
    """The lines with a definition replaced."""
    if added.short_name != target.short_name and not renames:
        message = f"The new text defines {added.short_name}, but {target.name} of {path} is to be replaced."
        hint = "Send a definition of the same name. To rename it, say so, and change the places that use it."
        raise change_refusal("invalid_arguments", path, message, hint, reason="other_name")
    lines, written = text.body.split("\n"), new.split("\n")
    first = target.first if added.first < added.own else target.own
    if any(line.strip().startswith(_COMMENTS) for line in written[: added.first]):
        while first > 0 and first <= target.first and lines[first - 1].strip().startswith(_COMMENTS):
            first -= 1
    return lines[:first] + _indented(written, lines[target.own]) + lines[target.last + 1 :]


def _inserted(
    text: Text, target: Definition, known: Sequence[Definition], new: str, added: Definition, path: str, *, before: bool
) -> list[str]:
    """The lines with a definition added beside another one, as far apart as its neighbors are."""
    outer = target.outer
    name = f"{outer}.{added.short_name}" if outer else added.name
    there = next((one for one in known if one.name == name), None)
    lines = text.body.split("\n")
    written = _indented(new.split("\n"), lines[target.own])
    if there is not None:
        is_same = lines[there.last + 1 - len(written) : there.last + 1] == written
        reason = "already_applied" if is_same else "other_name"
        message = f"{path} already has a definition of {name}, at line {there.own + 1}."
        hint = "Leave it out." if is_same else "Replace that definition instead."
        raise change_refusal("patch_apply_error", path, message, hint, reason=reason)
    first = target.first
    while first > 0 and lines[first - 1].strip().startswith(_COMMENTS):
        first -= 1
    gap = [""] * _gap(lines, target, first, is_top=not outer, path=path)
    if before:
        return lines[:first] + written + gap + lines[first:]
    return lines[: target.last + 1] + gap + written + lines[target.last + 1 :]


def _gap(lines: list[str], target: Definition, first: int, *, is_top: bool, path: str) -> int:
    """How many blank lines are beside a definition."""
    above = next((count for count in range(first) if lines[first - 1 - count].strip()), 0)
    below = target.last + 1
    under = next((count for count in range(len(lines) - below) if lines[below + count].strip()), 0)
    usual = 2 if is_top and path.endswith((".py", ".pyi")) else 1
    # Below the last definition of a class, there is the space between classes.
    beside = max(under, above) if is_top else min(filter(None, (under, above)), default=0)
    return beside or usual


def _indented(written: list[str], beside: str) -> list[str]:
    """Lines at the indentation of another line."""
    indent = beside[: len(beside) - len(beside.lstrip())]
    return [f"{indent}{line}" if line.strip() else "" for line in written]


def _check_new(text: Text, new: str, *, allow_control: bool, allow_placeholders: bool) -> None:
    if not allow_control and (character := control_character(new, text.body)) is not None:
        message = f"The new text for {text.path} has the control character U+{ord(character):04X}."
        hint = "Leave it out, or write it as an escape of the file's language."
        raise change_refusal("encoding_error", text.path, message, hint, reason="control_character")
    if not allow_placeholders and (line := placeholder_in(new, text.body)) is not None:
        message = f"The new text for {text.path} has a placeholder: {line.strip()}."
        raise change_refusal(
            "invalid_arguments", text.path, message, "Write out the lines that it stands for.", reason="placeholder"
        )
