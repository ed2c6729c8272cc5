"""Globs of paths: what they match, in any case, and what they load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import suture
from suture.workspace.globs import Globs, fold


@pytest.mark.parametrize(
    ("glob", "matched", "not_matched"),
    [
        ("**", ["a", "a/b"], []),
        ("*", ["a", ".a"], ["a/b"]),
        ("**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "ab"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("a/*/b", ["a/x/b"], ["a/b", "a/x/y/b"]),
        ("a?c", ["abc"], ["ac", "a/c", "abbc"]),
        ("[id].tsx", ["[id].tsx"], ["i.tsx"]),
        ("a.b", ["a.b"], ["axb"]),
        ("/a/b", ["a/b"], []),
        ("./a/", ["a"], []),
        ("Ä", ["ä", "a\u0308", "A\u0308"], ["a"]),
        ("straße", ["STRASSE"], []),
        ("a+(b)", ["a+(b)"], ["aab"]),
    ],
)
def test_globs(glob: str, matched: list[str], not_matched: list[str]) -> None:
    globs = Globs([glob])
    assert [path for path in (*matched, *not_matched) if globs.matching(path)] == matched


PART = st.text(st.characters(exclude_characters="/*?\0~", exclude_categories=["Cs"]), min_size=1).filter(
    lambda part: part not in {".", ".."} and fold(part) not in {"", ".", ".."} and "*" not in fold(part)
)


@given(st.lists(PART, min_size=1, max_size=4))
def test_a_glob_without_wild_cards_matches_itself_in_any_case(parts: list[str]) -> None:
    path = "/".join(parts)
    assert Globs([path]).matching(path) == [path]
    assert Globs([path]).matching(path.casefold()) == [path]
    assert Globs(["**/" + parts[-1]]).matching(path)
    assert Globs([parts[0]], below=True).matching(path)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_path_that_no_glob_speaks_of_loads_nothing_costly() -> None:
    code = """
from suture.workspace.disk import DiskFiles
from suture.workspace.guard import Guard
Guard(DiskFiles(["."])).resolve("src/app.py")
print(*sys.modules)
"""
    program = f"import sys\nsys.path.insert(0, {str(Path(suture.__file__).parent.parent)!r})\n{code}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & {"re", "typing", "enum", "dataclasses", "pathlib", "unicodedata"} == set()
