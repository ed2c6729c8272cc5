"""Whether a client is set up: its settings, the program that they name, and the server that it starts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

from ..core.problems import SutureError
from ..core.value import Value
from .client_files import MARK, NAME
from .client_install import FileChanges, catalog_path, codex_version, installation
from .client_table import CLIENTS
from .json_text import JsonTextError, parse_json_text
from .static_requests import HANDSHAKE_VERSIONS
from .toml_text import parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal

    from ..workspace.outcome import Change
    from .client_install import Installation

#: How long a server may take to list its tools, in seconds. Clients wait for less.
START_TIMEOUT = 10.0
#: The variables that clients pass on to servers.
_PASSED_ON = ("HOME", "PATH", "LANG", "LC_ALL", "USER", "SHELL", "TERM", "TMPDIR", "SUTURE_STATE_DIR", "XDG_STATE_HOME")


class ClientFinding(Value):
    """The result of one check: ok, worth knowing, or wrong."""

    state: Literal["ok", "note", "wrong"]
    text: str


def check_client(name: str, root: str) -> Iterator[ClientFinding]:
    """Check the setup of a client in a project, or that of the user if the project has none."""
    title = CLIENTS[name].title
    for for_user in (False, True):
        if ("user" if for_user else "project") not in CLIENTS[name].scopes:
            continue
        setups = [
            installation(name, root, headless=headless, for_user=for_user, to_remove=True) for headless in (False, True)
        ]
        command = _find_command(setups[0])
        if command is not None:
            yield from _check_setup(setups, command, root, for_user=for_user)
            return
    yield ClientFinding("wrong", f"{title} is not set up in {root}. Run: suture install {name}")


def _check_setup(
    setups: Sequence[Installation], command: Sequence[str], root: str, *, for_user: bool
) -> Iterator[ClientFinding]:
    client = setups[0].client
    again = f"Run: suture install {client.name}{' --user' * for_user}"
    where = ", ".join([os.path.join(setups[0].root, file.path) for file in setups[0].files[:2]])
    yield ClientFinding("ok", f"{client.title} is set up in {where}")
    missing = [_missing(setup) for setup in setups]
    if all(missing):
        yield ClientFinding("note", f"{min(missing, key=len)} differs from what install writes. {again}")
    program = shutil.which(command[0])
    if program is None or (os.path.isabs(command[0]) and not os.access(command[0], os.X_OK)):
        yield ClientFinding("wrong", f"The program {command[0]} does not exist or can't be run. {again}")
        return
    if client.name == "codex":
        yield from _check_catalog(setups[0], again)
    yield _start(command, root) if "mcp" in command else ClientFinding("ok", f"its tools run {program}")


def _missing(setup: Installation) -> str:
    """The first file that `install` would change; empty if there is none. Any catalog and any program will do."""
    with FileChanges.to_install(setup) as changes:
        try:
            plan = changes.plan()
        except SutureError as error:
            return error.problems[0].path or setup.files[0].path
    if plan is None:
        return ""
    changed = [change.path for change in plan.changes if _is_more_than_the_command(change)]
    return changed[0] if changed else ""


def _is_more_than_the_command(change: Change) -> bool:
    """Whether a change is of more than the program, its arguments and the catalog, which a user may choose."""
    lines = [line[1:].strip() for hunk in change.hunks for line in hunk.lines if line[0] in "+-"]
    chosen = re.compile(r'"?(command|args|model_catalog_json)"?\s*[:=]|const PROGRAM|"[^"]*",?$|[\]\[],?$')
    return any(line and not chosen.match(line) for line in lines)


def _find_command(setup: Installation) -> list[str] | None:
    """The command line that the client starts; None if it is not set up."""
    for file in setup.files:
        try:
            with open(os.path.join(setup.root, file.path), encoding="utf-8") as opened:
                text = opened.read()
        except (OSError, UnicodeDecodeError):
            continue
        found = _command_in_text(text) if file.is_whole else _command_in_settings(text, file.path)
        if found:
            return found
    return None


def _command_in_text(text: str) -> list[str] | None:
    """The command in a file that is all ours: the program of OpenCode's tools, or the entry of Continue."""
    if MARK not in text.partition("\n")[0]:
        return None
    if program := re.search(r"^const PROGRAM = (\[.*\])$", text, re.MULTILINE):
        return list(json.loads(program[1]))
    command = re.search(r"^ +command: (\".*\")\n +args: (\[.*\])$", text, re.MULTILINE)
    return [json.loads(command[1]), *json.loads(command[2])] if command else None


def _command_in_settings(text: str, path: str) -> list[str] | None:
    try:
        content = parse_toml(text) if path.endswith(".toml") else parse_json_text(text).value
    except (ValueError, JsonTextError):
        return None
    for value in content.values() if isinstance(content, dict) else ():
        entry = value.get(NAME) if isinstance(value, dict) else None
        entry = entry.get("transport", entry) if isinstance(entry, dict) else {}
        if isinstance(entry.get("command"), str):
            return [entry["command"], *entry.get("args", [])]
    return None


def _check_catalog(setup: Installation, again: str) -> Iterator[ClientFinding]:
    """Whether the catalog of models fits the Codex that is installed."""
    version = codex_version()
    with open(os.path.join(setup.root, setup.files[0].path), encoding="utf-8") as opened:
        catalog = parse_toml(opened.read()).get("model_catalog_json", "")
    if not version:
        yield ClientFinding("note", "codex is not on the PATH, so its catalog of models can't be checked")
    elif not catalog:
        yield ClientFinding("wrong", f"Codex still has its own apply_patch: there is no catalog of models. {again}")
    elif catalog != catalog_path(version) or not os.path.exists(catalog):
        yield ClientFinding("wrong", f"The catalog of models is not that of codex {version}. {again}")
    else:
        yield ClientFinding("ok", f"the catalog of models is that of codex {version}")


def _start(command: Sequence[str], root: str) -> ClientFinding:
    """Start the server as the client does, and list its tools."""
    environment = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    info = {"name": "suture doctor", "version": "1"}
    hello: dict[str, Any] = {"protocolVersion": HANDSHAKE_VERSIONS[-1], "capabilities": {}, "clientInfo": info}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - the command of the user's own settings
            list(command),
            cwd=root,
            env=environment,
            input=lines,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=START_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ClientFinding("wrong", f"The server did not end within {START_TIMEOUT:g} seconds: {' '.join(command)}")
    except OSError as error:
        return ClientFinding("wrong", f"The server can't be started: {error.strerror}: {' '.join(command)}")
    try:
        tools = json.loads(done.stdout.splitlines()[1])["result"]["tools"]
    except (ValueError, LookupError, TypeError):
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return ClientFinding("wrong", f"The server does not list its tools (exit status {done.returncode}): {said}")
    return ClientFinding("ok", f"the server starts and lists {len(tools)} tools, in {time.monotonic() - began:.1f} s")
