"""A hunk held against the nearest place: how many lines agree, and the first that does not, in words.

For explanations: a hunk that comes here is refused.
"""

from __future__ import annotations

from .message_lines import HUNK, beside, line_list, line_range, visible, visible_pair
from .nearest import CLOSE_LINES, close_line, find_nearest, numbers_of, probes_of
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.text import Text
    from .message_lines import Words
    from .nearest import Nearest

#: Lines of a hunk that are compared, and those that are not there of which more is said.
MOST_OLD = 20_000
MOST_LOST = 20

_AS_IT_IS = "Send the {} again with the lines as the file has them."
_READ_AGAIN = "Read the file again, and send the {} with the lines that it has now."


class Differences:
    """What was seen: a message, what to do, the nearest place as data, and the lines that are not there."""

    __slots__ = ("hint", "lost", "message", "nearest")

    def __init__(self, message: str, hint: str, nearest: dict[str, object] | None, lost: Sequence[str]) -> None:
        self.message = message
        self.hint = hint
        self.nearest = nearest
        self.lost = lost


def differences(text: Text, hunk: Hunk, dialect: Dialect, low: int = 0, words: Words = HUNK) -> Differences:
    """What stands between a hunk and the text. A place from the offset `low` on is preferred."""
    old = hunk.old[:MOST_OLD]
    numbered = _numbered(text, old, words)
    if numbered is not None:
        return numbered
    probes, every = probes_of(old, len(text.body))
    nearest = find_nearest(text, old, probes, low)
    if nearest is not None:
        return _Comparison(text, hunk, dialect, nearest, words).told()
    return _no_line(text, old, dialect, 0 if every else len(probes), words)


class _Comparison:
    """The lines of a hunk beside those that they face."""

    def __init__(self, text: Text, hunk: Hunk, dialect: Dialect, nearest: Nearest, words: Words) -> None:
        self.text = text
        self.words = words
        self.kinds = [line[0] for line in hunk.lines if line[0] != "+"]
        self.old = old = hunk.old[:MOST_OLD]
        self.first_ones = "its first " * (len(self.kinds) > MOST_OLD)
        self.lines, self.faces = nearest.lines, nearest.faces
        fold = FOLDS[[tier for tier in dialect.tiers if tier in FOLDS][-1]]
        self.agree: list[int] = []
        self.loose: list[int] = []
        self.other: list[int] = []
        self.missing: list[int] = []
        for index, (face, equal) in enumerate(zip(nearest.faces, nearest.equal, strict=True)):
            if face is None:
                self.missing.append(index)
            elif not equal:
                self.other.append(index)
            elif fold(nearest.lines[face]) == fold(old[index]):
                self.agree.append(index)
            else:
                self.loose.append(index)
        inside = [face for face in nearest.faces if face is not None and 0 <= face < len(nearest.lines)]
        self.first, self.last = inside[0], inside[-1]
        present = set(inside)
        self.extra = [number for number in range(self.first, self.last + 1) if number not in present]

    def told(self) -> Differences:
        """The message with its hint and its data."""
        count, agree = len(self.old), len(self.agree)
        line = self.first + 1
        thing = self.words.thing
        hint = (_AS_IT_IS if (agree + len(self.loose)) * 2 >= count else _READ_AGAIN).format(thing)
        lost = [self.old[index] for index in sorted((*self.missing, *self.other))[:MOST_LOST]]
        elided = next(filter(_is_ellipsis, lost), None)
        if elided is not None and numbers_of(self.text, elided) == []:
            message = f"Its line {visible(elided)} is not in the file, and {self._a_thing()} can't leave out "
            message += "lines between its own."
            hint = f"Make two {thing}s of it, one for the lines on each side, or write all lines out."
        elif self.missing and not (self.other or self.extra or self.loose):
            message, hint = self._only_missing()
        elif self.extra and not (self.other or self.missing or self.loose):
            message, hint = self._only_extra()
            line = self.extra[0] + 1
        else:
            message = f"The nearest place is {self._place()}: {agree} of {self.first_ones}{count} lines "
            message += "agrees" if agree == 1 else "agree"
            if self.loose and not (self.other or self.missing or self.extra):
                what = self._how_loose()
                rest = "the other line differs" if len(self.loose) == 1 else f"the other {len(self.loose)} differ"
                message += f", {rest} only in {what}."
                message = message if count > 1 else f"Line {line} differs only in {what}:"
                hint = f"Send the {thing} again with the {what} that the file has."
            else:
                message += f", {len(self.loose)} more but for {self._how_loose()}." if self.loose else "."
                message = message if count > 1 else "Its line is not in the file."
            line, words = self._first_difference()
            message += words
        nearest: dict[str, object] = {"first": self.first + 1, "last": self.last + 1, "agree": agree, "of": count}
        nearest["line"] = line
        return Differences(message, hint, nearest, lost)

    def _a_thing(self) -> str:
        return f"{'an' if self.words.thing[0] in 'aeiou' else 'a'} {self.words.thing}"

    def _place(self) -> str:
        return line_range(self.first + 1, self.last + 1)

    def _only_missing(self) -> tuple[str, str]:
        """All lines that the file has stand in order; some of the hunk's are not among them."""
        line, count = self.old[self.missing[0]], len(self.missing)
        rest = len(self.old) - count
        others = f"the other {rest} lines are at {self._place()}" if rest > 1 else f"the other is at {self._place()}"
        removes = any(self.kinds[index] == "-" for index in self.missing)
        if count > 1:
            hint = "Leave those lines out" + ", if they are gone already" * removes
            return f"{count} of its lines are not there, the first is {visible(line)}; {others}.", hint + "."
        hint = "Leave that line out" + ", if it is gone already" * removes
        return f"{visible(line)} {self._whereabouts(line)}; {others}.", hint + "."

    def _only_extra(self) -> tuple[str, str]:
        """All the hunk's lines stand in order, and the file has others among them."""
        number = self.extra[0]
        shown = f"line {number + 1}, {visible(self.lines[number])}"
        if len(self.extra) == 1:
            message = f"Its lines are all at {self._place()}, but the file has one more among them: {shown}."
            return message, f"Send the {self.words.thing} again with that line in it."
        message = (
            f"Its lines are all at {self._place()}, but the file has {len(self.extra)} more among them; the first is"
        )
        return f"{message} {shown}.", f"Send the {self.words.thing} again with these lines in it."

    def _whereabouts(self, line: str) -> str:
        """Where else a line stands, or that it is nowhere."""
        numbers = numbers_of(self.text, line)
        if numbers is None:
            return "is not there"
        return f"stands elsewhere, at {line_list(numbers)}" if numbers else "is not in the file"

    def _first_difference(self) -> tuple[int, str]:
        """The first line that differs, is missing or is one too many: its number, and both versions."""
        defects = sorted((*self.other, *self.missing)) or self.loose
        more = ""
        if self.extra:
            first = self.extra[0]
            what = "a line" if len(self.extra) == 1 else f"{len(self.extra)} lines"
            more = f"\nThe file has {what} more among them, line {first + 1}: {visible(self.lines[first])}"
        if not defects:
            return self.first + 1, more
        index = defects[0]
        face, wanted = self.faces[index], self.old[index]
        which = "The first that does not" if len(defects) > 1 else "The one that does not"
        if face is None:
            before = [face for face in self.faces[:index] if face is not None]
            number = (before[-1] if before else self.first) + 1
            return number, f"{more}\n{which}, {visible(wanted)}, {self._whereabouts(wanted)}."
        if not 0 <= face < len(self.lines):
            where = "ends before it" if face > 0 else "begins below it"
            return face + 1, f"{more}\n{which}:{beside(self.words, visible(wanted), f'(the file {where})')}"
        one, other, legend = visible_pair(wanted, self.lines[face])
        which = "" if len(self.old) == 1 else f"{more}\n{which} is line {face + 1}:"
        return face + 1, which + beside(self.words, one, other) + legend

    def _how_loose(self) -> str:
        """What the lines that nearly agree differ in."""
        kinds = set()
        for index in self.loose:
            face = self.faces[index]
            assert face is not None, "BUG: a line that agrees faces one"
            wanted, line = self.old[index], self.lines[face]
            kinds.add("white space" if wanted.split() == line.split() else "punctuation")
        return " and ".join(sorted(kinds, reverse=True))


def _is_ellipsis(line: str) -> bool:
    """Whether a line stands for lines that were left out: `# ... rest of the code`."""
    return line.strip(" \t#/*-<!;%{(").startswith(("...", "…"))


def _no_line(text: Text, old: Sequence[str], dialect: Dialect, longest: int, words: Words) -> Differences:
    """No line of the hunk that was looked for is in the file: all distinctive ones, or so many of the longest."""
    if not text.body:
        fill = "To fill it, send a hunk of + lines alone." if dialect.insertion != "never" else "Read it again."
        if words.subject:
            fill = "To fill it, leave oldString empty."
        return Differences("The file is empty.", fill, None, old[:MOST_LOST])
    telling = [line for line in old if is_distinctive(line)]
    all_tell = not telling or len(telling) == sum(bool(line.strip()) for line in old)
    none = "None of its lines" if all_tell else "None of its lines that say something"
    none = f"None of its {longest} longest lines" if longest else none
    close = close_line(text, *sorted(telling, key=len, reverse=True)[:2])
    if close is not None:
        number, line = close
        one, other, legend = visible_pair(line, text.lines[number - 1])
        within = "" if len(text.lines) <= CLOSE_LINES else f" of the first {CLOSE_LINES}"
        message = f"{none} is in the file. The nearest to one of them{within} is line {number}:"
        if len(old) == 1:
            message = f"It is not in the file. The nearest{within} is line {number}:"
        message += beside(words, one, other) + legend
        nearest: dict[str, object] = {"first": number, "last": number, "agree": 0, "of": len(old), "line": number}
        return Differences(
            message, _AS_IT_IS.format(words.thing).replace(".", ", if that is the place."), nearest, old[:MOST_LOST]
        )
    first = next((line for line in (*telling, *old) if line.strip()), "")
    message = f"{none} is in the file, and none is close; the first is {visible(first)}."
    hint = f"Read the file again: this may be the {words.thing} of another file, or of an old version of this one."
    return Differences(message, hint, None, old[:MOST_LOST])


def _numbered(text: Text, old: Sequence[str], words: Words) -> Differences | None:
    """Whether the lines have the numbers in front that a file viewer prints, and stand in the file without them."""
    from re import compile as pattern

    mark = pattern(r"[ \t]*\d+ ?[|:→│\t] ?")
    lines = [line for line in old[:200] if line.strip()]
    if not lines or not all(mark.match(line) for line in lines):
        return None
    bare = next((line for line in (mark.sub("", line, count=1) for line in lines) if is_distinctive(line)), "")
    if not bare or not numbers_of(text, bare):
        return None
    message = f"Its lines have line numbers in front, which the file has not: {visible(lines[0])}"
    return Differences(message, f"Send the {words.thing} again without the line numbers.", None, ())
