"""The parts of a sketch: the lines between two markers such as `// ... existing code ...`."""

from __future__ import annotations

from ..core.value import Value
from .new_text import is_placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SketchPart(Value):
    """The lines between two markers; `is_open_above` and `is_open_below` say whether there is a marker."""

    #: The lines without the whitespace at their ends: so they are compared with those of the file.
    lines: tuple[str, ...]
    #: The same lines as the sketch has them: so they are written to the file.
    written: tuple[str, ...]
    is_open_above: bool
    is_open_below: bool
    #: How far the marker below is indented; 0 without one.
    depth_below: int = 0


def has_marker(sketch: str, path: str) -> bool:
    """Whether some line of a sketch says that code stays."""
    return any(part.is_open_above or part.is_open_below for part in split_sketch(sketch.split("\n"), path))


def split_sketch(lines: Sequence[str], path: str) -> list[SketchPart]:
    """The parts of a sketch. Dots alone are a marker, except in Python, where they are code."""
    is_python = path.endswith((".py", ".pyi"))
    groups: list[list[str]] = [[]]
    depths: list[int] = []
    for line in lines:
        text = line.strip()
        is_dots = not is_python and text in ("...", "…", "{...}", "…;")
        if is_dots or (text and is_placeholder(text)):
            groups.append([])
            depths.append(depth_of(line))
        else:
            groups[-1].append(line)
    parts: list[SketchPart] = []
    for number, group in enumerate(groups):
        while group and not group[0].strip():
            del group[0]
        while group and not group[-1].strip():
            del group[-1]
        if group:
            plain = tuple([line.rstrip() for line in group])
            is_open_below = number < len(depths)
            depth = depths[number] if is_open_below else 0
            parts.append(SketchPart(plain, tuple(group), number > 0, is_open_below, depth))
    return parts


def depth_of(line: str) -> int:
    """How far a line is indented."""
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())
