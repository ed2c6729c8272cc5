"""Permission rules: allow, ask or deny.

The last rule that matches decides; if none matches, the action is ask. For several files the strictest action counts.
Globs are those of the workspace, with one difference: `*` alone matches every path, as in other programs with such
rules. A rule covers what its glob matches and everything below it. This module asks nobody and has no state.
"""

from __future__ import annotations

import re

from ..core.display import safe_text
from ..core.system import is_absolute
from ..core.toml_source import parse_toml
from ..core.value import Value
from ..workspace.globs import Globs, glob_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal, Self, TypeAlias

    Action: TypeAlias = Literal["allow", "ask", "deny"]
    #: A path as it is shown, and as an absolute path; that is empty if it is unknown.
    Name: TypeAlias = tuple[str, str]

#: The actions, from the mildest to the strictest.
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
#: Globs that match every path, also outside the workspace.
_EVERYTHING = frozenset({"*", "**", "**/*"})
_KEYS = ("permission", "glob", "action")


class Rule(Value):
    """What to do if a permission (`*` is any) is needed for a path that the glob matches.

    A glob that starts with `/` is matched against absolute paths, any other against paths relative to the workspace. A
    rule for a directory covers everything in it.
    """

    permission: str
    glob: str
    action: Action

    def __str__(self) -> str:
        return f"{self.permission} {self.glob} {self.action}"


class Verdict(Value):
    """The action for one path, and the rule that decides; None if no rule matches."""

    action: Action
    path: str
    rule: Rule | None = None


class Rules:
    """An immutable list of rules, each a `Rule` or its three parts.

    Raises:
        ValueError: with everything that is wrong with them.
    """

    def __init__(self, rules: Iterable[Rule | tuple[str, str, Action]] = ()) -> None:
        self.rules = tuple([rule if isinstance(rule, Rule) else Rule(*rule) for rule in rules])
        wrong = [f"rule {number}: {text}" for number, rule in enumerate(self.rules, 1) for text in _faults(rule)]
        if wrong:
            raise ValueError(_message(wrong))
        self._globs = _RuleGlobs(self.rules)

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Rules from a TOML document: a list of `[[rule]]` tables with permission, glob and action, and nothing else.

        Raises:
            ValueError: with everything that is wrong, by line and key.
        """
        try:
            document = parse_toml(text)
        except ValueError as error:
            message = f"The rules are not valid TOML: {error}"
            raise ValueError(message) from error
        wrong = [f"unknown key {key!r}: expected [[rule]]" for key in document if key != "rule"]
        tables = document.get("rule", [])
        if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
            wrong.append("'rule' is not a list of tables: write [[rule]] above each")
            tables = []
        lines = _lines_of_tables(text, len(tables))
        for number, table in enumerate(tables):
            wrong += [f"rule {number + 1}{lines[number]}: {fault}" for fault in _table_faults(table)]
        if wrong:
            raise ValueError(_message(wrong))
        return cls([Rule(**table) for table in tables])

    def and_then(self, *rules: Rule) -> Rules:
        """These rules followed by more."""
        return Rules([*self.rules, *rules])

    def verdict(self, permission: str, path: str, absolute: str = "") -> Verdict:
        """The verdict of the last rule that matches a path."""
        for number in self._globs.covering(path, absolute):
            rule = self.rules[number]
            if rule.permission in {"*", permission}:
                return Verdict(rule.action, path, rule)
        return Verdict("ask", path)

    def verdicts(self, permission: str, names: Iterable[Name]) -> list[Verdict]:
        """The verdict on each path; without paths, on everything."""
        return [self.verdict(permission, *name) for name in names] or [self.verdict(permission, "")]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __eq__(self, other: object) -> bool:
        return self.rules == other.rules if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.rules)

    def __repr__(self) -> str:
        return f"Rules({list(self.rules)!r})"


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The first of the strictest verdicts."""
    return max(verdicts, key=lambda verdict: ACTIONS.index(verdict.action))


class _RuleGlobs:
    """The globs of all rules: which rules cover a path."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._everywhere: list[int] = []
        self._absolute: list[int] = []
        self._relative: list[int] = []
        for number, rule in enumerate(rules):
            if rule.glob in _EVERYTHING:
                self._everywhere.append(number)
            elif is_absolute(rule.glob):
                self._absolute.append(number)
            else:
                self._relative.append(number)
        # A relative glob does not match absolute paths, unless it starts with `**/`.
        self._anywhere = frozenset([number for number in self._relative if rules[number].glob.startswith("**/")])
        # Whatever the action: a rule for a directory covers its content.
        self._absolute_globs = Globs([rules[number].glob for number in self._absolute], below=True)
        self._relative_globs = Globs([rules[number].glob for number in self._relative], below=True)

    def covering(self, path: str, absolute: str) -> list[int]:
        """The numbers of the rules that cover a path, the last one first."""
        numbers = [*self._everywhere]
        is_outside = is_absolute(path)
        full_path = absolute or (path if is_outside else "")
        # Globs have no leading slash.
        if full_path and self._absolute:
            matching = self._absolute_globs.matching_numbers(full_path.lstrip("/"))
            numbers += [self._absolute[index] for index in matching]
        if path and self._relative:
            matching = self._relative_globs.matching_numbers(path.lstrip("/"))
            relative = [self._relative[index] for index in matching]
            numbers += [number for number in relative if not is_outside or number in self._anywhere]
        return sorted(numbers, reverse=True)


def _faults(rule: Rule) -> Iterator[str]:
    """What is wrong with one rule."""
    for key in _KEYS:
        value = getattr(rule, key)
        if not isinstance(value, str):
            yield f"{key} must be a string; found {value!r}"
        elif not value.strip():
            yield f"{key} is empty"
        elif key == "glob" and value.startswith("~"):
            yield f"glob {value!r} starts with ~, which is not expanded: write the whole path"
        elif key == "glob" and glob_fault(value):
            yield f"glob {safe_text(value)} {glob_fault(value)}"
        elif key == "action" and value not in ACTIONS:
            yield f"unknown action {value!r}: expected {', '.join(ACTIONS)}"


def _table_faults(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with one table of a TOML document."""
    mistakes = [f"unknown key {key!r}: expected {', '.join(_KEYS)}" for key in table if key not in _KEYS]
    missing = [key for key in _KEYS if key not in table]
    mistakes += [f"{key} is missing" for key in missing]
    known = {key: table.get(key, "allow") for key in _KEYS}
    return mistakes + list(_faults(Rule(**known)))


def _lines_of_tables(text: str, count: int) -> list[str]:
    """The line of each `[[rule]]`, as " (line 3)"; empty if the text does not tell."""
    header = re.compile(r"\s*\[\[\s*(?:rule|\"rule\"|'rule')\s*\]\]")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if header.match(line)]
    return [f" (line {number})" for number in lines] if len(lines) == count else [""] * count


def _message(wrong: list[str]) -> str:
    return "The rules are invalid:\n" + "\n".join(f"  {one}" for one in wrong)
