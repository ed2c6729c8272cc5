"""Stale edits whose target is gone, while its opposite, its plural or its negation is there. Nothing may be placed.

The edits are real hunks. In one line of the edit, one name becomes another (`lock` becomes `unlock`), and the file
stays as it was: what the edit is meant for is not there, and its twin is. The first part of a way says how the names
differ:

- `pair`: two words of a pair, such as `encode` and `decode`, or `min` and `max`;
- `prefix`: a prefix of the name, more or less, whether the result is a word or not;
- `plural`: an `s` at the end of the name, more or less;
- `negation`: `!` or `not` in a condition, more or less.

The second part says in which line: `removed` (and in added lines that have the name too), `beside` (a kept line beside
the change), or `naming` (a kept line that defines something, is a heading or a selector, or is a condition). The third
part says whether the edit is a `hunk` or a `string` edit.

Names in comments, in strings and in prose are left out: there, no text tells them from a mistake that models make. So
are edits that the file still has, whitespace aside, and those that add the other name themselves.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.accuracy import repositories, spoil_strings
from benchmarks.accuracy.ambiguity import spoken, squeezed
from benchmarks.accuracy.cases import Case, PatchCase
from benchmarks.accuracy.change import Draft, body, envelope, unified
from benchmarks.accuracy.line_parts import code_words
from benchmarks.accuracy.spoil_headers import BLOCK, enclosing
from benchmarks.accuracy.spoil_lines import trimmed
from benchmarks.accuracy.strings import StringCase
from benchmarks.accuracy.twins import position

from .family import Family, Quota, ask_suture

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from benchmarks.accuracy.change import Piece
    from benchmarks.accuracy.corpus import Change

MOST_LINES = 12
PREFIXES = ("un", "de", "dis", "in", "non", "re")
PAIRS = """
    lock/unlock encode/decode enable/disable min/max start/stop open/close read/write get/set push/pop add/remove
    show/hide begin/end first/last next/previous before/after up/down left/right top/bottom on/off true/false
    load/save import/export insert/delete create/destroy attach/detach connect/disconnect serialize/deserialize
    compress/decompress encrypt/decrypt subscribe/unsubscribe register/unregister mount/unmount install/uninstall
    include/exclude increment/decrement even/odd send/receive request/response client/server source/target
    row/column width/height parent/child input/output upper/lower head/tail old/new allow/deny accept/reject
    bind/unbind escape/unescape visible/hidden sync/async prefix/suffix success/failure key/value public/private
    local/remote from/to horizontal/vertical outer/inner
"""
OPPOSITES: dict[str, str] = {}
for _pair in PAIRS.split():
    _one, _other = _pair.split("/")
    OPPOSITES[_one], OPPOSITES[_other] = _other, _one
#: The parts of a name: `readFile` and `read_file` have two.
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
CONDITION = re.compile(r"(\s*(?:\} )?(?:if|elif|else if|elsif|while|unless)\b\s*\(?)(!|not )?(?=[\w(])(?!let\b)")
#: Words of languages, which name nothing.
KEYWORDS = frozenset(
    "and as async await begin break case catch class const continue def default define defined del do elif else elsif "
    "end endif enum except export extends extern false final finally fn for from func function global if ifdef ifndef "
    "impl implements import in include instanceof interface is lambda let mod module namespace new nil none not null "
    "or override package pass print private protected pub public raise require rescue return self static struct super "
    "switch then this throw throws trait true try type typedef typeof undef unless until use using val var void when "
    "where while with yield".split()
)

KINDS = ("pair", "prefix", "plural", "negation")
LINES = ("removed", "beside", "naming")
FORMS = ("hunk", "string")
WAYS = tuple(f"{kind}_{line}_{form}" for kind in KINDS for line in LINES for form in FORMS)


def _as_written(part: str, other: str) -> str:
    """A part of a name in the letters of another: capitalized, all capitals, or small."""
    if part.isupper() and len(part) > 1:
        return other.upper()
    return other.capitalize() if part[0].isupper() else other


def opposite(part: str, _chance: random.Random) -> str | None:
    """The other word of a pair."""
    other = OPPOSITES.get(part.lower())
    return None if other is None else _as_written(part, other)


def other_prefix(part: str, chance: random.Random) -> str | None:
    """The word without its prefix, or with one."""
    small = part.lower()
    bare = [
        small.removeprefix(prefix) for prefix in PREFIXES if small.startswith(prefix) and len(small) > 2 * len(prefix)
    ]
    if len(small) < 4:
        return None
    return _as_written(part, chance.choice(bare) if bare else chance.choice(PREFIXES) + small)


def other_number(part: str, _chance: random.Random) -> str | None:
    """The plural, or the singular."""
    if len(part) < 4 or part.isupper():
        return None
    if part.endswith("s") and not part.endswith("ss"):
        return part[:-1]
    return None if part.endswith("s") else f"{part}s"


RENAMINGS: dict[str, Callable[[str, random.Random], str | None]] = {
    "pair": opposite,
    "prefix": other_prefix,
    "plural": other_number,
}


def renamed(line: str, path: str, kind: str, chance: random.Random) -> tuple[str, str, str] | None:
    """The line with another name, the name that it had, and the one that it has now."""
    if kind == "negation":
        return _negated(line, path)
    words = [word for word in code_words(line, path) if word[0].lower() not in KEYWORDS]
    for word in chance.sample(words, len(words)):
        parts = _parts_to_change(word[0], kind)
        for part in chance.sample(parts, len(parts)):
            other = RENAMINGS[kind](part[0], chance)
            if other is not None:
                name = word[0][: part.start()] + other + word[0][part.end() :]
                return line[: word.start()] + name + line[word.end() :], word[0], name
    return None


def _parts_to_change(name: str, kind: str) -> list[re.Match[str]]:
    """The parts of a name that may change: any may be one of a pair, but a prefix comes first and a plural last."""
    parts = list(PART.finditer(name))
    if kind == "prefix":
        return parts[:1]
    return parts[-1:] if kind == "plural" else parts


def _negated(line: str, path: str) -> tuple[str, str, str] | None:
    """The opposite condition."""
    condition = CONDITION.match(line)
    if condition is None or not code_words(line, path):
        return None
    negation = "not " if path.endswith((".py", ".pyi", ".lua")) else "!"
    rest = line[condition.end() :]
    negated = condition[1] + rest if condition[2] else condition[1] + negation + rest
    return negated, line.strip(), negated.strip()


def kind_of_line(piece: Piece, at: int) -> str | None:
    """Which of the kinds of lines that are changed one line of a hunk is."""
    line = piece.lines[at]
    if line[0] == "+":
        return None
    if line[0] == "-":
        return "removed"
    if BLOCK.match(line[1:]) or CONDITION.match(line[1:]):
        return "naming"
    return "beside" if position(piece, at) == "beside" else None


def cases_of(name: str, draft: Draft, piece: Piece, quota: Quota) -> Iterator[Case]:
    """The cases of one hunk, in every way that it can have."""
    for kind in KINDS:
        for where in LINES:
            if not any(quota.is_open(f"{kind}_{where}_{form}") for form in FORMS):
                continue
            chance = random.Random(f"{name}/{kind}/{where}")
            stale = _stale(draft, piece, kind, where, chance)
            if stale is not None:
                yield _hunk(name, stale, f"{kind}_{where}_hunk", chance)
                edit = _string(name, stale, f"{kind}_{where}_string", chance)
                if edit is not None:
                    yield edit


def _stale(draft: Draft, piece: Piece, kind: str, where: str, chance: random.Random) -> Draft | None:
    """The file, and the hunk with another name in one of its lines; nothing where it would not be stale."""
    spots = [at for at in range(len(piece.lines)) if kind_of_line(piece, at) == where]
    for at in chance.sample(spots, len(spots)):
        change = renamed(piece.lines[at][1:], draft.path, kind, chance)
        if change is None:
            continue
        line, name, other = change
        if any(other in added for added in piece.added):
            continue
        lines = list(piece.lines)
        lines[at] = lines[at][0] + line
        if where == "removed":
            lines = [_renamed_in(added, name, other) if added[0] == "+" else added for added in lines]
        stale = replace(draft, truth=(), written=(replace(piece, lines=tuple(lines)),))
        if not _has(stale):
            return stale
    return None


def _renamed_in(line: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, line)


def _has(draft: Draft) -> bool:
    """Whether the file has the old lines of the edit, or all of the new ones, whitespace aside."""
    text = "".join(map(squeezed, draft.before))
    [piece] = draft.written
    new = [line[1:] for line in piece.lines if line[0] != "-"]
    has_new = bool(piece.added) and "".join(map(squeezed, new)) in text
    return has_new or "".join(map(squeezed, piece.old)) in text


def _hunk(name: str, draft: Draft, way: str, chance: random.Random) -> PatchCase:
    """The edit as a hunk, with or without an anchor."""
    detail = "bare"
    if chance.random() < 0.5:
        anchors = tuple(enclosing(draft, draft.written[0])[-1:])
        draft = draft.with_written([replace(draft.written[0], anchors=anchors)])
        detail = "with an anchor" if anchors else "bare"
    text = draft.text(draft.before)
    return PatchCase(
        name=name,
        way=way,
        detail=detail,
        path=draft.path,
        before=text,
        after=text,
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="refuse",
        safety=True,
        anchored=bool(draft.written[0].anchors),
    )


def _string(name: str, draft: Draft, way: str, chance: random.Random) -> StringCase | None:
    """The edit as a string edit; nothing where the old text occurs as part of other lines."""
    pair = spoil_strings.pair_of(draft.written[0], ends=chance.random() < 0.5)
    text = draft.text(draft.before)
    if not pair.old.strip() or spoken(text, pair.old):
        return None
    return StringCase(
        name=name,
        way=way,
        detail="",
        path=draft.path,
        before=text,
        after=text,
        old=pair.old,
        new=pair.new,
        expectation="refuse",
        safety=True,
    )


def narrowed_hunks(changes: Iterable[Change]) -> Iterator[tuple[str, Draft, Piece]]:
    """Every hunk of the changes with as much context as chance leaves it, if it is small enough."""
    for change in changes:
        for number, piece in enumerate(change.draft.truth):
            name = f"{change.name}.{number}"
            chance = random.Random(name)
            narrow = trimmed(piece, chance.randint(0, 3), chance.randint(0, 3))
            if narrow.old and len(narrow.old) <= MOST_LINES and not spoil_strings.moves_lines(narrow):
                yield name, change.draft, narrow


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[Case]:
    """At most so many cases of each way."""
    quota = Quota(each, only or WAYS)
    hunks = narrowed_hunks(repositories.load(paths))
    return quota.take(case for name, draft, piece in hunks for case in cases_of(name, draft, piece, quota))


FAMILY = Family(
    "stale edits whose opposite is in the file",
    WAYS,
    make,
    {"suture": ask_suture},
    cases_of_each=200,
)
