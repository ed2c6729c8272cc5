"""An earlier text is searched only for an edit that has a word in common with what has changed since."""

from __future__ import annotations

import pytest

from suture import StringEdit, parse
from suture.agent.earlier_texts import may_fit_earlier, words_looked_for

EARLIER = ["import os", "", "def greet(name):", "    return name", "", "print(greet('you'))"]


def may_fit(old: str, now: list[str], earlier: list[str] = EARLIER) -> bool:
    lines = "".join([f"-{line}\n" for line in old.split("\n")])
    patch = f"*** Begin Patch\n*** Update File: a.py\n@@\n{lines}+another\n*** End Patch\n"
    return may_fit_earlier(words_looked_for(parse(patch)), earlier, now)


@pytest.mark.parametrize(
    ("old", "is_searched"),
    [
        pytest.param("    return name", True, id="the line that has changed"),
        pytest.param("    retrun name", True, id="the line with a typo"),
        pytest.param("    return nothing", True, id="what it reads now"),
        pytest.param("def greet(names):", True, id="the line above"),
        pytest.param("print(greet('me'))", True, id="the line below, behind a blank one"),
        pytest.param("import sys", False, id="a line that has not changed"),
        pytest.param("nowhere", False, id="no line at all"),
        pytest.param("}", True, id="no word"),
        pytest.param("import sys\\nreturn name", True, id="an escape sequence before the word"),
    ],
)
def test_a_word_at_the_change_decides(old: str, is_searched: bool) -> None:
    now = [line.replace("return name", "return nothing") for line in EARLIER]
    assert may_fit(old, now) == is_searched


def test_an_insertion_concerns_the_lines_on_both_sides_of_it() -> None:
    now = [*EARLIER[:2], "ONE = 1", "", *EARLIER[2:]]
    assert may_fit("import  sys", now)
    assert may_fit("def greet():", now)
    assert not may_fit("    return you", now)


def test_a_script_without_spaces_is_compared_by_its_characters() -> None:
    assert may_fit("你好世纪", ["再见"], earlier=["你好世界"])


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param((StringEdit("ame)", "x"),), id="parts of words"),
        pytest.param((StringEdit("f greet(nam", "x"), StringEdit("retur", "x")), id="two, one without a whole word"),
        pytest.param(None, id="a plan that was stored"),
        pytest.param(parse("--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-nowhere\n+x\n"), id="a line number"),
        pytest.param(parse("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"), id="a whole file"),
    ],
)
def test_where_the_words_are_not_all_known_every_text_is_searched(sent: object) -> None:
    assert words_looked_for(sent) == frozenset()  # type: ignore[arg-type]
    assert may_fit_earlier(frozenset(), EARLIER, EARLIER)


def test_the_first_and_the_last_word_of_a_string_edit_may_be_parts_of_words() -> None:
    assert words_looked_for((StringEdit("eet(name):\n    retu", "x"),)) == {"name"}
