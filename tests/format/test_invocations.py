"""`apply_patch` inside argv and shell scripts: what is read as one, what is something else, what is refused."""

from __future__ import annotations

import contextlib

import pytest
from tests.shared.shell_scripts import ACCEPTED, HERE, MEANT, OTHER, PATCH, REFUSED, Script, heredoc

from suture import AddFile, Patch, PatchInvalidError, SutureError, parse
from suture.core.problems import PEER_NAMES
from suture.format import Invocation, parse_invocation

CWD = "/work space"

WANTED = Patch((AddFile("hi.txt", "hi\n"),))


def read(script: str, shell: str = "bash", *options: str) -> Invocation | None:
    return parse_invocation([shell, *(options or ("-lc",)), script], CWD)


def test_the_table_is_large_enough() -> None:
    assert len(ACCEPTED) + len(MEANT) + len(OTHER) + len(REFUSED) >= 200


def test_the_seeds_direct_form_is_read() -> None:
    """Seed 001, entry point 3: 'Direct: `["apply_patch", "<patch>"]`'."""
    assert parse_invocation(["apply_patch", PATCH], CWD) == Invocation(WANTED, PATCH, CWD)


def test_a_directory_is_not_needed() -> None:
    """Seed 001, entry point 3: `maybeParseApplyPatch(argv)`. The folder is then relative to where the command runs."""
    assert parse_invocation(["apply_patch", PATCH]) == Invocation(WANTED, PATCH, ".")
    for folder in ("sub/deep", ".."):
        script = heredoc(f"cd {folder} && apply_patch <<'EOF'")
        assert parse_invocation(["bash", "-lc", script]) == Invocation(WANTED, PATCH, folder)
    assert parse_invocation(["ls"]) is None


def test_the_programs_other_name_is_read() -> None:
    """SPEC §10: "also `applypatch`"."""
    assert parse_invocation(("applypatch", PATCH), CWD) == Invocation(WANTED, PATCH, CWD)


@pytest.mark.parametrize("script", MEANT.values(), ids=MEANT)
def test_the_seeds_heredoc_is_read_as_it_is_meant(script: str) -> None:
    """Seed 001, entry point 3: 'Heredoc: `["bash", "-lc", "apply_patch <<<'PATCH'\\n...\\nPATCH"]`'."""
    invocation = read(script.format(PATCH))
    assert invocation == Invocation(WANTED, PATCH, CWD + "/sub" * script.startswith("cd"))


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=ACCEPTED)
def test_a_script_that_is_only_apply_patch_is_read(case: Script) -> None:
    invocation = read(case.script)
    assert invocation is not None
    assert invocation.folder == (f"{CWD}/{case.folder}" if case.folder else CWD)
    assert invocation.text == case.text
    assert invocation.patch == parse(case.text, "codex")


@pytest.mark.parametrize("script", OTHER.values(), ids=OTHER)
def test_a_script_that_does_anything_else_is_not_apply_patch(script: str) -> None:
    """SPEC §10: "A script that does anything else is not apply_patch." """
    assert read(script) is None


@pytest.mark.parametrize(("reason", "script"), REFUSED.values(), ids=REFUSED)
def test_a_patch_that_would_not_arrive_as_it_is_written_is_refused(reason: str, script: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        read(script)
    assert [(p.code, p.details["reason"]) for p in raised.value.problems] == [("patch_parse_error", reason)]
    assert raised.value.problems[0].hint


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh", "/bin/bash", "/usr/local/bin/zsh", "./sh"])
@pytest.mark.parametrize("options", [["-c"], ["-lc"], ["-l", "-c"]], ids=" ".join)
def test_a_shell_is_known_by_its_name_and_its_options(shell: str, options: list[str]) -> None:
    assert read(HERE, shell, *options) == Invocation(WANTED, PATCH, CWD)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        [""],
        ["apply_patch"],
        ["apply_patch", PATCH, "x"],
        ["apply_patch", "-", PATCH],
        ["/usr/bin/apply_patch", PATCH],
        ["apply_patch ", PATCH],
        ["Apply_Patch", PATCH],
        [PATCH, "apply_patch"],
        ["echo", PATCH],
        ["sudo", "apply_patch", PATCH],
        ["bash", HERE],
        ["bash", "-c"],
        ["bash", "-l", HERE],
        ["bash", "-x", HERE],
        ["bash", "-ic", HERE],
        ["bash", "-cl", HERE],
        ["bash", "-c", "-l", HERE],
        ["bash", "-lc", HERE, "name"],
        ["bash", "-l", "-c", HERE, "name"],
        ["bash", "--login", "-c", HERE],
        ["BASH", "-c", HERE],
        ["bash.sh", "-c", HERE],
        ["bash/", "-c", HERE],
        ["rbash", "-c", HERE],
        ["fish", "-c", HERE],
        ["dash", "-c", HERE],
        ["env", "bash", "-c", HERE],
        ["ssh", "host", HERE],
        [HERE],
    ],
    ids=lambda argv: " ".join(word[:16] for word in argv).replace("\n", " "),
)
def test_any_other_argv_is_not_apply_patch(argv: list[str]) -> None:
    assert parse_invocation(argv, CWD) is None


@pytest.mark.parametrize(
    "argv",
    [[PATCH], ["\n " + PATCH.rstrip()], ["bash", "-lc", PATCH], ["sh", "-c", "\n" + PATCH], ["zsh", "-l", "-c", PATCH]],
    ids=["argv", "padded", "bash", "sh", "zsh"],
)
def test_a_bare_patch_is_an_implicit_invocation(argv: list[str]) -> None:
    """Seed 001, error type ImplicitInvocation: "Raw patch without command"."""
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(argv, CWD)
    (problem,) = raised.value.problems
    assert problem.code in PEER_NAMES["ImplicitInvocation"]
    assert problem.message.startswith("Raw patch without command")


def test_a_bare_patch_that_cannot_be_read_says_that_too() -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(["bash", "-lc", "*** Begin Patch\n*** Delete File: a\n"], CWD)
    assert [problem.code for problem in raised.value.problems] == ["implicit_invocation", "patch_parse_error"]


@pytest.mark.parametrize("argv", [["apply_patch", "no patch"], ["bash", "-lc", heredoc("apply_patch <<'EOF'", "no\n")]])
def test_what_is_no_patch_is_refused(argv: list[str]) -> None:
    """Seed 001, error type ParseError: "Malformed patch syntax"."""
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(argv, CWD)
    assert {problem.code for problem in raised.value.problems} <= PEER_NAMES["ParseError"]


def test_the_dialect_is_codex_unless_another_is_asked_for() -> None:
    moved = "*** Begin Patch\n*** Move File: a -> b\n*** End Patch\n"
    with pytest.raises(PatchInvalidError):
        parse_invocation(["apply_patch", moved], CWD)
    assert parse_invocation(["apply_patch", moved], CWD, dialect="standard") is not None


@pytest.mark.parametrize("argv", [["bash", "-c", 5], [5], ["apply_patch", {"a": 1}], ["bash", True, HERE], [b"ls"]])
def test_an_argument_that_is_no_text_is_refused(argv: list[object]) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(argv, CWD)  # type: ignore[arg-type]
    assert [problem.code for problem in raised.value.problems] == ["invalid_arguments"]


def test_a_wrong_call_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="argv"):
        parse_invocation("apply_patch", CWD)
    with pytest.raises(ValueError, match="dialect"):
        parse_invocation(["ls"], CWD, dialect="klingon")


@pytest.mark.parametrize(
    "script",
    [
        "apply_patch " + '""' * 100_000 + "x",
        "apply_patch '" + PATCH + "'" + "\\\n" * 100_000,
        "#\n" * 100_000,
        " \\\n" * 100_000,
        heredoc("apply_patch <<EOF", "\\\n" * 100_000),
        heredoc("apply_patch <<EOF", "\\\\" * 100_000 + "\n"),
        'apply_patch "' + "\\$" * 100_000,
        "cd " + "../" * 100_000 + " && " + HERE,
    ],
    ids=["quotes", "continued", "comments", "blanks", "joined", "backslashes", "escapes", "folder"],
)
def test_a_hostile_script_takes_no_longer_than_its_length(script: str) -> None:
    """SPEC §12: "No input hangs or crashes it." A quadratic reading of these would take minutes."""
    with contextlib.suppress(SutureError):
        read(script)
