"""Text as messages and terminals show it: nothing invisible, nothing that steers a terminal, not too long."""

from __future__ import annotations

#: The most characters of a text from outside on one line.
LONGEST_NAME = 300
#: Controls except for newline and tab, line and paragraph separators, and what changes the direction of text.
_STEERING = {
    code: f"⟨U+{code:04X}⟩"
    for first, last in ((0, 8), (11, 31), (127, 159), (0x2028, 0x202E), (0x2066, 0x2069))
    for code in range(first, last + 1)
}


def printable(text: str, keep: str = "\n\t") -> str:
    """The text with each character that doesn't print replaced by its code, `⟨U+001B⟩`; `keep` stays as it is."""
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() or c in keep else f"⟨U+{ord(c):04X}⟩" for c in text])


def one_line(text: str) -> str:
    """The text on one line: like `printable`, newlines and tabs included."""
    return printable(text, "")


def safe_text(text: str, reader: str = "line") -> str:
    """Text that comes from outside, such as a file's name or somebody's answer, made safe for its reader.

    A "line" has it as a part of one line of ours, and it stays on that line. A "message" has it among lines of ours: no
    line of it can be taken for one of them. A "terminal" shows it as it is. No reader gets a character that doesn't
    print.
    """
    if reader == "line":
        return shorten(one_line(text), LONGEST_NAME)
    return printable(text).replace("\n", "\n    ") if reader == "message" else printable(text)


def model_text(text: str) -> str:
    """A whole answer for a model: as it is, except for characters that steer a terminal or forge a line, and bytes."""
    if text.isprintable():
        return text
    return encodable(text).translate(_STEERING)


def visible_whitespace(line: str, tab: str = "→") -> str:
    """The line with tabs as arrows, trailing spaces as dots, and other characters that don't print as their codes."""
    kept = line.rstrip(" ")
    return one_line(kept.replace("\t", tab)) + "·" * (len(line) - len(kept))


def shorten(text: str, limit: int) -> str:
    """The text, cut to `limit` characters with an ellipsis at its end."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def blank_out(text: str) -> str:
    """The text with each character that doesn't print replaced by a space, for text that other programs supply."""
    return "".join([c if c.isprintable() else " " for c in text])


def encodable(text: str) -> str:
    """The text with lone surrogates, which stand for bytes that are not UTF-8, written as escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
