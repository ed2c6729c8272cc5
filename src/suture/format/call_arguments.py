"""The arguments of one call: under the names that its shape has for them, or under names that many tools share."""

from __future__ import annotations

from ..core.advice import Copy
from .call_shape import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
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


class CallError(ValueError):
    """A call that is an edit but can't be read; the message says why, `hint` what to do next."""

    def __init__(self, message: str, hint: Advice = "") -> None:
        super().__init__(message)
        self.hint = hint or Copy("the call again with all its arguments.")


class CallArguments:
    """The arguments of a call, or of one item of its list of edits."""

    def __init__(self, given: Mapping[str, Any], names: Mapping[str, str], path: str = "") -> None:
        self._given = {normal(name): value for name, value in given.items()}
        #: The names as they were written, for messages.
        self._written = {normal(name): name for name in given}
        self._names = names
        #: The path of the file, for messages.
        self.path = path or (self.text("path") or "").strip()

    def value(self, role: str) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """What the shape's own argument for a value has, or the first of the common ones; None if there is none."""
        names = [normal(self._names[role])] if role in self._names else []
        for name in (*names, *COMMON.get(role, ())):
            if self._given.get(name) is not None:
                return self._given[name]
        return None

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
        given: dict[str, str] = {}
        for name in dict.fromkeys((*names, *COMMON.get(role, ()))):
            value = self._given.get(name)
            if isinstance(value, list) and value and all(isinstance(line, str) for line in value) and name in names:
                value = "\n".join(value)
            if isinstance(value, str):
                given[name] = value
        first = next(iter(given), "")
        other = next((name for name in given if given[name] != given[first]), "")
        if other and role in ("old", "new"):
            both = f"both {self._written[first]} and {self._written[other]}"
            message = f"The call for {self.path} has {both}, with different values."
            raise CallError(message, "Keep the one that is meant.")
        return given.get(first)

    def number(self, role: str) -> int | None:
        """A value that is a number, maybe as a text; None if there is none."""
        value = self.value(role)
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 12:
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, role: str) -> bool:
        """A value that is true or false.

        Raises:
            CallError: it is something else.
        """
        value = self.value(role)
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            value = value.strip().lower() == "true"
        if value is not None and not isinstance(value, bool):
            message = f"The call for {self.path} has {value!r} where true or false is needed."
            raise CallError(message)
        return bool(value)


def load_json(text: str) -> object:
    """A JSON text as a value; None if it is not JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    from json import loads

    try:
        return loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
