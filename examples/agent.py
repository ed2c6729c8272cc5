"""An agent at work: a scripted model reads and edits a real folder through a Session.

It reads a file and edits it, hears from a language server that the edit broke something, and mends it. Then it wants to
change the settings, for which somebody is asked: the first time they refuse, with a reason, and the second time they
allow it. Run it with `python examples/agent.py`; it works in a temporary folder.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from suture import Session, Workspace
from suture.diagnostics import SERVERS, LanguageServers
from suture.events import FileEdited
from suture.permissions import Answer, Callback, Request

if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.session import Result

FILES = {
    "src/shop.py": "def total(prices):\n    result = sum(prices)\n    return result\n",
    "settings.toml": "currency = 'EUR'\ntax = 0.19\n",
}
#: What a framework hands on to a model's interface, and what comes back from it.
Call = tuple[str, dict[str, object]]


def model() -> Generator[Call, Result, None]:
    """A model whose turns are written down: each is the call of a tool. The answer to it is what it is sent back."""
    answer = yield "read", {"filePath": "src/shop.py"}
    # It forgets to say where the rate comes from.
    answer = yield (
        "edit",
        {"filePath": "src/shop.py", "oldString": "return result", "newString": "return result * (1 + TAX)"},
    )
    assert "Undefined name `TAX`" in answer.output
    answer = yield (
        "edit",
        {"file_path": "src/shop.py", "old_string": "def total", "new_string": "TAX = 0.19\n\n\ndef total"},
    )
    assert "found no new errors" in answer.output
    settings = """\
*** Begin Patch
*** Update File: settings.toml
@@
 currency = 'EUR'
-tax = 0.19
*** End Patch
"""
    answer = yield "apply_patch", {"patchText": settings}
    assert answer.is_error
    # It does as it was told.
    answer = yield "apply_patch", {"patchText": settings.replace("*** End", "+# The rate is in src/shop.py.\n*** End")}
    assert not answer.is_error


def person(request: Request) -> Answer:
    """Somebody who looks at the diff that they are asked about."""
    print(f"  ? {request.tool} wants: {', '.join(map(str, request.files))}")
    if "+" in request.files[0].diff.split("@@")[2]:
        return Answer.once()
    return Answer.reject("Leave a comment that says where the rate is now.")


def workspace_in(folder: Path) -> Workspace:
    """A folder with the files in it."""
    for name, content in FILES.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Workspace(folder / "work", state_dir=folder / "state")


async def main() -> None:
    """Let the model work in a folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = workspace_in(Path(folder))
        ruff = [server for server in SERVERS if server.name == "ruff"]
        session = Session(
            workspace,
            rules=[("edit", "src/**", "allow"), ("edit", "*.toml", "ask")],
            approver=Callback(person),
            diagnoser=LanguageServers(workspace.root, ruff),
            diagnostics_timeout=30,
            actor="the scripted model",
        )
        edited: list[str] = []
        session.bus.subscribe(lambda event: edited.append(event.path), FileEdited)
        async with session:
            print(f"Tools: {', '.join(tool['name'] for tool in session.tools('anthropic'))}\n")
            await converse(session)
            await session.bus.drain(5)
        print(f"Written: {', '.join(edited)}")
        print(f"In the history: {', '.join(f'{receipt.tool}' for receipt in reversed(workspace.log()))}")
        workspace.close()


async def converse(session: Session) -> None:
    """Hand each call of the model to the session, and each answer back to the model."""
    turns = model()
    call: Call | None = next(turns)
    while call is not None:
        name, arguments = call
        print(f"> {name} {', '.join(arguments)}")
        answer = await session.call(name, arguments)
        print("".join(f"  {line}\n" for line in answer.output.splitlines()))
        try:
            call = turns.send(answer)
        except StopIteration:
            call = None


if __name__ == "__main__":
    asyncio.run(main())
