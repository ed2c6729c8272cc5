"""Which commands of a transcript may have changed files."""

from __future__ import annotations

import pytest

from suture.replay.shell_reads import may_write


@pytest.mark.parametrize(
    "command",
    ["cat a.py", "cd x && git diff -- a | head -3", "rg -n foo src 2>/dev/null", "ls; pwd", "rg -o x | sort -u"],
)
def test_a_command_that_only_reads_changes_no_file(command: str) -> None:
    assert not may_write(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "make",
        "cat a > b",
        "sed -i s/a/b/ c",
        "echo $(rm x)",
        "cat a | tee b",
        "find . -fprint b",
        "find . -ok rm {} ;",
        "sort -o a a",
        "sort -uo a a",
        "sort a --output b",
        "git diff --output=b",
        "x" * 9999,
    ],
)
def test_any_other_command_may_change_files(command: str) -> None:
    assert may_write(command)
