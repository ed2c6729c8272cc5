"""What a call shape is: a row of the table of tools that agents and models call to change files.

A row names tools and, for each value that matters, the argument that has it. How an act is read is in `call_acts`.
"""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias, TypedDict

    class RefusalWords(TypedDict):
        """Why a shape is refused, and what to use instead."""

        why: str
        hint: str

    #: What a call does to a file.
    Act: TypeAlias = Literal[
        "replace", "write", "append", "delete", "move", "copy", "insert", "lines", "diff", "cell", "define", "sketch",
        "anchors", "refuse", "other",
    ]  # fmt: skip

#: The values that an act needs; others are optional.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "replace": ("old", "new"),
    "write": ("path", "content"),
    "append": ("path", "content"),
    "delete": ("path",),
    "move": ("path", "target"),
    "copy": ("path", "target"),
    "insert": ("path", "line", "content"),
    "lines": ("path", "line", "content"),
    "diff": ("diff",),
    "cell": ("path",),
    "sketch": ("path", "content"),
    "anchors": ("path", "edits"),
    "define": ("path", "name", "content"),
    "refuse": (),
    "other": (),
}


class CallShape(Value):
    """One way to call a tool.

    `names` has the argument of each value: `path`, `target`, `old`, `new`, `every`, `count`, `line` and `last` (of a
    range of lines), `content`, `diff`, and `edits` for a list whose items have the others. `when` are arguments that
    must have these values. `why` says why a call is refused. `offset` turns a number of the call into a line from 1, or
    for an insertion into the line after which it goes; `end` is the number that means the end of the file. `cell` is
    what happens to a cell of a notebook, or where a definition goes. `ends_file` names the argument that says, if it is
    there and false, that a written file does not end with a newline. `lists` is the value that may be a list, which is
    JSON in markup. A call with the act `other` changes no file.
    """

    agent: str
    tools: tuple[str, ...]
    act: Act
    names: Mapping[str, str]
    source: str
    when: Mapping[str, object] = {}
    why: str = ""
    hint: str = ""
    offset: int = 0
    end: int | None = None
    cell: str = ""
    ends_file: str = ""
    lists: str = ""

    @property
    def needed(self) -> tuple[str, ...]:
        """The values that the call itself must have."""
        if "edits" in self.names:
            return ("edits",)
        return tuple([role for role in NEEDED[self.act] if role in self.names or role not in _OPTIONAL_HERE])


#: Why calls are refused that look like edits and can't be placed as such.
NO_UNDO: RefusalWords = {"why": "takes back an earlier edit", "hint": "Leave it out together with that edit."}
NO_REGEX: RefusalWords = {
    "why": "replaces what a regular expression matches",
    "hint": "Use an edit with the text to find and its replacement instead.",
}
NO_MODEL: RefusalWords = {
    "why": "has instructions for another model",
    "hint": "Use the edit that the other model made of them, with the text to find and its replacement.",
}
NO_SERVER: RefusalWords = {
    "why": "changes code that a language server finds",
    "hint": "Use an edit for each of them.",
}
NO_PART: RefusalWords = {
    "why": "replaces a part of the file between two numbers",
    "hint": "Use an edit with the text to find and its replacement instead.",
}
NO_SYMBOLS: RefusalWords = {
    "why": "renames a symbol in all files, which takes a language server",
    "hint": "Use an edit for each occurrence.",
}

#: Values that an act needs only where the row names an argument for them: a deletion has neither.
_OPTIONAL_HERE = ("content", "new")


def normal(name: str) -> str:
    """A name of a tool or an argument as it is compared: in lower case, without separators."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def bare_tool(name: str) -> str:
    """The name of a tool without the server or the namespace that it belongs to, as it is compared."""
    bare = normal(name.rpartition("__")[2].rpartition(".")[2].rpartition("/")[2].partition(":")[0])
    # Continue has written its own tools as `builtin_edit_existing_file`.
    return bare.removeprefix("builtin")
