"""Rules of permissions: the last one that matches decides; rules from TOML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from suture.agent.rules import ACTIONS, Rule, Rules, Verdict, strictest

if TYPE_CHECKING:
    from suture.agent.rules import Action


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
        rules = Rules([("edit", "src/*.py", "allow")])
        assert rules.verdict("edit", "src/a.py").action == "allow"
        assert rules.verdict("edit", "src/deep/a.py").action == "ask"

    @pytest.mark.parametrize("action", ACTIONS)
    def test_a_rule_for_a_folder_covers_its_content_whatever_its_action(self, action: Action) -> None:
        other: Action = "allow" if action == "deny" else "deny"
        rules = Rules([("edit", "**", other), ("edit", "secrets", action)])
        for path in ("secrets", "secrets/key.txt", "secrets/deep/key.txt"):
            assert rules.verdict("edit", path).action == action
        assert rules.verdict("edit", "secrets.txt").action == other

    def test_files_directly_in_a_folder_are_told_from_those_deeper_by_a_second_rule(self) -> None:
        rules = Rules([("edit", "src/*", "allow"), ("edit", "src/*/**", "ask")])
        actions = [rules.verdict("edit", path).action for path in ("src/a.py", "src/deep/a.py", "src")]
        assert actions == ["allow", "ask", "ask"]

    #: The table in docs/permissions.md.
    @pytest.mark.parametrize(
        ("glob", "covered"),
        [
            ("src", "yyyn"),
            ("src/*", "nyyn"),
            ("src/**", "nyyn"),
            ("src/*.py", "nynn"),
            ("**/src", "yyyy"),
            ("*", "yyyy"),
        ],
    )
    def test_what_a_glob_covers(self, glob: str, covered: str) -> None:
        rules = Rules([("edit", glob, "allow")])
        paths = ["src", "src/app.py", "src/deep/app.py", "lib/src/app.py"]
        assert "".join("ny"[rules.verdict("edit", path).action == "allow"] for path in paths) == covered

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
