"""Permissions: what the rules allow goes ahead, what they deny does not, and about the rest a person decides.

The texts that models read are golden files, `tests/golden/permission-<name>.txt`. To write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/test_permissions.py
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.goldens import FOLDER, compare

from suture import PatchRejectedError, Workspace
from suture.events import Bus, Event, PermissionAsked, PermissionReplied
from suture.permissions import requests
from suture.permissions.answers import Answer, Decision
from suture.permissions.approvers import AllowAll, ApprovalQueue, Callback, DenyAll
from suture.permissions.requests import Request, RequestedFile, new_id
from suture.permissions.rules import ACTIONS, Rule, Rules, Verdict, strictest
from suture.session.authorization import Permissions
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

    from suture.core.problems import Problem
    from suture.permissions.approvers import Approver
    from suture.permissions.rules import Action


def edit(*paths: str, request_id: str = "r1") -> Request:
    """A request to edit some files, with nothing in it but their names."""
    return Request.for_files("edit", [RequestedFile(path, f"/w/{path}") for path in paths]).replace(id=request_id)


def decide(permissions: Permissions, request: Request) -> Decision:
    return asyncio.run(permissions.check(request))


def refusal(permissions: Permissions, request: Request) -> PatchRejectedError:
    with pytest.raises(PatchRejectedError) as caught:
        decide(permissions, request)
    return caught.value


def problem(permissions: Permissions, request: Request) -> Problem:
    (only,) = refusal(permissions, request).problems
    return only


class TestRules:
    def test_the_last_rule_that_matches_wins(self) -> None:
        rules = Rules([("edit", "**", "allow"), ("edit", "docs/**", "deny"), ("edit", "docs/*.md", "ask")])
        assert rules.verdict("edit", "src/a.py") == Verdict("allow", "src/a.py", Rule("edit", "**", "allow"))
        assert rules.verdict("edit", "docs/a/b.txt").action == "deny"
        assert rules.verdict("edit", "docs/a.md").action == "ask"

    def test_where_none_matches_it_is_asked(self) -> None:
        assert Rules().verdict("edit", "a.py") == Verdict("ask", "a.py", None)
        assert Rules([("read", "**", "allow")]).verdict("edit", "a.py").action == "ask"

    def test_a_star_is_every_permission_and_every_path(self) -> None:
        rules = Rules([("*", "*", "allow")])
        for permission, path in [("edit", "a.py"), ("read", "deep/down/a.py"), ("external_directory", "/etc/hosts")]:
            assert rules.verdict(permission, path).action == "allow"

    def test_a_star_inside_a_glob_stays_within_one_part(self) -> None:
        rules = Rules([("edit", "src/*", "allow")])
        assert rules.verdict("edit", "src/a.py").action == "allow"
        assert rules.verdict("edit", "src/deep/a.py").action == "ask"

    def test_what_denies_a_folder_denies_all_that_is_in_it(self) -> None:
        rules = Rules([("edit", "**", "allow"), ("edit", "secrets", "deny")])
        assert rules.verdict("edit", "secrets/deep/key.txt").action == "deny"

    def test_letters_may_be_written_in_any_case(self) -> None:
        assert Rules([("edit", "Secrets/**", "deny")]).verdict("edit", "sECRETS/a").action == "deny"

    def test_a_glob_with_a_slash_in_front_is_for_absolute_paths_only(self) -> None:
        rules = Rules([("edit", "/w/src/**", "allow"), ("edit", "etc/**", "allow")])
        assert rules.verdict("edit", "src/a.py", "/w/src/a.py").action == "allow"
        assert rules.verdict("edit", "w/src/a.py", "/elsewhere/w/src/a.py").action == "ask"
        assert rules.verdict("edit", "/etc/hosts", "/etc/hosts").action == "ask"
        assert rules.verdict("edit", "etc/hosts", "/w/etc/hosts").action == "allow"

    def test_a_glob_that_begins_anywhere_is_for_all_paths(self) -> None:
        assert Rules([("edit", "**/*.py", "allow")]).verdict("edit", "/data/a.py").action == "allow"

    def test_of_no_path_only_what_is_said_of_everything_holds(self) -> None:
        assert strictest(Rules([("x", "*", "allow")]).verdicts("x", [])).action == "allow"
        assert strictest(Rules([("x", "a", "allow")]).verdicts("x", [])).action == "ask"

    def test_of_several_files_the_strictest_action_decides(self) -> None:
        rules = Rules([("edit", "a", "allow"), ("edit", "b", "ask"), ("edit", "c", "deny")])
        for names, action in [("a", "allow"), ("ab", "ask"), ("abc", "deny"), ("ca", "deny")]:
            assert strictest(rules.verdicts("edit", [(name, "") for name in names])).action == action

    _globs = st.sampled_from(["*", "**", "a/*", "a/**", "a/b", "**/b", "b", "?/b"])
    _rules = st.lists(st.tuples(st.sampled_from(["edit", "read", "*"]), _globs, st.sampled_from(ACTIONS)), max_size=6)

    @given(_rules, st.sampled_from(["a/b", "b", "a/c", "x/y/b"]), st.sampled_from(["edit", "read"]))
    def test_a_rule_decides_exactly_when_no_later_one_matches(
        self, listed: list[tuple[str, str, Action]], path: str, permission: str
    ) -> None:
        matching = [rule for rule in listed if Rules([rule]).verdict(permission, path).rule is not None]
        verdict = Rules(listed).verdict(permission, path)
        assert verdict == (
            Verdict("ask", path) if not matching else Verdict(matching[-1][2], path, Rule(*matching[-1]))
        )

    def test_wrong_rules_are_all_named_at_once(self) -> None:
        with pytest.raises(ValueError, match="are invalid") as caught:
            Rules([("edit", "", "allow"), ("edit", "~/x", "allow"), ("", "a", "alow")])  # type: ignore[list-item]
        assert str(caught.value).splitlines() == [
            "The rules are invalid:",
            "  rule 1: glob is empty",
            "  rule 2: glob '~/x' starts with ~, which is not expanded: write the whole path",
            "  rule 3: permission is empty",
            "  rule 3: unknown action 'alow': expected allow, ask, deny",
        ]

    def test_rules_are_compared_counted_and_shown(self) -> None:
        rules = Rules([("edit", "a", "allow")])
        assert rules == Rules([Rule("edit", "a", "allow")]) != Rules()
        assert hash(rules) == hash(Rules([Rule("edit", "a", "allow")]))
        assert (len(rules), list(rules)) == (1, [Rule("edit", "a", "allow")])
        assert repr(rules) == "Rules([Rule(permission='edit', glob='a', action='allow')])"
        assert rules != ("edit", "a", "allow")


class TestToml:
    def test_rules_are_read_in_their_order(self) -> None:
        text = """
[[rule]]
permission = "edit"
glob = "src/**"
action = "allow"

[[rule]]
permission = "*"
glob = "secrets"
action = "deny"
"""
        assert Rules.from_toml(text) == Rules([("edit", "src/**", "allow"), ("*", "secrets", "deny")])
        assert Rules.from_toml("") == Rules()

    def test_everything_that_is_wrong_is_named_by_line_and_key(self) -> None:
        text = """default = "allow"
[[rule]]
permission = "edit"
pattern = "src/**"
action = "allow"

[[rule]]
permission = 3
glob = "a"
action = "maybe"
"""
        with pytest.raises(ValueError, match="are invalid") as caught:
            Rules.from_toml(text)
        assert str(caught.value).splitlines() == [
            "The rules are invalid:",
            "  unknown key 'default': expected [[rule]]",
            "  rule 1 (line 2): unknown key 'pattern': expected permission, glob, action",
            "  rule 1 (line 2): glob is missing",
            "  rule 2 (line 7): permission must be a string; found 3",
            "  rule 2 (line 7): unknown action 'maybe': expected allow, ask, deny",
        ]

    def test_what_is_no_toml_is_named_by_line_and_column(self) -> None:
        with pytest.raises(ValueError, match=r"The rules are not valid TOML: .*line 2, column"):
            Rules.from_toml("[[rule]]\npermission = edit\n")

    @pytest.mark.parametrize("text", ["rule = 3", "rule = [1]", "[rule]\nglob = 'a'"])
    def test_one_table_is_no_list_of_tables(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"write \[\[rule\]\] above each"):
            Rules.from_toml(text)

    def test_rules_in_a_line_have_no_line_of_their_own(self) -> None:
        with pytest.raises(ValueError, match="rule 1: glob is missing"):
            Rules.from_toml("rule = [{permission = 'edit', action = 'deny'}]")


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
        assert request.files[0].hunks == ("@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n",)
        assert request.files[3].move_to_resolved == "/b.txt"
        assert (request.permission, request.tool, request.actor) == ("edit", "apply_patch", "agent 7")
        assert request.patterns == ("src/app.py", "src/new.py", "old.py", "a.txt", "b.txt")
        assert request.always == ("*",)
        assert request.metadata == {"filepath": "src/app.py, src/new.py, old.py, a.txt", "diff": plan.diff}
        assert not request.whole_only

    def test_files_show_what_would_be_done(self) -> None:
        files = Request.from_plan(Workspace(MemoryFiles(FILES)).plan(PATCH)).files
        assert [str(file) for file in files] == [
            "update src/app.py +1 -1",
            "add src/new.py +1 -0",
            "delete old.py +0 -1",
            "move a.txt -> b.txt +1 -1",
        ]

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
        assert file.names == (
            ("link.txt", str(tmp_path / "link.txt")),
            ("secrets/key.txt", str(tmp_path / "secrets/key.txt")),
        )
        assert str(file) == "update link.txt (a link to secrets/key.txt) +1 -1"
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
        request = Request.for_files("edit", [RequestedFile("a", hunks=("@@ -1 +1 @@\n-a\n+b\n",))])
        with pytest.raises(ValueError, match=r"."):
            Answer.from_json(text).check(request)


def three_hunks() -> tuple[str, str]:
    """A text with three places that change, far enough apart to be three hunks."""
    before = [f"line {number}\n" for number in range(1, 31)]
    after = [line.upper() if number in {2, 15, 29} else line for number, line in enumerate(before, 1)]
    return "".join(before), "".join(after)


class TestDecision:
    def request(self) -> Request:
        before, after = three_hunks()
        plan = Workspace(MemoryFiles({"a.py": before, "b.py": "b\n"})).plan_write("a.py", after)
        return Request.from_plan(plan).replace(id="r1")

    def test_a_whole_one_has_nothing_to_tell(self) -> None:
        for answer in (None, Answer.once(), Answer.some({"a.py": [1, 2, 3]}), Answer.some({"a.py": "all"})):
            decision = Decision(self.request(), answer)
            assert (decision.is_whole, decision.left_out, decision.for_model()) == (True, {}, "")
            assert decision.hunks_of("a.py") == (1, 2, 3)

    def test_a_part_has_the_hunks_that_are_allowed_and_those_that_are_not(self) -> None:
        decision = Decision(self.request(), Answer.some({"a.py": [3, 1]}))
        assert not decision.is_whole
        assert (decision.hunks_of("a.py"), decision.left_out) == ((1, 3), {"a.py": (2,)})

    def test_a_file_that_is_not_named_is_not_done(self) -> None:
        request = edit("a.py", "b.py")
        decision = Decision(request, Answer.some({"b.py": "all"}))
        assert (decision.is_approved("a.py"), decision.is_approved("b.py"), decision.is_whole) == (False, True, False)
        assert decision.left_out == {"a.py": ()}

    def test_what_was_said_with_a_yes_reaches_the_model(self) -> None:
        decision = Decision(self.request(), Answer.once("but run the tests"))
        assert decision.for_model() == "The user said: but run the tests"

    def test_a_file_that_is_not_there_is_a_key_error(self) -> None:
        with pytest.raises(KeyError):
            self.request().file("c.py")


class Asked:
    """An approver that keeps what it was asked, and gives its answers one after another."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answers.pop(0)


class TestCheck:
    def test_what_the_rules_allow_is_allowed_and_nobody_is_asked(self) -> None:
        approver = Asked()
        assert decide(Permissions([("edit", "*", "allow")], approver), edit("a.py")) == Decision(edit("a.py"))
        assert approver.requests == []

    def test_what_the_rules_deny_names_each_file_and_its_rule_and_nobody_is_asked(self) -> None:
        approver = Asked()
        rules: list[tuple[str, str, Action]] = [("edit", "*.lock", "deny"), ("*", "gen/**", "deny")]
        error = refusal(Permissions(rules, approver), edit("uv.lock", "a.py", "gen/x.py"))
        assert [(one.code, one.path, one.details["reason"], one.details["rule"]) for one in error.problems] == [
            ("rejected", "uv.lock", "rule", "edit *.lock deny"),
            ("rejected", "gen/x.py", "rule", "* gen/** deny"),
        ]
        assert not any(one.recoverable for one in error.problems)
        assert approver.requests == []

    def test_one_request_is_made_for_all_files_of_a_call(self) -> None:
        approver = Asked(Answer.once())
        request = edit("a.py", "b.py")
        permissions = Permissions([("edit", "a.py", "allow")], approver)
        assert decide(permissions, request) == Decision(request, Answer.once())
        assert approver.requests == [request]

    def test_without_anybody_to_ask_it_is_rejected_at_once_and_the_settings_are_named(self) -> None:
        found = problem(Permissions(), edit("a.py"))
        assert (found.code, found.details["reason"], found.recoverable) == ("rejected", "nobody", False)
        assert "setting approver" in found.hint
        assert "setting rules" in found.hint

    def test_a_rejection_has_the_persons_message(self) -> None:
        found = problem(Permissions(approver=DenyAll("use tabs")), edit("a.py"))
        assert (found.code, found.path, found.details["said"]) == ("rejected", "a.py", "use tabs")
        assert found.message.endswith("said: use tabs")

    def test_some_of_nothing_is_a_rejection(self) -> None:
        found = problem(Permissions(approver=Asked(Answer.some({}))), edit("a.py"))
        assert (found.code, found.details["reason"]) == ("rejected", "person")

    def test_some_hunks_are_a_decision_with_these(self) -> None:
        request = TestDecision().request()
        decision = decide(Permissions(approver=Asked(Answer.some({"a.py": [2]}))), request)
        assert decision.hunks_of("a.py") == (2,)

    def test_once_is_not_remembered(self) -> None:
        approver = Asked(Answer.once(), Answer.once())
        permissions = Permissions(approver=approver)
        for _ in range(2):
            decide(permissions, edit("a.py"))
        assert len(approver.requests) == 2
        assert permissions.always == ()

    def test_always_is_remembered_for_what_the_request_proposes(self) -> None:
        approver = Asked(Answer.always())
        permissions = Permissions(approver=approver)
        for path in ("a.py", "deep/b.py"):
            decide(permissions, edit(path))
        assert len(approver.requests) == 1
        assert permissions.always == (Rule("edit", "*", "allow"),)

    def test_always_is_remembered_for_the_pattern_of_the_answer_and_no_more(self) -> None:
        approver = Asked(Answer.always("src/**"), Answer.reject())
        permissions = Permissions(approver=approver)
        decide(permissions, edit("src/a.py"))
        decide(permissions, edit("src/b.py"))
        assert problem(permissions, edit("src/a.py", "docs/a.md")).code == "rejected"
        assert len(approver.requests) == 2

    def test_always_holds_for_its_permission_only(self) -> None:
        permissions = Permissions(approver=Asked(Answer.always(), Answer.reject()))
        decide(permissions, edit("a.py"))
        assert problem(permissions, edit("a.py").replace(permission="read")).code == "rejected"

    def test_always_lifts_no_deny(self) -> None:
        permissions = Permissions([("edit", ".ci/**", "deny")], Asked(Answer.always("*")))
        decide(permissions, edit("a.py"))
        assert problem(permissions, edit(".ci/run.yml")).details["reason"] == "rule"

    def test_the_same_always_twice_is_one_rule(self) -> None:
        permissions = Permissions()
        permissions.remember("edit", "a", "b")
        permissions.remember("edit", "b")
        assert permissions.always == (Rule("edit", "a", "allow"), Rule("edit", "b", "allow"))

    @pytest.mark.parametrize(
        ("approver", "said"),
        [
            (Callback(lambda _: 1 / 0), "ZeroDivisionError"),  # type: ignore[arg-type, return-value]
            (Callback(lambda _: None), "TypeError: the function returned None"),  # type: ignore[arg-type, return-value]
            (Asked("yes"), "TypeError: expected an Answer; found 'yes'"),  # type: ignore[arg-type]
            (Asked(Answer("withdrawn")), "ValueError: expected an answer of once"),
            (Asked(Answer.always("~/x")), "ValueError: The rules are invalid"),
            (Asked(Answer.some({"b.py": [1]})), "ValueError: the request has no file 'b.py', but 'a.py'"),
            (object(), "AttributeError"),
        ],
    )
    def test_an_approver_that_fails_has_not_allowed_anything(self, approver: Approver, said: str) -> None:
        permissions = Permissions(approver=approver)
        found = problem(permissions, edit("a.py"))
        assert (found.code, found.details["reason"]) == ("rejected", "approver")
        assert said in found.message
        assert (permissions.pending, permissions.always) == ((), ())

    def test_nobody_answers_in_time(self) -> None:
        queue = ApprovalQueue()
        permissions = Permissions(approver=queue, timeout=0.002)
        found = problem(permissions, edit("a.py"))
        assert (found.code, found.details["seconds"], found.recoverable) == ("timeout", 0.002, True)
        assert (permissions.pending, queue.pending()) == ((), ())

    def test_with_its_caller_a_question_is_taken_back(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            permissions = Permissions(approver=queue)
            call = asyncio.create_task(permissions.check(edit("a.py")))
            await anext(aiter(queue))
            assert permissions.pending == queue.pending() == (edit("a.py"),)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert permissions.pending == queue.pending() == ()

        asyncio.run(main())

    def test_requests_that_an_always_covers_are_answered_with_it_and_others_wait_on(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            permissions = Permissions([("edit", "src/denied.py", "deny")], queue)
            paths = {"1": ["src/a.py"], "2": ["src/b.py"], "3": ["docs/a.md"], "4": ["src/c.py", "docs/b.md"]}
            asked = {name: edit(*listed, request_id=name) for name, listed in paths.items()}
            calls = {name: asyncio.create_task(permissions.check(one)) for name, one in asked.items()}
            open_ones = aiter(queue)
            assert [(await anext(open_ones)).id for _ in calls] == ["1", "2", "3", "4"]
            queue.reply("1", Answer.always("src/**"))
            assert await calls["1"] == Decision(asked["1"], Answer.always("src/**"))
            assert await calls["2"] == Decision(asked["2"], Answer.always("src/**"))
            assert [request.id for request in queue.pending()] == ["3", "4"]
            queue.reply("4", Answer.once())
            queue.reply("3", Answer.reject("not the docs"))
            assert await calls["4"] == Decision(asked["4"], Answer.once())
            with pytest.raises(PatchRejectedError, match="not the docs"):
                await calls["3"]

        asyncio.run(main())


class TestEvents:
    def events(self, permissions: Permissions, bus: Bus, request: Request) -> list[Event]:
        async def main() -> list[Event]:
            heard: list[Event] = []
            bus.subscribe(heard.append)
            with suppress(PatchRejectedError):
                await permissions.check(request)
            assert await bus.drain(5)
            return heard

        return asyncio.run(main())

    @pytest.mark.parametrize("answer", [Answer.once(), Answer.always("a*"), Answer.reject("no")])
    def test_a_question_and_its_answer_are_told(self, answer: Answer) -> None:
        bus, request = Bus(), edit("a.py")
        heard = self.events(Permissions(approver=Asked(answer), bus=bus), bus, request)
        assert heard == [PermissionAsked(request), PermissionReplied("r1", answer)]

    def test_a_question_that_ran_out_of_time_is_told_as_withdrawn(self) -> None:
        bus, request = Bus(), edit("a.py")
        heard = self.events(Permissions((), ApprovalQueue(), bus, 0.001), bus, request)
        assert heard == [PermissionAsked(request), PermissionReplied("r1", Answer("withdrawn", "timeout"))]

    def test_what_the_rules_decide_is_no_question(self) -> None:
        for action in ("allow", "deny"):
            bus = Bus()
            assert self.events(Permissions([("edit", "*", action)], AllowAll(), bus), bus, edit("a.py")) == []

    def test_a_cancelled_question_is_told_as_withdrawn(self) -> None:
        async def main() -> list[Event]:
            bus, heard = Bus(), list[Event]()
            bus.subscribe(heard.append)
            queue = ApprovalQueue()
            call = asyncio.create_task(Permissions((), queue, bus).check(edit("a.py")))
            await anext(aiter(queue))
            call.cancel()
            await asyncio.wait([call])
            assert await bus.drain(5)
            return heard

        assert asyncio.run(main()) == [
            PermissionAsked(edit("a.py")),
            PermissionReplied("r1", Answer("withdrawn", "cancelled")),
        ]


def _refused(name: str) -> str:
    files = edit("src/app.py", "uv.lock")
    cases: dict[str, tuple[Permissions, Request]] = {
        "denied": (Permissions([("edit", "*.lock", "deny")]), files),
        "denied-read": (Permissions([("read", "secrets", "deny")]), edit("secrets/a").replace(permission="read")),
        "denied-external": (
            Permissions([("external_directory", "*", "deny")]),
            Request("r1", "external_directory", (RequestedFile("/data/a.txt", "/data/a.txt"),)),
        ),
        "denied-other": (Permissions([("web", "*", "deny")]), Request("r1", "web")),
        "nobody": (Permissions(), files),
        "rejected": (Permissions(approver=DenyAll()), files),
        "rejected-with-message": (Permissions(approver=DenyAll("Keep the old name.")), edit("src/app.py")),
        "timeout": (Permissions(approver=ApprovalQueue(), timeout=0.001), files),
        "approver-failed": (Permissions(approver=Callback(lambda _: 1 / 0)), files),  # type: ignore[arg-type, return-value]
    }
    return refusal(*cases[name]).for_model()


def _partly(name: str) -> str:
    before, after = three_hunks()
    workspace = Workspace(MemoryFiles({"src/app.py": before, "b.py": "b\n"}))
    plan = workspace.plan_write("src/app.py", after)
    request = Request.from_plan(plan)
    request = request.replace(
        files=(*request.files, RequestedFile("b.py", kind="delete", hunks=("@@ -1 +0,0 @@\n-b\n",)))
    )
    answer = {
        "some-hunks": Answer.some({"src/app.py": [1, 3], "b.py": "all"}),
        "some-files": Answer.some({"src/app.py": [2]}, "Leave b.py, it is still in use."),
        "allowed-with-message": Answer.once("Run the tests afterwards."),
    }[name]
    answer.check(request)
    return Decision(request, answer).for_model()


REFUSED = [
    "denied",
    "denied-read",
    "denied-external",
    "denied-other",
    "nobody",
    "rejected",
    "rejected-with-message",
    "timeout",
    "approver-failed",
]
PARTLY = ["some-hunks", "some-files", "allowed-with-message"]


@pytest.mark.parametrize("name", [*REFUSED, *PARTLY])
def test_what_a_model_is_told_reads_as_its_golden_file(name: str) -> None:
    text = (_refused(name) if name in REFUSED else _partly(name)) + "\n"
    compare(f"permission-{name}.txt", text)


def test_every_golden_file_has_its_case() -> None:
    found = {file.stem for file in FOLDER.glob("permission-*.txt")}
    assert found == {f"permission-{name}" for name in [*REFUSED, *PARTLY]}
