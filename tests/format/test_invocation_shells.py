"""The shells as judges of invocations.

Every script that is accepted is also run, by each shell that is here, in a folder of its own with nothing in PATH but
programs that write down how they were called. What the shell hands over must be what we read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.shared.shell_matrix import ELSEWHERE, IN_PATCH, VERBATIM, accepted_scripts, sample_scripts
from tests.shared.shell_scripts import ACCEPTED, OTHER, Script

from suture import PatchInvalidError
from suture.format import parse_invocation
from suture.format.shell_grammar import read_script

if TYPE_CHECKING:
    from collections.abc import Sequence

SHELLS = [[path] for name in ("bash", "dash", "zsh") if (path := shutil.which(name))]
SHELLS += [[path, "sh"] for name in ("busybox",) if (path := shutil.which(name))]
#: These have no here-strings.
WITHOUT_HERE_STRINGS = ("dash", "busybox")
SH, CAT = shutil.which("dash") or shutil.which("bash"), shutil.which("cat")
#: What a script could run by mistake; everything else would be "not found", and seen on standard error.
FAKES = ["apply_patch", "applypatch", "cat", "date", "git", "ls", "rm", "tee", "touch", "x", "y"]
RECORDER = """#!{sh}
printf '%s\\0' "${{0##*/}}" "$PWD" "$#" "$@" >>"$RECORD"
{cat} >>"$RECORD"
printf '\\0' >>"$RECORD"
"""
#: Runs many scripts, each in a process of its own, and notes where each ends and how.
DRIVER = """number=0
while [ $number -lt $COUNT ]; do
    ( . "$SCRIPTS/$number" )
    printf '%s\\0' end "$?" >>"$RECORD"
    number=$((number + 1))
done
"""
#: "all" compares the whole product of characters, places and neighbors, which takes some minutes.
ALL = os.environ.get("SUTURE_SHELLS") == "all"


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
        self.scripts = folder / "scripts"
        self.programs.mkdir()
        self.here.mkdir()
        self.scripts.mkdir()
        for name in FAKES:
            program = self.programs / name
            program.write_text(RECORDER.format(sh=SH, cat=CAT))
            program.chmod(0o755)

    def run(self, shell: list[str], script: str, folder: str = "") -> list[Call]:
        """All that a script ran; it must have said nothing, made nothing, and ended well."""
        (self.here / folder).mkdir(parents=True, exist_ok=True)
        before = sorted(self.here.rglob("*"))
        self._start(shell, ["-c", script], {})
        assert sorted(self.here.rglob("*")) == before
        calls, rest = _calls(os.fsdecode(self.record.read_bytes()).split("\0")[:-1])
        assert not rest
        return calls

    def run_many(self, shell: list[str], scripts: Sequence[str], locale: str = "C.UTF-8") -> list[list[Call]]:
        """All that each script ran; all must have said nothing, and ended well."""
        for number, script in enumerate(scripts):
            (self.scripts / str(number)).write_bytes(os.fsencode(script))
        self._start(shell, ["-c", DRIVER], {"COUNT": str(len(scripts)), "SCRIPTS": str(self.scripts)}, locale)
        words = os.fsdecode(self.record.read_bytes()).split("\0")[:-1]
        runs = []
        while words:
            calls, words = _calls(words)
            assert words[:2] == ["end", "0"]
            words = words[2:]
            runs.append(calls)
        return runs

    def _start(self, shell: list[str], arguments: list[str], more: dict[str, str], locale: str = "C.UTF-8") -> None:
        self.record.write_bytes(b"")
        environment = {"PATH": str(self.programs), "RECORD": str(self.record), "LC_ALL": locale, **more}
        argv = [os.fsencode(argument) for argument in (*shell, *arguments)]
        done = subprocess.run(
            argv,
            cwd=self.here,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def hold(self, script: str) -> None:
        """What each shell hands over for an accepted script is what we read, and there is nothing else that it does."""
        invocation = parse_invocation(["bash", "-c", script], str(self.here))
        assert invocation is not None
        folder = os.path.relpath(invocation.folder, self.here)
        for shell in SHELLS:
            if not can_read(shell, script):
                continue
            (call,) = self.run(shell, script, folder)
            assert call.name in ("apply_patch", "applypatch")
            assert call.folder == invocation.folder
            assert (call.text, call.arguments) in ((invocation.text, []), ("", [invocation.text]))


def _calls(words: list[str]) -> tuple[list[Call], list[str]]:
    """The calls at the beginning of a record, and the rest of it."""
    calls = []
    while words and words[0] != "end":
        name, folder, count = words[:3]
        end = 3 + int(count)
        calls.append(Call(name, folder, words[end], words[3:end]))
        words = words[end + 1 :]
    return calls, words


def can_read(shell: list[str], script: str) -> bool:
    return "<<<" not in script or Path(shell[0]).name not in WITHOUT_HERE_STRINGS


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    if not SHELLS:
        pytest.skip("there is no shell")
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=ACCEPTED)
def test_a_shell_hands_over_what_we_read_and_runs_nothing_else(case: Script, judge: Judge) -> None:
    judge.hold(case.script)


@pytest.mark.parametrize("name", ["pipe out", "second command below", "env", "command in front and &&"])
def test_the_judge_sees_what_else_a_script_runs(name: str, judge: Judge) -> None:
    try:
        calls = judge.run(SHELLS[0], OTHER[name])
    except (AssertionError, ValueError):
        return  # a program was not found, or two wrote at the same time
    assert len(calls) != 1


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
@pytest.mark.parametrize("locale", ["C.UTF-8", *["C"] * ALL])
def test_every_character_arrives_from_every_place_next_to_everything(
    shell: list[str], locale: str, judge: Judge
) -> None:
    """What is accepted arrives byte for byte, and nothing else runs."""
    scripts = [pair for pair in (accepted_scripts() if ALL else sample_scripts(60)) if can_read(shell, pair[0])]
    for start in range(0, len(scripts), 500):
        batch = scripts[start : start + 500]
        for _, read in batch:
            (judge.here / read.folder).mkdir(parents=True, exist_ok=True)
        runs = judge.run_many(shell, [script for script, _ in batch], locale)
        for (script, read), calls in zip(batch, runs, strict=True):
            folder = os.path.normpath(judge.here / read.folder)
            expected = [Call("apply_patch", folder, "", [read.text]), Call("apply_patch", folder, read.text, [])]
            assert len(calls) == 1, script
            assert calls[0] in expected, script


@pytest.mark.parametrize("place", [*IN_PATCH, *ELSEWHERE])
def test_a_control_character_is_accepted_only_in_verbatim_text(place: str) -> None:
    """A byte that bash uses as a mark, behind a backslash in double quotes, made it run a command of the patch."""
    head, tail = ("".join(IN_PATCH[place][:2]), "".join(IN_PATCH[place][2:])) if place in IN_PATCH else ("", "")
    template = ELSEWHERE.get(place, f"{head}{{}}{tail}")
    for character in map(chr, (*range(1, 9), *range(11, 32), 127)):
        # In a script with CRLF line endings, the heredoc's word and the line that repeats it end with CR.
        allowed = place in VERBATIM or (place == "end of a quoted word" and character == "\r")
        for before, after in product(["", "a", "\\"], ["", "a", "\\$(touch pwned)"]):
            with contextlib.suppress(PatchInvalidError):
                assert allowed or read_script(template.format(before + character + after)) is None
