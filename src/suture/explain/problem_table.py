"""All answers about placement, as one table for hunks, blocks and string edits alike.

A row is the kind of a refusal, the rule that refused, or a closer description of either. Its templates are filled in
with the evidence, and with the words of the edit: only these say what it is.
"""

from __future__ import annotations

from re import MULTILINE, findall

from ..core.interface_names import interface_names
from ..core.problems import HunkRef, Problem
from ..core.value import Value
from .message_lines import visible_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.patch import Hunk

#: What messages call an edit and its texts: all that differs between hunks, blocks and string edits. The names of the
#: texts of a string edit are those of the interface in use.
HUNK = {
    "thing": "hunk",
    #: Whose lines are compared with those of the file.
    "side": "patch",
    "around": "as context",
    "fill": "use a hunk of + lines alone",
    "result": "its new text",
    "name": "Hunk {number}",
    "it": "{name}",
    "unfit": "{name} does not fit {file}",
    "several": "{name} fits {count} places in {file}{how}:",
    "again": "{send} the {thing} again",
    "narrow": "{again} with more of the lines around it {around}, so that one place is left.",
    "unfit_but_near": "{unfit}.\nThe nearest place is {range}, where {count} lines match{but}. The file has:{listing}",
    "fits": "{name} fits line {line} of {file}{how}",
    "more": "{again} with more of the lines around it {around}.",
    "this": "If this is the place, {again} with the lines as the file has them. If not, {look}.",
    "right": "{again} with the lines of the right place as the file has them.",
    "merge": "Merge the two {thing}s into one.",
    "mark": " If a line that is not in the file should be added, mark it as added.",
    #: The codes of an edit without a place, and of one whose result can't be written.
    "code": "patch_apply_error",
    "code_of_result": "patch_apply_error",
}
BLOCK = HUNK | {
    "thing": "block",
    "side": "block",
    "around": "in both of its parts",
    "fill": "leave the SEARCH part empty",
    "name": "Block {number}",
    "mark": "",
}
EDIT = BLOCK | {
    "thing": "edit",
    "side": "edit",
    "around": "in {old}",
    "fill": "leave {old} empty",
    "result": "{new}",
    "name": "{old}",
    "it": "the edit",
    "unfit": "{absent}",
    "several": "Found multiple matches for {old} in {file}: it occurs {count} times{how}.",
    "narrow": "Provide more surrounding lines in {old}, so that it occurs once{or_every}.",
    "code": "old_text_not_found",
    "code_of_result": "invalid_arguments",
}


#: The fields that are data for programs.
_DETAILS = "path hunkIndex editIndex character cutShort first last line lines nearest rule tier".split()

#: Each row has a name, a reason (or `-`) and a code; below, the message and, as the last line, what to do next.
_TABLE = r"""
# Nothing like it is in the file.
nearest context_not_found {code}
    {unfit_but_near}
    {again} with the lines as the file has them.{mark_added}
far context_not_found {code}
    {unfit_but_near}
    {this}
elided context_not_found {code}
    {unfit_but_near}
    Write out the lines that {shown} stands for, or split the {thing} in two.
nearest_line context_not_found {code}
    {unfit}.
    {none}The nearest line{within} is:{listing}
    {this}
no_line context_not_found {code}
    {unfit}.
    {none}No line is close to {shown}.
    {look}: this {thing} may be for another file, or for an older version of this one.
empty context_not_found {code}
    {unfit}.
    The file is empty.
    To fill it, {fill}.
not_found_either context_not_found {code}
    {name} does not fit {file} either.
    {look}, and {again} with the lines that it has now.
only_whitespace context_not_found {code}
    {unfit}: it is only whitespace, {shown}, which must match exactly.
    {more}
added_before context_not_found {code}
    {unfit}: {thing} {other} adds {shown}, but {thing}s are matched against the file as it was before.
    {merge}
disproportionate disproportionate {code}
    {unfit}. It would take {range}{how}, which is far more than it names.
    {send} {old} with all lines to replace, as the file has them.
# It has a place, but not where it has to be.
changed_before context_not_found {code}
    {fits}, but {thing} {other}, which comes before, changes its context lines.
    Write its context lines as the {thing}s before it leave them, or merge the two into one.
out_of_order context_not_found {code}
    {name} is out of order: {what} in {file} at {at}, above the place of the {thing} before it.
    {send} the {thing}s in the order of their lines in the file.
above_anchor context_not_found {code}
    {name}: its lines are in {file} at {at}, but not below its @@ line {shown} ({spots}).
    After @@, name the line that opens the block the hunk is in{example}, or leave the text after @@ out.
not_at_end not_at_end {code}
    {name} says '{marker}', but its lines are at {at} of {file}, not at its end (line {total}).
    If it goes there, leave '{marker}' out. If not, {send} the lines at the end of the file.
ends_with_newline not_at_end {code}
    {name}: '\ No newline at end of file' follows an old line, but line {line}, the last of {file}, ends in a newline.
    Leave that line out. To remove the final newline, put it below the added last line and nowhere else.
# Nothing says where it goes.
no_context no_context {code}
    {name} has only added lines. Nothing says where in {file} they go.
    Add the line before them as context (with a space in front){or_anchor}.
anchor_missing anchor_not_found {code}
    {name}: no line of {file} is or begins with its @@ line {shown}.{nearby}
    Copy the @@ line from the file, or leave its text out{or_context}.
anchor_above anchor_not_found {code}
    {name}: its @@ line {shown} is in {file} at {spots}, but not below {above}.
    Keep only the @@ lines of blocks that the hunk is in, the outermost first{example}.
anchor_with_numbers anchor_not_found {code}
    {name}: its @@ line has the line numbers of a unified diff: {shown}.
    Write {form} instead.
# It has several places, or one that is not certain.
several - multiple_matches
    {several}{listing}
    {narrow}
several_blocks - multiple_matches
    {several}{listing}
    Name the right one {after} (for the first: {form}), or add more of the lines around it as context.
several_alike - multiple_matches
    {name} fits no place in {file} exactly, and {count} about as well:{listing}
    {right}
not_unique_reading - multiple_matches
    {unfit} as it is. Read in another way ({reading}), it occurs {count} times.{listing}
    {send} {old} as the file has it, with enough lines that it occurs once.
distinctive-line - multiple_matches
    {fits}, but has only lines that could be anywhere.
    {more}
layout-blank - multiple_matches
    {fits}, but without its last line, which is blank, it fits {others}.
    {more}
one-sided - multiple_matches
    {fits}, but its only distinctive line {shown} occurs at {others}.
    Add the line of the file on the other side of the added lines {around}{example}.
own-depth - multiple_matches
    {fits}, but its lines are at {others} with their own indentation, apart from other whitespace or punctuation.
    {again} with the lines of the place that is meant, as the file has them.
uneven-depth - multiple_matches
    {fits}, but that does not tell the indentation of the lines that it adds.
    {again} with the indentation that the file has.
# It has a place and can't go there.
already_applied already_applied patch_apply_error
    {it} seems to be applied already: {result} is in {file} at line {line}.
    Leave this {thing} out{or_skip}. To repeat it, {again} with more of the lines around it {around}.
applied_instead already_applied {code}
    {unfit}, but {result} is at line {line}. The {thing} seems to be applied already.
    If that is the place, leave this {thing} out{or_skip}. If not, {look}.
overlapping - overlapping_edits
    {name} changes the same place as {thing} {other}: line {line} of {file}, {shown}.
    {merge}
unclear_escapes unclear_escapes {code}
    {name} is at line {line} of {file} with other escapes, and which escapes of {result} are literal is unclear.
    {again} with as many backslashes as the file has, also in {result}.
indented_twice indented_twice invalid_arguments
    {new} begins with the indentation that is before {old} at line {line} of {file}: it would be doubled.
    Begin both {old} and {new} with the indentation, or neither of them.
placeholder placeholder invalid_arguments
    {new} has a placeholder, which would be written to {file} as it is: {shown}.
    Write out the lines that it stands for, or make {old} and {new} smaller, so that nothing is left out.
control_character control_character encoding_error
    {it} adds the control character U+{character:04X} to {file}.
    Leave it out, or write it as an escape of the file's language.
parses syntax_error {code_of_result}
    {name} was found only loosely ({tiers}), and {file} would no longer parse: {fault}{where}.{listing}
    {send} the old and the new lines as the file has them, with their indentation.
out_of_time - timeout
    {name} was not placed: the search in {file} took too long.
    {send} fewer {thing}s at a time.
# It is no edit, or changes nothing.
not_a_line - invalid_arguments
    {name} has a line that is not {expected}: {found!r}.
    Start every line with a space, + or -, and put only one line in each. An anchor is not blank.
no_edits - invalid_arguments
    The list of edits is empty.
    Add at least one edit.
not_an_edit - invalid_arguments
    Edit {number} of the list is not an edit: {shown}.
    Give each edit {old} and {new}; {every} to change every occurrence.
not_empty - invalid_arguments
    {old} is empty, which creates a file, but {file} exists and is not empty.
    Put the text to replace in {old}. To replace the whole file, write it instead.
only_context - no_change
    The update of {file} changes nothing: it has only context lines.
    Mark the lines to remove with - and the lines to add with +, or leave the update out.
same_lines - no_change
    The update of {file} changes nothing: it adds the lines that it removes.
    Leave the update out, or make the added lines different from the removed ones.
equal_texts - no_change
    {old} and {new} must be different.
    Say in {new} what the text should become.
no_difference - no_change
    {old} and {new} make no difference: {file} already has the result.
    Leave this edit out.
"""


class Row(Value):
    """What a message says, and what to do next."""

    reason: str
    code: str
    message: str
    hint: str


PROBLEM_TABLE: dict[str, Row] = {}
for _head, _texts in findall(r"^(\S.*)\n((?: .*\n)+)", _TABLE, MULTILINE):
    _name, _reason, _code = _head.split()
    *_message, _hint = map(str.strip, _texts.splitlines())
    PROBLEM_TABLE[_name] = Row(_reason.strip("-"), _code, "\n".join(_message), _hint)


class Fields(dict[str, object]):
    """The evidence of a problem by the names that templates use.

    What is not among them is one of the words, or what the interface in use calls it, inside of a sentence.
    """

    def __init__(self, words: Mapping[str, str], path: str, ref: HunkRef | None = None, **evidence: object) -> None:
        super().__init__(evidence, path=path, file=visible_name(path) or "the file")
        self.words = words
        self.path = path
        self.ref = ref
        if ref is not None:
            number = f"{ref.number} of {ref.of}{f' (patch line {ref.line})' if ref.line else ''}"
            self.update(number=number, hunkIndex=ref.number - 1)

    def __missing__(self, name: str) -> str:
        value = self.words.get(name)
        if value is None:
            value = getattr(interface_names(), name)
            value = value[:1].lower() + value[1:]
        return value.format_map(self)

    def problem(self, row: str) -> Problem:
        """The problem of a row of the table."""
        chosen = PROBLEM_TABLE[row]
        code: Any = chosen.code.format_map(self)
        known = {name: self[name] for name in _DETAILS if name in self}
        if "lines" in known:
            del known["line"]
        if chosen.reason:
            known["reason"] = chosen.reason
        message, hint = (template.format_map(self) for template in (chosen.message, chosen.hint))
        if message.startswith("the "):
            message = f"T{message[1:]}"
        return Problem(code, message, self.path, self.ref, known, hint[0].upper() + hint[1:])


def hunk_fields(hunks: Sequence[Hunk], number: int, path: str, **evidence: object) -> Fields:
    """The fields of a problem of one of the hunks, of which some may be blocks."""
    hunk = hunks[number]
    words = BLOCK if hunk.is_block else HUNK
    return Fields(words, path, HunkRef(number + 1, len(hunks), hunk.line), **evidence)
