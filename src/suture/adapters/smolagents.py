"""Suture in smolagents: `ToolCallingAgent(tools=suture_tools(session), model=…)`, and `CodeAgent` alike.

Its agents block, so they need a `SyncSession`, whose approver is asked. A failure is a text and not an exception:
smolagents would add to an exception that the model should try again or use another tool, which is the wrong advice
about a refused edit.
"""

from __future__ import annotations

from .bridge import Bridge, extra

with extra("smolagents"):
    from smolagents import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..agent.sync import SyncSession


class SmolTool(Tool):
    """One tool of a session."""

    # The parameters of `forward` are those of the tool, which are data.
    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, bridge: Bridge, definition: Mapping[str, Any]) -> None:
        super().__init__()
        self.name = definition["name"]
        self.description = definition["description"]
        schema = definition["parameters"]
        optional = set(schema["properties"]) - set(schema["required"])
        self.inputs = {
            name: {**one, **({"nullable": True} if name in optional else {})}
            for name, one in schema["properties"].items()
        }
        self._bridge = bridge

    def forward(self, *arguments: object, **named: object) -> str:
        """Run a call. A `CodeAgent` may pass arguments by their order."""
        given = {**dict(zip(self.inputs, arguments, strict=False)), **named}
        given = {name: value for name, value in given.items() if value is not None}
        return self._bridge.block(self._bridge.session.call(self.name, given)).output


def suture_tools(session: SyncSession, **choice: Any) -> list[SmolTool]:
    """The tools of a session. `only`, `names` and `profile` choose them, as in `Session.tools`."""
    bridge = Bridge(session, **choice)
    return [SmolTool(bridge, one) for one in bridge.definitions()]
