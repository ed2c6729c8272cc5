"""`suture undo` and `suture redo`: whatever happened to the files in between, nothing jams and nothing is lost."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, Place, compare, patch, update

import suture
from suture import PatchRejectedError, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
TWO = patch(update("app.py", " def two():", "-    return 2", "+    return 22"))
BOTH = patch(update("app.py", " def one():", "-    return 1", "+    return 11"), update("other.py", "-x = 1", "+x = 2"))
CHANGED = APP.replace("return 1\n", "return 11\n")
TWICE = CHANGED.replace("return 2\n", "return 22\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def last_id(place: Place) -> str:
    return place.suture("log", "-n", "1").out.split()[0]


def test_undo_and_redo_go_back_and_forth(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("apply", stdin=TWO)
    states = []
    for command in ("undo", "undo", "redo", "redo", "undo", "redo", "undo", "undo", "redo"):
        done = place.suture(command)
        assert (done.status, done.err) == (0, ""), command
        states.append((APP, CHANGED, TWICE).index(place.files()["app.py"]))
    assert states == [1, 0, 1, 2, 1, 2, 1, 0, 1]
    assert place.suture("redo").status == 0
    done = place.suture("redo")
    assert (done.status, done.err) == (1, "Nothing to redo.\n\nNo file was changed.\n")


def test_a_commit_is_redone_by_its_id_or_that_of_its_undo(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    commit = last_id(place)
    for name in (commit, ""):
        place.suture("undo")
        assert place.suture("redo", name or last_id(place)).status == 0
        assert place.files() == {"app.py": CHANGED}
    done = place.suture("redo", commit)
    assert done.status == 1
    assert done.err.startswith(f"The commit {commit} is not undone, so it cannot be redone.\n")


def test_a_redo_does_not_overwrite_a_later_change(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("undo")
    place.suture("apply", stdin=TWO)
    assert place.suture("redo").status == 1
    assert place.suture("redo", "--merge").status == 0
    assert place.files() == {"app.py": TWICE}


def test_a_file_that_is_already_as_it_was_counts_as_undone(place: Place) -> None:
    place.write("other.py", "x = 1\n")
    place.suture("apply", stdin=BOTH)
    place.write("other.py", "x = 1\n")
    done = place.suture("undo")
    assert done.status == 0
    compare("undo-already", place.stable(done.out))
    assert place.files() == {"app.py": APP, "other.py": "x = 1\n"}
    assert place.suture("undo").err.startswith("Nothing to undo.")
    assert place.suture("redo").status == 0
    assert place.files() == {"app.py": CHANGED, "other.py": "x = 1\n"}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_in_between_does_not_jam_it(place: Place) -> None:
    """Two commits are back at once, and each of them is undone in turn, down to one that the checkout left."""

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=me", "-c", "user.email=me@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=place.root, check=True, capture_output=True)

    place.suture("edit", "new.py", "--old", "", "--new", "x = 1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    place.suture("apply", stdin=ONE)
    place.suture("apply", stdin=TWO)
    git("checkout", ".")
    for _ in range(2):
        done = place.suture("undo")
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith("M app.py (already as it was)\n")
        assert place.files() == {"app.py": APP, "new.py": "x = 1\n"}
    assert place.suture("undo").out.startswith("D new.py")
    assert place.suture("redo").status == 0
    assert place.files() == {"app.py": APP, "new.py": "x = 1\n"}


def test_a_file_that_was_changed_in_another_way_is_refused(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.write("app.py", CHANGED + "more = 1\n")
    done = place.suture("undo")
    assert done.status == 1
    assert "or use --merge, which reverts the change where it still matches." in done.err
    assert place.suture("undo", "--merge").status == 0
    assert place.files() == {"app.py": APP + "more = 1\n"}


def test_a_file_is_undone_alone(place: Place) -> None:
    place.write("other.py", "x = 1\n")
    place.suture("apply", stdin=BOTH)
    place.suture("apply", stdin=TWO)
    assert place.suture("undo", "other.py").out.startswith("M other.py +1 -1\n")
    assert place.files() == {"app.py": TWICE, "other.py": "x = 1\n"}
    assert place.suture("undo", "other.py").err.startswith("Nothing to undo in other.py.\n")
    assert place.suture("undo", "app.py").status == 0
    assert place.files() == {"app.py": CHANGED, "other.py": "x = 1\n"}
    assert place.suture("undo", "./app.py").status == 0
    assert place.files() == {"app.py": APP, "other.py": "x = 1\n"}
    assert place.suture("redo").status == 0
    assert place.suture("undo").status == 0
    assert place.files() == {"app.py": APP, "other.py": "x = 1\n"}


def test_a_file_that_the_history_does_not_know(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.write("other.py", "x = 1\n")
    for name in ("other.py", "beef"):
        done = place.suture("undo", name)
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith(f"There is no commit {name} in the history.\n")


def test_a_file_with_the_name_of_a_commit_is_the_commit(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    commit = last_id(place)
    place.suture("edit", commit[:4], "--old", "", "--new", "x\n")
    assert place.suture("undo", commit[:4]).out.startswith("M app.py")
    assert place.suture("undo", f"./{commit[:4]}").out.startswith(f"D {commit[:4]}")


def test_part_of_a_commit_that_does_not_concern_a_file(tmp_path: Path) -> None:
    with Workspace(tmp_path, state_dir=tmp_path / "state", durability="process") as workspace:
        receipt = workspace.write("a.txt", "a\n")
        with pytest.raises(PatchRejectedError) as caught:
            workspace.undo(receipt, path="b.txt")
    assert caught.value.problems[0].code == "not_found"


def test_a_moved_file_is_undone_by_either_name(tmp_path: Path) -> None:
    with Workspace(tmp_path, state_dir=tmp_path / ".state", durability="process") as workspace:
        workspace.write("a.txt", "a\n")
        workspace.write("c.txt", "c\n")
        moved = workspace.apply(patch("*** Update File: a.txt", "*** Move to: b.txt", "*** Delete File: c.txt"))
        for name in ("b.txt", "a.txt"):
            undone = workspace.undo(moved, path=name)
            assert undone.moved == (("b.txt", "a.txt"),)
            assert workspace.show(moved.id).undone_by == ""
            workspace.undo(undone)
        workspace.undo(moved)
        assert sorted(path.name for path in tmp_path.glob("*.txt")) == ["a.txt", "c.txt"]


class TestACommitThatNeededAllow:
    """A commit of files that are denied by default: its refusal names the command that works."""

    ENV = patch(update(".env", "-A=1", "+A=2"))

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        place = Place(tmp_path)
        place.write(".env", "A=1\n")
        place.suture("apply", stdin=ONE)
        assert place.suture("apply", "--allow", ".env", stdin=self.ENV).status == 0
        return place

    def advised(self, place: Place, *command: str) -> list[str]:
        """The arguments of the command that a refusal advises."""
        refused = place.suture(*command)
        assert refused.status == 1
        assert refused.err.endswith("No file was changed.\n")
        advised = next(line for line in refused.err.splitlines() if line.startswith("Run: suture "))
        return shlex.split(advised.removeprefix("Run: suture "))

    def test_its_undo_and_its_redo_name_the_command_that_works(self, place: Place) -> None:
        commit = last_id(place)
        command = self.advised(place, "undo")
        assert command == ["undo", commit, "--allow", ".env"]
        assert place.suture(*command).status == 0
        assert (place.root / ".env").read_text() == "A=1\n"
        command = self.advised(place, "redo")
        assert command == ["redo", last_id(place), "--allow", ".env"]
        assert place.suture(*command).status == 0
        assert (place.root / ".env").read_text() == "A=2\n"

    def test_all_of_its_paths_are_in_the_command_whatever_their_names(self, place: Place) -> None:
        names = ["b/.env", "it's/.env", "c [1]/.env", "keys/a.pem"]
        for name in names:
            place.write(name, "A=1\n")
        several = patch(*[update(name, "-A=1", "+A=2") for name in names])
        assert place.suture("apply", "--allow", "**/.env", "--allow", "**/*.pem", stdin=several).status == 0
        command = self.advised(place, "undo")
        assert place.suture(*command).status == 0
        assert {(place.root / name).read_text() for name in names} == {"A=1\n"}

    def test_another_commit_can_be_undone_by_its_name(self, place: Place) -> None:
        assert "To undo another commit, name it: suture log lists them.\n" in place.suture("undo").err
        earlier = place.suture("log").out.splitlines()[-1].split()[0]
        assert place.suture("undo", earlier).status == 0
        assert place.files()["app.py"] == APP


def messages_of(source: str) -> Iterator[str]:
    """The texts of a module, without its docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_no_message_advises_to_delete_the_state() -> None:
    """A history is worth more than the problem that a message is about: it is set aside, never removed."""
    state = r"(?:\bstate\b|\.suture\b|\bhistory\b|\bjournal\b|\bdatabase\b)"
    advice = re.compile(rf"\b(?:remove|delete|erase|clear|wipe|rm)\b[^.\n]{{0,40}}{state}", re.IGNORECASE)
    assert advice.search("If nobody here made it, remove the state directory")
    sources = Path(suture.__file__).parent.rglob("*.py")
    texts = [text for path in sources for text in messages_of(path.read_text("utf-8"))]
    assert [text for text in texts if advice.search(text)] == []
