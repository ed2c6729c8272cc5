"""Whether a client is set up: its settings, the program that they name, and the server that it starts.

The settings of a project may come from somebody else, like every file of it. So a command that they name is started
only if it is this very program, or if the user has chosen it for this project with `suture install`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

from ..core.display import one_line, plural
from ..core.problems import SutureError
from ..core.value import Value
from ..state.trust import are_trusted
from .client_files import MARK, NAME, SettingsTextError, is_our_file
from .client_install import FileChanges, catalog_path, codex_version, command_mark, installation
from .client_program import find_program
from .client_table import CLIENTS
from .client_trust import is_distrusted
from .static_requests import HANDSHAKE_VERSIONS
from .yaml_text import BEGIN, END

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Literal, TypeGuard

    from ..core.outcome import Change
    from .client_files import ClientFile
    from .client_install import Installation

#: How long a server may take to list its tools and end, in seconds; a busy machine may take long for it.
START_TIMEOUT = 60.0
#: The variables that clients pass on to servers.
_PASSED_ON = ("HOME", "PATH", "LANG", "LC_ALL", "USER", "SHELL", "TERM", "TMPDIR", "SUTURE_STATE_DIR", "XDG_STATE_HOME")


class ClientFinding(Value):
    """The result of one check: ok, worth knowing, or wrong."""

    state: Literal["ok", "note", "wrong"]
    text: str


class ServerEntry(Value):
    """How the settings of a client start a server."""

    command: tuple[str, ...]
    #: The variables that it gets besides those that the client passes on.
    variables: Mapping[str, str] = {}


def check_client(name: str, root: str) -> Iterator[ClientFinding]:
    """Check the setup of a client in a project, or that of the user if the project has none."""
    title = CLIENTS[name].title
    for for_user in (False, True):
        if ("user" if for_user else "project") not in CLIENTS[name].scopes:
            continue
        again = " --user" * for_user
        setups = [
            installation(name, root, headless=headless, for_user=for_user, to_remove=True) for headless in (False, True)
        ]
        try:
            entry = _find_entry(setups[0])
        except SutureError as error:
            yield ClientFinding("wrong", error.problems[0].message)
            return
        except SettingsTextError as error:
            yield ClientFinding("wrong", f"{error}. Correct that file, then run: suture install {name}{again}")
            return
        if entry is not None:
            yield from _check_setup(setups, entry, root, for_user=for_user)
            return
    yield ClientFinding("wrong", f"{title} is not set up in {root}. Run: suture install {name}")


def _check_setup(
    setups: Sequence[Installation], entry: ServerEntry, root: str, *, for_user: bool
) -> Iterator[ClientFinding]:
    client, command = setups[0].client, entry.command
    again = f"Run: suture install {client.name}{' --user' if for_user else ''}"
    where = ", ".join([os.path.join(setups[0].root, file.path) for file in setups[0].files[:2]])
    yield ClientFinding("ok", f"{client.title} is set up in {where}")
    if not for_user and is_distrusted(client.name, root):
        ignored = f"{client.title} does not trust {root}, so it ignores these settings"
        yield ClientFinding("note", f"{ignored}. Start {client.program} there once, and trust the directory.")
    missing = [_missing(setup) for setup in setups]
    if all(missing):
        yield ClientFinding("note", f"{min(missing, key=len)} differs from what install writes. {again}")
    program = shutil.which(command[0])
    if program is None or (os.path.isabs(command[0]) and not os.access(command[0], os.X_OK)):
        yield ClientFinding("wrong", f"The program {command[0]} does not exist or can't be run. {again}")
        return
    if not for_user and not _is_this_program(command) and not are_trusted(setups[0].root, command_mark(command)):
        named = f"The settings of the project name another program, which was not started: {' '.join(command)}"
        yield ClientFinding("note", f"{named}. Unless you chose it, don't start the client. {again}")
        return
    if client.name == "codex":
        yield from _check_catalog(setups[0], again)
    if entry.variables and not for_user:
        # They can make any program run other code.
        names = ", ".join(map(one_line, entry.variables))
        yield ClientFinding("note", f"The settings of the project set {names} for the server, so it was not started.")
        return
    yield _start(entry, root) if "mcp" in command else ClientFinding("ok", f"its tools run {program}")


def _is_this_program(command: Sequence[str]) -> bool:
    """Whether a command starts this program, with any options of its server."""
    words = list(find_program())
    rest = list(command[len(words) :])
    return list(command[: len(words)]) == words and rest[:1] in ([], ["mcp"])


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
    chosen = re.compile(r'"?(command|args|model_catalog_json)"?\s*[:=]|const PROGRAM|"[^"]*",?$|[\]\[],?$')
    for line in [line for hunk in change.hunks for line in hunk.lines]:
        text = line[1:].strip()
        if line[0] in "+-" and text and not chosen.match(text):
            return True
    return False


def _find_entry(setup: Installation) -> ServerEntry | None:
    """How the client starts the server; None if it is not set up.

    Raises:
        SutureError: a file of it is not an ordinary one, or leads elsewhere.
        SettingsTextError: a file of it can't be read; the name of the file is a part of the words.
    """
    with FileChanges.to_install(setup) as changes:
        texts = [(file, changes.read(file.path)) for file in setup.files]
    # Settings that a client can't read are wrong, whichever file the command is in.
    settings = [_entry_in_settings(text, file) for file, text in texts if not file.is_whole]
    whole = [_entry_in_text(text) for file, text in texts if file.is_whole]
    return next((entry for entry in (*settings, *whole) if entry), None)


def _entry(program: object, arguments: object = (), variables: object = None) -> ServerEntry | None:
    """An entry with a program, its arguments and variables; None if they are something else.

    Variables that no process can be started with are left out.
    """
    if not program or not isinstance(arguments, list | tuple):
        return None
    command = [word for word in (program, *arguments) if _fits_process(word)]
    if len(command) < 1 + len(arguments):
        return None
    environment: dict[str, str] = {}
    for name, value in variables.items() if isinstance(variables, dict) else ():
        is_name = _fits_process(name) and name and "=" not in name
        if is_name and _fits_process(value):
            environment[name] = value
    return ServerEntry(tuple(command), environment)


def _fits_process(word: object) -> TypeGuard[str]:
    """Whether something can be an argument or a variable of a process."""
    return isinstance(word, str) and "\0" not in word


def _entry_in_text(text: str) -> ServerEntry | None:
    """The command in a file that is all ours: the program of OpenCode's tools, or the entry of Continue."""
    if MARK not in text.partition("\n")[0]:
        return None
    if program := re.search(r"^const PROGRAM = (\[.*\])$", text, re.MULTILINE):
        try:
            first, *rest = json.loads(program[1])
        except (ValueError, RecursionError):
            return None
        return _entry(first, rest)
    return _entry_in_yaml(text)


def _entry_in_yaml(text: str) -> ServerEntry | None:
    command = re.search(r"^ +command: (\".*\")\r?\n +args: (\[.*\])\r?$", text, re.MULTILINE)
    try:
        return _entry(json.loads(command[1]), json.loads(command[2])) if command else None
    except (ValueError, RecursionError):
        return None


def _entry_in_settings(text: str, file: ClientFile) -> ServerEntry | None:
    """The command of our server in the settings of a client, under whatever key they have servers; None without one."""
    if file.path.endswith(".yaml"):
        ours = text.partition(BEGIN)[2].partition(END)[0]
        return _entry_in_yaml(ours)
    try:
        content = file.settings_in(text) if text.strip() else {}
    except SettingsTextError as error:
        message = f"{file.path} {error}"
        raise SettingsTextError(message) from None
    for servers in content.values():
        server = servers.get(NAME) if isinstance(servers, dict) else None
        if not isinstance(server, dict):
            continue
        # Some clients have the command one level deeper.
        fields = server.get("transport", server)
        if not isinstance(fields, dict):
            continue
        entry = _entry(fields.get("command"), fields.get("args", []), fields.get("env"))
        if entry:
            return entry
    return None


def check_catalogs(root: str) -> Iterator[ClientFinding]:
    """A note for each catalog of models that Suture wrote for another Codex than the one that is installed."""
    for for_user in (False, True):
        setup = installation("codex", root, for_user=for_user, to_remove=True)
        try:
            catalog = _catalog_in_settings(setup)
        except (SutureError, SettingsTextError):
            # `--client codex` says what is wrong with them.
            continue
        version = codex_version() if is_our_file(catalog) else ""
        if version and not _is_catalog_of(catalog, version):
            yield ClientFinding("note", _stale_catalog(version, f"Run: suture install codex{' --user' * for_user}"))


def _check_catalog(setup: Installation, again: str) -> Iterator[ClientFinding]:
    """Whether the catalog of models fits the Codex that is installed."""
    version = codex_version()
    catalog = _catalog_in_settings(setup)
    if not version:
        yield ClientFinding("note", "codex is not on the PATH, so its catalog of models can't be checked")
    elif not catalog:
        yield ClientFinding("wrong", f"Codex still has its own apply_patch: there is no catalog of models. {again}")
    elif not _is_catalog_of(catalog, version):
        yield ClientFinding("wrong", _stale_catalog(version, again))
    else:
        yield ClientFinding("ok", f"the catalog of models is that of codex {version}")


def _catalog_in_settings(setup: Installation) -> object:
    """The path of the catalog of models that Codex's settings name; None without one."""
    [file] = setup.files
    with FileChanges.to_install(setup) as changes:
        text = changes.read(file.path)
    return file.settings_in(text).get("model_catalog_json")


def _is_catalog_of(catalog: object, version: str) -> bool:
    """Whether a path is that of the catalog for a version of Codex, and there is one."""
    return catalog == catalog_path(version) and os.path.exists(catalog_path(version))


def _stale_catalog(version: str, again: str) -> str:
    return f"The catalog of models is not that of codex {version}. {again}"


def _start(entry: ServerEntry, root: str) -> ClientFinding:
    """Start the server as the client does, and list its tools."""
    command = entry.command
    passed_on = {name: value for name, value in os.environ.items() if name in _PASSED_ON}
    environment = {**passed_on, **entry.variables}
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
        done = subprocess.run(  # noqa: S603 - this program, or the command of the user's own settings
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
        printed = [line for line in done.stderr.strip().splitlines() if not line.startswith("Try: ")]
        said = (printed or ["it said nothing"])[-1]
        return ClientFinding("wrong", f"The server does not list its tools (exit status {done.returncode}): {said}")
    tools_found = f"{len(tools)} {plural('tool', len(tools))}"
    return ClientFinding("ok", f"the server starts and lists {tools_found}, in {time.monotonic() - began:.1f} s")
