"""Characters that no edit may add to a text file."""

from __future__ import annotations


def control_character(added: str, there: str, allowed: str = "\t\f\n\r") -> str | None:
    """The first control character or lone surrogate that is added, except those allowed or there already."""
    if added.replace("\n", "").replace("\t", "").isprintable():
        return None
    odd = [
        character
        for character in sorted(set(added) - set(there))
        if (character < " " and character not in allowed)
        or "\x7f" <= character < "\xa0"
        or "\ud800" <= character <= "\udfff"
    ]
    return odd[0] if odd else None
