"""The code of a notebook as lines of Python, so that the rules about names hold for its cells, too.

Every line of the file is one line of code, which is empty where the file has something else.
"""

from __future__ import annotations

import json
import re

from .merge_evidence import MergeEvidence
from .merge_lines import MergedLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .merge_lines import SideChange

_CELL_TYPE = re.compile(r"[ \t]*\"cell_type\":[ \t]*\"(?P<type>\w+)\"")
_SOURCE = re.compile(r"[ \t]*\"source\":[ \t]*(?P<rest>.*)")
_LANGUAGE = re.compile(r"[ \t]*\"(?:language|name)\":[ \t]*\"(?P<name>[\w+#-]+)\"")
_TEXT = re.compile(r"[ \t]*(?P<text>\"(?:\\.|[^\"\\])*\")[ \t]*,?[ \t]*$")
#: Commands of a notebook, which are no code.
_COMMANDS = ("!", "%", "?")


def code_evidence(merge: MergeEvidence) -> MergeEvidence | None:
    """The evidence of a merge of notebooks as one of their code; None for code that is not Python."""
    if _has_other_language(merge.base):
        return None
    base, current, edited, lines = [
        _code(text) for text in (merge.base, merge.current, merge.edited, merge.merged.lines)
    ]
    merged = MergedLines(
        tuple(lines),
        _with_code(merge.merged.current_changes, current),
        _with_code(merge.merged.edited_changes, edited),
        merge.merged.current,
        merge.merged.edited,
    )
    return MergeEvidence(merge.path, "py", base, (current, edited), merged)


def _with_code(changes: Iterable[SideChange], code: Sequence[str]) -> tuple[SideChange, ...]:
    return tuple([change.replace(lines=tuple(code[change.low : change.high])) for change in changes])


def _has_other_language(lines: Iterable[str]) -> bool:
    """Whether a notebook says that its language is not Python; it may also say nothing."""
    names = [match["name"].lower() for match in map(_LANGUAGE.match, lines) if match]
    return bool(names) and not any(name.startswith("python") for name in names)


def _code(lines: Sequence[str]) -> list[str]:
    code: list[str] = []
    is_code_cell = is_in_source = False
    for line in lines:
        kind = _CELL_TYPE.match(line)
        source = _SOURCE.match(line)
        rest = line
        if kind:
            is_code_cell = kind["type"] == "code"
        if source:
            rest = source["rest"]
            is_in_source = is_code_cell and rest.rstrip().endswith("[")
        elif is_in_source and line.strip().startswith("]"):
            is_in_source = False
        is_code = is_code_cell and (source is not None or is_in_source)
        code.append(_code_of(rest) if is_code else "\n")
    return code


def _code_of(text: str) -> str:
    """A line of code that is written as a text of JSON; empty if it is none, or a command."""
    match = _TEXT.match(text)
    try:
        line = str(json.loads(match["text"])) if match else ""
    except ValueError:
        line = ""
    return "\n" if line.lstrip().startswith(_COMMANDS) else f"{line.removesuffix(chr(10))}\n"
