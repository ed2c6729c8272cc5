"""An agent with a scripted model that reads and edits files through a Session.

The model edits a file, learns from a check that it broke something, and fixes it. Then it tries to change the settings,
which a person must approve: they reject the first attempt with a reason and approve the second.

Run it with `python examples/agent.py`. It needs nothing but Suture, and works in a temporary directory. The check here
is Python's own compiler; to use language servers, pass `LanguageServers(workspace.root)` instead.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from suture import Answer, Session, Workspace
from suture.agent import Callback, FileEdited, Request
from suture.agent.diagnostics import CommandDiagnoser

if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.agent import Result

FILES = {
    "src/shop.py": "def total(prices):\n    result = sum(prices)\n    return result\n",
    "settings.toml": "currency = 'EUR'\ntax = 0.19\n",
}
#: Compiles standard input, and prints an error as `file:line:column: message`.
COMPILE = """\
import sys
try:
    compile(sys.stdin.read(), sys.argv[1], "exec")
except SyntaxError as error:
    print(f"{error.filename}:{error.lineno}:{error.offset}: {error.msg}")
    sys.exit(1)
"""
#: A tool call: the name of the tool and its arguments.
Call = tuple[str, dict[str, object]]


def model() -> Generator[Call, Result, None]:
    """A scripted model: each turn yields a tool call and receives the result."""
    answer = yield "read", {"filePath": "src/shop.py"}
    # It forgets a parenthesis.
    answer = yield (
        "edit",
        {"filePath": "src/shop.py", "oldString": "return result", "newString": "return result * (1 + 0.19"},
    )
    assert "'(' was never closed" in answer.output
    answer = yield (
        "edit",
        {"file_path": "src/shop.py", "old_string": "(1 + 0.19", "new_string": "(1 + 0.19)"},
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
    # It follows the instruction.
    answer = yield "apply_patch", {"patchText": settings.replace("*** End", "+# The rate is in src/shop.py.\n*** End")}
    assert not answer.is_error


def person(request: Request) -> Answer:
    """A person who looks at the diff and wants a comment in it."""
    print(f"  ? {request.tool} wants: {', '.join(request.lines)}")
    if request.files[0].additions:
        return Answer.once()
    return Answer.reject("Leave a comment that says where the rate is now.")


def workspace_in(folder: Path) -> Workspace:
    """A workspace with the files in it."""
    for name, content in FILES.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Workspace(folder / "work", state_dir=folder / "state")


async def main() -> None:
    """Run the model in a temporary workspace."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = workspace_in(Path(folder))
        command = [sys.executable, "-c", COMPILE, "{path}"]
        session = Session(
            workspace,
            rules=[("edit", "src/**", "allow"), ("edit", "*.toml", "ask")],
            approver=Callback(person),
            diagnoser=CommandDiagnoser(command, name="Python", endings=(".py",), stdin=True),
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
    """Pass each tool call to the session, and each result back to the model."""
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
