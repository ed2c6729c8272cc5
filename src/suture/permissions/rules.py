"""Who may do what to which file: rules that allow, ask or deny.

The last rule that matches decides; where none matches the answer is to ask. Of several files the strictest action
counts. Globs are those of the workspace, with one difference: `*` alone is every path, as it is in other programs that
have such rules. This module asks nobody and remembers nothing.
"""

from __future__ import annotations

from ..core.value import Value
from ..workspace.globs import Globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal, Self, TypeAlias

    Action: TypeAlias = Literal["allow", "ask", "deny"]
    #: A path as people see it, and the same as an absolute one, which may be unknown and empty.
    Name: TypeAlias = tuple[str, str]

#: The actions, from the mildest to the strictest.
ACTIONS: tuple[Action, ...] = ("allow", "ask", "deny")
#: The permissions that the tools of a session ask for. Rules may speak of others.
PERMISSIONS = ("edit", "read", "external_directory")
#: Globs that are every path, also those outside of the workspace.
_EVERYTHING = frozenset({"*", "**", "**/*"})
_KEYS = ("permission", "glob", "action")


class Rule(Value):
    """What is done where a permission is wanted for a path: the permission (`*` is any), a glob and an action.

    A glob that begins with `/` is held against absolute paths, any other against paths relative to the workspace.
    """

    permission: str
    glob: str
    action: Action

    def __str__(self) -> str:
        return f"{self.permission} {self.glob} {self.action}"


class Verdict(Value):
    """What the rules say of one path, and which of them: None where none matches."""

    action: Action
    path: str
    rule: Rule | None = None


class Rules:
    """A list of rules, each a `Rule` or its three parts. It does not change: `and_then` gives a longer one.

    Raises:
        ValueError: with everything that is wrong with them.
    """

    def __init__(self, rules: Iterable[Rule | tuple[str, str, Action]] = ()) -> None:
        self.rules = tuple([rule if isinstance(rule, Rule) else Rule(*rule) for rule in rules])
        wrong = [f"rule {number}: {text}" for number, rule in enumerate(self.rules, 1) for text in _faults(rule)]
        if wrong:
            raise ValueError(_listed(wrong))
        self._tests = [_Test(rule) for rule in self.rules]

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Rules from a TOML document: a list of `[[rule]]` tables with permission, glob and action, and nothing else.

        Raises:
            ValueError: with everything that is wrong, by line and key.
        """
        import tomllib

        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            message = f"The rules are no TOML: {error}"
            raise ValueError(message) from error
        wrong = [f"unknown key {key!r}: expected [[rule]]" for key in document if key != "rule"]
        tables = document.get("rule", [])
        if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
            wrong.append("'rule' is no list of tables: write [[rule]] above each")
            tables = []
        lines = _lines_of_tables(text, len(tables))
        for number, table in enumerate(tables):
            wrong += [f"rule {number + 1}{lines[number]}: {fault}" for fault in _table_faults(table)]
        if wrong:
            raise ValueError(_listed(wrong))
        return cls([Rule(**table) for table in tables])

    def and_then(self, *rules: Rule) -> Rules:
        """These rules, and behind them some more."""
        return Rules([*self.rules, *rules])

    def verdict(self, permission: str, path: str, absolute: str = "") -> Verdict:
        """What the last rule that matches says of one path."""
        for test in reversed(self._tests):
            if test.matches(permission, path, absolute):
                return Verdict(test.rule.action, path, test.rule)
        return Verdict("ask", path)

    def verdicts(self, permission: str, names: Iterable[Name]) -> list[Verdict]:
        """What the rules say of each path; of no path, what they say of everything."""
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
    """The verdict that counts for all of them: the first of the strictest."""
    return max(verdicts, key=lambda verdict: ACTIONS.index(verdict.action))


class _Test:
    """A rule made ready for matching."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._everything = rule.glob in _EVERYTHING
        self._absolute = rule.glob.startswith("/")
        # A glob for relative paths says nothing of others, unless it begins with any number of folders.
        self._anywhere = rule.glob.startswith("**/")
        # As for the guard, what denies a folder denies what is in it; what allows it allows no more than it says.
        self._globs = Globs([rule.glob], below=rule.action == "deny")

    def matches(self, permission: str, path: str, absolute: str) -> bool:
        if self.rule.permission not in {"*", permission}:
            return False
        if self._everything:
            return True
        is_absolute = path.startswith("/")
        if self._absolute:
            held = absolute or (path if is_absolute else "")
        else:
            held = path if self._anywhere or not is_absolute else ""
        # Globs know no leading slash.
        return bool(held) and bool(self._globs.matching(held.lstrip("/")))


def _faults(rule: Rule) -> Iterator[str]:
    """What is wrong with one rule."""
    for key in _KEYS:
        value = getattr(rule, key)
        if not isinstance(value, str):
            yield f"{key} has to be a text; found {value!r}"
        elif not value.strip():
            yield f"{key} is empty"
        elif key == "glob" and value.startswith("~"):
            yield f"glob {value!r} begins with ~, which is not expanded: write the whole path"
        elif key == "action" and value not in ACTIONS:
            yield f"unknown action {value!r}: expected {', '.join(ACTIONS)}"


def _table_faults(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with one table of a TOML document."""
    found = [f"unknown key {key!r}: expected {', '.join(_KEYS)}" for key in table if key not in _KEYS]
    missing = [key for key in _KEYS if key not in table]
    found += [f"{key} is missing" for key in missing]
    known = {key: table.get(key, "allow") for key in _KEYS}
    return found + list(_faults(Rule(**known)))


def _lines_of_tables(text: str, count: int) -> list[str]:
    """Where each `[[rule]]` stands, as " (line 3)"; nothing where that can't be told from the text."""
    import re

    header = re.compile(r"\s*\[\[\s*(?:rule|\"rule\"|'rule')\s*\]\]")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if header.match(line)]
    return [f" (line {number})" for number in lines] if len(lines) == count else [""] * count


def _listed(wrong: list[str]) -> str:
    return "These rules can't be taken:\n" + "\n".join(f"  {one}" for one in wrong)
