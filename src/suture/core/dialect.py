"""The fixed words of the format, and the four dialects as one table of data.

There is one grammar and one way of placing hunks; a `Dialect` is the set of choices in which the four differ.
docs/dialects.md has the same table in words.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

#: The names of the command that takes a patch.
COMMANDS = ("apply_patch", "applypatch")
#: Marker lines without an argument.
BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
#: Marker lines up to their argument. `MOVE_TO` follows `UPDATE`; the other file headers open a section.
ADD, DELETE, UPDATE, MOVE_TO = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
MOVE, ENVIRONMENT = "*** Move File: ", "*** Environment ID: "
#: The line below a last line that has no newline.
NO_NEWLINE = "\\ No newline at end of file"
#: The first characters of the lines of a hunk.
PREFIXES = frozenset(" +-")
#: The longest text that is read, in characters, and the most sections of a patch.
MAX_SIZE = 10_000_000
MAX_SECTIONS = 10_000


class Dialect(Value):
    """One way of reading, placing and writing a patch, as a set of choices."""

    name: str
    # Reading
    around: Literal["anything", "heredoc", "nothing"]  # the text that may surround an envelope
    lenient: bool  # the concessions of SPEC §3, all of them
    padded_markers: bool  # whitespace around markers, CRLF, bare blank lines
    headers: tuple[str, ...]
    implicit_first_hunk: bool  # the first hunk may do without its `@@`
    anchors: bool  # the text after `@@` is a constraint
    anchor_scope: Literal["block", "below"]  # where a hunk may be: in the block of its anchor, or anywhere below it
    refuse_repeats: bool  # a hunk whose result is already in the block of its anchor
    end_of_file: bool  # `*** End of File` is a marker
    no_newline_marker: bool  # `\ No newline at end of file` is read
    added_final_newline: Literal["always", "never", "unless_blank"]
    # Placing
    tiers: tuple[str, ...]
    several: Literal["refuse", "first", "one_by_one"]  # what to do if several places fit
    cautious: bool  # the refusals of SPEC §4 that keep it honest
    insertion: Literal["where_told", "or_at_end", "never"]  # a hunk of `+` lines alone
    leave_out_last_blank: bool  # a blank last old line that the file lacks
    # Writing
    final_newline: Literal["kept", "added"]
    refuse_no_change: bool
    # The workspace
    overwrite: bool  # Add and Move may replace a file
    move_onto_itself: Literal["update", "refuse"]
    make_parents: bool
    absolute_paths: bool
    same_file_twice: bool


#: The tiers, strictest first, each with what was forgiven where a place was found with it. Each dialect names its own,
#: so that a new tier changes no dialect unnoticed. How lines are compared is in `place/tiers.py`.
TIERS: Mapping[str, str] = {
    "exact": "",
    "trailing": "trailing whitespace ignored",
    "indent": "indentation ignored",
    "punctuation": "quotes and dashes normalized",
    "whitespace": "whitespace normalized",
    "escapes": "escapes decoded",
    "similar": "placed by similar lines",
}
ALL_TIERS = tuple(TIERS)

STANDARD = Dialect(
    name="standard",
    around="anything",
    lenient=True,
    padded_markers=True,
    headers=(ADD, DELETE, UPDATE, MOVE_TO, MOVE, ENVIRONMENT),
    implicit_first_hunk=True,
    anchors=True,
    anchor_scope="block",
    refuse_repeats=True,
    end_of_file=True,
    no_newline_marker=True,
    added_final_newline="always",
    tiers=("exact", "trailing", "indent", "punctuation", "whitespace", "escapes", "similar"),
    several="refuse",
    cautious=True,
    insertion="where_told",
    leave_out_last_blank=True,
    final_newline="kept",
    refuse_no_change=True,
    overwrite=False,
    move_onto_itself="update",
    make_parents=True,
    absolute_paths=True,
    same_file_twice=True,
)
CODEX = STANDARD.replace(
    name="codex",
    around="heredoc",
    lenient=False,
    headers=(ADD, DELETE, UPDATE, MOVE_TO, ENVIRONMENT),
    anchor_scope="below",
    no_newline_marker=False,
    tiers=("exact", "trailing", "indent", "punctuation"),
    several="first",
    cautious=False,
    insertion="or_at_end",
    final_newline="added",
    refuse_no_change=False,
    overwrite=True,
)
OPENCODE = CODEX.replace(
    name="opencode", around="anything", headers=(ADD, DELETE, UPDATE, MOVE_TO), added_final_newline="never"
)
STRICT = STANDARD.replace(
    name="strict",
    around="nothing",
    lenient=False,
    padded_markers=False,
    headers=(ADD, DELETE, UPDATE, MOVE),
    implicit_first_hunk=False,
    anchors=False,
    end_of_file=False,
    added_final_newline="unless_blank",
    tiers=("exact",),
    several="one_by_one",
    cautious=False,
    insertion="never",
    leave_out_last_blank=False,
    move_onto_itself="refuse",
    make_parents=False,
    absolute_paths=False,
    same_file_twice=False,
)

#: The dialects by their names.
DIALECTS = {dialect.name: dialect for dialect in (STANDARD, CODEX, OPENCODE, STRICT)}


def dialect_named(dialect: str | Dialect) -> Dialect:
    """The dialect of that name, or the one given.

    Raises:
        ValueError: there is no dialect of that name.
    """
    if isinstance(dialect, Dialect):
        return dialect
    try:
        return DIALECTS[dialect]
    except KeyError:
        message = f"expected one of the dialects {', '.join(DIALECTS)}; found {dialect!r}"
        raise ValueError(message) from None
