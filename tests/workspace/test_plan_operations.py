"""Plans of adds, updates, deletes and moves, alone and several on one file."""

from __future__ import annotations

import pytest
from tests.shared.sites import CREATING, OVERWRITING, REFUSING, Site, digest, updated

from suture import AddFile, Patch, UpdateFile


def move(dialect: str, path: str, to: str) -> tuple[str, ...]:
    """A move without hunks, as the dialect writes it."""
    return (
        (f"*** Move File: {path} -> {to}",)
        if dialect == "strict"
        else (f"*** Update File: {path}", f"*** Move to: {to}")
    )


# Add.


@pytest.mark.parametrize("dialect", REFUSING)
def test_an_add_onto_an_existing_file_is_refused(site: Site, dialect: str) -> None:
    site.put("a.py")
    assert site.codes("*** Add File: a.py", "+x", dialect=dialect) == ["already_exists"]


@pytest.mark.parametrize("dialect", OVERWRITING)
def test_an_add_onto_an_existing_file_replaces_it_and_keeps_its_mode(site: Site, dialect: str) -> None:
    site.put("a.sh", "old\n", mode=0o755)
    receipt = site.apply("*** Add File: a.sh", "+new", dialect=dialect)
    assert site.tree()["a.sh"].rstrip("\n") == "new"
    assert site.mode("a.sh") == 0o755
    assert receipt.changes[0].sha256_before == digest("old\n")
    site.workspace.undo(receipt)
    assert site.tree() == {"a.sh": "old\n"}


@pytest.mark.parametrize("dialect", CREATING)
def test_missing_parents_are_made(site: Site, dialect: str) -> None:
    site.apply("*** Add File: x/y/z.txt", "+z", dialect=dialect)
    assert list(site.tree()) == ["x/", "x/y/", "x/y/z.txt"]


def test_missing_parents_are_refused_in_strict(site: Site) -> None:
    site.put("a.txt", "a\n")
    assert site.codes("*** Add File: x/z.txt", "+z", dialect="strict") == ["not_found"]
    assert site.codes("*** Move File: a.txt -> x/z.txt", dialect="strict") == ["not_found"]


def test_a_file_is_no_folder_for_another(site: Site) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Add File: a/b", "+b") == ["not_a_file"]
    assert site.codes("*** Add File: new", "+x", "*** Add File: new/b", "+b") == ["not_a_file"]


@pytest.mark.parametrize("last", [("*** Add File: new", "+x"), ("*** Update File: a", "*** Move to: new")])
def test_a_folder_that_the_patch_makes_is_no_file(site: Site, last: tuple[str, ...]) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Add File: new/b", "+b", *last) == ["is_directory"]


def test_an_added_text_has_no_character_that_can_not_be_written(site: Site) -> None:
    assert site.workspace.plan(Patch((AddFile("a", "\ud800\n"),))).problems[0].code == "encoding_error"
    assert site.codes("*** Add File: a", "+\x01") == ["encoding_error"]
    site.workspace = site.open(allow_control=True)
    assert site.workspace.plan(Patch((AddFile("a", "\ud800\n"),))).problems[0].code == "encoding_error"
    assert site.codes("*** Add File: a", "+\x01") == []


def test_an_added_file_has_the_encoding_that_the_caller_names(site: Site) -> None:
    site.workspace = site.open(encoding="latin-1")
    site.apply("*** Add File: a", "+é")
    assert site.tree() == {"a": "é\n"}
    assert site.codes("*** Add File: b", "+→") == ["encoding_error"]


def test_an_empty_file_can_be_added_updated_and_deleted(site: Site) -> None:
    site.apply("*** Add File: empty")
    assert site.tree() == {"empty": ""}
    site.apply("*** Update File: empty", "@@", "+one")
    assert site.tree() == {"empty": "one\n"}
    site.apply("*** Update File: empty", "@@", "-one")
    assert site.tree() == {"empty": ""}
    site.apply("*** Delete File: empty")
    assert site.tree() == {}


# Move.


@pytest.mark.parametrize("dialect", REFUSING)
def test_a_move_onto_an_existing_file_is_refused(site: Site, dialect: str) -> None:
    site.put("a.py").put("b.py")
    assert site.codes(*move(dialect, "a.py", "b.py"), dialect=dialect) == ["already_exists"]


@pytest.mark.parametrize("dialect", OVERWRITING)
def test_a_move_onto_an_existing_file_replaces_it_and_can_be_undone(site: Site, dialect: str) -> None:
    site.put("a.sh", "a\n", mode=0o755).put("b.sh", "b\n", mode=0o600)
    receipt = site.apply(*move(dialect, "a.sh", "b.sh"), dialect=dialect)
    assert site.tree() == {"b.sh": "a\n"}
    assert site.mode("b.sh") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"a.sh": "a\n", "b.sh": "b\n"}
    assert (site.mode("a.sh"), site.mode("b.sh")) == (0o755, 0o600)


@pytest.mark.parametrize("dialect", CREATING)
def test_a_move_onto_itself_is_a_plain_update(site: Site, dialect: str) -> None:
    site.put("a.py", "one\n")
    plan = site.plan("*** Update File: a.py", "*** Move to: ./a.py", "@@", "-one", "+two", dialect=dialect)
    assert [str(change) for change in plan.changes] == ["M a.py +1 -1"]


def test_a_move_onto_itself_is_refused_in_strict(site: Site) -> None:
    site.put("a.py", "one\n")
    assert site.codes("*** Move File: a.py -> a.py", dialect="strict") == ["command_failed"]


def test_a_move_below_the_file_itself_is_refused(site: Site) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Update File: a", "*** Move to: a/b") == ["not_a_file"]


def test_a_move_keeps_the_mode_with_and_without_an_edit(site: Site) -> None:
    site.put("a.sh", "a\n", mode=0o755).put("b.sh", "b\n", mode=0o700)
    site.apply(
        "*** Update File: a.sh", "*** Move to: x/a.sh", "*** Update File: b.sh", "*** Move to: x/b.sh", "@@", "-b", "+c"
    )
    assert site.tree() == {"x/": "", "x/a.sh": "a\n", "x/b.sh": "c\n"}
    assert (site.mode("x/a.sh"), site.mode("x/b.sh")) == (0o755, 0o700)


def test_a_binary_file_is_only_deleted_or_moved(site: Site) -> None:
    site.put("blob", b"\0\x01\xff").put("other", b"\0")
    assert site.codes(*updated("blob", "a", "b")) == ["binary_file"]
    assert site.codes("*** Update File: blob", "*** Move to: c", "@@", "-a", "+b") == ["binary_file"]
    site.apply("*** Update File: blob", "*** Move to: c", "*** Delete File: other")
    assert site.tree() == {"c": "\0\x01\xff"}


# Several operations on one file.


def test_an_added_file_can_be_updated_in_the_same_patch(site: Site) -> None:
    site.apply("*** Add File: a", "+one", "+two", *updated("a", "one", "1"))
    assert site.tree() == {"a": "1\ntwo\n"}


def test_a_moved_file_can_be_updated_by_its_new_name(site: Site) -> None:
    site.put("a", "one\n", mode=0o755)
    receipt = site.apply("*** Update File: a", "*** Move to: b", *updated("b", "one", "two"))
    assert site.tree() == {"b": "two\n"}
    assert site.mode("b") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n"}
    assert site.mode("a") == 0o755


def test_a_moved_file_is_not_found_by_its_old_name(site: Site) -> None:
    site.put("a", "one\n")
    assert site.codes("*** Update File: a", "*** Move to: b", *updated("a", "one", "two")) == ["not_found"]


def test_a_deleted_file_can_be_added_again_and_is_the_same_file(site: Site) -> None:
    site.put("run.sh", "one\n", mode=0o755)
    receipt = site.apply("*** Delete File: run.sh", "*** Add File: run.sh", "+two")
    assert site.tree() == {"run.sh": "two\n"}
    assert site.mode("run.sh") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"run.sh": "one\n"}


def test_a_deleted_file_is_not_found_by_what_follows(site: Site) -> None:
    site.put("a", "one\n")
    assert site.codes("*** Delete File: a", *updated("a", "one", "two"), "*** Delete File: a") == ["not_found"]


def test_a_chain_of_moves_ends_where_the_last_one_says(site: Site) -> None:
    site.put("a", "a\n", mode=0o700)
    site.apply("*** Update File: a", "*** Move to: b", "*** Update File: b", "*** Move to: x/c")
    assert site.tree() == {"x/": "", "x/c": "a\n"}
    assert site.mode("x/c") == 0o700


def test_a_row_of_moves_shifts_every_file(site: Site) -> None:
    site.put("a", "a\n").put("b", "b\n")
    receipt = site.apply("*** Update File: b", "*** Move to: c", "*** Update File: a", "*** Move to: b")
    assert site.tree() == {"b": "a\n", "c": "b\n"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n", "b": "b\n"}


def test_two_files_can_be_swapped(site: Site) -> None:
    site.put("a", "a\n", mode=0o700).put("b", "b\n", mode=0o644)
    swap = [
        line
        for old, new in (("a", "t"), ("b", "a"), ("t", "b"))
        for line in (f"*** Update File: {old}", f"*** Move to: {new}")
    ]
    receipt = site.apply(*swap)
    assert site.tree() == {"a": "b\n", "b": "a\n"}
    assert (site.mode("a"), site.mode("b")) == (0o644, 0o700)
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n", "b": "b\n"}
    assert (site.mode("a"), site.mode("b")) == (0o700, 0o644)


def test_a_folder_in_which_nothing_stays_is_not_made(site: Site) -> None:
    site.put("a", "a\n")
    site.apply("*** Update File: a", "*** Move to: x/y/a", "*** Update File: x/y/a", "*** Move to: x/b")
    assert list(site.tree()) == ["x/", "x/b"]
    site.apply("*** Add File: z/c", "+c", "*** Delete File: z/c")
    assert list(site.tree()) == ["x/", "x/b"]


def test_a_file_moved_there_and_back_is_not_touched(site: Site) -> None:
    site.put("a", "a\n")
    plan = site.plan("*** Update File: a", "*** Move to: b", "*** Update File: b", "*** Move to: a")
    assert (plan.is_clean, plan.files) == (True, ())


def test_one_file_never_becomes_two_by_moves(site: Site) -> None:
    site.put("a", "a\n", mode=0)
    receipt = site.apply(
        "*** Update File: a",
        "*** Move to: b",
        "*** Add File: a",
        "+a",
        "*** Update File: a",
        "*** Move to: c",
    )
    assert site.tree() == {"b": "a\n", "c": "a\n"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n"}


def test_an_update_without_hunks_or_another_name_changes_nothing(site: Site) -> None:
    site.put("a", "a\n")
    plan = site.workspace.plan(Patch((UpdateFile("a"),)))
    assert plan.files == ()
