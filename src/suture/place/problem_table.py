"""All answers about placement, as one table for hunks, blocks and string edits alike.

A row is the kind of a refusal, the rule that refused, or a closer description of either.
"""

from __future__ import annotations

from re import MULTILINE, findall

from ..core.interface_names import interface_names
from ..core.problems import Problem, hunk_ref
from .message_lines import visible_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.patch import Hunk
    from ..core.problems import HunkRef

#: What all edits share; a field that is empty here says more in some cases.
_PHRASES = {
    "again": "{send} the {thing} again",
    "more": "provide more surrounding lines {around}",
    "fits": "{name} fits line {line} of {file}{how}",
    "near": "{unfit}.\nThe nearest place is {range}{where}. The file has:{listing}",
    "merge": "Merge the two {thing}s into one.",
    **dict.fromkeys(("below", "how", "or_every", "there"), ""),
}
#: What differs: words for a hunk, a block and a string edit, whose texts have the names of the interface in use.
_WORDS = {
    "thing": ("hunk", "block", "edit"),
    "side": ("patch", "block", "edit"),  # whose lines are compared with those of the file
    "name": ("Hunk {number}", "Block {number}", "{old}"),
    "it": ("{name}", "{name}", "the edit"),
    "around": ("as context", "in both of its parts", "in {old}"),
    "result": ("its new text", "its new text", "{new}"),
    "fill": ("use a hunk of + lines alone", "leave the SEARCH part empty", "leave {old} empty"),
    "mark": (" If a line that is not in the file should be added, mark it as added.", "", ""),
    "unfit": (*["{name} does not fit {file}"] * 2, "{absent}"),
    "several": (
        *["{name} fits {count} places in {file}{how}:"] * 2,
        "Found multiple matches for {old} in {file}: it occurs {count} times{how}.",
    ),
    "code": (*["patch_apply_error"] * 2, "old_text_not_found"),
    "code_of_result": (*["patch_apply_error"] * 2, "invalid_arguments"),
}
HUNK, BLOCK, EDIT = (_PHRASES | {name: forms[n] for name, forms in _WORDS.items()} for n in range(3))

#: The fields that are data for programs.
_DETAILS = "path hunkIndex editIndex character cutShort first last line lines nearest rule tier".split()

#: Below a reason (or `-`) and a code: the name of a row, the message and, as the last line, what to do next.
_TABLE = r"""
context_not_found {code}
  nearest: {near}
    {again} with the lines as the file has them.{mark}
  applied_and_changed: {unfit}, but most of {result} is at {range}{where}. The file has:{listing}
    If the {thing} was applied and changed since, leave it out. If not, {again} with the lines as the file has them.
  far: {near}
    If this is the place, {again} with the lines as the file has them. If not, {look}.
  no_line: {unfit}. None of its distinctive lines is in the file: no line is close to {shown}.
    {look}: this {thing} may be for another file, or for an older version of this one.
  empty: {unfit}. The file is empty.
    To fill it, {fill}.
  not_found_either: {name} does not fit {file} either.
    {look}, and {again} with the lines that it has now.
  only_whitespace: {unfit}: it is only whitespace, {shown}, which must match exactly.
    {more}.
  added_before: {unfit}: {thing} {other} adds {shown}, but {thing}s are matched with the file as it was before.{nearby}
    {merge}
  changed_before: {fits}, but {thing} {other}, which comes before, changes its context lines.
    Write its context lines as the {thing}s before it leave them, or merge the two into one.
  out_of_order: {name} is out of order: in {file} it belongs at {at}, above the place of the {thing} before it.{there}
    {send} the {thing}s in the order of their lines in the file.
  above_anchor: {name}: its lines are in {file} at {at}, but not below its @@ line {shown} ({spots}).{there}
    After @@, name the line that opens the block the hunk is in, or leave the text after @@ out.
  outside_scope: {name}: its lines are in {file} at {at}{block}, not in the block of its @@ line {shown} ({range}).
    The block is:{listing}{there}
    If this block no longer has them, leave the hunk out. Otherwise, put the line that opens their block after @@.
  outside_context: {name}: its lines are in {file} at {at}{block}, not in the block of {shown} above.{there}
    If that block no longer has them, leave the hunk out. Otherwise, provide more surrounding lines as context.
  other_heading: {name}: its lines are in {file} at {at}, but not below its heading {shown}.{there}
    {again} with the line numbers and the lines that the file has now.
  context_absent: {name} has only context, and {file} has no line {shown}.{nearby}
    If this line should be added, mark it with +. If not, copy the context from the file, or leave the {thing} out.
not_at_end {code}
  not_at_end: {name} says '{marker}', but its lines are in {file} at {at}, not at its end.
    The file ends with:{listing}{there}
    If it goes there, leave '{marker}' out. If not, {send} the lines at the end of the file.
  ends_with_newline: {name}: '\ No newline at end of file' follows an old line, but {file} ends in one (line {line}).
    Leave that line out. To remove the final newline, put it below the added last line and nowhere else.
no_context {code}
  no_context: {name} has only added lines. Nothing says where in {file} they go.
    Add the line before them {around}.
anchor_not_found {code}
  anchor_missing: {name}: no line of {file}{below} is or begins with its @@ line {shown}.{nearby}
    Copy each @@ line from the file, outermost block first, or leave its text out and give enough context lines.
  whole_anchor_missing: {name}: its @@ line {shown} is not a line of {file}{below}.
    (Whitespace at both ends and the style of quotes and dashes are ignored.){nearby}
    Copy each whole @@ line from the file, outermost block first, or leave its text out and give enough context lines.
disproportionate {code}
  disproportionate: {unfit}. It would take lines {first}-{last}{how}, which is far more than it names.
    {send} {old} with all lines to replace, as the file has them.
unclear_escapes {code}
  unclear_escapes: {fits} with other escapes, and which escapes of {result} are literal is unclear.{there}
    {again} with as many backslashes as the file has, also in {result}.
already_applied {code}
  applied_instead: {unfit}, but {result} is at {range}. The {thing} seems to be applied already.
    If that is the place, leave this {thing} out{or_skip}. If not, {look}.
already_applied patch_apply_error
  already_applied: {it} seems to be applied already: {result} is in {file} at {range}.{there}
    Leave this {thing} out{or_skip}. To repeat it, {more}.
syntax_error {code_of_result}
  parses: {name} was found only loosely ({tiers}), and {file} would no longer parse: {fault}.{listing}{there}
    {send} the old and the new lines as the file has them, with their indentation.
- multiple_matches
  several: {several}{listing}
    {more}{exactly}, so that it occurs once{or_every}.
  several_blocks: {several}{listing}
    Name the right one {after} (for the first: {form}), or add more of the lines around it as context.
  distinctive-line: {fits}, but has only lines that could be anywhere.{there}
    {more}.
  layout-blank: {fits}, but without its last line, which is blank, it fits {others}.{there}
    {more}.
  one-sided: {fits}, but its only distinctive line {shown} occurs at {others}.{there}
    Add the line of the file on the other side of the added lines {around}{example}.
  own-depth: {fits}, but its lines are at {others} with their own indentation, and other spacing or punctuation.{there}
    {again} with the lines of the place that is meant, as the file has them.
  nested-copy: {fits}, but the line above it is the first line of the {thing} at its own indentation.{there}
    {again} with the indentation that the file has.
  forgotten-plus: {fits}, but keeps a line that the file lacks, with a word that only its added lines have.{there}
    If that line should be added, do not keep it, but add it. If not, {again} with the lines as the file has them.
  other-bracket: {fits}, but a closing bracket is at another depth there than the lines above it say.{there}
    {again} with the lines as the file has them, none left out.
  uneven-depth: {fits}, but that does not tell the indentation of the lines that it adds.{there}
    {again} with the indentation that the file has.
  uneven_depth_of_old: {fits}, but its lines are at different depths in the file than the {thing} says.{there}
    {again} with the indentation that the file has.
- overlapping_edits
  overlapping: {name} changes the same place as {thing} {other}: line {line} of {file}, {shown}.
    {merge}
- timeout
  out_of_time: {name} was not placed: the search in {file} took too long.
    {send} fewer {thing}s at a time.
search_budget timeout
  out_of_budget: {it} was not placed: this and the {thing}s before it need too many searches in {file}.
    {send} fewer {thing}s at a time, with the lines exactly as the file has them.
indented_twice invalid_arguments
  indented_twice: {new} begins with the indentation that is before {old} at line {line} of {file}: it would be doubled.
    Begin both {old} and {new} with the indentation, or neither of them.
placeholder invalid_arguments
  placeholder: {new} has a placeholder, which would be written to {file} as it is: {shown}.
    Write out the lines that it stands for, or make {old} and {new} smaller, so that nothing is left out.
control_character encoding_error
  control_character: {it} adds the control character U+{character:04X} to {file}.
    Leave it out, or write it as an escape of the file's language.
- invalid_arguments
  not_a_line: {name} has a line that is not {expected}: {found!r}.
    Start every line with a space, + or -, and put only one line in each. An anchor is not blank.
  no_edits: The list of edits is empty.
    Add at least one edit.
  not_an_edit: Edit {number} of the list is not an edit: {shown}.
    Give each edit {old} and {new}; {every} to change every occurrence.
  not_empty: {old} is empty, which creates a file, but {file} exists and is not empty.
    Put the text to replace in {old}. To replace the whole file, write it instead.
- no_change
  no_change: The update of {file} changes nothing: {why}.
    Mark the lines to remove with - and other lines to add with +, or leave the update out.
  equal_texts: {old} and {new} must be different.
    Say in {new} what the text should become.
  no_difference: {old} and {new} make no difference: {file} already has the result at line {line}.
    Leave this edit out.
"""

#: For each row its reason, its code, its message and what to do next.
PROBLEM_TABLE: dict[str, tuple[str, str, str, str]] = {}
for _reason, _code, _rows in findall(r"^(\S+) (\S+)\n((?: .*\n)+)", _TABLE, MULTILINE):
    for _name, _message, _hint in findall(r"^  (\S+): (.*(?:\n    .*)*)\n    (.*)", _rows, MULTILINE):
        PROBLEM_TABLE[_name] = (_reason.strip("-"), _code, _message.replace("\n    ", " "), _hint)


class Fields(dict[str, object]):
    """The evidence by the names that templates use. Other names are words of the edit or of the interface in use."""

    def __init__(self, words: Mapping[str, str], path: str, ref: HunkRef | None = None, **evidence: object) -> None:
        super().__init__(evidence, path=path, file=visible_name(path) or "the file")
        self.words = words
        self.path, self.ref = path, ref
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
        reason, *templates = PROBLEM_TABLE[row]
        texts: list[Any] = [template.format_map(self) for template in templates]
        code, message, hint = texts
        known = {name: self[name] for name in _DETAILS if name in self}
        if "lines" in known:
            del known["line"]
        if reason:
            known["reason"] = reason
        if message.startswith("the "):
            message = f"T{message[1:]}"
        return Problem(code, message, self.path, self.ref, known, hint[0].upper() + hint[1:])


def hunk_fields(hunks: Sequence[Hunk], number: int, path: str, **evidence: object) -> Fields:
    """The fields of a problem of one of the hunks, of which some may be blocks."""
    hunk = hunks[number]
    return Fields(BLOCK if hunk.is_block else HUNK, path, hunk_ref(hunk, number + 1, len(hunks)), **evidence)
