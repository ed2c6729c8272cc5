"""Small edits with several kinds of damage at once, made from the project's own files by a seeded generator.

A case is a short text, an edit of it as a model might write it, and the state of the file that it meets: as it was,
changed since, with the edit in it already, or with a twin of the edited block. What the engine answers is on record
(`test_odd_edits`); whether it is right is for other tests. Here many branches are met that real edits meet rarely.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.accuracy.quick import DATA

from suture import Hunk
from suture.core.line_diff import changed_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    Lines = list[str]
    Damage = Callable[[Random, Lines], None]


class OddEdit(NamedTuple):
    """An update or a string edit (`old` is set) of a text."""

    path: str
    text: str | bytes
    #: What the file is like, and what it was to become, where it is as it was.
    state: str
    after: str
    hunks: tuple[Hunk, ...] = ()
    dialect: str = "standard"
    skip_applied: bool = False
    old: str | None = None
    new: str = ""
    replace_all: bool = False


@cache
def _files() -> list[tuple[str, Lines]]:
    paths = sorted(DATA.glob("*.before"))
    return [(path.stem, path.read_bytes().decode().split("\n")[:-1]) for path in paths]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _word(random: Random, line: str) -> str:
    """One of the words of a line."""
    return random.choice([*"".join(c if c.isalnum() or c == "_" else " " for c in line).split(), "value"])


# Damage of lines, in place. Prefixes are not part of the lines.


def _some(random: Random, lines: Lines) -> int:
    return random.randrange(len(lines))


def _outdent(random: Random, lines: Lines) -> None:
    width = random.choice([1, 2, 4, 8])
    for at, line in enumerate(lines):
        lines[at] = line[min(width, len(_indent(line))) :]


def _deepen(random: Random, lines: Lines) -> None:
    more = random.choice([" ", "  ", "    ", "\t"])
    for at, line in enumerate(lines):
        lines[at] = more + line if line else line


def _flatten(_random: Random, lines: Lines) -> None:
    lines[:] = [line.strip() for line in lines]


def _first_flat(_random: Random, lines: Lines) -> None:
    lines[0] = lines[0].lstrip()


def _one_deeper(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    lines[at] = random.choice([" ", "    ", "\t"]) + lines[at]


def _tabs(random: Random, lines: Lines) -> None:
    width = random.choice([2, 4, 8])
    for at, line in enumerate(lines):
        indent = _indent(line)
        lines[at] = indent.replace(" " * width, "\t") + line[len(indent) :]


def _wider(_random: Random, lines: Lines) -> None:
    for at, line in enumerate(lines):
        lines[at] = _indent(line) * 2 + line.lstrip()


def _trailing(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    lines[at] = lines[at].rstrip() if lines[at] != lines[at].rstrip() else lines[at] + random.choice([" ", "\t", "  "])


def _spacing(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    mark = random.choice([" ", ", ", " = ", "(", "="])
    lines[at] = _indent(lines[at]) + lines[at].lstrip().replace(mark, random.choice([mark + " ", mark.strip(), "  "]))


def _typo(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    line = lines[at]
    if len(line.strip()) < 3:
        return
    position = random.randrange(len(_indent(line)), len(line))
    kind = random.randrange(4)
    sign = random.choice("aexs_ 1,;:)({=-'\"")
    lines[at] = (
        line[:position] + line[position + 1 :]
        if kind == 0
        else line[:position] + sign + line[position:]
        if kind == 1
        else line[:position] + sign + line[position + 1 :]
        if kind == 2
        else line[:position] + line[position : position + 2][::-1] + line[position + 2 :]
    )


def _other_word(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    word = _word(random, lines[at])
    lines[at] = lines[at].replace(word, random.choice([word + "s", "other", word.upper(), word[:-1], "id", "x1"]), 1)


def _other_number(random: Random, lines: Lines) -> None:
    for at, line in enumerate(lines):
        digits = [c for c in line if c.isdigit()]
        if digits:
            lines[at] = line.replace(digits[0], str((int(digits[0]) + random.choice([1, 4])) % 10))
            return


def _drop(random: Random, lines: Lines) -> None:
    if len(lines) > 1:
        del lines[_some(random, lines)]


def _drop_blank(_random: Random, lines: Lines) -> None:
    blank = next((at for at, line in enumerate(lines) if not line.strip()), None)
    if blank is not None and len(lines) > 1:
        del lines[blank]


def _blank(random: Random, lines: Lines) -> None:
    lines.insert(random.choice([0, _some(random, lines), len(lines)]), random.choice(["", "", "    "]))


def _invent(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    line = lines[at]
    lines.insert(at, random.choice([_indent(line) + "prepare(everything)", line, _indent(line) + "# see below", "}"]))


def _memory(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    words = lines[at].split()
    if len(words) > 2:
        words[random.randrange(len(words))] = "something_else"
        lines[at] = _indent(lines[at]) + " ".join(words)


def _join(random: Random, lines: Lines) -> None:
    if len(lines) > 1:
        at = random.randrange(len(lines) - 1)
        lines[at : at + 2] = [f"{lines[at]} {lines[at + 1].strip()}"]


def _break(random: Random, lines: Lines) -> None:
    at = _some(random, lines)
    words = lines[at].split(" ")
    if len(words) > 2:
        cut = random.randrange(1, len(words))
        lines[at : at + 1] = [" ".join(words[:cut]), f"{_indent(lines[at])}    {' '.join(words[cut:])}"]


def _escape(random: Random, lines: Lines) -> None:
    mark, written = random.choice([('"', '\\"'), ("'", "\\'"), ("\\", "\\\\"), ("/", "\\/"), ("\t", "\\t")])
    lines[:] = [line.replace(mark, written) for line in lines]


def _unescape(_random: Random, lines: Lines) -> None:
    lines[:] = [line.replace("\\n", "n").replace("\\", "") for line in lines]


def _entities(_random: Random, lines: Lines) -> None:
    lines[:] = [
        line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;") for line in lines
    ]


def _curly(random: Random, lines: Lines) -> None:
    pairs = (('"', "\u201d"), ("'", "\u2019"), ("-", "\u2013"), ("...", "\u2026"), (" ", "\u00a0"))
    mark, curly = random.choice(pairs)
    at = _some(random, lines)
    lines[at] = _indent(lines[at]) + lines[at].lstrip().replace(mark, curly)


def _numbers(random: Random, lines: Lines) -> None:
    first, mark = random.randrange(1, 90), random.choice([": ", "| ", "\t", " | ", "\u2192"])
    lines[:] = [f"{first + at:>4}{mark}{line}" for at, line in enumerate(lines)]


def _ellipsis(random: Random, lines: Lines) -> None:
    if len(lines) > 3:
        lines[1:-1] = [_indent(lines[1]) + random.choice(["# ...", "...", "// ... existing code ..."])]


#: Damage of the old lines, and of the added ones in the same way where a writer would have copied it.
_DAMAGE: tuple[Damage, ...] = (
    _outdent, _deepen, _flatten, _first_flat, _one_deeper, _tabs, _wider, _trailing, _spacing, _typo, _typo,
    _other_word, _other_number, _drop, _drop_blank, _blank, _invent, _memory, _join, _break, _escape, _unescape,
    _entities, _curly, _numbers, _ellipsis,
)  # fmt: skip
#: Damage of which the new text has as much as the old one.
_CONSISTENT = frozenset({_outdent, _deepen, _flatten, _tabs, _wider, _escape, _unescape, _entities, _numbers})


def _changed(random: Random, old: Lines) -> Lines:
    """What the lines of a block become: a word, lines that come in or go, a block around them, or an order."""
    new = list(old)
    at = _some(random, new)
    indent = _indent(new[at])
    kind = random.randrange(8)
    if kind == 0:
        del new[at : at + random.choice([1, 1, 2])]
    elif kind == 1:
        added = [f"{indent}check({_word(random, new[at])})", f"{indent}    log('{_word(random, new[at])}')", ""]
        new[at:at] = added[: random.choice([1, 1, 2, 3])]
    elif kind == 2:
        new.append(f"{indent}done = {_word(random, new[at])!r}")
    elif kind == 3:
        new[at:] = [f"{indent}if {_word(random, new[at])}:", *(f"    {line}" if line else line for line in new[at:])]
    elif kind == 4:
        new[at:at] = new[at : at + 2]
    elif kind == 5:
        new = [line.strip() + ("" if line.strip() else " ") for line in new]
    else:
        word = _word(random, new[at])
        new = [line.replace(word, f"new_{word}") for line in new] if kind == 6 else new
        new[at] = new[at].replace(word, f"{word}_2") if kind == 7 else new[at]
    return new if new != old else [*new, f"{indent}return {len(new)}"]


def _moved_on(random: Random, lines: Lines, start: int, old: Lines, new: Lines) -> tuple[str, Lines]:
    """The file that the edit meets, and what has become of it."""
    end = start + len(old)
    state = random.choice(["applied", "twin beside", "twin left", "partly applied", "applied above"] + ["fresh"] * 5)
    twin = list(old)
    if state == "applied":
        return state, [*lines[:start], *new, *lines[end:]]
    if state == "twin beside":
        random.choice([_other_word, _other_number, _deepen, _drop, _spacing, lambda *_: None])(random, twin)
        at = random.choice([0, start, end, len(lines)])
        return state, [*lines[:at], *twin, *lines[at:]]
    if state == "twin left":
        random.choice([_other_word, _other_number, _drop, _invent, _memory])(random, twin)
        return state, [*lines[:start], *twin, *lines[end:]]
    if state == "partly applied":
        there = new[: random.randrange(len(new) + 1)]
        return state, [*lines[:start], *there, *lines[start + min(len(there), len(old)) :]]
    return state, [*lines[:start], *new, *old, *lines[end:]] if state == "applied above" else list(lines)


def _as_hunk(random: Random, old: Lines, new: Lines, above: Lines) -> Hunk:
    lines: Lines = []
    done = 0
    blocks = changed_blocks(old, new) if random.random() < 0.85 else [(0, len(old), 0, len(new))]
    for a, b, c, d in blocks:
        lines += (f" {line}" for line in old[done:a])
        changed = [*(f"-{line}" for line in old[a:b]), *(f"+{line}" for line in new[c:d])]
        lines += changed if random.random() < 0.9 else reversed(changed)
        done = b
    lines += (f" {line}" for line in old[done:])
    anchors: tuple[str, ...] = ()
    openers = [line for line in above if line and not _indent(line)]
    if openers and random.random() < 0.3:
        anchor = random.choice([openers[-1], openers[0], *above[-3:]]).strip() or openers[-1]
        anchors = (random.choice([anchor, anchor, anchor.split("(")[0], anchor.replace(" ", "  ")]),)
        anchors = (openers[0], *anchors) if random.random() < 0.15 else anchors
    bare = tuple(at for at, line in enumerate(lines) if line[0] == " " and random.random() < 0.05)
    at_end, hint = random.random() < 0.02, random.choice([None] * 12 + [len(above) + 1])
    marker = random.choice([""] * 90 + ["old", "new", "both"])
    return Hunk(tuple(lines), anchors, at_end=at_end, no_newline=marker, line_hint=hint, bare=bare)  # type: ignore[arg-type]


def _several_hunks(random: Random) -> OddEdit:
    """Short hunks for a text whose blocks stand in it more than once: order, anchors and hints decide."""
    path, whole = random.choice(_files())
    first = random.randrange(max(1, len(whole) - 8))
    block = whole[first : first + random.choice([2, 3, 5, 8])]
    lines: Lines = []
    for number in range(random.choice([1, 2, 3, 3])):
        lines += [f"def part_{number}():"] * (random.random() < 0.6)
        lines += [f"    {line}" if line else line for line in block] if random.random() < 0.3 else block
        lines += [""] * random.choice([0, 1, 1])
    hunks: list[Hunk] = []
    text, at = list(lines), 0
    for _ in range(random.choice([1, 2, 2, 3, 4])):
        start = min(at + random.choice([0, 0, 1, 2, 4]), len(lines) - 1)
        old = lines[start : start + random.choice([1, 1, 2, 3])]
        new = random.choice([old, _changed(random, old), _changed(random, old), _changed(random, old)])
        if random.random() < 0.15:
            random.choice([_outdent, _typo, _trailing, _spacing, _drop])(random, old)
        hunk = _as_hunk(random, old, new, lines[:start])
        if random.random() < 0.1:
            hunk = hunk.replace(
                lines=tuple(
                    random.choice([[" "], [" ", " "], [line for line in hunk.lines if line[0] == "+"] or [" "]])
                )
            )
        if random.random() < 0.1:
            text = [*text[:start], *new, *text[start + len(old) :]]
        hunks += [hunk] * random.choice([1] * 8 + [2, 3])
        at = start + random.choice([0, len(old), len(old)])
    if random.random() < 0.1:
        random.shuffle(hunks)
    hunks = [hunk for hunk in hunks if hunk.lines]
    dialect = random.choice(["standard", "standard", "codex", "opencode", "strict"])
    body = "\n".join(text) + random.choice(["\n"] * 5 + [""])
    skip = random.random() < 0.2
    return OddEdit(path, body, "several", "", tuple(hunks) or (Hunk((" ",)),), dialect, skip_applied=skip)


def odd_edit(number: int) -> OddEdit:
    """The case of that number, always the same one."""
    random = Random(number)
    if number % 4 == 3:
        return _several_hunks(random)
    path, whole = random.choice(_files())
    first = random.randrange(max(1, len(whole) - 12))
    lines = whole[first : first + random.choice([6, 12, 25, 50])]
    start = _some(random, lines)
    old = lines[start : start + random.choice([1, 2, 3, 5, 8])]
    new = _changed(random, old)
    state, text = _moved_on(random, lines, start, old, new)
    after = "\n".join([*lines[:start], *new, *lines[start + len(old) :]])
    written_old, written_new = list(old), list(new)
    for damage in random.sample(_DAMAGE, random.choice([0, 1, 1, 1, 2, 3])):
        before = random.getstate()
        damage(random, written_old)
        if damage in _CONSISTENT and random.random() < 0.8:
            random.setstate(before)
            damage(random, written_new or [""])
        elif damage in (_typo, _memory, _other_word, _spacing, _curly) and random.random() < 0.6:
            # Lines that stay are copied with their damage.
            copies = dict(zip(old, written_old, strict=False))
            written_new = [copies.get(line, line) for line in written_new]
    body = "\n".join(text) + random.choice(["\n"] * 9 + [""])
    if random.random() < 0.08:
        body = body.replace("\n", random.choice(["\r\n", "\r", "\r\n"]))
    content: str | bytes = body if random.random() < 0.5 else body.encode()
    if random.random() < 0.45:
        texts = ["\n".join(some) for some in (written_old, written_new)]
        ends = random.choice([("", ""), ("", ""), ("\n", "\n"), ("\n", ""), ("", "\n")])
        pair = [some + end for some, end in zip(texts, ends, strict=True)]
        if random.random() < 0.15:
            cut = random.randrange(max(1, len(pair[0]) // 2))
            pair = [some[cut:] if pair[1][:cut] == pair[0][:cut] else some for some in pair]
        if random.random() < 0.05:
            pair = [some.replace("\n", "\\n") for some in pair]
        every = random.random() < 0.1
        return OddEdit(path, content, state, after, old=pair[0] or " ", new=pair[1], replace_all=every)
    hunks = [_as_hunk(random, written_old, written_new, lines[:start])]
    later = start + len(old) + random.randrange(4)
    if random.random() < 0.3 and later < len(lines):
        other = lines[later : later + random.choice([1, 2, 4])]
        hunks.append(_as_hunk(random, other, random.choice([other, _changed(random, other)]), lines[:later]))
        if random.random() < 0.15:
            hunks.reverse()
    hunks = [hunk for hunk in hunks if hunk.lines]
    dialect = random.choice(["standard"] * 9 + ["codex", "opencode", "strict"])
    skip = random.random() < 0.1
    return OddEdit(path, content, state, after, tuple(hunks) or (Hunk((" ",)),), dialect, skip_applied=skip)
