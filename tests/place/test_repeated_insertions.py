"""Lines that are there already, next to where they would come in, are not written a second time."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, replace, update

MODULES = "mod anchors;\nmod config;\nmod extension;\n"


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(MODULES, ("+mod config;", " mod extension;"), id="one line above"),
        pytest.param(MODULES, (" mod anchors;", "+mod config;"), id="one line below"),
        pytest.param(
            "int poll(void);\n\nint keep_alive(int interval);\n\n#ifndef COMPAT\n",
            (" ", "+int keep_alive(int interval);", "+", " #ifndef COMPAT"),
            id="between lines that touch, one of them blank",
        ),
        pytest.param(
            "- node: 10\n  env: nightly\n- node: 11\n  env: nightly\nend: 1\n",
            (" - node: 10", "+  env: nightly", "+- node: 11", "   env: nightly"),
            id="around the place",
        ),
        pytest.param(
            "def f(x):\n    if x is None:\n        return 0\n    return g(x)\n",
            (" def f(x):", "+    if x is None:", "+        return 0"),
            id="a guard above an equal guard",
        ),
        pytest.param(
            "def f(x):\n    if x.ready:\n        launch(x)\n",
            ("-    launch(x)", "+    if x.ready:", "+        launch(x)"),
            id="an if around the same if",
        ),
    ],
)
def test_it_is_refused_as_applied_already(content: str, lines: tuple[str, ...]) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(content, [Hunk(lines)])
    assert [problem.details["reason"] for problem in raised.value.problems] == ["already_applied"]
    old = "\n".join(line[1:] for line in lines if line[0] != "+")
    new = "\n".join(line[1:] for line in lines if line[0] != "-")
    if all(line[0] != "-" for line in lines):
        with pytest.raises(PatchRejectedError) as raised:
            replace(content, old + "\n", new + "\n")
        assert [problem.details["reason"] for problem in raised.value.problems] == ["already_applied"]


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            "start\nrow = 1\nstop\n",
            (" row = 1", "+row = 1", " stop"),
            "start\nrow = 1\nrow = 1\nstop\n",
            id="the hunk's own line",
        ),
        pytest.param(
            "a {\n  x\n}\n",
            ("   x", "+}", "+b {", "+  y", " }"),
            "a {\n  x\n}\nb {\n  y\n}\n",
            id="only a bracket is there",
        ),
        pytest.param("use a;\nuse b;\n", (" use a;", "+use c;", " use b;"), "use a;\nuse c;\nuse b;\n", id="others"),
    ],
)
def test_what_is_not_there_comes_in(content: str, lines: tuple[str, ...], after: str) -> None:
    assert update(content, [Hunk(lines)]).text == after


def test_lines_that_move_into_a_new_block_are_not_there_already() -> None:
    """Old is one level too shallow, so a line of it equals another line of new: no line of new is a second copy."""
    inside = ["await write(file);", "if (loud) {", "\tconst log = make(1);", "\tlog.info(`Saved ${file}`);", "}"]
    handler = ["} catch (error) {", "\tconst log = make(1);", "\tlog.error(error);", "}"]
    old = "\n\t".join(("if (debug) {", *inside)) + "\n}"
    new = "\n\t".join(("if (debug) {", "try {", *("\t" + line for line in inside), *handler)) + "\n}"
    content = "".join(f"\t{line}\n" for line in ("start();", *old.split("\n"), "end();"))
    wanted = "".join(f"\t{line}\n" for line in ("start();", *new.split("\n"), "end();"))
    assert replace(content, old, new).text == wanted


@pytest.mark.parametrize("path", ["", "f.py"])
def test_a_guard_that_comes_with_a_replaced_line_is_written_where_the_line_is_exact_and_unique(path: str) -> None:
    """SPEC §14: "never refused as applied unless all of its new text is at that very place"."""
    hunk = Hunk(("-    return a.value", "+    check(a)", "+    return a.other"))
    text = "def f(a):\n    check(a)\n    return a.value\n"
    assert update(text, [hunk], path=path).text == "def f(a):\n    check(a)\n    check(a)\n    return a.other\n"
    with pytest.raises(PatchRejectedError):
        update(text.replace("value", "other"), [hunk], path=path)
