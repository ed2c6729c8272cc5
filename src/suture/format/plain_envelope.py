"""Texts that are envelopes and nothing else: no reader of another form is loaded for them."""

from __future__ import annotations

from ..core.dialect import BEGIN, END
from .color_filter import has_colors
from .envelope import parse_envelope
from .markers import read_marker
from .reasoning_filter import begins_with_reasoning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.dialect import Dialect
    from ..core.patch import Patch

#: What every other form needs at least.
_OTHER_FORMS = (
    *("--- ", "diff --", "Index: ", "@@", "SEARCH", "ORIGINAL", "{", "[", "<", "(", "```diff", "```patch"),
    *("```tool", "```save", "```append", "edit ", "str_replace_editor ", "***"),
    *("-----", "¶", "\n.", "\n> ", "existing code", "rest of"),
)
#: Names of paths as keys, of which one is in every edit in YAML; in lower case.
_PATH_KEYS = tuple(
    [f"{name}{sign}" for name in ("path", "file", "name", "project") for sign in (":", "=", " =", '"', "'")]
)
#: Lines after which somebody other than the model may speak.
_TURNS = ("Human:", "User:", "Observation:", "```tool_", "◁")


def parse_plain_envelope(
    text: str, dialect: Dialect, *, is_named: bool, max_size: int, max_sections: int
) -> Patch | None:
    """The patch of a text that can have nothing but envelopes, or `is_named` as one; None for any other text.

    Raises:
        PatchInvalidError: the envelope can't be parsed.
    """
    if dialect.lenient:
        is_wrapped = _has_reasoning(text) or _has_colors(text)
        if is_wrapped or not (is_named or _has_only_envelopes(text)):
            return None
    return parse_envelope(text, dialect, max_size=max_size, max_sections=max_sections)


def _has_reasoning(text: str) -> bool:
    return text[:1] != "*" and begins_with_reasoning(text)


def _has_colors(text: str) -> bool:
    return "\x1b" in text and has_colors(text)


def _has_only_envelopes(text: str) -> bool:
    """Whether no form but the envelope can be in a text: there is nothing around its envelopes that opens another."""
    outside: list[str] = []
    end = 0
    at = text.find("***") if BEGIN in text else -1
    while at >= 0:
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        last = last if last >= 0 else len(text)
        line = text[first:last]
        is_plain = "patch" not in line.lower()
        name, _, spelling = (None if is_plain else read_marker(line, padded=True, lenient=True)) or ("", "", "")
        if spelling and name in (BEGIN, END):
            # Whether it is a marker depends on what is around it.
            return False
        if name == BEGIN and end >= 0:
            outside.append(text[end:first])
            end = -1
        elif name == END and end < 0:
            end = last
        at = text.find("***", last)
    if not outside:
        return False
    if end >= 0:
        outside.append(text[end:])
    if any(mark in part for part in outside for mark in (*_OTHER_FORMS, *_TURNS)):
        return False
    lowered = [part.lower() for part in outside]
    return not any(key in part for part in lowered for key in _PATH_KEYS)
