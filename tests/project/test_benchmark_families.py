"""The families of the accuracy benchmark: cases from tiny repositories, with what is right known by hand."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.accuracy import repositories, score
from benchmarks.accuracy.families import opposites
from benchmarks.accuracy.families.family import Quota
from benchmarks.accuracy.families.table import FAMILIES
from benchmarks.accuracy.line_blocks import block_end
from benchmarks.accuracy.line_parts import code_words, parts_of
from benchmarks.accuracy.peers import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.accuracy.cases import Case

ROOT = Path(__file__).parents[2]
SETTINGS = """\
class Development:
    name = "development"
    debug = True


class Production:
    name = "production"
    debug = True
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    dates = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}
    command = ["git", "-C", str(folder), *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **dates})


def repository(folder: Path, *versions: dict[str, str]) -> Path:
    """A repository with a commit for each version of some files; a file that is missing in a version is deleted."""
    folder.mkdir()
    git(folder, "init", "-q")
    for version in versions:
        for path in folder.iterdir():
            if path.is_file():
                path.unlink()
        for name, text in version.items():
            (folder / name).write_bytes(text.encode())
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x")
    return folder


def cases_of(family: str, path: Path, ways: Sequence[str] = ()) -> list[Case]:
    """The cases that a family makes from a repository."""
    return list(FAMILIES[family].make([path], 50, ways))


def by_way(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases by their ways."""
    grouped: dict[str, list[Case]] = {}
    for case in cases:
        grouped.setdefault(case.way, []).append(case)
    return grouped


def test_a_block_ends_where_the_lines_are_no_deeper() -> None:
    """Brackets and `else` belong to it; a section of Markdown ends at the next heading of its level."""
    code = ["def f(", "    a,", "):", "    if a:", "        b()", "    else:", "        c()", "", "def g():", "    d()"]
    assert block_end(code, 0, "a.py") == 7
    assert block_end(code, 3, "a.py") == 7
    prose = ["# One", "text", "## Two", "```", "# no heading", "```", "# Three", "text"]
    assert block_end(prose, 0, "a.md") == 6
    assert block_end(["[a]", "x = 1", "", "[b]", "x = 1"], 0, "a.toml") == 3


def test_a_list_names_the_repositories_of_each_set(tmp_path: Path) -> None:
    """A path may have spaces."""
    (tmp_path / "list.txt").write_text("tune /one\nreport /two words\ntune /three\n")
    assert repositories.listed(tmp_path / "list.txt", "tune") == [Path("/one"), Path("/three")]
    assert repositories.listed(tmp_path / "list.txt", "report") == [Path("/two words")]


def test_a_family_has_at_most_so_many_cases_of_each_way(tmp_path: Path) -> None:
    """The ways that are not asked for are left out."""
    path = repository(tmp_path / "r", {"a.py": SETTINGS}, {"a.py": SETTINGS.replace("True", "False", 1)})
    assert [case.way for case in Quota(1, ["line_gone"]).take(cases_of("anchors", path))] == ["line_gone"]


def test_an_anchored_hunk_is_sent_once_twice_and_after_its_line_is_gone(tmp_path: Path) -> None:
    """The line of another class is a twin; without context nothing but the anchor tells them apart."""
    path = repository(tmp_path / "r", {"a.py": SETTINGS}, {"a.py": SETTINGS.replace("True", "False", 1)})
    cases = by_way(cases_of("anchors", path))
    [placed, *_] = cases["placed_twin"]
    assert "@@ class Development:\n-    debug = True\n" in placed.shown()
    assert (placed.before, placed.after) == (SETTINGS, SETTINGS.replace("True", "False", 1))
    [twice, *_] = cases["sent_twice"]
    assert twice.before == twice.after == placed.after
    [gone, *_] = cases["line_gone"]
    assert gone.before.count("debug = True") == 1
    assert all(case.expectation == "refuse" and case.safety and not case.fits for case in (twice, gone))


def test_a_repeated_anchor_makes_a_stale_hunk_undecidable(tmp_path: Path) -> None:
    """Another block that opens with the same line has the old lines."""
    text = "class A:\n    def run(self):\n        step(1)\n\n\nclass B:\n    def run(self):\n        step(1)\n"
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": text.replace("step(1)", "step(2)", 1)})
    cases = by_way(cases_of("anchors", path))
    nested = [case for case in cases["line_gone"] if "@@ def run(self):" in case.shown()]
    assert nested
    assert all(case.fits for case in nested)
    assert {case.expectation for case in cases["placed_twin_inside"]} == {"either"}


def test_a_diff_of_a_commit_is_applied_once_and_refused_twice(tmp_path: Path) -> None:
    """The diff is git's own; the file before and after are those of the commit."""
    changed = SETTINGS.replace("True", "False", 1)
    path = repository(tmp_path / "r", {"a.py": SETTINGS}, {"a.py": changed})
    cases = by_way(cases_of("diffs", path))
    [pristine] = cases["pristine_0"]
    assert pristine.shown().endswith("@@ -3 +3 @@ class Development:\n-    debug = True\n+    debug = False\n")
    assert (pristine.before, pristine.after) == (f"=== a.py\n{SETTINGS}", f"=== a.py\n{changed}")
    [twice] = cases["twice_0"]
    assert twice.before == twice.after == pristine.after
    assert twice.expectation == "refuse"


def test_files_come_and_go_in_diffs(tmp_path: Path) -> None:
    """An empty file may get its first lines, and lose its last ones; `git apply` agrees with all of them."""
    path = repository(
        tmp_path / "r",
        {"old.py": SETTINGS, "gone.py": "gone = 1\n"},
        {"new.py": SETTINGS, "more.py": "more = 1\n", "empty.py": ""},
    )
    cases = by_way(cases_of("diffs", path, ["added", "added_empty", "deleted", "renamed", "filled", "emptied"]))
    assert len(cases) == 6
    for case in (case for of_way in cases.values() for case in of_way):
        assert score.run(case, "git apply", FAMILIES["diffs"].tools).outcome == "exact", case.shown()
    [renamed] = cases["renamed"]
    assert renamed.after == f"=== new.py\n{SETTINGS}"


def test_a_diff_for_another_version_of_a_file_expects_the_merge(tmp_path: Path) -> None:
    """Where the newer version has the change already, a refusal is right."""
    first = "".join(f"line {number}\n" for number in range(30))
    second, third = first.replace("line 25\n", "five\n"), first.replace("line 25\n", "five\n").replace("line 3\n", "")
    path = repository(tmp_path / "r", {"a.txt": first}, {"a.txt": second}, {"a.txt": third})
    cases = by_way(cases_of("diffs", path, ["older_3", "newer_3"]))
    [older] = cases["older_3"]
    assert older.before == f"=== a.txt\n{first}"
    assert older.after == "=== a.txt\n" + first.replace("line 3\n", "")
    [newer] = cases["newer_3"]
    assert newer.expectation == "refuse"
    assert newer.before == newer.after == f"=== a.txt\n{third}"


def test_a_line_has_code_strings_and_a_comment() -> None:
    """An apostrophe opens no string; of data only the key is code; prose has headings."""
    line = "it's = call('one # two', \"a \\\" b\")  # don't"
    parts = parts_of(line, "a.py")
    assert [line[string.start : string.stop] for string in parts.strings] == ["one # two", 'a \\" b']
    assert line[parts.comment :] == "# don't"
    assert [word[0] for word in code_words(line, "a.py")] == ["it", "s", "call"]
    assert [word[0] for word in code_words("  - key: some value", "a.yml")] == ["key"]
    assert [word[0] for word in code_words("## Two words", "a.md")] == ["Two", "words"]
    assert code_words("Two words", "a.md") == []


@pytest.mark.parametrize(
    ("line", "kind", "other"),
    [
        ("    lock(all)", "pair", "    unlock(all)"),
        ("    encodePath(x)", "pair", "    decodePath(x)"),
        ("    MAX_SIZE", "pair", "    MIN_SIZE"),
        ("    unset()", "prefix", "    set()"),
        ("    buttons()", "plural", "    button()"),
        ("    if ready:", "negation", "    if not ready:"),
        ("    if not ready:", "negation", "    if ready:"),
        ("    # buttons", "plural", None),
        ("    return", "plural", None),
    ],
)
def test_a_name_becomes_its_opposite(line: str, kind: str, other: str | None) -> None:
    """In comments and keywords there is none."""
    change = opposites.renamed(line, "a.py", kind, random.Random(0))
    assert (change and change[0]) == other


def test_an_edit_for_the_opposite_is_not_in_the_file(tmp_path: Path) -> None:
    """As a hunk and as a string edit, with the other name in the line that is removed, or in one that is kept."""
    text = "def lock(door):\n    door.open()\n    door.count = 1\n    return door\n"
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": text.replace("open()", "shut()")})
    cases = by_way(cases_of("opposites", path))
    assert {"pair_removed_hunk", "pair_removed_string"} <= set(cases)
    [removed] = cases["pair_removed_hunk"]
    assert "-    door.close()\n+    door.shut()" in removed.shown()
    for case in (case for of_way in cases.values() for case in of_way):
        assert case.before == case.after == text
        assert case.expectation == "refuse"


NOTES = """\
# ---------------
# What a client may ask for
limit = 10
message = "no such client is known"
retries = compute(limit)
for client in clients:
    serve(client, limit)
}
close_all(clients)
"""


@pytest.mark.parametrize(
    ("kind", "changed", "line"),
    [
        ("comment", "limit = 10", "# What a client may ask for"),
        ("rule", "limit = 10", "# ---------------"),
        ("string", "limit = 10", 'message = "no such client is known"'),
        ("blank_line", "limit = 10", None),
        ("left_out_bracket", "for client in clients", "}"),
    ],
)
def test_one_unchanged_line_of_an_edit_is_off(tmp_path: Path, kind: str, changed: str, line: str | None) -> None:
    """In a hunk and in both texts of a string edit; the file's own line stays."""
    after = NOTES.replace(changed, f"{changed}0")
    path = repository(tmp_path / "r", {"a.py": NOTES}, {"a.py": after})
    ways = [f"{kind}_hunk", f"{kind}_string"]
    cases = cases_of("one-line-off", path, ways)
    assert [case.way for case in cases] == ways
    for case in cases:
        assert (case.before, case.after) == (NOTES, after)
        assert line not in [text.strip() for text in case.shown().splitlines()]


def test_an_edit_has_one_level_of_escapes_too_little_or_too_many(tmp_path: Path) -> None:
    """The changed line keeps its escapes, and a pattern that is added stays as it is."""
    text = 'def run(name):\n    say("a \\"quoted\\" word")\n    return None\n\n\ndef stop():\n    return 1\n'
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": text.replace("return 1", "return 2")})
    cases = by_way(cases_of("escapes", path))
    [little], [often] = cases["too_little_pattern_hunk"], cases["too_often_pattern_hunk"]
    assert '-    say("a "quoted" word")\n' in little.shown()
    assert "+    PATTERN = r'^\\s*(\\d+)\\.\\w+$'\n" in little.shown()
    assert '-    say(\\"a \\\\\\"quoted\\\\\\" word\\")\n' in often.shown()
    assert "+    PATTERN = r'^\\\\s*(\\\\d+)\\\\.\\\\w+$'\n" in often.shown()
    for case in (little, often):
        assert "    PATTERN = r'^\\s*(\\d+)\\.\\w+$'\n" in case.after
        assert case.after.count('\\"') == 2
    [inside] = cases["inside_too_little_string"]
    assert '<<<<<<< old\na "quoted" word\n' in inside.shown()


def test_a_call_is_sent_twice_in_a_session(tmp_path: Path) -> None:
    """The second one finds the result of the first, a file that was mended, or one that somebody restored."""
    text = "".join(f"number_{number} = {number}\n" for number in range(20))
    changed = text.replace("_15 = 15", "_15 = 51")
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": changed})
    cases = by_way(cases_of("resent", path))
    assert set(cases) == {"again_alone", "after_failure", "after_read"}
    for case in (case for of_way in cases.values() for case in of_way):
        assert score.run(case, "suture", FAMILIES["resent"].tools).outcome == "exact", case.way


def test_a_name_is_made_longer_twice(tmp_path: Path) -> None:
    """With all of its occurrences at once, which the second call would make longer once more."""
    text = SETTINGS.replace("debug", "debugging")
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": text.replace("True", "False", 1)})
    [case] = cases_of("resent", path, ["again_all"])
    assert case.before == case.after == text.replace("debugging", "debugging_value")
    assert "oldString\ndebugging\n" in case.shown()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_program_prints_a_table_for_each_family(tmp_path: Path, family: str) -> None:
    """Every way that has cases has a row."""
    text = SETTINGS + 'NOTE = "a \\"quoted\\" word"\n'
    path = repository(tmp_path / "r", {"a.py": text}, {"a.py": text.replace("True", "False", 1)})
    command = [sys.executable, "-m", "benchmarks.accuracy", "--family", family, "--git", str(path), "--limit", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "## suture\n\n| way | cases |" in done.stdout
    for way in by_way(cases_of(family, path)):
        assert f"| {way} |" in done.stdout


def test_a_stale_file_that_stays_as_it_is_counts_as_refused(tmp_path: Path) -> None:
    """Any other text is wrong."""
    path = repository(tmp_path / "r", {"a.py": SETTINGS}, {"a.py": SETTINGS.replace("True", "False", 1)})
    [case] = cases_of("anchors", path, ["line_gone"])[:1]
    tools = {"same": lambda case: Answer(case.before.encode()), "other": lambda _: Answer(b"other")}
    assert [score.run(case, name, tools).outcome for name in tools] == ["exact", "wrong"]
