"""`glob` and `grep`: within the guard, the rules and their limits."""

from __future__ import annotations

import os
import re
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, Agent, code
from tests.shared.glob_reference import make_path, make_pattern
from tests.shared.processes import open_files

from suture.agent import file_search, file_walk, line_search
from suture.agent.file_walk import FileWalk
from suture.agent.path_pattern import PathPattern
from suture.core.common_limits import DEEPEST_FOLDER
from suture.workspace.guard import ResolvedPath

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def agent(folder: Path, files: dict[str, str | bytes], **given: Any) -> Agent:
    found = Agent(folder, profile="all", **given)
    (found.root / "src" / "app.py").unlink()
    (found.root / "src").rmdir()
    for name, content in files.items():
        found.put(name, content)
    return found


def glob(pattern: str, **more: Any) -> tuple[str, Any]:
    return "glob", {"pattern": pattern, **more}


def grep(pattern: str, **more: Any) -> tuple[str, Any]:
    return "grep", {"pattern": pattern, **more}


class TestPathPattern:
    @pytest.mark.parametrize(
        ("pattern", "matches", "others"),
        [
            ("*.py", ["a.py", "x/a.py"], ["a.pyc"]),
            ("**/*.py", ["a.py", "x/y/a.py"], ["a.ts"]),
            ("src/*.ts", ["src/a.ts"], ["a.ts", "src/x/a.ts", "x/src/a.ts"]),
            ("src/**", ["src/a", "src/x/a"], ["src", "a"]),
            ("src/**/a", ["src/a", "src/x/y/a"], ["a", "src/b"]),
            ("/src/*.{ts,tsx}", ["src/a.ts", "src/a.tsx"], ["src/a.t"]),
            ("**", ["a", "a/b"], []),
            ("a?[12]", ["ab1"], ["ab3", "a/1"]),
            ("{a", ["{a"], ["a"]),
        ],
    )
    def test_a_glob_is_that_of_a_shell(self, pattern: str, matches: list[str], others: list[str]) -> None:
        found = PathPattern(pattern)
        assert [path for path in [*matches, *others] if found.matches(path)] == matches

    def test_a_hostile_glob_takes_no_time(self) -> None:
        assert not PathPattern("**/" * 40 + "*a" * 200 + "b").matches("/".join(["a" * 200] * 100))


class TestGlob:
    def test_files_are_listed_the_newest_first(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a.py": "", "b/c.py": "", "d.txt": ""})
        os.utime(one.root / "a.py", (1, 1))
        assert one.call(glob("**/*.py")).output == "b/c.py\na.py"

    def test_no_match_is_told_so(self, tmp_path: Path) -> None:
        assert agent(tmp_path, {"a.py": ""}).call(glob("*.rs")).output == "No file matches."

    def test_a_directory_narrows_the_search(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a.py": "", "b/c.py": ""})
        assert one.call(glob("*.py", path="b")).output == "b/c.py"

    def test_a_missing_directory_is_not_found(self, tmp_path: Path) -> None:
        assert code(agent(tmp_path, {"a.py": ""}).call(glob("*", path="nowhere"))) == "not_found"

    def test_nothing_outside_is_listed(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a.py": ""})
        (tmp_path / "secret.py").write_text("")
        (one.root / "link").symlink_to(tmp_path)
        assert one.call(glob("**/*.py")).output == "a.py"

    def test_what_git_ignores_is_left_out_as_git_does_it(self, tmp_path: Path) -> None:
        files: dict[str, str | bytes] = {
            ".gitignore": "*.log\n/build/\n!keep.log\n",
            "a.log": "",
            "keep.log": "",
            "build/x": "",
            "src/build/y": "",
            "src/.gitignore": "*.tmp\n!*.log\n",
            "src/a.log": "",
            "src/b.tmp": "",
            "src/deep/c.tmp": "",
            "b.tmp": "",
        }
        one = agent(tmp_path, files)
        whole, below = [set(result.output.splitlines()) for result in one.calls(glob("**"), glob("**", path="src"))]
        subprocess.run(["git", "init", "-q"], cwd=one.root, check=True)
        listing = ["git", "ls-files", "--others", "--exclude-standard"]
        expected = subprocess.run(listing, cwd=one.root, check=True, capture_output=True, text=True).stdout
        assert whole == set(expected.split())
        assert below == {path for path in whole if path.startswith("src/")}

    def test_what_may_not_be_read_is_not_named(self, tmp_path: Path) -> None:
        rules = [*ALLOW, ("read", "secret", "deny"), ("read", "ask", "ask")]
        one = agent(tmp_path, {"a": "", "secret/b": "", "ask/c": "", ".env": "", ".git/config": ""}, rules=rules)
        assert one.call(glob("**")).output == "a"

    def test_a_denied_directory_is_refused(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"secret/b": ""}, rules=[("read", "secret", "deny")])
        assert code(one.call(glob("**", path="secret"))) == "rejected"

    def test_a_long_answer_is_cut(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_search, "MOST_MATCHES", 2)
        one = agent(tmp_path, {f"{number}.py": "" for number in range(5)})
        assert one.call(glob("*.py")).output.splitlines()[2] == "(3 more files match; narrow the search)"

    def test_a_large_tree_is_not_walked_to_its_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_walk, "MOST_WALKED", 3)
        one = agent(tmp_path, {f"{number}.py": "" for number in range(5)})
        output = one.call(glob("*.py")).output
        assert len(output.splitlines()) == 4
        assert "only the first 3 files and directories were visited" in output

    @pytest.mark.parametrize("pattern", ["a/" * 60, "{a,b}" * 10])
    def test_a_glob_that_is_too_large_is_refused(self, pattern: str, tmp_path: Path) -> None:
        assert code(agent(tmp_path, {}).call(glob(pattern))) == "invalid_arguments"


class TestHostileNames:
    def test_patterns_and_names_that_match_in_many_ways_take_no_time(self, tmp_path: Path) -> None:
        hostile = "*a" * 30 + "b"
        files: dict[str, str | bytes] = {".gitignore": hostile, "a" * 200: "y", f"{'a' * 100}/{'a' * 200}": "y"}
        one = agent(tmp_path, files)
        for call in (glob("**"), glob(hostile), grep("y"), grep("y", include=hostile)):
            assert "timeout" not in one.call(call).output
        assert len(one.call(glob("a*")).output.splitlines()) == 2

    def test_each_directory_is_opened_once_however_deep_it_is(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one = agent(tmp_path, {"d/" * 90 + "x": ""})
        count = 0
        real_open = os.open

        def counted_open(*given: Any, **named: Any) -> int:
            nonlocal count
            count += 1
            return real_open(*given, **named)

        monkeypatch.setattr(os, "open", counted_open)
        assert one.call(glob("**/x")).output.count("d/") == 90
        # One for a directory, and one for the file .gitignore that it does not have.
        assert count < 4 * 90

    def test_what_is_nested_too_deeply_is_left_out_and_told_so(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"d/" * DEEPEST_FOLDER + "x": "", "e/" * (DEEPEST_FOLDER + 1) + "x": ""})
        assert one.call(glob("**/x")).output.splitlines() == [
            "d/" * DEEPEST_FOLDER + "x",
            "(directories more than 100 levels deep were left out; narrow the search)",
        ]
        assert one.call(glob("**/x", path="e/e")).output == "e/" * (DEEPEST_FOLDER + 1) + "x"

    def test_nothing_stays_open_if_a_search_ends_early(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_walk, "MOST_WALKED", 30)
        one = agent(tmp_path, {"d/" * depth + "x": "y" for depth in range(50)})
        before = open_files()
        one.call(glob("**"))
        one.call(grep("y"))
        assert open_files() == before

    def test_large_ignore_files_are_told_of(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_walk, "LARGEST_IGNORE_FILE", 10)
        one = agent(tmp_path, {"a": "", ".gitignore": "a\n" * 10})
        assert one.call(glob("a")).output == "a\n(.gitignore files over 10 bytes were not used; narrow the search)"

    def test_the_work_of_names_and_ignore_files_has_a_limit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(file_walk, "MOST_WALK_WORK", 10_000)
        one = agent(tmp_path, {f"{number}/.gitignore": "abc\n" * 100 for number in range(20)})
        assert "the names are too long, or the .gitignore files too large" in one.call(glob("**")).output

    @pytest.mark.parametrize("kind", ["fifo", "link", "directory"])
    def test_an_ignore_file_that_is_no_file_is_left_alone(self, tmp_path: Path, kind: str) -> None:
        one = agent(tmp_path, {"a": ""})
        path = one.root / ".gitignore"
        make = {"fifo": os.mkfifo, "link": lambda path: path.symlink_to("/dev/zero"), "directory": os.mkdir}
        make[kind](path)
        assert one.call(glob("**")).output == "a"

    @pytest.mark.parametrize("seed", range(8))
    def test_lines_of_any_kind_ignore_what_git_ignores(self, tmp_path: Path, seed: int) -> None:
        pick = Random(seed)
        ignore = {
            f"{folder}.gitignore": "\n".join([make_pattern(pick) for _ in range(6)]) for folder in ("", "a/", "b/ab/")
        }
        files: dict[str, str | bytes] = dict.fromkeys([f"{make_path(pick, 3)}.x{number}" for number in range(60)], "")
        one = Agent(tmp_path, profile="all", settings={"lift": ["**"]})
        for name, content in {**files, **ignore}.items():
            if "/./" not in f"/{name}":
                one.put(name, content)
        listed = {file.shown for file in FileWalk(one.workspace.guard(), start_of(one)).files()}
        subprocess.run(["git", "init", "-q"], cwd=one.root, check=True)
        listing = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
        expected = subprocess.run(listing, cwd=one.root, check=True, capture_output=True).stdout
        assert listed == set(expected.decode().split("\0")) - {""}


def start_of(agent: Agent) -> ResolvedPath:
    root = str(agent.root)
    return ResolvedPath(root, root, ".", found=agent.workspace.files.stat(root))


class TestGrep:
    def test_lines_are_shown_with_path_and_number(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a.py": "x = 1\r\ny = 2\r\n", "b/c.txt": "y = 20\n"})
        assert one.call(grep(r"y = \d+$")).output == "a.py:2:y = 2\nb/c.txt:1:y = 20"

    def test_files_can_be_chosen_by_a_glob_or_a_path(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a.py": "y\n", "b/c.txt": "y\n"})
        calls = [grep("y", include="*.txt"), grep("y", path="a.py"), grep("Y", path="b", ignoreCase=True)]
        assert [result.output for result in one.calls(*calls)] == ["b/c.txt:1:y", "a.py:1:y", "b/c.txt:1:y"]

    def test_no_match_is_told_so(self, tmp_path: Path) -> None:
        assert agent(tmp_path, {"a.py": "x\n"}).call(grep("y")).output == "No line matches."

    def test_binary_and_large_files_are_left_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_search, "LARGEST_SEARCHED_FILE", 100)
        one = agent(tmp_path, {"a": b"\0y", "b": "y" * 101, "c": "y"})
        assert one.call(grep("y")).output == "c:1:y\n(files over 0.0001 MB were not searched)"
        assert one.call(grep("y", path="b")).output == "No line matches.\n(files over 0.0001 MB were not searched)"
        assert one.call(grep("y", include="c")).output == "c:1:y"

    def test_nothing_that_may_not_be_read_is_shown(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a": "y", "secret/b": "y", ".env": "y"}, rules=[("read", "secret", "deny")])
        assert one.call(grep("y")).output == "a:1:y"

    def test_an_invalid_expression_is_explained(self, tmp_path: Path) -> None:
        result = agent(tmp_path, {"a": "y"}).call(grep("(y"))
        assert code(result) == "invalid_arguments"
        assert "missing )" in result.output

    def test_an_expression_that_takes_forever_is_stopped(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(line_search, "MOST_SEARCH_SECONDS", 0.3)
        result = agent(tmp_path, {"a": "a" * 40 + "b"}).call(grep(r"(a+)+$"))
        assert code(result) == "timeout"
        assert "longer than 0.3 seconds" in result.output

    def test_an_expression_that_compiles_forever_is_never_compiled_in_this_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hostile = "[\0-\U0010ffff]" * 300
        compiled: list[object] = []
        compile_here = re.compile

        def record(pattern: Any, flags: Any = 0) -> Any:
            compiled.append(pattern)
            assert pattern != hostile
            return compile_here(pattern, flags)

        monkeypatch.setattr(re, "compile", record)
        monkeypatch.setattr(line_search, "MOST_SEARCH_SECONDS", 0.5)
        one = agent(tmp_path, {"a": "y"})
        assert code(one.call(grep(hostile, ignoreCase=True))) == "timeout"
        assert "(y" not in compiled
        assert code(one.call(grep("(y"))) == "invalid_arguments"

    def test_an_expression_that_needs_much_memory_is_stopped(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Python's engine keeps a record for each of the million repetitions.
        monkeypatch.setattr(line_search, "MOST_SEARCH_MEMORY", 100_000_000)
        result = agent(tmp_path, {"a": "a" * 1_900_000}).call(grep(r"(?:(a)|b|c)*d"))
        assert code(result) == "invalid_arguments"
        assert "more than 100 MB of memory" in result.output

    def test_an_expression_that_is_too_long_is_refused(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a": "y" * 2_001})
        assert one.call(grep("y" * 2_000)).output.startswith("a:1:yyy")
        result = one.call(grep("y" * 2_001))
        assert code(result) == "invalid_arguments"
        assert "2,001 characters" in result.output

    def test_an_invalid_expression_is_explained_also_if_there_is_no_file(self, tmp_path: Path) -> None:
        assert code(agent(tmp_path, {}).call(grep("(y"))) == "invalid_arguments"

    def test_a_file_of_two_megabytes_fits_into_the_memory(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a": "\n" * 1_999_999 + "y", "b": "é" * 999_999 + "y"})
        a, b = one.call(grep("y")).output.splitlines()
        assert (a, b[:6]) == ("a:2000000:y", "b:1:éé")

    def test_a_long_answer_and_long_lines_are_cut(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_search, "MOST_MATCHES", 2)
        one = agent(tmp_path, {"a": "y" * 1000 + "\ny\ny\ny\n"})
        first, _, third = one.call(grep("y")).output.splitlines()
        assert (len(first), third) == (305, "(only the first 2 lines are shown; narrow the search)")

    def test_files_are_searched_in_batches(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_search, "BATCH", 3)
        one = agent(tmp_path, dict.fromkeys("abc", "yy\n"))
        assert one.call(grep("y")).output == "a:1:yy\nb:1:yy\nc:1:yy"

    def test_a_search_is_no_read(self, tmp_path: Path) -> None:
        one = agent(tmp_path, {"a": "y\n"})
        assert code(one.call(grep("y"), ("edit", {"filePath": "a", "oldString": "y", "newString": "z"}))) == "not_read"
