"""An edit that can't be read is never left out in silence, whatever is beside it."""

from __future__ import annotations

import pytest

from suture import PatchInvalidError, apply_in_memory, parse

TEXTS = {"app.py": "def one():\n    return 1\n", "b.py": "x = 1\ny = 2\n"}
READABLE = {
    "block": "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n",
    "envelope": "*** Begin Patch\n*** Update File: app.py\n@@\n-    return 1\n+    return 11\n*** End Patch\n",
    "diff": "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 11\n",
    "call": '{"file_path": "app.py", "old_string": "return 1", "new_string": "return 11"}\n',
}
BLOCK = "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 5\n>>>>>>> REPLACE\n"
#: Each with what its message says.
UNREADABLE = {
    "a-block-in-lower-case": (BLOCK.replace("SEARCH", "search"), "'<<<<<<< search'"),
    "a-block-of-old-and-new": (BLOCK.replace("SEARCH", "OLD").replace("REPLACE", "NEW"), "'<<<<<<< OLD'"),
    "an-indented-block": (BLOCK.replace("\n", "\n   "), "'   <<<<<<< SEARCH'"),
    "a-block-that-was-cut-off": (BLOCK[:-16], "cut off"),
    "a-block-without-a-divider": (BLOCK.replace("=======\n", ""), "has no ======="),
    "a-section-without-its-envelope": ("*** Update File: b.py\n@@\n-x = 1\n+x = 5\n", "'*** Update File: b.py'"),
    "a-context-diff": (
        "*** b.py\n--- b.py\n***************\n*** 1,2 ****\n! x = 1\n  y = 2\n--- 1,2 ----\n! x = 5\n  y = 2\n",
        "a context diff",
    ),
    "an-indented-diff": ("    --- a/b.py\n    +++ b/b.py\n    @@ -1 +1 @@\n    -x = 1\n    +x = 5\n", "a hunk of"),
    "a-diff-of-two-names": ("--- a/b.py\n+++ b/c.py\n@@ -1 +1 @@\n-x = 1\n+x = 5\n", "names two files"),
    "markup-of-an-unknown-tool": (
        "<edit>\n<file>b.py</file>\n<search>x = 1</search>\n<replace>x = 5</replace>\n</edit>\n",
        "an edit in markup",
    ),
    "a-call-that-was-cut-off": ('<invoke name="Edit">\n<parameter name="file_path">b.py</parameter>\n', "cut off"),
    "a-call-in-broken-json": ('{"file_path": "b.py", "old_string": "x", "new_string": "y",}\n', "not valid JSON"),
    "a-call-in-python": ("{'file_path': 'b.py', 'old_string': 'x', 'new_string': 'y'}\n", "not valid JSON"),
    "a-call-in-python-on-lines": ("{\n  'file_path': 'b.py',\n  'old_string': 'x',\n}\n", "not valid JSON"),
    "a-call-without-a-replacement": (
        '{"file_path": "b.py", "old_string": "x", "new_string": null}\n',
        "no replacement",
    ),
    "a-call-with-a-number": ('{"file_path": "b.py", "old_string": "x", "new_string": 5}\n', "no replacement"),
    "a-call-for-every-maybe": (
        '{"file_path": "b.py", "old_string": "x", "new_string": "y", "replace_all": "maybe"}\n',
        "'maybe' where true or false",
    ),
}


@pytest.mark.parametrize(("text", "message"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
def test_an_edit_that_cannot_be_read_is_an_error_beside_any_other(readable: str, text: str, message: str) -> None:
    for answer in (f"{readable}\n\nAnd the other file:\n\n{text}", f"First:\n\n{text}\n\nThen this.\n\n{readable}"):
        if "cut off" in message and not answer.endswith(text):
            continue
        with pytest.raises(PatchInvalidError) as invalid:
            apply_in_memory(answer, TEXTS)
        assert any(message in problem.message for problem in invalid.value.problems), invalid.value.for_model()


@pytest.mark.parametrize("text", [text for text, _ in UNREADABLE.values()], ids=UNREADABLE)
def test_alone_it_is_an_error_too(text: str) -> None:
    with pytest.raises(PatchInvalidError):
        parse(text)


PROSE = (
    "I kept the old string; the new one is longer.",
    "> @@ -1 +1 @@\n> -quoted\n> +from a mail",
    "It looked like a merge conflict:\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
    "Use `*** Update File: b.py` for this, and <<<<<<< SEARCH for that.",
    "```html\n<search>\n<input>\n</search>\n```",
    "-----\n\n***************\n\nold: x",
    '{"command": "view", "path": "b.py", "old_str": null, "new_str": ""}',
    '{"path": "b.py", "search": "x"}',
    "```diff\n-an illustration\n+without a file\n```",
)


@pytest.mark.parametrize("prose", PROSE)
def test_prose_that_only_looks_like_an_edit_is_skipped(prose: str) -> None:
    answer = f"{READABLE['envelope']}\n{prose}\n"
    assert apply_in_memory(answer, TEXTS).texts["app.py"] == "def one():\n    return 11\n"


def test_a_named_form_leaves_out_what_was_meant_as_another() -> None:
    answer = READABLE["block"] + "\n*** Update File: b.py\n@@\n-x = 1\n+x = 5\n"
    assert len(parse(answer, form="search-replace").operations) == 1


def test_a_command_is_not_mistaken_for_a_replacement_by_its_empty_arguments() -> None:
    call = '{"command": "create", "path": "c.py", "file_text": "z\\n", "old_str": "", "new_str": ""}'
    assert apply_in_memory(call, TEXTS).texts["c.py"] == "z\n"


def test_a_file_that_is_given_twice_as_a_whole_is_an_error() -> None:
    answer = "b.py\n```\nold\n```\n\nb.py\n```\nnew\n```\n"
    with pytest.raises(PatchInvalidError) as invalid:
        parse(answer, form="whole")
    assert [problem.details["line"] for problem in invalid.value.problems] == [7]
