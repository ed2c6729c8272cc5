"""Messages and docstrings of functions refer to no file of the repository: those who install with pip lack it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from tests.shared.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = ROOT / "src" / "suture"
#: Files that are not installed. `src/app.py` and `README.md` are names that any project may have.
OF_THE_REPOSITORY = re.compile(
    r"(?<![\w/.-])(?:benchmarks|docs|examples|locks|scripts|tests)/\w"
    r"|\b(?:ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md"
)
#: A path in the example patch of the instructions for models.
EXAMPLES = {"docs/greeting.md"}


def texts_of(path: Path) -> Iterator[str]:
    """The strings of a module, without its own docstring, which is for those who change it."""
    tree = ast.parse(path.read_text("utf-8"))
    own = tree.body[0].value if tree.body and isinstance(tree.body[0], ast.Expr) else None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node is not own:
            yield node.value


@pytest.mark.parametrize("text", ["See docs/cli.md.", "(tests/golden)", "run scripts/lock", "SECURITY.md says why"])
def test_a_reference_to_the_repository_is_recognized(text: str) -> None:
    assert OF_THE_REPOSITORY.search(text)


@pytest.mark.parametrize("text", ["suture apply --help", "https://a.example/docs/cli.md", "src-docs/a", "README.md"])
def test_other_words_are_not(text: str) -> None:
    assert not OF_THE_REPOSITORY.search(text)


def test_no_text_of_the_library_refers_to_the_repository() -> None:
    texts = [(path.name, text) for path in sorted(SOURCE.rglob("*.py")) for text in texts_of(path)]
    assert len(texts) > 1000
    assert [(name, text) for name, text in texts if text not in EXAMPLES and OF_THE_REPOSITORY.search(text)] == []


def test_no_file_that_is_installed_as_it_is_refers_to_the_repository() -> None:
    files = [path for ending in ("js", "html", "css", "json") for path in SOURCE.rglob(f"*.{ending}")]
    assert files
    assert [path.name for path in files if OF_THE_REPOSITORY.search(path.read_text("utf-8"))] == []
