"""The clients, one row for each: what makes Suture the edit tool of that client.

A row says which files hold what, who approves an edit, and what is left to do by hand. What the rows know comes from
running the programs: `make test-clients` does it again. Rows without a version come from the client's documentation.
"""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

from ..agent.profiles import profile_named
from ..agent.tools import TOOLS
from ..core.value import Value
from .client_files import MARK, NAME, SCHEMA, ClientFile
from .opencode_tools import opencode_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: How long a client waits for the answer of a call, in seconds: a person may be asked meanwhile.
CALL_TIMEOUT = 600
#: How long the server waits for a person where the client waits for `CALL_TIMEOUT`.
APPROVAL_TIMEOUT = "570"
#: What the model is told if it edits in plan mode.
_PLAN_MODE = "This is plan mode: no file is written. Describe the change in the plan instead."


class Setup(Value):
    """How a client is set up."""

    #: The command line that starts Suture, without a subcommand, and the one that starts its server.
    program: tuple[str, ...]
    server: tuple[str, ...]
    #: Whether nobody sits at the terminal.
    headless: bool = False
    #: Whether the settings of the user are meant, instead of those of the project.
    for_user: bool = False
    #: The path of a catalog of models for Codex; empty without one.
    catalog: str = ""
    #: The profile of the server's tools.
    profile: str = "core"

    @property
    def entry(self) -> dict[str, Any]:
        """The server as most clients write it."""
        return {"command": self.server[0], "args": list(self.server[1:])}

    @property
    def writing_tools(self) -> list[str]:
        """The names of the server's tools that change files."""
        tools = profile_named(self.profile).tools
        return [theirs for ours, theirs in tools.items() if not TOOLS[ours].read_only]

    def file(self, path: str, user_path: str, content: Mapping[str, Any]) -> ClientFile:
        """A file of settings that has another path for the user than for a project."""
        return ClientFile(user_path if self.for_user else path, content)


class ClientRow(Value):
    """A client: its files, and who approves."""

    name: str
    title: str
    #: The name of its program; empty for an editor.
    program: str
    #: The files of a setup.
    files: Callable[[Setup], Sequence[ClientFile]]
    #: Options of `suture mcp` with a person at the terminal, and without one.
    options: Mapping[str, str]
    headless_options: Mapping[str, str]
    #: Who approves an edit, with a person and without one.
    approval: str
    headless_approval: str
    #: What is left to do by hand.
    by_hand: tuple[str, ...] = ()
    #: Whether it has settings of projects, and settings of the user.
    scopes: tuple[str, ...] = ("project", "user")
    #: The version that was run; empty if the row comes from the documentation.
    version: str = ""

    def __hash__(self) -> int:
        return hash(self.name)


def _plan_mode_hook(setup: Setup) -> dict[str, Any]:
    """A hook of Claude Code, which Qwen Code has too: in plan mode, it denies the tools of the server that write.

    The clients' own rules of plan mode are about their own edit tools, or are lifted by what allows ours.
    """
    decision = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": _PLAN_MODE,
    }
    deny = shlex.quote(json.dumps({"hookSpecificOutput": decision}))
    command = f'if grep -qE \'"permission_mode": *"plan"\'; then echo {deny}; fi'
    return {
        "matcher": f"mcp__{NAME}__({'|'.join(setup.writing_tools)})",
        "hooks": [{"type": "command", "command": command}],
    }


def _claude_code(setup: Setup) -> Sequence[ClientFile]:
    # Tools that are listed late are hidden behind a search, and the first request does not wait for them.
    server = {"type": "stdio", **setup.entry, "alwaysLoad": True}
    settings = {
        "permissions": {"allow": [f"mcp__{NAME}"], "deny": ["Edit", "Write", "NotebookEdit"]},
        "hooks": {"PreToolUse": [_plan_mode_hook(setup)]},
    }
    return (
        setup.file(".mcp.json", ".claude.json", {"mcpServers": {NAME: server}}),
        setup.file(".claude/settings.json", ".claude/settings.json", settings),
    )


def _codex(setup: Setup) -> Sequence[ClientFile]:
    server = {
        **setup.entry,
        # Without it, the first request does not wait for the server, and a server that fails is not reported.
        "required": True,
        "startup_timeout_sec": 30,
        "tool_timeout_sec": CALL_TIMEOUT,
        # The server asks by itself, with the whole diff, or nobody is there.
        "default_tools_approval_mode": "approve",
    }
    catalog = {"model_catalog_json": setup.catalog} if setup.catalog else {}
    content = {**catalog, "mcp_servers": {NAME: server}}
    return (ClientFile(".codex/config.toml", content),)


def _opencode(setup: Setup) -> Sequence[ClientFile]:
    folder = ".config/opencode" if setup.for_user else ".opencode"
    settings = f"{folder}/opencode.json" if setup.for_user else "opencode.json"
    # A rule for all agents would lift the one of the plan agent, which may write its plans alone.
    plan = {"permission": {"edit": {"*": "deny", ".opencode/plans/*.md": "allow"}}}
    content = {
        SCHEMA: "https://opencode.ai/config.json",
        "permission": {"edit": "allow" if setup.headless else "ask"},
        "agent": {"plan": plan},
    }
    return (
        ClientFile(settings, content, replaces=("permission.edit",)),
        *opencode_files(folder, setup.program),
    )


def _gemini(setup: Setup) -> Sequence[ClientFile]:
    server = {**setup.entry, "timeout": CALL_TIMEOUT * 1000, "trust": setup.headless}
    content: dict[str, Any] = {"mcpServers": {NAME: server}}
    if not setup.for_user:
        # Gemini CLI reads policies only from the user's directory, where they would hold for every project.
        content["tools"] = {"exclude": ["replace", "write_file"]}
        return (ClientFile(".gemini/settings.json", content),)
    policy = (
        f"# {MARK}\n"
        '[[rule]]\ntoolName = ["replace", "write_file"]\ndecision = "deny"\npriority = 200\n\n'
        f'[[rule]]\nmcpName = "{NAME}"\ntoolName = "read"\ndecision = "allow"\npriority = 200\n'
    )
    return (ClientFile(".gemini/settings.json", content), ClientFile(".gemini/policies/suture.toml", text=policy))


def _qwen(setup: Setup) -> Sequence[ClientFile]:
    server = {**setup.entry, "timeout": CALL_TIMEOUT * 1000}
    # Without tool_search, the tools of servers are listed at once.
    deny = ["edit", "write_file", "tool_search"]
    allow = [f"mcp__{NAME}" if setup.headless else f"mcp__{NAME}__read"]
    content = {
        "mcpServers": {NAME: server},
        "permissions": {"allow": allow, "deny": deny},
        "hooks": {"PreToolUse": [_plan_mode_hook(setup)]},
    }
    return (ClientFile(".qwen/settings.json", content),)


def _copilot(setup: Setup) -> Sequence[ClientFile]:
    server = {"type": "local", **setup.entry, "tools": ["*"]}
    return (ClientFile(".copilot/mcp-config.json", {"mcpServers": {NAME: server}}),)


def _cline(setup: Setup) -> Sequence[ClientFile]:
    server = {"transport": {"type": "stdio", **setup.entry}}
    folder = ".cline/data/settings"
    return (
        ClientFile(f"{folder}/cline_mcp_settings.json", {"mcpServers": {NAME: server}}),
        ClientFile(f"{folder}/global-settings.json", {"disabledTools": ["editor", "apply_patch"]}),
    )


def _continue(setup: Setup) -> Sequence[ClientFile]:
    head = {"name": "Suture", "version": "0.0.1", "schema": "v1"}
    if setup.for_user:
        # The command line reads these files alone.
        return (
            ClientFile(".continue/config.yaml", {**head, "mcpServers": [{"name": NAME, **setup.entry}]}),
            ClientFile(".continue/permissions.yaml", {"exclude": ["Edit", "MultiEdit", "Write"]}),
        )
    # Every JSON value is YAML too.
    arguments = json.dumps(list(setup.server[1:]))
    lines = [f"# {MARK}", *[f"{key}: {value}" for key, value in head.items()], "mcpServers:"]
    lines += [f"  - name: {NAME}", f"    command: {json.dumps(setup.server[0])}", f"    args: {arguments}", ""]
    return (ClientFile(".continue/mcpServers/suture.yaml", text="\n".join(lines)),)


def _cursor(setup: Setup) -> Sequence[ClientFile]:
    return (
        ClientFile(".cursor/mcp.json", {"mcpServers": {NAME: setup.entry}}),
        setup.file(".cursor/cli.json", ".cursor/cli-config.json", {"permissions": {"deny": ["Write(**)"]}}),
    )


def _zed(setup: Setup) -> Sequence[ClientFile]:
    content: dict[str, Any] = {"context_servers": {NAME: {**setup.entry, "env": {}}}}
    if setup.for_user:
        profile = {
            "name": "Suture",
            "tools": {"edit_file": False, "write_file": False, "read_file": True, "grep": True, "terminal": True},
            "enable_all_context_servers": True,
        }
        content["agent"] = {"profiles": {NAME: profile}}
    user_path = "AppData/Roaming/Zed/settings.json" if sys.platform == "win32" else ".config/zed/settings.json"
    return (setup.file(".zed/settings.json", user_path, content),)


def _vscode(setup: Setup) -> Sequence[ClientFile]:
    content = {"servers": {NAME: {"type": "stdio", **setup.entry}}}
    folders = {"darwin": "Library/Application Support", "win32": "AppData/Roaming"}
    user_path = f"{folders.get(sys.platform, '.config')}/Code/User/mcp.json"
    return (setup.file(".vscode/mcp.json", user_path, content),)


#: Who approves where the client does.
_CLIENT_ASKS = "{title} asks before each call."
_NOBODY = "Nobody is asked: every edit that fits is written. Your rules still hold."
#: Options for clients that ask by themselves, and whose own read tool stays. An edit has to fit exactly one place.
_CLIENT = {"approve": "client", "reads": "exact"}
_CORE = {"profile": "core", **_CLIENT}

CLIENTS: Mapping[str, ClientRow] = {
    client.name: client
    for client in (
        ClientRow(
            "claude-code",
            "Claude Code",
            "claude",
            _claude_code,
            {"profile": "claude", "approve": "elicit", "reads": "exact", "approval-timeout": APPROVAL_TIMEOUT},
            {"profile": "claude", **_CLIENT},
            "You do, in a form with the diff or in `suture review`. With `claude -p`, nobody does: use --headless.",
            _NOBODY,
            (
                "Start claude once in this project, trust the directory, and approve the server.",
                "Releases after 2.1.197 cut forms. There you are asked in `suture review`, so keep it open.",
            ),
            version="2.1.197",
        ),
        ClientRow(
            "codex",
            "Codex",
            "codex",
            _codex,
            {"profile": "codex", "approve": "elicit", "approval-timeout": APPROVAL_TIMEOUT},
            {"profile": "codex", "approve": "client"},
            "You do, in a form with the diff. With `codex exec` the form is declined: use --headless there.",
            _NOBODY,
            (
                "Start codex once in this project, and trust the directory.",
                "After an upgrade of Codex, run `suture install codex` again: it renews the catalog of models.",
            ),
            version="0.169.0",
        ),
        ClientRow(
            "opencode",
            "OpenCode",
            "opencode",
            _opencode,
            {},
            {},
            "You do, in OpenCode, with the diff. Its plan mode stays read-only.",
            _NOBODY + " OpenCode's plan mode stays read-only.",
            version="1.18.33",
        ),
        ClientRow(
            "gemini",
            "Gemini CLI",
            "gemini",
            _gemini,
            _CORE,
            _CORE,
            _CLIENT_ASKS,
            _NOBODY,
            (
                "Start gemini once in this project, and trust the directory.",
                "In a project, Gemini CLI warns that tools.exclude is deprecated; --user writes a policy instead.",
            ),
            version="0.61.0",
        ),
        ClientRow(
            "qwen",
            "Qwen Code",
            "qwen",
            _qwen,
            _CORE,
            _CORE,
            _CLIENT_ASKS + " Its plan mode stays read-only.",
            _NOBODY + " Its plan mode stays read-only.",
            ("In a project, newer versions (0.24) want an approval: run `qwen mcp approve suture` there.",),
            version="0.15.10",
        ),
        ClientRow(
            "copilot",
            "Copilot CLI",
            "copilot",
            _copilot,
            _CORE,
            _CORE,
            _CLIENT_ASKS,
            "The options of the run decide: start it with --allow-tool=suture.",
            (
                "Start copilot with --excluded-tools=apply_patch,edit,create, so that it has no other edit tools.",
                "In plan mode, start it without --allow-tool=suture: that mode does not keep servers from writing.",
            ),
            scopes=("user",),
            version="1.0.102",
        ),
        ClientRow(
            "cline",
            "Cline",
            "cline",
            _cline,
            _CORE,
            _CORE,
            "Nobody, unless Cline is started with --auto-approve false.",
            _NOBODY + " That includes plan mode.",
            ("Cline's plan mode does not keep servers from writing: use --auto-approve false there.",),
            scopes=("user",),
            version="3.0.65",
        ),
        ClientRow(
            "continue",
            "Continue",
            "cn",
            _continue,
            _CORE,
            _CORE,
            _CLIENT_ASKS + " It does not in its plan mode.",
            _NOBODY + " That includes plan mode.",
            (
                "The command line, cn, reads the settings of the user alone: use --user for it.",
                "Continue's plan mode does not keep servers from writing.",
            ),
            version="1.5.47",
        ),
        ClientRow(
            "cursor",
            "Cursor",
            "",
            _cursor,
            _CORE,
            _CORE,
            _CLIENT_ASKS,
            "The settings of Cursor decide.",
            ("In the editor, use a custom mode without the edit tools; the rule is for Cursor's command line.",),
        ),
        ClientRow(
            "zed",
            "Zed",
            "",
            _zed,
            _CORE,
            _CORE,
            _CLIENT_ASKS,
            "The settings of Zed decide.",
            ("Choose the profile Suture in the agent panel; `suture install zed --user` writes it.",),
        ),
        ClientRow(
            "vscode",
            "VS Code",
            "",
            _vscode,
            _CORE,
            _CORE,
            _CLIENT_ASKS,
            "The settings of VS Code decide.",
            ("In the tools picker of the chat, deselect the built-in edit tools.",),
        ),
    )
}


def arguments_of(options: Mapping[str, str]) -> list[str]:
    """Options as the words of a command line."""
    return [word for name, value in options.items() for word in (f"--{name}", value)]
