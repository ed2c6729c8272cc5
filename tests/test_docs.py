"""The documentation is true: its examples run, and its links lead somewhere.

The Python blocks of one page are run in order, in one namespace. A statement that ends in `# → value` must be an
expression of which that is the repr, or, for a `print`, the output.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^ *(?P=fence) *$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$", re.MULTILINE)
_EXPECTED = re.compile(r"# → (?P<value>.*)$")


class Block(NamedTuple):
    """A fenced block of a page, with the number of its first line of code."""

    language: str
    code: str
    line: int


def blocks_of(page: str) -> list[Block]:
    """All fenced blocks, dedented by their fence's indentation."""
    return [
        Block(
            found["language"].strip(),
            re.sub(f"^{found['indent']}", "", found["code"], flags=re.MULTILINE),
            page.count("\n", 0, found.start("code")) + 1,
        )
        for found in _FENCE.finditer(page)
    ]


def run(block: Block, name: str, namespace: dict[str, object]) -> None:
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


def slug(heading: str) -> str:
    """The anchor that a heading gets on the web."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(page: Path) -> set[str]:
    return {slug(found["text"]) for found in _HEADING.finditer(_FENCE.sub("", page.read_text("utf-8")))}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_EXAMPLES = [page for page in PAGES if any(b.language == "python" for b in blocks_of(page.read_text("utf-8")))]


def test_the_readme_and_the_docs_have_examples() -> None:
    assert {"README.md", "docs/matching.md", "docs/errors.md"} <= {name_of(page) for page in WITH_EXAMPLES}


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_page_run_and_say_what_they_claim(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__docs__"}
    for block in blocks_of(page.read_text("utf-8")):
        if block.language == "python":
            run(block, name_of(page), namespace)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    prose = _FENCE.sub("", page.read_text("utf-8"))
    lost = []
    for found in _LINK.finditer(prose):
        target, _, anchor = found["target"].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and anchor not in anchors_of(there)):
            lost.append(found["target"])
    assert lost == []


def test_the_readmes_commands_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    shown = [block.code for block in blocks_of((ROOT / "README.md").read_text("utf-8")) if block.language == "sh"]
    named = set(re.findall(r"^make ([a-z]+)", "\n".join(shown), re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_the_page_of_errors_has_every_code_and_no_other() -> None:
    source = ast.parse((ROOT / "src" / "suture" / "problems.py").read_text("utf-8"))
    literal = next(n for n in ast.walk(source) if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == "Code")
    codes = {node.value for node in ast.walk(literal) if isinstance(node, ast.Constant)}
    page = (ROOT / "docs" / "errors.md").read_text("utf-8")
    now, _, later = page.partition("## Codes of the parts to come")
    listed = re.findall(r"^\| `(\w+)` \|", now[now.index("## Codes of this") : now.index("### Reasons")], re.MULTILINE)
    assert sorted([*listed, *re.findall(r"`(\w+)`", later)]) == sorted(map(str, codes))


@pytest.mark.parametrize(
    ("code", "fault"),
    [("1 + 1  # → 3", AssertionError), ("1 / 0", ZeroDivisionError), ("print('a')  # → b", AssertionError)],
)
def test_an_example_that_lies_is_found(code: str, fault: type[Exception]) -> None:
    with pytest.raises(fault):
        run(Block("python", code, 1), "page.md", {})
