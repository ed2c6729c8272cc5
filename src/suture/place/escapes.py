"""Escapes that were written once too often or once too little: ways to read a text, and what follows for the new one.

A way is a mapping: from escapes to the characters that the file has, or, for a text decoded once too often, back. What
made the match is done to the new text only where that has the same escape; any other one that is unclear is refused.
"""

from __future__ import annotations

import re
from itertools import chain

from rapidfuzz.distance import Indel

from ..core.line_diff import changed_blocks
from .limits import NEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..core.patch import Hunk

    Way = Mapping[str, str]
    #: A character of the edit with the backslashes before it, and the same in the file.
    Pair = tuple[str, str]

_BACKSLASH = {"\\\\": "\\"}
_NEWLINE = {"\\n": "\n", "\\r": ""}
#: The escapes that models write out where the file has the character.
_ESCAPES = {'\\"': '"', "\\'": "'", "\\`": "`", "\\/": "/", "\\$": "$", "\\t": "\t"}
#: The characters that a text has that was decoded once too often, where the file has escapes: those of a backslash or a
#: tab in a string, and those of text inside of a quoted string in JSON and C, in a shell, and in a template.
_ENCODED = ("\\", "\t", "\\\t", '"', '"$', '"\\', '"$`', '"$`\\', "'", "'\\", "`", "`$", "`$\\", "$")
_QUOTES = frozenset("\"'`")
_SIGNS = _QUOTES | {"$"}


def line_ways(text: str) -> list[Way]:
    """The ways to read lines of a text other than as they are: decoded, the backslash itself last, then encoded."""
    escapes = {escape: plain for escape, plain in _ESCAPES.items() if escape in text}
    ways: list[Way] = []
    if escapes:
        ways.append(escapes)
    if "\\\\" in text:
        ways.append(escapes | _BACKSLASH)
    for characters in _ENCODED:
        way = {character: _escape_of(character) for character in characters if character in text}
        if way and way not in ways:
            ways.append(way)
    return ways


def _escape_of(character: str) -> str:
    """The escape that stands for a character in a string."""
    return "\\t" if character == "\t" else "\\" + character


def _is_encoding(way: Way) -> bool:
    """Whether a way adds escapes."""
    return all(len(key) == 1 for key in way)


def text_ways(old: str) -> list[Way]:
    """The ways to read a text, those of lines first: newlines that were escaped too."""
    ways = line_ways(old)
    if "\\n" in old:
        # Who escapes newlines has escaped everything.
        decoding_ways = [way for way in ways if not _is_encoding(way)]
        ways += [{**way, **_NEWLINE} for way in ({}, *decoding_ways)]
    return ways


def decode(text: str, way: Way) -> str:
    """A text read in one of the ways, from left to right. Tabs that indent a line are never escapes."""
    if _is_encoding(way):
        table = {ord(character): escape for character, escape in way.items()}
        return re.sub(r"(?m)^([ \t]*)(.*)", lambda line: line[1] + line[2].translate(table), text)
    return re.sub(r"(?s)\\.", lambda pair: way.get(pair[0], pair[0]), text)


def decode_notes(before: str, after: str | None, way: Way) -> tuple[str, ...]:
    """The name of what was done to the new text, if anything was."""
    if after in (before, None):
        return ()
    return ("escapes_added",) if _is_encoding(way) else ("escapes_undone",)


def decode_added(hunk: Hunk, way: Way) -> tuple[Hunk, tuple[str, ...]] | None:
    """The hunk with what made it match done to its added lines, and the name of that; None where that is unclear."""
    decoded = decode_new("\n".join(hunk.new), "\n".join(hunk.old), way)
    if decoded is None:
        return None
    fitted = with_added(hunk, decoded.split("\n"))
    return fitted, decode_notes("\n".join(hunk.added), "\n".join(fitted.added), way)


def with_added(hunk: Hunk, new: Sequence[str]) -> Hunk:
    """The hunk with other added lines: those of these new lines, which are as many as its own."""
    lines: list[str] = []
    number = 0
    for line in hunk.lines:
        lines.append("+" + new[number] if line.startswith("+") else line)
        if not line.startswith("-"):
            number += 1
    return hunk.replace(lines=tuple(lines))


def decode_new(new: str, old: str, way: Way) -> str | None:
    """The new text with the escapes undone or added that made the match; None where it can't be told which were meant.

    Where newlines were escaped everything was, but for characters that the old text has as they are. A new text that
    has a character both ways, where the old one has it escaped alone, may mean either; so may an escape of its own.
    """
    if _is_encoding(way):
        carried = carry_escapes(old.split("\n"), decode(old, way).split("\n"), new.split("\n"))
        return None if carried is None else "\n".join(carried)
    old_without_escapes, new_without_escapes = re.sub(r"\\.", "", old), re.sub(r"\\.", "", new)
    only_in_new = _escapes_only_in_new(old, new)
    is_all_escaped = "\\n" in way and "\n" not in new
    # Quotes that are bare say that not everything was escaped.
    has_bare_quotes = '"' in old_without_escapes + new_without_escapes
    if only_in_new and (not is_all_escaped or has_bare_quotes):
        return None
    if "\\\\" in way and not is_all_escaped and _has_own_pattern(old.split("\n"), new.split("\n")):
        return None
    also_decoded = {escape: plain for escape, plain in only_in_new.items() if plain not in old_without_escapes}
    new_way = {**way, **also_decoded}
    for escape, plain in new_way.items():
        has_both = escape in new and plain in new_without_escapes
        if has_both and (plain not in old_without_escapes or plain == "\n"):
            return None
    return decode(new, new_way)


def _escapes_only_in_new(old: str, new: str) -> dict[str, str]:
    """The escapes that a new text has and the old one lacks, with what they stand for.

    Tabs that indent say nothing of those in a string.
    """
    old_inside, new_inside = (re.sub(r"(?m)^(?:[ \t]|\\t)+", "", text) for text in (old, new))
    known = _ESCAPES | _BACKSLASH | _NEWLINE
    return {escape: plain for escape, plain in known.items() if escape in new_inside and escape not in old_inside}


def _has_own_pattern(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a line that replaces none has a doubled backslash between quotes, as a pattern may, before something that
    no old line has there: the letter of a line break or a tab, or a word.
    """
    behind_backslashes = re.compile(r"\\\\([nrt]|\w+|.|$)")
    known: set[str] = set()
    for line in old:
        known.update(behind_backslashes.findall(line))
    for line, origin in zip(new, _origins(old, new), strict=True):
        is_quoted = not _QUOTES.isdisjoint(re.sub(r"\\.", "", line))
        if origin is None and is_quoted and not known.issuperset(behind_backslashes.findall(line)):
            return True
    return False


def carry_escapes(old: Sequence[str], file_lines: Sequence[str], new: Sequence[str]) -> list[str] | None:
    r"""New lines with the escapes that the file's lines have and the old ones lack, or the other way around.

    What a new line has in common with the old line that it replaces is written as the file has it. The rest of it is
    escaped as the same characters in the old line are. In lines that replace none, only quotes and `$` are escaped, and
    only where the file's lines are all inside of one quoted string. None where it is unclear: for a backslash that the
    old line lacks (`\s` in a pattern), and for a character that the file has both ways.
    """
    pairs_of_lines: list[list[Pair]] = []
    for old_line, file_line in zip(old, file_lines, strict=True):
        pairs = _pair_characters(old_line, file_line)
        if pairs is None:
            return None
        pairs_of_lines.append(pairs)
    added = set(new).difference(old)
    if _are_escapes_mixed(added, pairs_of_lines):
        return None
    sign_forms = _SignForms(pairs_of_lines)
    carried: list[str] = []
    for new_line, replaced_number in zip(new, _origins(old, new), strict=True):
        pairs_of_replaced = [] if replaced_number is None else pairs_of_lines[replaced_number]
        carried_line = _carry_line(new_line, pairs_of_replaced, sign_forms)
        if carried_line is None:
            return None
        carried.append(carried_line)
    return carried


def _origins(old: Sequence[str], new: Sequence[str]) -> Iterator[int | None]:
    """For each new line, the number of the old line that it is or replaces; None for one that replaces none."""
    done = 0
    for start, end, new_start, new_end in changed_blocks(old, new):
        yield from range(done, start)
        for line in new[new_start:new_end]:
            yield _most_alike(line, old, range(start, end))
        done = end
    yield from range(done, len(old))


def _most_alike(line: str, old: Sequence[str], numbers: Iterable[int]) -> int | None:
    """The number of the old line, among these, that a new line was made of; None if none of them is alike."""
    likeness = {number: Indel.normalized_similarity(line.strip(), old[number].strip()) for number in numbers}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] >= NEAR else None


def _characters(line: str) -> list[str]:
    """The characters of a line, each with the backslashes before it, and `\\u` escapes as one."""
    return re.findall(r"\\u[0-9a-fA-F]{4}|\\*[^\\]|\\+", line)


def _meaning(character: str) -> str:
    """What a character means without its backslashes."""
    if len(character) == 6 and character.startswith("\\u"):
        digits = character[2:]
        return chr(int(digits, 16))
    return character[-1]


def _pair_characters(old: str, file_line: str) -> list[Pair] | None:
    """The characters of an old line beside those of the file's, blanks left out; None if they differ in more."""
    characters = _characters(old.strip())
    file_inked = [one for one in _characters(file_line.strip()) if not one.isspace()]
    file_meanings = [_meaning(one) for one in file_inked]
    inked = [one for one in characters if not one.isspace()]
    if [_meaning(one) for one in inked] == file_meanings:
        return list(zip(inked, file_inked, strict=True))
    # A tab inside of a line may be an escape in the file.
    inked_or_tabs = [one for one in characters if one == "\t" or not one.isspace()]
    meanings = ["t" if one == "\t" else _meaning(one) for one in inked_or_tabs]
    if meanings == file_meanings:
        return list(zip(inked_or_tabs, file_inked, strict=True))
    return None


def _are_escapes_mixed(added: set[str], pairs_of_lines: Sequence[Sequence[Pair]]) -> bool:
    """Whether added lines have escapes, and also a plain character that the old lines only have with an escape.

    It counts only where the file lacks that escape: then it is unclear which escapes the added lines should lose.
    """
    if not any("\\" in line for line in added):
        return False
    pairs = list(chain.from_iterable(pairs_of_lines))
    unescaped_in_file = {_meaning(old) for old, in_file in pairs if len(in_file) < len(old)}
    only_escaped_in_old = unescaped_in_file.difference(old for old, _ in pairs)
    return any(not only_escaped_in_old.isdisjoint(_characters(line)) for line in added)


class _SignForms:
    """How the file's lines write quotes and `$`, with or without escapes, as far as it holds for lines beside them."""

    def __init__(self, pairs_of_lines: Sequence[Sequence[Pair]]) -> None:
        #: By the sign of the edit, all ways in which the file writes it.
        self.forms: dict[str, set[str]] = {}
        #: Whether the file has more backslashes than the old lines anywhere.
        self.adds = False
        for pairs in pairs_of_lines:
            for old, in_file in pairs:
                if old.isascii() and in_file.count("\\") > old.count("\\"):
                    self.adds = True
                if old in _SIGNS:
                    # The escapes of a string that begins and ends in its line are its own.
                    form = old if _has_whole_strings(pairs, old) else in_file
                    self.forms.setdefault(old, set()).add(form)

    def escape(self, sign: str) -> str | None:
        """A sign that only the new text has at its place, as the file would have it; None where that is unclear."""
        forms = self.forms.get(sign, set())
        if len(forms) == 1:
            [form] = forms
            return form
        if forms:
            return None
        # Nothing says that the lines are inside of a quoted text, or double quotes are plain characters there.
        are_all_plain = all(known_forms == {known_sign} for known_sign, known_forms in self.forms.items())
        has_plain_quotes = '"' in self.forms and are_all_plain
        if not self.adds or has_plain_quotes:
            return sign
        # Inside of the one kind of quotes, the other one is a plain character.
        other_quote = {"'": '"', '"': "'"}.get(sign, "")
        is_in_other_quotes = self.forms.get(other_quote) == {f"\\{other_quote}"}
        return sign if is_in_other_quotes else None


def _has_whole_strings(pairs: Sequence[Pair], quote: str) -> bool:
    """Whether strings in these quotes begin and end in a line of the file, which is given by its pairs."""
    if quote not in _QUOTES:
        return False
    count = [in_file for _, in_file in pairs].count(quote)
    return count > 0 and count % 2 == 0


def _carry_line(line: str, replaced: Sequence[Pair], sign_forms: _SignForms) -> str | None:
    """A new line with the escapes of the file; None where that is unclear.

    `replaced` has the pairs of the old line that it replaces, and none if it replaces none.
    """
    text = line.lstrip()
    characters = _characters(text)
    old = [one for one, _ in replaced]
    # Blanks have no pairs, unless the old line has a tab that is an escape in the file.
    indices = [index for index, one in enumerate(characters) if not one.isspace() or one in old]
    new = [characters[index] for index in indices]
    head, tail = _count_common(new, old)
    for number, index in enumerate(indices):
        from_end = len(indices) - number
        if number < head:
            _, characters[index] = replaced[number]
        elif from_end <= tail:
            _, characters[index] = replaced[-from_end]
        else:
            escaped = _escape(characters[index], replaced, sign_forms)
            if escaped is None:
                return None
            characters[index] = escaped
    return line[: len(line) - len(text)] + "".join(characters)


def _count_common(new: Sequence[str], old: Sequence[str]) -> tuple[int, int]:
    """How many characters two lines have in common at their start, and how many of the others at their end."""
    most = min(len(new), len(old))
    head = tail = 0
    while head < most and new[head] == old[head]:
        head += 1
    while tail < most - head and new[-1 - tail] == old[-1 - tail]:
        tail += 1
    return head, tail


def _escape(character: str, replaced: Sequence[Pair], sign_forms: _SignForms) -> str | None:
    """A character that only the new text has at its place, as the file would have it; None where that is unclear."""
    forms = {in_file for old, in_file in replaced if old == character}
    if len(forms) == 1:
        [form] = forms
        return form
    if forms:
        return None
    if character in _SIGNS:
        return sign_forms.escape(character)
    return None if "\\" in character else character
