"""Which row of the table of call shapes a call has."""

from __future__ import annotations

import re

from .anchor_calls import has_anchors
from .call_arguments import CallArguments, load_json
from .call_shape import normal
from .call_shapes import shapes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .call_shape import CallShape

_NUMBER = re.compile(r"-?\d{1,11}")


def shape_of(tool: str, given: Mapping[str, Any]) -> CallShape | None:
    """The shape of a call: the first that fits, or one with the same act that has names for more of its arguments."""
    # Tools of several agents have the same name, and only one of them may have an argument such as Devin's `many`.
    fitting = [shape for shape in shapes_of(tool) if fits(shape, given)]
    if not fitting:
        return None
    first = fitting[0]
    if first.when:
        return first
    given_names = {normal(name) for name in given}

    def count_known(shape: CallShape) -> int:
        return len(given_names.intersection(map(normal, shape.names.values())))

    alike = [shape for shape in fitting if shape.act == first.act and not shape.when]
    return max(alike, key=count_known)


def fits(shape: CallShape, given: Mapping[str, Any]) -> bool:
    """Whether a call has what a shape needs, and the values that it is for."""
    arguments = CallArguments(given, shape.names, "?")
    for name, expected in shape.when.items():
        value = arguments.named(name)
        if isinstance(expected, type):
            # Markup has numbers as texts.
            is_number = expected is int and isinstance(value, str) and _NUMBER.fullmatch(value.strip())
            if not is_number and not isinstance(value, expected):
                return False
        elif str(value).lower() != str(expected).lower():
            return False
    if shape.act == "anchors" and not has_anchors(listed_edits(arguments)):
        return False
    for role in shape.needed:
        value = arguments.own(role) if role in shape.names else arguments.value(role)
        if value is None or (isinstance(value, str) and role == "path" and not value.strip()):
            return False
    return True


def listed_edits(arguments: CallArguments) -> object:
    """The list of edits of a call, which may be JSON in a string."""
    value = arguments.own("edits")
    return load_json(value) if isinstance(value, str) else value
