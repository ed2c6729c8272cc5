"""Patches that can't be read, each with the name of the golden file of its answer; and all answers together."""

from __future__ import annotations

from tests.shared.answer_cases import REJECTED, Case, envelope
from tests.shared.goldens import PATH

#: Texts that are no patch.
INVALID = {
    "empty-text": Case(""),
    "missing-begin": Case(f"*** Update File: {PATH}\n@@\n-x = 1\n+x = 2\n*** End Patch\n"),
    "no-envelope": Case("I would change line 3 to x = 2.\n"),
    "unified-diff": Case("--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n", dialect="opencode"),
    "no-edits-but-fences": Case("Write this to app.py:\n\n```python\nx = 2\n```\n\n```bash\npython app.py\n```\n"),
    "diff-of-a-binary-file": Case("diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"),
    "diff-without-a-file": Case("@@ -1 +1 @@\n-x = 1\n+x = 2\n"),
    "diff-with-two-names": Case("--- old.py\n+++ new.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"),
    "block-without-a-file": Case("<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"),
    "block-that-is-cut-off": Case("app.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n"),
    "block-with-two-dividers": Case("a.md\n<<<<<<< SEARCH\nOne\n=======\n=======\nTwo\n>>>>>>> REPLACE\n"),
    "block-without-a-divider": Case("app.py\n<<<<<<< SEARCH\nx = 1\n>>>>>>> REPLACE\n"),
    "two-forms-of-one-file": Case(
        "app.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\nAs a diff:\n\n"
        "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    ),
    "call-that-is-broken": Case('{"file_path": "app.py", "old_string": "x = "1"", "new_string": "x = 2"}'),
    "call-that-inserts-nowhere": Case('{"command": "insert", "path": "app.py", "insert_text": "x = 2"}'),
    "markup-that-is-cut-off": Case('<invoke name="Edit">\n<parameter name="file_path">app.py</parameter>\n'),
    "unified-diff-codex": Case(
        "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n", dialect="codex"
    ),
    "unified-diff-in-an-envelope": Case(envelope("--- a/app.py", "+++ b/app.py", "@@ -1 +1 @@", "-x = 1", "+x = 2")),
    "json-codex": Case('{"input": "*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch"}', dialect="codex"),
    "json-that-is-cut-off": Case('{"input": "*** Begin Patch\\n*** Delete File: a.txt\\n*** End Pa'),
    "begin-behind-other-text": Case("Here: " + envelope("*** Delete File: a.txt")),
    "shell-escapes": Case("apply_patch '" + envelope("*** Add File: a.txt", "+it'\\''s").rstrip() + "'\n"),
    "cut-off": Case(f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-x = 1\n+x = 2\n"),
    "cut-off-in-a-marker": Case(f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-x = 1\n+x = 2\n*** End Pa"),
    "cut-off-in-json": Case('{"input": "*** Begin Patch\\n*** Delete File: a.txt\\n"}'),
    "begin-twice": Case(envelope("*** Begin Patch", "*** Delete File: a.txt")),
    "unknown-marker": Case(envelope("*** Rename File: a.txt", "*** Delete File: b.txt")),
    "unknown-marker-in-hunk": Case(
        envelope(f"*** Update File: {PATH}", "@@", " a = 1", "*** note", "-b = 1", "+b = 2")
    ),
    "header-without-file": Case(envelope("*** Update: src/app.py", "@@", "-x = 1", "+x = 2")),
    "header-without-colon": Case(envelope("*** Modify src/app.py", "@@", "-x = 1", "+x = 2")),
    "end-misspelt": Case(f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-x = 1\n+x = 2\n*** End of Patch\n"),
    "hunk-without-section": Case(envelope("@@", "-x = 1", "+x = 2")),
    "add-with-a-line-of-stars": Case(envelope("*** Add File: a.txt", "+one", "*** two ***")),
    "add-no-newline-codex": Case(
        envelope("*** Add File: a.txt", "+one", "\\ No newline at end of file"), dialect="codex"
    ),
    "add-mixed": Case(envelope("*** Add File: a.txt", "+one", "two", "+three")),
    "add-bare-codex": Case(envelope("*** Add File: a.txt", "one", "two"), dialect="codex"),
    "add-with-hunk-header": Case(envelope("*** Add File: a.txt", "@@", "+one")),
    "line-behind-the-last": Case(envelope("*** Add File: a.txt", "+one", "\\ No newline at end of file", "+two")),
    "hunk-without-lines": Case(envelope(f"*** Update File: {PATH}", "@@ def f():")),
    "empty-patch": Case(envelope()),
    "update-without-hunks": Case(envelope(f"*** Update File: {PATH}")),
    "move-to-too-late": Case(envelope(f"*** Update File: {PATH}", "@@", "-x = 1", "+x = 2", "*** Move to: b.py")),
    "move-to-twice": Case(envelope(f"*** Update File: {PATH}", "*** Move to: b.py", "*** Move to: c.py")),
    "move-to-below-add": Case(envelope("*** Add File: a.txt", "*** Move to: b.txt", "+one")),
    "move-to-strict": Case(
        envelope(f"*** Update File: {PATH}", "*** Move to: b.py", "@@", "-x = 1", "+x = 2"), dialect="strict"
    ),
    "move-file-codex": Case(envelope("*** Move File: a.py -> b.py"), dialect="codex"),
    "move-file-without-arrow": Case(envelope("*** Move File: a.py")),
    "second-envelope-after-prose": Case(
        envelope("*** Delete File: a.txt") + "Or rather:\n" + envelope("*** Delete File: b.txt")
    ),
    "second-envelope-opencode": Case(
        envelope("*** Delete File: a.txt") + envelope("*** Delete File: b.txt"), dialect="opencode"
    ),
    "text-before-strict": Case("Here you are:\n" + envelope("*** Delete File: a.txt"), dialect="strict"),
    "text-behind-strict": Case(envelope("*** Delete File: a.txt") + "Done.\n", dialect="strict"),
    "text-before-codex": Case("Here you are:\n" + envelope("*** Delete File: a.txt"), dialect="codex"),
    "empty-path": Case(envelope("*** Delete File:", "*** Add File: ", "+one")),
    "stray-line-between-sections": Case(envelope("*** Delete File: a.txt", "and then", "*** Delete File: b.txt")),
    "delete-with-body": Case(envelope("*** Delete File: a.txt", "-one", "-two")),
    "second-hunk-without-header": Case(
        envelope(f"*** Update File: {PATH}", "@@", "-x = 1", "*** End of File", "-y = 1", "+y = 2")
    ),
    "first-hunk-without-header-strict": Case(
        envelope(f"*** Update File: {PATH}", "-x = 1", "+x = 2"), dialect="strict"
    ),
    "line-without-prefix-codex": Case(
        envelope(f"*** Update File: {PATH}", "@@", "def f():", "-    x = 1"), dialect="codex"
    ),
    "blank-line-strict": Case(envelope(f"*** Update File: {PATH}", "@@", " a = 1", "", "-b = 1"), dialect="strict"),
    "no-newline-codex": Case(
        envelope(f"*** Update File: {PATH}", "@@", "-x", "+y", "\\ No newline at end of file"), dialect="codex"
    ),
    "end-of-file-without-hunk": Case(envelope(f"*** Update File: {PATH}", "*** End of File")),
    "end-of-file-strict": Case(
        envelope(f"*** Update File: {PATH}", "@@", "-x", "+y", "*** End of File"), dialect="strict"
    ),
    "environment-id-too-late": Case(envelope("*** Delete File: a.txt", "*** Environment ID: one")),
    "padded-marker-strict": Case(envelope("  *** Delete File: a.txt"), dialect="strict"),
    "marker-spelling-codex": Case(envelope("***Delete File: a.txt"), dialect="codex"),
    "crlf-strict": Case(envelope("*** Delete File: a.txt").replace("\n", "\r\n"), dialect="strict"),
    "several-errors": Case(
        envelope("*** Rename File: a.txt", "*** Update File: b.txt", "@@", "*** Add File: c.txt", "+one", "two")
    ),
}
CASES = REJECTED | INVALID
