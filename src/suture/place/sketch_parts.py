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
    parts: list[SketchPart] = []
    part_lines: list[str] = []
    is_open_above = False
    for line in lines:
        if _is_marker(line.strip(), is_python=is_python):
            parts += _part_of(part_lines, is_open_above=is_open_above, marker_below=line)
            part_lines = []
            is_open_above = True
        else:
            part_lines.append(line)
    parts += _part_of(part_lines, is_open_above=is_open_above, marker_below=None)
    return parts


def _is_marker(text: str, *, is_python: bool) -> bool:
    """Whether a line without its indentation says that code stays."""
    is_dots_alone = text in ("...", "…", "{...}", "…;")
    if is_dots_alone and not is_python:
        return True
    return text != "" and is_placeholder(text)


def _part_of(lines: Sequence[str], *, is_open_above: bool, marker_below: str | None) -> list[SketchPart]:
    """The part of a sketch that has these lines; none if all of them are blank."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled:
        return []
    # Without the blank lines beside the markers.
    written = tuple(lines[filled[0] : filled[-1] + 1])
    plain = tuple([line.rstrip() for line in written])
    depth_below = 0 if marker_below is None else depth_of(marker_below)
    return [SketchPart(plain, written, is_open_above, marker_below is not None, depth_below)]


def depth_of(line: str) -> int:
    """How far a line is indented."""
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())
