"""What a release has: one version, files for registries made from it, an image, a GitHub action."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.pages import ROOT

from suture import __version__

if TYPE_CHECKING:
    from typing import Any

SCRIPTS = ROOT / "scripts"
FILES = ["README.md", "pyproject.toml", "Dockerfile", "action.yml", "zensical.toml"]


def run_script(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


class TestTheVersion:
    def test_it_has_one_home(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        assert project["project"]["dynamic"] == ["version"]
        assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "suture.__version__"}
        assert [name for name in FILES if f'"{__version__}"' in (ROOT / name).read_text("utf-8")] == []


class TestReleaseFiles:
    @pytest.fixture
    def dist(self, tmp_path: Path) -> Path:
        dist = tmp_path / "dist"
        dist.mkdir()
        (dist / f"suture-{__version__}.tar.gz").write_bytes(b"source")
        return dist

    def test_they_have_the_version_and_the_hashes(self, dist: Path, tmp_path: Path) -> None:
        (dist / f"suture-{__version__}-windows-x64.exe").write_bytes(b"program")
        assert run_script("release-files", dist, tmp_path / "out").returncode == 0
        out = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.*") if path.is_file()}
        assert len(out) == 5
        server = json.loads(out["server.json"])
        assert (server["version"], server["packages"][0]["version"]) == (__version__, __version__)
        assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
        assert len(server["description"]) <= 100, "the registry takes no longer one"
        assert f'sha256 "{hashlib.sha256(b"source").hexdigest()}"' in out["suture.rb"]
        assert 'bin/"suture", "completion", shells: [:bash, :zsh, :fish])' in out["suture.rb"], "as `completion bash`"
        programs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
        assert [name for name in programs if f'libexec/"bin/{name}"' not in out["suture.rb"]] == []
        installer = out["Suture.Suture.installer.yaml"]
        assert f"InstallerSha256: {hashlib.sha256(b'program').hexdigest().upper()}" in installer
        assert all(f"PackageVersion: {__version__}" in text for name, text in out.items() if name.endswith(".yaml"))
        assert [name for name, text in out.items() if re.search(r"\$(?!schema)[a-z{]", text)] == []

    def test_without_a_program_for_windows_there_are_no_manifests_for_winget(self, dist: Path, tmp_path: Path) -> None:
        assert run_script("release-files", dist, tmp_path / "out").returncode == 0
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["server.json", "suture.rb"]

    def test_what_was_not_built_is_named(self, tmp_path: Path) -> None:
        done = run_script("release-files", tmp_path, tmp_path / "out")
        assert done.returncode == 1
        assert "run make dist first" in done.stderr


class TestTheWorkflow:
    def test_windows_runs_the_tests_in_an_environment(self) -> None:
        """Elsewhere, Windows has no programs beside Python, and tests that start `suture` would be skipped."""
        workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
        _, _, windows = workflow.partition("runs-on: windows-latest")
        command = re.search(r"run: (\S+) -m pytest", windows)
        assert command
        assert command[1] == ".venv/Scripts/python"


class TestTheImage:
    def test_it_runs_as_nobody_special_and_starts_the_server(self) -> None:
        lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
        words = [line.split(None, 1) for line in lines if line and not line.startswith(("#", " "))]
        last = dict(words)
        assert (last["USER"], last["ENTRYPOINT"]) == ("${UID}", '["suture", "mcp"]')
        assert "ARG UID=1000" in lines

    def test_what_it_copies_is_in_the_repository_and_not_ignored(self) -> None:
        copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
        names = [name for line in copied for name in line.split()]
        ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        assert names == ["pyproject.toml", "README.md", "LICENSE", "src"]
        assert [name for name in names if not (ROOT / name).exists() or f"!{name}" not in ignored] == []


class TestTheAction:
    @staticmethod
    def annotations(tmp_path: Path, *problems: dict[str, Any], directory: str = ".") -> list[str]:
        result = tmp_path / "result.json"
        result.write_text(json.dumps({"problems": problems, "changes": []}), "utf-8")
        done = run_script("github-annotations", result, directory)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    def test_a_problem_is_shown_at_its_file_and_line(self, tmp_path: Path) -> None:
        problem = {
            "code": "multiple_matches",
            "message": "It fits 2 places.",
            "path": "a.py",
            "details": {"lines": [2, 7]},
            "hint": "Name one.",
        }
        assert self.annotations(tmp_path, problem, directory="lib") == [
            "::error title=multiple_matches,file=lib/a.py,line=2::It fits 2 places.%0AName one."
        ]

    def test_what_is_nowhere_is_shown_at_the_nearest_place(self, tmp_path: Path) -> None:
        problem = {"code": "patch_apply_error", "message": "No.", "path": "a.py", "details": {"nearest": {"first": 5}}}
        assert self.annotations(tmp_path, problem) == ["::error title=patch_apply_error,file=a.py,line=5::No."]

    @pytest.mark.parametrize("text", ["x\n::set-output name=a::b", "x\r::error::y", "%0A::error::y"])
    def test_no_text_of_a_model_begins_a_command(self, text: str, tmp_path: Path) -> None:
        problem = {"code": "not_found", "message": text, "path": f"{text},line=9", "details": {}, "hint": text}
        (line,) = self.annotations(tmp_path, problem)
        assert line.startswith("::error title=not_found,file=")
        assert line.split("::")[1].count(",") == 1

    @pytest.mark.parametrize("name", ["##[stop-commands]x", "a/##[add-mask]b", "###[error]c", "\udcff"])
    def test_no_name_of_a_file_is_a_command_of_the_older_form(self, name: str, tmp_path: Path) -> None:
        """The runner finds it anywhere in a line, unless the line is a command of the other form."""
        result = tmp_path / "result.json"
        result.write_text(json.dumps({"problems": [], "changes": [{"kind": "add", "path": name}]}), "utf-8")
        done = subprocess.run(
            [sys.executable, SCRIPTS / "github-annotations", result],
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("add ")
        assert "##[" not in done.stdout

    def test_annotations_are_utf_8_on_every_system(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
        problem = {"code": "not_found", "message": "→ 文.py", "path": "文.py", "details": {}, "hint": ""}
        assert self.annotations(tmp_path, problem) == ["::error title=not_found,file=文.py::→ 文.py"]

    def test_no_file_of_the_checkout_is_a_module_of_the_script(self, tmp_path: Path) -> None:
        """The first thing that it starts, Python's own modules, is in a directory that may be anybody's."""
        script = (SCRIPTS / "github-action").read_text("utf-8")
        starts = re.findall(r"""^"\$[^"]*python[^"]*" (.*)$""", script, re.MULTILINE)
        assert len(starts) == 2
        for name in ("venv", "pip"):
            (tmp_path / f"{name}.py").write_text("raise SystemExit('that of the checkout')")
        for options in [re.split(r" (?=--disable|\"\$env)", start)[0] for start in starts]:
            command = [sys.executable, *options.split(), "--help"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert (done.returncode, "usage" in done.stdout.lower()) == (0, True), done.stderr

    @pytest.mark.parametrize("programs", ["bin", "Scripts"])
    def test_the_script_checks_applies_and_reports(self, programs: str, tmp_path: Path) -> None:
        """The script of the action, with an environment that has Suture already instead of a network."""
        project, runner = tmp_path / "project", tmp_path / "runner"
        (runner / "suture-environment" / programs).mkdir(parents=True)
        for name in ("python", "suture"):
            (runner / "suture-environment" / programs / name).symlink_to(Path(sys.executable).parent / name)
        script = (SCRIPTS / "github-action").read_text("utf-8")
        kept = [line for line in script.splitlines() if " -m venv " not in line and " -m pip " not in line]
        assert len(kept) == len(script.splitlines()) - 2
        project.mkdir()
        (project / "a.txt").write_text("one\ntwo\n", "utf-8")
        (project / "answer.md").write_text(
            "Sure:\n*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n"
        )
        given = {"ANSWER": "answer.md", "DIALECT": "standard", "DIRECTORY": ".", "RUNNER_TEMP": str(runner)}
        given |= {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(runner / "output")}

        def run(apply: str) -> subprocess.CompletedProcess[str]:
            environment = {**os.environ, **given, "APPLY": apply, "SUTURE_STATE_DIR": str(tmp_path / "state")}
            command = ["bash", "-c", "\n".join(kept)]
            return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

        assert (run("false").returncode, (project / "a.txt").read_text("utf-8")) == (0, "one\ntwo\n")
        assert (run("true").returncode, (project / "a.txt").read_text("utf-8")) == (0, "one\n2\n")
        again = run("true")
        assert again.returncode == 1
        assert again.stdout.startswith("::error title=patch_apply_error,file=a.txt")
        assert (runner / "output").read_text("utf-8").split().count("ok=false") == 1
        (project / "answer.md").unlink()
        missing = run("false")
        assert (missing.returncode, missing.stderr) == (1, "")
        assert missing.stdout.startswith("::error title=not_found::There is no file with the answer")
        assert (runner / "output").read_text("utf-8").split().count("ok=false") == 2


def test_every_page_has_a_place_in_the_menu_of_the_site() -> None:
    def pages(entries: list[dict[str, Any]]) -> list[str]:
        return [
            page
            for entry in entries
            for value in entry.values()
            for page in ([value] if isinstance(value, str) else pages(value))
        ]

    menu = pages(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    docs = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    names = {name.replace("README.md", "index.md") for name in docs if not name.startswith("decisions/")}
    names |= {"index.md", "security.md", "changelog.md", "architecture.md", "contributing.md", "benchmarks.md"}
    assert sorted(menu) == sorted(names | {"decisions/0001-record-decisions.md"})
