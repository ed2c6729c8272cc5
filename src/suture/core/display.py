"""Text as messages and terminals show it: nothing invisible, nothing that steers a terminal, not too long."""

from __future__ import annotations


def printable(text: str, keep: str = "\n\t") -> str:
    """The text with each character that doesn't print replaced by its code, `⟨U+001B⟩`; `keep` stays as it is."""
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() or c in keep else f"⟨U+{ord(c):04X}⟩" for c in text])


def one_line(text: str) -> str:
    """The text on one line: like `printable`, newlines and tabs included."""
    return printable(text, "")


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
