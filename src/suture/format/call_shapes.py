"""The table of call shapes: which tools of agents change files, and which argument has which value.

A new shape is a row in one of the tables that this one joins, and a sample of it in `tests/forms`.
docs/call-shapes.md lists them all.
"""

from __future__ import annotations

from .agent_shapes import AGENT_SHAPES
from .builder_shapes import BUILDER_SHAPES
from .call_shape import CallShape, bare_tool
from .editor_shapes import EDITOR_SHAPES
from .extension_shapes import EXTENSION_SHAPES
from .library_shapes import LIBRARY_SHAPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: All shapes.
CALL_SHAPES: tuple[CallShape, ...] = (
    *AGENT_SHAPES,
    *EDITOR_SHAPES,
    *EXTENSION_SHAPES,
    *LIBRARY_SHAPES,
    *BUILDER_SHAPES,
)


def _by_tool() -> dict[str, list[CallShape]]:
    """The shapes of each tool, those with conditions first: they say more."""
    shapes: dict[str, list[CallShape]] = {}
    for shape in sorted(CALL_SHAPES, key=lambda shape: not shape.when and shape.act != "anchors"):
        for tool in shape.tools:
            shapes.setdefault(bare_tool(tool), []).append(shape)
    return shapes


_SHAPES: Mapping[str, Sequence[CallShape]] = _by_tool()


def shapes_of(tool: str) -> Sequence[CallShape]:
    """The shapes in which a tool may be called."""
    return _SHAPES.get(bare_tool(tool), ())
