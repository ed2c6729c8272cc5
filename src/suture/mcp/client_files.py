"""The files of a client, and how what Suture needs is merged into them and taken out again.

Merging adds. The entry named `suture` and files that Suture wrote are replaced; any other value that is there and
different is an error, because it was somebody's choice. Removing takes out what merging would have added.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..core.problems import PatchInvalidError, Problem
from ..core.value import Value
from .json_text import JsonTextError, Node, TextChange, change_text, insert, parse_json_text, remove, replace
from .toml_text import parse_toml, with_added, without, write_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The name of the server in the settings of clients. What is below it is ours.
NAME = "suture"
#: The address of a schema, which says nothing about Suture.
SCHEMA = "$schema"
#: Lists that are sets of rules: entries are added to them and taken out of them. Any other list is a value.
SETS = ("allow", "deny", "exclude", "excluded", "allowed", "PreToolUse")
#: What the first line of a file that is all ours says, after the sign of a comment.
MARK = "Written by `suture install`; `suture uninstall` removes it."


class ClientFile(Value):
    """A file of a client, relative to the project or the home directory, and what has to be in it.

    A file of settings has a `content`, which is merged. Any other file is all ours and has a `text`, with the mark in
    its first line.
    """

    path: str
    content: Mapping[str, Any] = {}
    text: str = ""
    #: The names of values that say who approves: they are replaced, also if somebody else wrote them.
    replaces: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash(self.path)

    @property
    def is_whole(self) -> bool:
        """Whether the file is all ours."""
        return bool(self.text)

    @property
    def new_text(self) -> str:
        """The file where there was none."""
        if self.is_whole:
            return self.text
        if self.path.endswith(".toml"):
            return write_toml(self.content)
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"

    def merge_into(self, before: str) -> str:
        """The text of the file with the content added.

        Raises:
            PatchInvalidError: something that is not ours would be replaced or lost.
        """
        if not before.strip():
            return self.new_text
        if self.is_whole:
            self._check_ours(before)
            return self.text
        return self._merge_toml(before) if self.path.endswith(".toml") else self._merge_json(before)

    def remove_from(self, before: str) -> str:
        """The text of the file without the content; empty if nothing is left.

        Raises:
            PatchInvalidError: the file can't be read.
        """
        if self.is_whole:
            self._check_ours(before)
            return ""
        return self._remove_toml(before) if self.path.endswith(".toml") else self._remove_json(before)

    def _check_ours(self, before: str) -> None:
        if MARK not in before.partition("\n")[0]:
            raise self._fault("is not a file that Suture wrote")

    def _merge_json(self, before: str) -> str:
        changes: list[TextChange] = []
        self._merge_object(before, self._parse_json(before), self.content, "", changes)
        return change_text(before, changes)

    def _parse_json(self, text: str) -> Node:
        try:
            node = parse_json_text(text)
        except JsonTextError as error:
            message = f"can't be read: {error}"
            raise self._fault(message) from None
        if not node.is_object:
            raise self._fault("does not hold an object")
        return node

    def _merge_object(
        self, text: str, node: Node, content: Mapping[str, Any], where: str, changes: list[TextChange]
    ) -> None:
        """Add the changes that bring a content into an object."""
        added = {key: value for key, value in content.items() if key not in node.members}
        if added:
            changes.append(insert(text, node, added))
        for key, value in content.items():
            if key in added:
                continue
            _, there = node.members[key]
            name = f"{where}.{key}".lstrip(".")
            if there.value == value or key == SCHEMA:
                continue
            if key == NAME or name in self.replaces:
                changes.append(replace(text, there, value))
            elif there.is_object and isinstance(value, dict):
                self._merge_object(text, there, value, name, changes)
            elif key in SETS and isinstance(there.value, list) and isinstance(value, list):
                self._merge_set(text, there, value, changes)
            else:
                found = json.dumps(there.value, ensure_ascii=False)[:200]
                message = f"has another value at {name}: {found}"
                raise self._fault(message, f"it needs {json.dumps(value)}")

    @staticmethod
    def _merge_set(text: str, node: Node, value: list[Any], changes: list[TextChange]) -> None:
        if any(_is_ours(item) and item not in value for item in node.value):
            # Rules of another setup must not stay: they may allow more than this one.
            kept = [item for item in node.value if not _is_ours(item) and item not in value]
            changes.append(replace(text, node, [*kept, *value]))
        elif new := [item for item in value if item not in node.value]:
            changes.append(insert(text, node, new))

    def _remove_json(self, before: str) -> str:
        node = self._parse_json(before)
        if not set(_rest(node.value, self.content)) - {SCHEMA}:
            return ""
        changes: list[TextChange] = []
        _remove_object(node, self.content, changes)
        return change_text(before, changes)

    def _merge_toml(self, before: str) -> str:
        there = self._parse_toml(before)
        settings = [key for key, value in self.content.items() if not isinstance(value, dict)]
        for key in settings:
            ours = NAME in str(there.get(key, NAME))
            if not ours and there[key] != self.content[key]:
                message = f"has another value at {key}: {there[key]!r}"
                raise self._fault(message, f"it needs {self.content[key]!r}")
        if all(_holds(there, key, value) for key, value in self.content.items()):
            return before
        after = with_added(without(before, settings, self._tables), self.content)
        try:
            found = parse_toml(after)
        except ValueError:
            found = {}
        if _outside(found, self.content) != _outside(there, self.content) or _inside(found) != _inside(self.content):
            raise self._fault("has the entry of suture in a form that can't be changed", "remove that entry first")
        return after

    def _remove_toml(self, before: str) -> str:
        there = self._parse_toml(before)
        settings = [key for key, value in self.content.items() if not isinstance(value, dict)]
        settings = [key for key in settings if NAME in str(there.get(key, ""))]
        after = without(before, settings, self._tables)
        return f"{after.strip()}\n" if after.strip() else ""

    def _parse_toml(self, text: str) -> dict[str, Any]:
        try:
            return parse_toml(text)
        except ValueError as error:
            message = f"is not valid TOML: {error}"
            raise self._fault(message) from None

    @property
    def _tables(self) -> list[str]:
        return [f"{key}.{NAME}" for key, value in self.content.items() if isinstance(value, dict)]

    def _fault(self, what: str, advice: str = "") -> PatchInvalidError:
        message = f"{self.path} {what}. Nothing was written."
        hint = f"Change it by hand: {advice}." if advice else "`--print` prints what it needs; add that by hand."
        return PatchInvalidError([Problem("invalid_arguments", message, self.path, hint=hint)])


def _is_ours(item: object) -> bool:
    """Whether an entry of a set is a rule or a hook about our tools."""
    name = item.get("matcher") if isinstance(item, dict) else item
    return isinstance(name, str) and name.startswith(f"mcp__{NAME}")


def _rest(there: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """What is in an object besides a content."""
    rest = {}
    for key, value in there.items():
        ours = None if key == SCHEMA else content.get(key)
        if key == NAME and key in content:
            continue
        if isinstance(value, dict) and isinstance(ours, dict):
            inner: Any = _rest(value, ours)
        elif isinstance(value, list) and isinstance(ours, list) and key in SETS:
            inner = [item for item in value if item not in ours and not _is_ours(item)]
        else:
            inner = None if ours is not None and value == ours else value
        if inner not in ({}, [], None) or key not in content:
            rest[key] = inner
    return rest


def _remove_object(node: Node, content: Mapping[str, Any], changes: list[TextChange]) -> None:
    """Add the changes that take a content out of an object, of which something is left."""
    rest = _rest(node.value, content)
    names = list(node.members)
    changes += remove(node, [number for number, name in enumerate(names) if name not in rest])
    for name in names:
        _, inner = node.members[name]
        if name not in rest or inner.value == rest[name]:
            continue
        if inner.is_object:
            _remove_object(inner, content[name], changes)
        else:
            gone = [number for number, item in enumerate(inner.items) if item.value not in rest[name]]
            changes += remove(inner, gone)


def _holds(there: Mapping[str, Any], key: str, value: object) -> bool:
    """Whether the entry of ours below a key, or the setting, is as it should be."""
    found = there.get(key)
    return found.get(NAME) == value[NAME] if isinstance(found, dict) and isinstance(value, dict) else found == value


def _inside(content: Mapping[str, Any]) -> list[Any]:
    """The entries of ours."""
    return [value[NAME] for value in content.values() if isinstance(value, dict) and NAME in value]


def _outside(there: Mapping[str, Any], content: Mapping[str, Any]) -> dict[str, Any]:
    """A content without what is ours."""
    outside = {}
    for key, value in there.items():
        if isinstance(value, dict) and isinstance(content.get(key), dict):
            kept = {name: inner for name, inner in value.items() if name != NAME}
            if kept:
                outside[key] = kept
        elif key not in content:
            outside[key] = value
    return outside
