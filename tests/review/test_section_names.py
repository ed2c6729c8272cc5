"""The head of a hunk names the function, the class or the heading that it is in, and nothing else."""

from __future__ import annotations

import pytest

from suture.review.section_names import section_above

PYTHON = """\
# Licensed under the Apache License.
# limitations under the License.

import os

LEVEL = 1

# Shapes


class Circle:
    def area(self):
        # of the disk
        return 3

# A comment at the margin, in the middle of a class
    def edge(self):
        return 6


def last():
    pass
"""
TOML = '[project]\nname = "x"\n\n[[tool.mypy.overrides]]\nmodule = [\n    "a",\n    "b",\n]\n'
MARKDOWN = "# Title\n\nText.\n\n## Part\n\n- one\n  - two\n\nMore.\n"
YAML = "# Runs the tests.\non: push\njobs:\n  test:\n    steps:\n      - run: make\n"
C = "#include <stdio.h>\n\nint main(int argc, char **argv)\n{\n    int one = 1;\n    return one;\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "line", "section"),
    [
        ("a.py", PYTHON, "LEVEL = 1", ""),
        ("a.py", PYTHON, "class Circle:", ""),
        ("a.py", PYTHON, "def last():", ""),
        ("a.py", PYTHON, "    def area(self):", "class Circle:"),
        ("a.py", PYTHON, "        return 3", "def area(self):"),
        ("a.py", PYTHON, "    def edge(self):", "class Circle:"),
        ("a.py", PYTHON, "        return 6", "def edge(self):"),
        ("pyproject.toml", TOML, 'name = "x"', "[project]"),
        ("pyproject.toml", TOML, '    "b",', "[[tool.mypy.overrides]]"),
        ("README.md", MARKDOWN, "Text.", "# Title"),
        ("README.md", MARKDOWN, "  - two", "## Part"),
        ("README", MARKDOWN, "More.", "## Part"),
        ("ci.yml", YAML, "on: push", ""),
        ("ci.yml", YAML, "      - run: make", "jobs:"),
        ("a.c", C, "    return one;", "int main(int argc, char **argv)"),
        ("notes.txt", MARKDOWN, "More.", ""),
    ],
)
def test_a_line_is_in_the_nearest_part_that_is_around_it(path: str, text: str, line: str, section: str) -> None:
    lines = text.removesuffix("\n").split("\n")
    assert section_above(path, lines, lines.index(line)) == section
