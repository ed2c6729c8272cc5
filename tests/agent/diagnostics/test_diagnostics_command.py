"""A command as a diagnoser: what it prints is read, what can't be read is unknown, and it never runs on."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from suture.agent.diagnostics import command as command_module
from suture.agent.diagnostics.command import CommandDiagnoser, line_reader, read_ruff_json
from suture.agent.diagnostics.report import Diagnostic, Report

if TYPE_CHECKING:
    from pathlib import Path

PATIENT = 30.0

#: Prints a line for each line of a file, or of its input, that has the word bad; ends with 1 if there is any.
LINT = """
import sys
name = sys.argv[1]
text = sys.stdin.read() if name == "-" else open(name).read()
found = 0
for number, line in enumerate(text.splitlines(), 1):
    if "bad" in line:
        print(f"{name}:{number}:{line.index('bad') + 1}: error: bad word [B1]")
        found = 1
print("some.other:1:1: error: elsewhere")
print("done")
sys.exit(found)
"""

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def python(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", program, *arguments]


def check(
    folder: Path, command: list[str], before: str | None, after: str, *, timeout: float = PATIENT, **options: Any
) -> Report:
    """The report of a command on a file that was written."""
    path = folder / "a.txt"
    path.write_text(after)

    async def main() -> Report:
        diagnoser = CommandDiagnoser(command, name="lint", **options)
        report = await diagnoser.check(str(path), before, after, timeout=timeout)
        await diagnoser.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return report

    return asyncio.run(main())


def bad(folder: Path, line: int) -> Diagnostic:
    return Diagnostic(str(folder / "a.txt"), line, 1, line, 1, "error", "bad word", "B1", "lint")


@pytest.mark.parametrize(
    ("arguments", "options"), [((), {}), (("{path}",), {}), (("-",), {"stdin": True})], ids=["last", "path", "stdin"]
)
def test_only_what_an_edit_introduced_is_reported(
    tmp_path: Path, arguments: tuple[str, ...], options: dict[str, Any]
) -> None:
    report = check(tmp_path, python(LINT, *arguments), "bad\ngood\n", "good\nbad\nbad too\n", **options)
    assert report == Report(str(tmp_path / "a.txt"), "problems", (bad(tmp_path, 3),), source="lint")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt"]


def test_everything_is_reported_of_a_new_file_or_where_that_is_wanted(tmp_path: Path) -> None:
    assert check(tmp_path, python(LINT), None, "bad\n").diagnostics == (bad(tmp_path, 1),)
    report = check(tmp_path, python(LINT), "bad\n", "bad\n", only_new=False)
    assert (report.diagnostics, report.only_new) == ((bad(tmp_path, 1),), False)


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    program = LINT.replace("import sys", "import sys; sys.stdout.reconfigure(newline='\\r\\n')")
    assert check(tmp_path, python(program), "good\n", "bad\n").diagnostics == (bad(tmp_path, 1),)


def test_a_clean_file_is_clean(tmp_path: Path) -> None:
    assert check(tmp_path, python(LINT), "bad\n", "good\n") == Report(str(tmp_path / "a.txt"), "clean", source="lint")


UNKNOWN = {
    "import sys; print('oops', file=sys.stderr); sys.exit(2)": "lint exited with status 2: oops",
    "import sys; print('what?'); sys.exit(1)": "lint exited with status 1 and printed nothing readable",
    "import sys; sys.exit(1)": "lint exited with status 1 and printed nothing readable",
    "import os; os.abort()": f"lint exited with status {3 if sys.platform == 'win32' else -6}",
}


@pytest.mark.parametrize("program", UNKNOWN)
def test_a_command_that_cannot_be_understood_gives_unknown(tmp_path: Path, program: str) -> None:
    report = check(tmp_path, python(program), "", "bad\n")
    assert (report.state, report.reason) == ("unknown", UNKNOWN[program])


@pytest.mark.parametrize("output", ["what?", "{}", "[1]", '[{"location": 1}]', "[" * 100_000])
def test_output_of_another_shape_gives_unknown(tmp_path: Path, output: str) -> None:
    program = "import sys; print(sys.stdin.read())"
    command = CommandDiagnoser(python(program), read_ruff_json, stdin=True, name="lint", only_new=False)
    report = asyncio.run(command.check(str(tmp_path / "a.txt"), None, output, timeout=PATIENT))
    if output == "{}":
        assert report.state == "clean"  # nothing, in another shape
    else:
        assert report.state == "unknown"
        assert report.reason.startswith("lint printed something unreadable: ")


def test_errors_whose_base_is_not_known_are_unknown_and_none_at_all_is_clean(tmp_path: Path) -> None:
    program = LINT + "\n"
    program = program.replace("found = 0", "found = 0\nif 'refuse' in text: sys.exit(7)")
    report = check(tmp_path, python(program), "refuse\n", "bad\n")
    assert report.reason == "the errors before the edit are unknown: lint exited with status 7"
    assert check(tmp_path, python(program), "refuse\n", "good\n").state == "clean"


def test_a_command_that_does_not_end_gives_unknown_in_time(tmp_path: Path) -> None:
    report = check(tmp_path, python("import time; time.sleep(600)"), "", "bad\n", timeout=0.05)
    assert report.reason == "lint did not finish within 0.05 s"


def test_a_command_that_prints_without_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_module, "MOST_LINTER_BYTES", 1000)
    report = check(tmp_path, python("print('x' * 300_000)"), "", "bad\n")
    assert report.reason == "lint printed more than 1,000 bytes"


def test_a_command_whose_caller_is_cancelled_is_ended(tmp_path: Path) -> None:
    async def main() -> None:
        diagnoser = CommandDiagnoser(python("import time; time.sleep(600)"))
        task = asyncio.create_task(diagnoser.check(str(tmp_path / "a.txt"), "", "x", timeout=PATIENT))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_command_that_is_missing_or_not_for_the_file_gives_unknown(tmp_path: Path) -> None:
    assert check(tmp_path, ["no-such-lint"], "", "x").reason == "no-such-lint is not installed"
    assert check(tmp_path, ["no/such/lint"], "", "x").reason == "no/such/lint is not installed"
    other = check(tmp_path, python(LINT), "", "x", endings=(".py",))
    assert other == Report(str(tmp_path / "a.txt"), "unknown", reason="lint does not check .txt files", asked=False)
    program = tmp_path / "broken"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    assert check(tmp_path, [str(program)], "", "x").reason == "lint cannot be run: No such file or directory"


def test_a_check_after_closing_is_unknown(tmp_path: Path) -> None:
    async def main() -> Report:
        diagnoser = CommandDiagnoser(python(LINT), name="lint")
        await diagnoser.close()
        return await diagnoser.check(str(tmp_path / "a.txt"), "", "x", timeout=PATIENT)

    assert asyncio.run(main()).reason == "lint is closed"


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a.c:3:7: error: no semicolon [-Wall]", ("3", "7", "error", "no semicolon", "-Wall")),
        ("a.c:3: warning: odd", ("3", None, "warning", "odd", None)),
        ("a.py:1:2: E501 line too long", ("1", "2", None, "E501 line too long", None)),
        ("a.py:1:2:odd", ("1", "2", None, "odd", None)),
        ("a.py:4: note: Revealed type is [int, str]", ("4", None, "note", "Revealed type is [int, str]", None)),
        ("C:\\src\\a.c:3:7: error: no semicolon", ("3", "7", "error", "no semicolon", None)),
        ("c:/src/a.c:3: odd", ("3", None, None, "odd", None)),
        ("Found 3 errors.", None),
    ],
)
def test_the_lines_of_most_linters_can_be_read(line: str, fields: tuple[str | None, ...] | None) -> None:
    found = [
        (item["line"], item["column"], item["severity"], item["message"], item["code"])
        for item in line_reader()(line + "\n")
    ]
    assert found == ([fields] if fields else [])


def test_severities_have_one_name_each(tmp_path: Path) -> None:
    program = "import sys\nfor word in ('note', 'info', 'hint', 'warning'): print(f'{sys.argv[1]}:1:1: {word}: x')"
    report = check(tmp_path, python(program), None, "x", lowest="hint")
    assert [found.severity for found in report.diagnostics] == ["information", "information", "hint", "warning"]
    strange = line_reader(r"(?P<line>\d+) (?P<severity>\w+) (?P<message>\w+)")
    report = check(tmp_path, python("print('1 fatal x')"), None, "x", reader=strange)
    assert report.reason == "lint printed something unreadable: ValueError('fatal')"


def test_a_long_line_is_read_as_quickly_as_a_short_one() -> None:
    """What a command prints must not hold up the event loop, and with it the time limit."""
    (found,) = line_reader()("a.py:1: so" + " " * 500_000 + "far")
    assert len(found["message"]) == 500_005


def test_a_line_without_a_message_does_not_take_the_next_one_for_it() -> None:
    assert list(line_reader()("a.py:3:\n3 errors\n")) == []


def test_more_findings_than_can_be_compared_in_time_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_module, "MOST_DIAGNOSTICS", 3)
    assert check(tmp_path, python(LINT), "bad\n", "bad\n" * 2).state == "problems"
    assert check(tmp_path, python(LINT), "bad\n", "bad\n" * 3).reason == "lint reported 4 problems, too many to compare"
