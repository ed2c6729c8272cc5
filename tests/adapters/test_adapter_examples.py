"""The examples of adapters run with their scripted models, and the pages quote them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from tests.shared.pages import blocks_of, text_of

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "adapters").glob("*.py"))
PACKAGES = {
    "with_anthropic": "anthropic",
    "with_deepagents": "deepagents",
    "with_google_adk": "google.adk",
    "with_langchain": "langchain",
    "with_openai_agents": "agents",
    "with_pydantic_ai": "pydantic_ai",
    "with_smolagents": "smolagents",
}
each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)


@each_example
def test_an_example_asks_and_writes(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if example.stem in PACKAGES:
        pytest.importorskip(PACKAGES[example.stem])
    runpy.run_path(str(example), run_name="__main__")
    said = capsys.readouterr().out
    assert "update app.py +1 -1" in said
    assert said.endswith("print('Hello')\n")


@each_example
def test_an_example_is_short_and_its_page_quotes_it(example: Path) -> None:
    code = example.read_text("utf-8")
    assert len(code.splitlines()) <= 65
    name = example.stem.removeprefix("with_").replace("_", "-").replace("plain-loop", "plain-loops")
    blocks = [block.code for block in blocks_of(text_of(f"docs/adapters/{name}.md")) if block.language == "py"]
    assert blocks
    # Without whitespace, since a line may be broken in one and not in the other.
    quoted = ["".join(line.split()) for block in blocks for line in block.splitlines()]
    assert [line for line in quoted if line not in "".join(code.split())] == []


def test_every_adapter_has_an_example() -> None:
    assert {path.stem for path in EXAMPLES} == {*PACKAGES, "plain_loop"}
