"""Control characters that a text would bring into a file."""

from __future__ import annotations


def control_character(added: str, there: str, allowed: str = "\t\f\n\r") -> str | None:
    """The first control character or lone surrogate that is added, except those allowed or there already."""
    if added.replace("\n", "").replace("\t", "").isprintable():
        return None
    new = set(added).difference(there, allowed)
    return min([one for one in new if one < " " or "\x7f" <= one < "\xa0" or "\ud800" <= one <= "\udfff"], default=None)
