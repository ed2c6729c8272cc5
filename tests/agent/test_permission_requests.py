"""Requests for permission, the answers to them, and the decision that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.hunks import hunks_of
from tests.shared.permission_requests import edit, problem, three_hunk_request

from suture import Workspace
from suture.agent import requests
from suture.agent.answers import Answer, Decision
from suture.agent.authorization import Permissions
from suture.agent.requests import Request, describe, new_id, notes_of, rule_names, without_lines
from suture.core.fingerprint import fingerprint
from suture.workspace import Change, MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent.rules import Action
    from suture.core.outcome import Kind

PATCH = """*** Begin Patch
*** Update File: src/app.py
@@
-one
+ONE
 two
*** Add File: src/new.py
+new
*** Delete File: old.py
*** Update File: a.txt
*** Move to: b.txt
@@
-a
+A
*** End Patch
"""
FILES = {"src/app.py": "one\ntwo\n", "old.py": "old\n", "a.txt": "a\nz\n"}


class TestBinaryFiles:
    """What has no diff is shown all the same, so that nobody approves what they could not see."""

    def request(self, before: bytes | None, after: bytes) -> Change:
        workspace = Workspace(MemoryFiles({} if before is None else {"run.sh": before}))
        plan = workspace.plan_write("run.sh", after)
        assert (plan.problems, plan.changes[0].diff) == ((), "")
        return Request.from_plan(plan).files[0]

    def test_a_text_that_becomes_binary_is_shown_with_its_new_bytes(self) -> None:
        file = self.request(b"#!/bin/sh\necho ok\n", b"#!/bin/sh\nrm -rf ~\n\0\xff\n")
        assert file.hunks == hunks_of("@@ -1,2 +1,3 @@\n #!/bin/sh\n-echo ok\n+rm -rf ~\n+\0\udcff\n")
        assert notes_of(file) == ["becomes binary"]

    def test_text_that_replaces_a_binary_file_is_shown(self) -> None:
        file = self.request(b"\0\0", b"rm -rf ~\n")
        assert (file.hunks, notes_of(file)) == (hunks_of("@@ -0,0 +1 @@\n+rm -rf ~\n"), ["was binary"])

    def test_text_that_replaces_a_binary_file_is_shown_although_a_later_change_has_a_diff(self) -> None:
        files = MemoryFiles({"run.sh": b"\0old"})
        lines = ["*** Add File: run.sh", "+rm -rf ~", "+last", "*** Update File: run.sh", "@@", "-last", "+end"]
        patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
        (file,) = Request.from_plan(Workspace(files, dialect="codex").plan(patch)).files
        assert (file.hunks, notes_of(file)) == (hunks_of("@@ -0,0 +1,2 @@\n+rm -rf ~\n+end\n"), ["was binary"])

    def test_a_file_that_was_binary_only_between_two_changes_is_shown_as_it_changes(self) -> None:
        workspace = Workspace(MemoryFiles({"a": "one\n"}))
        binary, text = workspace.plan_write("a", b"\0"), workspace.plan_write("a", "two\n")
        back = Workspace(MemoryFiles({"a": b"\0"})).plan_write("a", "two\n")
        (file,) = Request.from_plan(text.replace(changes=(*binary.changes, *back.changes))).files
        assert (file.hunks, notes_of(file)) == (hunks_of("@@ -1 +1 @@\n-one\n+two\n"), [])

    def test_a_new_empty_file_is_not_called_binary(self) -> None:
        (file,) = Request.from_plan(Workspace(MemoryFiles({})).plan_write("a", "")).files
        assert file.diff.startswith("diff --git a/a b/a\nnew file mode")
        assert (file.hunks, notes_of(file), without_lines(file)) == ((), [], "An empty file.")

    def test_a_new_binary_file_is_shown(self) -> None:
        file = self.request(None, b"rm -rf ~\n\0")
        assert file.hunks == hunks_of("@@ -0,0 +1,2 @@\n+rm -rf ~\n+\0\n\\ No newline at end of file\n")
        assert notes_of(file) == ["becomes binary"]

    def test_a_long_text_that_becomes_binary_has_one_hunk_and_can_be_left_out(self) -> None:
        lines = [b"line %d\n" % number for number in range(100)]
        workspace = Workspace(MemoryFiles({"a": b"".join(lines), "b": "b\n"}))
        lines[3], lines[90] = b"\0\n", b"\0\n"
        request = Request.from_plan(workspace.plan_write("a", b"".join(lines)))
        assert len(request.files[0].hunks) == 1
        assert not Decision(request, Answer.some({"a": []})).is_approved("a")
        assert Decision(request, Answer.some({"a": [1]})).is_whole

    @pytest.mark.parametrize(
        ("kind", "before", "after", "expected"),
        [
            ("read", "", "", "Only asks to read it."),
            ("add", "", "", "There is no diff to show."),
            ("move", "x", "x", "Renamed without changes."),
            ("update", "x", "x", "Its content stays as it is."),
            ("add", "", fingerprint(b""), "An empty file."),
            ("delete", "x", "", "A binary file, or one that is not text. There is no diff to show."),
        ],
    )
    def test_a_file_without_hunks_says_what_would_happen(
        self, kind: Kind, before: str, after: str, expected: str
    ) -> None:
        file = Change(kind, "a", sha256_before=before, sha256_after=after, resolved="/a")
        assert without_lines(file) == expected


class TestRequest:
    def test_it_has_every_file_with_its_resolved_path_kind_counts_and_diff(self) -> None:
        workspace = Workspace(MemoryFiles(FILES))
        plan = workspace.plan(PATCH)
        request = Request.from_plan(plan, actor="agent 7")
        assert [(f.path, f.resolved, f.kind, f.additions, f.deletions, f.move_to) for f in request.files] == [
            ("src/app.py", "/src/app.py", "update", 1, 1, ""),
            ("src/new.py", "/src/new.py", "add", 1, 0, ""),
            ("old.py", "/old.py", "delete", 0, 1, ""),
            ("a.txt", "/a.txt", "move", 1, 1, "b.txt"),
        ]
        assert [file.diff for file in request.files] == [change.diff for change in plan.changes]
        assert request.files[0].hunks == plan.changes[0].hunks == hunks_of("@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n")
        assert request.files[3].move_to_resolved == "/b.txt"
        assert (request.permission, request.tool, request.actor) == ("edit", "apply_patch", "agent 7")
        assert request.patterns == ("src/app.py", "src/new.py", "old.py", "a.txt", "b.txt")
        assert request.always == request.patterns
        assert request.metadata == {"filepath": "src/app.py, src/new.py, old.py, a.txt", "diff": plan.diff}
        assert not request.whole_only

    def test_files_show_what_would_be_done(self) -> None:
        assert Request.from_plan(Workspace(MemoryFiles(FILES)).plan(PATCH)).lines == (
            "update src/app.py +1 -1",
            "add src/new.py +1 -0",
            "delete old.py +0 -1",
            "move a.txt -> b.txt +1 -1",
        )

    def test_behind_a_link_both_the_link_and_where_it_leads_are_asked_about(self, tmp_path: Path) -> None:
        (tmp_path / "secrets").mkdir()
        (tmp_path / "secrets/key.txt").write_text("one\n")
        (tmp_path / "link.txt").symlink_to("secrets/key.txt")
        with Workspace(tmp_path, state_dir=tmp_path.parent / "state") as workspace:
            request = Request.from_plan(workspace.plan_edit("link.txt", "one", "two"))
        (file,) = request.files
        assert (file.path, file.target, file.resolved) == (
            "link.txt",
            "secrets/key.txt",
            str(tmp_path / "secrets/key.txt"),
        )
        assert rule_names(file) == (
            ("link.txt", str(tmp_path / "link.txt")),
            ("secrets/key.txt", str(tmp_path / "secrets/key.txt")),
        )
        assert describe(file) == "update link.txt (a link to secrets/key.txt) +1 -1"
        denied = problem(Permissions([("edit", "*", "allow"), ("edit", "secrets/**", "deny")]), request)
        assert denied.path == "secrets/key.txt"

    def test_a_moved_link_whose_text_is_changed_is_asked_about_with_all_its_names(self, tmp_path: Path) -> None:
        (tmp_path / "target.txt").write_text("one\n")
        (tmp_path / "link.txt").symlink_to("target.txt")
        patch = "*** Begin Patch\n*** Update File: link.txt\n*** Move to: moved.txt\n@@\n-one\n+two\n*** End Patch\n"
        with Workspace(tmp_path, state_dir=tmp_path.parent / "state") as workspace:
            request = Request.from_plan(workspace.plan(patch))
        assert request.patterns == ("link.txt", "target.txt", "moved.txt")

    def test_files_outside_of_the_first_folder_need_a_permission_of_their_own(self, tmp_path: Path) -> None:
        for name in ("work", "data"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.txt").write_text("one\n")
        data = tmp_path / "data"
        patch = (
            f"*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Delete File: {data}/a.txt\n*** End Patch\n"
        )
        settings = {"extra_roots": [data], "state_dir": tmp_path / "state"}
        with Workspace(tmp_path / "work", **settings) as workspace:  # type: ignore[arg-type]
            request = Request.from_plan(workspace.plan(patch), tool="apply_patch")
        external = request.external()
        assert external is not None
        assert (external.permission, external.patterns, external.always) == (
            "external_directory",
            (f"{data}/**",),
            (f"{data}/**",),
        )
        assert [file.path for file in external.files] == [f"{data}/a.txt"]
        allowed: list[tuple[str, str, Action]] = [("edit", "*", "allow")]
        assert Permissions(allowed).verdict(external).action == "ask"
        allowed.append(("external_directory", f"{data}/**", "allow"))
        assert Permissions(allowed).verdict(external).action == "allow"
        assert edit("a.py").external() is None

    def test_changes_that_build_upon_one_another_are_one_file_and_one_whole(self) -> None:
        patch = "*** Begin Patch\n*** Add File: n.txt\n+one\n*** Update File: n.txt\n@@\n-one\n+two\n*** End Patch\n"
        plan = Workspace(MemoryFiles({}), dialect="codex").plan(patch)
        assert plan.problems == ()
        request = Request.from_plan(plan)
        assert [(file.path, file.kind, len(file.hunks)) for file in request.files] == [("n.txt", "add", 2)]
        assert request.whole_only
        with pytest.raises(ValueError, match="as a whole only"):
            Answer.some({"n.txt": [1]}).check(request)
        Answer.some({"n.txt": [1, 2]}).check(request)
        Answer.some({"n.txt": "all"}).check(request)

    def test_a_new_name_that_is_another_files_old_one_is_one_whole(self) -> None:
        patch = "*** Begin Patch\n*** Move File: a -> b\n*** Move File: c -> a\n*** End Patch\n"
        plan = Workspace(MemoryFiles({"a": "a\n", "c": "c\n"})).plan(patch)
        assert plan.problems == ()
        assert Request.from_plan(plan).whole_only

    def test_it_survives_the_way_through_json(self) -> None:
        request = Request.from_plan(Workspace(MemoryFiles({"a": b"\xff one\n"})).plan_edit("a", "one", "two"))
        assert "\\udcff" in request.to_json()
        assert Request.from_json(request.to_json()) == request
        later = request.to_json().replace('"permission"', '"of_a_later_version": 1, "permission"')
        assert Request.from_json(later) == request

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"id": "1", "permission": "edit", "files": [{"x": 1}]}'])
    def test_what_is_no_request_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            Request.from_json(text)

    def test_later_ids_sort_behind_earlier_ones(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(requests, "time", iter([1.0, 2.0, 1_000_000.0, 4_000_000_000.0]).__next__)
        ids = [new_id() for _ in range(4)]
        assert ids == sorted(ids)
        assert len({len(one) for one in ids}) == 1

    @pytest.mark.parametrize(
        ("paths", "subject"),
        [((), "this"), (("a",), "a"), (("a", "b"), "a and 1 more file"), (("a", "b", "c"), "a and 2 more files")],
    )
    def test_its_subject_is_short(self, paths: tuple[str, ...], subject: str) -> None:
        assert edit(*paths).subject == subject


class TestAnswer:
    @pytest.mark.parametrize(
        "answer",
        [
            Answer.once(),
            Answer.always("src/**", "docs/**"),
            Answer.reject("no, thanks"),
            Answer.some({"a": [3, 1], "b": "all"}, "only these"),
        ],
    )
    def test_it_survives_the_way_through_json(self, answer: Answer) -> None:
        assert Answer.from_json(answer.to_json()) == answer
        assert hash(Answer.from_json(answer.to_json())) == hash(answer)

    def test_of_json_only_the_kind_is_needed(self) -> None:
        assert Answer.from_json('{"kind": "once"}') == Answer.once()

    @pytest.mark.parametrize(
        "text",
        [
            "once",
            "{}",
            '"once"',
            '{"kind": "yes"}',
            '{"kind": "withdrawn"}',
            '{"kind": "reject", "message": 3}',
            '{"kind": "always", "patterns": "src"}',
            '{"kind": "always", "patterns": [" "]}',
            '{"kind": "some", "hunks": ["a"]}',
            '{"kind": "some", "hunks": {"a": 1}}',
            '{"kind": "some", "hunks": {"a": ["1"]}}',
            '{"kind": "some", "hunks": {"a": [true]}}',
            '{"kind": "some", "hunks": {"a": [2]}}',
            '{"kind": "some", "hunks": {"b": [1]}}',
        ],
    )
    def test_what_is_no_answer_to_a_request_is_refused(self, text: str) -> None:
        request = Request.for_files("edit", [Change("update", "a", hunks=hunks_of("@@ -1 +1 @@\n-a\n+b\n"))])
        with pytest.raises(ValueError, match=r"."):
            Answer.from_json(text).check(request)


class TestDecision:
    def test_a_whole_one_has_nothing_to_tell(self) -> None:
        for answer in (None, Answer.once(), Answer.some({"a.py": [1, 2, 3]}), Answer.some({"a.py": "all"})):
            decision = Decision(three_hunk_request(), answer)
            assert (decision.is_whole, decision.left_out, decision.for_model()) == (True, {}, "")
            assert decision.hunks_of("a.py") == (1, 2, 3)

    def test_a_part_has_the_hunks_that_are_allowed_and_those_that_are_not(self) -> None:
        decision = Decision(three_hunk_request(), Answer.some({"a.py": [3, 1]}))
        assert not decision.is_whole
        assert (decision.hunks_of("a.py"), decision.left_out) == ((1, 3), {"a.py": (2,)})

    def test_a_file_that_is_not_named_is_not_done(self) -> None:
        request = edit("a.py", "b.py")
        decision = Decision(request, Answer.some({"b.py": "all"}))
        assert (decision.is_approved("a.py"), decision.is_approved("b.py"), decision.is_whole) == (False, True, False)
        assert decision.left_out == {"a.py": ()}

    def test_what_was_said_with_a_yes_reaches_the_model(self) -> None:
        decision = Decision(three_hunk_request(), Answer.once("but run the tests"))
        assert decision.for_model() == "The user said: but run the tests"

    def test_a_file_that_is_not_there_is_a_key_error(self) -> None:
        with pytest.raises(KeyError):
            three_hunk_request().file("c.py")
