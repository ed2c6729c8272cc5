"""`suture`: every sub-command as a process, its texts in a pipe, its exit statuses, and what it makes of bad input."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.processes import is_asleep
from tests.shared.programs import APP, BIN, Place, compare, patch, update

from suture.cli.inputs import read_problem
from suture.cli.table import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
TWO = patch(update("app.py", " def two():", "-    return 2", "+    return 22"))
NOWHERE = patch(update("app.py", " def one():", "-    return 111", "+    return 11"))
SEVERAL = patch(update("twice.txt", "-same", "+other"))
HALF = patch("*** Add File: new.txt", "+new", update("app.py", "-nowhere", "+anywhere"))
CHANGED = APP.replace("return 1\n", "return 11\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class TestApply:
    def test_from_a_pipe(self, place: Place) -> None:
        done = place.suture("apply", stdin=ONE)
        assert (done.status, done.err) == (0, "")
        compare("apply", place.stable(done.out))
        assert place.files() == {"app.py": CHANGED}

    def test_from_standard_input_by_its_name(self, place: Place) -> None:
        assert place.suture("apply", "-", stdin=ONE).status == 0
        assert place.files() == {"app.py": CHANGED}

    def test_from_a_file_with_the_diff(self, place: Place) -> None:
        place.write("../one.patch", ONE)
        done = place.suture("apply", "--diff", "../one.patch")
        assert done.status == 0
        compare("apply-diff", place.stable(done.out))

    def test_concessions_are_told(self, place: Place) -> None:
        done = place.suture("apply", stdin=f"Here you are:\n```\n{ONE.replace(' def', ' def ')}```\n")
        assert done.status == 0
        compare("apply-concessions", place.stable(done.out))

    def test_several_are_one_commit_in_order(self, place: Place) -> None:
        place.write("../one.patch", ONE)
        place.write("../more.patch", patch(update("app.py", "-    return 11", "+    return 111")))
        assert place.suture("apply", "../one.patch", "../more.patch").status == 0
        assert place.files() == {"app.py": APP.replace("return 1\n", "return 111\n")}
        assert len(place.suture("log").out.splitlines()) == 1

    def test_of_several_none_is_applied_where_one_does_not_fit(self, place: Place) -> None:
        place.write("../one.patch", ONE)
        place.write("../bad.patch", NOWHERE)
        assert place.suture("apply", "../one.patch", "../bad.patch").status == 1
        assert place.files() == {"app.py": APP}

    def test_of_several_all_that_cant_be_read_are_told(self, place: Place) -> None:
        place.write("../one.patch", "*** Begin Patch\n")
        place.write("../two.patch", "nothing")
        done = place.suture("apply", "../one.patch", "../two.patch")
        assert done.status == 1
        assert "../one.patch: " in done.err
        assert "../two.patch: " in done.err

    def test_what_does_not_fit_is_told_and_changes_nothing(self, place: Place) -> None:
        done = place.suture("apply", stdin=NOWHERE)
        assert (done.status, done.out) == (1, "")
        compare("apply-refused", done.err)
        assert place.files() == {"app.py": APP}

    def test_the_standard_dialect_refuses_what_has_several_places(self, place: Place) -> None:
        place.write("twice.txt", "same\nsame\n")
        assert place.suture("apply", stdin=SEVERAL).status == 1
        assert place.suture("apply", "--dialect", "codex", stdin=SEVERAL).status == 0
        assert place.files()["twice.txt"] == "other\nsame\n"

    def test_a_dry_run_writes_nothing(self, place: Place) -> None:
        done = place.suture("apply", "--dry-run", stdin=ONE)
        assert done == (0, "M app.py +1 -1\n", "")
        assert place.files() == {"app.py": APP}

    def test_partly_is_three_and_only_where_asked_for(self, place: Place) -> None:
        assert place.suture("apply", stdin=HALF).status == 1
        assert place.files() == {"app.py": APP}
        done = place.suture("apply", "--no-atomic", stdin=HALF)
        assert (done.status, done.out) == (3, "")
        assert done.err.endswith("These were done before it and stay: A new.txt +1 -0.\n")
        assert place.files() == {"app.py": APP, "new.txt": "new\n"}

    def test_the_root_is_another_folder(self, place: Place) -> None:
        for arguments in (("--root", "sub", "apply"), ("apply", "--root=sub")):
            place.write("sub/app.py", APP)
            assert place.suture(*arguments, stdin=ONE).status == 0
            assert place.files() == {"app.py": APP, "sub/app.py": CHANGED}

    def test_a_root_that_is_not_there_is_told(self, place: Place) -> None:
        for root, said in (
            ("nowhere", "The workspace nowhere does not exist."),
            ("app.py", "The workspace app.py is not a directory."),
        ):
            done = place.suture("--root", root, "apply", stdin=ONE)
            assert (done.status, done.out) == (1, "")
            assert said in done.err

    def test_a_current_folder_that_was_deleted_is_told(self, place: Place) -> None:
        gone = place.root / "gone"
        gone.mkdir()
        shell = f"rmdir ../gone; '{BIN}/suture' apply"
        done = subprocess.run(
            ["/bin/sh", "-c", shell],
            cwd=gone,
            env=place.environment,
            input=ONE,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("The current directory no longer exists")

    def test_a_file_must_be_as_expected(self, place: Place) -> None:
        wrong, right = "0" * 64, hashlib.sha256(APP.encode()).hexdigest()
        refused = place.suture("apply", "--expect", f"app.py={wrong}", stdin=ONE)
        assert refused.status == 1
        assert "app.py has changed" in refused.err
        assert place.suture("apply", "--expect", f"app.py={right}", stdin=ONE).status == 0

    @pytest.mark.parametrize("given", ["app.py", "=" + "0" * 64, "app.py=123"])
    def test_an_expectation_has_a_form(self, place: Place, given: str) -> None:
        done = place.suture("apply", "--expect", given, stdin=ONE)
        assert done.status == 2
        assert "expected --expect PATH=SHA256" in done.err

    def test_two_expectations_of_one_file_are_refused(self, place: Place) -> None:
        wrong, right = (f"app.py={content}" for content in ("0" * 64, hashlib.sha256(APP.encode()).hexdigest()))
        done = place.suture("apply", "--expect", wrong, "--expect", right, stdin=ONE)
        assert done.status == 2
        assert place.suture("apply", "--expect", right, "--expect", right, stdin=ONE).status == 0

    def test_durability_and_actor(self, place: Place) -> None:
        assert place.suture("apply", "--durability", "full", "--actor", "me", stdin=ONE).status == 0
        assert " by me " in place.suture("log").out


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"\xff\xfe*\0*\0", "bad.patch is not UTF-8: byte 1 is 0xff."),
            (b"", "There is no patch in bad.patch: it is empty."),
            (b" \n", "There is no patch in bad.patch: it is empty."),
            (b"nothing of ours", ""),
        ],
    )
    def test_what_is_no_patch(self, place: Place, content: bytes, said: str) -> None:
        place.write("bad.patch", content)
        for command in ("apply", "check", "parse", "explain", "convert"):
            done = place.suture(command, "bad.patch")
            assert (done.status, done.out) == (1, "")
            assert said in done.err
            assert "Traceback" not in done.err
            assert done.err.endswith("\n\nNo file was changed.\n")

    def test_a_patch_of_a_gigabyte_is_not_read(self, place: Place) -> None:
        with (place.root / "huge.patch").open("wb") as file:
            file.truncate(1 << 30)
        done = place.suture("apply", "huge.patch")
        assert (done.status, done.out) == (1, "")
        assert "huge.patch is larger than 64 MB" in done.err

    def test_a_folder_and_a_missing_file(self, place: Place) -> None:
        for name, said in ((".", ". is a directory, not a file."), ("none", "File none not found.")):
            done = place.suture("apply", name)
            assert (done.status, done.out) == (1, "")
            assert done.err.startswith(said)

    def test_a_folder_is_told_from_a_file_without_permission(self, tmp_path: Path) -> None:
        """Windows has one error for both."""
        file = tmp_path / "a.patch"
        file.touch()
        codes = {
            path: read_problem(str(path), PermissionError(13, "denied", str(path))).code for path in (tmp_path, file)
        }
        assert codes == {tmp_path: "is_directory", file: "permission_denied"}

    def test_standard_input_twice(self, place: Place) -> None:
        assert place.suture("apply", "-", "-", stdin=ONE).status == 2

    def test_a_bom_is_no_part_of_a_patch(self, place: Place) -> None:
        assert place.suture("apply", stdin=b"\xef\xbb\xbf" + ONE.encode()).status == 0

    def test_a_closed_standard_input(self, place: Place) -> None:
        shell = f"'{BIN}/suture' apply <&-"
        done = subprocess.run(
            ["/bin/sh", "-c", shell], cwd=place.root, env=place.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "standard input is closed" in done.stderr

    @pytest.mark.parametrize("arguments", [["--help"], ["apply", "-"], ["completion", "bash"]])
    def test_a_reader_that_has_gone_is_no_traceback(self, place: Place, arguments: list[str]) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        command = [str(BIN / "suture"), *arguments]
        done = subprocess.run(
            command,
            cwd=place.root,
            env=place.environment,
            input=ONE.encode(),
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (0, b"")

    def test_an_interrupt_while_it_waits_for_its_input(self, place: Place) -> None:
        code = "import sys, suture.cli.main as m; print('x', flush=True); sys.argv = ['suture', 'apply']; m.main()"
        command = [str(BIN / "python"), "-c", code]
        with subprocess.Popen(
            command,
            cwd=place.root,
            env=place.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            wait_until_it_sleeps(process.pid)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        assert (process.returncode, said) == (130, "Interrupted. Nothing was done.\n")

    def test_an_error_that_nobody_has_foreseen_is_a_sentence(self, place: Place) -> None:
        code = (
            "import sys\nfrom suture.cli import main, inputs\n"
            "def broken(name): raise ZeroDivisionError('boom')\n"
            "inputs.read_text = broken\nsys.exit(main.run(sys.argv[1:]))"
        )
        for arguments, shows in (([], False), (["--debug"], True)):
            command = [str(BIN / "python"), "-c", code, "apply", "x", *arguments]
            done = subprocess.run(
                command, cwd=place.root, env=place.environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 1
            assert "Unexpected error: ZeroDivisionError: boom" in done.stderr
            assert ("Traceback" in done.stderr) == shows


def wait_until_it_sleeps(pid: int) -> None:
    """Until a process waits for something: it has nothing else to do."""
    limit = time.monotonic() + 60
    asleep = 0
    while asleep < 5 and time.monotonic() < limit:
        asleep = asleep + 1 if is_asleep(pid) else 0
        time.sleep(0.01)


class TestUsage:
    def test_help_has_every_command(self, place: Place) -> None:
        done = place.suture("--help")
        assert (done.status, done.err) == (0, "")
        compare("help", done.out)

    @pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
    def test_every_command_has_help_with_an_example(self, place: Place, command: object) -> None:
        name = command.name  # type: ignore[attr-defined]
        done = place.suture(name, "--help")
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"Usage: suture {name} ")
        assert "\nExamples:\n" in done.out
        assert max(map(len, done.out.splitlines())) <= 120

    def test_help_by_its_name(self, place: Place) -> None:
        assert place.suture("help", "apply").out == place.suture("apply", "--help").out
        assert place.suture("help").out == place.suture("-h").out

    def test_the_version(self, place: Place) -> None:
        assert place.suture("--version") == (0, "suture 0.1.0\n", "")
        command = [sys.executable, "-m", "suture", "--version"]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "suture 0.1.0\n"

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "suture: expected a command: "),
            (["aply"], "suture: unknown command 'aply'; did you mean apply?\nTry: suture --help\n"),
            (["apply", "--nonsense"], "suture apply: unrecognized arguments: --nonsense\nTry: suture apply --help\n"),
            (["apply", "--dialect", "x"], "suture apply: argument --dialect: invalid choice: 'x'"),
            (["completion"], "suture completion: the following arguments are required: SHELL\n"),
            (["edit", "a", "--old", "x"], "suture edit: expected --new as well\n"),
            (["edit", "--old", "x", "--new", "y"], "suture edit: expected the path of the file\n"),
            (
                ["edit", "a", "--old", "x", "--old-file", "y"],
                "suture edit: --old and --old-file cannot be used together\n",
            ),
            (["log", "-n", "none"], "suture log: expected a positive number for --limit; found 'none'\n"),
            (["completion", "tcsh"], "suture completion: argument SHELL: invalid choice: 'tcsh'"),
            (["apply", "-i", "--json", "app.py"], ""),
            (["diff", ".", "app.py"], "suture diff: expected two files or two directories; found one of each\n"),
        ],
    )
    def test_wrong_usage_is_two(self, place: Place, arguments: list[str], said: str) -> None:
        done = place.suture(*arguments)
        assert done.status == 2
        assert done.err.startswith(said)
        assert "Traceback" not in done.err


class TestCheck:
    def test_says_what_would_happen(self, place: Place) -> None:
        assert place.suture("check", stdin=ONE) == (0, "M app.py +1 -1\n", "")
        assert place.files() == {"app.py": APP}

    def test_is_one_where_it_would_not(self, place: Place) -> None:
        done = place.suture("check", stdin=HALF)
        assert done.status == 1
        assert done.err.endswith("No file was changed.\n")


class TestEdit:
    def test_one_place(self, place: Place) -> None:
        done = place.suture("edit", "app.py", "--old", "return 1", "--new", "return 11")
        assert done.status == 0
        assert done.out.startswith("M app.py +1 -1\n")
        assert place.files() == {"app.py": CHANGED}

    def test_all_places(self, place: Place) -> None:
        assert place.suture("edit", "app.py", "--all", "--old", "return", "--new", "yield").status == 0
        assert place.files() == {"app.py": APP.replace("return", "yield")}

    def test_several_places_are_refused(self, place: Place) -> None:
        assert place.suture("edit", "app.py", "--old", "return", "--new", "yield").status == 1

    def test_the_texts_from_files(self, place: Place) -> None:
        place.write("../old", "    return 1\n")
        place.write("../new", "    return 11\n")
        assert place.suture("edit", "app.py", "--old-file", "../old", "--new-file", "../new").status == 0
        assert place.files() == {"app.py": CHANGED}

    def test_texts_that_begin_with_a_dash(self, place: Place) -> None:
        place.write("-list.txt", "-x --help\n")
        done = place.suture("edit", "--old", "-x", "--new", "--version", "--", "-list.txt")
        assert (done.status, done.err) == (0, "")
        assert place.files()["-list.txt"] == "--version --help\n"
        assert place.suture("--root", ".", "edit", "--old", "--help", "--new=", "--", "-list.txt").status == 0
        assert place.files()["-list.txt"] == "--version \n"

    @pytest.mark.parametrize("command", ["edit", "multiedit"])
    def test_two_files_are_named_where_one_is_meant(self, place: Place, command: str) -> None:
        edit = {"oldString": "return 1", "newString": "return 11"}
        document = {"filePath": "./other.py"} | (edit if command == "edit" else {"edits": [edit]})
        done = place.suture(command, "app.py", stdin=json.dumps(document))
        assert (done.status, done.out) == (1, "")
        assert "The command line names app.py, but the JSON document names ./other.py." in done.err
        assert place.files() == {"app.py": APP}
        document["filePath"] = "./app.py"
        assert place.suture(command, "app.py", stdin=json.dumps(document)).status == 0

    def test_a_document_on_standard_input(self, place: Place) -> None:
        document = {"filePath": "app.py", "oldString": "return 1", "newString": "return 11"}
        assert place.suture("edit", stdin=json.dumps(document)).status == 0
        assert place.files() == {"app.py": CHANGED}

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("[]", "The arguments must be an object, not an array."),
            ("{}", "filePath is required."),
            ("{", "standard input is not valid JSON"),
            ("[" * 100_000, "standard input cannot be read as JSON: it is nested too deeply."),
            ('{"filePath": 1}', "filePath must be a path, not the number 1."),
            ('{"filePath": "a", "oldString": "x", "newTxt": "y"}', "edit has no argument newTxt."),
        ],
    )
    def test_a_document_that_is_none(self, place: Place, text: str, error: str) -> None:
        done = place.suture("edit", stdin=text)
        assert (done.status, done.out) == (1, "")
        assert error in done.err

    def test_a_document_has_the_arguments_of_the_tool(self, place: Place) -> None:
        """Whatever `Session.call` takes: snake_case, a boolean in quotes."""
        document = {"file_path": "app.py", "old_string": "return", "new_string": "yield", "replace_all": "true"}
        assert place.suture("edit", stdin=json.dumps(document)).status == 0
        del document["file_path"]
        document |= {"old_string": "yield", "new_string": "return"}
        assert place.suture("edit", "app.py", stdin=json.dumps(document)).status == 0
        assert place.files() == {"app.py": APP}

    def test_expectations_and_dry_runs(self, place: Place) -> None:
        edit = ("edit", "app.py", "--old", "return 1", "--new", "return 11")
        assert place.suture(*edit, "--expect", f"app.py={'0' * 64}").status == 1
        assert place.suture(*edit, "--dry-run") == (0, "M app.py +1 -1\n", "")
        assert place.files() == {"app.py": APP}
        assert place.suture(*edit, "--expect", f"app.py={hashlib.sha256(APP.encode()).hexdigest()}").status == 0
        assert place.files() == {"app.py": CHANGED}

    def test_several_edits(self, place: Place) -> None:
        edits = [
            {"oldString": "return 1", "newString": "return 11"},
            {"oldString": "return 2", "newString": "return 22"},
        ]
        assert place.suture("multiedit", "app.py", stdin=json.dumps(edits)).status == 0
        both = CHANGED.replace("return 2\n", "return 22\n")
        assert place.files() == {"app.py": both}

    def test_several_edits_from_a_file_are_all_or_none(self, place: Place) -> None:
        edits = [{"oldString": "return 1", "newString": "return 11"}, {"oldString": "nowhere", "newString": "x"}]
        place.write("../edits.json", json.dumps({"filePath": "app.py", "edits": edits}))
        assert place.suture("multiedit", "app.py", "../edits.json").status == 1
        assert place.suture("multiedit", stdin='{"edits": 1}').status == 1
        assert place.files() == {"app.py": APP}

    def test_several_edits_with_expectations_and_dry_runs(self, place: Place) -> None:
        edits = json.dumps([{"oldString": "return 1", "newString": "return 11"}])
        against = ("multiedit", "app.py", "--against", "original")
        assert place.suture(*against, "--dry-run", stdin=edits) == (0, "M app.py +1 -1\n", "")
        assert place.suture(*against, "--expect", f"app.py={'0' * 64}", stdin=edits).status == 1
        assert place.files() == {"app.py": APP}
