"""The byte order mark (BOM) of a file in edits that name it.

A text does without its BOM: it stays in front of the file's first line, whatever that becomes. An edit whose old text
has it names it like any other character: it goes, unless the new text has it, too.
"""

from __future__ import annotations

from ..core.text import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.string_edits import StringEdit
    from ..core.text import Text

#: What a script begins with that the system is to run by itself. A BOM before it hides it.
_SHEBANG = "#!"


def name_in_edits(text: Text, edits: list[StringEdit]) -> tuple[Text, list[StringEdit]]:
    """A text with a BOM and edits of it, as they are matched: the BOM is a character if one of them names it."""
    if not any(edit.old.startswith(BOM) for edit in edits):
        return text, edits
    edits = [_with_bom_first(edit) if edit.old.startswith(BOM) else edit for edit in edits]
    if not text.is_wide:
        return text.with_bom_in_text(), edits
    # A UTF-16 file without its BOM could not be read.
    return text, [edit.replace(old=edit.old.removeprefix(BOM), new=edit.new.removeprefix(BOM)) for edit in edits]


def _with_bom_first(edit: StringEdit) -> StringEdit:
    """An edit that has a BOM in front of a later line of its new text, with the BOM in front of the first one."""
    above, mark_below, below = edit.new.partition(f"\n{BOM}")
    if edit.new.startswith(BOM) or not mark_below:
        return edit
    mark = "" if above.startswith(_SHEBANG) else BOM
    return edit.replace(new=f"{mark}{above}\n{below}")


def without_own_bom(text: Text, old: str, new: str) -> str:
    """A new text without a BOM if the old one has the file's first line, in front of which the file has its own."""
    body = text.body.removeprefix(BOM)
    has_bom = text.bom or len(body) < len(text.body)
    is_first = body.startswith(old.partition("\n")[0].rstrip())
    return new.removeprefix(BOM) if has_bom and is_first else new


def name_in_hunks(text: Text, hunks: Sequence[Hunk]) -> tuple[Text, tuple[Hunk, ...]]:
    """A text with a BOM and hunks for it, as they are matched: the BOM is a character if one of them names it."""
    old = [line for hunk in hunks for line in hunk.old]
    if not text.is_wide and any(line.startswith(BOM) and _is_first_line(text, line) for line in old):
        return text.with_bom_in_text(), tuple([_hunk_with_bom_first(hunk) for hunk in hunks])
    return text, tuple([_hunk_without_bom(hunk, text) for hunk in hunks])


def _is_first_line(text: Text, line: str) -> bool:
    """Whether a line, without its BOM, is the first one of a text."""
    return text.line_at(0).strip() == line.removeprefix(BOM).strip()


def _hunk_without_bom(hunk: Hunk, text: Text) -> Hunk:
    """A hunk without a BOM in front of its lines, if it is for the first line of a file, which has its own."""
    is_at_top = bool(hunk.old) and _is_first_line(text, hunk.old[0])
    has_bom = any(line[1:2] == BOM for line in hunk.lines)
    if not is_at_top or not has_bom:
        return hunk
    return hunk.replace(lines=tuple([line[0] + line[1:].removeprefix(BOM) for line in hunk.lines]))


def _hunk_with_bom_first(hunk: Hunk) -> Hunk:
    """A hunk that has a BOM in front of a later line of its result, with the BOM in front of the first one."""
    first_line, *later_lines = hunk.new or ("",)
    if first_line.startswith(BOM) or not any(line.startswith(BOM) for line in later_lines):
        return hunk
    lines: list[str] = []
    # What goes in front of the next line of the result: nothing behind the first one.
    mark = "" if first_line.startswith(_SHEBANG) else BOM
    for line in hunk.lines:
        kind, content = line[0], line[1:]
        if kind == "-":
            lines.append(line)
            continue
        if kind == " " and content.startswith(BOM):
            # A line that loses its BOM is no context.
            lines.append(f"-{content}")
            kind = "+"
        lines.append(kind + mark + content.removeprefix(BOM))
        mark = ""
    return hunk.replace(lines=tuple(lines), bare=())
