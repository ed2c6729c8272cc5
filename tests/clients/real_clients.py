"""Real clients in a scratch home and project, set up by `suture install`, with a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.clients.scripted_model import ScriptedModel, Step
from tests.shared.programs import BIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

APP = "def greet(name):\n    return 'Hi ' + name\n\n\nprint(greet('world'))\n"
OTHER = "A = 1\nB = 2\n"
#: How long a run of a client may take, in seconds. It is only reached if something is wrong.
PATIENCE = 120
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


class Place:
    """A project and a home for one run of a client."""

    def __init__(self, base: Path, client: RealClient) -> None:
        self.base, self.client = base, client
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

    def install(self, *options: str) -> None:
        """Set the client up, as a user does."""
        command = [str(BIN / "suture"), "install", self.client.name, "--yes", *options]
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def run(self, script: Sequence[Step], *words: str) -> Run:
        """Run the client to its end."""
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


_GEMINI = ("-m", "gemini-2.5-pro")
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
        ),
        RealClient(
            "codex",
            "codex",
            ("exec", "--skip-git-repo-check", "fix it"),
            ("exec", "--skip-git-repo-check", "--sandbox", "read-only", "fix it"),
            _codex,
            (WRONG_PATCH, RIGHT_PATCH),
            ("apply_patch",),
        ),
        RealClient("opencode", "opencode", ("run", "fix it"), ("run", "--agent", "plan", "fix it"), _opencode),
        RealClient(
            "gemini",
            "gemini",
            (*_GEMINI, "-p", "fix it"),
            (*_GEMINI, "--approval-mode", "plan", "-p", "fix it"),
            _gemini,
            (READ, REFUSED, HELLO, WRONG_PATCH._replace(arguments={"patchtext": PATCH})),
            ("replace", "write_file"),
        ),
        RealClient(
            "qwen",
            "qwen",
            ("-p", "fix it"),
            ("--approval-mode", "plan", "-p", "fix it"),
            _qwen,
            (READ, REFUSED, HELLO, WRONG_PATCH),
            ("edit", "write_file", "tool_search"),
        ),
    )
}


def wait_until(condition: Callable[[], bool]) -> None:
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


def end_clients(place: Place) -> None:
    """Kill what a client has left behind, such as Codex's daemon, but no server of Suture: it must end by itself."""
    servers = servers_in(place)
    for number in processes_in(place):
        if number not in servers:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
