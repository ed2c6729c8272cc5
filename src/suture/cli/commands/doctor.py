"""`suture doctor`: checks the installation, the workspace, the language servers and permission rules."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress

from ... import __version__
from ...agent.diagnostics.server_table import SERVERS, find_program
from ...agent.rules import Rules
from ...core.display import plural, safe_text
from ...core.problems import SutureError
from ...core.readers import COMMAND
from ...core.value import Value
from ...mcp.client_check import check_catalogs, check_client
from ...state.database import set_aside
from ...state.state_folder import STORE, places
from ..inputs import open_workspace, read_text
from ..json_output import print_document
from ..progress import ProgressBar
from ..project_options import configuration, find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from ..screen import Screen


class Finding(Value):
    """The result of one check: ok, worth knowing, or wrong."""

    name: str
    state: Literal["ok", "note", "wrong"]
    text: str


_SIGNS = {"ok": ("ok   ", "green"), "note": ("note ", "yellow"), "wrong": ("WRONG", "red")}


def run(options: Namespace, screen: Screen) -> int:
    """Run all checks; the exit status is 1 if something is wrong."""
    with ProgressBar(screen, unit="commit"):
        findings = list(_findings(options))
    status = 1 if any(finding.state == "wrong" for finding in findings) else 0
    if screen.json:
        return print_document(screen, "doctor", status, {"findings": findings})
    for finding in findings:
        sign, style = _SIGNS[finding.state]
        screen.print(f"{screen.style(sign, style)} {finding.name:16} {safe_text(finding.text, 'message')}")
    screen.print(_summary(findings))
    return status


def _summary(findings: list[Finding]) -> str:
    names = ", ".join(dict.fromkeys([finding.name for finding in findings]))
    wrong = sum(finding.state == "wrong" for finding in findings)
    result = f"{wrong} {plural('problem', wrong)} found" if wrong else "everything is in order"
    return f"Checked {names}: {result}."


def _findings(options: Namespace) -> Iterator[Finding]:
    if options.client is not None:
        yield from _client(options)
        return
    yield Finding("suture", "ok", f"{__version__} (pure Python), Python {platform.python_version()}, {sys.platform}")
    yield from _configuration(options)
    yield from _workspace(options)
    yield from _servers()
    yield from _catalogs(options)
    if options.permissions:
        yield _rules(options.permissions)


def _catalogs(options: Namespace) -> Iterator[Finding]:
    try:
        root = find_root(options)[0]
    except SutureError:
        return  # `_workspace` reports it.
    for one in check_catalogs(root):
        yield Finding("codex", one.state, one.text)


def _client(options: Namespace) -> Iterator[Finding]:
    for finding in check_client(options.client, find_root(options)[0]):
        yield Finding(options.client, finding.state, finding.text)


def _configuration(options: Namespace) -> Iterator[Finding]:
    try:
        settings = configuration(options)
    except SutureError as error:
        for problem in error.problems:
            yield Finding("configuration", "wrong", problem.message)
        return
    yield Finding("configuration", "ok", ", ".join(settings.files) or "none, so the defaults are used")
    if settings.untrusted:
        text = f"not trusted, so left out: {', '.join(settings.untrusted)}. To trust the file: suture trust"
        yield Finding("configuration", "note", text)


def _workspace(options: Namespace) -> Iterator[Finding]:
    try:
        with open_workspace(options) as workspace:
            root = workspace.root
            if options.set_aside:
                yield from _set_aside(places(root, None))
            if os.access(root, os.W_OK):
                yield Finding("workspace", "ok", root)
            else:
                yield Finding("workspace", "wrong", f"{root} is not writable")
            outside, inside = places(root, None)
            stores = [folder for folder in (outside, inside) if os.path.lexists(f"{folder}/{STORE}")]
            for folder in stores:
                yield Finding("state directory", "ok", f"{folder}, {_size(f'{folder}/{STORE}') / 1e6:.1f} MB")
            if not stores:
                yield _missing_state(outside)
            for one in workspace.recover() if stores else ():
                yield Finding("repaired", "note", str(one))
            count = len(workspace.log(1000)) if stores else 0
            number = "1000 or more" if count == 1000 else str(count)
            yield Finding("history", "ok", f"{number} {plural('commit', count)}, nothing to repair")
    except SutureError as error:
        for problem in error.problems:
            yield Finding("workspace", "wrong", str(problem.told_to(COMMAND)).replace("\n", " "))


def _set_aside(folders: Iterable[str]) -> Iterator[Finding]:
    """Rename the store in each state directory that has one."""
    for folder in folders:
        if os.path.lexists(f"{folder}/{STORE}"):
            moved = set_aside(folder)
            yield Finding("set aside", "note", f"{folder}/{STORE} is now {moved[0]}; the history starts anew")


def _size(store: str) -> int:
    """The size of a store and its write-ahead log in bytes; another process can remove either at any time."""
    size = 0
    for file in (store, f"{store}-wal"):
        with suppress(FileNotFoundError):
            size += os.path.getsize(file)
    return size


def _missing_state(folder: str) -> Finding:
    log = f"{folder}/{STORE}-wal"
    if os.path.lexists(log):
        text = f"{folder}/{STORE} is missing, but its log exists. To start a new history, move {log} elsewhere."
        return Finding("state directory", "wrong", text)
    parent = folder
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if os.access(parent, os.W_OK):
        return Finding("state directory", "ok", f"{folder}, created with the first commit")
    text = f"{folder} cannot be created: {parent} is not writable. .suture in the workspace will be used instead."
    return Finding("state directory", "note", text)


def _servers() -> Iterator[Finding]:
    missing = []
    for server in SERVERS:
        program = find_program(server.command[0])
        if program:
            yield Finding("language server", "ok", f"{server.name}: {program}")
        else:
            missing.append(server.name)
    if missing:
        yield Finding("language server", "note", f"not installed: {', '.join(missing)}")


def _rules(name: str) -> Finding:
    try:
        rules = Rules.from_toml(read_text(name))
    except SutureError as error:
        return Finding("permissions", "wrong", error.problems[0].message)
    except ValueError as error:
        return Finding("permissions", "wrong", f"{name}: {error}")
    return Finding("permissions", "ok", f"{name}, {len(rules)} {plural('rule', len(rules))}")
