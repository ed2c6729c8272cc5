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
    outside = _outside_envelopes(text) if BEGIN in text else None
    return outside is not None and not any(map(_may_have_edits, outside))


def _outside_envelopes(text: str) -> list[str] | None:
    """The parts of a text that are outside of its envelopes; None if it has no envelope, or not surely."""
    outside: list[str] = []
    # Where the last envelope ends, or the text begins; -1 inside of an envelope.
    outside_start = 0
    stars = text.find("***")
    while stars >= 0:
        line_start = text.rfind("\n", 0, stars) + 1
        line_end = text.find("\n", stars)
        if line_end < 0:
            line_end = len(text)
        line = text[line_start:line_end]
        marker = read_marker(line, padded=True, lenient=True) if "patch" in line.lower() else None
        name, _, spelling = marker or ("", "", "")
        if spelling and name in (BEGIN, END):
            # Whether it is a marker depends on what is around it.
            return None
        if name == BEGIN and outside_start >= 0:
            outside.append(text[outside_start:line_start])
            outside_start = -1
        elif name == END and outside_start < 0:
            outside_start = line_end
        stars = text.find("***", line_end)
    if not outside:
        return None
    if outside_start >= 0:
        outside.append(text[outside_start:])
    return outside


def _may_have_edits(text: str) -> bool:
    """Whether a text outside of envelopes may have an edit in another form, or a turn of somebody else."""
    if any(mark in text for mark in (*_OTHER_FORMS, *_TURNS)):
        return True
    lowered = text.lower()
    return any(key in lowered for key in _PATH_KEYS)
