"""`suture tool`: runs one tool call of an agent, for clients whose tools are programs.

The client asks the user. It gets a preview with the fingerprint of exactly what would be written, shows it, and sends
the fingerprint back with the call. If the files have changed meanwhile, nothing is written.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...agent.answers import Answer
from ...agent.configuration.project_workspace import open_project
from ...agent.pending import Pending
from ...agent.profiles import profile_named
from ...agent.rules import Rule, Rules
from ...agent.session import Session
from ..arguments import UsageError
from ..inputs import read_json
from ..json_output import print_document
from ..project_options import configuration, find_root

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from ...agent.read_checks import Mode
    from ...agent.result import Result
    from ..screen import Screen

#: The client has read tools of its own, whose reads are not known here. An edit has to fit exactly one place instead.
READS: Mapping[str, Mode] = {
    "edit": "exact",
    "multiedit": "exact",
    "insert": "exact",
    "write": "off",
    "delete": "off",
    "move": "off",
}


def run(options: Namespace, screen: Screen) -> int:
    """Run the call, and print its answer."""
    if options.preview and options.approved is not None:
        message = "--preview and --approved exclude each other"
        raise UsageError(message)
    profile = profile_named(options.profile or "core")
    if options.tool.lower() not in map(str.lower, profile.tools.values()):
        message = f"expected one of the tools {', '.join(profile.tools.values())}; found {options.tool!r}"
        raise UsageError(message)
    arguments = read_json(None, "Send the arguments of the call as a JSON object.")
    answer = asyncio.run(_call(options, arguments))
    failed = answer["decision"] in ("deny", "fail")
    screen.files_changed = answer["decision"] == "done" and bool(answer["files"])
    if screen.json:
        return print_document(screen, "tool", int(failed), answer)
    (screen.error if failed else screen.print)(answer["output"])
    if options.preview and not failed:
        screen.print(f"Fingerprint: {answer['fingerprint']}")
    return int(failed)


async def _call(options: Namespace, arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has it
    root, _ = find_root(options)
    configured = configuration(options)
    profile = options.profile or "core"
    # Paths start at the root, as the tools of an agent say.
    with open_project(root, configuration=configured, for_session=True) as workspace:
        settings = configured.session_settings(root)
        if options.preview or options.approved is not None:
            settings["rules"] = list(_asking(Rules(configured.rules)))
        async with Session(workspace, profile=profile, reads=READS, actor="suture tool", **settings) as session:
            if options.preview:
                preview = await session.preview(options.tool, arguments)
                return _answer(preview.action, preview.result, preview.fingerprint)
            outcome = await session.start(options.tool, arguments)
            while isinstance(outcome, Pending):
                is_approved = options.approved is not None and outcome.fingerprint == options.approved
                answer = Answer.once() if is_approved else Answer.unreachable(_no_approval(options))
                outcome = await session.resume(outcome, answer)
            return _answer("fail" if outcome.is_error else "done", outcome)


def _asking(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Rules that allow no edit: the client asks its user, and what is written must be what that user was shown."""
    for rule in rules:
        if rule.action == "allow" and rule.permission in ("*", "edit"):
            if rule.permission == "*":
                yield rule
            yield Rule("edit", rule.glob, "ask")
        else:
            yield rule


def _no_approval(options: Namespace) -> str:
    if options.approved is None:
        return "the client has to show a preview and send its fingerprint back"
    return "the files have changed since they were shown"


def _answer(decision: str, result: Result, fingerprint: str = "") -> dict[str, Any]:
    files = [file["file"] for file in result.metadata.get("filediffs", ())]
    return {
        "decision": decision,
        "fingerprint": fingerprint,
        "title": result.title,
        "output": result.output,
        "files": files,
        "diff": result.metadata.get("shownDiff", ""),
        "problems": result.metadata.get("problems", []),
    }
