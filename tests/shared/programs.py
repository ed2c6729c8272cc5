"""The installed programs, run as processes in a folder of their own with a state and a home of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.shared import goldens
from tests.shared.processes import STARTS_PROCESSES
from tests.shared.programs_here import MODULES, run_here

if TYPE_CHECKING:
    from collections.abc import Mapping

BIN = Path(sys.executable).parent

APP = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


class Done(NamedTuple):
    """What a program said, and how it ended."""

    status: int
    out: str
    err: str


class Place:
    """A workspace in which programs are run. It has one file, `app.py`."""

    def __init__(self, base: Path) -> None:
        self.root = base / "work"
        self.root.mkdir()
        self.environment = {
            **os.environ,
            "HOME": str(base / "home"),
            # The same for Windows.
            "USERPROFILE": str(base / "home"),
            "APPDATA": str(base / "home" / ".config"),
            "SUTURE_STATE_DIR": str(base / "state"),
            "NO_COLOR": "1",
            "SUTURE_DURABILITY": "process",
            "PYTHONWARNINGS": "error",
        }
        (base / "home").mkdir()
        self.write("app.py", APP)

    def write(self, name: str, content: str | bytes) -> Path:
        """Make a file of the workspace, and the folders that it is in."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def files(self) -> dict[str, str]:
        """All files of the workspace."""
        found = sorted(path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(self.root)): path.read_text("utf-8") for path in found}

    def run(
        self,
        program: str,
        *arguments: str | bytes,
        stdin: str | bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Done:
        """Run an installed program to its end."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        env = self.environment | dict(environment or {})
        if program in MODULES and not STARTS_PROCESSES:
            status, out, err = run_here(program, arguments, data, env, self.root)
            return Done(status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
        command = [str(BIN / program), *arguments]
        done = subprocess.run(command, cwd=self.root, input=data, env=env, capture_output=True, check=False, timeout=60)
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def suture(self, *arguments: str | bytes, stdin: str | bytes = b"") -> Done:
        """Run `suture`."""
        return self.run("suture", *arguments, stdin=stdin)

    def stable(self, text: str) -> str:
        """A text without what differs from run to run: ids, times and the place of the workspace."""
        text = text.replace(str(self.root), "<root>").replace(str(self.root.parent), "<base>")
        text = re.sub(r"\b[0-9a-f]{12}\b", "<id>", text)
        return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "<time>", text)


def patch(*sections: str) -> str:
    """An envelope around some sections."""
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch", ""])


def update(path: str, *lines: str) -> str:
    """A section that updates a file by one hunk."""
    return "\n".join([f"*** Update File: {path}", "@@", *lines])


def compare(name: str, said: str) -> None:
    """Hold what a program said to its golden file."""
    goldens.compare(f"cli/{name}.txt", said)
