"""Lines and line numbers as a message shows them.

A line stands between bars. What can't be seen is made visible: a tab is an arrow, a trailing space a dot, any other
character that doesn't print its code. A long line is cut, two that are compared around their first difference.
"""

from __future__ import annotations

from ..core.display import printable, shorten, visible_whitespace
from ..core.interface_names import interface_names
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Characters of a line, and numbers of lines, that a message shows.
LONGEST_LINE = 160
MOST_NUMBERS = 5
#: Characters that look alike of which a message gives the names.
MOST_NAMED = 3
#: Characters of a line that an `@@` line needs to name it.
LONGEST_HEADER = 80
#: Characters before the first difference that a cut line shows.
BEFORE_DIFFERENCE = 60
#: How much of two lines is compared at once.
_STEP = 4096


class Words(Value):
    """What a message calls the thing that has no place, its own side of a comparison, and where more lines go.

    A message about a string edit begins with `prefix` and calls its texts `old` and `new`; a hunk is called by its
    number instead, and has none of these.
    """

    thing: str
    side: str
    around: str
    old: str = ""
    new: str = ""
    prefix: str = ""

    #: Whether lines have prefixes and `@@` lines name places, as in a hunk.
    has_prefixes: bool = True

    @property
    def subject(self) -> str:
        """What a message about a string edit begins with; empty for a hunk."""
        text = self.prefix + self.old
        return text[0].upper() + text[1:] if text.startswith("the ") else text

    @property
    def not_found(self) -> str:
        """What a message about a text that is not in the file begins with."""
        return self.subject + (" was not found in the content" if " " in self.old else " not found in content")

    @property
    def send(self) -> str:
        """What the reader does with a text that has to be different."""
        return interface_names().send

    @property
    def again(self) -> str:
        """The advice to correct it, at the start of a sentence."""
        return f"{self.send} the {self.thing} again"

    @property
    def resend(self) -> str:
        """The same inside of a sentence."""
        return f"{self.send.lower()} the {self.thing} again"

    @property
    def look(self) -> str:
        """The advice to look at the file first."""
        return interface_names().look


HUNK = Words("hunk", "patch", "as context")
BLOCK = Words("block", "block", "in both of its parts", has_prefixes=False)


def string_words(prefix: str = "") -> Words:
    """What a message calls a string edit and its texts, in the interface that is in use."""
    names = interface_names()
    return Words("edit", "edit", f"in {names.old}", names.old, names.new, prefix)


def beside(words: Words, wanted: str, line: str) -> str:
    """Two lines one below the other, each with the name of its side."""
    width = max(len(words.side), len("file")) + 1
    return f"\n  {words.side + ':':<{width}} {wanted}\n  {'file:':<{width}} {line}"


def visible(line: str) -> str:
    """A line between bars, cut at its end where it is long."""
    return _barred(line, 0)


def visible_pair(wanted: str, line: str) -> tuple[str, str, str]:
    """Two lines that differ, each between bars and cut around their first difference; and the legend that they need."""
    start = 0
    note = ""
    if max(len(wanted), len(line)) > LONGEST_LINE:
        start = max(0, _first_difference(wanted, line) - BEFORE_DIFFERENCE)
    if start:
        note = f"\n  (shown from character {start + 1} on)"
    one, other = _barred(wanted, start), _barred(line, start)
    return one, other, note + _legend(one, other, wanted, line, start)


def _barred(line: str, start: int) -> str:
    shown = shorten(line[start:], LONGEST_LINE)
    return f"|{visible_whitespace('…' + shown if start else shown)}|"


def _first_difference(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    position = 0
    while position < len(one) and one[position : position + _STEP] == other[position : position + _STEP]:
        position += _STEP
    for a, b in zip(one[position : position + _STEP], other[position : position + _STEP], strict=False):
        if a != b:
            break
        position += 1
    return min(position, len(one), len(other))


def _legend(one: str, other: str, wanted: str, line: str, start: int) -> str:
    """What the signs mean that stand for what can't be seen, and the names of characters that look alike."""
    end = start + LONGEST_LINE
    wanted, line = wanted[start:end], line[start:end]
    signs = []
    if "\t" in wanted + line:
        signs.append("→ is a tab")
    if "·|" in one + other and (wanted[-1:] == " " or line[-1:] == " "):
        signs.append("· is a trailing space")
    odd = sorted({c for c in wanted + line if not c.isascii()} & (set(wanted) ^ set(line)))
    for character in odd[:MOST_NAMED]:
        code = f"U+{ord(character):04X}"
        if character.isprintable():
            signs.append(f"{character} is {code}")
        else:
            from unicodedata import name

            signs.append(f"⟨{code}⟩ is {name(character, 'no character')}")
    return f"\n  ({', '.join(signs)})" if signs else ""


def header_form(line: str) -> str:
    """The `@@` line that names this line. A long one is cut: the beginning of a line is enough."""
    text = line.strip()
    if len(text) > LONGEST_HEADER:
        text = text[:LONGEST_HEADER].rpartition(" ")[0] or text[:LONGEST_HEADER]
    return "@@ " + printable(text)


def line_list(numbers: Sequence[int]) -> str:
    """`line 6`, `lines 6 and 14`, `lines 1, 3, 5, 7, 9 and more`."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > MOST_NUMBERS:
        return f"lines {', '.join(map(str, numbers[:MOST_NUMBERS]))} and more"
    return f"lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def line_range(first: int, last: int) -> str:
    """`line 6` or `lines 6-8`."""
    return f"line {first}" if first >= last else f"lines {first}-{last}"
