"""Formatters: what they change is in the record and in the answer; one that fails changes nothing and is told of."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, edit
from tests.shared.sites import envelope, updated

from suture.agent import FileEdited, Formatter, Result, formatters
from suture.agent.formatters import Formatters, run_formatter

if TYPE_CHECKING:
    from pathlib import Path

#: Makes double quotes of single ones.
SWAP = "import sys; sys.stdout.reconfigure(newline=''); print(sys.stdin.read().replace(chr(39), chr(34)), end='')"
QUOTES = Formatter("**/*.py", (sys.executable, "-c", SWAP))
FORMATTED = APP.replace("'Hi '", "'Hello '").replace("'", '"')


def python(code: str, limit: float = 10.0) -> Formatter:
    return Formatter("**", (sys.executable, "-c", code), limit)


def run(formatter: Formatter, content: bytes = b"x = 1\n", root: str = "/") -> tuple[bytes | None, str]:
    return asyncio.run(run_formatter(formatter, "/w/a.py", root, content))


class TestInASession:
    def test_the_file_is_formatted_and_the_answer_shows_it(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES])
        result = agent.call(READ, edit())
        assert agent.text("src/app.py") == FORMATTED
        assert result.title == "src/app.py"
        assert result.output.startswith("Edit applied successfully.\nM src/app.py +2 -2\nsrc/app.py was formatted by ")
        assert "-    print('Bye ' + name)\n" in result.output

    def test_the_answer_is_about_the_file_as_it_is_now(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES])
        result = agent.call(READ, edit())
        filediff = result.metadata["filediff"]
        assert (filediff["before"], filediff["after"]) == (APP, FORMATTED)
        assert (filediff["additions"], filediff["deletions"]) == (2, 2)
        assert filediff["edits"]
        (tmp_path / "copy" / "src").mkdir(parents=True)
        (tmp_path / "copy" / "src" / "app.py").write_text(APP)
        diff = result.metadata["diff"].encode()
        subprocess.run(["git", "apply", "-"], input=diff, cwd=tmp_path / "copy", check=True)
        assert (tmp_path / "copy" / "src" / "app.py").read_text() == FORMATTED

    def test_it_is_in_the_record_and_can_be_undone(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES])
        result = agent.call(READ, edit())
        assert [receipt.tool for receipt in agent.workspace.log()] == ["format", "edit"]
        assert result.metadata["receipts"] == [receipt.id for receipt in reversed(agent.workspace.log())]
        for receipt in reversed(result.metadata["receipts"]):
            agent.workspace.undo(receipt)
        assert agent.text("src/app.py") == APP

    def test_what_was_formatted_counts_as_read(self, tmp_path: Path) -> None:
        assert not Agent(tmp_path, formatters=[QUOTES]).call(READ, edit(), edit('"Hello "', '"Hey "')).is_error

    def test_both_writes_are_told_in_order(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES])
        agent.call(READ, edit())
        assert agent.edited() == ["src/app.py", "src/app.py"]

    def test_a_file_that_is_right_already_is_written_once(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[python("import sys; print(sys.stdin.read(), end='')")])
        assert agent.call(READ, edit()).output == "Edit applied successfully.\nM src/app.py +1 -1"
        assert len(agent.workspace.log()) == 1

    def test_of_a_patch_each_file_goes_through_its_own(self, tmp_path: Path) -> None:
        upper = python("import sys; print(sys.stdin.read().upper(), end='')").replace(glob="*.txt")
        agent = Agent(tmp_path, formatters=[QUOTES, upper])
        patch = envelope(
            "*** Update File: src/app.py",
            "*** Move to: src/main.py",
            *updated("", "    print('Hi ' + name)", "    print('Hello ' + name)")[1:],
            "*** Add File: a.txt",
            "+a",
            "*** Add File: b.md",
            "+b",
        )
        result = agent.call(("apply_patch", {"patchText": patch}))
        assert result.title == "3 files changed"
        assert [agent.text(name) for name in ("src/main.py", "a.txt", "b.md")] == [FORMATTED, "A\n", "b\n"]
        assert [one["after"] for one in result.metadata["filediffs"]] == [FORMATTED, "A\n", "b\n"]
        assert result.metadata["filediffs"][0]["before"] == APP

    def test_a_file_that_a_patch_changes_twice(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES], settings={"dialect": "codex"})
        sections = [
            *updated("src/app.py", "    print('Hi ' + name)", "    print('Hey ' + name)"),
            *updated("src/app.py", "    print('Hey ' + name)", "    print('Hello ' + name)"),
        ]
        result = agent.call(READ, ("apply_patch", {"patchText": envelope(*sections)}))
        assert not result.is_error
        assert result.title == "src/app.py"
        assert agent.text("src/app.py") == FORMATTED

    def test_deleted_and_moved_files_are_left_alone(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[QUOTES])
        agent.call(READ, ("move", {"filePath": "src/app.py", "toPath": "b.py"}))
        assert agent.text("b.py") == APP
        assert not agent.call(("delete", {"filePath": "b.py"})).is_error

    def test_one_that_fails_is_told_of_and_the_edit_stands(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, formatters=[python("import sys; sys.exit('line 1: no such syntax')")])
        result = agent.call(READ, edit())
        assert not result.is_error
        told = f"src/app.py was not formatted: the formatter {sys.executable} failed (line 1: no such syntax)."
        assert result.output == f"Edit applied successfully.\nM src/app.py +1 -1\n{told}"
        assert agent.text("src/app.py") == APP.replace("'Hi '", "'Hello '")

    def test_a_file_that_changes_meanwhile_is_left_alone(self, tmp_path: Path) -> None:
        """Somebody writes while the formatter runs: what it makes of the old text must not cover that."""
        slow = python("import sys, pathlib; pathlib.Path('src/app.py').write_text('theirs'); print('mine')")
        agent = Agent(tmp_path, formatters=[slow])
        result = agent.call(READ, edit())
        assert "src/app.py was not formatted: " in result.output
        assert agent.text("src/app.py") == "theirs"

    def test_a_cancelled_call_leaves_the_edit_recorded_and_told(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=ALLOW, formatters=[python("import time; time.sleep(1000)", 1000)])

        async def work(session: object) -> Result | None:
            await agent.session.read("src/app.py")
            written = asyncio.Event()
            agent.session.bus.subscribe(lambda _: loop.call_soon_threadsafe(written.set), FileEdited)
            loop = asyncio.get_running_loop()
            task = asyncio.create_task(agent.session.edit("src/app.py", "'Hi '", "'Hello '"))
            await written.wait()
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert session is agent.session
            return None

        agent.run(work)
        assert [receipt.tool for receipt in agent.workspace.log()] == ["edit"]


class TestTheCommand:
    def test_it_gets_the_text_and_gives_the_new_one(self) -> None:
        assert run(python("import sys; print(sys.stdin.read().upper(), end='')")) == (b"X = 1\n", "")

    @pytest.mark.parametrize(
        ("content", "printed", "formatted"),
        [
            (b"a\nb\n", b"A\r\nB\r\n", b"A\nB\n"),
            (b"a\r\nb\r\n", b"A\r\nB\r\n", b"A\r\nB\r\n"),
            (b"a\nb\n", b"A\nB\r\n", b"A\nB\r\n"),
        ],
    )
    def test_lines_that_end_as_windows_prints_them_keep_the_ends_of_the_file(
        self, content: bytes, printed: bytes, formatted: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(formatters, "WINDOWS", True)
        assert run(python(f"import sys; sys.stdout.buffer.write({printed!r})"), content) == (formatted, "")

    def test_it_may_know_the_path(self) -> None:
        command = (sys.executable, "-c", "import sys; print(sys.argv[1], end='')", "{path}")
        assert run(Formatter("*", command)) == (b"/w/a.py", "")

    def test_it_runs_in_the_workspace(self, tmp_path: Path) -> None:
        assert run(python("import os; print(os.getcwd(), end='')"), root=str(tmp_path)) == (str(tmp_path).encode(), "")

    def test_one_that_is_missing(self) -> None:
        assert run(Formatter("*", ("no-such-formatter",))) == (
            None,
            "the formatter no-such-formatter can't be run (No such file or directory)",
        )

    def test_one_that_is_slow_is_ended_with_all_that_it_started(self) -> None:
        code = "import subprocess; subprocess.run(['sleep', '1000'])"
        content, wrong = run(python(code, 0.5))
        assert (content, wrong) == (None, f"the formatter {sys.executable} took longer than 0.5 seconds")

    def test_one_that_fails_without_a_word(self) -> None:
        assert run(python("raise SystemExit(3)"))[1].endswith("failed (exit status 3)")

    def test_one_that_prints_nothing_does_not_empty_the_file(self) -> None:
        assert run(python("pass")) == (None, f"the formatter {sys.executable} printed nothing")
        assert run(python("pass"), b"") == (None, "")

    def test_what_is_no_text_does_not_get_into_a_text(self) -> None:
        none = (None, f"the formatter {sys.executable} printed binary data")
        latin = python(r"import sys; sys.stdout.buffer.write(b'caf\xe9\n')")
        assert run(python(r"import sys; sys.stdout.buffer.write(b'\0\xff')")) == none
        assert run(latin) == none
        assert run(latin, b"caf\xe8\n") == (b"caf\xe9\n", "")
        assert asyncio.run(run_formatter(latin, "/w/a.py", "/", b"x", "latin-1")) == (b"caf\xe9\n", "")

    def test_one_that_does_not_read_its_input(self) -> None:
        assert run(python("print('done', end='')"), b"x" * 5_000_000) == (b"done", "")

    def test_one_that_prints_without_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(formatters, "MOST_FORMATTED_BYTES", 100_000)
        content, wrong = run(python("while True: print('x' * 10000)"))
        assert content is None
        assert wrong.endswith("printed more than 100,000 bytes")

    def test_the_first_that_matches_is_taken(self) -> None:
        one, two = Formatter("src/**", ("one",)), Formatter("**/*.py", ("two",))
        known = Formatters([one, two])
        assert (known.find("src/a.py"), known.find("b.py"), known.find("c.txt")) == (one, two, None)
        assert not Formatters()
