"""The completion for shells is made from the table of commands, and the shells take it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place
from tests.shared.terminals import Terminal, plain

from suture.cli.table import COMMANDS, COMMON, SHELLS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A place where shells find `suture`."""
    place = Place(tmp_path)
    program = tmp_path / "bin" / "suture"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m suture "$@"\n')
    program.chmod(0o755)
    place.environment["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    return place


@pytest.mark.parametrize("shell", SHELLS)
def test_it_has_every_command_and_option(place: Place, shell: str) -> None:
    script = place.suture("completion", shell).out
    flags = {option.flags[-1] for command in COMMANDS for option in (*command.options, *COMMON)}
    wanted = flags if shell != "fish" else {f"-l {flag[2:]}" for flag in flags}
    assert [word for word in sorted(wanted | {command.name for command in COMMANDS}) if word not in script] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_it(place: Place, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = place.suture("completion", shell).out
    subprocess.run([program, "-n", "/dev/stdin"], input=script, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["suture", "ap"], ["apply"]),
        (["suture", "apply", "--dia"], ["--dialect"]),
        (["suture", "apply", "--dialect", "s"], ["standard", "strict"]),
        (["suture", "completion", ""], ["bash", "zsh", "fish"]),
        (["suture", "apply", "ap"], ["app.py"]),
        (["suture", "apply", "tw"], ["two words.patch"]),
        (["suture", "--root", "fo"], ["folder"]),
        (["suture", "--root", "folder", "ap"], ["apply"]),
        (["suture", "--json", "apply", "--dia"], ["--dialect"]),
        (["suture", "--j"], ["--json"]),
        (["suture", "help", "und"], ["undo"]),
        (["suture", "log", "--path", "ap"], ["app.py"]),
        (["suture", "edit", "app.py", "--old", "ap"], []),
        (["suture", "undo", "ap"], ["app.py"]),
        (["suture", "show", "ap"], []),
        (["suture", "apply", "--dialect", "codex", "ap"], ["app.py"]),
    ],
)
def test_bash_completes(place: Place, words: list[str], expected: list[str]) -> None:
    place.write("two words.patch", "")
    place.write("folder/file", "")
    script = place.suture("completion", "bash").out
    quoted = " ".join(f"'{word}'" for word in words)
    ask = f'{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _suture; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", ask], cwd=place.root, capture_output=True, text=True, check=True)
    assert (done.stdout.strip("\n").splitlines(), done.stderr) == (expected, "")


class TestCommits:
    """`show`, `undo` and `redo` offer the IDs of commits, those of the workspace that the line names."""

    @pytest.fixture
    def commit(self, place: Place) -> str:
        place.write("app.py", "a = 1\n")
        place.suture("edit", "app.py", "--old", "a = 1", "--new", "a = 2")
        return place.suture("log", "--oneline").out.split()[0]

    @pytest.mark.parametrize("line", ["suture show", "suture undo", "suture --root . show"])
    def test_bash(self, place: Place, commit: str, line: str) -> None:
        words = " ".join(f"'{word}'" for word in [*line.split(), commit[:3]])
        script = place.suture("completion", "bash").out
        ask = f'{script}\nCOMP_WORDS=({words}); COMP_CWORD={len(line.split())}; _suture; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(
            ["bash", "-c", ask], cwd=place.root, env=place.environment, capture_output=True, text=True, check=True
        )
        assert (done.stdout.split(), done.stderr) == ([commit], "")

    @pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
    def test_fish(self, place: Place, commit: str) -> None:
        script = place.write("../suture.fish", place.suture("completion", "fish").out)
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C 'suture show {commit[:3]}'"]
        done = subprocess.run(
            command, cwd=place.root, env=place.environment, capture_output=True, text=True, check=True, timeout=30
        )
        assert (done.stdout.split(), done.stderr) == ([commit], "")

    @pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
    def test_zsh(self, place: Place, commit: str) -> None:
        assert completed_by_zsh(place, f"suture show {commit[:3]}").strip() == f"suture show {commit}"


QUESTIONS = [
    ("suture app", ["apply"]),
    ("suture apply --dia", ["--dialect"]),
    ("suture apply --dialect str", ["strict"]),
    ("suture apply app", ["app.py"]),
    ("suture undo app", ["app.py"]),
    ("suture completion ba", ["bash"]),
    ("suture -C fo", ["folder/"]),
    ("suture -C folder app", ["apply"]),
    ("suture --root folder log --one", ["--oneline"]),
    ("suture log --one", ["--oneline"]),
]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), QUESTIONS)
def test_fish_completes(place: Place, line: str, expected: list[str]) -> None:
    place.write("folder/file", "")
    script = place.write("../suture.fish", place.suture("completion", "fish").out)
    command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    done = subprocess.run(
        command, cwd=place.root, env=place.environment, capture_output=True, text=True, check=True, timeout=30
    )
    assert ([row.split("\t")[0] for row in done.stdout.splitlines()], done.stderr) == (expected, "")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize(("line", "expected"), QUESTIONS)
def test_zsh_completes(place: Place, line: str, expected: list[str]) -> None:
    place.write("folder/file", "")
    assert completed_by_zsh(place, line).split() == [*line.split()[:-1], *expected]


def completed_by_zsh(place: Place, line: str) -> str:
    """On a terminal of its own: a tab completes the word, and the line is printed instead of run."""
    place.write("../functions/_suture", place.suture("completion", "zsh").out)
    place.environment |= {"TERM": "dumb", "PS1": "> "}
    terminal = Terminal(place, "-f", "-i", program="zsh")
    terminal.send("fpath=(../functions $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste\n")
    terminal.send("show() { print -r -- \"<$BUFFER>\"; BUFFER=''; zle accept-line }; zle -N show\n")
    terminal.send("bindkey '^G' show; print re\"\"ady\n")
    terminal.until("ready")
    terminal.send(f"{line}\t\x07")
    said = terminal.until(">\r\n")
    terminal.send("exit\n")
    terminal.end()
    return str(re.findall(r"<(.*)>", plain(said))[-1])
