"""What speaks against a merge although its two sides do not meet: two changes can be apart and still not fit.

Each rule looks at the three texts and the merged one. They forbid, and what none of them forbids is merged.
"""

from __future__ import annotations

from re import compile as pattern

from ..core.text import TextWords
from ..core.value import Value
from .block_lines import width_of
from .file_kinds import PROSE, SETTINGS, ending_of
from .limits import LONGEST_PARSED
from .python_text import changed_parts_parse, unbound_names
from .rule import rule
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .merge_lines import MergedLines, SideChange

#: Lines with something on them that both sides add, one after another, before they count as the same block.
SHORTEST_BLOCK = 3
#: Characters that such a block has at least.
SHORTEST_TEXT = 40
#: Characters of a line that is read as a definition or an assignment; what is behind them is not looked at.
LONGEST_LINE = 500
#: Characters of a line whose quoted texts and comments are left out; in longer ones every word counts.
LONGEST_QUIET = 5000
#: Blocks that both sides add; with more of them, a merge is refused without a closer look.
MOST_COMPARED = 200
#: Names that both sides define; with more of them, a merge is refused without a closer look.
MOST_DEFINITIONS = 500

_WORD = pattern(r"[^\W\d][\w$]*")
_NAMED = pattern(
    r"[ \t]*(?:(?:abstract|async|const|data|declare|default|export|extern|final|inline|internal|local|override|private"
    r"|protected|pub(?:\([^()\n]*\))?|public|readonly|sealed|static|suspend|unsafe|virtual)[ \t]+)*+"
    r"(?:class|def|defmacro|defmodule|defp|enum|fn|fun|func|function|interface|macro|module|namespace|object|protocol"
    r"|record|struct|sub|trait|type|union)\b\*?[ \t]*(?P<receiver>\([^()\n]*\))?[ \t]*(?P<name>[\w$.:?!]+)"
)
_FUNCTION = pattern(r"[ \t]*(?:[\w$<>\[\]*&:,.?]+[ \t]+){0,6}(?P<name>[\w$]+)[ \t]*\([^;{}]*\)[^;{}=]*\{[ \t]*$")
_VARIABLE = pattern(r"[ \t]*(?:export[ \t]+)?(?:const|let|val|var)[ \t]+(?P<name>[\w$]+)\b")
_CONSTANT = pattern(r"(?P<name>[A-Za-z_$][\w$]*)[ \t]*(?::[^=\n]*)?=(?!=)")
_ENTRY = pattern(r"[ \t]*(?:-[ \t]+)?(?P<name>\"(?:\\.|[^\"\\])+\"|'[^']+'|[\w$.-]+)[ \t]*[:=]")
_SECTION = pattern(r"(?P<name>\[{1,2}[^\[\]\n]+\]{1,2}|#{1,6}[ \t]+\S.*)$")
_IMPORT = pattern(r"[ \t]*(?:from|import|include|use|using|require|#[ \t]*include|require_once|extern crate)\b")
_ASSIGNED = pattern(r"((?:[\w$]+[ \t]+){0,4}[\w$]+(?:[ \t]*,[ \t]*[\w$]+){0,20})[ \t]*(?::[^=\n]*)?(?::=|=(?![=>~]))")
_QUIET = pattern(r"//.*|#.*|/\*.*?\*/|^[ \t]*\*.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
#: A line of a list of imports: names alone, or in Go the path of a package, with another name in front or none.
_NAMES_ALONE = pattern(r"[\w$]+(?:[ \t]+as[ \t]+[\w$]+)?(?:[ \t]*,[ \t]*[\w$]+)*[ \t]*,?$")
_GO_PACKAGE = pattern(r"(?:(?P<name>[\w.]+)[ \t]+)?\"(?:[^\"]*/)?(?P<last>[^\"/]+)\"$")
_NO_NAMES = frozenset(
    "as auto const final from import include int let mut my our require self static this use using val var".split()
)
#: The endings of files in which every line with a key defines something.
_DATA = frozenset("cfg conf env ini json properties toml yaml yml".split())
#: Words that look like a name in front of parentheses.
_NO_FUNCTIONS = frozenset("catch else for foreach if lock switch synchronized until when while with".split())


class MergeEvidence(Value):
    """A merge that would be clean: the path, the three texts and the merged one, and what each side has changed."""

    path: str
    base: tuple[str, ...]
    current: tuple[str, ...]
    edited: tuple[str, ...]
    merged: MergedLines

    @property
    def ending(self) -> str:
        """The ending of the file."""
        return ending_of(self.path)

    @property
    def sides(self) -> tuple[tuple[Sequence[str], Sequence[SideChange]], ...]:
        """The text of each side and what only it has changed: first the current one, then the edited one."""
        changes = self.merged.current_changes, self.merged.edited_changes
        both = {change.key for change in changes[0]} & {change.key for change in changes[1]}
        own = [[change for change in side if change.key not in both] for side in changes]
        return (self.current, own[0]), (self.edited, own[1])

    def added(self, changes: Iterable[SideChange]) -> list[tuple[int, str]]:
        """The lines that a side has and the base has not at that place, with their numbers in the side's text."""
        rows: list[tuple[int, str]] = []
        for change in changes:
            known = set(self.base[change.start : change.end])
            rows += [(change.low + at, line) for at, line in enumerate(change.lines) if line not in known]
        return rows

    def removed(self, changes: Iterable[SideChange]) -> list[str]:
        """The lines of the base that a side no longer has at that place."""
        rows: list[str] = []
        for change in changes:
            kept = set(change.lines)
            rows += [line for line in self.base[change.start : change.end] if line not in kept]
        return rows


@rule
def still_parses(merge: MergeEvidence) -> str:
    """Where both sides parse, the merged text has to."""
    changes = (*merge.merged.current, *merge.merged.edited)
    if merge.ending in ("py", "pyi") and changed_parts_parse(merge.merged.lines, changes):
        return ""
    merged = "".join(merge.merged.lines)
    if len(merged) > LONGEST_PARSED:
        return ""
    fault = fault_in(merge.path, merged)
    if fault is None or any(fault_in(merge.path, "".join(text)) for text in (merge.current, merge.edited)):
        return ""
    where = f" at line {fault.line}" if fault.line else ""
    return f"The merged file would not parse{where}: {fault.reason}."


@rule
def one_definition(merge: MergeEvidence) -> str:
    """Both sides must not define the same name in the same block."""
    ending = merge.ending
    rows = [[row for row in merge.added(changes) if _defined_name(row[1], ending)] for _, changes in merge.sides]
    names = {_defined_name(line, ending) for _, line in rows[0]} & {_defined_name(line, ending) for _, line in rows[1]}
    if not names:
        return ""
    if max(map(len, rows)) > MOST_DEFINITIONS:
        return "Both define the same names, too many to compare them."
    both = [
        {_definition(text, number, ending) for number, line in added if _defined_name(line, ending) in names}
        for (text, _), added in zip(merge.sides, rows, strict=True)
    ]
    for key in sorted(both[0] & both[1]):
        counts = [_count(text, key, ending) for text in (merge.current, merge.edited, merge.merged.lines)]
        if counts[2] > max(counts[:2]):
            return f"Both define {key[0]}."
    return ""


def _definition(text: Sequence[str], number: int, ending: str) -> tuple[str, ...]:
    """The name that a line defines, and the lines that open the blocks around it."""
    return _defined_name(text[number], ending), *_around(text, number, ending)


def _count(text: Sequence[str], key: tuple[str, ...], ending: str) -> int:
    """How often a text has a definition."""
    rows = [number for number, line in enumerate(text) if key[0] in line]
    return sum(_definition(text, number, ending) == key for number in rows)


def _defined_name(line: str, ending: str) -> str:
    """The name that a line defines; empty if it defines none."""
    code = line.rstrip()
    if len(code) > LONGEST_LINE:
        return ""
    if ending in PROSE or not ending:
        heading = _SECTION.match(code)
        return heading["name"] if heading else ""
    if ending in _DATA:
        entry = _SECTION.match(code) or _ENTRY.match(code)
        return entry["name"] if entry and not code.lstrip().startswith("#") else ""
    named = _NAMED.match(code)
    if named:
        return f"{named['receiver'] or ''}{named['name']}"
    other = _FUNCTION.match(code) or _VARIABLE.match(code) or _CONSTANT.match(code)
    return other["name"] if other and other["name"] not in _NO_FUNCTIONS else ""


def _around(text: Sequence[str], number: int, ending: str) -> tuple[str, ...]:
    """The lines that open the blocks around a line, from the inside out, by their indentation."""
    width = width_of(text[number])
    opening: list[str] = []
    while width and number:
        number -= 1
        line = text[number]
        if line.strip() and width_of(line) < width and line.strip() not in ("{", "(", "["):
            width = width_of(line)
            opening.append(line.strip())
    return (*opening, *_section_of(text, number, ending))


def _section_of(text: Sequence[str], number: int, ending: str) -> tuple[str, ...]:
    """The header of the section that a line of a settings file is in."""
    if ending not in SETTINGS:
        return ()
    headers = (at for at in range(number - 1, -1, -1) if text[at].startswith("["))
    at = next(headers, -1)
    # A table of an array is another one each time.
    return () if at < 0 else (text[at].strip(), str(at) if text[at].startswith("[[") else "")


@rule
def one_block(merge: MergeEvidence) -> str:
    """Both sides must not add the same lines at different places."""
    blocks = [_added_blocks(merge, changes) for _, changes in merge.sides]
    same = sorted(blocks[0] & blocks[1])
    bodies = [_stripped(text) for text in (merge.current, merge.edited, merge.merged.lines)] if same else []
    for number, block in enumerate(same):
        text = _stripped(block)
        counts = [body.count(text) for body in bodies]
        # Where both sides have rewritten the same lines, it takes too long to see whether each of them is there once.
        if counts[2] > max(counts[:2]) or number == MOST_COMPARED:
            return f"Both add the same lines: {block[0]}"
    return ""


def _added_blocks(merge: MergeEvidence, changes: Iterable[SideChange]) -> set[tuple[str, ...]]:
    """The imports that a side adds, and all runs of lines that it adds which are long enough to be a block."""
    blocks: set[tuple[str, ...]] = set()
    for change in changes:
        lines = [line.strip() for _, line in merge.added([change])]
        lines = [line for line in lines if line]
        if merge.ending not in PROSE:
            blocks |= {(line,) for line in lines if _IMPORT.match(line)}
        for run in zip(*[lines[at:] for at in range(SHORTEST_BLOCK)], strict=False):
            if len(set(run)) == SHORTEST_BLOCK and sum(map(len, run)) >= SHORTEST_TEXT:
                blocks.add(run)
    return blocks


def _stripped(lines: Iterable[str]) -> str:
    """Lines without indentation and blank lines, as a text in which only whole lines are found."""
    return "".join([f"\0{line.strip()}\n" for line in lines if line.strip()])


@rule
def names_stay(merge: MergeEvidence) -> str:
    """One side must not remove a name, such as an import or a function, that new lines of the other use."""
    if merge.ending in PROSE or merge.ending in _DATA or merge.ending in ("", "txt"):
        return ""
    is_removed = False
    for at, (text, changes) in enumerate(merge.sides):
        names = {name for line in merge.removed(changes) for name in _given_names(line, merge.ending)}
        if not names:
            continue
        used = names & _words([line for _, line in merge.added(merge.sides[1 - at][1])])
        is_removed = is_removed or bool(used)
        words = TextWords("".join(text)) if used else ()
        lost = sorted(name for name in used if name not in words)
        if lost:
            return f"{_SIDES[at]} removes {lost[0]}, which {_SIDES[1 - at].lower()} uses."
    if is_removed and merge.ending in ("py", "pyi"):
        unbound = unbound_names("".join(merge.merged.lines))
        for text, _ in merge.sides:
            unbound = unbound - unbound_names("".join(text)) if unbound else unbound
        if unbound:
            return f"The merged file would use {min(name for _, name in unbound)}, which nothing there defines."
    return ""


_SIDES = ("The file's change", "The edit")


def _given_names(line: str, ending: str) -> set[str]:
    """The names that a line gives a meaning to: those of a definition, an import or an assignment."""
    code = line.strip()[:LONGEST_LINE]
    if _IMPORT.match(code) or _NAMES_ALONE.match(code):
        return set(_WORD.findall(code)) - _NO_NAMES
    package = _GO_PACKAGE.match(code) if ending == "go" else None
    if package:
        return {package["name"] or package["last"]}
    name = _defined_name(line, ending)
    names = {name.rpartition(")")[2]} if name else set()
    assigned = _ASSIGNED.match(code)
    if assigned:
        names |= set(_WORD.findall(assigned[1])) - _NO_NAMES
    return names


def _words(lines: Iterable[str]) -> set[str]:
    """The words of lines, without those of comments and quoted texts."""
    quiet = [_QUIET.sub(" ", line) if len(line) <= LONGEST_QUIET else line for line in lines]
    return {word for line in quiet for word in _WORD.findall(line)}


#: All rules, in the order in which they are asked.
RULES = (one_definition, one_block, names_stay, still_parses)
