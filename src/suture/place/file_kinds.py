"""Kinds of files, by the endings of their names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Files with headings, and files with sections such as `[tool.ruff]`.
MARKDOWN = frozenset("markdown md mdc mdx qmd rmd".split())
ASCIIDOC = frozenset("adoc asciidoc".split())
PROSE = MARKDOWN | ASCIIDOC | {"org", "rst"}
SETTINGS = frozenset("cfg conf desktop editorconfig gitconfig gitmodules ini service toml".split())

SHELLS = frozenset("bash sh zsh".split())
C_LIKE = frozenset("c cc cpp cxx h hh hpp m mm".split())
STYLES = frozenset("css less sass scss".split())

#: Files that have the rules of an ending which is not theirs, by their names.
_ENDINGS: Mapping[str, str] = {
    **dict.fromkeys("cargo.lock pdm.lock pipfile poetry.lock uv.lock".split(), "toml"),
    **dict.fromkeys("authors changelog changes contributing history install news readme todo".split(), "md"),
}


def ending_of(path: str) -> str:
    """The ending of a file's name, in lower case, or the one whose rules the file has; empty if there is none."""
    name = path.rpartition("/")[2].lower()
    return _ENDINGS.get(name) or name.partition(".")[2].rpartition(".")[2]
