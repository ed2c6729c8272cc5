"""Properties of reading and rendering a patch text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, example, given, strategies as st
from tests.property.strategies import DIALECT_NAMES, attempt, each_dialect, examples, patch_texts, patches

from suture import Patch, PatchInvalidError, SutureError, parse, render
from suture.format import PatchParser

ALL_KINDS = """*** Begin Patch
*** Environment ID: one
*** Add File: a.txt
+one
+
*** Update File: `./b.txt`
*** Move to: c.txt
@@ class A
@@ -1,3 +1,4 @@ def m(self):
 context

-old
+new
*** End of File
***delete file: d.txt
*** Move File: e.txt -> f.txt
*** End Patch
"""


def outcome(pieces: list[str], dialect: str) -> tuple[object, ...]:
    """All that can be seen of a parse: the whole value with its concessions and lines, or all problems."""
    parser = PatchParser(dialect)
    for piece in pieces:
        parser.feed(piece)
    try:
        patch = parser.close()
    except PatchInvalidError as invalid:
        return tuple((problem, problem.details) for problem in invalid.problems)
    # The repr shows what equality passes over: concessions, and where things stand in the text.
    return patch, repr(patch)


@examples(400)
@given(patch_texts, st.lists(st.integers(0, 400), max_size=12), each_dialect)
@example(ALL_KINDS, list(range(400)), "standard")
@example(ALL_KINDS.replace("\n", "\r\n"), list(range(0, 400, 3)), "standard")
@example("***begin patch\n*** Delete File: a\r\n*** End Patch\n", [16], "standard")
def test_any_cut_of_the_stream_parses_alike(text: str, cuts: list[int], dialect: str) -> None:
    """SPEC §3: "However a text is cut into pieces, the result is the same." """
    marks = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(marks)]
    assert outcome(pieces, dialect) == outcome([text], dialect)
    assert outcome(list(text), dialect) == outcome([text], dialect)


@given(patch_texts, each_dialect)
@example(ALL_KINDS, "standard")
def test_the_operations_known_so_far_only_grow(text: str, dialect: str) -> None:
    """SPEC §3: "tells, at any point, the operations known so far, for live previews."

    Of the operations that were known, all but the last are as they were; the last one may still grow.
    """
    parser = PatchParser(dialect)
    known = parser.operations
    for character in text:
        parser.feed(character)
        now = parser.operations
        assert len(now) >= len(known)
        assert now[: len(known) - 1] == known[:-1]
        assert [type(operation) for operation in now[: len(known)]] == [type(operation) for operation in known]
        assert [operation.path for operation in now[: len(known)]] == [operation.path for operation in known]
        known = now
    try:
        patch = parser.close()
    except PatchInvalidError:
        return
    assert len(patch.operations) >= len(known)
    assert patch.operations[: len(known) - 1] == known[:-1]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_render_and_parse_are_inverse(dialect: str) -> None:
    """Issue 2: "`render(parse(x))` parses to the same Patch." """

    @examples(300)
    @given(patches(dialect))
    def holds(patch: Patch) -> None:
        assert parse(render(patch, dialect), dialect) == patch

    holds()


@examples(400)
@given(patch_texts, each_dialect)
@example(ALL_KINDS, "standard")
@example("*** Begin Patch\n*** Delete File: ./`c.txt`\n*** End Patch", "standard")
@example("*** Begin Patch\n*** Update File: a\n@@ foo\n@@ -3 +3 @@ bar\n-a\n*** End Patch\n", "standard")
def test_what_was_read_can_be_rendered_and_read_again(text: str, dialect: str) -> None:
    """Issue 2: "`render(parse(x))` parses to the same Patch." """
    try:
        patch = parse(text, dialect)
    except PatchInvalidError:
        return
    assert parse(render(patch, dialect), dialect) == patch


@examples(300)
@given(patches("standard"), each_dialect)
def test_a_dialect_that_cannot_say_a_patch_refuses_to_render_it(patch: Patch, dialect: str) -> None:
    """`render`: "ValueError: the dialect has no way to say it". Never an envelope that means something else."""
    try:
        text = render(patch, dialect)
    except ValueError:
        return
    assert parse(text, dialect) == patch


@examples(400)
@given(st.one_of(patch_texts, st.text()), each_dialect)
@example("\ud800", "standard")
@example("*** Begin Patch\n*** Delete File: \udcff\n*** End Patch", "standard")
def test_no_text_raises_anything_but_our_exceptions(text: str, dialect: str) -> None:
    """SPEC §12: "No input hangs or crashes it." """
    patch = attempt(lambda: parse(text, dialect))
    if isinstance(patch, SutureError):
        assert isinstance(patch, PatchInvalidError)
        assert patch.problems
        assert {problem.code for problem in patch.problems} == {"patch_parse_error"}
        assert all(problem.message for problem in patch.problems)
    else:
        assert patch.operations


@given(patch_texts)
def test_a_text_that_standard_reads_without_concessions_is_read_alike_by_all_who_can(text: str) -> None:
    """SPEC §2: "One grammar and one engine". Concessions are all that `standard` reads beyond the grammar."""
    try:
        patch = parse(text)
    except PatchInvalidError:
        return
    if patch.concessions:
        return
    try:
        again = parse(text, "codex")
    except PatchInvalidError:
        # Codex has no Move File header and no marker for a missing newline.
        assert "*** Move File:" in text or "\\ No newline" in text
    else:
        assert again == patch


@given(patches(), st.integers(1, 200))
def test_an_envelope_that_never_closes_is_an_error(patch: Patch, cut: int) -> None:
    """SPEC §3: "An envelope that never closes is an error at the end, never a patch: it may have been cut off." """
    text = render(patch)
    text = text[: max(1, len(text) - cut - len("End Patch\n"))]
    # The one exception: the text's last line that is not blank may be a padded end.
    assume(text.rstrip().split("\n")[-1].strip() != "*** End Patch")
    with pytest.raises(PatchInvalidError):
        parse(text)
