"""Which names lines of code use and give a meaning to, and whether a use still has its definition in a merged text."""

from __future__ import annotations

import re

from .file_kinds import STYLES
from .limits import LONGEST_DEFINING_LINE
from .merge_names import FUNCTION, NAMED, defined_name, names_of_block
from .quiet_parts import without_quiet_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set as AbstractSet

    from .merge_blocks import BlockTable

_WORD = re.compile(r"[^\W\d][\w$]*")
#: A word that is no member of something else.
_FREE_WORD = re.compile(r"(?<![\w$.])[^\W\d][\w$]*")
#: A word of YAML, which can be the name of a key or of an anchor.
_YAML_WORD = re.compile(r"[\w.-]+")
_STYLE_NAME = re.compile(r"(?:--|[$@])[\w-]+")
_ANCHOR = re.compile(r"(?<!\S)&(?P<name>[\w.-]+)")
_ALIAS = re.compile(r"(?<!\S)\*(?P<name>[\w.-]+)")
_KEY = re.compile(r"[ \t]*(?:-[ \t]+)?(?P<name>[\w.-]+):(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+|(?:-[ \t]+)?[\w.<-]+:[ \t]+)(?P<value>\S.*)")
IMPORT = re.compile(
    r"[ \t]*(?:(?:from|import|include|use|using)(?=[ \t{*\"'<])|require(?:_once)?\b|#[ \t]*include\b|extern crate\b)"
)
_ASSIGNED = re.compile(
    r"((?:[\w$]+[ \t]+){0,4}[\w$]+(?:[ \t]*,[ \t]*[\w$]+){0,20})[ \t]*(?::[^=\n]*)?(?::=|=(?![=>~]))"
)
#: A line of a list of imports: names alone, or in Go the path of a package, with another name in front or none.
_NAMES_ALONE = re.compile(r"[\w$]+(?:[ \t]+as[ \t]+[\w$]+)?(?:[ \t]*,[ \t]*[\w$]+)*[ \t]*,?$")
_GO_PACKAGE = re.compile(r"(?:(?P<name>[\w.]+)[ \t]+)?\"(?:[^\"]*/)?(?P<last>[^\"/]+)\"$")
_NO_NAMES = frozenset(
    "_ as auto const final from import include int let mut my our require self static this use using val var".split()
)
YAML = frozenset(["yaml", "yml"])


def given_names(line: str, ending: str) -> set[str]:
    """The names that a line gives a meaning to: those of a definition, an import, an assignment or a field."""
    code = line.strip()[:LONGEST_DEFINING_LINE]
    if ending in YAML:
        keys = {match["name"] for match in [_KEY.match(code)] if match}
        return keys | {f"&{name}" for name in _ANCHOR.findall(code)}
    if ending in STYLES:
        return set(_STYLE_NAME.findall(code.partition(":")[0]))
    if IMPORT.match(code) or _NAMES_ALONE.match(code):
        return set(_WORD.findall(code)) - _NO_NAMES
    package = _GO_PACKAGE.match(code) if ending == "go" else None
    if package:
        return {package["name"] or package["last"]}
    name = defined_name(line, ending)
    names = {name.rpartition(")")[2]} if name else set[str]()
    if name and (NAMED.match(code) or FUNCTION.match(code)):
        # The parameters of a function, and with them their types, which are given elsewhere.
        names |= set(_WORD.findall(code.partition(name)[2]))
    names |= {name.rpartition(".")[2].strip("\"'@") for name in names_of_block([line], 0, ending)}
    assigned = _ASSIGNED.match(code)
    if assigned:
        names |= set(_WORD.findall(assigned[1]))
    return names - _NO_NAMES


def used_names(line: str, ending: str) -> set[str]:
    """The names that a line uses; one that it defines itself is none of them."""
    if ending in YAML:
        aliases = {f"&{name}" for name in _ALIAS.findall(line)}
        item = _ITEM.match(line)
        values = re.split(r"[\s,]+", item["value"].strip("[] \t\r\n")) if item else []
        # A word in a text is no reference; a value, or each item of a list, can be one.
        is_list = item is not None and item["value"].startswith("[")
        return aliases | {value.strip("\"'") for value in values if is_list or len(values) == 1}
    if ending in STYLES:
        return set(_STYLE_NAME.findall(line.partition(":")[2]))
    if IMPORT.match(line):
        return set()
    named = NAMED.match(line[:LONGEST_DEFINING_LINE])
    words = set(words_of(line[named.end() :] if named else line))
    for name in names_of_block([line], 0, ending):
        if not _is_used_by_itself(line, name):
            words.discard(name.rpartition(".")[2].strip("\"'@"))
    return words


def _is_used_by_itself(line: str, name: str) -> bool:
    """Whether a line that defines a name also uses it, as `a = a + 1` does."""
    if line.count(name) < 2:
        return False
    return len(re.findall(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", without_quiet_parts(line))) > 1


def words_of(line: str) -> list[str]:
    """The words of a line, without those of comments and quoted texts."""
    return _WORD.findall(without_quiet_parts(line))


def names_among(table: BlockTable, names: AbstractSet[str], ending: str) -> set[str]:
    """Those of some names that the code of a text has."""
    there: set[str] = set()
    for number in table.lines_with(names):
        there |= names & set(_names_on(table.text[number], names, ending))
    return there


def _names_on(line: str, names: AbstractSet[str], ending: str) -> Iterable[str]:
    """What can be a name on a line, if any of some names is among it."""
    if ending in YAML:
        return (*_YAML_WORD.findall(line), *[f"&{name}" for name in _ANCHOR.findall(line)])
    if ending in STYLES:
        return _STYLE_NAME.findall(line)
    return () if names.isdisjoint(_WORD.findall(line)) else words_of(line)


def unseen_names(table: BlockTable, uses: Mapping[str, AbstractSet[int]], ending: str) -> set[str]:
    """The names that lines of a text use as variables although nothing in the blocks around these lines has them.

    `uses` has the numbers of the lines that use a name, for each name.
    """
    blocks = _blocks_with_names(table, uses, ending)
    names_used: dict[int, list[str]] = {}
    for name, numbers in uses.items():
        for number in numbers:
            names_used.setdefault(number, []).append(name)
    unseen: set[str] = set()
    for number, names in names_used.items():
        around = table.around(number)
        variables = set(_FREE_WORD.findall(without_quiet_parts(table.text[number])))
        unseen.update([name for name in names if name in variables and around.isdisjoint(blocks[name])])
    return unseen


def _blocks_with_names(table: BlockTable, uses: Mapping[str, AbstractSet[int]], ending: str) -> dict[str, set[int]]:
    """The blocks in which each name is known, by the lines that open them."""
    blocks: dict[str, set[int]] = {name: set() for name in uses}
    for number in table.lines_with(uses):
        line = table.text[number]
        names = uses.keys() & set(_names_on(line, uses.keys(), ending))
        if not names:
            continue
        given = given_names(line, ending)
        is_head = _begins_definition(line)
        own_name = defined_name(line, ending).rpartition(")")[2]
        for name in names:
            # Another line that only uses it does not say what it is.
            if number in uses[name] and name not in given:
                continue
            # Around the lines of a function, all names of its head are known; elsewhere only its own.
            blocks[name].add(number)
            if not is_head or name == own_name:
                blocks[name].add(table.opener(number))
    return blocks


def _begins_definition(line: str) -> bool:
    """Whether a line begins a function or a class."""
    code = line.rstrip()
    if NAMED.match(code[:LONGEST_DEFINING_LINE]):
        return True
    return len(code) <= LONGEST_DEFINING_LINE and FUNCTION.match(code) is not None
