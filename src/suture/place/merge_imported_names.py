"""Which names a line of imports gives a meaning to, by language; a block should import each name only once."""

from __future__ import annotations

import re

from .limits import LONGEST_DEFINING_LINE
from .python_text import imported_names

_SCRIPTS = frozenset("cjs cts js jsx mjs mts svelte ts tsx vue".split())
_SCRIPT = re.compile(r"import[ \t]+(?:type[ \t]+)?(?P<names>[^'\"]*?)[ \t]*\bfrom\b")
_PATH = re.compile(
    r"(?:import|use)[ \t]+(?!static\b|function\b|const\b)[\w.\\]*?(?P<last>\w+)(?:[ \t]+as[ \t]+(?P<name>\w+))?;?$"
)
_RUST = re.compile(
    r"(?:pub(?:\([^()]*\))?[ \t]+)?use[ \t]+(?P<path>[\w:]*?)(?:\{(?P<names>[^{}]*)\})?(?P<rest>[\w ]*);$"
)
_GO = re.compile(
    r"(?:import[ \t]+)?(?:(?P<name>[\w.]+)[ \t]+)?"
    r"\"(?:[^\"]*/)?(?P<last>(?!v\d+\")[^\"/]+?)(?:/v\d+|\.v\d+)?\"$"
)
_PART = r"[\w$]+(?:[ \t]+as[ \t]+[\w$]+)?"
#: Names alone, inside of the brackets of an import.
_LISTED = re.compile(rf"(?:type[ \t]+)?{_PART}(?:[ \t]*,[ \t]*{_PART})*[ \t]*,?$")
_NO_NAMES = frozenset(["", "*", "_", ".", "self"])


def names_of_import(line: str, ending: str) -> frozenset[str]:
    """The names that a whole import on one line gives a meaning to; none where it is not known."""
    code = line.strip()
    if len(code) > LONGEST_DEFINING_LINE:
        return frozenset()
    if ending in ("py", "pyi"):
        return imported_names(code) if code.startswith(("import ", "from ")) else frozenset()
    if ending in _SCRIPTS:
        script = _SCRIPT.match(code)
        return _names_in(script["names"]) if script else frozenset()
    if ending == "rs":
        rust = _RUST.match(code)
        return _names_in(rust["names"] or _last(rust)) if rust else frozenset()
    match = _GO.match(code) if ending == "go" else None
    if ending in ("dart", "java", "kt", "kts", "php", "scala"):
        match = _PATH.match(code)
    return frozenset([match["name"] or match["last"]]) - _NO_NAMES if match else frozenset()


def names_of_list(line: str) -> frozenset[str]:
    """The names of a line that has nothing else, as one in the brackets of an import has."""
    code = line.strip()
    is_list = len(code) <= LONGEST_DEFINING_LINE and _LISTED.match(code) is not None
    return _names_in(code) if is_list else frozenset()


def _last(match: re.Match[str]) -> str:
    """The last part of a path of Rust, with the name that it gets."""
    return match["path"].rpartition("::")[2] + match["rest"]


def _names_in(text: str) -> frozenset[str]:
    """The names in a list of imports: what is behind `as`, or the name itself."""
    parts = [part.split() for part in re.split(r"[,{}]", text)]
    return frozenset([part[-1] for part in parts if part]) - _NO_NAMES
