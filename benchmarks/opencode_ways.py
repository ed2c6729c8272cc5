"""The two ways to make Suture the edit tool of OpenCode, side by side: files that override its tools, and a server.

    make test-clients TESTS=--collect-only    # installs OpenCode into build/clients
    SUTURE_CLIENTS=$PWD/build/clients python -m benchmarks.opencode_ways [RUNS]

Each way gets the same scripted tasks in turn, in a project and home of its own that has been used once. Times are those
between an answer of the model and the next request of the client, with the tool call in between; the baseline is
OpenCode's own edit tool in the same run.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.clients.real_clients import APP, CLIENTS, HELLO, OTHER, PROGRAMS, READ, REFUSED, Place, edit
from tests.clients.scripted_model import ScriptedModel, Step, offers_in
from tests.shared.programs import BIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

UNCHANGED = {"app.py": APP, "other.py": OTHER}
#: The tools for edits, by their plain names.
OURS = ("edit", "multiedit", "write", "apply_patch", "delete", "move", "read")
TASKS: dict[str, tuple[Step, ...]] = {
    "refused, then right": (READ, REFUSED, HELLO),
    "five edits and a new file": (
        READ,
        *[edit(f"{a!r} + name", f"{b!r} + name") for a, b in zip("ABCDE", "BCDEF", strict=True)],
        Step("write", {"filepath": "new.py", "content": "NEW = True\n"}),
    ),
}
SERVER = ["mcp", "--profile", "opencode", "--approve", "client", "--reads", "exact"]


class Outcome(NamedTuple):
    """One run: what the tools answered, the seconds of each call, and the definitions of the edit tools."""

    results: list[str]
    seconds: list[float]
    definitions: str
    all_definitions: str


def files_way(place: Place, permission: str) -> None:
    """What `suture install` writes."""
    place.install(*(["--headless"] if permission == "allow" else []))


def server_way(place: Place, permission: str) -> None:
    """The server, with OpenCode's own edit tools denied, and rules that keep plan mode read-only."""
    server = {"type": "local", "command": [str(BIN / "suture"), *SERVER], "enabled": True, "timeout": 30_000}
    own = dict.fromkeys(("edit", "write", "apply_patch", "read"), False)
    rules = {"suture_*": permission, "suture_read": "allow"}
    plan = {"permission": {"suture_*": "deny", "suture_read": "allow"}}
    settings = {"mcp": {"suture": server}, "tools": own, "permission": rules, "agent": {"plan": plan}}
    (place.root / "opencode.json").write_text(json.dumps(settings))


def own_way(place: Place, permission: str) -> None:
    """OpenCode's own tools, for comparison."""
    plan = {"permission": {"edit": "deny"}}
    (place.root / "opencode.json").write_text(json.dumps({"permission": {"edit": permission}, "agent": {"plan": plan}}))


WAYS: dict[str, Callable[[Place, str], None]] = {"own tools": own_way, "files": files_way, "server": server_way}


def run(place: Place, script: Sequence[Step], *words: str) -> Outcome:
    """Run OpenCode on a script."""
    for name, text in UNCHANGED.items():
        (place.root / name).write_text(text)
    (place.root / "new.py").unlink(missing_ok=True)
    if len(script) > len(TASKS["refused, then right"]):
        (place.root / "app.py").write_text(APP.replace("'Hi '", "'A'"))
    with ScriptedModel(script) as model:
        environment = {**place.environment, **place.client.prepare(place, model.port)}
        command = [str(PROGRAMS / "opencode"), "run", *words, "fix it"]
        subprocess.run(
            command, cwd=place.root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        times = model.arrivals
        tools: list[dict[str, Any]] = model.requests[0]["tools"] if model.requests else []
        ours = [tool for tool in tools if _plain_name(offers_in({"tools": [tool]})[0].name) in OURS]
        # The first answer takes a moment on purpose, and the client starts its servers meanwhile.
        seconds = [after - before for before, after in pairwise(times[1:])]
        return Outcome(model.results, seconds, json.dumps(ours), json.dumps(tools))


def _plain_name(name: str) -> str:
    return name.removeprefix("suture_").lower()


def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        places = {way: _place(Path(folder), way, "allow") for way in WAYS}
        for way, place in places.items():
            outcome = run(place, [READ])
            sizes = f"{len(outcome.definitions):,} characters for edits, {len(outcome.all_definitions):,} in all"
            print(f"{way:10} definitions of tools: {sizes}")
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        for task, script in TASKS.items():
            for way in [way for _ in range(runs) for way in WAYS]:
                outcome = run(places[way], script)
                seconds[way] += outcome.seconds
                changed = sorted(name for name, text in places[way].files().items() if UNCHANGED.get(name) != text)
                failed = sum(_is_failure(text) for text in outcome.results)
                print(f"{way:10} {task}: {len(outcome.results)} calls, {failed} failed, changed {changed}")
        baseline = statistics.median(seconds["own tools"])
        for way in WAYS:
            print(f"{way:10} a call takes {statistics.median(seconds[way]) / baseline:.2f} × own tools")
        for way, place in places.items():
            run(place, TASKS["refused, then right"], "--agent", "plan")
            print(f"{way:10} plan mode: {_state(place)}")
        for way, prepare in WAYS.items():
            place = _place(Path(folder), f"{way} asked", "ask", prepare)
            outcome = run(place, TASKS["refused, then right"])
            print(f"{way:10} asks, and nobody is there: {_state(place)}; {outcome.results[-1:]}")


def _is_failure(text: str) -> bool:
    return "No file was changed" in text or "rror" in text or "Could not find" in text


def _state(place: Place) -> str:
    return "nothing written" if place.files() == UNCHANGED else "WRITTEN"


def _place(folder: Path, name: str, permission: str, prepare: Callable[[Place, str], None] | None = None) -> Place:
    base = folder / name.replace(" ", "-")
    base.mkdir()
    place = Place(base, CLIENTS["opencode"])
    (prepare or WAYS[name])(place, permission)
    return place


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
