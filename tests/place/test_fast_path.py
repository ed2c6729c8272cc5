"""Which small edits take the fast path, and that it decides as the slow path does.

The edits come from a seeded generator. `tests/golden/fast_path` has one letter for each of them: `f` for fast, `s`
for slow. An `f` that becomes an `s` makes real edits slower; an `s` that becomes an `f` is fine, as long as the answer
is the same. After such a change, write the letters anew (tests/shared/goldens.py).
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.shared.goldens import compare

from suture import Hunk, PatchRejectedError, replace, update
from suture.core.common_limits import LARGEST_CONTENT
from suture.core.text import Text
from suture.place import edit_step, replace as replace_module, update as update_module
from suture.place.fast_update import fast_update

if TYPE_CHECKING:
    from typing import Any

OF_EACH = 100
#: Lines of which texts and edits are made: distinctive, not distinctive, with characters beyond ASCII, and long ones.
LINES = [
    *("a = 1", "b = 2", "    setup()", "    run(x)", "}", "", "import os", "import sys", "    }", "# note", "é = 3"),
    *("a  =  1", "“b” = 2", '"b" = 2', "\tsetup()", "run(x);", "x" * 120, "x" * 119 + "y", "}" * 420, "z" * 420),
]
#: What makes some texts special: a BOM, other line endings, what only looks like the end of a line.
ABOVE = ["\ufeff", "x\r\n", "x\r", "x\x0cy\u2028z\x85\n", "é = 3\n", "\n", " \n" * 210]


def _some_lines(random: Random, most: int) -> list[str]:
    """Lines of a few kinds, so that some of them occur more than once."""
    count = random.randrange(2, most)
    if random.random() < 0.7:
        return random.sample(LINES, count)
    kinds = random.sample(LINES, 4)
    return [random.choice(kinds) for _ in range(count)]


def _text(random: Random) -> tuple[str, list[str]]:
    lines = _some_lines(random, 10)
    above = random.choice(ABOVE) if random.random() < 0.1 else ""
    return above + "\n".join(lines) + random.choice(["\n", "\n", "\n", ""]), lines


def _hunk(random: Random, lines: list[str], first: int) -> Hunk:
    last = min(len(lines), first + random.choice([1, 2, 3, 5]))
    changed = random.randrange(first, last)
    written: list[str] = []
    added = random.choice([lines, LINES, ["new = 4", "new\tline", "\x07"], ["new = 4", "new = 5", "run(new)"]])
    for at, line in enumerate(lines[first:last], first):
        if at == changed or random.random() < 0.1:
            written += [f"+{random.choice(added)}" for _ in range(random.choice([0, 1, 1, 2, 3]))]
        written.append(random.choice(" -" if at == changed else "      -") + line)
    if random.random() < 0.2:
        written += [f"+{random.choice(added)}" for _ in range(random.choice([1, 2, 3]))]
    anchors = [line.strip() for line in lines[: last if random.random() < 0.5 else len(lines)] if line.strip()]
    count = random.choice([0, 0, 0, 0, 0, 1, 1, 1, 2])
    hunk = Hunk(tuple(written), tuple(random.sample(anchors, min(count, len(anchors)))))
    if random.random() < 0.05:
        odd = [hunk.replace(at_end=True), hunk.replace(no_newline="old"), hunk.replace(bare=(0,)), Hunk((" ",))]
        return random.choice(odd)
    return hunk


def _update_letter(number: int) -> str:
    random = Random(number)
    text, lines = _text(random)
    hunks, first = [], 0
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        first = random.randrange(first if random.random() < 0.9 else 0, len(lines))
        hunks.append(_hunk(random, lines, first))
    content = text.encode() if random.random() < 0.3 else text
    dialect = random.choice(["standard", "standard", "standard", "codex", "opencode", "strict"])

    def answer() -> object:
        try:
            return update(content, hunks, dialect=dialect)
        except PatchRejectedError as rejected:
            return rejected.problems

    taken = answer()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(update_module, "fast_update", lambda *_args, **_named: None)
        assert answer() == taken
    return "f" if isinstance(getattr(taken, "_placed", None), tuple) else "s"


def _edit_letter(number: int) -> str:
    random = Random(number)
    text, lines = _text(random)
    if random.random() < 0.5:
        first = random.randrange(len(lines))
        last = random.randrange(first, len(lines)) + 1
        kept = "\n".join(lines[first:last])
        pieces = [*lines[first:last]]
        pieces.insert(random.randrange(len(pieces) + 1), random.choice(lines))
        if random.random() < 0.5:
            pieces[random.randrange(len(pieces))] = random.choice(LINES)
        ends = random.choice([("", ""), ("", ""), ("\n", "\n"), ("\n", ""), ("", "\n")])
        old, new = kept + ends[0], "\n".join(pieces) + ends[1]
    else:
        start = random.randrange(len(text))
        old = text[start : random.randrange(start, len(text)) + 1]
        pieces = [old, "\n", "    ", "x = 3", *lines]
        new = "".join(random.choice(pieces) for _ in range(random.choice([0, 1, 2, 3])))

    def answer() -> object:
        try:
            return replace(text, old, new)
        except PatchRejectedError as rejected:
            return rejected.problems

    taken = answer()
    with pytest.MonkeyPatch.context() as patched:
        for module in (edit_step, replace_module):
            patched.setattr(module, "find_plain", lambda *_: -1)
        assert answer() == taken
    return "f" if len(getattr(taken, "_made", ())) == 2 else "s"


def _every_letter(number: int) -> str:
    random = Random(number)
    letters = random.choices("aaab \t\n\n", k=random.randrange(4, 30))
    text = "".join(letters) + random.choice(["", "b\n", "\n", "\r\n"])
    old = random.choice(["a", "a", "a", "a ", "a\n", "ab", "a\na", " a", "aa"])
    new = random.choice(["", "", "b", " b"])

    def answer() -> object:
        try:
            done = replace(text, old, new, replace_all=True)
        except PatchRejectedError as rejected:
            return rejected.problems
        return done.text, done.replacer, done.spans, done.written

    taken = answer()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(edit_step, "_every_plain", lambda *_: None)
        assert answer() == taken
    return "f" if "\r" not in text and edit_step._every_plain(Text(text), old, new, LARGEST_CONTENT) else "s"


#: The kinds of edits: hunks, one string edit, and one of every occurrence.
KINDS = {"update": _update_letter, "edit": _edit_letter, "every": _every_letter}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", range(8))
def test_the_fast_path_is_taken_by_the_same_edits_and_decides_alike(kind: str, group: int) -> None:
    letters = [KINDS[kind](group * OF_EACH + at) for at in range(OF_EACH)]
    compare(f"fast_path/{kind}-{group}.txt", "".join(letters) + "\n")


_ADDED = Hunk(("-old = 1", "+b = 1", "+c = 1", "+d = 1"))
_LONG = "x = " + "1" * 120
_BRACES = "}" * 420
#: What decides, an update, and whether it takes the fast path.
TABLE = [
    ("fifty hunks", "".join(f"a{n} = 1\n-\n" for n in range(50)), [Hunk((f"-a{n} = 1",)) for n in range(50)], True),
    ("more hunks", "".join(f"a{n} = 1\n-\n" for n in range(51)), [Hunk((f"-a{n} = 1",)) for n in range(51)], False),
    ("no hunks", "a = 1\n", [], False),
    ("an empty text", "", [Hunk(("-a = 1", "+b = 2"))], False),
    ("a blank hunk", "a = 1\n\nb\n", [Hunk(("-",))], False),
    ("a line without a newline", "a = 1", [Hunk(("-a = 1", "+b = 2"))], True),
    ("one of two, the last without a newline", "a = 1\nb\na = 1", [Hunk(("-b", "+c")), Hunk(("-a = 1",))], False),
    ("blocks that begin alike", f"{_LONG}\nb = 1\n{_LONG}\nb = 2\n", [Hunk((f"-{_LONG}", "-b = 1"))], True),
    (
        "a result elsewhere",
        "old = 1\nx\ny\nb = 1\nc = 1\nd = 1\n",
        [_ADDED],
        False,
    ),
    ("three lines", "old = 1\nx\ny\nb = 1\nc = 1\n", [_ADDED], True),
    ("an anchor that is absent", "ab\nx = 1\ny = 2\n\n", [Hunk(("-x = 1",), ("zz",))], False),
    ("an anchor with a blank", "  ab\nx = 1\n", [Hunk(("-x = 1",), (" ab",))], True),
    ("an anchor", "  ab\n    x = 1\n", [Hunk(("-    x = 1",), ("ab",))], True),
    ("an anchor of another block", "  ab\ny = 2\nx = 1\n", [Hunk(("-x = 1",), ("ab",))], False),
    ("an anchor below", "x = 1\nab\n", [Hunk(("-x = 1",), ("ab",))], False),
    ("as many lines as context", "a = 1\na = 1;\nend()\n", [Hunk((" a = 1;", "+a = 1", " end()"))], True),
    # One place, or several.
    ("a line number", "a = 1\n", [Hunk(("-a = 1", "+b = 2"), line_hint=1)], True),
    ("a line number, blocks that begin alike", f"{_LONG}\n{_LONG}2\n", [Hunk((f"-{_LONG}",), line_hint=1)], True),
    ("a long line that is there twice", f"a = 1\n{_LONG}\n{_LONG}\n", [Hunk((f"-{_LONG}",))], False),
    ("context that only begins alike", f"a = 1\n{_LONG}2\nb = 1\n", [Hunk((f" {_LONG}3", "-b = 1"))], False),
    ("two hunks for two places", "a = 1\nb\na = 1\n", [Hunk(("-a = 1", "+c = 1")), Hunk(("-a = 1",))], True),
    # Parts of a hunk.
    ("a line without its prefix", "a = 1\n", [Hunk(("-a = 1", "+b = 2"), bare=(0,))], False),
    ("lines that must end the file", "a = 1\nb = 2\n", [Hunk(("-a = 1",), at_end=True)], False),
    ("context below", "}\nb\n", [Hunk(("-}", " b"))], True),
    ("a tab", "a = 1\n", [Hunk(("-a = 1", "+\tb = 2"))], True),
    # What may be there already.
    ("two lines that are elsewhere", "old = 1\nx\ny\nb = 1\nc = 1\n", [Hunk(("-old = 1", "+b = 1", "+c = 1"))], True),
    ("a copy of the line above", "a = 1\nb = 2\n", [Hunk(("-b = 2", "+a = 1"))], True),
    (
        "a copy that ends in the context",
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        [Hunk((" b = 2", "+a = 1", "+b = 2", " c = 3", " d = 4"))],
        False,
    ),
    ("a copy, and a new line", "a = 1\nb = 2\n", [Hunk(("+a = 1", " b = 2", "+c = 3"))], False),
    ("a copy with other quotes", "“a” = 1\nb = 2\n", [Hunk(('+"a" = 1', " b = 2"))], False),
    ("a copy with curly quotes", '"a" = 1\nb = 2\n', [Hunk(("+“a” = 1", " b = 2"))], False),
    # One distinctive line that is elsewhere too.
    ("context on both sides", "a = 1\n}\na = 1\n", [Hunk((" a = 1", "+b = 2", "+c = 3", " }"))], True),
    ("a line is replaced", "a = 1\nb = 2\na = 1\n}\n", [Hunk((" a = 1", "-}", "+{"))], True),
    ("a line is removed", "a = 1\nb = 2\na = 1\n}\n", [Hunk((" a = 1", "-}"))], True),
    ("a blank line is removed", "a = 1\n\na = 1\n", [Hunk((" a = 1", "-"))], True),
]


@pytest.mark.parametrize(("text", "hunks", "is_fast"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_an_update_takes_the_fast_path_if_nothing_has_to_be_decided(
    text: str, hunks: list[Hunk], is_fast: bool
) -> None:
    assert (fast_update(text, hunks) is not None) == is_fast


@pytest.mark.parametrize(
    ("text", "old", "new", "is_fast"),
    [
        # The new text is elsewhere.
        ("k\nold\n-\nk\nb = 1\nc = 1\nd = 1\n", "k\nold", "k\nb = 1\nc = 1\nd = 1", True),
        ("k\nold\n", "k\nold", "k\nb = 1\nc = 1\nd = 1", True),
        ("a b\n", "b", "c", True),
        ("a b\n", "b", " c", False),
        ("a b\n", "b", "xb", False),
        ("a\nb\n", "c", "d", False),
        ("a\nb\n", "b", "c", True),
        ("a\nb\n", "b", "\tc", True),
        # The words of the line above, but not one after another.
        ("a = 1\nb = 2\n", "b = 2", "a=1 = 1\nb = 2", True),
        # It may be at that very place.
        ("}\nb = 2\n", "b = 2", "}\nb = 2", False),
        ("a = 1\nb = 2\n\n", "b = 2\n\n", "a = 1\nb = 2\n", False),
        (f"a = 1\n{_BRACES}\nb = 2\n", "b = 2", f"a = 1\n{_BRACES}\nb = 2", False),
        (f"b = 2\n{_BRACES}\na = 1\n", "b = 2", f"b = 2\n{_BRACES}\na = 1", False),
        # One line of context, which is elsewhere too.
        ("a = 1\nb = 2\na = 1", "a = 1\n", "c = 3\na = 1\n", True),
        ("a = 1\n\na = 1\nb = 2\n", "a = 1\n\n", "a = 1\n", True),
        ("a = 1\nb = 2\n\na = 1\n", "\na = 1\n", "a = 1\n", True),
    ],
)
def test_a_string_edit_takes_the_fast_path_if_nothing_has_to_be_decided(
    text: str, old: str, new: str, is_fast: bool
) -> None:
    assert (edit_step.find_plain(text, old, new) != -1) == is_fast


@pytest.mark.parametrize(
    ("content", "dialect", "encoding", "is_fast"),
    [
        ("a\nb\n", "standard", None, True),
        ("a\nb\nc", "standard", None, True),
        (b"a\nb\n", "standard", None, True),
        ("a\nb\n", "codex", None, True),
        (b"a\nb\n", "codex", None, True),
        ("a\nb\nc", "codex", None, False),
        (b"a\nb\nc", "codex", None, False),
        ("a\nb\n", "strict", None, False),
        (b"a\nb\n\xe9", "standard", "latin-1", True),
        (b"\xef\xbb\xbfa\nb\n", "standard", None, True),
        ("a\r\nb\n", "standard", None, False),
        ("a\nb\nb\n", "codex", None, False),
    ],
)
def test_dialects_and_encodings_that_decide_more_take_the_slow_path(
    content: str | bytes, dialect: str, encoding: str | None, is_fast: bool
) -> None:
    done = update(content, [Hunk(("-b", "+x"))], dialect=dialect, encoding=encoding)
    assert isinstance(done._placed, tuple) == is_fast


@pytest.mark.parametrize(
    ("new", "settings"),
    [("b = 2", {}), ("b = 2", {"max_size": 11}), ("# ... existing code ...", {"allow_placeholders": True})],
)
def test_a_string_edit_that_its_settings_allow_takes_the_fast_path(new: str, settings: dict[str, Any]) -> None:
    assert len(replace("a = 1\n", "a = 1", new, **settings)._made) == 2
