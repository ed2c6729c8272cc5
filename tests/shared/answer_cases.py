"""Patches that are refused, each with the name of the golden file of its answer."""

from __future__ import annotations

from typing import NamedTuple

from tests.shared.goldens import APP, PATH, TABBED


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
    "several-places-beside": hunks(
        "@@",
        "-Run it.",
        "+Start it.",
        content="# Setup\n\nRun it.\n\nWait.\n\n# Usage\n\nRun it.\n\nWait.\n",
    ),
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
            f"def {name}(path):\n    check(path)\n    with open(path) as file:\n        text = file.read()\n"
            "    return text\n\n\n"
            for name in ("load_trese", "loda_trees")
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
    "another-bracket": hunks(
        "@@",
        "     for (const hook of store.hooks) {",
        "         if (hook.active) {",
        "             hook.run(store);",
        "     }",
        "+    store.hooks = [];",
        content="function load(store) {\n    for (const hook of store.hooks) {\n        if (hook.active) {\n"
        "            hook.run(store);\n        }\n    }\n    finish(store);\n}\n",
    ),
    "outside-its-context": hunks(
        "@@",
        " class Development:",
        "@@",
        "-    debug = True",
        content="class Development:\n    workers = 1\n\n\nclass Production:\n    debug = True\n    workers = 8\n",
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
    "anchor-missing-codex": hunks("@@ class Loader", "-        return text", "+        return None", dialect="codex"),
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
    "already-applied-and-changed": hunks(
        "@@",
        "     def read(self, path):",
        "-        with path.open() as file:",
        "+        check(path)",
        "+        with open(path) as file:",
        "+            text = file.read().strip()",
        "         return text",
    ),
    "applied-in-its-block": hunks(
        "@@ class Loader:", '-        with open(path, "w") as file:', "+        with open(path) as file:"
    ),
    "context-absent": hunks(
        "@@",
        "-import os",
        "+import sys",
        "@@",
        "     def write(self, path, text):",
        "         lock(path, text)",
    ),
    "other-heading": Case(
        f"--- a/{PATH}\n+++ b/{PATH}\n@@ -4,2 +4,2 @@ class Loader:\n"
        "             file.write(text)\n-        return text\n+        return None\n",
        APP,
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
