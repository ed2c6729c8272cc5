"""What the lines of a page, a component or a template give a name to and use: ids, macros, and names of its script."""

from __future__ import annotations

import re

from .merge_names import DECLARED, FUNCTION, NAMED
from .quiet_parts import without_quiet_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d][\w$]*")
_ID = re.compile(r"(?<![\w-])id=[\"']([\w-]+)[\"']")
_ID_USED = re.compile(r"(?<![\w-])(?:for|form|list|headers|aria-\w+)=[\"']([\w -]+)[\"']|href=[\"']#([\w-]+)[\"']")
_MACRO = re.compile(r"\{%-?[ \t]*(?:macro|set)[ \t]+(?P<name>\w+)")
_IMPORT = re.compile(r"[ \t]*import\b(?P<names>[^'\"]*)")
#: Code in an element: between braces, and in the attributes of Vue and Svelte.
_EXPRESSION = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}|(?<![{$])\{([^{}%]+)\}|[ \t](?:[:@]|v-|on:)[\w.:-]*=\"([^\"]*)\"")
_TAG = re.compile(r"[ \t]*<")
#: What a line of a script has, and one of text seldom.
_CODE = re.compile(r"[(=;{}\[]")

MARKUP = frozenset("htm html svelte vue xhtml".split())


def given_in_markup(line: str) -> set[str]:
    """The ids and macros of a line, and the functions, classes, variables and imports of a script."""
    names = {f"id {name}" for name in _ID.findall(line)} | set(_MACRO.findall(line))
    if _TAG.match(line):
        return names
    imported = _IMPORT.match(line)
    if imported:
        return names | (set(_WORD.findall(imported["names"])) - {"as", "from", "type"})
    head = NAMED.match(line) or DECLARED.match(line) or FUNCTION.match(line)
    return names | {head["name"]} if head else names


def used_in_markup(line: str) -> set[str]:
    """The ids that a line needs, and the names in its expressions; of a line of a script, all of its words."""
    ids = {f"id {name}" for groups in _ID_USED.findall(line) for group in groups for name in group.split()}
    words = {word for groups in _EXPRESSION.findall(line) for group in groups for word in _WORD.findall(group)}
    if not _TAG.match(line) and _CODE.search(line) and not _IMPORT.match(line):
        words |= set(_WORD.findall(without_quiet_parts(line))) - given_in_markup(line)
    return ids | words


def kept_in_markup(line: str) -> Iterable[str]:
    """What a line has that may be what others need."""
    return (*given_in_markup(line), *_WORD.findall(without_quiet_parts(line)))
