"""Which variables a line binds by a pattern, a loop or the head of a block, without an assignment of one name."""

from __future__ import annotations

import re

from .file_kinds import C_LIKE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d][\w$]*")
#: Several variables at once: `const { a, b } =`, `let (a, b) =`, `if let Some(a) =`.
_PATTERN = re.compile(r"\b(?:auto|const|let|val|var)\b([^=;]*[\[({][^=;]*)=(?![=>])")
#: The variables of a loop: `for (const a of`, `for (Item a :`, `for (int a =`, `for (a, b) in`.
_LOOP = re.compile(r"\bfor(?:each)?\b[ \t]*\(?([^=:;]*?)(?:\b(?:of|in)\b|[:=])")
_CATCH = re.compile(r"\b(?:catch|using)[ \t]*\(([^()=]*)")
#: The parameters of a block of Ruby or a closure of Rust, and what an arm of Rust takes apart.
_BLOCK = re.compile(r"\|([^|]+)\|")
_ARM = re.compile(r"([^=]*[({][^=]*)=>")
_ATTRIBUTES = re.compile(r"attr_(?:accessor|reader|writer)\b(.*)")
#: A parameter on a line of its own, with its type in front.
_PARAMETER = re.compile(r"(?!return\b|new\b)[\w$<>\[\].?&*:@ ]+[ &*](?P<name>[\w$]+)[ \t]*(?:,|\)[\w ,.]*\{?)$")
#: The name of a type behind its fields, and what `goto` goes to.
_TYPE = re.compile(r"\}[ \t]*(?P<name>\w+)[ \t]*;$")
_LABEL = re.compile(r"(?!default\b|private\b|protected\b|public\b)(?P<name>[A-Za-z_]\w*)[ \t]*:$")
_TYPED = C_LIKE | {"cs", "dart", "java"}


def bound_names(code: str, ending: str) -> set[str]:
    """The variables that a line binds in one of these ways, rather too many; of Python the parser knows them."""
    if ending in ("py", "pyi"):
        return set()
    names: set[str] = set()
    for text in _patterns(code, ending):
        names.update(_WORD.findall(text))
    for pattern in _named_by(ending):
        match = pattern.match(code)
        if match:
            names.add(match["name"])
    return names


def _patterns(code: str, ending: str) -> Iterator[str]:
    """The parts of a line that are about variables alone."""
    pattern = _PATTERN.search(code)
    if pattern:
        yield pattern[1]
    for head in (_LOOP, _CATCH):
        variable = head.search(code)
        if variable:
            # What is in front of a single variable is its type.
            is_single = "," not in variable[1]
            yield variable[1].rstrip().rpartition(" ")[2] if is_single else variable[1]
    if ending in ("cr", "rb", "rs"):
        for parameters in _BLOCK.findall(code):
            yield " ".join(one.partition(":")[0] for one in parameters.split(","))
    if ending in ("rs", "scala"):
        arm = _ARM.match(code)
        if arm:
            yield " ".join(word for word in _WORD.findall(arm[1]) if word[0].islower())
    attributes = _ATTRIBUTES.match(code) if ending == "rb" else None
    if attributes:
        yield attributes[1]


def _named_by(ending: str) -> Iterator[re.Pattern[str]]:
    """The patterns of lines that bind the one name in them."""
    if ending in _TYPED:
        yield _PARAMETER
    if ending in C_LIKE:
        yield from (_TYPE, _LABEL)
