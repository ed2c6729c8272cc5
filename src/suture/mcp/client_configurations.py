"""What each client needs to start the server, as data, and how it is merged into the files of a project.

Merging adds and never replaces: a value that is there and different is an error, and a file that can't be read as plain
JSON or TOML is left alone. All files are written in one commit, which can be undone.
"""

from __future__ import annotations

import json
import sys

from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

#: Lists to which entries are added. Any other list is a value.
_SETS = ("allow", "deny", "exclude")


class ClientFile(Value):
    """A file of a client, relative to the project, and what has to be in it."""

    path: str
    content: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(self.path)

    @property
    def text(self) -> str:
        """The content as text."""
        return _toml(self.content) if self.path.endswith(".toml") else f"{_json(self.content)}\n"

    def merge_into(self, text: str) -> str:
        """The text of the file with the content added.

        Raises:
            PatchInvalidError: it can't be added without replacing or losing something.
        """
        if not text.strip():
            return self.text
        return self._merge_toml(text) if self.path.endswith(".toml") else self._merge_json(text)

    def _merge_json(self, text: str) -> str:
        try:
            before = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise self._fault("is not plain JSON", error) from None
        after = _merged(before, self.content, "", self._fault)
        if after == before:
            return text
        indents = [line[: len(line) - len(line.lstrip())] for line in text.splitlines() if line[:1] in ("\t", " ")]
        return json.dumps(after, indent=indents[0] if indents else 2, ensure_ascii=False) + "\n"

    def _merge_toml(self, text: str) -> str:
        import tomllib

        try:
            before = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise self._fault("is not valid TOML", error) from None
        after = _merged(before, self.content, "", self._fault)
        if after == before:
            return text
        joined = f"{text.rstrip()}\n\n{self.text}"
        try:
            is_same = tomllib.loads(joined) == after
        except tomllib.TOMLDecodeError:
            is_same = False
        if not is_same:
            raise self._fault("has the table already, or in a form that can't be extended")
        return joined

    def _fault(self, what: str, cause: Exception | None = None) -> PatchInvalidError:
        message = f"{self.path} {what}{f' ({cause})' if cause else ''}. Nothing was written."
        hint = "Add what `suture mcp --print-config` prints by hand."
        return PatchInvalidError([Problem("invalid_arguments", message, self.path, hint=hint)])


class ClientConfiguration(Value):
    """The files of a client, and what its user has to do besides."""

    files: tuple[ClientFile, ...]
    note: str = ""

    def merge(self, root: str) -> tuple[str, ...]:
        """Add what is missing to the files of a project, in one commit; returns the files that were changed.

        Raises:
            SutureError: something that is there would be replaced or lost, or a file can't be written.
        """
        from ..core.patch import Patch, WriteFile
        from ..workspace.workspace import Workspace

        paths = [file.path for file in self.files]
        with Workspace(root, lift=paths, actor="suture mcp") as workspace:
            changes, expected = [], {}
            for file in self.files:
                try:
                    found = workspace.read(file.path)
                    before, expected[file.path] = found.content.decode("utf-8"), found.sha256
                except UnicodeDecodeError as error:
                    message = f"{file.path} is not UTF-8. Nothing was written."
                    raise PatchInvalidError([Problem("encoding_error", message, file.path)]) from error
                except PatchRejectedError as error:
                    if error.problems[0].code != "not_found":
                        raise
                    before, expected[file.path] = "", ""
                after = file.merge_into(before)
                if after != before:
                    changes.append(WriteFile(file.path, after))
            if changes:
                workspace.apply(Patch(tuple(changes)), expected_sha256=expected)
        return tuple([change.path for change in changes])


def configuration_for(client: str, flags: Mapping[str, str], command: Sequence[str] = ()) -> ClientConfiguration:
    """What a client needs. `flags` are options of `suture mcp` that differ from the client's defaults."""
    defaults, build = CLIENTS[client]
    chosen = {**defaults, **flags}
    arguments = ["mcp", *[word for name, value in chosen.items() for word in (f"--{name}", value)]]
    program, *rest = command or _program()
    return build(program, [*rest, *arguments])


def _program() -> tuple[str, ...]:
    from shutil import which

    return ("suture",) if which("suture") else (sys.executable, "-m", "suture")


def _claude_code(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"command": program, "args": list(arguments)}
    rules = {"allow": ["mcp__suture"], "deny": ["Edit", "Write", "NotebookEdit"]}
    files = (
        ClientFile(".mcp.json", {"mcpServers": {"suture": server}}),
        ClientFile(".claude/settings.json", {"permissions": rules}),
    )
    return ClientConfiguration(files, "Claude Code does not ask for calls of suture, because the server asks itself.")


def _codex(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"command": program, "args": list(arguments), "tool_timeout_sec": 600}
    note = (
        "Codex reads this file in trusted projects. To keep its own tools from writing, set "
        'sandbox_mode = "read-only"; the server does not run in the sandbox.'
    )
    return ClientConfiguration((ClientFile(".codex/config.toml", {"mcp_servers": {"suture": server}}),), note)


def _cursor(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"command": program, "args": list(arguments)}
    files = (
        ClientFile(".cursor/mcp.json", {"mcpServers": {"suture": server}}),
        ClientFile(".cursor/cli.json", {"permissions": {"deny": ["Write(**)"]}}),
    )
    note = "cli.json is for Cursor's command line. In the editor, use a custom mode without the edit tools."
    return ClientConfiguration(files, note)


def _zed(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"command": program, "args": list(arguments), "env": {}}
    profile = {"name": "Suture", "tools": {"edit_file": False}, "enable_all_context_servers": True}
    note = (
        "To switch off the built-in edit tool, add a profile to your own settings and choose it: "
        f"{json.dumps({'agent': {'profiles': {'suture': profile}}})}"
    )
    return ClientConfiguration((ClientFile(".zed/settings.json", {"context_servers": {"suture": server}}),), note)


def _vscode(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"type": "stdio", "command": program, "args": list(arguments)}
    note = "In the tools picker of the chat, deselect the built-in edit tools."
    return ClientConfiguration((ClientFile(".vscode/mcp.json", {"servers": {"suture": server}}),), note)


def _opencode(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"type": "local", "command": [program, *arguments], "enabled": True}
    content = {
        "$schema": "https://opencode.ai/config.json",
        "mcp": {"suture": server},
        "permission": {"edit": "deny"},
    }
    return ClientConfiguration((ClientFile("opencode.json", content),))


def _gemini(program: str, arguments: Sequence[str]) -> ClientConfiguration:
    server = {"command": program, "args": list(arguments), "timeout": 600_000}
    content = {"mcpServers": {"suture": server}, "tools": {"exclude": ["replace", "write_file"]}}
    return ClientConfiguration((ClientFile(".gemini/settings.json", content),))


#: The clients: the options that fit each best, and its files. A client that can't show forms asks by itself.
CLIENTS: Mapping[str, tuple[Mapping[str, str], Callable[[str, Sequence[str]], ClientConfiguration]]] = {
    "claude-code": ({"profile": "claude", "approve": "elicit"}, _claude_code),
    "codex": ({"profile": "codex", "approve": "client"}, _codex),
    "cursor": ({"profile": "core", "approve": "client"}, _cursor),
    "zed": ({"profile": "core", "approve": "client"}, _zed),
    "vscode": ({"profile": "core", "approve": "client"}, _vscode),
    "opencode": ({"profile": "opencode", "approve": "client"}, _opencode),
    "gemini": ({"profile": "core", "approve": "client"}, _gemini),
}


def _merged(before: object, added: object, where: str, fault: Callable[[str], PatchInvalidError]) -> Any:
    """A value with another one added to it."""
    if isinstance(before, dict) and isinstance(added, dict):
        merged = dict(before)
        for key, value in added.items():
            inner = f"{where}.{key}".lstrip(".")
            merged[key] = _merged(before[key], value, inner, fault) if key in before else value
        return merged
    if isinstance(before, list) and isinstance(added, list) and where.rpartition(".")[2] in _SETS:
        return [*before, *[one for one in added if one not in before]]
    if before != added:
        shown = json.dumps(before, default=str)[:200]
        message = f"has another value at {where}: {shown}"
        raise fault(message)
    return before


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        message = "a key occurs twice"
        raise ValueError(message)
    return found


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False)


def _toml(content: Mapping[str, Any]) -> str:
    """Tables of plain values. TOML's strings, numbers and lists of strings are written as in JSON."""
    lines = []
    for outer, tables in content.items():
        for name, table in tables.items():
            lines.append(f"[{outer}.{name}]")
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"
