"""What the property tests are made of: texts, changes, patches, and an envelope writer that knows nothing of Suture.

The writer stands on difflib, so that a patch and the engine that places it can't share a mistake.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import settings, strategies as st

from suture import AddFile, DeleteFile, Hunk, Patch, SutureError, UpdateFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeVar

    T = TypeVar("T")

    from suture.core.patch import NoNewline, Operation

DIALECT_NAMES = ("standard", "codex", "opencode", "strict")
each_dialect = st.sampled_from(DIALECT_NAMES)


def examples(count: int) -> settings:
    """At least so many examples; the profile `explore` looks at more, `brief` at fewer."""
    usual = settings().max_examples
    return settings(max_examples=max(count, usual) if usual >= 100 else max(1, count * usual // 100))


def attempt(call: Callable[[], T]) -> T | SutureError:
    """What came of it: a result, or one of our exceptions. Any other goes on its way."""
    try:
        return call()
    except SutureError as refused:
        return refused


#: Lines that occur again and again in real files, so that a generated file has repetitions and near misses.
_COMMON = (
    "",
    "}",
    "    }",
    "else:",
    "    return result",
    "def load(path):",
    "def save(path):",
    "class Store:",
    "    def load(self, path):",
    "\tdef load(self, path):",
    "    value = 1",
    "    value = 2",
    "    value = 1 ",
    "        value = 1",
    "print('done')",
    "print(‘done’)",
    'print("done")',
    'print(\\"done\\")',
    "a  b",
    "a b",
    "x…y",
    "x...y",
    "*** End Patch",
    "@@ def load(path):",
    "-- option",
    "+ item",
)
_CHARACTERS = st.characters(codec="utf-8", exclude_characters="\n\r\0\ufeff", exclude_categories=["Cs"])

#: One line of a file: often a common one, sometimes anything but a line ending or NUL.
file_lines = st.one_of(st.sampled_from(_COMMON), st.sampled_from(_COMMON), st.text(_CHARACTERS, max_size=12))
#: One line that a patch may add: no control characters, which are refused.
plain_lines = st.one_of(
    st.sampled_from(_COMMON), st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
)
#: A text of several lines, of which the last may lack its newline.
texts = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(file_lines, max_size=12), st.sampled_from(["\n", ""])
)


class Change(NamedTuple):
    """A text as lines before and after, and for each line after the index it had before (None for an added one)."""

    before: list[str]
    after: list[str]
    origin: list[int | None]


@st.composite
def changes(draw: st.DrawFn, *, lines: st.SearchStrategy[str] = file_lines, distinct: bool = False) -> Change:
    """A text and what became of it: lines removed and added here and there.

    With `distinct` every line stands once, before and after taken together, and says something.
    """
    count = draw(st.integers(1, 14))
    before = [f"line {index} of the text" if distinct else draw(lines) for index in range(count)]
    after: list[str] = []
    origin: list[int | None] = []
    fresh = 0
    for index in range(count + 1):
        for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
            fresh += 1
            after.append(f"new number {fresh} comes in" if distinct else draw(plain_lines))
            origin.append(None)
        if index < count and draw(st.sampled_from([True, True, True, False])):
            after.append(before[index])
            origin.append(index)
    return Change(before, after, origin)


def hunks_of(before: Sequence[str], after: Sequence[str], *, context: int = 3) -> list[Hunk]:
    """The hunks that turn one list of lines into the other, as difflib sees them.

    A line that ends in a newline is given with it; one that does not is the last, and the hunk says so.
    """
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        lines: list[str] = []
        unfinished: set[Literal["old", "new"]] = set()
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in before[a:b]]
            else:
                lines += ["-" + line for line in before[a:b]]
                lines += ["+" + line for line in after[c:d]]
        for line in lines:
            if not line.endswith("\n"):
                unfinished |= {"old", "new"} if line[0] == " " else {"old" if line[0] == "-" else "new"}
        side: NoNewline = "both" if len(unfinished) == 2 else next(iter(unfinished), "")
        hunks.append(Hunk(tuple(line.removesuffix("\n") for line in lines), no_newline=side))
    return hunks


def envelope_of(path: str, hunks: Sequence[Hunk]) -> str:
    """The hunks as the text that a careful model would write."""
    out = ["*** Begin Patch", f"*** Update File: {path}"]
    for hunk in hunks:
        out.append("@@")
        unfinished = {"": set(), "old": {"-"}, "new": {"+"}, "both": {"-", "+"}}[hunk.no_newline]
        for index, line in enumerate(hunk.lines):
            out.append(line)
            behind = {other[0] for other in hunk.lines[index + 1 :]}
            ends = {kind for kind in (line[0].replace(" ", "-+")) if not behind & {" ", kind}}
            if ends & unfinished:
                out.append("\\ No newline at end of file")
    return "\n".join([*out, "*** End Patch", ""])


# Patches as values.

_NAME = st.text(st.sampled_from("abcXYZ019._-äß é"), min_size=1, max_size=6).map(str.strip)
_NAME = _NAME.filter(lambda name: name.strip(".") != "")
paths = st.lists(_NAME, min_size=1, max_size=3).map("/".join)
hunk_lines = st.builds(str.__add__, st.sampled_from(" +-"), st.one_of(file_lines, st.text(max_size=6))).filter(
    lambda line: "\n" not in line and not line.endswith("\r")
)
anchor_texts = st.one_of(
    st.sampled_from(["def load(path):", "class Store:", "    def load(self, path):", "fn main() {", "x @@ y"]),
    # What a unified header looks like can't be an anchor.
    st.text(_CHARACTERS, min_size=1, max_size=8).map(str.rstrip).filter(lambda text: text and not text.endswith("@")),
)


@st.composite
def hunks(draw: st.DrawFn, dialect: str = "standard") -> Hunk:
    """A hunk that can be written in the dialect."""
    lines = tuple(draw(st.lists(hunk_lines, min_size=1, max_size=6)))
    stacked = 1 if dialect == "strict" else 3
    anchors = tuple(draw(st.lists(anchor_texts, max_size=stacked)))
    return Hunk(
        lines,
        anchors,
        at_end=dialect != "strict" and draw(st.booleans()),
        no_newline=draw(st.sampled_from(_sides(lines))) if dialect in ("standard", "strict") else "",
        line_hint=draw(st.none() | st.integers(0, 99_999)) if dialect == "standard" else None,
    )


def _sides(lines: Sequence[str]) -> list[NoNewline]:
    """The sides that may end without a newline in these lines: each is marked below its last line."""
    last_old = max((i for i, line in enumerate(lines) if line[0] != "+"), default=-1)
    last_new = max((i for i, line in enumerate(lines) if line[0] != "-"), default=-1)
    # A marker below a context line ends both sides at once.
    old_alone = last_old >= 0 and lines[last_old][0] == "-"
    new_alone = last_new >= 0 and lines[last_new][0] == "+"
    together = last_old == last_new or (old_alone and new_alone and last_old < last_new)
    return ["", *["old"] * old_alone, *["new"] * new_alone, *["both"] * together]  # type: ignore[list-item]


@st.composite
def operations(draw: st.DrawFn, dialect: str = "standard") -> Operation:
    """An operation that can be written in the dialect."""
    kind = draw(st.sampled_from(["add", "delete", "update", "update", "move"]))
    path = draw(paths)
    if kind == "add":
        lines = draw(st.lists(file_lines, max_size=5))
        content = "\n".join(lines) + "\n" if lines else ""
        unfinished = dialect == "opencode" or (dialect == "strict" and lines[-1:] == [""])
        if dialect in ("standard", "strict") and lines and lines[-1]:
            unfinished = draw(st.booleans())
        return AddFile(path, content.removesuffix("\n") if unfinished else content)
    if kind == "delete":
        return DeleteFile(path)
    move_to = draw(paths) if kind == "move" else None
    least = 0 if kind == "move" else 1
    return UpdateFile(path, tuple(draw(st.lists(hunks(dialect), min_size=least, max_size=3))), move_to)


@st.composite
def patches(draw: st.DrawFn, dialect: str = "standard") -> Patch:
    """A patch that can be written in the dialect."""
    found = tuple(draw(st.lists(operations(dialect), min_size=1, max_size=4)))
    environment = draw(st.none() | _NAME) if dialect == "standard" else None
    return Patch(found, environment)


# Patch texts as models write them, good and bad.

_MARKER_LINES = (
    "*** Begin Patch",
    "*** End Patch",
    "*** End of File",
    "*** Add File: a.txt",
    "*** Delete File: b.txt",
    "*** Update File: c.txt",
    "*** Move to: d.txt",
    "*** Move File: e.txt -> f.txt",
    "*** Environment ID: x",
    "***begin patch",
    "  *** End Patch",
    "\t*** End Patch",
    " *** End Patch",
    "*** Update File: ./`c.txt`",
    "*** Update File:",
    "*** Frobnicate",
    "--- a/c.txt",
    "+++ b/c.txt",
    "@@",
    "@@ def f():",
    "@@ -1,3 +1,4 @@ def f():",
    "@@@@",
    "\\ No newline at end of file",
    "```",
    "apply_patch <<'EOF'",
    "EOF",
    "Here is the patch:",
    '{"patch": "*** Begin Patch\\n*** Delete File: x\\n*** End Patch"}',
    "*** Begin Patch\\n*** Delete File: x\\n*** End Patch",
    "",
    " ",
    " context",
    "-removed",
    "+added",
    "bare",
)
_patch_line = st.one_of(st.sampled_from(_MARKER_LINES), st.sampled_from(_MARKER_LINES), st.text(max_size=8))
_endings = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
#: Any text that looks more or less like a patch.
patch_texts = st.one_of(
    st.lists(st.tuples(_patch_line, _endings), max_size=14).map(lambda rows: "".join(a + b for a, b in rows)),
    st.lists(_patch_line, max_size=12).map(
        lambda rows: "\n".join(["*** Begin Patch", "*** Update File: c.txt", *rows, "*** End Patch"])
    ),
    st.lists(_patch_line, max_size=12).map(lambda rows: "\n".join(["*** Begin Patch", *rows, "*** End Patch"])),
    st.text(max_size=40),
)
