"""On a real pseudo-terminal: `suture apply -i`, which asks hunk by hunk."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Place, patch, update
from tests.shared.terminals import Terminal, plain

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
BOTH = patch(
    "*** Update File: app.py",
    "@@\n def one():\n-    return 1\n+    return 11",
    "@@\n def two():\n-    return 2\n+    return 22",
    "*** Add File: new.txt\n+new",
    "*** Delete File: gone.txt",
)
FIRST = APP.replace("return 1\n", "return 11\n")
SECOND = APP.replace("return 2\n", "return 22\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.environment |= {"TERM": "xterm-256color", "SUTURE_PAGER": "cat", "LINES": "24"}
    del made.environment["NO_COLOR"]
    made.environment.pop("COLUMNS", None)
    made.write("../both.patch", BOTH)
    return made


class TestQuestions:
    def test_yes_and_no_are_one_commit(self, place: Place) -> None:
        place.write("gone.txt", "gone\n")
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer("y", "n", "y", "y")
        status, said = terminal.end()
        assert status == 0
        assert "Hunk 1 of 2, line 1" in plain(said)
        assert place.files() == {"app.py": FIRST, "new.txt": "new\n"}
        assert len(place.suture("log").out.splitlines()) == 1

    def test_what_a_delete_deletes_is_shown_and_nothing_twice(self, place: Place) -> None:
        place.write("gone.txt", "one line\nanother line\n")
        terminal = Terminal(place, "apply", "-i", "../both.patch")
        terminal.answer("a", "y", "y")
        status, said = terminal.end()
        assert status == 0
        said = plain(said)
        assert "Delete gone.txt\n-one line\n-another line\nApply this change" in said
        assert [said.count(line) for line in ("+    return 11\n", "-one line\n", "+new\n")] == [1, 1, 1]
        assert " 3 files changed, 3 insertions(+), 4 deletions(-)\n" in said

    @pytest.mark.parametrize(
        ("answers", "expected"),
        [
            (["a", "n", "n"], FIRST.replace("return 2\n", "return 22\n")),
            (["n", "y", "n", "n"], SECOND),
            (["y", "q"], FIRST),
            (["?", "y", "d", "n", "n"], FIRST),
        ],
        ids=lambda value: "".join(value) if isinstance(value, list) else "",
    )
    def test_the_other_answers(self, place: Place, answers: list[str], expected: str) -> None:
        place.write("gone.txt", "gone\n")
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer(*answers)
        status, said = terminal.end()
        assert status == 0
        assert ("e - edit this hunk" in said) == ("?" in answers)
        assert place.files() == {"app.py": expected, "gone.txt": "gone\n"}

    def test_nothing_accepted_is_nothing_done(self, place: Place) -> None:
        terminal = Terminal(place, "apply", "-i", "../both.patch")
        terminal.answer("q")
        status, said = terminal.end()
        assert status == 1
        assert said.endswith("No hunk was accepted.\n\nNo file was changed.\n")
        assert place.files() == {"app.py": APP}

    def test_an_interrupt_at_a_question(self, place: Place) -> None:
        terminal = Terminal(place, "apply", "-i", "../both.patch")
        terminal.answer("y")
        terminal.until("]? ")
        os.kill(terminal.process.pid, 2)
        status, said = terminal.end()
        assert status == 130
        assert said.endswith("Interrupted. Nothing was done.\n")
        assert place.files() == {"app.py": APP}

    def test_a_hunk_can_be_edited(self, place: Place) -> None:
        editor = place.write("../editor.sh", "#!/bin/sh\nsed -i 's/return 11/return 12/' \"$1\"\n")
        editor.chmod(0o755)
        place.environment["VISUAL"] = str(editor)
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer("e", "y", "q")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": APP.replace("return 1\n", "return 12\n")}

    @pytest.mark.parametrize("answer", ["y", "n"])
    def test_an_edited_hunk_is_applied_only_after_it_was_shown_where_it_lands(self, place: Place, answer: str) -> None:
        script = "#!/bin/sh\nsed -i 's/^ def one/ def two/; s/^-.*/-    return 2/' \"$1\"\n"
        editor = place.write("../editor.sh", script)
        editor.chmod(0o755)
        place.environment["VISUAL"] = str(editor)
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.until("]? ")
        terminal.send("e\n")
        said = plain(terminal.until("]? ")).replace("\r\n", "\n")
        number = APP.split("\n").index("def two():") + 1
        assert f"Hunk 1 of 2, line {number}\n" in said
        assert "-    return 2\n+    return 11\n" in said
        terminal.send(f"{answer}\nq\n")
        assert terminal.end()[0] == (0 if answer == "y" else 1)
        written = APP.replace("return 2\n", "return 11\n") if answer == "y" else APP
        assert place.files() == {"app.py": written}

    def test_a_hunk_that_was_edited_to_nonsense_is_asked_for_again(self, place: Place) -> None:
        editor = place.write("../editor.sh", "#!/bin/sh\nsed -i 's/^+/?/' \"$1\"\n")
        editor.chmod(0o755)
        place.environment["VISUAL"] = str(editor)
        terminal = Terminal(place, "apply", "-i", "../both.patch")
        terminal.answer("e", "n", "q")
        status, said = terminal.end()
        assert status == 1
        assert "this one does not: ?    return 11" in said

    @pytest.mark.parametrize(
        ("editor", "said"),
        [
            ("no-such-editor", "The editor 'no-such-editor' cannot be used: No such file or directory."),
            ("vi '", "cannot be used: No closing quotation."),
            ("false", "The editor 'false' exited with status 1."),
            ("rm", "The editor 'rm' cannot be used: No such file or directory."),
        ],
    )
    def test_an_editor_that_fails_loses_no_answers(self, place: Place, editor: str, said: str) -> None:
        place.environment["VISUAL"] = editor
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer("y", "e", "y", "q")
        assert terminal.end()[0] == 0
        assert said in terminal.said
        assert place.files() == {"app.py": FIRST.replace("return 2\n", "return 22\n")}

    def test_an_edited_hunk_that_does_not_fit_is_asked_for_again(self, place: Place) -> None:
        editor = place.write("../editor.sh", "#!/bin/sh\nsed -i 's/^ def one/ def uno/; s/^-.*/-gone/' \"$1\"\n")
        editor.chmod(0o755)
        place.environment["VISUAL"] = str(editor)
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer("e")
        assert "patch_apply_error: " in plain(terminal.until("]? "))
        terminal.send("n\n")
        terminal.answer("y", "q")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": SECOND}

    def test_ctrl_c_is_for_the_editor(self, place: Place) -> None:
        script = "#!/bin/sh\ntrap 'exit 0' INT\necho ready\nwhile :; do sleep 0.05; done\n"
        place.write("../editor.sh", script).chmod(0o755)
        place.environment["VISUAL"] = "../editor.sh"
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../both.patch")
        terminal.answer("e")
        terminal.until("ready")
        os.killpg(terminal.process.pid, 2)
        terminal.answer("y", "q")
        status, said = terminal.end()
        assert status == 0, plain(said)
        assert place.files() == {"app.py": FIRST}

    def test_a_hunk_is_placed_after_those_that_were_accepted(self, place: Place) -> None:
        """The second section stands on what the first has made of the file."""
        text = patch(
            update("app.py", "-    return 1", "+    return 11"), update("app.py", "-    return 11", "+    return 3")
        )
        place.write("../two.patch", text)
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../two.patch")
        terminal.answer("y")
        assert "Hunk 1 of 1, line 2\n" in plain(terminal.until("]? ")).replace("\r", "")
        terminal.send("y\n")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": APP.replace("return 1\n", "return 3\n")}

    def test_and_has_its_problem_where_they_were_not(self, place: Place) -> None:
        text = patch(
            update("app.py", "-    return 1", "+    return 11"), update("app.py", "-    return 11", "+    return 3")
        )
        place.write("../two.patch", text)
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../two.patch")
        terminal.answer("n")
        assert "patch_apply_error" in plain(terminal.until("]? "))
        terminal.send("n\n")
        assert terminal.end()[0] == 1

    def test_the_place_below_an_anchor_is_shown(self, place: Place) -> None:
        place.write(
            "../anchor.patch", patch("*** Update File: app.py", "@@ def two():", "-    return 2", "+    return 22")
        )
        terminal = Terminal(place, "apply", "-i", "--no-diff", "../anchor.patch")
        assert "line 6\n@@ -3,4 +3,4 @@\n \n \n def two():\n-" in plain(terminal.until("]? ")).replace("\r", "")
        terminal.send("y\n")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": SECOND}

    def test_a_hunk_that_does_not_fit_is_shown_with_its_problem(self, place: Place) -> None:
        place.write("../bad.patch", patch(update("app.py", "-nowhere", "+anywhere")))
        terminal = Terminal(place, "apply", "-i", "../bad.patch")
        assert "patch_apply_error: Hunk 1 of 1" in plain(terminal.until("]? "))
        terminal.send("n\n")
        assert terminal.end()[0] == 1

    @pytest.mark.skipif(shutil.which("setsid") is None, reason="needs a program that takes the terminal over")
    def test_the_terminal_is_asked_where_the_patch_comes_on_standard_input(self, place: Place) -> None:
        script = f"cat ../both.patch | '{BIN}/suture' apply -i --no-diff"
        terminal = Terminal(place, "--ctty", "--wait", "sh", "-c", script, program="setsid")
        terminal.answer("y", "q")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": FIRST}

    def test_questions_that_nobody_would_see_are_not_asked(self, place: Place) -> None:
        terminal = Terminal(place, "-c", f"'{BIN}/suture' apply -i ../both.patch >out", program="sh")
        status, said = terminal.end()
        assert status == 2
        assert "--interactive needs a terminal" in said
        assert place.files() == {"app.py": APP, "out": ""}

    def test_without_a_terminal_there_is_nobody_to_ask(self, place: Place) -> None:
        command = [str(BIN / "suture"), "apply", "-i", "../both.patch"]
        done = subprocess.run(
            command,
            cwd=place.root,
            env=place.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        assert done.returncode == 2
        assert "--interactive needs a terminal" in done.stderr
