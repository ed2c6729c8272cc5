"""The golden files: texts that models and people read, word for word.

To write them anew, set `SUTURE_GOLDEN=write` in the environment, run the test without `-n`, and read
`git diff tests/golden` before you commit.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"
#: Looked at once, here: the tests' sealed environment has no settings of ours.
WRITE = os.environ.get("SUTURE_GOLDEN") == "write"

PATH = "src/app.py"
#: The file that most answers are about.
APP = """\
import os


class Loader:
    def read(self, path):
        check(path)
        with open(path) as file:
            text = file.read()
        return text


class Writer:
    def write(self, path, text):
        check(path)
        with open(path, "w") as file:
            file.write(text)
        return text
"""
TABBED = "func main() {\n\tstart(1)\n\tif ready {\n\t\tserve(8080)\n\t}\n}\n"


def compare(name: str, text: str) -> None:
    """Hold a text to the golden file of that name, or write it."""
    file = FOLDER / name
    if WRITE:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
    assert text == file.read_bytes().decode("utf-8")
