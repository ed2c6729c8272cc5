"""The shells as judges of invocations.

Every script that is accepted is also run, by each shell that is here, in a folder of its own with nothing in PATH but
programs that write down how they were called. What the shell hands over must be what we read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.shell_scripts import ACCEPTED, OTHER, Script

from suture.format import parse_invocation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SHELLS = [path for name in ("bash", "dash", "zsh") if (path := shutil.which(name))]
BASH = shutil.which("bash")
#: What a script could run by mistake; everything else would be "not found", and seen on standard error.
FAKES = ["apply_patch", "applypatch", "cat", "date", "git", "ls", "rm", "tee", "x", "y"]
RECORDER = """#!{bash}
IFS= read -r -d '' input
printf '%s\\0' "${{0##*/}}" "$PWD" "$input" "$#" "$@" >>"$RECORD"
"""


class Call(NamedTuple):
    """How a program was called."""

    name: str
    folder: str
    text: str
    arguments: list[str]


class Judge:
    """Runs scripts in a folder, with nothing in PATH but programs that write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.here, self.record = folder / "bin", folder / "here", folder / "record"
        self.programs.mkdir()
        for name in FAKES:
            program = self.programs / name
            program.write_text(RECORDER.format(bash=BASH))
            program.chmod(0o755)

    def run(self, shell: str, script: str, folder: str = "") -> list[Call]:
        """All that a script ran; it must have said nothing, made nothing, and ended well."""
        (self.here / folder).mkdir(parents=True, exist_ok=True)
        self.record.write_bytes(b"")
        before = sorted(self.here.rglob("*"))
        environment = {"PATH": str(self.programs), "RECORD": str(self.record), "LC_ALL": "C.UTF-8"}
        argv = [shell, "-c", script]
        done = subprocess.run(
            argv, cwd=self.here, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert sorted(self.here.rglob("*")) == before
        return list(self._calls())

    def _calls(self) -> Sequence[Call]:
        words = os.fsdecode(self.record.read_bytes()).split("\0")[:-1]
        calls = []
        while words:
            name, folder, text, count = words[:4]
            end = 4 + int(count)
            calls.append(Call(name, folder, text, words[4:end]))
            words = words[end:]
        return calls

    def hold(self, script: str) -> None:
        """What each shell hands over for an accepted script is what we read, and there is nothing else that it does."""
        invocation = parse_invocation(["bash", "-c", script], str(self.here))
        assert invocation is not None
        folder = os.path.relpath(invocation.folder, self.here)
        for shell in SHELLS:
            if shell.endswith("dash") and "<<<" in script:
                continue  # it has no here-strings
            (call,) = self.run(shell, script, folder)
            assert call.name in ("apply_patch", "applypatch")
            assert call.folder == invocation.folder
            assert (call.text, call.arguments) in ((invocation.text, []), ("", [invocation.text]))


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    if BASH is None:
        pytest.skip("there is no bash")
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=ACCEPTED)
def test_a_shell_hands_over_what_we_read_and_runs_nothing_else(case: Script, judge: Judge) -> None:
    judge.hold(case.script)


@pytest.mark.parametrize("name", ["pipe out", "second command below", "env", "command in front and &&"])
def test_the_judge_sees_what_else_a_script_runs(name: str, judge: Judge) -> None:
    try:
        calls = judge.run(SHELLS[0], OTHER[name])
    except AssertionError:
        return  # a program was not found
    assert len(calls) != 1
