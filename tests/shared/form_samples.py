"""Samples of every call shape and raw syntax: `tests/forms/*.toml`.

A sample has the `agent` that writes it and a `text`. `after` names the result in `RESULTS`; without it, the sample
changes `app.py`. `refused` is the reason for which it has no certain place; `known` then names the result where the
caller vouches for the file by its hash. `unreadable` is part of the message of a sample that can't be read.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "forms"

APP = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
CHANGED = APP.replace("return 1\n", "return 11\n")
TWICE = "def first(one):\n    go(one)\n    wait()\n\ndef second(one):\n    go(one)\n    stop()\n"
#: A notebook as Jupyter writes it; its last cell has an output that repeats its source.
NOTEBOOK = (Path(__file__).parents[1] / "forms" / "notebook.ipynb").read_text("utf-8")
FILES = {"app.py": APP, "twice.py": TWICE, "work.ipynb": NOTEBOOK}
NEW_CELL = """\
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "fd10f8c1",
   "metadata": {},
   "outputs": [],
   "source": [
    "y = 2\\n",
    "y"
   ]
  },
"""

#: What becomes of the files, by name: only those that differ.
RESULTS: dict[str, dict[str, str | None]] = {
    "changed": {"app.py": CHANGED},
    "added": {"new.py": "x = 1\n"},
    "added-empty": {"empty.py": ""},
    "deleted": {"app.py": None},
    "moved": {"app.py": None, "main.py": APP},
    "copied": {"main.py": APP},
    "inserted": {"app.py": APP.replace("    return 1\n", "    x = 0\n    return 1\n")},
    "appended": {"app.py": f"{APP}\n\ndef three():\n    return 3\n"},
    "yields": {"app.py": APP.replace("return", "yield")},
    "removed": {"twice.py": TWICE.replace("    wait()\n", "")},
    "cell": {"work.ipynb": NOTEBOOK.replace('    "x = 1\\n",\n    "print', '    "x = 2\\n",\n    "print')},
    "cell-added": {"work.ipynb": NOTEBOOK.replace('Text."\n   ]\n  },\n', 'Text."\n   ]\n  },\n' + NEW_CELL)},
    "cell-deleted": {
        "work.ipynb": NOTEBOOK[: NOTEBOOK.index(',\n  {\n   "cell_type": "code"')]
        + NOTEBOOK[NOTEBOOK.index("\n ],\n") :]
    },
    "defined": {"app.py": APP.replace("\n\ndef two", "\n\ndef three():\n    return 3\n\n\ndef two")},
    "second": {"twice.py": TWICE.replace("go(one)\n    stop", "go(two)\n    stop")},
}


class Sample(NamedTuple):
    """One sample."""

    name: str
    group: str
    agent: str
    text: str
    after: str = "changed"
    refused: str = ""
    known: str = ""
    unreadable: str = ""
    arguments: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self.name

    @property
    def files_after(self) -> dict[str, str]:
        """All files after the sample was applied."""
        return files_after(self.after)


def files_after(name: str) -> dict[str, str]:
    """All files after a result of this name."""
    after = {**FILES, **RESULTS[name]}
    return {path: text for path, text in after.items() if text is not None}


def hashes() -> dict[str, str]:
    """The hash of each file, with which a caller vouches for it."""
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in FILES.items()}


def _load() -> list[Sample]:
    samples: list[Sample] = []
    for file in sorted(FOLDER.glob("*.toml")):
        data: dict[str, dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))
        samples += [Sample(name, file.stem, **fields) for name, fields in data.items()]
    return samples


SAMPLES = _load()
READABLE = [sample for sample in SAMPLES if not sample.unreadable]
APPLIED = [sample for sample in READABLE if not sample.refused]
