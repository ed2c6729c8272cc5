"""Text as messages, terminals and pages show it: nothing invisible, nothing that steers a terminal, not too long.

Whatever a person is shown to decide on goes through `printable` or a function that uses it. `review/static/dom.js` has
the same rule for the page, and a test compares the two over all of Unicode.
"""

from __future__ import annotations

from .common_limits import LONGEST_OUTSIDE_TEXT, MOST_MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .line_hunks import LineHunk

#: Controls except for newline and tab, line and paragraph separators, and what changes the direction of text.
_STEERING = {
    code: f"⟨U+{code:04X}⟩"
    for first, last in ((0, 8), (11, 31), (127, 159), (0x2028, 0x202E), (0x2066, 0x2069))
    for code in range(first, last + 1)
}
#: Characters that Python calls printable although they have no ink, as ranges of code points. The first group has the
#: letters and marks of Unicode's Default_Ignorable_Code_Point (the same from Unicode 9 to 17; its other members are in
#: categories that never print). The second has what Unicode describes as blank or invisible besides.
_NO_INK_RANGES = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors, also the one that makes an emoji of a symbol
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xE0100, 0xE01EF),  # further variation selectors
    (0x2800, 0x2800),  # Braille pattern without dots
    (0x2D7F, 0x2D7F),  # Tifinagh consonant joiner
    (0xFFFC, 0xFFFC),  # object replacement character
    (0x1107F, 0x1107F),  # Brahmi number joiner
    (0x13440, 0x13442),  # Egyptian mirror mark and blanks
    (0x16FE4, 0x16FE4),  # Khitan small script filler
    (0x1D159, 0x1D159),  # musical symbol null notehead
)
#: No mark that joins the character before it comes before this one.
_FIRST_MARK = "\u0300"
#: What every code of a character starts with.
_CODE_START = "⟨U+"
#: What spaces and tabs at the end of a line are shown as.
_MARKS = {" ": "·", "\t": "→"}
_NO_INK = frozenset([chr(code) for first, last in _NO_INK_RANGES for code in range(first, last + 1)])


def plural(noun: str, count: int) -> str:
    """A noun with an s, unless there is one of it."""
    return noun if count == 1 else f"{noun}s"


def has_ink(character: str) -> bool:
    """Whether a person can see a character: the space is the only blank one."""
    return character.isprintable() and character not in _NO_INK


def printable(text: str, keep: str = "\n\t") -> str:
    """The text with each character that has no ink replaced by its code, `⟨U+001B⟩`; `keep` stays as it is.

    This includes what joins or varies emoji: two texts that differ must look different. So the bracket of a text that
    looks like a code is replaced by its own, and marks that a terminal would leave out have their codes.
    """
    if text.isascii() and text.isprintable():
        return text
    # No character is left out or joined to the next, so only a text that has the beginning of a code can forge one.
    text = text.replace(_CODE_START, code_of("⟨") + _CODE_START[1:])
    if not text.isprintable() or not _NO_INK.isdisjoint(text):
        text = "".join([c if has_ink(c) or c in keep else code_of(c) for c in text])
    return _with_few_marks(text) if max(text, default="") >= _FIRST_MARK else text


def _with_few_marks(text: str) -> str:
    """The text with the third and every further mark on a character as its code."""
    from unicodedata import category

    marks = {character for character in set(text) if category(character) in ("Mn", "Me")}
    if not marks:
        return text
    pieces: list[str] = []
    count = 0
    for character in text:
        count = count + 1 if character in marks else 0
        pieces.append(character if count <= MOST_MARKS else code_of(character))
    return "".join(pieces)


def code_of(character: str) -> str:
    """The code of a character, which is shown instead of it: `⟨U+001B⟩`."""
    return f"⟨U+{ord(character):04X}⟩"


def one_line(text: str) -> str:
    """The text on one line: like `printable`, newlines and tabs included."""
    return printable(text, "")


def safe_text(text: str, reader: str = "line") -> str:
    """Text that comes from outside, such as a file's name or somebody's answer, made safe for its reader.

    A "line" has it as a part of one line of ours, and it stays on that line. A "message" has it among lines of ours: no
    line of it can be taken for one of them. A "terminal" shows it as it is. No reader gets a character without ink.
    """
    if reader == "line":
        return shorten(one_line(text), LONGEST_OUTSIDE_TEXT)
    return printable(text).replace("\n", "\n    ") if reader == "message" else printable(text)


def model_text(text: str) -> str:
    """A whole answer for a model: as it is, except for characters that steer a terminal or forge a line, and bytes."""
    if text.isprintable():
        return text
    return encodable(text).translate(_STEERING)


def terminal_text(text: str) -> str:
    """A whole message, as made for models, for a person at a terminal: what has no ink is shown as its code.

    Codes that it has already stay as they are.
    """
    if text.isprintable() and _NO_INK.isdisjoint(text):
        return text
    return "".join([c if has_ink(c) or c in "\n\t" else code_of(c) for c in encodable(text)])


def visible_whitespace(line: str, tab: str = "→") -> str:
    """The line with tabs as arrows, trailing spaces as dots, and other characters without ink as their codes.

    An arrow that the line itself has is shown as its code, and so is a dot at its end.
    """
    body = line.rstrip(" ")
    pieces = [one_line(piece).replace("→", code_of("→")) for piece in body.split("\t")]
    pieces[-1] = _distinct_end(pieces[-1])
    return tab.join(pieces) + "·" * (len(line) - len(body))


def visible_ends(line: str) -> str:
    """A line as it is, except for whitespace at its end: spaces as dots, tabs as arrows, others as their codes.

    A dot or an arrow that the line itself has at its end is shown as its code.
    """
    body = line.rstrip()
    marks = [_MARKS.get(character) or one_line(character) for character in line[len(body) :]]
    return _distinct_end(printable(body)) + "".join(marks)


def _distinct_end(text: str) -> str:
    """The text with its last character as its code if it looks like the mark of a space or a tab."""
    return text[:-1] + code_of(text[-1]) if text.endswith(tuple(_MARKS.values())) else text


def hunk_text(hunk: LineHunk) -> str:
    """A hunk for a person: nothing invisible, also not at the end of a line that is added or removed."""
    return "\n".join([printable(hunk.header), *[diff_line(line) for line in hunk.written_lines]])


def diff_line(line: str) -> str:
    """A line of a hunk for a person. Unchanged lines keep their spaces, but not a carriage return."""
    return line[0] + visible_ends(line[1:]) if line[:1] in ("+", "-") else printable(line)


def shorten(text: str, limit: int) -> str:
    """The text, cut to `limit` characters with an ellipsis at its end."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def blank_out(text: str) -> str:
    """The text with each character that has no ink replaced by a space, for text that other programs supply."""
    return "".join([c if has_ink(c) else " " for c in text])


def encodable(text: str) -> str:
    """The text with lone surrogates, which stand for bytes that are not UTF-8, written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
