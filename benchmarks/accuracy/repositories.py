"""Real changes from git: the text files that the commits of a repository changed, before and after.

Any repository will do, a bare one too; nothing of it is run, and nothing is fetched. Half of the hunks are bare;
in the others the line that opens the block follows `@@`. The names in `SETS` say on which repositories rules are chosen
and on which figures are reported.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from .corpus import MAX_BYTES, SKIPPED, Change, split_up
from .spoil_headers import enclosing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Repositories by name: rules and limits are chosen on `tune`; figures are reported on `report`, whose cases nobody
#: looks into before that. Those of `seen` were for reporting until single cases of theirs were looked into.
SETS: dict[str, tuple[str, ...]] = {
    "tune": (
        "oh-my-posh", "cipher-box", "dotfiles", "agentv", "context-evaluator", "dhc-dashboard", "StarCar", "reglint",
        "strato", "leeson", "vscode-copilot-chat", "bestcodes.dev", "safecast-map-MCP", "sve-website", "requests",
        "ripgrep", "express", "sinatra", "gson", "pinia",
    ),
    "seen": (
        "flask", "gin", "hiredis", "Slim", "okio", "pandoc", "phoenix", "terraform-aws-vpc", "mojo",
        "html5-boilerplate", "ring", "stdlib", "ansible-role-docker", "http",
    ),
    "report": ("nlohmann/json", "serde-rs/json", "Alamofire", "zod", "httpx", "luarocks", "MediatR", "bats-core"),
    "families, tune": (
        "gorilla/websocket", "mini-redis", "koa", "kotlinpoet", "sds", "werkzeug", "markupsafe", "animate.css",
        "starter-workflows", "mdBook", "devise", "monolog", "SnapKit", "guice", "nvm", "immer", "kubernetes/examples",
    ),
    "families, report": (
        "starlette", "labstack/echo", "sidekiq", "xsv", "fastify", "mockito", "linenoise", "attrs", "ejs",
        "home-assistant/actions", "awesome-compose", "koin", "vapor", "guzzle", "bulma", "normalize.css",
        "rust-by-example", "ohmyzsh",
    ),
}  # fmt: skip
KINDS = frozenset(
    "astro bash c cc cfg clj cpp cs css dart ex exs f90 fish fypp go gradle h hpp hs html ini java jl js json jsx "
    "kt kts lua md mjs ml nix php pl pm proto ps1 py pyi r rb rs rst sass scala scss sh sql svelte swift tf toml "
    "ts tsx txt vue xml yaml yml zig zsh".split()
)
#: At most so many commits are looked at, so many changes of one path and files of one kind taken, so many changes kept.
COMMITS = 6_000
CHANGES_OF_A_PATH = 3
FILES_OF_A_KIND = 150
CHANGES_OF_A_REPOSITORY = 800
#: One changed file in a commit: the commit, the blobs before and after, and the path.
CHANGED = re.compile(rb":\d+ 100\d+ ([0-9a-f]{40,}) ([0-9a-f]{40,}) M\0([^\0]*)\0|([0-9a-f]{40,})(?:\0|$)")


def name_of(path: Path) -> str:
    """The name of the repository at a path: its folder, or `NAME` of `OWNER+NAME/repo` and `NAME/.git`."""
    folder = path.resolve()
    if folder.name in {"repo", ".git"}:
        folder = folder.parent
    return folder.name.rpartition("+")[2].removesuffix(".git")


def listed(file: Path, name: str) -> list[Path]:
    """The repositories of a set in a file with the name of a set and a path on each line."""
    rows = [line.split(maxsplit=1) for line in file.read_text("utf-8").splitlines()]
    return [Path(row[1]) for row in rows if row[:1] == [name]]


def load(paths: Iterable[Path], factor: int = 1) -> list[Change]:
    """Changes of all the repositories, in a fixed order that mixes them; more than usual with a factor.

    Raises:
        OSError: There is no git repository at a path.
    """
    changes = [change for path in paths for change in changes_of(path, factor)]
    random.Random("git").shuffle(changes)
    return changes


def changes_of(path: Path, factor: int = 1) -> Iterator[Change]:
    """The changes of one repository, files of many kinds, at most three of one path, or so many times as many.

    Raises:
        OSError: There is no git repository at the path.
    """
    name = name_of(path)
    left = factor * CHANGES_OF_A_REPOSITORY
    for commit, file, before, after in _texts(path, list(_chosen(path, name, factor))):
        for change in split_up(f"{name}@{commit[:8]}", file, before, after):
            if left <= 0:
                return
            left -= 1
            yield with_anchors(change) if random.Random(change.name).random() < 0.5 else change


def with_anchors(change: Change) -> Change:
    """The change with the line that opens the block around each hunk after its `@@`, where there is one."""
    draft = change.draft
    pieces = [replace(piece, anchors=tuple(enclosing(draft, piece)[-1:])) for piece in draft.written]
    return replace(change, draft=draft.with_written(pieces))


def _chosen(path: Path, name: str, factor: int) -> Iterator[tuple[str, str, str, str]]:
    """Commit, path and the blobs before and after of the files to take."""
    rows = sorted(changed_files(path))
    random.Random(name).shuffle(rows)
    paths: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for row in rows:
        kind = PurePosixPath(row[1]).suffix[1:]
        if kind not in KINDS or SKIPPED.search(row[1]) or paths[row[1]] >= factor * CHANGES_OF_A_PATH:
            continue
        if kinds[kind] < factor * FILES_OF_A_KIND:
            paths[row[1]] += 1
            kinds[kind] += 1
            yield row


def changed_files(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Commit, path and the blobs before and after of every file that a commit modified, the newest commits first.

    Raises:
        OSError: There is no git repository at the path.
    """
    log = run_git(
        path, "log", "-z", "--raw", "--no-merges", "--no-renames", "--diff-filter=M", "--no-abbrev", "--format=%H",
        f"--max-count={COMMITS}", "HEAD",
    )  # fmt: skip
    commit = ""
    for match in CHANGED.finditer(log.replace(b"\0\n:", b"\0:")):
        if match[4]:
            commit = match[4].decode()
        else:
            yield commit, match[3].decode(errors="replace"), match[1].decode(), match[2].decode()


def _texts(path: Path, rows: list[tuple[str, str, str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """The same rows with texts for blobs; without those that are absent, too large, or no text."""
    texts = texts_of(path, {blob for row in rows for blob in row[2:]})
    for commit, file, before, after in rows:
        if before in texts and after in texts:
            yield commit, file, texts[before], texts[after]


def texts_of(path: Path, blobs: Iterable[str]) -> dict[str, str]:
    """The texts of blobs, without those that are absent, too large, or no text."""
    listed = "\n".join(sorted(blobs)).encode()
    sizes = run_git(path, "cat-file", "--batch-check", given=listed).decode().splitlines()
    small = [line.split() for line in sizes]
    names = [line[0] for line in small if line[1] == "blob" and int(line[2]) <= MAX_BYTES]
    content = run_git(path, "cat-file", "--batch", given="\n".join(names).encode())
    texts: dict[str, str] = {}
    at = 0
    while at < len(content):
        end = content.index(b"\n", at)
        blob, _, size = content[at:end].decode().split()
        at = end + 1 + int(size) + 1
        try:
            texts[blob] = content[end + 1 : at - 1].decode()
        except UnicodeDecodeError:
            continue
    return texts


def run_git(path: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What `git` prints about a repository.

    Raises:
        OSError: It has failed.
    """
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0"}
    done = subprocess.run(
        ["git", "-C", str(path), *arguments], input=given, capture_output=True, env=environment, check=False
    )
    if done.returncode:
        message = f"{path}: {done.stderr.decode(errors='replace').strip() or 'git failed'}"
        raise OSError(message)
    return done.stdout
