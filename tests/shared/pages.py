"""The pages of the documentation: their fenced blocks, their headings, their links, and how their examples are run.

- A `python` block is run statement by statement. One that ends in `# → value` must be an expression of which that is
  the repr, or, for a `print`, the output.
- In a `console` block what stands behind `$ ` is given to bash, up to where bash takes it for whole; the lines below it
  are what it must say. Ids and times may be others, and a line `…` stands for any lines.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^ *(?P=fence) *$", re.MULTILINE | re.DOTALL
)
_INLINE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$", re.MULTILINE)
_EXPECTED = re.compile(r"# → (?P<value>.*)$")


class Block(NamedTuple):
    """A fenced block of a page, with the number of its first line of code."""

    language: str
    code: str
    line: int


class Command(NamedTuple):
    """A command of a `console` block, what it must say, and its line in the page."""

    text: str
    said: str
    line: int


def name_of(page: Path) -> str:
    """A page as messages name it."""
    return str(page.relative_to(ROOT))


def text_of(page: str | Path) -> str:
    """The text of a page, by its path or by its name below the project."""
    return (ROOT / page).read_text("utf-8")


def prose_of(page: str | Path) -> str:
    """The text of a page without its fenced blocks."""
    return _FENCE.sub("", text_of(page))


def blocks_of(text: str) -> list[Block]:
    """All fenced blocks, dedented by their fence's indentation."""
    return [
        Block(
            found["language"].strip(),
            re.sub(f"^{found['indent']}", "", found["code"], flags=re.MULTILINE),
            text.count("\n", 0, found.start("code")) + 1,
        )
        for found in _FENCE.finditer(text)
    ]


def code_of(page: str | Path, *languages: str) -> list[str]:
    """What a page says in code: its blocks in these languages, and what stands between backticks in its prose."""
    blocks = [block.code for block in blocks_of(text_of(page)) if block.language in languages]
    return [*blocks, *[found["code"] for found in _INLINE.finditer(prose_of(page))]]


def rows_of(page: str | Path, *, below: str = "") -> list[str]:
    """The names in code that begin the rows of a page's tables; below a heading, those up to the next of its rank."""
    text = text_of(page)
    if below:
        rank = below.partition(" ")[0]
        text = text[text.index(f"\n{below}\n") + len(below) :]
        text = re.split(rf"^#{{1,{len(rank)}}} ", text, maxsplit=1, flags=re.MULTILINE)[0]
    cells = re.findall(r"^\| (`[^|]*) \|", text.replace(r"\|", "/"), re.MULTILINE)
    return [found["code"] for cell in cells for found in _INLINE.finditer(cell)]


def anchors_of(page: Path) -> set[str]:
    """The anchors that a page's headings get on the web; a heading that comes again gets a number."""
    anchors: set[str] = set()
    for found in _HEADING.finditer(prose_of(page)):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", found["text"]).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        again = 1
        while (anchor := slug if again == 1 else f"{slug}-{again - 1}") in anchors:
            again += 1
        anchors.add(anchor)
    return anchors


def links_of(page: Path) -> list[tuple[str, Path, str]]:
    """The links of a page to the project's own files: as written, the file, the anchor."""
    links = []
    for found in _LINK.finditer(_INLINE.sub(r"\g<code>", prose_of(page))):
        target, _, anchor = found["target"].partition("#")
        if not re.match(r"[a-z]+:", target):
            links.append((found["target"], (page.parent / target).resolve() if target else page, anchor))
    return links


def run_python(block: Block, name: str, namespace: dict[str, object]) -> None:
    """Run a block statement by statement and compare what its `# →` comments say."""
    lines = block.code.splitlines()
    for statement in ast.parse(block.code).body:
        assert statement.end_lineno is not None, "BUG: a parsed statement has an end"
        where = f"{name}:{block.line + statement.lineno - 1}"
        expected = _EXPECTED.search(lines[statement.end_lineno - 1])
        printed = io.StringIO()
        ast.increment_lineno(statement, block.line - 1)
        with contextlib.redirect_stdout(printed):
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), name, "eval"), namespace)  # noqa: S307
                said = printed.getvalue().rstrip("\n") if value is None else repr(value)
            else:
                exec(compile(ast.Module([statement], []), name, "exec"), namespace)  # noqa: S102
                said = ""
        if expected:
            assert said == expected["value"], where


def commands_of(block: Block) -> list[Command]:
    """The commands of a `console` block with what each must say."""
    commands: list[Command] = []
    lines = block.code.splitlines()
    number = 0
    while number < len(lines):
        assert lines[number].startswith("$ "), f"a console block begins with a command: {lines[number]!r}"
        first = number
        number += 1
        text = lines[first][2:]
        while not _is_whole(text) and number < len(lines):
            text += f"\n{lines[number]}"
            number += 1
        below = number
        while number < len(lines) and not lines[number].startswith("$ "):
            number += 1
        commands.append(Command(text, "".join(f"{line}\n" for line in lines[below:number]), block.line + first))
    return commands


def _is_whole(command: str) -> bool:
    """Whether bash would not wait for more: no quote and no heredoc is open."""
    done = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
    return done.returncode == 0 and not done.stderr


def run_console(block: Block, name: str, folder: Path, state: Path) -> None:
    """Run the commands of a block in a folder, with the installed programs, and compare what they say."""
    programs = str(Path(sys.executable).parent)
    environment = os.environ | {
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", os.defpath)]),
        "SUTURE_STATE_DIR": str(state),
        "PYTHONWARNINGS": "error",
    }
    for command in commands_of(block):
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        said = _stable(done.stdout.decode("utf-8", "replace"))
        expected = _stable(command.said)
        pattern = "(?:.*\n)*".join(map(re.escape, re.split(r"^…\n", expected, flags=re.MULTILINE)))
        assert re.fullmatch(pattern, said), f"{name}:{command.line} says\n{said}and not\n{expected}"


def _stable(text: str) -> str:
    """A text without what differs from run to run."""
    text = re.sub(r"\b[0-9a-f]{12}\b", "<id>", text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "<time>", text)
