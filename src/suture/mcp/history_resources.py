"""The history of the workspace as resources, and a prompt that teaches how to write edits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ..agent.call import history_row
from ..agent.read_access import readable_changes
from ..core.display import model_text, safe_text
from ..core.problems import SutureError
from ..format.instructions import instructions
from ..format.patch_parser import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..agent.session import Session
    from ..workspace.outcome import Change, Receipt

PREFIX = "suture://history/"
#: How many commits are listed, and the most characters of one.
MOST_COMMITS = 50
MOST_TEXT = 100_000
PROMPT = "edit_format"


class HistoryResources:
    """The resources and prompts of a server; `session` gives the session that a request belongs to."""

    def __init__(self, session: Callable[[Any], Any]) -> None:
        self._session = session

    async def list_resources(self, ctx: Any, params: Any) -> Any:
        """The latest commits, newest first."""
        try:
            async with self._session(ctx) as client:
                receipts = await asyncio.to_thread(client.session.workspace.log, MOST_COMMITS)
                rows = [(receipt, _changes(client.session, receipt)) for receipt in receipts]
        except SutureError as error:
            raise _error(error) from error
        resources = [
            types.Resource(
                uri=PREFIX + receipt.id, name=receipt.id, title=history_row(receipt, named), mime_type="text/x-diff"
            )
            for receipt, named in rows
            if named
        ]
        return types.ListResourcesResult(resources=resources)

    async def list_templates(self, ctx: Any, params: Any) -> Any:
        """How a commit is named."""
        template = types.ResourceTemplate(
            uri_template=PREFIX + "{commit}",
            name="commit",
            title="A change of the workspace",
            description="The diff of a commit, by its id or the beginning of it",
            mime_type="text/x-diff",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, ctx: Any, params: Any) -> Any:
        """The diff of a commit, without files that may not be read."""
        uri = str(params.uri)
        commit = uri.removeprefix(PREFIX)
        if commit == uri or not commit.isalnum():
            message = f"There is no resource {safe_text(uri)}; see resources/list."
            raise MCPError(code=types.INVALID_PARAMS, message=message, data={"uri": uri})
        try:
            async with self._session(ctx) as client:
                receipt = await asyncio.to_thread(client.session.workspace.show, commit)
                named = _changes(client.session, receipt)
                diff = "".join([change.diff for change in named])
        except SutureError as error:
            raise _error(error) from error
        text = model_text(f"{history_row(receipt, named)}\n\n{diff}")
        if len(text) > MOST_TEXT:
            text = f"{text[:MOST_TEXT]}\n… ({len(text) - MOST_TEXT} more characters)"
        content = types.TextResourceContents(uri=uri, mime_type="text/x-diff", text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, ctx: Any, params: Any) -> Any:
        """The one prompt."""
        form = types.PromptArgument(name="form", description=f"One of {', '.join(FORMS)} (default envelope)")
        prompt = types.Prompt(
            name=PROMPT, title="How to write edits", description="Teaches the patch format", arguments=[form]
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(self, ctx: Any, params: Any) -> Any:
        """The instructions for a form."""
        form = (params.arguments or {}).get("form") or "envelope"
        if params.name != PROMPT or form not in FORMS:
            message = f"The prompt is {PROMPT}, and its form is one of {', '.join(FORMS)}."
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        content = types.TextContent(type="text", text=instructions(form))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


def _changes(session: Session, receipt: Receipt) -> list[Change]:
    """The changes of a commit whose files may all be read."""
    return readable_changes(receipt, session.access.view(frozenset()).guard())


def _error(error: SutureError) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=error.for_model())
