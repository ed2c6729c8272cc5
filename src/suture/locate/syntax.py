"""Whether a file still parses: the last check of an edit that was placed loosely.

A language is known by the file's ending. Python, JSON and TOML are parsed by the standard library, others by
tree-sitter where `suture[parsers]` is installed. What does not parse before the edit, or is too large, is not checked.
"""

from __future__ import annotations

from ..core.fork_lock import ForkLock
from ..core.value import Value
from .limits import LONGEST_PARSED
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The grammars of tree-sitter by the endings of files.
_GRAMMARS = {
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "hpp"), "cpp"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("sh", "bash"), "bash"),
    **{name: name for name in ("css", "go", "html", "java", "lua", "php", "scala", "swift", "tsx")},
    "cs": "csharp",
    "kt": "kotlin",
    "rb": "ruby",
    "rs": "rust",
    "ts": "typescript",
}


_FILTERS = ForkLock()


class SyntaxFault(Value):
    """Where a text does not parse, and why. Its line is 0 if the parser names none."""

    line: int
    reason: str


class EditedText(Value):
    """A text before and after a loose edit."""

    path: str
    before: str
    after: str


@rule
def parses(edited: EditedText) -> SyntaxFault | None:
    """A loose match must not turn a file that parses into one that does not; `allow_syntax_errors` switches it off."""
    ending = edited.path.rpartition("/")[2].partition(".")[2].rpartition(".")[2].lower()
    parser = _PARSERS.get(ending) or _tree_parser(ending)
    if parser is None or max(len(edited.before), len(edited.after)) > LONGEST_PARSED:
        return None
    try:
        return None if parser(edited.before) is not None else parser(edited.after)
    except (ValueError, RecursionError, MemoryError):
        # Too deep for the parser, or characters that it can't read.
        return None


def _python(text: str) -> SyntaxFault | None:
    from warnings import catch_warnings, simplefilter

    # The filters belong to the process: two threads that change them at once could leave them changed.
    with _FILTERS, catch_warnings():
        simplefilter("ignore")
        try:
            # What `ast.parse` does, without the import.
            compile(text, "<edit>", "exec", flags=0x400, dont_inherit=True)
        except SyntaxError as error:
            return SyntaxFault(error.lineno or 0, error.msg)
    return None


def _json(text: str) -> SyntaxFault | None:
    from json import JSONDecodeError, loads

    try:
        loads(text)
    except JSONDecodeError as error:
        return SyntaxFault(error.lineno, error.msg)
    return None


def _toml(text: str) -> SyntaxFault | None:
    from re import search
    from tomllib import TOMLDecodeError, loads

    try:
        loads(text)
    except TOMLDecodeError as error:
        line = search(r"line (\d+)", str(error))
        return SyntaxFault(int(line[1]) if line else 0, str(error).partition(" (at ")[0])
    return None


_PARSERS = {"py": _python, "pyi": _python, "json": _json, "toml": _toml}


def _tree_parser(ending: str) -> Callable[[str], SyntaxFault | None] | None:
    """The parser of tree-sitter for the files with an ending, if there is one and it is installed."""
    try:
        grammar = _GRAMMARS[ending]
        from importlib import import_module

        parser: Any = import_module("tree_sitter_language_pack").get_parser(grammar)
    except (ImportError, LookupError):
        return None

    def parse(text: str) -> SyntaxFault | None:
        node = parser.parse(text.encode()).root_node
        if not node.has_error:
            return None
        # Down to the first node that is wrong itself.
        while not (node.is_error or node.is_missing) and (wrong := [one for one in node.children if one.has_error]):
            node = wrong[0]
        return SyntaxFault(node.start_point[0] + 1, "syntax error")

    return parse


RULES = (parses,)
