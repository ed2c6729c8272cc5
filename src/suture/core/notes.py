"""Concessions in words that people know: what was forgiven, in a few words each."""

from __future__ import annotations

from .dialect import TIERS
from .display import safe_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .patch import Concession

#: What each concession is called where people read it. One without a row is called by its name.
NOTES: Mapping[str, str] = {
    # How the text was read.
    "prose": "text around the edits ignored",
    "colors": "color codes ignored",
    "reasoning": "reasoning ignored",
    "fence": "read from a Markdown code block",
    "heredoc": "read from a heredoc",
    "command": "apply_patch in front of the patch ignored",
    "json": "read from JSON",
    "escaped_newlines": r"\n read as line breaks",
    "crlf": "CRLF line endings in the patch",
    "padded_marker": "whitespace around a marker ignored",
    "marker_spelling": "misspelled marker accepted",
    "environment_id": "environment ID ignored",
    "several_envelopes": "several patches read as one",
    "quoted_path": "quotes around a path ignored",
    "dot_path": "./ in front of a path ignored",
    "path_assumed": "edit without a path taken for the only file",
    "unified_file_header": "--- and +++ lines ignored",
    "unified_hunk_header": "line numbers taken as hints",
    "hunk_header": "@@ lines without line numbers accepted",
    "new_file_header": "new file recognized by its first hunk",
    "failed_call": "tool calls that failed left out",
    "repeated_call": "calls that the log has twice read once",
    "file_mode": "file mode not set",
    "excluded": "excluded files left out",
    "backslash_path": "backslashes in a path read as slashes",
    "bare_blank_line": "blank lines without a leading space accepted",
    "bare_line": "lines without a leading space read as context",
    "bare_add_body": "new file without leading + accepted",
    # How lines were compared.
    **{tier: words for tier, words in TIERS.items() if words},
    # How edits were placed and written.
    "anchor_normalized": "@@ line has other whitespace or punctuation in the file",
    "anchor_shortened": "@@ line is the beginning of a line",
    "line_hint": "placed by its line number",
    "out_of_order": "hunks not in the order of the file",
    "path_prefix": "leading directories of a path ignored",
    "inserted_at_end": "added at the end of the file",
    "line_numbers": "line numbers in front of lines ignored",
    "bare_line_added": "line without a prefix read as added",
    "last_blank_left_out": "blank last line ignored",
    "blank_line_added": "blank line at the end of the file added",
    "docstring_shortened": "shortened docstring taken for the file's",
    "gutter": "gutter of an editor in front of lines ignored",
    "newline_unescaped": "broken line joined",
    "closing_fence": "closing fence at the end of a block ignored",
    "no_op_hunk": "hunk without a change ignored",
    "already_applied": "already applied",
    "no_change": "no change",
    "special_permissions_dropped": "set-user-ID, set-group-ID and capabilities dropped: the owner can't be restored",
    "attributes_dropped": "extended attributes dropped: undo can't restore them",
    "already_restored": "already as it was",
    "indentation_shifted": "indentation adjusted",
    "indentation_as_written": "indentation left as written",
    "line_reworded": "a kept line is worded differently in the file",
    "mistake_carried": "typo corrected in added lines too",
    "escapes_undone": "escapes undone in added lines",
    "escapes_added": "escapes added in added lines",
    "final_newline": "missing final newline ignored",
    "trimmed": "whitespace around the text ignored",
    "html_entities": "HTML entities decoded",
    "characters_escaped": "characters written as escapes",
    "old_corrected": "typo corrected",
    "rebased": "merged with a later change of the file",
}


#: The same for a concession that says what it is about.
_ABOUT: Mapping[str, str] = {
    "file_mode": "mode {} not set",
    "excluded": "{} left out, excluded",
    "rebased": "merged with a later change of the file; lines {}",
}


def note(concession: Concession) -> str:
    """A concession in words."""
    if concession.about and concession.name in _ABOUT:
        return _ABOUT[concession.name].format(safe_text(concession.about))
    return NOTES.get(concession.name, concession.name.replace("_", " "))


def notes(concessions: Iterable[Concession]) -> list[str]:
    """Concessions in words, each once."""
    return list(dict.fromkeys([note(concession) for concession in concessions]))
