"""The peers' own tests as data: what each case says, and nothing about whether it is so.

A file has the `peer`, its `version`, the `dialect` that stands for it, how many of the peer's `tests` were read, and in
`left_out` how many of them are not here and what they are about. A case has

- `name`, a sentence, and `source`, where the peer tests it;
- what is there before: `before`, contents by path (`{ hex = "…" }` for bytes, `-> target` for a link);
- one call: `patch` (the lines inside an envelope), `hunks` (the lines of an update of the file `f`), `text` (a whole
  patch text), `edit` (`old`, `new`, `all`, and a `path` if it is not `f`), `argv` (a command) or `pieces` (of a text
  that arrives in parts); `<root>` is the path of the workspace, `<patch>` a patch;
- what the peer does: `files` (all files after), or `after` (of the file `f`, where it is the only one); `refused`;
  `outside` (the content of a file outside the workspace); `invocation` (the directory, `none` or `error`); `seen`
  (the operations after each piece);
- if Suture differs: `ours`, with the same fields (`refused` is the code), and `decision`, a name in decisions.toml.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
PATCH = "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch"
VICTIM = "original\n"
LINK = b"-> "
Contents = dict[str, bytes]


class Outcome(NamedTuple):
    """What a call leaves: all files, and whether it was refused."""

    files: Contents
    refused: bool = False
    outside: str = VICTIM


class Case(NamedTuple):
    """One fact about a peer."""

    peer: str
    dialect: str
    given: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.given["name"])

    @property
    def before(self) -> Contents:
        return _contents(self.given.get("before", {}))

    def text(self, root: str) -> str:
        """The text of the patch."""
        given = self.given
        if "text" in given:
            return str(given["text"])
        lines = ["*** Update File: f", *given["hunks"]] if "hunks" in given else given["patch"]
        return "\n".join(("*** Begin Patch", *lines, "*** End Patch", "")).replace("<root>", root)

    def outcome(self, told: dict[str, Any]) -> Outcome:
        """What a call leaves, as the peer's own fields or those of `ours` say it."""
        refused = bool(told.get("refused"))
        files = self.before
        if "after" in told:
            files = {**files, "f": told["after"].encode()}
        elif "files" in told:
            files = _contents(told["files"])
        return Outcome(files, refused, told.get("outside", VICTIM))


def _contents(given: dict[str, Any]) -> Contents:
    return {
        path: bytes.fromhex(content["hex"]) if isinstance(content, dict) else content.encode()
        for path, content in given.items()
    }


SUITES = {file.stem: tomllib.loads(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.toml"))}
DECISIONS: dict[str, dict[str, str]] = SUITES.pop("decisions")
CASES = [Case(suite["peer"], suite["dialect"], given) for suite in SUITES.values() for given in suite["case"]]
