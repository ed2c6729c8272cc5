"""The folders of `tests/scenarios/` as data: what each says, and nothing about whether it is so.

A folder is one sentence of behaviour. It has

- `scenario.toml`: `title` (the sentence), `spec` (where it comes from), `dialects` (those it holds for), `expect`, and
  optionally `pins` (what it pins of docs/dialects.md, in the words there: a choice of the tables, or one of the other
  rules), `settings` (arguments of `update`) and `on` (`["disk"]` where memory has no such thing);
- `patch.txt`: the text of a model. `<root>` in it stands for the absolute path of the workspace;
- `before`: a file, to which the one update of the patch is applied; or a folder, the tree of a workspace; absent where
  the patch is only read;
- what `expect` names: `after`, a file or a tree as `before` is one, or `problem`, a TOML file with the problems in
  their order.

`expect` is a table, and a table in it that has a dialect's name replaces it for that dialect::

    [expect]
    after = "after"
    concessions = [{ name = "fence", line = 1 }]                          # on the Patch; none if absent
    matches = [{ lines = [2, 4], tier = "indent", concessions = [], rivals = [9] }]  # of a file; exact ones if absent
    changes = ["M a.txt -> b.txt +1 -1"]                                  # of a tree
    operations = [{ add = "a.txt", content = "x\\n" }, { delete = "b.txt" }]         # what was read
    environment_id = "x"
    [expect.strict]
    problem = "problem.strict.toml"

A match that is looser than exact concedes its tier; `concessions` has what it concedes beside. A problem is its
`code`, the `reason` of its details, its `hunk` from 1, for a patch that can't be read the `line`, and in a tree the
`path`; `lines`, where they are given, are the places that the details list.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from suture import DIALECTS

FOLDER = Path(__file__).parents[1] / "scenarios"
Table = dict[str, Any]
#: The files of a workspace by their relative paths.
Tree = dict[str, bytes]


class Scenario(NamedTuple):
    """One folder, as far as it is the same for all dialects."""

    name: str
    title: str
    spec: str
    dialects: list[str]
    expect: Table
    pins: list[str] = []
    settings: Table = {}
    on: list[str] = ["disk", "memory"]

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def patch(self) -> str:
        return (self.folder / "patch.txt").read_bytes().decode()

    @property
    def is_tree(self) -> bool:
        """Whether it is about the files of a workspace."""
        return (self.folder / "before").is_dir()

    @property
    def before(self) -> bytes | None:
        """The one file that it is about; None where the patch is only read, or where it is about a tree."""
        file = self.folder / "before"
        return file.read_bytes() if file.is_file() else None

    def tree(self, name: str) -> Tree:
        """The files of a folder in it."""
        top = self.folder / name
        files = [file for file in sorted(top.rglob("*")) if file.is_file()]
        return {file.relative_to(top).as_posix(): file.read_bytes() for file in files}

    def problems(self, expected: Table) -> list[Table]:
        """The problems that an expectation names."""
        told: list[Table] = tomllib.loads((self.folder / expected["problem"]).read_text("utf-8"))["problem"]
        return told

    def expected(self, dialect: str) -> Table:
        """What is expected in a dialect."""
        own: Table = self.expect.get(dialect, self.expect)
        return {key: value for key, value in own.items() if key not in DIALECTS}

    def expectations(self) -> list[Table]:
        return [self.expected(dialect) for dialect in self.dialects]


def read_scenario(folder: Path) -> Scenario:
    return Scenario(folder.name, **tomllib.loads((folder / "scenario.toml").read_text("utf-8")))


SCENARIOS = [read_scenario(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]
