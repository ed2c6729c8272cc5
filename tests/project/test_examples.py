"""The examples run as their first lines say, and say what they are meant to say."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from venv import EnvBuilder

import pytest
import rapidfuzz

import suture

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
#: Those for adapters, which tests/adapters runs with their frameworks; the first needs none.
PLAIN_LOOP, *WITH_FRAMEWORKS = sorted((ROOT / "examples" / "adapters").glob("*.py"))
DEMO = EXAMPLES[0].with_name("demo.py")
AGENT = EXAMPLES[0].with_name("agent.py")


def output_of(example: Path, **environment: str) -> str:
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | environment
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_there_are_examples() -> None:
    assert [path.name for path in EXAMPLES] == ["agent.py", "demo.py"]


def opening_of(example: Path) -> str:
    """The first lines of an example, as one line."""
    return " ".join((ast.get_docstring(ast.parse(example.read_text("utf-8"))) or "").split())


def command_of(example: Path) -> list[str]:
    """The command that the first lines of an example say to run it with."""
    command = re.search(r"Run it with `([^`]+)`", opening_of(example))
    assert command is not None
    return shlex.split(command[1])


@pytest.fixture(scope="module")
def fresh_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with what `pip install .` installs: Suture, the one package that it needs, and no other tools."""
    folder = tmp_path_factory.mktemp("fresh")
    EnvBuilder(symlinks=True).create(folder)
    [packages] = folder.glob("lib/python*/site-packages")
    for module in (suture, rapidfuzz):
        source = Path(str(module.__file__)).parent
        (packages / source.name).symlink_to(source)
    return folder


@pytest.mark.parametrize("example", [*EXAMPLES, PLAIN_LOOP], ids=lambda path: path.name)
def test_an_example_runs_as_it_says_after_pip_install(example: Path, fresh_environment: Path, tmp_path: Path) -> None:
    environ = {"PATH": str(fresh_environment / "bin"), "HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    program, *arguments = command_of(example)
    command = [str(fresh_environment / "bin" / program), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", env=environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("example", WITH_FRAMEWORKS, ids=lambda path: path.name)
def test_an_example_for_a_framework_says_what_it_needs(example: Path) -> None:
    extra = example.stem.removeprefix("with_").replace("_", "-")
    assert command_of(example) == ["python", example.relative_to(ROOT).as_posix()]
    assert f'`pip install ".[{extra}]"`' in opening_of(example)
    assert re.search(rf"^{extra} = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_is_plain_in_a_pipe(example: Path) -> None:
    said = output_of(example, PYTHONIOENCODING="utf-8")
    assert said
    assert "\x1b" not in said


def test_the_demo_shows_a_placed_patch_its_concessions_and_a_refusal() -> None:
    said = output_of(DEMO, PYTHONIOENCODING="utf-8")
    for shown in ("*** Begin Patch", "--- a/", "+++ b/", "@@ -", "tier", "multiple_matches", "No file was changed."):
        assert shown in said


def test_the_demo_shows_a_killed_process_its_recovery_and_an_undo() -> None:
    said = output_of(DEMO, PYTHONIOENCODING="utf-8")
    for shown in (
        "<- left by the killed commit",
        "was rolled back",
        "A shop/prices.py",
        "M README.md -> docs/README.md",
        "undone by",
    ):
        assert shown in said


def test_the_demo_does_not_need_a_terminal_that_knows_unicode() -> None:
    assert output_of(DEMO, PYTHONIOENCODING="ascii:backslashreplace")


def test_the_agent_breaks_something_mends_it_and_is_refused_once() -> None:
    said = output_of(AGENT, PYTHONIOENCODING="utf-8")
    steps = (
        "> read",
        "It introduced 1 error in src/shop.py (Python):\n    line 3, column 21: '(' was never closed",
        "Python found no new errors in src/shop.py.",
        "? apply_patch wants: update settings.toml +0 -1",
        "rejected the edit of settings.toml and said: Leave a comment that says where the rate is now.",
        "? apply_patch wants: update settings.toml +1 -1",
        "Patch applied successfully. 1 file changed:",
        "Written: src/shop.py, src/shop.py, settings.toml",
    )
    places = [said.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
