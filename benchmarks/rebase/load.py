"""Several agents at work on the same files, each in a process of its own: `python -m benchmarks.rebase.load`.

Each agent reads every file once, and then edits functions that no other agent edits, in files that all of them edit.
With `--repository` these are lines of real files, some lines apart. It
knows only what it was shown. If a call is refused, it reads the file again and repeats the call. All calls are counted.
In the end every edit must be in the files, once and in its place. With `--kill`, processes are killed at random moments
and started again with the id of their session; an agent that was killed can't know whether its last edit was made, so
it sends it again.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import random
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from suture import Session, Workspace

FILES = 4
#: How often an agent is killed after an edit.
KILLED = 0.1
#: Files of a repository that are edited: how many lines they have, so that each is read with one call.
FEWEST_LINES, MOST_LINES = 450, 1800
MOST_CHARACTERS = 60_000
#: Lines between two edits of a file of a repository, with the edited ones.
APART = 4
COMMENTS = {".py": "#", ".go": "//", ".js": "//", ".ts": "//", ".rs": "//", ".java": "//", ".c": "//", ".rb": "#"}


class Load(NamedTuple):
    """What the agents do: the files before and after, and the edits of each agent: a path, an old and a new string."""

    before: dict[str, str]
    after: dict[str, str]
    edits: list[list[tuple[str, str, str]]]


def function_name(agent: int, edit: int) -> str:
    return f"work_{edit:03}_{agent:02}"


def first_text(file: int, agents: int, edits: int) -> str:
    """A file with a function for each edit of each agent, those of different agents next to each other."""
    parts = [f'"""File {file}."""\n']
    for edit in range(file, edits, FILES):
        names = [function_name(agent, edit) for agent in range(agents)]
        parts += [f"\n\ndef {name}(value):\n    result = value\n    return result\n" for name in names]
    return "".join(parts)


def strings(agent: int, edit: int) -> tuple[str, str]:
    """The old and the new string of an edit."""
    head = f"def {function_name(agent, edit)}(value):\n    result = value"
    return f"{head}\n", f"{head} + {edit}  # by {agent}\n"


def generated_load(agents: int, edits: int) -> Load:
    """Edits of functions that were written for this."""
    before = {f"file{file}.py": first_text(file, agents, edits) for file in range(FILES)}
    plans = [[(f"file{e % FILES}.py", *strings(agent, e)) for e in range(edits)] for agent in range(agents)]
    return Load(before, _all_made(before, plans), plans)


def repository_load(repository: Path, agents: int, edits: int) -> Load:
    """Edits of lines in the longest files of a repository: a line is changed, or one is added before or after it.

    Raises:
        ValueError: it has too few long files.
    """
    names = _git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    found: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for name in names:
        if Path(name).suffix not in COMMENTS:
            continue
        text = _git(repository, "show", f"HEAD:{name}")
        if FEWEST_LINES <= text.count("\n") <= MOST_LINES and len(text) <= MOST_CHARACTERS:
            found[Path(name).name], texts[Path(name).name] = _places(text, Path(name).suffix), text
    chosen = sorted(found, key=lambda name: len(found[name]), reverse=True)[:FILES]
    needed = -(-agents * edits // FILES)
    if len(chosen) < FILES or min(len(found[name]) for name in chosen) < needed:
        counts = {name: len(found[name]) for name in chosen}
        message = f"expected {FILES} files with {needed} places each; found {counts}"
        raise ValueError(message)
    plans: list[list[tuple[str, str, str]]] = [[] for _ in range(agents)]
    for number in range(agents * edits):
        # Neighboring places belong to different agents.
        agent, edit = number % agents, number // agents
        name = chosen[edit % FILES]
        line = found[name][(edit // FILES) * agents + agent]
        plans[agent].append((name, *_edit_of(line, Path(name).suffix, agent, edit)))
    before = {name: texts[name] for name in chosen}
    return Load(before, _all_made(before, plans), plans)


def _places(text: str, suffix: str) -> list[str]:
    """Lines that occur once, each some lines below the one before, where a comment can stand at the end."""
    lines = text.split("\n")
    counts = Counter(line.strip() for line in lines)
    closed = _lines_of_texts(text) if suffix == ".py" else set()
    places: list[str] = []
    last = -APART
    for number, line in enumerate(lines):
        is_alone = counts[line.strip()] == 1 and text.count(line) == 1 and len(line.strip()) > 12
        if not is_alone or number < last + APART or line.rstrip().endswith(("\\", '"', "'")) or '"""' in line:
            continue
        goes_on = lines[number - 1].endswith("\\") if number else False
        if goes_on or number in closed:
            continue
        places.append(line)
        last = number
    return places


def _lines_of_texts(text: str) -> set[int]:
    """The lines of a Python file, from 0, that are part of a quoted text of several lines; all if it can't be read."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return set(range(text.count("\n") + 1))
    strings = [token for token in tokens if token.type == tokenize.STRING and token.start[0] < token.end[0]]
    return {line - 1 for token in strings for line in range(token.start[0], token.end[0] + 1)}


def _edit_of(line: str, suffix: str, agent: int, edit: int) -> tuple[str, str]:
    note = f"{COMMENTS[suffix]} {edit} by {agent}"
    indent = line[: len(line) - len(line.lstrip())]
    if edit % 3 == 0:
        return line, f"{line}  {note}"
    return (line, f"{line}\n{indent}{note}") if edit % 3 == 1 else (line, f"{indent}{note}\n{line}")


def _all_made(before: dict[str, str], plans: list[list[tuple[str, str, str]]]) -> dict[str, str]:
    """The files with all edits made. No edit changes the place of another, so any order gives the same."""
    after = dict(before)
    for path, old, new in [edit for plan in plans for edit in plan]:
        after[path] = after[path].replace(old, new, 1)
    return after


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


async def work(root: Path, state: Path, agent: int, edits: list[tuple[str, str, str]], first: int) -> None:
    """What one agent does, from an edit on; it prints a line for each call."""
    with Workspace(root, state_dir=state, durability="process", lock_timeout=60) as workspace:
        rules = [("edit", "*", "allow")]
        session = Session(workspace, id=f"agent{agent}", rules=rules, actor=f"agent {agent}")  # type: ignore[arg-type]
        async with session:
            for path in dict.fromkeys([path for path, _, _ in edits]) if first == 0 else ():
                await session.call("read", {"filePath": path})
                print("call", flush=True)
            for number, (path, old, new) in enumerate(edits[first:], first):
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
                print(f"done {number}", flush=True)


def start(folder: Path, agent: int, first: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.rebase.load", "--agent", str(agent), "--first", str(first)]
    command += ["--folder", str(folder)]
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


def run(
    folder: Path, agents: int, edits: int, *, kill: bool, seed: int = 1, repository: Path | None = None
) -> dict[str, object]:
    """Run all agents and count."""
    load = generated_load(agents, edits) if repository is None else repository_load(repository, agents, edits)
    (folder / "root").mkdir()
    (folder / "edits.json").write_text(json.dumps(load.edits))
    for path, text in load.before.items():
        (folder / "root" / path).write_bytes(text.encode("utf-8"))
    chosen = random.Random(seed)
    started = time.monotonic()
    running = {agent: start(folder, agent, 0) for agent in range(agents)}
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
                process = start(folder, agent, made)  # noqa: PLW2901 - the same agent
    lines = [line for spoken in said.values() for line in spoken]
    texts = {path: (folder / "root" / path).read_bytes().decode("utf-8") for path in load.before}
    return {
        "edits": agents * edits,
        "calls": lines.count("call"),
        "refused": sum(line.startswith("refused") for line in lines),
        "kills": kills,
        "right": texts == load.after,
        "lost": sum(new not in texts[path] for plan in load.edits for path, _, new in plan),
        "seconds": round(time.monotonic() - started, 1),
    }


def main() -> int:
    """Run the load, or one agent of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rebase.load", description=__doc__)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--edits", type=int, default=50, help="edits of each agent")
    parser.add_argument("--kill", action="store_true", help="kill processes, and start them again")
    parser.add_argument("--repository", type=Path, help="edit the longest files of this git repository")
    parser.add_argument("--agent", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.agent is not None:
        place = options.folder
        edits = json.loads((place / "edits.json").read_text())[options.agent]
        asyncio.run(work(place / "root", place / "state", options.agent, edits, options.first))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        counted = run(Path(folder), options.agents, options.edits, kill=options.kill, repository=options.repository)
    print(json.dumps(counted))
    return 0 if counted["right"] else 1


if __name__ == "__main__":
    sys.exit(main())
