"""Whether a file still parses: the last check of an edit that was placed loosely.

Python, JSON and TOML are parsed by the standard library, others by tree-sitter where `suture[parsers]` is installed.
"""

from __future__ import annotations

import json
import re
import sys
import time
from importlib import import_module

from ..core.python_source import parse_python
from ..core.toml_source import parse_toml
from ..core.value import Value
from .limits import LONGEST_PARSED, MOST_KOTLIN_QUOTES, MOST_YAML_LEVELS, PARSE_SECONDS, PARSE_SECONDS_PER_BYTE
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The parsers of the standard library by the endings of files.
_LOADERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "py": parse_python,
    "pyi": parse_python,
    "toml": parse_toml,
}
#: The grammars of tree-sitter by the endings of files.
_GRAMMARS = {
    **{name: name for name in "bash c cpp css go html java lua php scala swift tsx yaml".split()},
    **dict.fromkeys(("cjs", "js", "jsx", "mjs"), "javascript"),
    **dict(zip("cc cs h hpp kt rb".split(), "cpp csharp c cpp kotlin ruby".split(), strict=True)),
    **dict(zip("rs sh ts yml".split(), "rust bash typescript yaml".split(), strict=True)),
}

#: How many bytes a parser of tree-sitter gets at a time: some ask again for each word, and get a copy.
_CHUNK = 512
#: What begins a level of YAML inside of a line.
_YAML_SIGNS = re.compile(rb"[-?:](?=\s|$)")


class SyntaxFault(Value):
    """Where a text does not parse, and why. Its line is 0 if the parser names none."""

    line: int
    reason: str


@rule
def parses(edited: tuple[str, str, str]) -> SyntaxFault | None:
    """A loose match must not turn a file that parses into one that does not; `allow_syntax_errors` switches it off."""
    path, before, after = edited
    if max(len(before), len(after)) > LONGEST_PARSED:
        return None
    if fault_in(path, before) is not None:
        return None
    return fault_in(path, after)


def fault_in(path: str, text: str) -> SyntaxFault | None:
    """Where a file does not parse; None also where no parser can tell."""
    ending = path.rpartition("/")[2].partition(".")[2].rpartition(".")[2].lower()
    try:
        return _fault(ending, text)
    except (ValueError, RecursionError, MemoryError):
        # Too deep for the parser, or characters that it can't read.
        return None


def _fault(ending: str, text: str) -> SyntaxFault | None:
    """Where a text does not parse; None also where no parser knows the ending of its file."""
    load = _LOADERS.get(ending)
    if load is None:
        return _tree_fault(ending, text)
    try:
        load(text)
    except (SyntaxError, ValueError) as error:
        line_numbers = re.findall(r"line (\d+)", str(error))
        line = int(line_numbers[-1]) if line_numbers else 0
        # Without the position that the parser of JSON writes behind its message.
        message: str = getattr(error, "msg", str(error).partition(" (at ")[0])
        return SyntaxFault(line, message)
    return None


#: Packages that were looked for and are not there.
_NOT_INSTALLED: set[str] = set()


def tree_root(ending: str, raw: bytes) -> Any:  # noqa: ANN401 - of tree-sitter
    """The root of the tree that tree-sitter makes of a text.

    None if it has no grammar for the files with an ending, is not installed, or would need too much for this text.
    """
    grammar = _GRAMMARS.get(ending)
    pack = _language_pack() if grammar else None
    if pack is None or _ends_the_process(str(grammar), raw):
        return None
    try:
        parser = pack.get_parser(grammar)
    except LookupError:
        return None
    # Time of this thread alone: a busy machine takes none of it.
    end = time.thread_time() + PARSE_SECONDS + PARSE_SECONDS_PER_BYTE * len(raw)
    try:
        # A parser that is given up is not used again, so it needs no reset.
        tree = parser.parse(
            lambda start, _point: raw[start : start + _CHUNK],
            progress_callback=lambda *_: time.thread_time() > end,
        )
    except ValueError:
        return None
    return tree.root_node


def _ends_the_process(grammar: str, raw: bytes) -> bool:
    """Whether a text may be nested more deeply than a grammar has memory for, which it does not check itself."""
    if grammar == "kotlin":
        # A string in a string begins with a quote.
        return raw.count(b'"') > MOST_KOTLIN_QUOTES
    if grammar == "yaml":
        # Each level begins further to the right: behind spaces, or behind signs of the same line.
        lines = raw.splitlines()
        spaces = max([len(line) - len(line.lstrip()) for line in lines], default=0)
        signs = max([len(_YAML_SIGNS.findall(line)) for line in lines], default=0)
        return spaces + signs > MOST_YAML_LEVELS
    return False


def _language_pack() -> Any:  # noqa: ANN401 - of tree-sitter
    """The package with the grammars; None if it is not installed, which is looked up only once."""
    name = "tree_sitter_language_pack"
    if name not in sys.modules and name in _NOT_INSTALLED:
        return None
    try:
        return import_module(name)
    except ImportError:
        _NOT_INSTALLED.add(name)
        return None


def _tree_fault(ending: str, text: str) -> SyntaxFault | None:
    """Where tree-sitter, if it is installed, can't parse a text; None also if it has given up."""
    node = tree_root(ending, text.encode())
    if node is None or not node.has_error:
        return None
    # Down to the first node that is wrong itself.
    while not node.is_error and not node.is_missing:
        faulty = [child for child in node.children if child.has_error]
        if not faulty:
            break
        node = faulty[0]
    return SyntaxFault(node.start_point[0] + 1, "syntax error")


RULES = (parses,)
