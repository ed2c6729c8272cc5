"""Calls inside a LangGraph graph: a question interrupts the graph, and the reply comes back as its resume value.

When a graph goes on, it runs the node again from its start, and hands out resume values by their order. So a call is
advanced with one reply after the other until it ends or there is no further reply, which raises the interrupt.
"""

from __future__ import annotations

from json import dumps

from .bridge import Bridge, Question, extra

with extra("langchain"):
    from langgraph.config import get_config
    from langgraph.types import interrupt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..agent.result import Result


async def run_in_graph(bridge: Bridge, tool: str, arguments: Mapping[str, Any]) -> Result:
    """The result of a call.

    Raises:
        GraphInterrupt: a person has to be asked.
    """
    key, given = _key(tool, arguments), None
    while isinstance(step := await bridge.wait(bridge.advance(key, tool, arguments, given)), Question):
        given = interrupt(step.to_data())
    return step


def block_in_graph(bridge: Bridge, tool: str, arguments: Mapping[str, Any]) -> Result:
    """The same, without an event loop. It needs a `SyncSession`."""
    key, given = _key(tool, arguments), None
    while isinstance(step := bridge.block(bridge.advance(key, tool, arguments, given)), Question):
        given = interrupt(step.to_data())
    return step


def _key(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str, str]:
    """What identifies a call when its node is run again: the task, and the call itself."""
    try:
        task = str(get_config()["configurable"].get("checkpoint_ns", ""))
    except RuntimeError:
        # Outside of a graph, where nothing is run again.
        task = ""
    return task, tool, dumps(arguments, sort_keys=True, default=str)
