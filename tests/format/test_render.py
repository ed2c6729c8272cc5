"""A Patch as an envelope again."""

from __future__ import annotations

import pytest

from suture import AddFile, DeleteFile, Hunk, Patch, UpdateFile, parse, render

PATCH = Patch(
    (
        AddFile("new.txt", "one\n\n  two\n"),
        AddFile("empty.txt"),
        DeleteFile("old file.txt"),
        UpdateFile("a.py", (Hunk((" a", "-b", "+c"), ("class A", "def f():")), Hunk(("-z",), at_end=True)), "b.py"),
        UpdateFile("c.py", (), "d.py"),
    )
)
TEXT = """\
*** Begin Patch
*** Add File: new.txt
+one
+
+  two
*** Add File: empty.txt
*** Delete File: old file.txt
*** Update File: a.py
*** Move to: b.py
@@ class A
@@ def f():
 a
-b
+c
@@
-z
*** End of File
*** Update File: c.py
*** Move to: d.py
*** End Patch
"""


def rendered(*operations: AddFile | DeleteFile | UpdateFile, dialect: str = "standard") -> list[str]:
    """The lines between the markers of the envelope."""
    lines = render(Patch(operations), dialect).split("\n")
    assert (lines[0], lines[-2:]) == ("*** Begin Patch", ["*** End Patch", ""])
    return lines[1:-2]


def test_a_patch_is_rendered_as_a_careful_model_would_write_it() -> None:
    assert render(PATCH) == TEXT
    assert parse(TEXT) == PATCH


def test_what_was_read_leniently_is_rendered_strictly() -> None:
    patch = parse(f"Here:\n```\n{TEXT.replace('*** Add', '***add')}```\n")
    assert patch.concessions
    assert render(patch) == TEXT


def test_strict_says_a_move_in_one_line() -> None:
    moved = UpdateFile("a", (Hunk(("-b",)),), "c")
    assert rendered(moved, dialect="strict") == ["*** Move File: a -> c", "@@", "-b"]


def test_an_environment_is_rendered() -> None:
    patch = Patch((DeleteFile("a"),), "box 7")
    assert render(patch) == "*** Begin Patch\n*** Environment ID: box 7\n*** Delete File: a\n*** End Patch\n"


@pytest.mark.parametrize(
    ("hunk", "header"),
    [
        (Hunk(("-a",)), ["@@"]),
        (Hunk(("-a",), ("f",)), ["@@ f"]),
        (Hunk(("-a",), ("  f", "g")), ["@@   f", "@@ g"]),
        (Hunk(("-a",), line_hint=3), ["@@ -3 +3 @@"]),
        (Hunk(("-a",), ("f", "g"), line_hint=3), ["@@ -3 +3 @@ f", "@@ g"]),
    ],
)
def test_anchors_and_hints_are_rendered(hunk: Hunk, header: list[str]) -> None:
    assert rendered(UpdateFile("x", (hunk,))) == ["*** Update File: x", *header, "-a"]


MARK = "\\ No newline at end of file"


@pytest.mark.parametrize(
    ("hunk", "lines"),
    [
        (Hunk(("-a", "+b"), no_newline="old"), ["-a", MARK, "+b"]),
        (Hunk(("-a", "+b"), no_newline="new"), ["-a", "+b", MARK]),
        (Hunk(("-a", "+b"), no_newline="both"), ["-a", MARK, "+b", MARK]),
        (Hunk(("-a", " b"), no_newline="both"), ["-a", " b", MARK]),
    ],
)
@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_a_missing_newline_is_rendered_below_the_last_line_of_its_side(
    hunk: Hunk, lines: list[str], dialect: str
) -> None:
    assert rendered(UpdateFile("x", (hunk,)), dialect=dialect)[2:] == lines


@pytest.mark.parametrize(
    ("dialect", "content", "lines"),
    [
        ("standard", "x\n", ["+x"]),
        ("standard", "x\n\n", ["+x", "+"]),
        ("standard", "x", ["+x", MARK]),
        ("standard", "\n", ["+"]),
        ("codex", "x\n", ["+x"]),
        ("opencode", "x", ["+x"]),
        ("opencode", "x\n", ["+x", "+"]),
        ("strict", "x\n", ["+x"]),
        ("strict", "x", ["+x", MARK]),
    ],
)
def test_the_end_of_an_added_file_is_said_in_the_words_of_the_dialect(
    dialect: str, content: str, lines: list[str]
) -> None:
    assert rendered(AddFile("a", content), dialect=dialect)[1:] == lines
    assert parse(render(Patch((AddFile("a", content),)), dialect), dialect) == Patch((AddFile("a", content),))


@pytest.mark.parametrize("content", ["x\n\n", "x\n\n\n", "\n", "\n\n", "x"])
@pytest.mark.parametrize("dialect", ["standard", "opencode", "strict"])
def test_blank_lines_at_the_end_of_an_added_file_survive(content: str, dialect: str) -> None:
    patch = Patch((AddFile("a", content),))
    try:
        text = render(patch, dialect)
    except ValueError:
        return
    assert parse(text, dialect) == patch


@pytest.mark.parametrize(
    ("patch", "dialect"),
    [
        (Patch((DeleteFile("a\nb"),)), "standard"),
        (Patch((UpdateFile("a", (Hunk(("-a\nb",)),)),)), "standard"),
        (Patch((UpdateFile("a", (Hunk(("-a",), ("b\nc",)),)),)), "standard"),
        (Patch((UpdateFile("a", (Hunk(("-a\r",)),)),)), "standard"),
        (Patch((AddFile("a", "x"),)), "codex"),
        (Patch((DeleteFile("a"),), "box"), "strict"),
        (Patch((UpdateFile("a", (Hunk(("-a",), line_hint=3),)),)), "codex"),
        (Patch((UpdateFile("a", (Hunk(("-a", "+b"), no_newline="old"),)),)), "codex"),
        (Patch((UpdateFile("a", (Hunk(("-a",), at_end=True),)),)), "strict"),
        (Patch((UpdateFile("a", (Hunk(("-a",), ("f", "g")),)),)), "strict"),
        (Patch((UpdateFile("a -> b", (), "c"),)), "strict"),
        (Patch((DeleteFile(" a"),)), "standard"),
        (Patch((DeleteFile(""),)), "standard"),
        (Patch(()), "standard"),
        (Patch((UpdateFile("a"),)), "standard"),
        (Patch((UpdateFile("a", (Hunk(()),)),)), "standard"),
        (Patch((UpdateFile("a", (Hunk(("a",)),)),)), "strict"),
        (Patch((UpdateFile("a", (Hunk(("",)),)),)), "strict"),
        (Patch((UpdateFile("a", (Hunk(("-a",), ("b  ",)),)),)), "standard"),
    ],
)
def test_what_a_dialect_cannot_say_is_a_value_error(patch: Patch, dialect: str) -> None:
    """Never an envelope that means something else."""
    with pytest.raises(ValueError, match=r".+"):
        render(patch, dialect)


@pytest.mark.parametrize("path", ["'a'", '"a"', "`a`", "./a", "././.env"])
def test_a_path_that_would_be_read_otherwise_is_quoted_or_refused(path: str) -> None:
    patch = Patch((DeleteFile(path),))
    try:
        text = render(patch)
    except ValueError:
        return
    assert parse(text) == patch


@pytest.mark.parametrize("anchor", ["x @@", "x @@ @@", "-1,2 +1,2 @@ f", "-1 +1"])
def test_an_anchor_that_would_be_read_otherwise_is_written_otherwise_or_refused(anchor: str) -> None:
    patch = Patch((UpdateFile("a", (Hunk(("-a",), (anchor,)),)),))
    try:
        text = render(patch)
    except ValueError:
        return
    assert parse(text) == patch
