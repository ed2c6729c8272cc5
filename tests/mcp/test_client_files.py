"""Changes to the settings of clients: what is added, what stays, what is refused, and what is taken out again."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from suture import PatchInvalidError
from suture.mcp import yaml_text
from suture.mcp.client_files import MARK, ClientFile, EarlierSetups
from suture.mcp.json_text import JsonTextError, change_text, insert, parse_json_text, remove

SERVER = {"mcpServers": {"suture": {"command": "/bin/suture"}}, "permissions": {"deny": ["Edit", "Write"]}}
FILE = ClientFile("settings.json", SERVER)


def test_only_the_added_lines_differ() -> None:
    before = (
        "{\n"
        "    // mine\n"
        '    "model": "ä", /* kept */\n'
        '    "permissions": {"deny": ["Edit", "Bash"], "ask": ["Read"]},\n'
        "}\n"
    )
    assert FILE.merge_into(before) == (
        "{\n"
        "    // mine\n"
        '    "model": "ä", /* kept */\n'
        '    "permissions": {"deny": ["Edit", "Bash", "Write"], "ask": ["Read"]},\n'
        '    "mcpServers": {\n'
        '        "suture": {\n'
        '            "command": "/bin/suture"\n'
        "        }\n"
        "    },\n"
        "}\n"
    )


def test_a_second_merge_changes_nothing() -> None:
    once = FILE.merge_into('{\n\t"a": []\n}')
    assert FILE.merge_into(once) == once


def test_our_own_entry_is_replaced() -> None:
    before = '{"mcpServers": {"suture": {"command": "old", "args": []}, "other": {}}}'
    assert json.loads(FILE.merge_into(before))["mcpServers"] == {"suture": {"command": "/bin/suture"}, "other": {}}


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        ({"permissions": {"deny": ["x"]}}, '{"permissions": "none"}', 'another value at permissions: "none"'),
        ({"servers": {"suture": {}}}, '{"servers": []}', "another value at servers: []"),
        ({"a": 1}, '{"a": 1, "a": 1}', "a key that occurs once in line 1"),
        ({"a": 1}, "[1]", "does not hold an object"),
        ({"a": 1}, "[" * 10_000, "at most 100 levels"),
        ({"a": 1}, '{\n"a" 1}', "expected ':' in line 2"),
        ({"a": 1}, '{"a": 1} x', "expected the end"),
        ({"a": 1}, '{"a": 01x}', "expected a value"),
    ],
)
def test_what_is_not_ours_is_never_replaced(content: dict[str, object], text: str, expected: str) -> None:
    with pytest.raises(PatchInvalidError) as caught:
        ClientFile("settings.json", content).merge_into(text)
    [problem] = caught.value.problems
    assert expected in problem.message
    assert problem.message.endswith("Nothing was written.")


APPROVAL = ClientFile("opencode.json", {"permission": {"edit": "allow"}}, replaces=("permission.edit",))


def test_a_value_of_an_earlier_setup_that_says_who_approves_is_replaced() -> None:
    earlier = EarlierSetups(added='{"permission": {"edit": "ask"}}')
    assert APPROVAL.merge_into('{"permission": {"edit": "ask"}}', earlier) == '{"permission": {"edit": "allow"}}'


@pytest.mark.parametrize(
    "earlier", [EarlierSetups(), EarlierSetups('"edit": "ask"', '"edit": "ask"'), EarlierSetups('{"*": "ask"}')]
)
def test_a_value_of_somebody_else_that_says_who_approves_is_not_replaced(earlier: EarlierSetups) -> None:
    with pytest.raises(PatchInvalidError, match=r'has another value at permission\.edit: "ask"'):
        APPROVAL.merge_into('{"permission": {"edit": "ask"}}', earlier)


def test_finer_rules_of_the_user_say_who_approves() -> None:
    text = '{"permission": {"edit": {"*": "ask", "src/*": "allow"}}}'
    assert APPROVAL.merge_into(text) == text


def test_a_rule_of_the_user_that_forbids_our_own_tools_stays() -> None:
    text = '{"permissions": {"deny": ["mcp__suture__Write", "Edit", "Write"], "allow": ["mcp__suture__read"]}}'
    file = ClientFile("settings.json", {"permissions": {"deny": ["Edit"], "allow": ["mcp__suture"]}})
    permissions = json.loads(file.merge_into(text))["permissions"]
    assert permissions == {"deny": ["mcp__suture__Write", "Edit", "Write"], "allow": ["mcp__suture"]}


def test_a_hook_of_an_older_program_is_replaced_and_others_stay() -> None:
    old, new = ({"matcher": "mcp__suture__Edit", "command": name} for name in ("old", "new"))
    mine = {"matcher": "Bash"}
    file = ClientFile("settings.json", {"hooks": {"PreToolUse": [new]}})
    before = json.dumps({"hooks": {"PreToolUse": [mine, old]}})
    after = file.merge_into(before)
    assert json.loads(after) == {"hooks": {"PreToolUse": [mine, new]}}
    assert json.loads(file.remove_from(after)) == {"hooks": {"PreToolUse": [mine]}}


def test_a_rule_of_another_setup_does_not_stay() -> None:
    file = ClientFile("settings.json", {"permissions": {"allow": ["mcp__suture__read"]}})
    after = file.merge_into('{"permissions": {"allow": ["Bash", "mcp__suture"]}}')
    assert json.loads(after) == {"permissions": {"allow": ["Bash", "mcp__suture__read"]}}


def test_removing_leaves_what_was_there_before() -> None:
    before = '{\n  // mine\n  "permissions": {\n    "deny": ["Bash"]\n  },\n  "mcpServers": {"other": {}}\n}\n'
    removed = FILE.remove_from(FILE.merge_into(before))
    assert parse_json_text(removed).value == parse_json_text(before).value
    assert "// mine" in removed


@pytest.mark.parametrize(
    "before",
    [
        '{\n  "a": 1 // about a\n}\n',
        '{\n  "a": 1, // about a\n  /* more to come */\n}\n',
        "{\n  // nothing yet\n}\n",
        '{\r\n  "a": 1 // about a\r\n}\r\n',
        '{\n  "permissions": {\n    "deny": [\n      "Bash" // dangerous\n    ]\n  }\n}\n',
        '{\n  "mcpServers": {\n    // "x": {}\n  },\n  "a": "//"\n}\n',
        '\ufeff{\n\t"a": {}\n}',
    ],
)
def test_comments_and_line_endings_stay_when_we_come_and_when_we_go(before: str) -> None:
    after = FILE.merge_into(before)
    assert FILE.merge_into(after) == after
    assert ("\n" in after.replace("\r\n", "")) is ("\r\n" not in before)
    for line in before.splitlines():
        if "//" in line:
            # The comment is still behind what it is about.
            assert line.rstrip(",").replace("1 //", "1, //").replace('h" //', 'h", //') in after
    assert FILE.remove_from(after) == before


def test_comments_around_our_entry_stay_without_it() -> None:
    before = (
        '{\n  "mcpServers": {\n    "one": {}, // about one\n    "suture": {"command": "/bin/suture"}, // ours\n'
        '    // about two\n    "two": {} /* no more */\n  }\n}\n'
    )
    assert FILE.remove_from(before) == (
        '{\n  "mcpServers": {\n    "one": {}, // about one\n    // ours\n'
        '    // about two\n    "two": {} /* no more */\n  }\n}\n'
    )


def test_what_follows_our_entry_never_becomes_a_part_of_a_comment() -> None:
    file = ClientFile("settings.json", {"mcpServers": {"suture": {"command": "z"}}, "permissions": {"allow": ["x"]}})
    before = '{"mcpServers": {"other": {}, "suture": {"command": "z"}}, // mine\n "permissions": {"allow": []}}\n'
    assert file.remove_from(before) == '{"mcpServers": {"other": {}} // mine\n}\n'


#: Comments of one line right before our entry, which is the last one, on the same line as the closing bracket.
LAST = {
    "a-member": ('{"a": 1, // mine\n "mcpServers": {"suture": {"command": "z"}}}\n', '{"a": 1 // mine\n}\n'),
    "a-rule": ('{"permissions": {"deny": ["x", // mine\n "Edit"]}}', '{"permissions": {"deny": ["x" // mine\n]}}'),
    "the-only-one": ('{// mine\n"mcpServers": {"suture": {"command": "z"}}}\n', "{// mine\n}\n"),
    "of-a-block": ('{"a": 1, /* x // y */ "mcpServers": {"suture": {}}}', '{"a": 1 /* x // y */}'),
    "with-crlf": ('{\r\n"a": 1, // m\r\n"mcpServers": {"suture": {}}\r\n}\r\n', '{\r\n"a": 1 // m\r\n}\r\n'),
}


@pytest.mark.parametrize(("before", "after"), LAST.values(), ids=LAST)
def test_a_comment_of_one_line_does_not_take_the_bracket_behind_our_entry(before: str, after: str) -> None:
    assert FILE.remove_from(before) == after
    parse_json_text(after)


def test_comments_in_a_list_of_rules_stay_when_another_setup_replaces_ours() -> None:
    file = ClientFile("settings.json", {"permissions": {"allow": ["mcp__suture__read"]}})
    before = '{"permissions": {"allow": [\n  "Bash", // mine\n  "mcp__suture" // all\n]}}'
    assert file.merge_into(before) == (
        '{"permissions": {"allow": [\n  "Bash", // mine // all\n  "mcp__suture__read"\n]}}'
    )


def test_nothing_is_left_of_a_file_that_held_nothing_else() -> None:
    file = ClientFile("opencode.json", {"$schema": "https://x", **SERVER})
    assert file.remove_from(file.new_text) == ""
    kept = file.remove_from('{"$schema": "https://x", "mcpServers": {"suture": {}}, "theme": "dark"}')
    assert json.loads(kept) == {"$schema": "https://x", "theme": "dark"}


TOML = ClientFile("config.toml", {"catalog": "/x/suture.json", "mcp_servers": {"suture": {"command": "/bin/suture"}}})


def test_a_table_and_a_setting_are_added_to_toml() -> None:
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"  # kept\n'
    after = TOML.merge_into(before)
    assert after == (
        '# mine\nmodel = "x"\ncatalog = "/x/suture.json"\n\n'
        '[mcp_servers.other]\ncommand = "other"  # kept\n\n'
        '[mcp_servers.suture]\ncommand = "/bin/suture"\n'
    )
    assert TOML.merge_into(after) == after
    assert tomllib.loads(TOML.remove_from(after)) == tomllib.loads(before)


@pytest.mark.parametrize(
    "before",
    [
        '# mine\r\nmodel = "x"\r\n\r\n[a]\r\nb = 1\r\n',
        'model = "x"\n\n\n# about a\n[a]\nb = 1\n\n\n',
        "# about all\n\n# about a\n[a]\nb = 1\n",
        "# about a\n[a]\nb = 1 # b\n# the end\n",
        "\n\n# only a comment\n",
        'a = """\n# no comment\n"""\n[[b]]\nc = 1\n',
    ],
)
def test_toml_is_as_it_was_without_our_table(before: str) -> None:
    after = TOML.merge_into(before)
    assert tomllib.loads(after) == {**tomllib.loads(before), **TOML.content}
    assert ("# about a\n[a]\n" in after) is ("# about a\n[a]\n" in before)
    assert TOML.merge_into(after) == after
    assert TOML.remove_from(after) == before


def test_what_follows_our_table_keeps_its_comments() -> None:
    before = 'a = 1\n\n[mcp_servers.suture]\ncommand = "/bin/suture"\n\n# another\n[mcp_servers.other]\nb = 2\n'
    assert TOML.remove_from(before) == "a = 1\n\n# another\n[mcp_servers.other]\nb = 2\n"
    assert "# another\n[mcp_servers.other]\n" in TOML.merge_into(before.replace("/bin", "/old"))


def test_our_table_is_replaced_in_toml() -> None:
    before = '[mcp_servers.suture]\ncommand = "old"\n[mcp_servers.suture.env]\nA = "1"\n[other]\nb = 2\n'
    after = tomllib.loads(TOML.merge_into(before))
    assert after == {**TOML.content, "other": {"b": 2}}
    assert TOML.remove_from(TOML.new_text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\n",
        'mcp_servers.suture.command = "mine"\n',
        'catalog = "/mine.json"\n',
        'catalog = "/of/suture/mine.json"\n',
        "not toml",
        "a = " + "[" * 5_000,
    ],
)
def test_toml_that_cannot_be_changed_stays_as_it_is(text: str) -> None:
    with pytest.raises(PatchInvalidError, match=r"config\.toml"):
        TOML.merge_into(text)


def test_a_file_that_is_all_ours_is_only_replaced_if_we_wrote_it() -> None:
    file = ClientFile("edit.ts", text=f"// {MARK}\nnew\n")
    assert file.merge_into(f"// {MARK}\nold\n") == file.text
    assert file.remove_from(file.text) == ""
    for change in (file.merge_into, file.remove_from):
        with pytest.raises(PatchInvalidError, match="not a file that Suture wrote"):
            change("mine\n")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(st.text(max_size=3), values, max_size=4)
indents = st.sampled_from([None, 2, "\t"])


@given(objects, indents)
def test_a_text_is_parsed_as_json_parses_it(value: dict[str, object], indent: int | str | None) -> None:
    assert parse_json_text(json.dumps(value, indent=indent)).value == value


@given(objects, objects, indents)
def test_members_are_added_and_removed_again(
    value: dict[str, object], added: dict[str, object], indent: int | str | None
) -> None:
    added = {key: one for key, one in added.items() if key not in value}
    text = json.dumps(value, indent=indent)
    if not added:
        return
    after = change_text(text, [insert(text, parse_json_text(text), added)])
    node = parse_json_text(after)
    assert node.value == value | added
    if value:
        gone = range(len(value), len(node.members))
        assert parse_json_text(change_text(after, remove(after, node, gone))).value == value
    for position in range(len(node.members) if len(node.members) > 1 else 0):
        name = list(node.members)[position]
        rest = {key: one for key, one in node.value.items() if key != name}
        assert parse_json_text(change_text(after, remove(after, node, [position]))).value == rest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('mcp_servers = {other = {command = "a"}}\n', "`--print` prints what it needs"),
        ('mcp_servers.suture.command = "a"\n', "remove that entry first"),
    ],
)
def test_toml_that_can_not_be_changed_is_left_alone_with_what_to_do(text: str, expected: str) -> None:
    file = ClientFile("config.toml", {"mcp_servers": {"suture": {"command": "suture"}}})
    with pytest.raises(PatchInvalidError, match="in a form that can't be changed") as caught:
        file.merge_into(text)
    assert expected in caught.value.problems[0].hint


@given(st.text(max_size=30))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    with suppress(JsonTextError):
        parse_json_text(text)


ENTRY = {"name": "suture", "command": "/bin/suture", "args": ["mcp"]}
YAML = ClientFile("config.yaml", {"name": "Suture", "schema": "v1", "mcpServers": [ENTRY]})
BLOCK = (
    "# Begin: written by `suture install`\n"
    "mcpServers:\n"
    '  - name: "suture"\n'
    '    command: "/bin/suture"\n'
    '    args: ["mcp"]\n'
    "# End: written by `suture install`\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"name: Suture\nschema: v1\n{BLOCK}"),
        ("name: mine # ä\nmodels:\n- a", f"name: mine # ä\nmodels:\n- a\n{BLOCK}"),
        ("---\r\nname: mine\r\n", "---\r\nname: mine\r\n" + BLOCK.replace("\n", "\r\n")),
    ],
)
def test_an_entry_of_yaml_is_added_as_lines_of_its_own(before: str, after: str) -> None:
    assert YAML.merge_into(before) == after
    assert YAML.merge_into(after) == after
    assert YAML.remove_from(after) == (before if before.endswith("\n") or not before else before + "\n")


def test_an_entry_joins_a_list_of_yaml() -> None:
    before = "mcpServers: # mine\n\n    # other\n    - name: other\n      command: x\nname: mine\n"
    after = YAML.merge_into(before)
    lines = ["- name: suture", "command: /bin/suture"]
    assert [line.strip().replace('"', "") for line in after.splitlines()[2:4]] == lines
    assert after.count("\n    - name: ") == 2
    assert YAML.merge_into(after) == after
    assert YAML.remove_from(after) == before


@pytest.mark.parametrize("value", ["", " []"])
def test_an_empty_list_of_yaml_gets_our_items(value: str) -> None:
    file = ClientFile("permissions.yaml", {"exclude": ["Edit", "Write"]})
    before = f"# mine\nallow: []\nexclude:{value}\n\n# others\nask: []\n"
    after = file.merge_into(before)
    entries = "".join(f"  {line}\n" for line in (yaml_text.BEGIN, "- Edit", "- Write", yaml_text.END))
    assert after == f"# mine\nallow: []\nexclude:\n{entries}\n# others\nask: []\n"
    assert file.merge_into(after) == after
    assert file.remove_from(after) == before.replace(f"exclude:{value}", "exclude:")


def test_items_that_were_added_below_our_key_stay() -> None:
    assert YAML.remove_from(f"name: mine\n{BLOCK}  - name: other\n") == "name: mine\nmcpServers:\n  - name: other\n"


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x"}',
        "- a\n- b\n",
        "  name: x\n",
        "name: x\n---\nname: y\n",
        "? a\n: b\n",
        "%YAML 1.2\n---\na: 1\n",
        "mcpServers:",
        "mcpServers: [a]\n",
        "mcpServers: []\n  # mine\n  - a\n",
        "mcpServers: *others\n",
        "mcpServers:\n  a: 1\n",
    ],
)
def test_yaml_that_is_not_plain_is_left_alone(text: str) -> None:
    with pytest.raises(PatchInvalidError, match="Nothing was written"):
        YAML.merge_into(text)


@pytest.mark.parametrize(
    "lines", ["\n" * 100_000, " \n" * 100_000, "  # -\n\n" * 50_000, f"  {yaml_text.BEGIN}\n" * 10_000]
)
def test_lines_of_yaml_are_looked_through_once(lines: str) -> None:
    """Blank lines below a key took twice the time for each of them."""
    text = f"mcpServers:\n{lines}  other: 1\n"
    with pytest.raises(PatchInvalidError):
        YAML.merge_into(text)
    assert YAML.remove_from(text) == text
    assert YAML.merge_into(f"mcpServers:\n{lines}  - name: other\n").endswith("  - name: other\n")
