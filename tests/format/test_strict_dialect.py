"""The dialect `strict` from end to end: every sentence of the envelope it comes from, with its kinds of errors."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, envelope, updated

from suture import PartlyAppliedError, PatchInvalidError, PatchRejectedError

if TYPE_CHECKING:
    from suture import Problem


@pytest.fixture(params=["disk", "memory"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    return Site(request.param, tmp_path, dialect="strict")


def refused(site: Site, *lines: str, **settings: object) -> Problem:
    """The one problem of a patch that changes nothing."""
    before = site.tree()
    with pytest.raises(PatchRejectedError) as raised:
        site.apply(*lines, **settings)
    assert site.tree() == before
    (problem,) = raised.value.problems
    return problem


FULL = """\
*** Begin Patch
*** Add File: src/utils/clamp.ts
+export const clamp = (n: number, lo: number, hi: number): number =>
+ Math.min(Math.max(n, lo), hi);
*** Update File: src/index.ts
@@
 import { foo } from "./foo";
+import { clamp } from "./utils/clamp";
 export { foo };
+export { clamp };
*** Delete File: src/legacy.ts
*** End Patch
"""


def test_the_full_example_is_applied(site: Site) -> None:
    site.put("src/utils/x.ts", "x\n").put("src/legacy.ts", "old\n")
    site.put("src/index.ts", 'import { foo } from "./foo";\nexport { foo };\n')
    receipt = site.workspace.apply(FULL)
    assert site.tree() == {
        "src/": "",
        "src/index.ts": 'import { foo } from "./foo";\nimport { clamp } from "./utils/clamp";\n'
        "export { foo };\nexport { clamp };\n",
        "src/utils/": "",
        "src/utils/clamp.ts": "export const clamp = (n: number, lo: number, hi: number): number =>\n"
        " Math.min(Math.max(n, lo), hi);\n",
        "src/utils/x.ts": "x\n",
    }
    assert receipt.atomic
    assert (receipt.added, receipt.modified, receipt.deleted) == (
        ("src/utils/clamp.ts",),
        ("src/index.ts",),
        ("src/legacy.ts",),
    )


@pytest.mark.parametrize("text", [f"Here it is:\n{FULL}", f"{FULL}Done.\n", FULL.replace("*** End Patch\n", "")])
def test_text_around_the_envelope_is_a_parse_error(site: Site, text: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        site.workspace.apply(text)
    assert {problem.code for problem in raised.value.problems} == {"patch_parse_error"}


@pytest.mark.parametrize(
    ("path", "code"),
    [("../out.txt", "outside_workspace"), ("/etc/out.txt", "command_failed"), ("missing/new.txt", "not_found")],
)
def test_a_path_is_relative_inside_and_in_a_folder_that_is_there(site: Site, path: str, code: str) -> None:
    assert refused(site, f"*** Add File: {path}", "+x").code == code


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (("+first", "+second", "+", "+fourth"), "first\nsecond\n\nfourth\n"),
        (("+first", "+"), "first\n"),
        (("+first", "\\ No newline at end of file"), "first"),
        ((), ""),
    ],
)
def test_an_added_file_ends_in_a_newline_if_and_only_if_its_last_line_is_not_empty(
    site: Site, body: tuple[str, ...], content: str
) -> None:
    site.apply("*** Add File: new.txt", *body)
    assert site.tree() == {"new.txt": content}


def test_an_add_of_a_file_that_exists_is_already_exists(site: Site) -> None:
    site.put("a", "a\n")
    assert refused(site, "*** Add File: a", "+x").code == "already_exists"


def test_the_text_behind_the_header_of_a_hunk_is_information_only(site: Site) -> None:
    site.put("a", "one\ntwo\n")
    site.apply("*** Update File: a", "@@ no such function, line 99", "-two", "+2")
    assert site.tree() == {"a": "one\n2\n"}


def test_a_hunk_that_is_not_there_is_context_not_found(site: Site) -> None:
    site.put("a", "one\ntwo\n")
    problem = refused(site, "*** Update File: a", "@@", "-one", "+1", "@@", "-two ", "+2")
    assert (problem.code, problem.path) == ("patch_apply_error", "a")
    assert {name: problem.details[name] for name in ("path", "hunkIndex", "reason")} == {
        "path": "a",
        "hunkIndex": 1,
        "reason": "context_not_found",
    }


def test_a_hunk_that_is_there_twice_is_multiple_matches(site: Site) -> None:
    site.put("a", "one\ntwo\none\n")
    assert refused(site, *updated("a", "one", "1")).code == "multiple_matches"


def test_a_hunk_is_held_against_what_the_hunks_before_it_have_left(site: Site) -> None:
    site.put("a", "one\ntwo\none\n")
    site.apply("*** Update File: a", "@@", " two", "-one", "+three", "@@", "-one", "+1")
    assert site.tree() == {"a": "1\ntwo\nthree\n"}


def test_hunks_that_overlap_are_overlapping_edits(site: Site) -> None:
    site.put("a", "one\ntwo\n")
    problem = refused(site, "*** Update File: a", "@@", "-one", "+1", "@@", "-1", "+first")
    assert problem.code == "overlapping_edits"


def test_a_deleted_file_is_in_the_trash(site: Site) -> None:
    site.put("a", "a\n")
    receipt = site.apply("*** Delete File: a")
    assert site.tree() == {}
    if site.where == "disk":
        assert Path(receipt.files[0].trash).read_text() == "a\n"
    assert refused(site, "*** Delete File: a").code == "not_found"


def test_a_file_is_moved_with_and_without_hunks(site: Site) -> None:
    site.put("old/a.ts", 'export const NAME = "old-name";\n').put("old/b.ts", "b\n").put("new/x", "x\n")
    receipt = site.apply(
        "*** Move File: old/a.ts -> new/a.ts",
        "@@",
        '-export const NAME = "old-name";',
        '+export const NAME = "new-name";',
        "*** Move File: old/b.ts -> new/b.ts",
    )
    assert receipt.moved == (("old/a.ts", "new/a.ts"), ("old/b.ts", "new/b.ts"))
    assert site.tree() == {
        "new/": "",
        "new/a.ts": 'export const NAME = "new-name";\n',
        "new/b.ts": "b\n",
        "new/x": "x\n",
        "old/": "",
    }


def test_a_move_onto_itself_or_onto_another_file_is_refused(site: Site) -> None:
    site.put("a", "a\n").put("b", "b\n")
    assert refused(site, "*** Move File: a -> a").code == "command_failed"
    assert refused(site, "*** Move File: a -> b").code == "already_exists"


def test_the_same_file_twice_is_a_duplicate_path(site: Site) -> None:
    site.put("a", "one\ntwo\n")
    problem = refused(site, *updated("a", "one", "1"), *updated("./a", "two", "2"))
    assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "duplicate_path")
    assert refused(site, "*** Add File: n", "+n", "*** Move File: a -> n").details["reason"] == "duplicate_path"


@pytest.mark.parametrize(
    ("expected", "stale"),
    [
        ({}, ""),
        ({"a": sha256(b"one\n").hexdigest(), "new": ""}, ""),
        ({"a": sha256(b"two\n").hexdigest()}, "a"),
        ({"new": sha256(b"x").hexdigest()}, "new"),
        ({"a": ""}, "a"),
    ],
)
def test_an_expected_hash_that_is_another_is_stale(site: Site, expected: dict[str, str], stale: str) -> None:
    site.put("a", "one\n")
    lines = (*updated("a", "one", "two"), "*** Add File: new", "+x")
    if stale:
        problem = refused(site, *lines, expected_sha256=expected)
        assert (problem.code, problem.details["path"]) == ("stale_file", stale)
    else:
        assert site.apply(*lines, expected_sha256=expected).atomic


def test_a_section_that_fails_keeps_all_from_being_written(site: Site) -> None:
    site.put("a", "one\n")
    assert refused(site, "*** Add File: new", "+x", *updated("a", "lost", "x")).code == "patch_apply_error"


def test_without_atomicity_what_stands_before_the_failure_is_done(site: Site) -> None:
    site.put("a", "one\n")
    lines = ("*** Add File: new", "+x", *updated("a", "lost", "x"), "*** Delete File: a")
    with pytest.raises(PartlyAppliedError) as raised:
        site.apply(*lines, atomic=False)
    assert [problem.code for problem in raised.value.problems] == ["patch_apply_error"]
    assert site.tree() == {"a": "one\n", "new": "x\n"}
    assert not raised.value.receipt.atomic  # type: ignore[attr-defined]


def test_a_file_without_a_final_newline_keeps_it_so_unless_the_patch_says_otherwise(site: Site) -> None:
    site.put("a", "one\ntwo").put("b", "one\ntwo")
    site.apply(*updated("a", "one", "1"), *updated("b", "two", "2"))
    assert site.tree() == {"a": "1\ntwo", "b": "one\n2"}


@pytest.mark.parametrize(
    "lines",
    [
        ("*** Update File: a", "-one", "+1"),
        ("*** Update File: a", "@@", "one", "-one", "+1"),
        ("*** Update File: a", "@@"),
        ("*** Update File: a", "*** Move to: b", "@@", "-one", "+1"),
        ("*** Rename File: a",),
        (),
    ],
)
def test_what_the_grammar_does_not_have_is_a_parse_error(site: Site, lines: tuple[str, ...]) -> None:
    site.put("a", "one\n")
    with pytest.raises(PatchInvalidError) as raised:
        site.workspace.apply(envelope(*lines))
    assert {problem.code for problem in raised.value.problems} == {"patch_parse_error"}
    assert site.tree() == {"a": "one\n"}
