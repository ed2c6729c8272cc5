"""Whole definitions, replaced or added by the name of one that the file has: no old text is needed.

The name must be unique. The new text is fitted to the indentation of the place. Decorators and the comment above a
definition are replaced where the new text has such, and stay where it has none.
"""

from __future__ import annotations

from ..core.control_characters import control_character
from ..core.display import one_line, shorten
from ..core.kept_endings import raw_for
from ..core.python_source import UNPARSABLE
from ..core.text import Text, check_growth, check_size
from ..core.text_changes import InsertDefinition, ReplaceDefinition
from ..words.change_problems import change_refusal
from .definitions import definitions_in
from .limits import LONGEST_MISSING_NAME, MOST_LISTED_NAMES, MOST_STRING_WORK
from .new_text import placeholder_in
from .string_rows import inside_strings
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .definitions import Definition
    from .string_rows import StringRows

#: What begins a line that is a comment, in the languages that are parsed.
_COMMENTS = ("#", "//", "/*", "*", "--")


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
    sent = change.text.replace("\r\n", "\n").strip("\n")
    new = without_indentation(sent)
    _check_new(text, new, allow_control=allow_control, allow_placeholders=allow_placeholders)
    known = _known(path, text.body)
    target = _find(path, known, change.name)
    _check_shared(target, path)
    added = _new_definition(path, new)
    _check_shared(added, path)
    if isinstance(change, ReplaceDefinition):
        lines = _replaced(text, target, sent, added, path, renames=change.renames)
    else:
        lines = _inserted(text, target, known, sent, added, path, before=change.before)
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
    raw = raw_for(text, body)
    check_growth(text, len(raw) - len(text.raw), max_size)
    return text.content(raw)


def without_indentation(text: str) -> str:
    """A definition at the beginning of the line."""
    return "\n".join(_indented(text.split("\n"), [""]))


def _known(path: str, body: str) -> list[Definition]:
    """The definitions of the file.

    Raises:
        PatchRejectedError: it can't be parsed.
    """
    try:
        known = definitions_in(path, body)
    except UNPARSABLE:
        message = f"{path} does not parse, so its definitions are not known."
        raise change_refusal(
            "patch_apply_error", path, message, "Use an edit with the text to find.", reason="no_parser"
        ) from None
    if known is None:
        message = f"No parser knows the definitions of {path}."
        hint = (
            "Use an edit with the text to find. For languages other than Python, the user can install suture[parsers]."
        )
        raise change_refusal("patch_apply_error", path, message, hint, reason="no_parser")
    return known


def _find(path: str, known: Sequence[Definition], name: str) -> Definition:
    """The only definition of this name, which may be qualified by some of the names around it.

    Raises:
        PatchRejectedError: with the names that there are.
    """
    plain = name.strip().strip("/").replace("/", ".").replace("::", ".").removesuffix("()")
    matching = [one for one in known if one.name == plain]
    if not matching:
        matching = [one for one in known if one.name.endswith(f".{plain}")]
    if len(matching) == 1:
        return matching[0]
    if matching:
        spots = ", ".join(f"{one.name} (line {one.own + 1})" for one in matching[:MOST_LISTED_NAMES])
        message = f"{path} has {len(matching)} definitions of {one_line(plain)}: {spots}."
        hint = "Qualify the name by the definition around it, or use an edit with the text to find."
        raise change_refusal("multiple_matches", path, message, hint, reason="several_definitions")
    names = ", ".join(one.name for one in known[:MOST_LISTED_NAMES]) or "none"
    more = " …" if len(known) > MOST_LISTED_NAMES else ""
    missing = shorten(one_line(plain), LONGEST_MISSING_NAME)
    message = f"{path} has no definition of {missing}. It has: {names}{more}."
    raise change_refusal("patch_apply_error", path, message, "Name one of these.", reason="no_definition")


def _cause(error: Exception) -> str:
    """Why a text can't be parsed."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{error.msg}, in line {error.lineno} of it"
    return str(error) or "it is nested too deeply"


def _new_definition(path: str, new: str) -> Definition:
    """The definition that the new text is.

    Raises:
        PatchRejectedError: it is none, or several.
    """
    try:
        outermost = [one for one in definitions_in(path, new) or [] if not one.outer]
        if not outermost:
            # A method may be one only inside of a class.
            outermost = wrapped_definitions(path, new)
    except UNPARSABLE as error:
        message = f"The new definition for {path} does not parse: {_cause(error)}."
        raise change_refusal(
            "invalid_arguments", path, message, "Send the whole definition, complete.", reason="syntax_error"
        ) from None
    if len(outermost) != 1:
        message = f"The new text for {path} has {len(outermost)} definitions at its top level, and one is needed."
        raise change_refusal(
            "invalid_arguments", path, message, "Send one whole definition.", reason="not_a_definition"
        )
    [definition] = outermost
    return definition


def in_class(new: str) -> str:
    """A text as the body of a class of a language with braces."""
    return f"class Wrapper {{\n{new}\n}}"


def wrapped_definitions(path: str, new: str) -> list[Definition]:
    """The definitions in a text that are such only inside of a class, such as a method of Java or TypeScript."""
    if path.endswith((".py", ".pyi")):
        return []
    known = definitions_in(path, in_class(new)) or []
    inner = [one for one in known if one.outer == "Wrapper"]
    return [one.replace(first=one.first - 1, own=one.own - 1, last=one.last - 1) for one in inner]


def _replaced(text: Text, target: Definition, sent: str, added: Definition, path: str, *, renames: bool) -> list[str]:
    """The lines of the file with a definition replaced.

    Decorators stay if the new text has none, and so does the comment above. What is behind the last bracket stays too.
    """
    if added.own_name != target.own_name and not renames:
        message = f"The new text defines {added.own_name}, but {target.name} of {path} is to be replaced."
        hint = "Send a definition of the same name. To rename it, say so, and change the places that use it."
        raise change_refusal("invalid_arguments", path, message, hint, reason="other_name")
    _check_variant(target, added, path)
    lines, written = text.body.split("\n"), sent.split("\n")
    has_decorators, has_comment = added.first < added.own, _has_comment(written[: added.first])
    first = target.first if has_decorators else target.own
    keeps_decorators = first > target.first
    if has_comment and not keeps_decorators:
        first = _first_of_comment(lines, first)
    old = lines[first : target.last + 1]
    strings = inside_strings(path, sent)
    if len(strings) * sum(map(len, old)) > MOST_STRING_WORK:
        message = f"The new {target.name} for {path} has too many strings of several lines."
        raise change_refusal("timeout", path, message, "Use edits with the text to find.", reason="search_budget")
    fitted = _indented(written, lines[target.own : target.last + 1], strings, old)
    # A comma or a comment behind the last bracket, of which the new text has all, a part or nothing.
    if target.behind.strip().startswith(added.behind.strip()):
        last_line = fitted[added.last].rstrip().removesuffix(added.behind)
        mark = target.behind.strip()[:1]
        if mark in (",", ";"):
            last_line = last_line.removesuffix(mark)
        fitted[added.last] = last_line + target.behind
    return lines[:first] + fitted + lines[target.last + 1 :]


def _first_of_comment(lines: Sequence[str], first: int) -> int:
    """The first line of the comment right above a line; the line itself if there is no comment."""
    while first > 0 and lines[first - 1].strip().startswith(_COMMENTS):
        first -= 1
    return first


def _has_comment(lines: Sequence[str]) -> bool:
    """Whether one of some lines is a comment."""
    return any(line.strip().startswith(_COMMENTS) for line in lines)


def _spot(target: Definition) -> str:
    """The lines of a definition in words."""
    first, last = target.first + 1, target.last + 1
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _check_shared(target: Definition, path: str) -> None:
    """Refuse a definition with other code on its first or its last line: it is placed by lines."""
    tail = target.behind.strip().lstrip(";,").strip()
    has_code_behind = tail != "" and not _is_comment(tail, path)
    if not target.shares_lines and not has_code_behind:
        return
    message = f"{target.name} of {path} has other code on its first or its last line ({_spot(target)})."
    hint = "Use an edit with the text to find."
    raise change_refusal("patch_apply_error", path, message, hint, reason="shared_line")


def _is_comment(tail: str, path: str) -> bool:
    """Whether all that is behind a definition on its line is a comment."""
    if path.endswith((".rb", ".sh", ".php")):
        marks: tuple[str, ...] = ("#",)
    elif path.endswith(".lua"):
        marks = ("//", "--")
    else:
        marks = ("//",)
    if tail.startswith(marks):
        return True
    ends_at_end = tail.find("*/") == len(tail) - 2
    return tail.startswith("/*") and ends_at_end


def _check_variant(target: Definition, added: Definition, path: str) -> None:
    """Refuse a definition of the same name that is another one, such as a setter instead of the getter."""
    keeps_decorators = path.endswith((".py", ".pyi")) and added.first == added.own
    if added.variant != target.variant and not keeps_decorators:
        old, new = (one.variant or "plain" for one in (target, added))
        message = f"The new {added.own_name} is another definition ({new}) than {target.name} of {path} ({old})."
        hint = "Send the same definition. To replace it by another one, use an edit with the text to find."
        raise change_refusal("invalid_arguments", path, message, hint, reason="other_name")
    if target.export and not added.export:
        message = f"{path} has {target.name} with `{target.export}`, and the new text has none."
        hint = f"Send it with `{target.export}`. To change that, use an edit with the text to find."
        raise change_refusal("invalid_arguments", path, message, hint, reason="not_exported")


def _inserted(
    text: Text,
    target: Definition,
    known: Sequence[Definition],
    sent: str,
    added: Definition,
    path: str,
    *,
    before: bool,
) -> list[str]:
    """The lines with a definition added beside another one, as far apart as its neighbors are."""
    outer = target.outer
    name = f"{outer}.{added.short_name}" if outer else added.name
    existing = next((one for one in known if one.name == name), None)
    lines = text.body.split("\n")
    written = _indented(sent.split("\n"), lines[target.own : target.last + 1], inside_strings(path, sent))
    if existing is not None:
        # The two end at the same line: the sent text may begin with decorators or a comment.
        is_same = lines[existing.last + 1 - len(written) : existing.last + 1] == written
        reason = "already_applied" if is_same else "other_name"
        message = f"{path} already has a definition of {name}, at line {existing.own + 1}."
        hint = "Leave it out." if is_same else "Replace that definition instead."
        raise change_refusal("patch_apply_error", path, message, hint, reason=reason)
    first = _first_of_comment(lines, target.first)
    gap = [""] * _gap(lines, target, first, is_top=not outer, path=path)
    if before:
        return lines[:first] + written + gap + lines[first:]
    return lines[: target.last + 1] + gap + written + lines[target.last + 1 :]


def _gap(lines: list[str], target: Definition, first: int, *, is_top: bool, path: str) -> int:
    """How many blank lines to put between a definition, whose comment begins at `first`, and a new one."""
    above = _count_blank(lines[:first][::-1])
    below = _count_blank(lines[target.last + 1 :])
    # Below the last definition of a class, there is the space between classes.
    gap = max(above, below) if is_top else min(filter(None, (above, below)), default=0)
    usual = 2 if is_top and path.endswith((".py", ".pyi")) else 1
    return gap or usual


def _count_blank(lines: Sequence[str]) -> int:
    """How many lines are blank before the first one with text; 0 if none has text."""
    return next((count for count, line in enumerate(lines) if line.strip()), 0)


def _indented(
    written: list[str], beside: Sequence[str], strings: Sequence[StringRows] = (), old: Sequence[str] = ()
) -> list[str]:
    """Lines, the first of them at the indentation of a definition. Lines that have less of it, such as `#if`, stay.

    Lines inside of a string stay as well, unless it is a docstring, or the old definition has them at the new depth.
    """
    indent = _indentation(beside[0])
    first = next((line for line in written if line.strip()), "")
    own_indent = _indentation(first)
    first_alone = not own_indent and _is_first_alone(written, beside, strings)
    moved: list[str] = []
    for line in written:
        keeps_depth = (first_alone and line is not first) or not line.startswith(own_indent)
        if not line.strip():
            moved.append("")
        elif keeps_depth:
            moved.append(line)
        else:
            moved.append(indent + line[len(own_indent) :])
    old_text = _as_rows(old)
    for string in strings:
        rows = slice(string.first, string.last + 1)
        is_old_as_written = _as_rows(written[rows]) in old_text
        may_move = string.is_docstring or _as_rows(moved[rows]) in old_text
        if is_old_as_written or not may_move:
            moved[rows] = written[rows]
    return moved


def _is_first_alone(written: Sequence[str], beside: Sequence[str], strings: Sequence[StringRows]) -> bool:
    """Whether only the first line of a definition lacks its indentation: the rest is as deep as in one of the file.

    Serena asks for definitions that are written so.
    """
    in_strings: set[int] = set()
    for string in strings:
        in_strings.update(range(string.first, string.last + 1))
    code = [line for row, line in enumerate(written) if line.strip() and row not in in_strings]
    file_code = [line for line in beside if line.strip()]
    # Without the first lines, which begin the definitions.
    depths, file_depths = list(map(_depth, code[1:])), list(map(_depth, file_code[1:]))
    if not depths or not file_depths:
        return False
    indent = _depth(beside[0])
    return indent > 0 and min(depths) == min(file_depths) >= indent


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _depth(line: str) -> int:
    return len(_indentation(line))


def _as_rows(lines: Sequence[str]) -> str:
    """Lines as a text in which only whole lines are found."""
    return "\n".join(["", *lines, ""])


def _check_new(text: Text, new: str, *, allow_control: bool, allow_placeholders: bool) -> None:
    """Refuse a control character or a placeholder in a new text, unless it is allowed or the file has it already."""
    if not allow_control and (character := control_character(new, text.body)) is not None:
        message = f"The new text for {text.path} has the control character U+{ord(character):04X}."
        hint = "Leave it out, or write it as an escape of the file's language."
        raise change_refusal("encoding_error", text.path, message, hint, reason="control_character")
    if not allow_placeholders and (line := placeholder_in(new, text.body)) is not None:
        message = f"The new text for {text.path} has a placeholder: {line.strip()}."
        raise change_refusal(
            "invalid_arguments", text.path, message, "Write out the lines that it stands for.", reason="placeholder"
        )
