"""`glob` and `grep`: within the guard, the rules and their limits."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.agents import ALLOW, Agent, code

from suture.session import file_search, file_walk
from suture.session.path_pattern import PathPattern

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
        monkeypatch.setattr(file_search, "MOST_FOUND", 2)
        one = agent(tmp_path, {f"{number}.py": "" for number in range(5)})
        assert one.call(glob("*.py")).output.splitlines()[2] == "(3 more files match; narrow the search)"

    def test_a_large_tree_is_not_walked_to_its_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_walk, "MOST_VISITED", 3)
        one = agent(tmp_path, {f"{number}.py": "" for number in range(5)})
        output = one.call(glob("*.py")).output
        assert len(output.splitlines()) == 4
        assert "only the first 3 files and directories were visited" in output

    @pytest.mark.parametrize("pattern", ["a/" * 60, "{a,b}" * 10])
    def test_a_glob_that_is_too_large_is_refused(self, pattern: str, tmp_path: Path) -> None:
        assert code(agent(tmp_path, {}).call(glob(pattern))) == "invalid_arguments"


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
        monkeypatch.setattr(file_search, "LARGEST_FILE", 100)
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
        monkeypatch.setattr(file_search, "SECONDS", 0.3)
        result = agent(tmp_path, {"a": "a" * 40 + "b"}).call(grep(r"(a+)+$"))
        assert code(result) == "timeout"

    def test_a_long_answer_and_long_lines_are_cut(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_search, "MOST_FOUND", 2)
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
