"""Reasoning at the start of an answer is no edit, whatever it contains."""

from __future__ import annotations

import pytest

from suture import Patch, PatchInvalidError, parse
from suture.format import PatchParser

ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+new\n*** End Patch\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-{}\n+new\n"
BLOCK = "a.py\n<<<<<<< SEARCH\n{}\n=======\nnew\n>>>>>>> REPLACE\n"
CALL = '{{"file_path": "a.py", "old_string": "{}", "new_string": "new"}}\n'
FORMS = [ENVELOPE, DIFF, BLOCK, CALL]


def names(patch: Patch) -> list[str]:
    return [concession.name for concession in patch.concessions]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tag", ["think", "thinking"])
def test_edits_in_leading_reasoning_are_not_read(form: str, tag: str) -> None:
    final = form.format("last")
    text = f"\n <{tag}>\nMaybe:\n{form.format('first')}\n</{tag}>\n\n{final}"
    patch = parse(text)
    assert patch == parse(final)
    assert names(patch) == ["reasoning"]
    assert patch.operations[0].line == parse(final).operations[0].line + text.count("\n") - final.count("\n")


@pytest.mark.parametrize("form", FORMS)
def test_pieces_of_any_size_give_the_same(form: str) -> None:
    text = f"<think>\n{form.format('first')}</think>\n{form.format('last')}"
    for size in (1, 3, 7):
        parser = PatchParser()
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
            assert len(parser.operations) <= 1
        assert parser.close() == parse(text)


@pytest.mark.parametrize("form", ["envelope", None])
def test_a_named_form_has_reasoning_too(form: str | None) -> None:
    text = f"<think>{ENVELOPE.format('first')}</think>{ENVELOPE.format('last')}"
    assert parse(text, form=form) == parse(ENVELOPE.format("last"))


@pytest.mark.parametrize("form", FORMS)
def test_tags_in_the_content_of_an_edit_stay(form: str) -> None:
    for text in ("<think>", "<think>x</think>", "</think>"):
        assert text in repr(parse(form.format(text)))
        assert text in repr(parse(f"Here it is:\n\n{form.format(text)}"))


def test_reasoning_without_an_end_is_an_error() -> None:
    with pytest.raises(PatchInvalidError, match="reasoning that has no </think>"):
        parse(f"<think>\n{ENVELOPE.format('first')}")


@pytest.mark.parametrize("text", ["<thi", "<", " "])
def test_the_beginning_of_a_tag_is_no_reasoning(text: str) -> None:
    with pytest.raises(PatchInvalidError) as invalid:
        parse(text)
    assert "reasoning" not in str(invalid.value)


def test_another_tag_is_no_reasoning() -> None:
    assert names(parse("<thinker>\n" + DIFF.format("x"))) == []


def test_a_dialect_that_takes_nothing_around_a_patch_takes_no_reasoning() -> None:
    with pytest.raises(PatchInvalidError):
        parse(f"<think>x</think>\n{ENVELOPE.format('last')}", "strict")
