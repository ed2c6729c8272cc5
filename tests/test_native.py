"""The native code gives what the Python beside it gives, holds on to nothing, and can be missing.

`pytest --pure` runs any tests without it.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.accuracy.change import envelope
from benchmarks.accuracy.quick import changes
from tests.scenario import SCENARIOS, Scenario

import suture
from suture import (
    DIALECTS,
    Hunk,
    PatchParser,
    PatchRejected,
    SutureError,
    UpdateFile,
    native,
    parse,
    plain,
    update,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_native = pytest.importorskip("suture._native", reason="the native code was not built")

Hunks = tuple[tuple[str, ...], ...]

ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+2\n@@\n-three\n+3\n*** End Patch\n"
BODY = "one\ntwo\nthree\nfour\n"
LINES: Hunks = ((" one", "-two", "+2"), ("-three", "+3"))


def answer(call: Callable[[], Any]) -> Any:
    """What came of it, with all that is no part of a value's equality."""
    try:
        return repr(call())
    except SutureError as refusal:
        return repr(refusal.problems)


def both(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> tuple[Any, Any]:
    """The answer with the native code and without it."""
    monkeypatch.setattr(native, "present", True)
    quick = answer(call)
    monkeypatch.setattr(native, "present", False)
    return quick, answer(call)


# The same answers.


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_ends_alike_with_and_without(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    before = scenario.before
    contents: list[str | bytes] = [] if before is None else [before, before.decode("latin-1")]

    def run() -> list[str]:
        told: list[str] = []
        for dialect in DIALECTS:
            told.append(answer(partial(parse, scenario.patch, dialect)))
            try:
                operations = parse(scenario.patch, dialect).operations
            except SutureError:
                continue
            hunks = [operation.hunks for operation in operations if isinstance(operation, UpdateFile)]
            told += [answer(partial(update, content, each, dialect=dialect)) for content in contents for each in hunks]
        return told

    with_it, without = both(monkeypatch, run)
    assert with_it == without
    assert _native.split_envelope(scenario.patch) == whole.split_envelope(scenario.patch)


def test_real_patches_end_alike_with_and_without() -> None:
    """And most of them go the short way, so that this compares something."""
    short = []
    for change in changes():
        text, patch = change.draft.text(change.draft.before), envelope(change.draft)
        sections = _native.split_envelope(patch)
        assert sections == whole.split_envelope(patch)
        hunks = tuple(lines for lines, _ in sections[0][0][2])
        # Most of these files are plain ASCII: with a wide line at their end the same lines are found in a wide text.
        for body in (text, text + "é\n", text + "…\n", text + "🐍\n"):
            placed = _native.place_lines(body, hunks)
            assert placed == plain.place_lines(body, hunks)
            short.append(placed is not None)
            content = body.encode()
            assert _native.place_lines(content, hunks) == plain.place_lines(content, hunks)
    assert sum(short) > len(short) / 2 > 20


ALPHABETS = {
    "ascii": ("one", "two", "three", "four"),
    "latin-1": ("éins", "zwöi", "dräi", "vjær"),
    "wide": ("один", "два", "три…", "четыре"),
    "astral": ("one 😀", "two 🐍", "three 𝒳", "four"),
    "mixed": ("one", "zwö", "три", "four 🐍"),
    "surrogates": ("one \ud800", "two", "three \udfff", "four"),
    "NUL": ("one\0", "two", "three", "four"),
    "alike in bytes": ("\u0101\u0001", "\u0100\u0101", "\u0001\u0100", "\u0a0a\u0a0d"),
}


@pytest.mark.parametrize("words", ALPHABETS.values(), ids=ALPHABETS.keys())
@pytest.mark.parametrize("added", ["2", "ñ", "два", "🐍", "\ud800", "\0", "\t", "\x7f", "\xa0", "\u2028", ""])
def test_characters_of_every_width_are_placed_alike(words: tuple[str, ...], added: str) -> None:
    one, two, three, four = words
    body = "\n".join([*words, ""])
    for hunks in (
        ((f" {one}", f"-{two}", f"+{added}"),),
        ((f" {one}", f"-{two}", f"+{added}"), (f" {three}", f"+{added}", f" {four}")),
        ((f"-{three}", f"+{added}", f" {four}"),),
        ((f"-{one}", f"-{two}", f"-{three}"),),
        ((f" {one}", f"+{added}", f"+{added}", f"+{added}", f" {two}"),),
        ((f" {two}", f"-{added}"),),
    ):
        placed = plain.place_lines(body, hunks)
        quick = _native.place_lines(body, hunks)
        assert quick == placed
        if placed is not None:
            # Equal strings of another width would be unequal elsewhere.
            assert quick is not None
            assert (sys.getsizeof(quick[0]), hash(quick[0])) == (sys.getsizeof(placed[0]), hash(placed[0]))
        content = body.encode("utf-8", "surrogatepass")
        assert _native.place_lines(content, hunks) == plain.place_lines(content, hunks)


@pytest.mark.parametrize(
    ("body", "hunks"),
    [
        pytest.param("", (("-a", "+b"),), id="empty body"),
        pytest.param("a\n", (), id="no hunks"),
        pytest.param("a\n", ((),), id="hunk without lines"),
        pytest.param("\n\n\n", (("-", "+b"),), id="blank lines"),
        pytest.param("a", (("-a", "+b"),), id="no final newline"),
        pytest.param("a\nb\na\nb\n", ((" a", "-b", "+c"),), id="stands twice"),
        pytest.param("a\nb\nc\na\n", ((" a", "-b", "+c"),), id="its context stands twice"),
        pytest.param("aaaa\n", (("-aa", "+b"),), id="overlaps itself"),
        pytest.param("xa\nb\n", (("-a", "+b"),), id="within a line"),
        pytest.param("a\nbx\n", (("-a", "-b", "+c"),), id="within a line at its end"),
        pytest.param("a\nb\nc\n", ((" a", "-b"), ("-b", "+c")), id="overlapping hunks"),
        pytest.param("a\nb\nc\n", (("-c", "+d"), ("-a", "+e")), id="out of order"),
        pytest.param("a\nb\nc\n", (("-a", "+d"), ("-b", "+e"), ("-c", "+f")), id="one behind the other"),
        pytest.param("a\nb\n", ((" a", " b"),), id="only context"),
        pytest.param("a\nb\n", (("-a", "+a", " b"),), id="no change"),
        pytest.param("a\nb\n", (("+x", " a"),), id="added at the edge"),
        pytest.param("a\nb\n", ((" a", "+x", " b"),), id="added in between"),
        pytest.param("a\nx\ny\nz\nb\n", ((" a", "+x", "+y", "+z", " x"),), id="there already"),
        pytest.param("x\ny\nz\na\n", (("-a", "+x", "+y", "+z"),), id="there already elsewhere"),
        pytest.param("a\r\nb\n", (("-b", "+c"),), id="CRLF"),
        pytest.param("\ufeffa\nb\n", (("-b", "+c"),), id="BOM"),
        pytest.param("a\ufeff\nb\n", (("-b", "+c"),), id="BOM within"),
        pytest.param("a\nb\n", (("?a", "-b", "+c"),), id="odd prefix"),
        pytest.param("a\nb\nc\n", ((" a\nb", "-c", "+d"),), id="newline in a line"),
        pytest.param("a\nb\nc\n", (("-a", "+b\nd"),), id="newline in an added line"),
        pytest.param(
            "".join(f"line {n};\n" for n in range(60)),
            tuple((f"-line {n};", f"+line {n}!") for n in range(60)),
            id="60 hunks",
        ),
    ],
)
def test_what_is_out_of_the_ordinary_is_placed_alike(body: str, hunks: Hunks) -> None:
    assert _native.place_lines(body, hunks) == plain.place_lines(body, hunks)
    content = body.encode()
    assert _native.place_lines(content, hunks) == plain.place_lines(content, hunks)


PATHS = [
    "a",
    "",
    "ä.py",
    "\xa0a",
    "a\u2003",
    "a\x1c",
    "'a'",
    '"a',
    "`a",
    "./a",
    "a.",
    " a",
    "a\t",
    "a b",
    "🐍",
    "\u3000",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_path_is_read_alike_by_all_ways(path: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ENVELOPE.replace("a.py", path)

    def in_pieces() -> object:
        parser = PatchParser(dialect)
        for character in text:
            parser.feed(character)
        return parser.close()

    assert both(monkeypatch, lambda: parse(text, dialect)) == (answer(in_pieces), answer(in_pieces))


@pytest.mark.parametrize("cut", range(len(ENVELOPE) + 1))
def test_an_envelope_that_lacks_or_repeats_a_character_is_read_alike(cut: int) -> None:
    for text in (
        ENVELOPE[:cut],
        ENVELOPE[:cut] + ENVELOPE[cut + 1 :],
        *(ENVELOPE[:cut] + odd + ENVELOPE[cut:] for odd in ("\n", " ", "@", "*", "\r", "é", "🐍", "\n*** ", "\n@@")),
    ):
        assert _native.split_envelope(text) == whole.split_envelope(text)


def test_the_limit_of_sections_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    section = "*** Update File: a\n@@\n-a\n+b\n"
    text = f"*** Begin Patch\n{section * 3}*** End Patch\n"
    for limit in (2, 3):
        with_it, without = both(monkeypatch, partial(parse, text, max_sections=limit))
        assert with_it == without
        assert ("more than 2 sections" in with_it) == (limit == 2)


# It may give up, and never does more.


class Shouting(str):
    """A str with a mind of its own."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> str:
        return super().__getitem__(key).upper()


@pytest.mark.parametrize(
    ("body", "hunks"),
    [
        (Shouting(BODY), LINES),
        (BODY, list(LINES)),
        (BODY, tuple(map(list, LINES))),
        (BODY, ((Shouting("-two"), "+2"),)),
        (BODY, (("-two", ""),)),
        (BODY, (("-two", b"+2"),)),
        (BODY, (None,)),
        (bytearray(BODY.encode()), LINES),
        (None, None),
    ],
)
def test_other_types_are_left_to_python(body: Any, hunks: Any) -> None:
    assert _native.place_lines(body, hunks) is None
    assert _native.split_envelope(body if isinstance(body, bytearray) else Shouting(ENVELOPE)) is None


def test_a_wrong_number_of_arguments_is_an_error() -> None:
    with pytest.raises(TypeError):
        _native.place_lines(BODY)
    with pytest.raises(TypeError):
        _native.split_envelope()


def test_a_text_made_to_be_compared_in_vain_costs_no_more_than_it_should() -> None:
    """Each line is nearly the hunk's: a search that compares all of it every time would take minutes."""
    size = 2000
    body = "".join("a" * size + f"\n{'b' * (n % 2)}\n" for n in range(1000))
    hunks = (("-" + ("a" * size + "\n") * 900, "+x"),)
    assert _native.place_lines(body, hunks) in {None, plain.place_lines(body, hunks)}
    zeros = "\u0100" * 300_000 + "\n"
    assert _native.place_lines(zeros, (("-" + "\u0100" * 150_000 + "x", "+x"),)) is None


# It holds on to nothing.


def everything() -> None:
    """Every way through the native code that gives an answer or gives one up."""
    wide = BODY.replace("two", "два 🐍")
    for body in (BODY, wide, BODY + "\r", "two\ntwo\n", ""):
        for hunks in (
            LINES,
            ((" one", "-два 🐍", "+\xe9"),),
            (("-two", "+\t"),),
            (("-two", ""),),
            (("-absent", "+x"),),
        ):
            _native.place_lines(body, hunks)
    for text in (
        ENVELOPE,
        ENVELOPE[:-14],
        ENVELOPE.replace("a.py", " a"),
        ENVELOPE.replace("@@", "@@ x"),
        ENVELOPE + "x",
    ):
        _native.split_envelope(text)


def test_no_memory_is_lost() -> None:
    everything()
    gc.collect()
    tracemalloc.start()
    try:
        everything()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            everything()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 5000, "less than one byte for each call"


def test_what_was_given_is_released() -> None:
    body, line = BODY[:8], "-" + BODY[4:7]
    hunks = ((line, "+2"),)
    counts = [sys.getrefcount(value) for value in (body, line, hunks, hunks[0], None)]
    for _ in range(1000):
        assert _native.place_lines(body, hunks) == ("one\n2\n", [4])
    after = [sys.getrefcount(value) for value in (body, line, hunks, hunks[0], None)]
    assert after[:-1] == counts[:-1]
    assert abs(after[-1] - counts[-1]) < 500


# It may be missing.


def test_without_it_everything_works() -> None:
    """An installation that could not build it imports, reads and updates."""
    source = str(Path(suture.__file__).parent.parent)
    program = (
        f"import sys; sys.path.insert(0, {source!r}); sys.modules['suture._native'] = None\n"
        f"import suture; from suture import native\n"
        f"hunks = suture.parse({ENVELOPE!r}).operations[0].hunks\n"
        f"print(native.present, repr(suture.update({BODY!r}, hunks).text))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False 'one\\n2\\n3\\nfour\\n'\n"


def test_without_it_the_short_ways_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one name that the tests switch is the one that decides."""
    for module in (plain, whole):
        for name in ("place_lines", "split_envelope"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, lambda *_: pytest.fail("Python was asked"))
    monkeypatch.setattr(native, "present", True)
    assert update(BODY, [Hunk(LINES[0])]).text == "one\n2\nthree\nfour\n"
    assert len(parse(ENVELOPE).operations) == 1
    monkeypatch.undo()
    monkeypatch.setattr(native, "present", False)
    for name in ("place_lines", "split_envelope"):
        monkeypatch.setattr(native, name, lambda *_: pytest.fail("the native code was asked"))
    assert update(BODY, [Hunk(LINES[0])]).text == "one\n2\nthree\nfour\n"
    assert len(parse(ENVELOPE).operations) == 1
    with pytest.raises(PatchRejected):
        update(BODY, [Hunk(("-absent", "+x"))])
