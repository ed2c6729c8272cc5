"""The table of language servers: which program checks which files, and how to ask it.

Plain data: users add entries, put their own first, or change ours with settings. Nothing here starts a program.
"""

from __future__ import annotations

import os
import shutil
import sys

from ...core.system import absolute_search_path
from ...core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    #: How a server is asked: by LSP requests, or by the commands of tsserver.
    Asks: TypeAlias = Literal["protocol", "tsserver"]


class Server(Value):
    """One language server.

    `languages` maps file extensions, or whole file names, to LSP language ids. Of the servers that share a `kind` only
    the first installed one is used; servers of different kinds run side by side. `needs` names programs without which
    the server would find nothing and call that clean; they must support `--version`. `settings` are sent when it asks
    for its configuration, `options` when it starts. A push counts after `settle` seconds without another one.
    """

    name: str
    command: tuple[str, ...]
    languages: Mapping[str, str]
    kind: str = ""
    needs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}
    asks: Asks = "protocol"
    settle: float = 0.25

    def language_of(self, path: str) -> str | None:
        """The language id of a file, or None if the server does not check it."""
        name = os.path.basename(path).lower()
        return self.languages.get(name) or self.languages.get(os.path.splitext(name)[1])


_PYTHON = {".py": "python", ".pyi": "python"}
_SCRIPT = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
_JSON = {".json": "json", ".jsonc": "jsonc", "tsconfig.json": "jsonc", "jsconfig.json": "jsonc"}

#: The built-in servers, with network schema catalogs switched off.
SERVERS: tuple[Server, ...] = (
    Server("basedpyright", ("basedpyright-langserver", "--stdio"), _PYTHON, kind="python types"),
    Server("pyright", ("pyright-langserver", "--stdio"), _PYTHON, kind="python types"),
    Server("ty", ("ty", "server"), _PYTHON, kind="python types"),
    Server("ruff", ("ruff", "server"), _PYTHON),
    # Its pushes name no version and are left out when nothing changes; only its commands are reliable.
    Server("typescript", ("typescript-language-server", "--stdio"), _SCRIPT, asks="tsserver"),
    Server(
        "json",
        ("vscode-json-language-server", "--stdio"),
        _JSON,
        options={"provideFormatter": False, "handledSchemaProtocols": ["file"]},
    ),
    Server(
        "yaml",
        ("yaml-language-server", "--stdio"),
        {".yaml": "yaml", ".yml": "yaml"},
        settle=0.1,
        settings={"yaml": {"validate": True, "schemaStore": {"enable": False}}, "redhat": {"telemetry": {}}},
    ),
    # Without ShellCheck every script would be clean.
    Server(
        "bash",
        ("bash-language-server", "start"),
        {".sh": "shellscript", ".bash": "shellscript"},
        needs=("shellcheck",),
    ),
)


def configure_servers(settings: Mapping[str, object], table: Iterable[Server] = SERVERS) -> tuple[Server, ...]:
    """A table changed by settings: a server's fields by its name, or False to remove it.

    New servers come first, so that they take precedence over built-in ones of the same kind.

    Raises:
        ValueError: a field is unknown or has the wrong type, or a new server has no command or languages.
    """
    servers = {server.name: server for server in table}
    new = []
    for name, fields in settings.items():
        if fields is False:
            servers.pop(name, None)
            continue
        values = _fields(name, fields)
        if name in servers:
            servers[name] = servers[name].replace(**values)
        elif "command" in values and "languages" in values:
            new.append(Server(name, **values))
        else:
            message = f"expected a command and languages for the language server {name}; found {sorted(values)}"
            raise ValueError(message)
    return (*new, *servers.values())


def _fields(name: str, fields: object) -> dict[str, Any]:
    if not isinstance(fields, dict):
        message = f"expected a table of fields, or false, for the language server {name}; found {fields!r}"
        raise ValueError(message)  # noqa: TRY004 - a setting of the user, like the others
    kinds: dict[str, type] = {"command": list, "needs": list, "languages": dict, "settings": dict, "options": dict}
    kinds |= {"kind": str, "asks": str, "settle": float}
    for field, value in fields.items():
        expected = kinds.get(field)
        if expected is None:
            message = f"expected one of {', '.join(kinds)} for the language server {name}; found {field}"
            raise ValueError(message)
        allowed = {list: (list, tuple), float: (int, float)}.get(expected, (expected,))
        if not isinstance(value, allowed):
            message = f"expected a {expected.__name__} as {field} of the language server {name}; found {value!r}"
            raise ValueError(message)  # noqa: TRY004 - see above
    return {field: tuple(value) if kinds[field] is list else value for field, value in fields.items()}


def find_program(name: str, folders: Sequence[str] = ()) -> str | None:
    """The path of a program: in these folders, next to the running Python, or on PATH.

    Folders of a workspace are searched only if they are named: an agent must not make us run what it can write.
    """
    if os.path.dirname(name) and not os.path.isabs(name):
        return None
    if os.path.isabs(name):
        return shutil.which(name)
    # For a bare name, Windows would first look in the directory that we are in.
    programs = [shutil.which(os.path.join(folder, name)) for folder in search_path(folders).split(os.pathsep)]
    return next(filter(None, programs), None)


def search_path(folders: Sequence[str] = ()) -> str:
    """The PATH on which programs are looked up; servers get the same one."""
    own = os.path.join(sys.prefix, "Scripts" if os.name == "nt" else "bin")
    return os.pathsep.join([*filter(os.path.isabs, (*folders, own)), absolute_search_path()])
