"""The history of the workspace as resources, and a prompt that teaches how to write edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..agent.call import history_row
from ..agent.read_access import readable_changes
from ..agent.threads import in_thread
from ..core.display import model_text, safe_text
from ..format.instructions import instructions
from ..format.stream_parser import FORMS
from .server_limits import MOST_RESOURCE_CHARACTERS, MOST_RESOURCES
from .static_requests import HISTORY, INVALID_PARAMS, PROMPT, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..agent.session import Session
    from ..core.outcome import Change, Receipt


async def list_resources(session: Session) -> dict[str, Any]:
    """The latest commits, newest first.

    Raises:
        SutureError: the history can't be read.
    """
    receipts = await in_thread(session.workspace.log, MOST_RESOURCES)
    rows = [(receipt, _changes(session, receipt)) for receipt in receipts]
    resources = [
        {
            "uri": HISTORY + receipt.id,
            "name": receipt.id,
            "title": history_row(receipt, changes),
            "mimeType": "text/x-diff",
        }
        for receipt, changes in rows
        if changes
    ]
    return {"resources": resources}


async def read_resource(session: Session, params: Mapping[str, Any]) -> dict[str, Any]:
    """The diff of a commit, without files that may not be read.

    Raises:
        ProtocolError: that is no commit.
        SutureError: there is no such commit.
    """
    uri = str(params.get("uri", ""))
    commit = uri.removeprefix(HISTORY)
    if commit == uri or not commit.isalnum():
        message = f"There is no resource {safe_text(uri)}; see resources/list."
        raise ProtocolError(INVALID_PARAMS, message, {"uri": uri})
    receipt = await in_thread(session.workspace.show, commit)
    changes = _changes(session, receipt)
    diff = "".join([change.diff for change in changes])
    text = model_text(f"{history_row(receipt, changes)}\n\n{diff}")
    if len(text) > MOST_RESOURCE_CHARACTERS:
        text = f"{text[:MOST_RESOURCE_CHARACTERS]}\n… ({len(text) - MOST_RESOURCE_CHARACTERS} more characters)"
    return {"contents": [{"uri": uri, "mimeType": "text/x-diff", "text": text}]}


def get_prompt(params: Mapping[str, Any]) -> dict[str, Any]:
    """The instructions for a form.

    Raises:
        ProtocolError: there is no such prompt or form.
    """
    given = params.get("arguments")
    form = (given.get("form") if isinstance(given, dict) else None) or "envelope"
    if params.get("name") != PROMPT or form not in FORMS:
        message = f"The prompt is {PROMPT}, and its form is one of {', '.join(FORMS)}."
        raise ProtocolError(INVALID_PARAMS, message)
    return {"messages": [{"role": "user", "content": {"type": "text", "text": instructions(form)}}]}


def _changes(session: Session, receipt: Receipt) -> list[Change]:
    """The changes of a commit whose files may all be read."""
    return readable_changes(receipt, session.access.after_asking(frozenset()).guard())
