"""An envelope that is read while it arrives."""

from __future__ import annotations

import pytest

from suture import AddFile, DeleteFile, Hunk, Patch, PatchInvalidError, UpdateFile, parse
from suture.format import PatchParser


def test_a_stream_beyond_the_limit_keeps_nothing_more() -> None:
    parser = PatchParser(max_size=40)
    parser.feed("*** Begin Patch\n*** Delete File: a\n")
    for _ in range(10):
        parser.feed("*** Delete File: b\n")
    assert parser.operations == (DeleteFile("a"),)
    with pytest.raises(PatchInvalidError) as raised:
        parser.close()
    assert len(raised.value.problems) == 1


def test_the_operations_known_so_far_can_be_looked_at_while_the_text_arrives() -> None:
    parser = PatchParser()
    seen = []
    for piece in (
        "Here you are:\n*** Begin Pat",
        "ch\n*** Add File: a\n+o",
        "ne\n+two",
        "\n*** Update File: b\n@@ f\n",
        "-x\n+y\n@@\n-z\n",
        "*** Delete File: c\n",
        "*** End Patch\n",
    ):
        parser.feed(piece)
        seen.append(parser.operations)
    one = Hunk(("-x", "+y"), ("f",))
    two = Hunk(("-z",))
    assert seen == [
        (),
        (AddFile("a", ""),),
        (AddFile("a", "one\n"),),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b")),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two))),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two)), DeleteFile("c")),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two)), DeleteFile("c")),
    ]
    assert parser.close() == Patch(seen[-1])


def test_the_file_lines_of_a_unified_diff_are_not_shown_in_a_preview() -> None:
    """SPEC §3: "the operations known so far, for live previews": what the patch never says is not shown."""
    parser = PatchParser()
    parser.feed("*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n")
    assert parser.operations == (UpdateFile("a"),)


def test_feeding_nothing_changes_nothing() -> None:
    parser = PatchParser()
    for piece in ("", "*** Begin Patch", "", "\n*** Delete File: a\n", "", "*** End Patch", ""):
        parser.feed(piece)
    assert parser.close() == Patch((DeleteFile("a"),))


@pytest.mark.parametrize("rest", ["\n", "ed by me\n", "\n*** Begin Patch\n"])
@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_an_end_marker_without_its_newline_may_go_on(dialect: str, rest: str) -> None:
    """A first piece that could be a whole patch is read like any other."""
    whole = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"
    outcomes: list[object] = []
    for pieces in ([whole + rest], [whole, rest], list(whole + rest)):
        parser = PatchParser(dialect)
        try:
            for piece in pieces:
                parser.feed(piece)
            outcomes.append(parser.close())
        except PatchInvalidError as invalid:
            outcomes.append(invalid.problems)
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_whitespace_behind_an_anchor_is_no_part_of_it_however_the_text_arrives() -> None:
    text = "*** Begin Patch\n*** Update File: a\n@@ def f():\u2028\n-x\n+y\n*** End Patch\n"
    parser = PatchParser()
    for character in text:
        parser.feed(character)
    assert parse(text) == parser.close() == Patch((UpdateFile("a", (Hunk(("-x", "+y"), ("def f():",)),)),))


@pytest.mark.parametrize(
    "begin", ["*** Begin Patch", "*** Begin Patch```", "*** Begin Patch x", "*** begin patch", " *** Begin Patch"]
)
@pytest.mark.parametrize(
    "end", ["*** End Patch", "*** End Patch x", "*** end patch", "*** End Patch***", " *** End Patch"]
)
@pytest.mark.parametrize(
    "other",
    [
        "--- a/q\n+++ b/q\n@@ -1 +1 @@\n-x\n+y",
        "```diff\n@@\n-x\n+y\n```",
        "q.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
    ],
)
def test_a_marker_that_is_not_quite_one_means_the_same_in_pieces_and_at_once(begin: str, end: str, other: str) -> None:
    def read(text: str, step: int) -> object:
        parser = PatchParser()
        for start in range(0, len(text), step):
            parser.feed(text[start : start + step])
        try:
            return parser.close() if step < len(text) else parse(text)
        except PatchInvalidError as invalid:
            return invalid.problems

    for lines in ((begin, other, end), (begin, "*** Update File: a", "@@", "-x", "+y", end, other, "*** End Patch")):
        text = "\n".join(lines)
        assert read(text, 7) == read(text, len(text)), text
