"""Commands of PowerShell and cmd that call `apply_patch`: "the grammar is closed"."""

from __future__ import annotations

import pytest

from suture import PatchInvalidError
from suture.format.invocations import parse_invocation

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-it's\n+$HOME `x`\n*** End Patch"
PLAIN = PATCH.replace("$HOME `x`", "that")


def here(text: str, quote: str = "'") -> str:
    return f"@{quote}\n{text}\n{quote}@"


@pytest.mark.parametrize("shell", ["powershell", "pwsh", "powershell.exe", "C:\\Windows\\System32\\PowerShell.EXE"])
@pytest.mark.parametrize(
    "options", [["-Command"], ["-c"], ["-NoProfile", "-Command"], ["-NoLogo", "-noprofile", "-command"]]
)
def test_a_here_string_is_the_patch(shell: str, options: list[str]) -> None:
    for script in (f"apply_patch {here(PATCH)}", f"{here(PATCH)} | apply_patch", f"\n{here(PATCH)}|applypatch\n"):
        invocation = parse_invocation([shell, *options, script])
        assert invocation is not None
        assert invocation.text.rstrip("\n") == PATCH
        assert invocation.folder == "."


@pytest.mark.parametrize("change", ["cd src;", "Set-Location 'src' ;", "cd src &&", "cd src\n"])
def test_the_directory_can_be_changed_first(change: str) -> None:
    invocation = parse_invocation(["pwsh", "-Command", f"{change} apply_patch {here(PATCH)}"])
    assert invocation is not None
    assert invocation.folder == "src"


def test_a_directory_has_slashes_and_a_doubled_quote_is_one() -> None:
    invocation = parse_invocation(["pwsh", "-Command", f"cd 'it''s\\here'; apply_patch {here(PATCH)}"], "base")
    assert invocation is not None
    assert invocation.folder == "base/it's/here"


@pytest.mark.parametrize(
    "argv", [["powershell", "-Command"], ["pwsh", "-NoProfile", "-Command"], ["cmd", "/c"], ["cmd.exe", "/C"]]
)
def test_a_heredoc_is_read_as_for_bash(argv: list[str]) -> None:
    invocation = parse_invocation([*argv, f"cd src && apply_patch <<'EOF'\n{PATCH}\nEOF\n"])
    assert invocation is not None
    assert invocation.text == PATCH + "\n"
    assert invocation.folder == "src"


@pytest.mark.parametrize(
    "argv",
    [
        ["pwsh", "-Command", here(PATCH, '"') + " | apply_patch"],
        ["powershell", "-Command", "apply_patch " + here(PLAIN.replace("it's", 'a "b"'))],
        ["powershell", "-Command", here(PLAIN.replace("that", "caf\u00e9")) + " | apply_patch"],
    ],
)
def test_a_patch_that_would_not_arrive_as_written_is_refused(argv: list[str]) -> None:
    with pytest.raises(PatchInvalidError) as caught:
        parse_invocation(argv)
    assert [problem.details["reason"] for problem in caught.value.problems] == ["expansion"]


def test_a_here_string_in_double_quotes_without_anything_to_expand_is_the_patch() -> None:
    invocation = parse_invocation(["pwsh", "-Command", here(PLAIN, '"') + " | apply_patch"])
    assert invocation is not None
    assert invocation.text == PLAIN + "\n"


@pytest.mark.parametrize(
    "script",
    [
        f"apply_patch {here(PATCH)}; Remove-Item x",
        f"Remove-Item x; apply_patch {here(PATCH)}",
        f"apply_patch {here(PATCH)} | Out-Null",
        f"apply_patch {here(PATCH)}\nRemove-Item x\n@'\n'@",
        f"apply_patch {here(PATCH)}\rRemove-Item x\n@'\n'@",
        f"apply_patch @'\n{PATCH}\n’@; Remove-Item x\n'@",
        f"apply_patch @'\n{PATCH}\r'@; Remove-Item x\n'@",
        f'apply_patch @"\n{PLAIN}\n“@; Remove-Item x\n"@',
        f"cd 'a’; Remove-Item x; ’b'; apply_patch {here(PATCH)}",
        f"cd -; apply_patch {here(PATCH)}",
        f"{here(PATCH)} | apply_patch --help",
        f"cd $HOME; apply_patch {here(PATCH)}",
        f"cd a; cd b; apply_patch {here(PATCH)}",
        f"& apply_patch {here(PATCH)}",
        f"apply_patch @' {PATCH}\n'@",
        "apply_patch 'x'",
        "Get-Content a.patch | apply_patch",
        f"apply_patch ({here(PATCH)})",
    ],
)
def test_any_other_command_is_another_command(script: str) -> None:
    assert parse_invocation(["pwsh", "-Command", script]) is None


@pytest.mark.parametrize(
    "argv",
    [
        ["pwsh", "-File", here(PATCH) + " | apply_patch"],
        ["pwsh", "-EncodedCommand", here(PATCH) + " | apply_patch"],
        ["pwsh", "-Command", here(PATCH) + " | apply_patch", "more"],
        ["pwsh", here(PATCH) + " | apply_patch"],
        ["cmd", "/c", "apply_patch fix.patch"],
        ["cmd", "/k", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"],
        ["fish", "-c", here(PATCH) + " | apply_patch"],
    ],
)
def test_other_options_and_shells_are_another_command(argv: list[str]) -> None:
    assert parse_invocation(argv) is None
