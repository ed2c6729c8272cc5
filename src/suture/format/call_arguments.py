"""The arguments of one call: under the names that its shape has for them, or under names that many tools share."""

from __future__ import annotations

from json import loads

from ..core.advice import Copy
from .call_shape import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ..core.problems import Advice

#: Names that mean the same in every tool, as they are compared, by the value that they have.
COMMON: Mapping[str, tuple[str, ...]] = {
    "path": (
        *("filepath", "path", "filename", "file", "targetfile", "absolutepath", "relativepath", "relativefilepath"),
        *("targetfilepath", "pathinproject", "relativeworkspacepath", "notebookpath"),
    ),
    "old": (
        *("oldstring", "oldstr", "oldtext", "search", "old", "targetcontent", "oldcontent", "oldcode", "originaltext"),
    ),
    "new": ("newstring", "newstr", "newtext", "replace", "new", "replacementcontent", "newcontent", "newcode"),
    "every": ("replaceall", "allowmultiple", "allowmultipleoccurrences", "changeall"),
    "count": ("expectedreplacements", "expectedoccurrences"),
    "line": ("startline",),
    "last": ("endline",),
    "edits": ("edits", "replacements", "replacementchunks"),
    "content": ("filetext", "content", "contents"),
    "target": ("topath", "newpath", "destination", "destinationpath"),
}

#: All of these names, and those of texts that have edits in them.
_OF_EDITS = frozenset({name for names in COMMON.values() for name in names} | {"diff", "patch", "input", "arguments"})
#: Names of the first and the last line of a part of a file, and their values where that is all of it.
_PARTS = frozenset(
    {
        *("start", "end", "line", "startline", "endline", "linestart", "lineend", "linenumber", "insertline"),
        *("firstline", "lastline", "startlinenumber", "endlinenumber"),
    }
)
_WHOLE = ("0", "1", "-1")
#: What an argument has that is not used.
_EMPTY: tuple[object, ...] = (None, "", [])


class CallError(ValueError):
    """A call that is an edit but can't be read; the message says why, `hint` what to do next."""

    def __init__(self, message: str, hint: Advice = "") -> None:
        super().__init__(message)
        self.hint = hint or Copy("the call again with all its arguments.")


class CallArguments:
    """The arguments of a call, or of one item of its list of edits."""

    def __init__(self, given: Mapping[str, Any], names: Mapping[str, str], path: str = "") -> None:
        self._given = members([(normal(name), value) for name, value in given.items()])
        #: The names as they were written, for messages.
        self._written = {normal(name): name for name in given}
        self._names = names
        #: The path of the file, for messages.
        self.path = path
        self.path = path or (self.text("path") or "").strip()

    def value(self, role: str) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """What the shape's own argument for a value has, or the first of the common ones; None if there is none."""
        for name in self._names_of(role):
            if self._given.get(name) is not None:
                return self._given[name]
        return None

    def _names_of(self, role: str) -> Sequence[str]:
        """The names that an argument may have: its own, and the common ones in the call that no other argument has."""
        if role not in self._names:
            return COMMON.get(role, ())
        own = normal(self._names[role])
        given_common = [name for name in COMMON.get(role, ()) if name != own and name in self._given]
        if not given_common:
            return (own,)
        of_other_roles = {normal(name) for other_role, name in self._names.items() if other_role != role}
        return (own, *[name for name in given_common if name not in of_other_roles])

    def check_one(self, role: str) -> None:
        """Refuse an argument that is there under two names.

        Raises:
            CallError: their values differ.
        """
        given = {name: self._given[name] for name in self._names_of(role) if self._given.get(name) not in _EMPTY}
        self._check_same(given)

    def _check_same(self, given: Mapping[str, Any], role: str = "") -> None:
        """Refuse arguments for one role whose values differ; two spellings of a path are the same.

        Raises:
            CallError: they differ.
        """
        first = next(iter(given), "")
        other = next((name for name in given if given[name] != given[first]), "")
        if not other:
            return
        if role == "path" and are_one_path(given[first], given[other]):
            return
        both = f"both {self._written[first]} and {self._written[other]}"
        message = f"The call{f' for {self.path}' if self.path else ''} has {both}, with different values."
        raise CallError(message, "Keep the one that is meant.")

    def of_item(self, item: Mapping[str, Any]) -> CallArguments:
        """The arguments of an item of the list of edits of this call, under the same names."""
        return CallArguments(item, self._names, self.path)

    def own(self, role: str) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """What the shape's own argument for a value has; None if there is none."""
        return self._given.get(normal(self._names[role])) if role in self._names else None

    def named(self, name: str) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """What an argument has, by its name."""
        return self._given.get(normal(name))

    def text(self, role: str) -> str | None:
        """A value that is a text; lines in a list are one text. None if there is none.

        Raises:
            CallError: it is there under two names, with different values.
        """
        names = [normal(self._names[role])] if role in self._names else []
        if not names and self._given.keys().isdisjoint(COMMON.get(role, ())):
            return None
        given: dict[str, str] = {}
        for name in self._names_of(role):
            value = self._given.get(name)
            if isinstance(value, list) and value and all(isinstance(line, str) for line in value) and name in names:
                value = self._joined(value, name)
            if isinstance(value, str):
                given[name] = value
        # A path that is empty names no file.
        meant = {name: value for name, value in given.items() if role in ("old", "new") or value.strip()}
        self._check_same(meant, role)
        return next(iter(given.values()), None)

    def _joined(self, lines: Sequence[str], name: str) -> str:
        """Lines as one text: all of them but the last have their newlines, or none has one.

        Raises:
            CallError: some have one.
        """
        if not any("\n" in line for line in lines):
            return "\n".join(lines)
        if all(line.endswith("\n") for line in lines[:-1]):
            return "".join(lines)
        message = f"The call has {self._written[name]} as a list, in which only some lines have their newline."
        raise CallError(message, Copy("the call again, with one text instead of the list."))

    def number(self, role: str) -> int | None:
        """A value that is a number, maybe as a text; None if there is none.

        Raises:
            CallError: it is there under two names, with different values.
        """
        self.check_one(role)
        value = self.value(role)
        if isinstance(value, str) and value.strip().removeprefix("-").isdecimal() and len(value) < 12:
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def check_whole(self) -> None:
        """Refuse a text that is none of the whole file.

        Raises:
            CallError: the call has the lines that it is for.
        """
        for name, value in self._given.items():
            text = str(value).strip()
            if name in _PARTS and text.removeprefix("-").isdecimal() and text not in _WHOLE:
                message = (
                    f"The call for {self.path} has {self._written[name]} {text}: its text is only a part of the file."
                )
                raise CallError(message, "Use an edit with the text to find and its replacement instead.")

    def flag(self, role: str) -> bool:
        """A value that is true or false.

        Raises:
            CallError: it is something else, or there under two names, with different values.
        """
        self.check_one(role)
        value = self.value(role)
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            value = value.strip().lower() == "true"
        if value is not None and not isinstance(value, bool):
            message = f"The call for {self.path} has {value!r} where true or false is needed."
            raise CallError(message)
        return bool(value)


def are_one_path(first: str, other: str) -> bool:
    """Whether two paths of a call can be the same file: one may be absolute, or have more of its directories."""
    parts, others = _parts(first), _parts(other)
    count = min(len(parts), len(others))
    return parts[-count:] == others[-count:]


def _parts(path: str) -> Sequence[str]:
    return [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]


def put_argument(arguments: dict[str, Any], name: str, value: object) -> None:
    """Add an argument to those of a call.

    Raises:
        CallError: it has another value already. One of the two, and with it an edit, would be lost.
    """
    if name in arguments and arguments[name] != value and normal(name) in _OF_EDITS:
        message = f"A call has the argument {name} twice, with different values."
        raise CallError(message, "Send a call for each edit.")
    arguments[name] = value


def members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object.

    Raises:
        CallError: an argument of an edit is in it twice.
    """
    pairs = list(pairs)
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        by_name = {}
        for name, value in pairs:
            put_argument(by_name, name, value)
    return by_name


def load_json(text: str) -> object:
    """A JSON text as a value; None if it is not JSON.

    Raises:
        CallError: an argument of an edit is in it twice.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return None

    try:
        return loads(text, strict=False, object_pairs_hook=members)
    except CallError:
        raise
    except (ValueError, RecursionError):
        return None
