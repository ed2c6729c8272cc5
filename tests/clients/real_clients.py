"""Real clients in a scratch home and project, set up by `suture install`, with a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.clients.scripted_model import ScriptedModel, Step
from tests.shared.programs import BIN

from suture.mcp.client_table import APPROVAL_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

APP = "def greet(name):\n    return 'Hi ' + name\n\n\nprint(greet('world'))\n"
OTHER = "A = 1\nB = 2\n"
UNCHANGED = {"app.py": APP, "other.py": OTHER}
#: How long a run of a client may take, in seconds. It is only reached if something is wrong.
PATIENCE = 400
#: How often a client is started if its server is not there when it begins.
ATTEMPTS = 3
PROGRAMS = Path(os.environ.get("SUTURE_CLIENTS", "")) / "node_modules" / ".bin"

PATCH = """*** Begin Patch
*** Update File: app.py
@@
-    return 'Hello ' + name
+    return 'Good day, ' + name
*** Update File: other.py
@@
-A = 1
+A = 10
*** Add File: new.py
+NEW = True
*** End Patch
"""


def edit(old: str, new: str) -> Step:
    return Step("edit", {"filepath": "app.py", "oldstring": old, "newstring": new})


READ = Step("read", {"filepath": "app.py"})
REFUSED = edit("'Ho ' * 7", "'Hello '")
HELLO = edit("'Hi '", "'Hello '")
WRONG_PATCH = Step("apply_patch", {"patchtext": PATCH})
RIGHT_PATCH = Step("apply_patch", {"patchtext": PATCH.replace("Hello", "Hi", 1)})


class RealClient(NamedTuple):
    """How a client is run without a person, where its model is, and how it is told to trust the project."""

    name: str
    program: str
    #: The words after the program, for a task and for the same in plan mode; and the variables that it needs.
    task: tuple[str, ...]
    plan: tuple[str, ...]
    prepare: Callable[[Place, int], dict[str, str]]
    #: What the model does: a refused edit, then a right one. Not every client has every tool.
    script: tuple[Step, ...] = (READ, REFUSED, HELLO)
    #: Its own edit tools, which must not be listed.
    own_tools: tuple[str, ...] = ()
    #: Options of `suture install` that it needs.
    options: tuple[str, ...] = ()
    #: The words after the program if somebody has to be asked; the same as for a task, unless these allow everything.
    asking: tuple[str, ...] = ()
    #: The words after the program on a terminal, for a task and for plan mode; empty where it is not run so.
    terminal: tuple[str, ...] = ()
    terminal_plan: tuple[str, ...] = ()
    #: The task, if it is typed there once the server has listed its tools: a client that is started with a task does
    #: not wait for servers.
    typed: str = ""
    #: The words after the program that approve the server by hand; versions that need no approval do not know them.
    approving: tuple[str, ...] = ()


class Place:
    """A project and a home for one run of a client."""

    def __init__(self, base: Path, client: RealClient) -> None:
        if not (PROGRAMS / client.program).exists():
            pytest.skip(f"npm could not install {client.name}")
        self.base, self.client = base, client
        #: Whether the client may install packages of its own.
        self.has_registry = False
        self.home, self.root = base / "home", base / "project"
        self.home.mkdir()
        self.root.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        (self.root / "app.py").write_text(APP)
        (self.root / "other.py").write_text(OTHER)
        self.environment = {
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
        }
        #: Not every client passes variables on, so the state is where it is by default.
        self.state = self.home / ".local" / "state" / "suture"

    @contextmanager
    def started(self, script: Sequence[Step]) -> Iterator[tuple[subprocess.Popen[bytes], ScriptedModel]]:
        """The client while it runs by itself; what is left of it at the end is killed."""
        for attempt in range(ATTEMPTS):
            with ScriptedModel(script) as model, self._process(model.port) as client:
                wait_until(lambda: model.offered or client.poll() is not None)
                if self.has_tools(model.offered) or attempt == ATTEMPTS - 1:
                    yield client, model
                    return

    @contextmanager
    def _process(self, port: int) -> Iterator[subprocess.Popen[bytes]]:
        client = subprocess.Popen(
            [str(PROGRAMS / self.client.program), *self.client.task],
            cwd=self.root,
            env={**self.environment, **self.client.prepare(self, port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield client
        finally:
            client.kill()
            client.wait(PATIENCE)

    def has_tools(self, offered: Sequence[str]) -> bool:
        """Whether the model was offered the tools of the server; OpenCode has none, and Continue names no server.

        A client waits only so long for its servers. On a busy machine that may be too short, and the run says nothing.
        """
        return self.client.name == "opencode" or any("suture" in tool or tool == "multiedit" for tool in offered)

    def install(self, *options: str) -> None:
        """Set the client up, as a user does."""
        command = [str(BIN / "suture"), "install", self.client.name, "--yes", *self.client.options, *options]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if self.client.approving:
            subprocess.run(
                [str(PROGRAMS / self.client.program), *self.client.approving],
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )

    def shorten_approvals(self, seconds: str) -> None:
        """Let a call of Claude Code wait only so long for an approval."""
        settings = self.root / ".mcp.json"
        if settings.exists():
            settings.write_text(settings.read_text().replace(f'"{APPROVAL_TIMEOUT}"', f'"{seconds}"'))

    def run(self, script: Sequence[Step], *words: str) -> Run:
        """Run the client to its end, and again if its server was not there when it began."""
        for _ in range(ATTEMPTS):
            run = self._run(script, *words)
            if self.has_tools(run.offered):
                break
        return run

    def _run(self, script: Sequence[Step], *words: str) -> Run:
        with ScriptedModel(script) as model:
            done = subprocess.run(
                [str(PROGRAMS / self.client.program), *(words or self.client.task)],
                cwd=self.root,
                env={**self.environment, **self.client.prepare(self, model.port)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            return Run(model.results, model.offered, done.stdout + done.stderr)

    def edit_with_suture(self) -> None:
        """Make an edit on the command line, which waits for no lock that somebody has left behind."""
        command = [str(BIN / "suture"), "edit", "app.py", "--old", "'Hi '", "--new", "'Hello '"]
        subprocess.run(command, cwd=self.root, env=self.environment, check=True, timeout=PATIENCE)
        assert self.files() == {**UNCHANGED, "app.py": APP.replace("'Hi '", "'Hello '")}

    def files(self) -> dict[str, str]:
        """The files of the project that the model may change."""
        names = ("app.py", "other.py", "new.py")
        return {name: (self.root / name).read_text() for name in names if (self.root / name).exists()}

    def write(self, path: str, content: str | dict[str, Any]) -> None:
        """Write a file in the home."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))


class Run(NamedTuple):
    """What came of a run: what the tools answered, which tools were listed first, and what was printed."""

    results: list[str]
    offered: list[str]
    output: str


def _claude_code(place: Place, port: int) -> dict[str, str]:
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    project |= {"enabledMcpjsonServers": ["suture"]}  # type: ignore[dict-item]
    settings = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {str(place.root): project}}
    place.write(".claude.json", {**settings, "customApiKeyResponses": {"approved": ["sk-scripted"], "rejected": []}})
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "sk-scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # How long its first request waits for a server. Five seconds, which it waits otherwise, may be too short here.
        "MCP_CONNECT_TIMEOUT_MS": str(PATIENCE * 1000),
    }


def _codex(place: Place, port: int) -> dict[str, str]:
    place.write(
        ".codex/config.toml",
        f'model = "gpt-5.5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
        f'wire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n[projects."{place.root}"]\ntrust_level = "trusted"\n',
    )
    return {"SCRIPTED_KEY": "x"}


def _opencode(place: Place, port: int) -> dict[str, str]:
    models = {"scripted": {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 10_000}}}
    models["gpt-5"] = models["scripted"]
    options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models}
    name = "scripted/scripted"
    settings = {"model": name, "small_model": name, "autoupdate": False, "share": "disabled"}
    place.write(".config/opencode/opencode.json", {**settings, "provider": {"scripted": provider}})
    if not place.has_registry:
        place.write(".npmrc", "registry=http://127.0.0.1:9\nfetch-retries=0\n")
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _gemini(place: Place, port: int) -> dict[str, str]:
    place.write(".gemini/trustedFolders.json", {str(place.root): "TRUST_FOLDER"})
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": True}}
    general = {"disableAutoUpdate": True, "disableUpdateNag": True}
    privacy = {"usageStatisticsEnabled": False}
    place.write(".gemini/settings.json", {"security": security, "general": general, "privacy": privacy})
    return {"GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}", "GEMINI_API_KEY": "x"}


def _qwen(place: Place, port: int) -> dict[str, str]:
    place.write(".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}}})
    return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "scripted"}


def _copilot(place: Place, port: int) -> dict[str, str]:
    place.write(".copilot/config.json", {"trustedFolders": [str(place.root)]})
    provider = {"BASE_URL": f"http://127.0.0.1:{port}/v1", "API_KEY": "x"}
    return {
        **{f"COPILOT_PROVIDER_{name}": value for name, value in provider.items()},
        "COPILOT_MODEL": "scripted",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _cline(place: Place, port: int) -> dict[str, str]:
    name = "openai-compatible"
    settings = {"provider": name, "apiKey": "x", "model": "scripted", "baseUrl": f"http://127.0.0.1:{port}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    content = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": {name: provider}}
    place.write(".cline/data/settings/providers.json", content)
    return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


def _continue(place: Place, port: int) -> dict[str, str]:
    lines = ["name: scripted", "version: 0.0.1", "schema: v1", "models:", "  - name: scripted", "    provider: openai"]
    lines += ["    model: gpt-4.1", f"    apiBase: http://127.0.0.1:{port}/v1", "    apiKey: x", "    roles: [chat]"]
    file = place.home / ".continue/config.yaml"
    before = file.read_text() if file.exists() else ""
    # The client may be started again.
    entry = before.partition("    roles: [chat]\n")[2] or before.partition("schema: v1\n")[2]
    place.write(".continue/config.yaml", "\n".join([*lines, entry]))
    return {"CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_CLI_ENABLE_TELEMETRY": "0"}


_GEMINI = ("-m", "gemini-2.5-pro")
_COPILOT = "--excluded-tools=apply_patch,edit,create"
CLIENTS = {
    client.name: client
    for client in (
        RealClient(
            "claude-code",
            "claude",
            ("-p", "fix it"),
            ("-p", "fix it", "--permission-mode", "plan"),
            _claude_code,
            own_tools=("Edit", "Write", "NotebookEdit"),
            terminal_plan=("--permission-mode", "plan"),
            typed="fix it",
        ),
        RealClient(
            "codex",
            "codex",
            ("exec", "--skip-git-repo-check", "fix it"),
            ("exec", "--skip-git-repo-check", "--sandbox", "read-only", "fix it"),
            _codex,
            (WRONG_PATCH, RIGHT_PATCH),
            ("apply_patch",),
            terminal=("fix it",),
            terminal_plan=("--sandbox", "read-only", "fix it"),
        ),
        RealClient(
            "opencode",
            "opencode",
            ("run", "fix it"),
            ("run", "--agent", "plan", "fix it"),
            _opencode,
            terminal=("--prompt", "fix it"),
            terminal_plan=("--agent", "plan", "--prompt", "fix it"),
        ),
        RealClient(
            "gemini",
            "gemini",
            (*_GEMINI, "-p", "fix it"),
            (*_GEMINI, "--approval-mode", "plan", "-p", "fix it"),
            _gemini,
            (READ, REFUSED, HELLO, WRONG_PATCH._replace(arguments={"patchtext": PATCH})),
            ("replace", "write_file"),
            terminal=(*_GEMINI, "-i", "fix it"),
            terminal_plan=(*_GEMINI, "--approval-mode", "plan", "-i", "fix it"),
        ),
        RealClient(
            "qwen",
            "qwen",
            ("-p", "fix it"),
            ("--approval-mode", "plan", "-p", "fix it"),
            _qwen,
            (READ, REFUSED, HELLO, WRONG_PATCH),
            ("edit", "write_file", "tool_search"),
            approving=("mcp", "approve", "suture"),
        ),
        RealClient(
            "copilot",
            "copilot",
            ("--allow-tool=suture", _COPILOT, "-p", "fix it"),
            ("--allow-tool=suture", _COPILOT, "--plan", "-p", "fix it"),
            _copilot,
            (READ, REFUSED, HELLO, WRONG_PATCH),
            ("edit", "create", "apply_patch"),
            ("--user",),
            (_COPILOT, "-p", "fix it"),
        ),
        RealClient(
            "cline",
            "cline",
            ("fix it",),
            ("--plan", "fix it"),
            _cline,
            (READ, REFUSED, HELLO, WRONG_PATCH),
            ("editor", "apply_patch"),
            options=("--user",),
            asking=("--auto-approve", "false", "fix it"),
        ),
        RealClient(
            "continue",
            "cn",
            ("-p", "fix it"),
            ("--readonly", "-p", "fix it"),
            _continue,
            (READ, REFUSED, HELLO, WRONG_PATCH),
            ("Edit", "MultiEdit", "Write"),
            ("--user",),
        ),
    )
}


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.05)


def processes_in(place: Place) -> dict[int, list[bytes]]:
    """The command lines of the processes that run with the home of a place."""
    mark = f"HOME={place.home}".encode()
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        # A process may end at any time.
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "cmdline").read_bytes().split(b"\0")
    return found


def servers_in(place: Place) -> list[int]:
    """Those of them that are servers of Suture."""
    return [
        number
        for number, command in processes_in(place).items()
        if b"mcp" in command and any(word.endswith(b"/suture") for word in command)
    ]


def has_listed_tools(place: Place) -> bool:
    """Whether a server of Suture has listed its tools: then it begins to read and write in threads."""
    with suppress(OSError):
        return any(len(list(Path(f"/proc/{number}/task").iterdir())) > 1 for number in servers_in(place))
    return False


def end_clients(place: Place) -> None:
    """Kill what a client has left behind, such as Codex's daemon, but no server of Suture: it must end by itself."""
    servers = servers_in(place)
    for number in processes_in(place):
        if number not in servers:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
