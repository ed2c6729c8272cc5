"""`suture diff`, `convert`, `parse` and `explain`: patches made, turned round, shown and explained."""

from __future__ import annotations

import json
import os
import re
import subprocess
from io import BytesIO
from pathlib import Path

import pytest
from tests.shared.programs import APP, Place, compare, patch, update

from suture import DIALECTS, apply_in_memory, parse
from suture.cli.table import COMMANDS, COMMON
from suture.cli.tree import read_content

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class TestDiff:
    def test_of_two_files(self, place: Place) -> None:
        place.write("new.py", APP.replace("return 2", "return 22"))
        done = place.suture("diff", "app.py", "new.py")
        assert (done.status, done.err) == (0, "")
        compare("diff", done.out)
        assert place.suture("apply", stdin=done.out).status == 0
        assert place.files()["app.py"] == place.files()["new.py"]

    def test_the_name_of_a_file_has_slashes(self, place: Place) -> None:
        place.write("lib/one.py", "x\n")
        place.write("lib/two.py", "y\n")
        done = place.suture("diff", "lib/one.py", "lib/two.py")
        assert "*** Update File: lib/one.py\n" in done.out

    def test_under_another_name(self, place: Place) -> None:
        place.write("new.py", "x\n")
        assert "*** Update File: other.py\n" in place.suture("diff", "--path", "other.py", "app.py", "new.py").out

    @pytest.mark.parametrize("dialect", DIALECTS)
    def test_of_two_trees_in_every_dialect(self, place: Place, dialect: str) -> None:
        before = {"a/same": "x\n", "a/lines": "same\n" * 30, "a/gone": "gone\n", "a/moved": "moved\n", "a/sub/e": ""}
        lines = ["same"] * 14 + ["other"] + ["same"] * 15
        after = {"b/same": "x\n", "b/lines": "\n".join([*lines, ""]), "b/sub/moved": "moved\n", "b/new": "a\n\nb\n"}
        for name, content in (before | after).items():
            place.write(name, content)
        place.write("b/.git/config", "no part of it\n")
        done = place.suture("diff", "--dialect", dialect, "a", "b")
        assert (done.status, done.err) == (0, "")
        made = apply_in_memory(done.out, {name[2:]: content for name, content in before.items()}, dialect=dialect)
        assert made.texts == {name[2:]: content for name, content in after.items()}

    @pytest.mark.parametrize(
        ("size", "content"),
        [(0, b""), (3, b"abc"), (0, b"a pipe"), (3, b"it grew"), (9, b"it shrank"), (0, b"too much" * 9)],
    )
    def test_a_file_is_read_without_room_for_the_largest(self, size: int, content: bytes) -> None:
        """Windows takes the memory for what a read may return, not for what it does."""
        asked: list[int] = []

        class Recorded(BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                asked.append(size or 0)
                return super().read(size)

        assert read_content(Recorded(content), size, 40) == content[:41]
        assert asked[0] == size + 1

    def test_as_a_unified_diff(self, place: Place) -> None:
        place.write("new.py", APP.replace("return 2", "return 22"))
        compare("diff-unified", place.suture("diff", "--unified", "app.py", "new.py").out)

    def test_nothing_differs(self, place: Place) -> None:
        assert place.suture("diff", "app.py", "app.py") == (0, "", "")

    def test_what_an_envelope_cant_say_is_told(self, place: Place) -> None:
        place.write("a/x", "x\n")
        place.write("b/x", "x\n")
        place.write("b/bytes", b"\xff\n")
        place.write("b/dos", b"a\r\n")
        place.write("a/latin", b"caf\xe9\n")
        place.write("b/latin", b"caf\xe9s\n")
        done = place.suture("diff", "a", "b")
        assert (done.status, done.out) == (1, "")
        assert [line.split()[3] for line in done.err.splitlines() if line][:3] == ["bytes", "dos", "latin"]

    def test_what_cant_be_read_is_told(self, place: Place) -> None:
        place.write("a/x", "x\n")
        place.write("b/x", "y\n")
        code = "import builtins, suture.cli.tree as c\n"
        code += "def refused(name, *more): raise PermissionError(13, 'Permission denied', name)\n"
        code += "c.open = refused\nfrom suture.cli.main import main\nmain()"
        done = place.run("python", "-c", code, "diff", "a", "b")
        assert done == (1, "", "./a/x cannot be read: permission denied.\n\nNo file was changed.\n")

    @pytest.mark.parametrize("name", [b"bad\xff", b"new\nline", b"tab\t", b"space ", b" space", b"dot."])
    def test_a_name_that_an_envelope_cant_say_is_told(self, place: Place, name: bytes) -> None:
        for folder in ("before", "after"):
            place.write(f"{folder}/same", "same\n")
        Path(os.fsdecode(os.fsencode(place.root / "after") + b"/" + name)).write_text("new\n")
        done = place.suture("diff", "before", "after")
        assert (done.status, done.out) == (1, "")
        assert "can't be expressed in a patch" in done.err
        assert len(done.err.splitlines()) == 4
        assert place.suture("diff", "--unified", "before", "after").status == 0

    def test_modes_are_passed_over_and_told(self, place: Place) -> None:
        modes = {
            "before": {"gone": 0o755, "less": 0o755, "more": 0o644},
            "after": {"less": 0o644, "more": 0o755, "new": 0o755},
        }
        for folder, files in modes.items():
            for name, mode in files.items():
                place.write(f"{folder}/{name}", "x\n").chmod(mode)
        done = place.suture("diff", "before", "after")
        assert done.status == 0
        assert done.err == (
            "suture diff: less is no longer executable, which a patch cannot express\n"
            "suture diff: more became executable, which a patch cannot express\n"
            "suture diff: new became executable, which a patch cannot express\n"
        )

    def test_git_takes_the_diff_of_files_without_hunks(self, place: Place) -> None:
        """What follows a file without hunks was taken for its own."""
        for name, before, after in (("a", "", None), ("b", "1\n", "2\n"), ("c", None, ""), ("d", "1\n", "2\n")):
            for folder, content in (("before", before), ("after", after)):
                if content is not None:
                    place.write(f"{folder}/{name}", content)
        diff = place.suture("diff", "--unified", "before", "after").out
        subprocess.run(["git", "init", "--quiet"], cwd=place.root / "before", check=True)
        subprocess.run(["git", "apply"], input=diff.encode(), cwd=place.root / "before", check=True)
        names = ("b", "c", "d")
        assert {name: (place.root / "before" / name).read_text() for name in names} == {"b": "2\n", "c": "", "d": "2\n"}
        assert not (place.root / "before" / "a").exists()

    def test_what_is_missing_is_told(self, place: Place) -> None:
        assert place.suture("diff", "none", "app.py").err.startswith("File or directory none not found.\n")

    def test_what_is_larger_than_the_memory_is_refused(self, place: Place) -> None:
        place.write("a/x", "x\n")
        place.write("b/x", "")
        os.truncate(place.root / "b" / "x", 1 << 40)
        for before, after in (("a", "b"), ("a/x", "b/x")):
            done = place.suture("diff", before, after)
            assert (done.status, done.out) == (1, "")
            assert "b/x: up to this file, there are more than 1,024 MB to compare." in done.err

    def test_what_is_no_file_is_passed_over_and_told(self, place: Place) -> None:
        place.write("a/x", "x\n")
        (place.root / "a" / "link").symlink_to("x")
        done = place.suture("diff", "a", "a")
        assert (done.status, done.out) == (0, "")
        assert "link was skipped: it is not a file or directory" in done.err


class TestConvert:
    def test_an_envelope_becomes_a_diff_that_git_takes(self, place: Place) -> None:
        done = place.suture("convert", stdin=ONE)
        compare("convert-to-diff", done.out)
        subprocess.run(["git", "apply"], cwd=place.root, input=done.out, text=True, check=True)
        assert "return 11" in place.files()["app.py"]

    def test_a_diff_becomes_an_envelope(self, place: Place) -> None:
        diff = place.suture("convert", stdin=ONE).out
        done = place.suture("convert", stdin=diff)
        compare("convert-to-envelope", done.out)
        assert place.suture("apply", stdin=done.out).status == 0
        assert "return 11" in place.files()["app.py"]

    @pytest.mark.parametrize("dialect", ["standard", "codex", "opencode", "strict"])
    def test_an_envelope_has_no_line_numbers(self, place: Place, dialect: str) -> None:
        diff = place.suture("convert", stdin=ONE).out
        done = place.suture("convert", "--dialect", dialect, stdin=diff)
        assert "\n@@\n" in done.out

    def test_an_envelope_that_does_not_fit_is_refused(self, place: Place) -> None:
        assert place.suture("convert", stdin=ONE.replace("return 1\n", "return 5\n")).status == 1

    @pytest.mark.parametrize("form", ["search-replace", "json"])
    @pytest.mark.parametrize(
        "hunk",
        ["@@ def two():\n-    return 1\n+    return 5\n", "@@\n-    return 1\n+    return 5\n*** End of File\n"],
        ids=["anchor", "end"],
    )
    def test_a_form_that_says_less_about_the_place_takes_the_files(self, place: Place, form: str, hunk: str) -> None:
        patch = f"*** Begin Patch\n*** Update File: app.py\n{hunk}*** End Patch\n"
        place.write("app.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n")
        assert place.suture("convert", "--to", form, stdin=patch).status == 1
        place.write("app.py", "def one():\n    return 1\n\n\ndef two():\n    return 1\n")
        done = place.suture("convert", "--to", form, stdin=patch)
        assert (done.status, place.suture("apply", stdin=done.out).status) == (0, 0)
        assert place.files()["app.py"] == "def one():\n    return 1\n\n\ndef two():\n    return 5\n"

    def test_whole_lines_do_not_become_a_string_inside_of_a_line(self, place: Place) -> None:
        place.write("app.py", "def one():\n    return 12\n")
        block = "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 5\n>>>>>>> REPLACE\n"
        assert place.suture("convert", "--to", "json", stdin=block).status == 1

    def test_git_and_back(self, place: Place) -> None:
        """A change of everything that git can show, as git shows it."""
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]

        def run(*arguments: str) -> str:
            command = [*git, *arguments]
            return subprocess.run(command, cwd=place.root, check=True, capture_output=True, text=True).stdout

        place.write("odd näme.txt", "a\nb\n")
        place.write("gone.txt", "gone\n")
        place.write("moved.txt", "1\n2\n3\n4\n5\n6\n")
        place.write("end.txt", "no newline")
        run("init", "-q")
        run("add", ".")
        run("commit", "-qm", "x")
        before = place.files()
        place.write("odd näme.txt", "a\nB\n-- x\n")
        (place.root / "gone.txt").unlink()
        (place.root / "moved.txt").unlink()
        place.write("sub/moved.txt", "1\n2\n3\n4\n5\nsix\n")
        place.write("end.txt", "no newline still")
        place.write("new.txt", "new")
        run("add", "-A")
        diff = run("diff", "--cached", "-M")
        after = place.files()
        done = place.suture("convert", stdin=diff)
        assert (done.status, done.err) == (0, "")
        assert apply_in_memory(done.out, before).texts == after


class TestStrip:
    DIFF = "--- x/y/app.py\n+++ x/y/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 11\n"

    @pytest.mark.parametrize("flag", ["-p2", "-p 2", "--strip=2", "--strip 2"])
    @pytest.mark.parametrize("command", ["apply", "check"])
    def test_directories_are_removed_as_by_patch(self, place: Place, flag: str, command: str) -> None:
        done = place.suture(command, *flag.split(" "), stdin=self.DIFF)
        assert (done.status, done.err) == (0, "")
        assert ("return 11" in place.files()["app.py"]) == (command == "apply")

    def test_a_number_that_is_wrong_is_not_corrected(self, place: Place) -> None:
        assert place.suture("check", stdin=self.DIFF).status == 0
        for count in ("0", "1"):
            done = place.suture("check", "--strip", count, stdin=self.DIFF)
            assert done.status == 1
            assert ("x/y/app.py" if count == "0" else "y/app.py") in done.err

    def test_a_prefix_that_is_a_directory_is_kept_with_zero(self, place: Place) -> None:
        place.write("a/app.py", APP)
        diff = self.DIFF.replace("--- x/y", "--- a").replace("+++ x/y", "+++ a")
        assert place.suture("apply", "-p0", stdin=diff).status == 0
        assert place.files()["app.py"] == APP
        assert "return 11" in place.files()["a/app.py"]

    @pytest.mark.parametrize("count", ["x", "-1", "", "1.5", "9999"])
    def test_what_is_no_number_is_a_usage_error(self, place: Place, count: str) -> None:
        done = place.suture("apply", f"--strip={count}", stdin=self.DIFF)
        assert (done.status, done.err.splitlines()[0]) == (
            2,
            f"suture apply: expected a number of directories for --strip; found {count!r}",
        )

    def test_other_forms_have_nothing_to_strip(self, place: Place) -> None:
        done = place.suture("apply", "-p1", stdin=ONE)
        assert done.status == 2
        assert "--strip is for unified diffs, and there is none in standard input" in done.err


def test_parse_shows_what_was_read(place: Place) -> None:
    done = place.suture("parse", stdin=ONE)
    assert done.status == 0
    document = json.loads(done.out)
    hunk = parse(ONE).operations[0].hunks[0]  # type: ignore[union-attr]
    assert document["patch"]["operations"][0]["kind"] == "update"
    assert document["patch"]["operations"][0]["hunks"][0]["lines"] == list(hunk.lines)


class TestExplain:
    def test_hunk_by_hunk_with_the_nearest_places(self, place: Place) -> None:
        place.write("twice.txt", "a\nsame\nb\nsame\nc\n")
        text = patch(
            "*** Update File: app.py",
            "@@\n def one():\n-    return 7 \n+    return 11",
            "@@\n def two():\n-\treturn 2\n+\treturn 22",
            update("twice.txt", "-same", "+other"),
            update("missing.txt", "-x", "+y"),
            "*** Add File: fine.txt\n+fine",
        )
        done = place.suture("explain", stdin=text)
        assert (done.status, done.err) == (1, "")
        compare("explain", done.out)

    def test_a_patch_that_applies(self, place: Place) -> None:
        done = place.suture("explain", stdin=ONE)
        assert done.status == 0
        compare("explain-fine", done.out)
        assert place.files() == {"app.py": APP}


class TestThePage:
    """docs/cli.md says what is so."""

    PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")

    def test_it_has_every_command_and_every_common_option(self) -> None:
        named = set(re.findall(r"^\| `suture (\w+)", self.PAGE, re.MULTILINE))
        assert named == {command.name for command in COMMANDS}
        flags = {option.flags[-1] for command in COMMANDS if command.name == "apply" for option in command.options}
        flags |= {option.flags[-1] for option in COMMON}
        assert [flag for flag in sorted(flags - {"--interactive"}) if flag not in self.PAGE] == []

    def test_its_examples_are_what_the_programs_say(self, place: Place) -> None:
        found = re.search(r"\$ apply_patch '(?P<patch>[^']*)'\n(?P<said>.*?)```", self.PAGE, re.DOTALL)
        assert found
        assert place.run("apply_patch", found["patch"]) == (0, found["said"], "")
        place.write("app.py", APP)
        place.write("change.patch", patch(update("app.py", " def one():", "-    return 7 ", "+    return 11")))
        found = re.search(r"\$ suture explain change.patch\n(?P<said>.*?)```", self.PAGE, re.DOTALL)
        assert found
        assert place.suture("explain", "change.patch") == (1, found["said"], "")
