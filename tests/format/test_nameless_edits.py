"""Data that looks like an edit and names no tool is reported, whatever is beside it: nobody says what it means."""

from __future__ import annotations

import json

import pytest

from suture import PatchInvalidError, SutureError, apply_in_memory, parse
from suture.format import PatchParser

TEXTS = {"app.py": "def one():\n    return 1\n", "b.py": "x = 1\ny = 2\n"}
READABLE = {
    "block": "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n",
    "envelope": "*** Begin Patch\n*** Update File: app.py\n@@\n-    return 1\n+    return 11\n*** End Patch\n",
    "diff": "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 11\n",
    "call": '{"name": "Edit", "input": {"file_path": "app.py", "old_string": "return 1", "new_string": "return 11"}}\n',
}
FILES = {"b.py": "x = 5\ny = 2\n"}
DATA = {
    "files": {"files": FILES},
    "files-of-one-line": {"files": {"b.py": "x = 5"}},
    "changes": {"changes": FILES},
    "files-with-contents": {"files": {"b.py": {"content": "x = 5\n"}}},
    "files-in-a-result": {"result": {"files": FILES}},
    "a-list-of-files": {"files": [{"path": "b.py", "content": "x = 5\n"}]},
    "a-bare-map": FILES,
    "before-and-after": {"changes": [{"file": "b.py", "before": "x = 1", "after": "x = 5"}]},
    "find-and-replace": [{"file": "b.py", "find": "x = 1", "replace": "x = 5"}],
    "suggestions": {
        "code_suggestions": [{"relevant_file": "b.py", "existing_code": "x = 1", "improved_code": "x = 5"}]
    },
    "a-path-and-contents": {"path": "b.py", "contents": "x = 5\n"},
    "a-json-patch": [{"op": "replace", "path": "/b.py", "value": "x = 5\ny = 2\n"}],
    "a-canvas": {"updates": [{"pattern": "x = 1", "multiple": False, "replacement": "x = 5"}]},
    "codex": {
        "type": "item.completed",
        "item": {
            "id": "item_4",
            "type": "file_change",
            "changes": [{"path": "b.py", "kind": "update"}],
            "status": "completed",
        },
    },
    "cline": {
        "ts": 1,
        "type": "say",
        "say": "tool",
        "text": json.dumps({"tool": "editedExistingFile", "path": "b.py", "diff": "x"}),
    },
    "cline-asks": [
        {"ts": 1, "type": "ask", "ask": "tool", "text": json.dumps({"tool": "newFileCreated", "path": "c.py"})}
    ],
    "a-step": {"trajectory": [{"action": "edit 1:1\nx = 5\nend_of_edit\n", "observation": "done"}]},
    "a-step-with-a-path": {
        "action": "str_replace_editor str_replace /b.py --old_str 'x = 1' --new_str 'x = 5'",
        "observation": "done",
    },
    "a-snippet": [{"file": "b.py", "code snippet to be modified": "1 x = 1", "edited code snippet": "x = 5"}],
    "an-act": {"op": "edit", "file": "b.py", "range": [1, 1], "text": "x = 5"},
    "a-name-and-code": {"filename": "b.py", "language": "python", "code": "x = 5\n"},
}
_YAML = "edit:\n  path: b.py\n  old: x = 1\n  new: x = 5\n"
KEYED = {
    "yaml": f"```yaml\n{_YAML}```\n",
    "yaml-without-its-name": f"```\n{_YAML}```\n",
    "yaml-without-a-fence": _YAML,
    "a-list": "```yml\nedits:\n  - path: b.py\n    old: |\n      x = 1\n    new: |\n      x = 5\n```\n",
    "a-list-without-a-fence": "edits:\n- path: b.py\n  old: x = 1\n  new: x = 5\n",
    "a-list-below-the-path": "file: b.py\nedits:\n  - old: |\n      x = 1\n    new: |\n      x = 5\n",
    "a-tool": "```yaml\ntool: edit_file\nargs:\n  path: b.py\n  new_string: x = 5\n```\n",
    "a-file": "```yaml\nfile: b.py\ncontent: |\n  x = 5\n```\n",
    "a-path-below-its-key": "```yaml\ncode_suggestions:\n- relevant_file: |\n    b.py\n  existing_code: |\n"
    "    x = 1\n  improved_code: |\n    x = 5\n```\n",
    "toml-without-a-fence": '[[edits]]\npath = "b.py"\nold = "x = 1"\nnew = "x = 5"\n',
    "a-text-in-toml-without-a-fence": '[[edits]]\npath = "b.py"\nold = """\nx = 1\n\n"""\nnew = """\nx = 5\n"""\n',
    "toml": '```toml\n[[edits]]\npath = "b.py"\nold = "x = 1"\nnew = "x = 5"\n```\n',
}
LINES = {
    "a-section-in-a-list": "- *** Update File: b.py\n  @@\n  -x = 1\n  +x = 5\n",
    "a-section-in-a-list-with-stars": "* *** Update File: b.py\n  -x = 1\n  +x = 5\n",
    "a-section-in-a-numbered-list": "1. *** Update File: b.py\n   -x = 1\n   +x = 5\n",
    "a-section-in-a-heading": "### *** Delete File: b.py\n",
    "a-new-file-in-a-list": "- *** Add File: c.py\n  +x = 5\n",
    "a-block-in-a-list": "- b.py\n- <<<<<<< SEARCH\n  x = 1\n  =======\n  x = 5\n  >>>>>>> REPLACE\n",
    "a-hunk-in-a-list": "- @@ -1 +1 @@\n  -x = 1\n  +x = 5\n",
    "a-hunk-below-a-title": "**Update File: b.py**\n@@\n-x = 1\n+x = 5\n",
    "lines-by-numbers-of-mentat": '@@start\n{\n    "file": "b.py",\n    "action": "replace",\n    "start-line": 1,\n'
    '    "end-line": 1\n}\n@@code\nx = 5\n@@end\n',
    "a-file-in-markup": '<file path="b.py">\nx = 5\n</file>\n',
}
MARKUP = {
    "an-artifact": '<antArtifact identifier="b" type="application/vnd.ant.code">\nx = 5\n</antArtifact>\n',
    "an-update-of-an-artifact": '<antArtifact identifier="b" command="update">\nx = 5\n</antArtifact>\n',
    "a-project": '<CodeProject id="it">\n```py file="b.py"\nx = 5\n```\n</CodeProject>\n',
    "a-change-of-repoprompt": '<file path="b.py" action="modify">\n  <change>\n    <search>\n===\n'
    "x = 1\n===\n    </search>\n    <content>\n===\nx = 5\n===\n    </content>\n  </change>\n</file>\n",
    "a-file-of-repoprompt": '<file action="create" path="c.py">\n<content>\n===\nx = 5\n===\n</content>\n</file>\n',
    "tags-in-capitals": "b.py\n<SEARCH>\nx = 1\n</SEARCH>\n<REPLACE>\nx = 5\n</REPLACE>\n",
    "an-update": "<code>x = 1\ny = 2</code>\n<update>x = 5\n# ... existing code ...\n</update>\n",
    "an-update-of-a-line": "<update># ... existing code ...\ny = 5</update>\n",
    "a-sketch": "```python:b.py\n# ... existing code ...\ny = 5\n```\n",
    "a-sketch-with-the-rest": "```python b.py\nx = 5\n# ... rest of the file\n```\n",
    "a-block-of-dashes": "-----SEARCH\nx = 1\n=====\nx = 5\n",
    "lines-by-hashes": "¶b.py#a1b2\n1:x = 5\n",
}
NUMBERED = {
    "a-diff-without-context": "1c1\n< x = 1\n---\n> x = 5\n",
    "a-diff-that-adds-a-line": "2a3\n> z = 3\n",
    "a-diff-that-adds": "```diff\n2a3,4\n> z = 3\n> w = 4\n```\n",
    "a-diff-that-removes": "```\n1,2d0\n< x = 1\n< y = 2\n```\n",
    "a-script-of-ed": "```ed\n1c\nx = 5\n.\nw\nq\n```\n",
    "a-script-of-ed-for-the-end": "$a\nz = 3\n.\n",
    "a-script-of-ed-without-a-fence": "1,2c\nx = 5\n\ny = 5\n.\n",
}
UNREAD = {
    **{name: json.dumps(value) + "\n" for name, value in DATA.items()},
    **{f"{name}-fenced": f"```json\n{json.dumps(value, indent=2)}\n```\n" for name, value in DATA.items()},
    **KEYED,
    **LINES,
    **MARKUP,
    **NUMBERED,
}


def is_refused(answer: str) -> bool:
    try:
        parse(answer)
    except PatchInvalidError as invalid:
        return "contains no edits" not in str(invalid)
    return False


@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_alone_it_is_reported(text: str) -> None:
    assert is_refused(text)
    assert is_refused(f"This is it:\n\n{text}\nDone.\n")


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_beside_an_edit_it_refuses_the_answer(text: str, readable: str) -> None:
    for answer in (
        f"{readable}\n{text}",
        f"{readable}\nAnd the other:\n\n{text}\nDone.\n",
        f"First:\n\n{text}\nThen this.\n\n{readable}\nThat is all.\n",
    ):
        assert is_refused(answer), answer


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_it_is_reported_as_well_when_it_arrives_in_pieces(text: str, readable: str) -> None:
    answer = f"{readable}\nAnd:\n\n{text}\nDone.\n"
    parser = PatchParser()
    for start in range(0, len(answer), 7):
        parser.feed(answer[start : start + 7])
    with pytest.raises(SutureError):
        parser.close()


def test_the_message_names_the_file() -> None:
    with pytest.raises(PatchInvalidError) as invalid:
        parse(READABLE["block"] + UNREAD["files"])
    (problem,) = invalid.value.problems
    assert (
        problem.message
        == "Patch line 7: The data for b.py looks like an edit, but names no tool, so it can't be read as one."
    )


HARMLESS = {
    "a-json-patch-of-data": json.dumps([{"op": "replace", "path": "/metadata/labels/b.io", "value": "new"}]),
    "a-pointer-to-data": json.dumps([{"op": "add", "path": "/spec/script", "value": "x = 5\n"}]),
    "a-change-that-failed": json.dumps(
        {"item": {"type": "file_change", "changes": [{"path": "b.py", "kind": "update"}], "status": "failed"}}
    ),
    "a-file-that-cline-read": json.dumps(
        {"say": "tool", "text": json.dumps({"tool": "readFile", "path": "b.py", "content": "x = 5\n"})}
    ),
    "a-step-that-looks": json.dumps({"action": "str_replace_editor view /b.py", "observation": "edit 1:1"}),
    "steps-with-their-history": json.dumps(
        {"trajectory": [{"action": "edit 1:1\nx = 5\nend_of_edit", "observation": "done"}], "history": []}
    ),
    "a-table": '[[bin]]\nname = "it"\npath = "b.py"',
    "a-link": "[[edits]]\n\nSee [[b.py]].\npath: b.py\nold: x = 1\nnew: x = 5",
    "commands": "```bash\nsed -n '1,20p' b.py\nsed -i 's/1/5/' b.py\ngit diff\ngit apply it.patch\npytest -q\n```",
    "commands-in-a-sentence": "Run `sed -i 's/1/5/' b.py`, then `git diff --stat` and `ls`.",
    "ed-in-a-shell": "```bash\ned b.py <<'EOF'\n1c\nx = 5\n.\nw\nEOF\n```",
    "what-diff-says": "```\n$ diff a.py b.py\n1c1\n< x = 1\n---\n> x = 5\n```",
    "what-diff-says-in-a-console": "```console\n1c1\n< x = 1\n---\n> x = 5\n```",
    "questions": "2a\n\nThat is 5.\n\n3c\n\n> this one\n\n12d3\n> quoted",
    "a-document": '<antArtifact identifier="it" type="text/markdown" title="It">\n# It\n</antArtifact>',
    "tags-in-a-sentence": "It has `<antArtifact>`, <CodeProject> and `¶b.py#a1b2`.",
    "an-update-on-a-line": "<update>Now: see below.</update>\n\n# ... existing code ...",
    "an-update-without-a-sketch": "<update>\nNow: see below.\n</update>\n\n# ... existing code ...",
    "a-package": json.dumps({"name": "it", "files": ["dist", "b.py"], "exports": {"./b.js": "./dist/b.js"}}),
    "compiler-options": json.dumps({"compilerOptions": {"paths": {"@/*": ["src/*"]}}, "files": ["src/b.ts"]}),
    "search-hits": json.dumps([{"path": "b.py", "line": 1, "text": "x = 1"}]),
    "an-error": json.dumps({"file": "b.py", "line": 3, "message": "no such name: x"}),
    "counts": json.dumps({"files": {"b.py": 3, "c.py": 5}}),
    "names": json.dumps({"changes": {"b.py": "modified", "c.py": "added"}}),
    "a-rename": json.dumps({"changes": [{"path": "src", "from": "b.py", "to": "c.py"}]}),
    "a-user": json.dumps({"role": "user", "files": FILES}),
    "a-result": json.dumps({"type": "tool_result", "files": FILES}),
    "rpc": json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"files": FILES}}),
    "a-workflow": "```yaml\non: push\njobs:\n  build:\n    steps:\n      - uses: cache@v4\n        with:\n"
    "          path: build/b.py\n          key: new\n```",
    "a-service": "```yaml\nservices:\n  web:\n    env_file: b.env\n    command: |\n      run it\n```",
    "settings": '```toml\n[tool.it]\nfile = "b.py"\nversion = "1.0"\n```',
    "a-list-of-changes": "Changes:\n- b.py: x is 5 now\n- old: x = 1\n- new: x = 5",
    "a-list-of-changes-below-a-path": "File: b.py\nChanges:\n- Old: x = 1\n- New: x = 5",
    "what-an-act-did": json.dumps({"op": "edit", "file": "b.py", "text": "done"}),
    "labels-in-capitals": "b.py\nFIND:\n```\nx = 1\n```\nREPLACE:\n```\nx = 5\n```",
    "a-file-with-a-language": '<file path="b.py" language="python">x = 1</file>',
    "labels": "File: b.py\nReason: it is new\n\nBefore: x = 1\nAfter: x = 5",
    "a-list-of-files": "Files:\n  - b.py\n  - c.py",
    "a-section-in-a-sentence": "I did not write `*** Update File: b.py`; see *** there.",
    "quoted": "> *** Update File: b.py\n> @@\n> -x = 1\n> +x = 5",
    "in-bold": "***Note***: that is all.",
    "sources": '<file path="b.py"/>\n<file>b.py</file>',
}


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_only_has_such_words_is_left_out(text: str, readable: str) -> None:
    for answer in (f"{text}\n\n{readable}", f"{readable}\nNow:\n\n{text}\n"):
        assert apply_in_memory(answer, TEXTS).texts["app.py"] == "def one():\n    return 11\n"


def test_an_edit_that_is_read_is_not_reported_too() -> None:
    edits = {"edits": [{"path": "b.py", "old": "x = 1", "new": "x = 5"}]}
    assert apply_in_memory(json.dumps(edits), TEXTS).texts["b.py"] == "x = 5\ny = 2\n"


def test_an_edit_beside_one_that_is_read_is_reported() -> None:
    edits = [{"path": "b.py", "old": "x = 1", "new": "x = 5"}, {"file": "app.py", "before": "return 1", "after": "()"}]
    assert is_refused(json.dumps({"edits": edits}))
