"""An isolated session: nobody else sees its changes until they are merged, as one commit, all or nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit
from tests.shared.goldens import compare

from suture import Answer, PatchRejectedError, Session, SyncSession, Workspace
from suture.agent import FileChanged, FileEdited, Formatter, Pending, Rule
from suture.agent.diagnostics import CommandDiagnoser
from suture.workspace import isolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.agent import Request, Result

HELLO = APP.replace("'Hi '", "'Hello '")
BYE = APP.replace("'Bye '", "'See you '")
BOTH = HELLO.replace("'Bye '", "'See you '")


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "src" / "app.py").write_text(APP)
    return Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process", actor="bob")


@pytest.fixture
def session(place: Workspace) -> Iterator[SyncSession]:
    with SyncSession(place, id="one", rules=ALLOW, isolated=True, profile="all", actor="claude") as session:
        yield session


def tree(root: str) -> dict[str, tuple[int, bytes | str]]:
    """All files and links: their modes, and contents or targets."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = (0, str(path.readlink()))
        elif path.is_file():
            found[name] = (path.stat().st_mode & 0o777, path.read_bytes())
    return found


def change(session: SyncSession, path: str, old: str, new: str) -> Result:
    session.read(path)
    return session.edit(path, old, new)


def app(place: Workspace) -> str:
    return place.read("src/app.py").content.decode()


class TestWhoSeesWhat:
    def test_the_session_sees_its_changes_and_nobody_else_does(self, place: Workspace, session: SyncSession) -> None:
        before = tree(place.root)
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.write("new/b.py", "greeting = 'Hello '\n")
        assert tree(place.root) == before
        assert "Hello" in session.read("src/app.py").output
        assert sorted(session.grep("Hello").output.splitlines()) == [
            "new/b.py:1:greeting = 'Hello '",
            "src/app.py:2:    print('Hello ' + name)",
        ]
        assert set(session.glob("**/*.py").output.splitlines()) == {"new/b.py", "src/app.py"}
        assert "new/" in session.read(".").output
        assert place.log() == []

    def test_the_model_is_told_once_that_nobody_sees_its_changes(self, session: SyncSession) -> None:
        first = change(session, "src/app.py", "'Hi '", "'Hello '")
        second = change(session, "src/app.py", "'Bye '", "'See you '")
        assert "before merge brings it into the workspace" in first.output
        assert "isolated" not in second.output

    def test_a_file_that_it_has_not_changed_is_what_the_workspace_has(
        self, place: Workspace, session: SyncSession
    ) -> None:
        session.write("b.txt", "b\n")
        place.write("src/app.py", "print('new')\n")
        assert "print('new')" in session.read("src/app.py").output

    def test_only_the_session_hears_of_its_edits_and_files_change_with_the_merge(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, isolated=True)
        agent.call(READ, edit())
        assert [type(one) for one in agent.heard if isinstance(one, FileEdited | FileChanged)] == [FileEdited]

    def test_a_session_that_is_not_isolated_has_nothing_to_merge(self, place: Workspace) -> None:
        with SyncSession(place, rules=ALLOW) as other:
            with pytest.raises(PatchRejectedError):
                other.merge()
            assert "merge" not in [one["name"] for one in other.tools("anthropic")]
            assert other.call("merge", {}).is_error

    def test_an_isolated_session_has_the_tools_for_it_in_every_profile(self, place: Workspace) -> None:
        with SyncSession(place, rules=ALLOW, isolated=True, profile="claude") as other:
            assert [one["name"] for one in other.tools("anthropic")][-2:] == ["Merge", "Discard"]
            assert other.call("Merge", {}).output.startswith("There is nothing to merge")


class TestMerge:
    def test_all_changes_come_as_one_commit(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        change(session, "src/app.py", "'Bye '", "'See you '")
        session.write("new/deep/b.py", "b = 1\n")
        result = session.merge()
        assert app(place) == BOTH
        (receipt,) = place.log()
        assert (receipt.tool, receipt.actor, receipt.session) == ("merge", "claude", "one")
        assert sorted(map(str, receipt.changes)) == ["A new/deep/b.py +1 -0", "M src/app.py +2 -2"]
        assert result.output.startswith("Merged.")
        assert session.merge().output.startswith("There is nothing to merge")

    def test_a_later_change_elsewhere_is_kept_and_told_of(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        place.edit("src/app.py", "'Bye '", "'See you '")
        result = session.merge()
        assert app(place) == BOTH
        assert "(merged with a later change of the file; lines of the file 6, of the edit 2)" in result.output
        assert "since it was changed in isolation by bob," in result.output
        assert session.session.reads.get("src/app.py") is not None

    def test_a_conflict_refuses_all_and_shows_both_sides_and_the_session_goes_on(
        self, place: Workspace, session: SyncSession
    ) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.write("b.txt", "b\n")
        place.edit("src/app.py", "'Hi '", "'Hey '")
        before = tree(place.root)
        result = session.call("merge", {})
        assert (code(result), tree(place.root)) == ("conflict", before)
        compare("session_isolated_conflict", result.output)
        # What the message says: discard, read, make the change again, merge.
        session.discard("src/app.py")
        change(session, "src/app.py", "'Hey '", "'Hello '")
        session.merge()
        assert (app(place), place.read("b.txt").text) == (HELLO, "b\n")

    def test_the_same_change_on_both_sides_counts_once(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        place.edit("src/app.py", "'Hi '", "'Hello '")
        assert session.merge().output.startswith("There is nothing to merge")
        assert session.session.isolation is not None
        assert session.session.isolation.paths == ()

    def test_a_file_that_was_added_on_both_sides_is_a_conflict(self, place: Workspace, session: SyncSession) -> None:
        session.write("b.txt", "mine\n")
        place.write("b.txt", "theirs\n")
        result = session.call("merge", {})
        assert code(result) == "conflict"
        assert "b.txt was added in isolation and added in the workspace." in result.output

    def test_a_file_that_was_deleted_on_one_side_and_changed_on_the_other_is_a_conflict(
        self, place: Workspace, session: SyncSession
    ) -> None:
        place.write("b.txt", "b\n")
        session.read("b.txt")
        session.delete("b.txt")
        change(session, "src/app.py", "'Hi '", "'Hello '")
        place.write("b.txt", "changed\n")
        place.delete("src/app.py")
        before = tree(place.root)
        result = session.call("merge", {})
        assert [one["code"] for one in result.metadata["problems"]] == ["conflict", "conflict"]
        assert tree(place.root) == before

    def test_a_binary_file_is_merged_if_only_one_side_has_changed_it(
        self, place: Workspace, session: SyncSession
    ) -> None:
        place.write("one.bin", b"\0one")
        place.write("two.bin", b"\0two")
        assert session.session.isolation is not None
        mine = session.session.isolation.workspace
        mine.write("one.bin", b"\0ONE")
        mine.write("two.bin", b"\0TWO")
        place.write("two.bin", b"\0other")
        assert code(session.call("merge", {})) == "conflict"
        session.discard("two.bin")
        session.merge()
        assert (place.read("one.bin").content, place.read("two.bin").content) == (b"\0ONE", b"\0other")

    def test_the_result_is_what_the_same_calls_do_without_isolation(self, tmp_path: Path) -> None:
        """Deletes, moves, modes, links and new directories."""
        trees = []
        for name in ("direct", "isolated"):
            root = tmp_path / name
            (root / "src").mkdir(parents=True)
            for path in ("moved", "changed", "deleted", "swapped", "kept"):
                (root / "src" / path).write_text(f"{path}\n1\n2\n3\n")
            (root / "src" / "kept").chmod(0o755)
            (root / "link").symlink_to("src/kept")
            (root / "other").symlink_to("src/kept")
            place = Workspace(root, state_dir=tmp_path / f"state-{name}", durability="process")
            with SyncSession(place, rules=ALLOW, isolated=name == "isolated", profile="all") as session:
                for path in ("src/moved", "src/changed", "src/deleted", "src/swapped", "src/kept", "link", "other"):
                    session.read(path)
                session.move("src/moved", "new/dir/moved")
                session.move("src/changed", "new/changed")
                session.edit("new/changed", "2\n", "two\n")
                session.delete("src/deleted")
                session.write("src/deleted", "again\n")
                session.move("src/swapped", "src/twice")
                session.move("src/twice", "src/third")
                session.edit("link", "2\n", "two\n")
                session.delete("link")
                session.move("other", "moved-link")
                patch = "diff --git a/src/third b/src/third\nold mode 100644\nnew mode 100755\n"
                session.session.workspace.apply(patch)
                if name == "isolated":
                    session.merge()
            trees.append(tree(str(root)))
        assert trees[0] == trees[1]
        assert trees[1]["src/third"][0] & 0o100

    def test_a_file_that_was_moved_keeps_what_others_did_to_it(self, place: Workspace, session: SyncSession) -> None:
        session.read("src/app.py")
        session.move("src/app.py", "lib/app.py")
        session.edit("lib/app.py", "'Hi '", "'Hello '")
        place.edit("src/app.py", "'Bye '", "'See you '")
        session.merge()
        assert list(tree(place.root)) == ["lib/app.py"]
        assert place.read("lib/app.py").text == BOTH
        assert place.log()[0].moved == (("src/app.py", "lib/app.py"),)

    def test_a_move_onto_a_file_that_came_meanwhile_is_a_conflict(self, place: Workspace, session: SyncSession) -> None:
        session.read("src/app.py")
        session.move("src/app.py", "lib/app.py")
        place.write("lib/app.py", "theirs\n")
        assert code(session.call("merge", {})) == "conflict"
        assert session.discard("lib/app.py").output.splitlines()[1:] == ["lib/app.py", "src/app.py"]
        assert "theirs" in session.read("lib/app.py").output

    def test_a_directory_that_became_a_file_is_reported(self, place: Workspace, session: SyncSession) -> None:
        session.write("new/b.txt", "b\n")
        place.write("new", "a file\n")
        assert code(session.call("merge", {})) == "conflict"

    def test_a_path_that_now_leads_through_a_link_is_refused(self, session: SyncSession, tmp_path: Path) -> None:
        session.write("new/b.txt", "b\n")
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "root" / "new").symlink_to(tmp_path / "elsewhere")
        assert session.call("merge", {}).is_error
        assert list((tmp_path / "elsewhere").iterdir()) == []

    def test_the_merge_can_be_undone_in_the_session(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.merge()
        session.undo()
        assert app(place) == APP


class TestPermissions:
    def test_edits_are_not_asked_for_and_the_merge_shows_what_becomes_of_the_files(self, place: Workspace) -> None:
        asked: list[Request] = []

        class Approver:
            async def ask(self, request: Request) -> Answer:
                asked.append(request)
                return Answer.once()

        with SyncSession(place, approver=Approver(), isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
            place.edit("src/app.py", "'Bye '", "'See you '")
            assert asked == []
            session.merge()
        (request,) = asked
        assert (request.tool, request.whole_only) == ("merge", True)
        assert request.files[0].additions == 1, "only what the merge changes, not what others did"
        assert "+    print('Hello ' + name)" in request.files[0].diff
        assert app(place) == BOTH

    def test_a_rejected_merge_changes_nothing_and_keeps_all(self, place: Workspace) -> None:
        class Approver:
            async def ask(self, request: Request) -> Answer:
                del request
                return Answer.reject("not now")

        with SyncSession(place, approver=Approver(), isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
            assert "not now" in session.call("merge", {}).output
            assert app(place) == APP
            assert "Hello" in session.read("src/app.py").output

    def test_without_anybody_to_ask_the_merge_is_refused_and_edits_are_not(self, place: Workspace) -> None:
        with SyncSession(place, isolated=True) as session:
            assert not change(session, "src/app.py", "'Hi '", "'Hello '").is_error
            assert code(session.call("merge", {})) == "rejected"

    def test_what_a_rule_denies_is_denied_in_isolation_too(self, place: Workspace) -> None:
        rules = [*ALLOW, Rule("edit", "src/**", "deny")]
        with SyncSession(place, rules=rules, isolated=True) as session:
            session.read("src/app.py")
            assert (
                code(session.call("edit", {"filePath": "src/app.py", "oldString": "Hi", "newString": "x"}))
                == "rejected"
            )

    def test_a_file_that_changes_while_somebody_is_asked_is_planned_again_and_asked_for_again(
        self, place: Workspace
    ) -> None:
        asked: list[str] = []

        class Approver:
            async def ask(self, request: Request) -> Answer:
                asked.append(request.files[0].diff)
                if len(asked) == 1:
                    place.edit("src/app.py", "'Bye '", "'See you '")
                return Answer.once()

        with SyncSession(place, approver=Approver(), isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
            session.merge()
        assert app(place) == BOTH
        assert len(asked) == 2

    def test_a_merge_can_wait_for_an_answer_as_a_value(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, isolated=True, rules=[], id="one")

        async def main(session: Session) -> None:
            await session.read("src/app.py")
            await session.edit("src/app.py", "'Hi '", "'Hello '")
            pending = await session.start("merge", {})
            assert isinstance(pending, Pending)
            assert agent.text("src/app.py") == APP
            result = await session.resume(Pending.from_json(pending.to_json()), Answer.once())
            assert not isinstance(result, Pending)
            assert not result.is_error

        agent.run(main)
        assert agent.text("src/app.py") == HELLO

    def test_an_answer_is_not_good_for_a_mode_that_was_not_shown(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, isolated=True, rules=[], id="one", profile="all")
        patch = "diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n"

        async def main(session: Session) -> None:
            await session.read("src/app.py")
            await session.edit("src/app.py", "'Hi '", "'Hello '")
            pending = await session.start("merge", {})
            assert isinstance(pending, Pending)
            session.workspace.apply(patch, dialect="standard")
            again = await session.resume(pending, Answer.once())
            assert isinstance(again, Pending)
            assert again.request.files[0].mode

        agent.run(main)
        assert agent.text("src/app.py") == APP

    def test_a_preview_of_the_merge_changes_nothing(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        preview = session.preview("merge", {})
        assert (preview.action, app(place)) == ("allow", APP)
        assert "M src/app.py +1 -1" in preview.result.output


class TestBack:
    def test_undo_works_inside(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.write("new/b.txt", "b\n")
        session.undo()
        session.undo()
        assert "Hi" in session.read("src/app.py").output
        assert session.session.isolation is not None
        assert session.session.isolation.paths == ()
        assert session.merge().output.startswith("There is nothing to merge")
        assert app(place) == APP

    def test_after_an_undo_the_file_is_again_what_the_workspace_has(
        self, place: Workspace, session: SyncSession
    ) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.undo()
        place.edit("src/app.py", "'Bye '", "'See you '")
        assert "See you" in session.read("src/app.py").output

    def test_discard_forgets_everything_or_one_file(self, place: Workspace, session: SyncSession) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        session.write("b.txt", "b\n")
        session.discard("b.txt")
        assert session.call("read", {"filePath": "b.txt"}).is_error
        assert code(session.call("discard", {"filePath": "b.txt"})) == "no_change"
        session.discard()
        assert "Hi" in session.read("src/app.py").output
        assert session.discard().output == "There is nothing to discard."
        assert app(place) == APP

    def test_there_is_a_limit_on_what_is_kept(
        self, place: Workspace, session: SyncSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(isolation, "MOST_ISOLATED_BYTES", 1000)
        assert code(session.call("write", {"filePath": "b.txt", "content": "x" * 1001})) == "file_too_large"
        assert not session.call("write", {"filePath": "b.txt", "content": "x" * 400}).is_error
        assert app(place) == APP

    def test_what_was_left_for_too_long_is_removed(self, place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        with SyncSession(place, id="old", rules=ALLOW, isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
        assert [one.session for one in isolation.isolated_sessions(place)] == ["old"]
        monkeypatch.setattr(isolation, "KEEP_ISOLATED_SECONDS", -1.0)
        with SyncSession(place, id="new", rules=ALLOW, isolated=True):
            assert isolation.isolated_sessions(place) == []


#: Makes double quotes of single ones.
SWAP = "import sys; print(sys.stdin.read().replace(chr(39), chr(34)), end='')"


class TestPrograms:
    def test_formatters_see_and_change_only_the_isolated_file(self, place: Workspace) -> None:
        formatter = Formatter("**/*.py", (sys.executable, "-c", SWAP))
        with SyncSession(place, rules=ALLOW, isolated=True, formatters=[formatter]) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
            assert app(place) == APP
            session.merge()
        assert app(place) == HELLO.replace("'", '"')

    def test_a_command_checks_the_text_and_not_the_disk(self, place: Workspace) -> None:
        check = (
            "import sys\n"
            "for number, line in enumerate(open(sys.argv[1]), 1):\n"
            "    if 'BAD' in line: print(f'{sys.argv[1]}:{number}:1: bad')\n"
        )
        diagnoser = CommandDiagnoser([sys.executable, "-c", check], root=place.root, statuses=(0,))
        with SyncSession(place, rules=ALLOW, isolated=True, diagnoser=diagnoser) as session:
            result = change(session, "src/app.py", "'Hi '", "'BAD '")
            assert "bad" in result.output
            result = change(session, "src/app.py", "'BAD '", "'Hi '")
            assert result.metadata["diagnostics"]["src/app.py"]["state"] == "clean"

    def test_a_diagnoser_that_reads_the_disk_is_not_asked(self, tmp_path: Path) -> None:
        class Disk:
            async def check(self, *_: object, **__: object) -> object:
                raise AssertionError("it would see another text")

            async def close(self) -> None:
                pass

        agent = Agent(tmp_path, isolated=True, diagnoser=Disk())
        assert "not there yet" in agent.call(READ, edit()).output
