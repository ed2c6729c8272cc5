"""Suture in LangChain and LangGraph: `create_agent(model, suture_tools(session), checkpointer=…)`.

A call that needs an approval interrupts the graph. LangGraph matches the values of `Command(resume=…)` to interrupts by
their order, so a reply has to carry the fingerprint of its question: `reply` of `suture.adapters` writes it.
"""

from __future__ import annotations

from typing import Any  # noqa: TC003 - LangGraph looks up the annotations of tools

from .bridge import Bridge, extra, summary

with extra("langchain"):
    from langchain_core.tools import StructuredTool, ToolException

    from .graph_interrupts import block_in_graph, run_in_graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..agent.result import Result
    from ..agent.session import Session
    from ..agent.sync import SyncSession


def suture_tools(session: Session | SyncSession, **choice: Any) -> list[StructuredTool]:
    """The tools of a session. `only`, `names` and `profile` choose them, as in `Session.tools`.

    Synchronous runs (`invoke`, `stream`) need a `SyncSession`.
    """
    bridge = Bridge(session, **choice)
    return [_tool(bridge, one) for one in bridge.definitions()]


def _tool(bridge: Bridge, definition: Mapping[str, Any]) -> StructuredTool:
    name = definition["name"]

    async def run_async(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _outcome(await run_in_graph(bridge, name, arguments))

    def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        return _outcome(block_in_graph(bridge, name, arguments))

    return StructuredTool(
        name=name,
        description=definition["description"],
        args_schema=definition["parameters"],
        func=run,
        coroutine=run_async,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _outcome(result: Result) -> tuple[str, dict[str, Any]]:
    if result.is_error:
        raise ToolException(result.output)
    return result.output, summary(result)
