"""The line numbers of a unified diff: where all of it is, or that all of it is applied."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, parse, update

JOB = "  {}:\n    steps:\n      - run: test\n      - run: lint\n"
JOBS = "jobs:\n" + "".join(JOB.format(name) for name in ("one", "two", "three"))
#: The second job runs something else: all of its lines are in the other jobs, too.
DIFF = """\
--- a/ci.yml
+++ b/ci.yml
@@ -7,3 +7,3 @@{}
     steps:
-      - run: test
+      - run: fast
       - run: lint
"""


def hunks(diff: str) -> tuple[Hunk, ...]:
    (operation,) = parse(diff).operations
    found: tuple[Hunk, ...] = operation.hunks  # type: ignore[union-attr]
    return found


def reasons(text: str, diff: str) -> list[object]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks(diff), path="ci.yml")
    return [problem.details.get("reason", problem.code) for problem in raised.value.problems]


def test_lines_that_are_at_their_number_go_there_whatever_else_fits() -> None:
    """SPEC §14: "all old texts exactly at their numbers → applied there, whatever else fits"."""
    done = update(JOBS, hunks(DIFF.format("")))
    assert done.text.split("\n")[7] == "      - run: fast"
    assert [concession.name for concession in done.matches[0].concessions] == ["line_hint"]
    assert done.matches[0].rivals == (3, 11)


def test_new_lines_at_their_numbers_are_applied() -> None:
    """SPEC §14: "All new texts exactly at their new numbers → already_applied." """
    once = update(JOBS, hunks(DIFF.format(""))).text
    assert reasons(once, DIFF.format("")) == ["already_applied"]


def test_new_lines_are_looked_for_behind_what_the_hunks_before_added() -> None:
    text = "a = 1\nb = 2\nc = 3\nd = 4\nb = 2\nd = 4\n"
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a = 1\n+a = 0\n b = 2\n@@ -3,2 +4,1 @@\n-c = 3\n d = 4\n"
    once = update(text, hunks(diff)).text
    assert once == "a = 1\na = 0\nb = 2\nd = 4\nb = 2\nd = 4\n"
    assert set(reasons(once, diff)) == {"already_applied"}


def test_in_a_file_that_has_changed_a_number_alone_chooses_no_block() -> None:
    """A diff of two hunks, of which the first has moved: the number of the second names another job."""
    moved = "name: ci\n" + JOBS
    diff = DIFF.format("").replace("@@ -7,3", "@@ -1,2 +1,2 @@\n-jobs:\n+work:\n   one:\n@@ -7,3")
    shifted = moved.replace("  two:\n", "  two:\n" + "    needs: one\n" * 3)
    assert reasons(shifted, diff) == ["multiple_matches"]


def test_between_two_hunks_that_moved_alike_a_number_moves_with_them() -> None:
    moved = "name: ci\n" + JOBS + "last: 1\n"
    first, last = Hunk(("-jobs:", "+work:"), line_hint=1), Hunk(("-last: 1", "+last: 2"), line_hint=14)
    middle = hunks(DIFF.format(""))[0]
    done = update(moved, [first, middle, last])
    assert done.matches[1].start == 8


@pytest.mark.parametrize(("heading", "line"), [(" class B:", 6), (" class A:", 2), (" class X:", 6), ("", 6)])
def test_a_line_of_several_is_below_the_heading_that_the_diff_names(heading: str, line: int) -> None:
    """SPEC §14: "never under another heading than the one named, where that is in the file and opens a block"."""
    text = "".join(f"class {name}:\n    def run(self):\n        return 1\n\n" for name in "ABC")
    diff = (
        f"--- a/x.py\n+++ b/x.py\n@@ -6,2 +6,2 @@{heading}\n     def run(self):\n-        return 1\n+        return 2\n"
    )
    assert update(text, hunks(diff), path="x.py").matches[0].start == line


def test_a_line_below_another_heading_is_no_place() -> None:
    text = "class A:\n    x = 0\n\nclass B:\n    def run(self):\n        return 1\n"
    diff = (
        "--- a/x.py\n+++ b/x.py\n@@ -2,2 +2,2 @@ class A:\n     def run(self):\n-        return 1\n+        return 2\n"
    )
    assert reasons(text, diff) == ["context_not_found"]


def test_less_context_below_than_above_is_at_the_end_of_the_file() -> None:
    """What `git apply` demands: lines that came in at the end since then make the diff stale."""
    text = "go()\nstop()\ngo()\nstop()\nmore()\n"
    diff = "--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@\n go()\n stop()\n+end()\n"
    assert update(text.replace("more()\n", ""), hunks(diff)).text.endswith("stop()\nend()\n")


def test_a_hunk_without_context_needs_more_than_its_number() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    alone = "--- a/x\n+++ b/x\n@@ -1,0 +2 @@\n+new = 1\n"
    assert reasons(text, alone) == ["no_context"]
    confirmed = alone + "@@ -3 +4 @@\n-c = 3\n+c = 4\n"
    assert update(text, hunks(confirmed)).text == "a = 1\nnew = 1\nb = 2\nc = 4\n"
    at_end = "--- a/x\n+++ b/x\n@@ -3,0 +4 @@\n+new = 1\n"
    assert update(text, hunks(at_end)).text == text + "new = 1\n"
