"""Several agents at work on the same files, each in a process of its own: `python -m benchmarks.rebase.load`.

Each agent reads every file once, and then edits functions that no other agent edits, in files that all of them edit. It
knows only what it was shown. If a call is refused, it reads the file again and repeats the call. All calls are counted.
In the end every edit must be in the files, once and in its place. With `--kill`, processes are killed at random moments
and started again with the id of their session; an agent that was killed can't know whether its last edit was made, so
it sends it again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from suture import Session, Workspace

FILES = 4
#: How often an agent is killed after an edit.
KILLED = 0.1


def function_name(agent: int, edit: int) -> str:
    return f"work_{edit:03}_{agent:02}"


def first_text(file: int, agents: int, edits: int) -> str:
    """A file with a function for each edit of each agent, those of different agents next to each other."""
    parts = [f'"""File {file}."""\n']
    for edit in range(file, edits, FILES):
        names = [function_name(agent, edit) for agent in range(agents)]
        parts += [f"\n\ndef {name}(value):\n    result = value\n    return result\n" for name in names]
    return "".join(parts)


def last_text(file: int, agents: int, edits: int) -> str:
    """The same file with all edits made."""
    text = first_text(file, agents, edits)
    for edit in range(file, edits, FILES):
        for agent in range(agents):
            text = text.replace(*strings(agent, edit))
    return text


def strings(agent: int, edit: int) -> tuple[str, str]:
    """The old and the new string of an edit."""
    head = f"def {function_name(agent, edit)}(value):\n    result = value"
    return f"{head}\n", f"{head} + {edit}  # by {agent}\n"


async def work(root: Path, state: Path, agent: int, edits: int, first: int) -> None:
    """What one agent does, from an edit on; it prints a line for each call."""
    with Workspace(root, state_dir=state, durability="process", lock_timeout=60) as workspace:
        rules = [("edit", "*", "allow")]
        session = Session(workspace, id=f"agent{agent}", rules=rules, actor=f"agent {agent}")  # type: ignore[arg-type]
        async with session:
            for file in range(FILES if first == 0 else 0):
                await session.call("read", {"filePath": f"file{file}.py"})
                print("call", flush=True)
            for edit in range(first, edits):
                path = f"file{edit % FILES}.py"
                old, new = strings(agent, edit)
                while True:
                    arguments = {"filePath": path, "oldString": old, "newString": new}
                    result = await session.call("edit", arguments)
                    print("call", flush=True)
                    if not result.is_error or "already" in result.output:
                        break
                    print(f"refused {result.metadata['problems'][0]['code']}", flush=True)
                    print(result.output, file=sys.stderr, flush=True)
                    await session.call("read", {"filePath": path})
                    print("call", flush=True)
                print(f"done {edit}", flush=True)


def start(folder: Path, agent: int, edits: int, first: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.rebase.load", "--agent", str(agent), "--first", str(first)]
    command += ["--edits", str(edits), "--folder", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def listen(process: subprocess.Popen[str], chosen: random.Random | None) -> tuple[bool, list[str]]:
    """What an agent says until it ends or, if that is wanted, is killed."""
    lines: list[str] = []
    is_killed = False
    with process:
        for line in process.stdout or ():
            lines.append(line.strip())
            if chosen is not None and not is_killed and line.startswith("done") and chosen.random() < KILLED:
                process.kill()
                is_killed = True
    return is_killed, lines


def run(folder: Path, agents: int, edits: int, *, kill: bool, seed: int = 1) -> dict[str, object]:
    """Run all agents and count."""
    (folder / "root").mkdir()
    for file in range(FILES):
        (folder / "root" / f"file{file}.py").write_text(first_text(file, agents, edits))
    chosen = random.Random(seed)
    started = time.monotonic()
    running = {agent: start(folder, agent, edits, 0) for agent in range(agents)}
    said: dict[int, list[str]] = {agent: [] for agent in running}
    kills = 0
    for agent, process in running.items():
        done = False
        while not done:
            is_killed, lines = listen(process, chosen if kill else None)
            said[agent] += lines
            kills += is_killed
            done = process.returncode == 0
            if not done:
                made = sum(line.startswith("done") for line in said[agent])
                process = start(folder, agent, edits, made)  # noqa: PLW2901 - the same agent
    lines = [line for spoken in said.values() for line in spoken]
    texts = [(folder / "root" / f"file{file}.py").read_text() for file in range(FILES)]
    return {
        "edits": agents * edits,
        "calls": lines.count("call"),
        "refused": sum(line.startswith("refused") for line in lines),
        "kills": kills,
        "right": texts == [last_text(file, agents, edits) for file in range(FILES)],
        "lost": sum(strings(a, e)[1] not in texts[e % FILES] for a in range(agents) for e in range(edits)),
        "seconds": round(time.monotonic() - started, 1),
    }


def main() -> int:
    """Run the load, or one agent of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rebase.load", description=__doc__)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--edits", type=int, default=50, help="edits of each agent")
    parser.add_argument("--kill", action="store_true", help="kill processes, and start them again")
    parser.add_argument("--agent", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.agent is not None:
        place = options.folder
        asyncio.run(work(place / "root", place / "state", options.agent, options.edits, options.first))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        counted = run(Path(folder), options.agents, options.edits, kill=options.kill)
    print(json.dumps(counted))
    return 0 if counted["right"] else 1


if __name__ == "__main__":
    sys.exit(main())
