"""Globs of paths: what they match, in any case, and what they load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.glob_reference import make_path, make_pattern, matches as slow_match
from tests.shared.programs import Place, patch

import suture
from suture import EditOptions, PatchRejectedError, Workspace
from suture.agent import Rules
from suture.agent.formatters import Formatter, Formatters
from suture.agent.path_pattern import PathPattern
from suture.agent.shell_patterns import shell_tokens
from suture.core.paths import escape_glob
from suture.workspace import MemoryFiles, glob_automaton
from suture.workspace.glob_automaton import REST, GlobAutomaton, Work
from suture.workspace.globs import Globs, excluder, fold, glob_tokens
from suture.workspace.overlay import Settings
from suture.workspace.workspace_limits import LONGEST_GLOB

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from suture.workspace.glob_automaton import Token


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
        (r"a\*", ["a*"], ["ab", r"a\b"]),
        (r"\?\\x", [r"?\x"], [r"ab\x"]),
        (r"a\b", [r"a\b"], ["ab"]),
        (r"**/\*/*", ["*/a", "x/*/a"], ["x/a"]),
    ],
)
def test_globs(glob: str, matched: list[str], not_matched: list[str]) -> None:
    globs = Globs([glob])
    assert [path for path in (*matched, *not_matched) if globs.matching(path)] == matched


#: Characters that mean something in a glob, or that no name has.
SPECIAL = "/*?\0~\\" if sys.platform == "win32" else "/*?\0~"
PART = st.text(st.characters(exclude_characters=SPECIAL, exclude_categories=["Cs"]), min_size=1).filter(
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
from suture.workspace.files.open_files import DiskFiles
from suture.workspace.guard import Guard
Guard(DiskFiles(["."])).resolve("src/app.py")
print(*sys.modules)
"""
    program = f"import sys\nsys.path.insert(0, {str(Path(suture.__file__).parent.parent)!r})\n{code}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & {"re", "typing", "enum", "dataclasses", "pathlib", "unicodedata"} == set()


@given(st.randoms(use_true_random=False), st.booleans())
def test_globs_match_what_a_slow_matcher_says(pick: Random, below: bool) -> None:
    globs = [make_pattern(pick) for _ in range(3)]
    path = make_path(pick)
    tokens = [glob_tokens(glob) for glob in globs]
    expected = [
        glob
        for glob, own in zip(globs, tokens, strict=True)
        if slow_match(own, fold(path)) or (below and slow_match([*own, "/", REST], fold(path)))
    ]
    assert Globs(globs, below=below).matching(path) == expected


@given(st.lists(PART, min_size=1, max_size=4), st.lists(st.sampled_from("*?\\[]ab"), min_size=1), st.data())
def test_an_escaped_path_is_a_glob_of_that_path_alone(parts: list[str], odd: list[str], data: st.DataObject) -> None:
    path = "/".join([*parts, "".join(odd)])
    assert Globs([escape_glob(path)]).matching(path)
    other = data.draw(st.text(st.sampled_from(path), max_size=len(path)).filter(lambda text: fold(text) != fold(path)))
    assert not Globs([escape_glob(path)]).matching(other)


#: Patterns for which a regular expression, or a matcher that tries one way after another, takes forever.
HOSTILE = {
    "stars": "*a" * 30 + "b",
    "many stars": "*a" * 1000 + "b",
    "one character each": "*?" * 200 + "b",
    "directories": "**/a/" * 30 + "b",
    "both": "**/*a*a*a*/" * 20 + "b",
    "classes": "*[ab]" * 30 + "c",
    "stars in a row": "*" * 5000 + "b",
}


def work_of(tokens: Sequence[Token], text: str) -> int:
    """What a first match and its compilation cost, in the unit of the automaton."""
    work = Work()
    GlobAutomaton([tokens], work=work).matches(text)
    return work.amount


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("name", ["a" * 250, "a/" * 125, "ab" * 125, "aaab/" * 50])
def test_four_times_the_path_is_four_times_the_work(pattern: str, name: str) -> None:
    for tokens in (glob_tokens(pattern), shell_tokens(pattern)):
        assert tokens is not None
        once, four_times = work_of(tokens, name), work_of(tokens, name * 4)
        assert four_times <= 4 * once
        # A character costs a few words of bits at most, however many ways there are.
        assert four_times <= 4 * (len(name) * 4 + len(pattern) * 4) * (len(pattern) * 3 // 64 + 2)


@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_user_of_globs_takes_forever(pattern: str, tmp_path: Path) -> None:
    path = "/".join(["a" * 200] * 10)
    exclude = excluder([pattern])
    assert exclude is not None
    assert not exclude(path)
    rules = Rules([("edit", pattern, "deny"), ("edit", f"/{pattern}", "deny")])
    assert rules.verdict("edit", path, f"/{path}").rule is None
    assert Settings(EditOptions(), ((pattern, "latin-1"),)).encoding_of(path) is None
    assert Formatters([Formatter(pattern, ("x",))]).find(path) is None
    files = MemoryFiles({path: ""})
    assert Workspace(files, deny=[pattern], lift=[pattern]).read(path).content == b""
    with pytest.raises(PatchRejectedError, match="not among the allowed paths"):
        Workspace(files, allow=[pattern]).read(path)
    place = Place(tmp_path)
    settings = f"deny = ['{pattern}']\nallow = ['{pattern}', '*']\n[encodings]\n'{pattern}' = 'latin-1'\n"
    place.write(".suture.toml", settings)
    text = patch(f"*** Add File: {'a' * 200}\n+x\n")
    assert place.suture("apply", "--exclude", pattern, "--allow", pattern, stdin=text).status == 0


def test_a_glob_that_is_too_long_is_refused_by_all_who_take_one(tmp_path: Path) -> None:
    long = "x" * (LONGEST_GLOB + 1)
    with pytest.raises(ValueError, match="is longer than 10,000 characters"):
        Workspace(MemoryFiles({}), deny=[long])
    with pytest.raises(ValueError, match="is longer than 10,000 characters"):
        excluder([long])
    with pytest.raises(ValueError, match=r"rule 1: glob x+… is longer than 10,000 characters"):
        Rules([("edit", long, "deny")])
    with pytest.raises(PatchRejectedError, match="is longer than 10,000 characters"):
        PathPattern(long)
    done = Place(tmp_path).suture("check", "--exclude", long, stdin=patch("*** Add File: a\n+x\n"))
    assert (done.status, "is longer than 10,000 characters" in done.err) == (2, True)


def test_what_is_remembered_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glob_automaton, "MOST_REMEMBERED_WORDS", 100)
    automaton = GlobAutomaton([glob_tokens("**/*a?b*")])
    texts = ["xay", "aab", "b/aa/axby", "a" * 50, "éaéb"] * 3
    assert [bool(automaton.matches(text)) for text in texts] == [False, True, True, False, True] * 3
    assert sum(len(state.next) for state in automaton._states.values()) < 10
