"""The table of language servers: which program speaks for which files, and how it wants to be asked.

It is plain data. Users add entries, put their own in front, or change ours by settings; nothing here starts anything.
"""

from __future__ import annotations

import os
import shutil
import sys

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    #: How a server is asked: as the protocol has it, or by the commands of TypeScript's own server.
    Asks: TypeAlias = Literal["protocol", "tsserver"]


class Server(Value):
    """One language server.

    `languages` has the endings of file names, or whole names, with the language's id in the protocol. Of servers that
    share a `kind` the first that is installed is used; those of different kinds are used side by side. `needs` are
    other programs without which the server would find nothing and call it clean; they must know `--version`.
    `settings` are given when it asks for its configuration, `options` when it starts. A server that pushes diagnostics
    is believed once it has been quiet for `settle` seconds.
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
        """The id of a file's language, or None where the server has nothing to say of it."""
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

#: The servers that are known, with catalogues on the network switched off.
SERVERS: tuple[Server, ...] = (
    Server("basedpyright", ("basedpyright-langserver", "--stdio"), _PYTHON, kind="python types"),
    Server("pyright", ("pyright-langserver", "--stdio"), _PYTHON, kind="python types"),
    Server("ty", ("ty", "server"), _PYTHON, kind="python types"),
    Server("ruff", ("ruff", "server"), _PYTHON),
    # It pushes nothing where there was nothing and is nothing, and names no version: only its commands tell.
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
    # Without ShellCheck it calls every script clean.
    Server(
        "bash",
        ("bash-language-server", "start"),
        {".sh": "shellscript", ".bash": "shellscript"},
        needs=("shellcheck",),
    ),
)


def with_settings(settings: Mapping[str, object], table: Iterable[Server] = SERVERS) -> tuple[Server, ...]:
    """A table changed by settings: the fields of a server by its name, or False to leave it out.

    New servers come first, so that one of a known kind is preferred to ours.

    Raises:
        ValueError: a server has a field that there is not, or no command or languages.
    """
    known = {server.name: server for server in table}
    fresh = []
    for name, fields in settings.items():
        if fields is False:
            known.pop(name, None)
            continue
        values = _fields(name, fields)
        if name in known:
            known[name] = known[name].replace(**values)
        elif "command" in values and "languages" in values:
            fresh.append(Server(name, **values))
        else:
            message = f"expected a command and languages for the language server {name}; found {sorted(values)}"
            raise ValueError(message)
    return (*fresh, *known.values())


def _fields(name: str, fields: object) -> dict[str, Any]:
    if not isinstance(fields, dict):
        message = f"expected a table of fields, or false, for the language server {name}; found {fields!r}"
        raise ValueError(message)  # noqa: TRY004 - a setting of the user, as the others
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
            raise ValueError(message)  # noqa: TRY004 - as above
    return {field: tuple(value) if kinds[field] is list else value for field, value in fields.items()}


def find_program(name: str, folders: Sequence[str] = ()) -> str | None:
    """The path of a program: in these folders, beside the running Python, or on the search path.

    Folders of a workspace are looked into only where they are named: what an agent may write, it must not make us run.
    """
    if os.path.dirname(name) and not os.path.isabs(name):
        return None
    return shutil.which(name, path=search_path(folders))


def search_path(folders: Sequence[str] = ()) -> str:
    """Where programs are looked for, as PATH has it. Servers get it too: what they need is found where we found it."""
    own = os.path.join(sys.prefix, "Scripts" if os.name == "nt" else "bin")
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in (*folders, own, *path) if os.path.isabs(folder))
