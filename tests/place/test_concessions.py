"""Every concession by its name: "Every concession is in the answer."

One example for each. docs/format.md lists the same names, no more and no fewer.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import suture
from suture import DIALECTS, Hunk, PatchInvalidError, parse, replace, update

ENVELOPE = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"
UPDATE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"

#: Texts that need one concession to be read, and the line on which it is made.
READING = {
    "prose": (f"Here you are:\n{ENVELOPE}", 1),
    "fence": (f"```diff\n{ENVELOPE}", 1),
    "heredoc": (f"apply_patch <<'EOF'\n{ENVELOPE}EOF\n", 1),
    "command": (f"apply_patch\n{ENVELOPE}", 1),
    "json": ('{"patch": "*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch"}', 1),
    "escaped_newlines": ("*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch", 1),
    "crlf": (ENVELOPE.replace("\n", "\r\n"), 1),
    "padded_marker": (ENVELOPE.replace("*** End", "  *** End"), 3),
    "marker_spelling": (ENVELOPE.replace("*** Delete File", "***delete file"), 2),
    "quoted_path": (ENVELOPE.replace("a.txt", "`a.txt`"), 2),
    "dot_path": (ENVELOPE.replace("a.txt", "./a.txt"), 2),
    "environment_id": (ENVELOPE.replace("*** Delete", "*** Environment ID: one\n*** Delete"), 2),
    "several_envelopes": (f"{ENVELOPE}\n{ENVELOPE}", 5),
    "unified_file_header": (UPDATE.replace("@@", "--- a/a.txt\n+++ b/a.txt\n@@"), 3),
    "unified_hunk_header": (UPDATE.replace("@@", "@@ -7,1 +7,1 @@"), 3),
    "bare_blank_line": (UPDATE.replace("-x", "\n-x"), 4),
    "bare_line": (UPDATE.replace("-x", "w\n-x"), 4),
    "hunk_header": ("--- a/a.txt\n+++ b/a.txt\n@@ ... @@\n-x\n+y\n", 3),
    "file_mode": ("diff --git a/a b/a\nnew file mode 100664\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+y\n", 1),
    "colors": (UPDATE.replace("*** Update", "\x1b[1m*** Update").replace(".txt", ".txt\x1b[m"), 2),
    "reasoning": (f"<think>\n{UPDATE}</think>\n{UPDATE}", 1),
    "failed_call": (
        (
            '[{"id": "1", "name": "edit", "input": {"path": "a.txt", "old": "w", "new": "z"}},\n'
            '{"type": "tool_result", "tool_use_id": "1", "is_error": true},\n'
            '{"id": "2", "name": "edit", "input": {"path": "a.txt", "old": "x", "new": "y"}}]\n'
        ),
        1,
    ),
    "repeated_call": ('[{"id": "1", "name": "edit", "input": {"path": "a.txt", "old": "x", "new": "y"}}]\n' * 2, 2),
    "bare_add_body": ("*** Begin Patch\n*** Add File: a.txt\none\ntwo\n*** End Patch\n", 3),
}

#: Contents and hunks that need these concessions to be placed, and the text that comes of it.
PLACING = {
    "trailing": ("a = 1  \n", Hunk(("-a = 1", "+a = 2")), "a = 2\n"),
    "indent": ("  a = 1\n", Hunk(("-a = 1", "+a = 2")), "  a = 2\n"),
    "punctuation": ("say “hi”\n", Hunk(('-say "hi"', '+say "ho"')), 'say "ho"\n'),
    "whitespace": ("a  =  1\n", Hunk(("-a = 1", "+a = 2")), "a = 2\n"),
    "escapes": ('say("hi")\n', Hunk(('-say(\\"hi\\")', "+say(2)")), "say(2)\n"),
    "escapes_added": ('re("\\\\d+")\n', Hunk(('-re("\\d+")', '+re("\\d*")')), 're("\\\\d*")\n'),
    "escapes_undone": ('say("hi")\n', Hunk(('-say(\\"hi\\")', '+say(\\"ho\\")')), 'say("ho")\n'),
    "similar": (
        "first line of all\nsecond line of it\nthird line of it\nfourth line\n",
        Hunk((" first line of all", " secnd line of it", "-third line of it", "+3", " fourth line")),
        "first line of all\nsecond line of it\n3\nfourth line\n",
    ),
    "anchor_normalized": (
        "def f(a,  b):\n    x = 1\n",
        Hunk(("-    x = 1", "+    x = 2"), anchors=("def f(a, b):",)),
        "def f(a,  b):\n    x = 2\n",
    ),
    "anchor_shortened": (
        "def f(one, two):\n    x = 1\n",
        Hunk(("-    x = 1", "+    x = 2"), anchors=("def f",)),
        "def f(one, two):\n    x = 2\n",
    ),
    "line_hint": ("a = 1\nb\na = 1\n", Hunk(("-a = 1", "+a = 2"), line_hint=3), "a = 1\nb\na = 2\n"),
    "line_numbers": (
        "alpha = 1\nbeta = 2\n",
        Hunk((" 1| alpha = 1", "-2| beta = 2", "+beta = 3")),
        "alpha = 1\nbeta = 3\n",
    ),
    "bare_line_added": (
        "alpha = 1\n",
        Hunk((" alpha = 1", "+beta = 2", " gamma = 3", "+delta = 4"), bare=(2,)),
        "alpha = 1\nbeta = 2\ngamma = 3\ndelta = 4\n",
    ),
    "newline_unescaped": (
        'say("one\\ntwo")\n',
        Hunk(('-say("one', ' two")', '+say("three")'), bare=(1,)),
        'say("three")\n',
    ),
    "line_reworded": (
        "first()\n// open the file before reading it\nsecond()\nthird()\nfourth()\n",
        Hunk((" first()", " // open a file before reading it", "-second()", "+2()", " third()", " fourth()")),
        "first()\n// open the file before reading it\n2()\nthird()\nfourth()\n",
    ),
    "closing_fence": (
        "first()\nsecond()\n",
        Hunk((" first()", "-second()", "+2()", " ```"), is_block=True),
        "first()\n2()\n",
    ),
    "mistake_carried": (
        "const open = (path, mode) => {\n",
        Hunk(("-const open = [path, mode) => {", "+const open = [path, mode, flags) => {")),
        "const open = (path, mode, flags) => {\n",
    ),
    "blank_line_added": ("alpha = 1\n", Hunk((" alpha = 1", " ", "+beta = 2")), "alpha = 1\n\nbeta = 2\n"),
    "docstring_shortened": (
        'def f():\n    """Do it.\n\n    Twice.\n    """\n    one()\n',
        Hunk((" def f():", '     """Do it."""', "-    one()", "+    two()")),
        'def f():\n    """Do it.\n\n    Twice.\n    """\n    two()\n',
    ),
    "gutter": ("alpha = 1\n", Hunk(("-│alpha = 1", "+│alpha = 2")), "alpha = 2\n"),
    "last_blank_left_out": ("alpha = 1\n", Hunk(("-alpha = 1", "+alpha = 2", " ")), "alpha = 2\n"),
    "indentation_shifted": ("  a = 1\n", Hunk(("-a = 1", "+a = 2")), "  a = 2\n"),
    "indentation_as_written": (
        "    alpha = 1\n  beta = 2\n",
        Hunk(("-alpha = 1", "-beta = 2", "+gamma = 3")),
        "gamma = 3\n",
    ),
}

#: What only the files of a workspace can tell; test_plan.py, test_careful_person.py and
#: test_rebase_edit.py have the examples.
PLANNING = (
    "already_applied",
    "path_assumed",
    "path_prefix",
    "backslash_path",
    "excluded",
    "new_file_header",
    "no_change",
    "already_restored",
    "special_permissions_dropped",
    "attributes_dropped",
    "rebased",
)

#: Contents and string edits that need these concessions, and the text that comes of it.
STRINGS = {
    "final_newline": ("a = 1", "a = 1\n", "a = 2\n", "a = 2"),
    "trimmed": ("f(name)\n", " name ", " title ", "f(title)\n"),
    "html_entities": ("if a < b:\n", "a &lt; b", "a &gt; b", "if a > b:\n"),
    "characters_escaped": ("name = 'caf\\u00e9'\n", "name = 'café'", "name = 'bar'", "name = 'bar'\n"),
    "old_corrected": (
        "first = compute(1)\nsecond = compute(2)\n",
        "first = compte(1)\nsecond = compute(2)",
        "first = compute(1)\nsecond = compute(3)",
        "first = compute(1)\nsecond = compute(3)\n",
    ),
}
#: Those of hunks that string edits have too.
SHARED = {
    "trailing": ("a = 1  \n", "a = 1 \n", "a = 2\n", "a = 2\n"),
    "indent": ("  a = 1\n", "\ta = 1", "\ta = 2", "  a = 2\n"),
    "punctuation": ("say “hi”\n", 'say "hi"', 'say "ho"', 'say "ho"\n'),
    "whitespace": ("a  =  1\n", "a = 1", "a = 2", "a = 2\n"),
    "escapes": ('say("hi")\n', 'say(\\"hi\\")', "say(2)", "say(2)\n"),
    "escapes_added": ('re("\\\\d+")\n', 're("\\d+")', 're("\\d*")', 're("\\\\d*")\n'),
    "escapes_undone": ('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\")', 'say("ho")\n'),
    "line_numbers": ("alpha = 1\n", "1| alpha = 1", "alpha = 2", "alpha = 2\n"),
    "gutter": ("alpha = 1\n", "│alpha = 1", "│alpha = 2", "alpha = 2\n"),
    "indentation_shifted": ("  a = 1\n", "\ta = 1", "\ta = 2", "  a = 2\n"),
    "line_reworded": (
        "first()\n// open the file before reading it\nsecond()\nthird()\nfourth()\n",
        "first()\n// open a file before reading it\nsecond()\nthird()\nfourth()\n",
        "first()\n// open a file before reading it\n2()\nthird()\nfourth()\n",
        "first()\n// open the file before reading it\n2()\nthird()\nfourth()\n",
    ),
    "mistake_carried": (
        "const open = (path, mode) => {\n",
        "const open = [path, mode) => {",
        "const open = [path, mode, flags) => {",
        "const open = (path, mode, flags) => {\n",
    ),
    "similar": (
        "first line of all\nsecond line of it\nthird line of it\nfourth line\n",
        "first line of all\nsecnd line of it\nthird line of it\nfourth line",
        "first line of all\nsecnd line of it\n3\nfourth line",
        "first line of all\nsecond line of it\n3\nfourth line\n",
    ),
}


@pytest.mark.parametrize("name", READING)
def test_what_the_text_alone_decides_is_noted_on_the_patch(name: str) -> None:
    text, line = READING[name]
    patch = parse(text)
    assert (name, line) in [(concession.name, concession.line) for concession in patch.concessions]


@pytest.mark.parametrize("name", READING)
def test_a_concession_is_noted_once_for_one_reason(name: str) -> None:
    patch = parse(READING[name][0])
    assert len(patch.concessions) == len(set(patch.concessions))


#: What `strict` has another reading for: a path is what stands there, and the text after `@@` is information only.
LITERAL = {"quoted_path": "`a.txt`", "dot_path": "./a.txt", "unified_hunk_header": "a.txt"}


@pytest.mark.parametrize("name", sorted(READING.keys() - LITERAL.keys()))
def test_strict_refuses_what_needs_a_concession(name: str) -> None:
    with pytest.raises(PatchInvalidError):
        parse(READING[name][0], dialect="strict")


@pytest.mark.parametrize("name", LITERAL)
def test_strict_reads_literally_what_it_can_read(name: str) -> None:
    patch = parse(READING[name][0], dialect="strict")
    assert (patch.operations[0].path, patch.concessions) == (LITERAL[name], ())


@pytest.mark.parametrize("name", PLACING)
def test_what_the_file_decides_is_noted_on_the_match(name: str) -> None:
    content, hunk, expected = PLACING[name]
    done = update(content, [hunk], path="app.js")
    assert (done.text, name in [c.name for c in done.matches[0].concessions]) == (expected, True)


@pytest.mark.parametrize(("name", "case"), (STRINGS | SHARED).items())
def test_what_a_string_edit_needs_is_noted_on_its_answer(name: str, case: tuple[str, str, str, str]) -> None:
    content, old, new, expected = case
    done = replace(content, old, new)
    assert (done.text, name in [c.name for c in done.concessions]) == (expected, True)


def test_hunks_out_of_order_are_noted_on_their_matches() -> None:
    hunks = [Hunk(("-beta = 2", "+beta = 3")), Hunk(("-alpha = 1", "+alpha = 2"))]
    done = update("alpha = 1\nbeta = 2\n", hunks)
    assert [[c.name for c in match.concessions] for match in done.matches] == [["out_of_order"], ["out_of_order"]]


def test_a_hunk_that_changes_nothing_and_has_no_place_is_noted_on_the_one_next_to_it() -> None:
    hunks = [Hunk((" alpha = 1", " gamma = 3")), Hunk((" alpha = 1", "-beta = 2", "+beta = 3"))]
    done = update("alpha = 1\nbeta = 2\ngamma = 3\n", hunks)
    assert [[c.name for c in match.concessions] for match in done.matches] == [["no_op_hunk"]]


def test_an_insertion_at_the_end_for_want_of_a_place_is_noted() -> None:
    done = update("alpha\n", [Hunk(("+beta",))], dialect="codex")
    assert [c.name for c in done.matches[0].concessions] == ["inserted_at_end"]


def test_an_update_that_changes_nothing_is_noted_where_it_is_a_success() -> None:
    done = update("alpha\n", [Hunk((" alpha",))], dialect="codex")
    assert [c.name for c in done.matches[0].concessions] == ["no_change"]


def test_an_exact_patch_needs_no_concession() -> None:
    patch = parse(UPDATE)
    done = update("x\n", [Hunk(("-x", "+y"))])
    assert (patch.concessions, done.matches[0].concessions) == ((), ())


def test_the_docs_list_these_concessions_and_no_others() -> None:
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page[page.index("## Concessions") :], re.MULTILINE)
    shown = {*READING, *PLACING, *STRINGS, *PLANNING, "out_of_order", "inserted_at_end", "no_op_hunk"}
    assert SHARED.keys() < PLACING.keys()
    assert sorted(listed) == sorted(shown)


def test_every_concession_that_the_code_names_has_an_example_here() -> None:
    named = set()
    for path in Path(suture.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if function in {"Concession", "_note", "note"}:
                    named |= {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    assert named <= {*READING, *PLACING, *PLANNING}
    assert set(DIALECTS["standard"].tiers) - {"exact"} <= set(PLACING)
