"""Patches that are refused, each with the name of the golden file of its answer."""

from __future__ import annotations

from typing import NamedTuple

from tests.goldens import APP, PATH, TABBED


class Case(NamedTuple):
    """What a model sent, and what it was sent for."""

    patch: str
    content: str | bytes | None = None
    dialect: str = "standard"
    encoding: str | None = None
    max_size: int = 50_000_000
    seconds: float = 10.0


def envelope(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


def hunks(*lines: str, content: str | bytes = APP, dialect: str = "standard", encoding: str | None = None) -> Case:
    """An update of one file."""
    return Case(envelope(f"*** Update File: {PATH}", *lines), content, dialect, encoding)


#: Patches that can be read and have no place, or none that may be taken.
REJECTED = {
    "not-found-near-miss": hunks(
        "@@ class Loader:",
        "     def read(self, path):",
        "         check(path)",
        '-        with open(path, "rb") as file:',
        "+        with path.open() as file:",
        "             text = file.read()",
    ),
    "not-found-removed-line-changed": hunks(
        "@@",
        " [server]",
        " host = localhost",
        "-port = 80",
        "+port = 8080",
        " mode = fast",
        content="[server]\nhost = localhost\nport = 443\nmode = fast\n",
    ),
    "not-found-line-missing": hunks(
        "@@",
        "         check(path)",
        "         lock(path)",
        "         with open(path) as file:",
        "-            text = file.read()",
        "+            text = file.read().strip()",
        dialect="strict",
    ),
    "not-found-past-the-end": hunks(
        "@@",
        "             file.write(text)",
        "         return text",
        "-        # the end",
        "+        # The end.",
    ),
    "not-found-at-all": hunks("@@", " def render(template):", "-    return template", "+    return str(template)"),
    "not-found-in-an-empty-file": hunks("@@", "-x = 1", "+x = 2", content=""),
    "not-found-single-close-line": hunks("@@", "-        with open(path) as handle:", "+        with path.open():"),
    "not-found-lines-that-say-little": hunks("@@", " a", "-b", "+c", " d", content="a\nb\ne\n"),
    "not-found-long-line": hunks(
        "@@",
        f"-WORDS = [{', '.join(repr(n) for n in range(90))}]",
        "+WORDS = []",
        content=f"WORDS = [{', '.join(repr(n) for n in range(91))}]\n",
    ),
    "not-found-line-stands-elsewhere": hunks(
        "@@",
        "     def read(self, path):",
        "             file.write(text)",
        "         check(path)",
        "-        with open(path) as file:",
        "+        with path.open() as file:",
        dialect="strict",
    ),
    "not-found-removed-line-gone": hunks(
        "@@",
        "     def read(self, path):",
        "         check(path)",
        "-        trace(path)",
        "+        follow(path)",
        "         with open(path) as file:",
    ),
    "not-found-line-more-in-the-file": hunks(
        "@@",
        "     def read(self, path):",
        "-        with open(path) as file:",
        "+        with open(path, 'rb') as file:",
        "             text = file.read()",
    ),
    "not-found-several-differences": hunks(
        "@@",
        "     def read(self, path):",
        "         with open(path) as file:",
        "-            text = file.load()",
        "+            text = file.read().strip()",
        "         return text",
    ),
    "not-found-few-lines-agree": hunks(
        "@@", " def a():", " def b():", "-        check(path)", "+        look(path)", " def c():", " def d():"
    ),
    "not-found-lines-left-out": hunks(
        "@@",
        "     def read(self, path):",
        "         # ... existing code ...",
        "-        return text",
        "+        return text.strip()",
    ),
    "not-found-line-numbers": hunks(
        "@@", " 5| def read(self, path):", "-6|         check(path)", "+        look(path)", dialect="codex"
    ),
    "not-found-in-a-text-of-equal-lines": hunks(
        "@@", " log(x)", " log(x)", "-bar(y)", "+bar(z)", content="log(x)\n" * 300 + "foo()\n"
    ),
    "not-found-below-an-earlier-hunk-strict": hunks(
        "@@",
        "-import os",
        "+import re",
        "+import sys",
        "@@",
        "     def read(self, path):",
        "-        verify(path)",
        "+        look(path)",
        dialect="strict",
    ),
    "tabs-against-spaces": hunks(
        "@@", " func main() {", "     start(1)", "-    if ready {", "+    if ok {", content=TABBED, dialect="strict"
    ),
    "tabs-against-spaces-and-more": hunks(
        "@@", "     if ready {", "-        serve(80)", "+        serve(8443)", "     }", content=TABBED
    ),
    "trailing-space": hunks(
        "@@", " first = 1", "-second = 2", "+second = 3", content="first = 1  \nsecond = 2\n", dialect="strict"
    ),
    "curly-quotes": hunks(
        "@@",
        ' say("it\'s here")',
        "-wait()",
        "+go()",
        content="say(“it’s here”)\nwait()\n",
        dialect="strict",
    ),
    "no-break-space": hunks("@@", "-total = 1", "+total = 2", content="total\u00a0= 1\n", dialect="strict"),
    "several-places": hunks("@@", "         check(path)", "+        log(path)"),
    "several-places-at-a-looser-tier": hunks("@@", "-return text", "+return str(text)"),
    "several-places-many": hunks("@@", "-x = 1", "+x = 2", content="x = 1\ny = 2\n" * 12),
    "several-places-cut-short": hunks("@@", "-x = 1", "+x = 2", content="x = 1\n" * 3000),
    "several-places-similar": hunks(
        "@@",
        " def load_trees(path):",
        "     check(path)",
        "     with open(path) as file:",
        "-        text = file.read()",
        "+        text = file.read().strip()",
        "     return text",
        content="".join(
            f"def load_tree{name}(path):\n    check(path)\n    with open(path) as file:\n        text = file.read()\n"
            "    return text\n\n\n"
            for name in "ab"
        ),
    ),
    "several-places-below-an-anchor": hunks(
        "@@     def run(self):",
        "+        log()",
        content="class A:\n    def run(self):\n        a()\n\n\nclass B:\n    def run(self):\n        b()\n",
    ),
    "several-places-inside-a-block": hunks(
        "@@ def f():", "-    x = 1", "+    x = 2", content="def f():\n    x = 1\n    y = 2\n    x = 1\n"
    ),
    "several-places-strict": hunks("@@ class Writer:", "         check(path)", "+        log(path)", dialect="strict"),
    "several-places-in-one-function-of-two-classes": hunks(
        "@@ def run(self):",
        "-        go()",
        "+        wait()",
        content="class A:\n    def run(self):\n        go()\n\n\nclass B:\n    def run(self):\n        go()\n",
    ),
    "several-places-nothing-tells": hunks(
        "@@", " Run it.", "+Stop it.", content="## Usage\n\nRun it.\n\n## Usage\n\nRun it.\n"
    ),
    "says-too-little": hunks(
        "@@",
        " ",
        "+go()",
        content="first()\n\nsecond()\n\nthird()\n",
    ),
    "one-sided-insertion": hunks(
        "@@", "     setup()", " ", "+    extra()", content="    setup()\n\n    run()\n    setup()\n    done()\n"
    ),
    "says-too-little-at-a-looser-tier": hunks("@@", " }", "+go()", content="run() {\n    }\n"),
    "loose-place-without-an-indentation": hunks(
        "@@", " alpha()", " beta()", "+gamma()", content="        alpha()\n    beta()\n"
    ),
    "last-line-may-be-layout": hunks(
        "@@",
        " first()",
        " setup()",
        "+extra()",
        "",
        content="first()\nsetup()\n\nrun()\nfirst()\nsetup()\ndone()\n",
    ),
    "its-own-depth-with-other-quotes": hunks(
        "@@",
        '   if ("ready") {',
        "-    begin(1);",
        "+    begin(2);",
        "   }",
        content='if ("ready") {\n  begin(1);\n}\n  if (“ready”) {\n    begin(1);\n  }\n',
    ),
    "anchor-missing": hunks("@@ class Reader:", "         check(path)", "-        return text", "+        return 1"),
    "anchor-missing-nothing-near": hunks("@@ function main() {", "-        frobnicate()", "+        go()"),
    "anchor-missing-stacked": hunks(
        "@@ class Writer:", "@@ def read(self, path):", "-        check(path)", "+        go()"
    ),
    "anchor-missing-codex-unified-header": hunks(
        "@@ -5,2 +5,2 @@ class Loader:",
        "     def read(self, path):",
        "-        check(path)",
        "+        go()",
        dialect="codex",
    ),
    "anchor-missing-lines-stand-once": hunks("@@ the imports", "-import os", "+import sys"),
    "anchors-in-another-order": hunks(
        "@@ class Writer:",
        "@@ class Loader:",
        "@@ class Writer:",
        "-            file.write(text)",
        "+            file.write(str(text))",
    ),
    "not-behind-its-anchor-codex": hunks("@@ class Loader:", "-import os", "+import sys", dialect="codex"),
    "not-behind-its-anchor": hunks("@@ class Writer:", "-            text = file.read()", "+            text = ''"),
    "already-applied": hunks("@@", "     def read(self, path):", "-        verify(path)", "+        check(path)"),
    "already-applied-one-line": hunks("@@", "-        return None", "+        return text"),
    "already-applied-deletion": hunks(
        "@@", "     def read(self, path):", "-        verify(path)", "         check(path)"
    ),
    "already-applied-insertion": hunks(
        "@@",
        " class Loader:",
        "+    def read(self, path):",
        "+        check(path)",
        "+        with open(path) as file:",
    ),
    "out-of-order-codex": hunks(
        "@@",
        "-            file.write(text)",
        "+            file.write(str(text))",
        "@@",
        "-import os",
        "+import sys",
        dialect="codex",
    ),
    "out-of-order-and-several-places": hunks(
        "@@",
        "-            file.write(text)",
        "+            file.write(str(text))",
        "@@",
        "-        check(path)",
        "+        look(path)",
        content=APP.replace("        return text\n", "", 1).replace(
            "file.write(text)\n        return text", "file.write(text)"
        ),
    ),
    "overlapping": hunks(
        "@@",
        "-        check(path)",
        "-        with open(path) as file:",
        "+        with path.open() as file:",
        "@@",
        "-        with open(path) as file:",
        "-            text = file.read()",
        "+        text = path.read_text()",
    ),
    "overlapping-insertions": hunks("@@", " import os", "+import re", "@@", " import os", "+import sys"),
    "overlapping-insertion-in-removed-lines": hunks(
        "@@",
        "-        check(path)",
        "-        with open(path) as file:",
        "-            text = file.read()",
        "+        text = path.read_text()",
        "@@",
        "         check(path)",
        "+        log(path)",
        "         with open(path) as file:",
    ),
    "overlapping-strict": hunks("@@", "-import os", "+import re", "@@", "-import re", "+import sys", dialect="strict"),
    "earlier-hunk-as-context": hunks(
        "@@", " import os", "+import re", "@@", " import re", " ", "-", "+# Loaders.", " class Loader:"
    ),
    "context-that-an-earlier-hunk-changes-strict": hunks(
        *("@@", "-import os", "+import re", "@@", " import os", " ", " ", "-class Loader:", "+class Reader:"),
        dialect="strict",
    ),
    "last-line-has-a-newline": hunks(
        "@@",
        "             file.write(text)",
        "-        return text",
        "\\ No newline at end of file",
        "+        return None",
    ),
    "not-at-end": hunks("@@", "-            text = file.read()", "+            text = ''", "*** End of File"),
    "not-at-end-no-newline": hunks("@@", "-import os", "+import sys", "\\ No newline at end of file"),
    "no-context": hunks("@@", "+x = 1"),
    "no-context-strict": hunks("@@", "+x = 1", dialect="strict"),
    "no-change": hunks("@@", " import os", "-", "+", " "),
    "no-change-context-only": hunks("@@", " import os", " ", " "),
    "binary": hunks("@@", "-x = 1", "+x = 2", content=b"\x7fELF\0\0\x01x = 1\n"),
    "out-of-time": hunks("@@", "-import os", "+import sys")._replace(seconds=-1.0, content=APP.replace("\n", "\r\n")),
    "too-large": hunks("@@", "-x = 1", "+x = 2", content=b"x = 1\n")._replace(max_size=5),
    "control-character": hunks("@@", "-import os", "+import os  # \x07"),
    "character-not-in-the-encoding": hunks("@@", "-x = 1", "+x = '€'", content=b"caf\xe9\nx = 1\n", encoding="latin-1"),
    "wrong-encoding": hunks("@@", "-x = 1", "+x = 2", content=b"x = 1\n\xff\n", encoding="ascii-with-a-twist"),
    "several-problems": hunks(
        "@@",
        "-        verify(path)",
        "+        look(path)",
        "@@ class Reader:",
        "-        return text",
        "+        return 1",
        "@@",
        "+# the end",
    ),
}

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
    "call-that-inserts-by-a-line-number": Case(
        '{"command": "insert", "path": "app.py", "insert_line": 3, "insert_text": "x = 2"}'
    ),
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
