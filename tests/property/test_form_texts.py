"""What is written in a form is read back as the same change, without a concession; and files tell the same."""

from __future__ import annotations

import string

from hypothesis import assume, given, settings, strategies as st

from suture import AddFile, DeleteFile, EditFile, Hunk, Patch, StringEdit, UpdateFile, WriteFile, apply_in_memory, parse
from suture.format import PatchParser
from suture.format.search_replace import hunk_lines
from suture.place.compare_trees import compare_trees
from suture.words.conversion import convert

NAMES = st.sampled_from(["app.py", "src/list.ts", "docs/read me.md", "Makefile", "a/b.c", "ä.txt"])
LINES = st.text(st.sampled_from(string.ascii_lowercase + " =<>-+@*#{}[]\"'\\`.:_"), max_size=12).filter(
    lambda line: line == line.rstrip()
)
TEXTS = st.lists(LINES, min_size=1, max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


@st.composite
def hunks(draw: st.DrawFn) -> Hunk:
    old = draw(st.lists(LINES, min_size=1, max_size=5))
    new = draw(st.lists(LINES, max_size=5))
    assume(old != new and any(map(str.strip, old)))
    return Hunk(tuple(hunk_lines(old, new)), line_hint=draw(st.integers(1, 90)))


UPDATES = st.builds(lambda path, hunk: UpdateFile(path, (hunk,)), NAMES, hunks())
EDITS = st.builds(StringEdit, TEXTS, TEXTS, st.booleans()).map(lambda edit: (edit,))
OTHERS = st.one_of(
    st.builds(AddFile, NAMES, TEXTS),
    st.builds(DeleteFile, NAMES),
    st.builds(EditFile, NAMES, EDITS),
    st.builds(WriteFile, NAMES, TEXTS),
    st.builds(lambda path: UpdateFile(path, (), "moved/" + path), NAMES),
)
PATCHES = st.lists(st.one_of(UPDATES, OTHERS), min_size=1, max_size=4, unique_by=lambda one: one.path).map(
    lambda operations: Patch(tuple(operations))
)


#: What blocks can express: lines that are no marker, a file with content, no file that goes.
BLOCKS = st.lists(
    st.one_of(UPDATES, st.builds(AddFile, NAMES, TEXTS)), min_size=1, max_size=4, unique_by=lambda one: one.path
).map(lambda operations: Patch(tuple(operations)))


def written(patch: Patch, form: str) -> str:
    """The patch in a form; examples that the form can't express are left out."""
    try:
        return convert(patch, form, is_checked=True)
    except ValueError:
        assume(False)
        raise


def changes_of(patch: Patch, *, numbers: bool = False) -> list[object]:
    """A patch without the numbers that not all forms have."""
    return [
        one.replace(hunks=tuple([hunk.replace(line_hint=hunk.line_hint if numbers else None) for hunk in one.hunks]))
        if isinstance(one, UpdateFile)
        else one
        for one in patch.operations
    ]


@given(PATCHES)
def test_an_envelope_is_read_back_in_every_program(patch: Patch) -> None:
    text = written(patch, "envelope")
    for dialect in ("standard", "codex", "opencode"):
        again = parse(text, dialect)
        assert again.concessions == ()
        if dialect != "opencode" or not any(isinstance(one, AddFile) for one in patch.operations):
            assert changes_of(again) == changes_of(patch)


@given(st.lists(UPDATES, min_size=1, max_size=4, unique_by=lambda one: one.path).map(lambda all_: Patch(tuple(all_))))
def test_a_diff_is_read_back_with_its_numbers(patch: Patch) -> None:
    again = parse(written(patch, "unified"))
    assert (changes_of(again, numbers=True), again.concessions) == (changes_of(patch, numbers=True), ())


@given(BLOCKS)
def test_blocks_are_read_back(patch: Patch) -> None:
    text = written(patch, "search-replace")
    again = parse(text)
    assert (changes_of(again), again.concessions) == (changes_of(patch), ())


def as_edit(hunk: Hunk) -> StringEdit:
    """A hunk as a string edit: its lines without the last newline, unless a line becomes empty."""
    end = "\n" if hunk.new == [""] else ""
    return StringEdit("\n".join(hunk.old) + end, "\n".join(hunk.new) + end)


@given(PATCHES)
def test_calls_are_read_back(patch: Patch) -> None:
    again = parse(written(patch, "json"))
    as_edits = [
        EditFile(one.path, tuple([as_edit(hunk) for hunk in one.hunks]))
        if isinstance(one, UpdateFile) and one.hunks
        else one
        for one in patch.operations
    ]
    assert (list(again.operations), again.concessions) == (as_edits, ())


@settings(max_examples=60)
@given(st.sampled_from(["envelope", "search-replace", "json", "unified"]), TEXTS, TEXTS)
def test_every_form_of_a_change_does_the_same(form: str, before: str, after: str) -> None:
    assume(before != after)
    try:
        patch = compare_trees({"a.txt": before.encode()}, {"a.txt": after.encode()}, "standard")
    except Exception:  # noqa: BLE001 - two texts that no patch can tell apart
        assume(False)
    text = written(patch, form)
    try:
        result = apply_in_memory(parse(text, form=form), {"a.txt": before}, allow_placeholders=True).texts["a.txt"]
    except Exception:  # noqa: BLE001 - a refusal is no wrong place
        return
    assert result == after


@given(st.text(st.sampled_from('ab \n-+@=<>*{}[]"`:.\\'), max_size=200), st.integers(1, 40))
def test_however_a_text_is_cut_it_is_read_the_same(noise: str, size: int) -> None:
    text = f"a.py\n<<<<<<< SEARCH\nx\n=======\n{noise}\n>>>>>>> REPLACE\n{noise}\n--- a/b\n+++ b/b\n@@\n-x\n{noise}"
    results: list[tuple[object, object]] = []
    for step in (size, len(text)):
        parser = PatchParser()
        for start in range(0, len(text), step):
            parser.feed(text[start : start + step])
        try:
            patch = parser.close()
            results.append((patch, patch.concessions))
        except Exception as error:  # noqa: BLE001 - the same error, whichever it is
            results.append((str(error), ()))
    assert results[0] == results[1]
