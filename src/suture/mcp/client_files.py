"""The files of a client, and how what Suture needs is merged into them and taken out again.

Merging adds. The entry named `suture` and files that Suture wrote are replaced; any other value that is there and
different is an error, because it was somebody's choice. Removing takes out what merging would have added.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..core.display import one_line
from ..core.problems import PatchInvalidError, Problem
from ..core.toml_source import parse_toml
from ..core.value import Value
from .json_text import (
    JsonTextError,
    Node,
    TextChange,
    change_text,
    has_comments,
    insert,
    parse_json_text,
    remove,
    replace,
)
from .toml_text import with_added, without, write_toml
from .yaml_text import YamlTextError, with_entries, without_entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The name of the server in the settings of clients. What is below it is ours.
NAME = "suture"
#: The address of a schema, which says nothing about Suture.
SCHEMA = "$schema"
#: Lists that are sets of rules: entries are added to them and taken out of them. Any other list is a value.
SETS = ("allow", "deny", "exclude", "excluded", "allowed", "disabledTools", "PreToolUse")
#: Those of them that forbid something.
FORBIDDING = ("deny", "exclude", "excluded", "disabledTools")
#: What the first line of a file that is all ours says, after the sign of a comment.
MARK = "Written by `suture install`; `suture uninstall` removes it."


class SettingsTextError(ValueError):
    """The text of a file of settings can't be read; the words go after the name of the file."""


class EarlierSetups(Value):
    """The lines that earlier runs of `suture install` and `uninstall` have added to a file of a client, and removed."""

    added: str = ""
    removed: str = ""
    #: The text of the file before the first of them. None if something else has changed the file since, or if there was
    #: no file.
    text_before: str | None = None

    @property
    def are_known(self) -> bool:
        """Whether the history has any."""
        return bool(self.added or self.removed)

    @property
    def replaced_text(self) -> str | None:
        """The text before the first of them, if it had nothing of ours: with it, all that they did is taken back."""
        return None if self.text_before is None or NAME in self.text_before else self.text_before

    def have_written(self, value: object, key: str = "") -> bool:
        """Whether they have written an item of a list, or the value of a `key`, that was not there before."""
        text = json.dumps({key: value})[1:-1] if key else json.dumps(value)
        return self.added.count(text) > self.removed.count(text)


#: Nothing is known of a file.
NO_SETUPS = EarlierSetups()


class ClientFile(Value):
    """A file of a client, relative to the project or the home directory, and what has to be in it.

    A file of settings has a `content`, which is merged; of a YAML file, it is some entries in the list of one key.
    Any other file is all ours and has a `text`, with the mark in its first line.
    """

    path: str
    content: Mapping[str, Any] = {}
    text: str = ""
    #: The names of values that differ from one setup to another, such as who approves: one of ours replaces another.
    #: Finer rules of the user stay.
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
        if self.path.endswith(".yaml"):
            # Every JSON value is YAML too.
            head = [f"{key}: {value}\n" for key, value in self.content.items() if isinstance(value, str)]
            return self._with_yaml_entry("".join(head))
        if self.path.endswith(".toml"):
            return write_toml(self.content)
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"

    def merge_into(self, before: str, earlier: EarlierSetups = NO_SETUPS) -> str:
        """The text of the file with the content added.

        Raises:
            PatchInvalidError: something that is not ours would be replaced or lost.
        """
        if not before.strip():
            return self.new_text
        if self.is_whole:
            self._check_ours(before)
            return self.text
        if self.path.endswith(".yaml"):
            return self._with_yaml_entry(before)
        return self._merge_toml(before) if self.path.endswith(".toml") else self._merge_json(before, earlier)

    def without_what_others_wrote(self, earlier: EarlierSetups) -> ClientFile:
        """The file without the rules, and values that say who approves, that were there before the first setup."""
        return self.replace(content=self._written_by(earlier, self.content, "")) if earlier.are_known else self

    def _written_by(self, earlier: EarlierSetups, content: Mapping[str, Any], where: str) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for key, value in content.items():
            name = f"{where}.{key}".lstrip(".")
            if isinstance(value, dict) and key != NAME:
                written[key] = self._written_by(earlier, value, name)
            elif key in SETS and isinstance(value, list):
                written[key] = [item for item in value if earlier.have_written(item)]
            elif name not in self.replaces or earlier.have_written(value, key):
                written[key] = value
        return written

    def remove_from(self, before: str) -> str:
        """The text of the file without the content; empty if nothing is left.

        Raises:
            PatchInvalidError: the file can't be read.
        """
        if self.is_whole:
            self._check_ours(before)
            return ""
        if self.path.endswith(".yaml"):
            after = without_entries(before)
            return "" if after == without_entries(self.new_text) else after
        return self._remove_toml(before) if self.path.endswith(".toml") else self._remove_json(before)

    def settings_in(self, text: str) -> Mapping[str, Any]:
        """The settings in the text of a file.

        Raises:
            SettingsTextError: the text is neither JSON with comments nor TOML, whichever its name says, or no table.
        """
        return _toml_in(text) if self.path.endswith(".toml") else _object_in(text).value

    def _check_ours(self, before: str) -> None:
        if MARK not in before.partition("\n")[0]:
            raise self._fault("is not a file that Suture wrote")

    def _with_yaml_entry(self, before: str) -> str:
        [(key, entries)] = [(key, value) for key, value in self.content.items() if isinstance(value, list)]
        lines: list[str] = []
        for entry in entries:
            if isinstance(entry, str):
                lines.append(f"- {entry}")
                continue
            first, *others = [f"{name}: {json.dumps(value)}" for name, value in entry.items()]
            lines += [f"- {first}", *[f"  {line}" for line in others]]
        try:
            return with_entries(before, key, lines)
        except YamlTextError as error:
            raise self._fault(str(error)) from None

    def _merge_json(self, before: str, earlier: EarlierSetups) -> str:
        changes: list[TextChange] = []
        # Rules of another setup must not stay: they may allow more than this one.
        _remove_stale_rules(before, self._parse_json(before), self.content, changes)
        text = change_text(before, changes)
        changes = []
        self._merge_object(text, self._parse_json(text), self.content, "", changes, earlier)
        return change_text(text, changes)

    def _parse_json(self, text: str) -> Node:
        try:
            return _object_in(text)
        except SettingsTextError as error:
            raise self._fault(str(error)) from None

    def _merge_object(
        self,
        text: str,
        node: Node,
        content: Mapping[str, Any],
        where: str,
        changes: list[TextChange],
        earlier: EarlierSetups,
    ) -> None:
        """Add the changes that bring a content into an object."""
        added = {key: value for key, value in content.items() if key not in node.members}
        if added:
            changes.append(insert(text, node, added))
        for key, value in content.items():
            if key in added:
                continue
            _, present = node.members[key]
            name = f"{where}.{key}".lstrip(".")
            may_replace = name in self.replaces
            if present.value == value or key == SCHEMA or (may_replace and present.is_object):
                continue
            if key == NAME or (may_replace and earlier.have_written(present.value, key)):
                changes.append(replace(text, present, value))
            elif present.is_object and isinstance(value, dict):
                self._merge_object(text, present, value, name, changes, earlier)
            elif key in SETS and isinstance(present.value, list) and isinstance(value, list):
                missing = [item for item in value if item not in present.value]
                if missing:
                    changes.append(insert(text, present, missing))
            else:
                present_value = one_line(json.dumps(present.value, ensure_ascii=False)[:200])
                message = f"has another value at {name}: {present_value}"
                raise self._fault(message, f"it needs {json.dumps(value)}")

    def _remove_json(self, before: str) -> str:
        node = self._parse_json(before)
        whole = node.replace(start=0, end=len(before))
        if not set(_rest(node.value, self.content)) - {SCHEMA} and not has_comments(before, whole):
            return ""
        changes: list[TextChange] = []
        _remove_object(before, node, self.content, changes)
        return change_text(before, changes)

    def _merge_toml(self, before: str) -> str:
        """A text in TOML with our settings and tables in it; a value that a user has chosen is not replaced."""
        present = self._parse_toml(before)
        settings = [key for key, value in self.content.items() if not isinstance(value, dict)]
        for key in settings:
            if key not in present or is_our_file(present[key]):
                continue
            if present[key] != self.content[key]:
                message = f"has another value at {key}: {one_line(repr(present[key])[:200])}"
                raise self._fault(message, f"it needs {self.content[key]!r}")
        if all(_holds(present, key, value) for key, value in self.content.items()):
            return before
        after = with_added(without(before, settings, self._tables), self.content)
        self._check_toml(present, after, _inside(self.content))
        return after

    def _check_toml(self, there: Mapping[str, Any], after: str, inside: list[Any]) -> None:
        """Refuse a new text with other entries of ours than these, or in which anything else is not as it was.

        Lines are told apart by their beginnings, which text in quotes may have, too.
        """
        try:
            content = parse_toml(after)
        except ValueError:
            content = {}
        if _outside(content, self.content) == _outside(there, self.content) and _inside(content) == inside:
            return
        if _inside(there):
            raise self._fault("has the entry of suture in a form that can't be changed", "remove that entry first")
        raise self._fault("has tables or texts in a form that can't be changed")

    def _remove_toml(self, before: str) -> str:
        there = self._parse_toml(before)
        settings = [key for key, value in self.content.items() if not isinstance(value, dict)]
        settings = [key for key in settings if is_our_file(there.get(key))]
        after = without(before, settings, self._tables)
        self._check_toml(there, after, [])
        return after if after.strip() else ""

    def _parse_toml(self, text: str) -> dict[str, Any]:
        try:
            return _toml_in(text)
        except SettingsTextError as error:
            raise self._fault(str(error)) from None

    @property
    def _tables(self) -> list[str]:
        return [f"{key}.{NAME}" for key, value in self.content.items() if isinstance(value, dict)]

    def _fault(self, what: str, advice: str = "") -> PatchInvalidError:
        message = f"{self.path} {what}. Nothing was written."
        hint = f"Change it by hand: {advice}." if advice else "`--print` prints what it needs; add that by hand."
        return PatchInvalidError([Problem("invalid_arguments", message, self.path, hint=hint)])


def _object_in(text: str) -> Node:
    """The object in a text of JSON.

    Raises:
        SettingsTextError: it is something else.
    """
    try:
        node = parse_json_text(text)
    except JsonTextError as error:
        message = f"can't be read: {error}"
        raise SettingsTextError(message) from None
    if not node.is_object:
        message = "does not hold an object"
        raise SettingsTextError(message)
    return node


def _toml_in(text: str) -> dict[str, Any]:
    """The tables and settings in a text of TOML.

    Raises:
        SettingsTextError: it is something else.
    """
    try:
        return parse_toml(text)
    except ValueError as error:
        message = f"is not valid TOML: {error}"
        raise SettingsTextError(message) from None


def _is_ours(item: object) -> bool:
    """Whether an entry of a set is a rule or a hook about our tools."""
    name = item.get("matcher") if isinstance(item, dict) else item
    return isinstance(name, str) and name.startswith(f"mcp__{NAME}")


def _is_removed(item: object, ours: Sequence[Any]) -> bool:
    """Whether an entry of a set goes with these entries of ours."""
    return item in ours or _is_ours(item)


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
            inner = [item for item in value if not _is_removed(item, ours)]
        else:
            inner = None if ours is not None and value == ours else value
        if inner not in ({}, [], None) or key not in content:
            rest[key] = inner
    return rest


def _remove_object(text: str, node: Node, content: Mapping[str, Any], changes: list[TextChange]) -> None:
    """Add the changes that take a content out of an object, and leave its comments."""
    rest = _rest(node.value, content)
    gone = []
    for number, (name, (_, inner)) in enumerate(node.members.items()):
        ours = content.get(name)
        keeps_comments = name != NAME and isinstance(ours, dict | list) and has_comments(text, inner)
        if name not in rest and not keeps_comments:
            gone.append(number)
        elif inner.value == rest.get(name):
            continue
        elif isinstance(ours, dict):
            _remove_object(text, inner, ours, changes)
        elif isinstance(ours, list):
            items = enumerate(inner.items)
            changes += remove(text, inner, [place for place, item in items if _is_removed(item.value, ours)])
    changes += remove(text, node, gone)


def _remove_stale_rules(text: str, node: Node, content: Mapping[str, Any], changes: list[TextChange]) -> None:
    """Add the changes that remove rules and hooks about our tools which are not in a content; what forbids stays."""
    for key, value in content.items():
        _, there = node.members.get(key, (0, None))
        if there is None or key == NAME:
            continue
        if there.is_object and isinstance(value, dict):
            _remove_stale_rules(text, there, value, changes)
        elif key in SETS and key not in FORBIDDING and isinstance(value, list):
            items = enumerate(there.items)
            stale = [place for place, item in items if _is_ours(item.value) and item.value not in value]
            changes += remove(text, there, stale)


def is_our_file(value: object) -> bool:
    """Whether a setting names a file that Suture wrote, such as a catalog."""
    return isinstance(value, str) and value.rpartition("/")[2].startswith(NAME)


def _holds(there: Mapping[str, Any], key: str, value: object) -> bool:
    """Whether the entry of ours below a key, or the setting, is as it should be."""
    current = there.get(key)
    if isinstance(current, dict) and isinstance(value, dict):
        return bool(current.get(NAME) == value[NAME])
    return current == value


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
