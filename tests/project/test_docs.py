"""The documentation is true: its examples run and say what they claim, and what it names is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.shared.goldens import FOLDER, WRITE
from tests.shared.pages import (
    PAGES,
    README,
    ROOT,
    Block,
    anchors_of,
    blocks_of,
    code_of,
    commands_of,
    links_of,
    name_of,
    run_console,
    run_python,
    text_of,
)

from suture import unified_diff
from suture.cli.table import BY_NAME, COMMON

if TYPE_CHECKING:
    from pathlib import Path

RUN = {"python", "console"}
WITH_EXAMPLES = [page for page in PAGES if any(block.language in RUN for block in blocks_of(text_of(page)))]

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


class TestExamples:
    """The blocks of a page are run in order, in one folder; those in Python in one namespace too."""

    def test_the_readme_and_the_docs_have_them(self) -> None:
        assert {"README.md", "docs/matching.md", "docs/errors.md"} <= {name_of(page) for page in WITH_EXAMPLES}
        for name in ("README.md", "docs/cli.md"):
            assert "console" in {block.language for block in blocks_of(text_of(name))}

    @needs_bash
    @pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
    def test_those_of_a_page_run_and_say_what_they_claim(
        self, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "work"
        folder.mkdir()
        monkeypatch.chdir(folder)
        namespace: dict[str, object] = {"__name__": "__docs__"}
        for block in blocks_of(text_of(page)):
            if block.language == "python":
                run_python(block, name_of(page), namespace)
            elif block.language == "console":
                run_console(block, name_of(page), folder, tmp_path / "state")

    @pytest.mark.parametrize(
        ("code", "fault"),
        [("1 + 1  # → 3", AssertionError), ("1 / 0", ZeroDivisionError), ("print('a')  # → b", AssertionError)],
    )
    def test_one_in_python_that_lies_is_found(self, code: str, fault: type[Exception]) -> None:
        with pytest.raises(fault):
            run_python(Block("python", code, 1), "page.md", {})

    @needs_bash
    @pytest.mark.parametrize("code", ["$ echo a\nb\n", "$ echo a\n", "$ true\na\n", "$ echo a\n…\nb\n", "$ nowhere\n"])
    def test_one_for_the_shell_that_lies_is_found(self, code: str, tmp_path: Path) -> None:
        with pytest.raises(AssertionError):
            run_console(Block("console", code, 1), "page.md", tmp_path, tmp_path)

    @needs_bash
    def test_ids_may_be_others_and_lines_may_be_left_out(self, tmp_path: Path) -> None:
        code = "$ printf 'a\\nb\\nc\\nid 0123456789ab\\n'\na\n…\nid ba9876543210\n"
        run_console(Block("console", code, 1), "page.md", tmp_path, tmp_path)

    @needs_bash
    def test_a_command_goes_on_until_its_quotes_and_heredocs_are_closed(self) -> None:
        block = Block("console", "$ echo 'a\nb'\na\nb\n$ cat <<'EOF'\n$ x\nEOF\n$ x\n", 1)
        assert [tuple(command) for command in commands_of(block)[:1]] == [("echo 'a\nb'", "a\nb\n", 1)]
        assert commands_of(block)[1].text == "cat <<'EOF'\n$ x\nEOF"


def test_the_answers_on_the_page_of_errors_are_golden_files() -> None:
    """A block `text NAME` of docs/errors.md is the golden file of that name; `SUTURE_GOLDEN=write` renews it."""

    def golden(block: re.Match[str]) -> str:
        answer = (FOLDER / f"{block['name']}.txt").read_text("utf-8").removesuffix("\n\nNo file was changed.\n")
        return f"```text {block['name']}\n{answer.rstrip()}\n```"

    page = text_of("docs/errors.md")
    renewed, count = re.subn(r"```text (?P<name>[\w-]+)\n.*?\n```", golden, page, flags=re.DOTALL)
    assert count >= 20
    if WRITE:
        (ROOT / "docs" / "errors.md").write_text(renewed, "utf-8")
    assert text_of("docs/errors.md") == renewed


def test_codex_answers_the_patch_of_the_readme_as_the_readme_says() -> None:
    peer = pytest.importorskip("codex_apply_patch")
    text = text_of(README)
    files = dict(re.findall(r"^\$ cat > (\S+) <<'EOF'\n(.*?)^EOF$", text, re.MULTILINE | re.DOTALL))
    [shown] = [block.code for block in blocks_of(text) if block.language == "diff"]
    done = peer.apply_patch_in_memory(files["fix.patch"], {"settings.py": files["settings.py"]})
    assert shown in unified_diff(files["settings.py"], done.files["settings.py"], "settings.py")


class TestLinks:
    """A reader never ends up nowhere."""

    @pytest.mark.parametrize("page", PAGES, ids=name_of)
    def test_those_of_a_page_lead_somewhere(self, page: Path) -> None:
        lost = [
            written
            for written, there, anchor in links_of(page)
            if not there.exists() or (anchor and anchor not in anchors_of(there))
        ]
        assert lost == []

    def test_every_page_can_be_reached_from_the_readme(self) -> None:
        reached = {README}
        waiting = [README]
        while waiting:
            for _, there, _ in links_of(waiting.pop()):
                page = there / "README.md" if there.is_dir() else there
                if page in PAGES and page not in reached:
                    reached.add(page)
                    waiting.append(page)
        assert [name_of(page) for page in PAGES if page not in reached] == []

    def test_the_readme_names_every_page_of_the_docs(self) -> None:
        linked = {there for _, there, _ in links_of(README)}
        assert [page.name for page in sorted((ROOT / "docs").glob("*.md")) if page not in linked] == []

    def test_pages_that_the_code_names_are_there(self) -> None:
        sources = [
            *(ROOT / "src").rglob("*.py"),
            *(ROOT / "tests").rglob("*.py"),
            ROOT / "pyproject.toml",
        ]
        named = {
            (name, path.name)
            for path in sources
            for name in re.findall(r"(?<![\w/.])docs/decisions/[\w-]+\.md\b", path.read_text("utf-8"))
        }
        assert named
        assert [where for where in sorted(named) if not (ROOT / where[0]).is_file()] == []


class TestDecisions:
    """A decision has one number: that of its file, of its title, and of every link to it."""

    FILES = sorted((ROOT / "docs" / "decisions").glob("*.md"))

    def test_numbers_are_unique_and_none_is_left_out(self) -> None:
        assert [int(path.name[:4]) for path in self.FILES] == list(range(1, len(self.FILES) + 1))

    @pytest.mark.parametrize("page", FILES, ids=name_of)
    def test_the_title_has_the_number_of_the_file(self, page: Path) -> None:
        assert text_of(page).startswith(f"# {int(page.name[:4])}. ")

    def test_the_first_lists_all_others(self) -> None:
        assert [there for _, there, _ in links_of(self.FILES[0])] == self.FILES[1:]

    @pytest.mark.parametrize("page", PAGES, ids=name_of)
    def test_a_link_that_has_a_number_leads_to_the_decision_of_that_number(self, page: Path) -> None:
        links = re.findall(
            r"\[(?:decision\s+)?(\d+)(?:, [^\]]*)?\]\((?:[\w./]*/)?(\d{4})-[\w-]+\.md", text_of(page), re.IGNORECASE
        )
        assert [(said, number) for said, number in links if int(said) != int(number)] == []


class TestCommands:
    """What a page says in code about commands can be done."""

    @pytest.mark.parametrize("page", PAGES, ids=name_of)
    def test_targets_of_make_are_there(self, page: Path) -> None:
        targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
        code = "\n".join(code_of(page, "sh", "console"))
        assert set(re.findall(r"^make (?:[A-Z]+=\S+ )?([a-z]+)", code, re.MULTILINE)) <= targets

    def test_the_readme_shows_the_two_commands(self) -> None:
        shown = "\n".join(block.code for block in blocks_of(text_of(README)) if block.language == "sh")
        assert {"demo", "test"} <= set(re.findall(r"^make ([a-z]+)", shown, re.MULTILINE))

    @pytest.mark.parametrize("page", PAGES, ids=name_of)
    def test_commands_of_suture_and_their_options_are_there(self, page: Path) -> None:
        unknown = []
        for code in code_of(page, "sh", "console"):
            for name, rest in re.findall(r"\bsuture (?!import )([a-z]+)\b([^|>;&#\n]*)", code):
                command = BY_NAME.get(name)
                options = (*command.options, *COMMON) if command else ()
                flags = {flag for option in options for flag in option.flags} | {"-h", "--help"}
                if command is None or not set(re.findall(r"(?<!\S)--?[a-zA-Z][\w-]*", rest)) <= flags:
                    unknown.append(f"suture {name}{rest}")
        assert unknown == []

    def test_benchmarks_and_their_options_are_there(self) -> None:
        unknown = []
        for page in PAGES:
            for code in code_of(page, "sh", "console"):
                for name, rest in re.findall(r"\bpython -m benchmarks\.(\w+)([^|>;&#\n]*)", code):
                    flags = re.findall(r"(?<!\S)--[a-z-]+", rest)
                    unknown += [f"{name} {flag}" for flag in flags if flag not in _help_of(name)]
        assert unknown == []


@cache
def _help_of(benchmark: str) -> frozenset[str]:
    command = [sys.executable, "-m", f"benchmarks.{benchmark}", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True, timeout=120)
    return frozenset(re.findall(r"--[a-z-]+", done.stdout))


class TestArchitecture:
    """ARCHITECTURE.md leads to the right file: it names every module, and no other."""

    SOURCE = ROOT / "src" / "suture"

    def test_the_files_of_its_table_are_there(self) -> None:
        table = text_of("ARCHITECTURE.md").split("\n## Where is it decided …\n")[1].split("\n## ")[0]
        files = re.findall(r"`([\w/]+\.py)`", table)
        assert len(files) >= 20
        assert [file for file in files if not (self.SOURCE / file).is_file()] == []

    def test_every_module_is_named_and_no_other(self) -> None:
        text = text_of("ARCHITECTURE.md")
        named = {file.rpartition("/")[2] for file in re.findall(r"`([\w/]+\.py)`", text)}
        modules = {path.name for path in self.SOURCE.rglob("*.py") if path.parent.name != "commands"}
        assert sorted(named ^ modules) == []
