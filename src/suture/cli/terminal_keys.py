"""The keys of a terminal, by name."""

from __future__ import annotations

#: How often requests are looked at although nothing was told, in seconds: a killed program tells nobody.
TICK = 1.0
#: The keys that a terminal sends as several characters.
SEQUENCES = {
    "\x1b[A": "k",
    "\x1b[B": "j",
    "\x1bOA": "k",
    "\x1bOB": "j",
    "\x1b[C": "enter",
    "\x1b[D": "back",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b": "back",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x03": "interrupt",
    "\x04": "quit",
}


def split_keys(text: str) -> list[str]:
    """The keys in what a terminal has sent: names for special ones, characters for all others."""
    keys = []
    while text:
        sequence = _first_sequence(text)
        if sequence:
            keys.append(SEQUENCES[sequence])
            text = text[len(sequence) :]
        elif len(text) > 2 and text[0] == "\x1b" and text[1] in "[O":
            # A sequence of a key that is not used.
            text = text[_end_of_sequence(text) :]
        else:
            keys.append(SEQUENCES.get(text[0], text[0]))
            text = text[1:]
    return keys


def _first_sequence(text: str) -> str:
    """The sequence of a key that a text starts with; empty if none. A lone escape character is none."""
    for sequence in SEQUENCES:
        if sequence != "\x1b" and text.startswith(sequence):
            return sequence
    return ""


def _end_of_sequence(text: str) -> int:
    """Where a sequence ends: after the first letter or `~` that follows its two first characters."""
    for position, char in enumerate(text[2:], 2):
        if char.isalpha() or char == "~":
            return position + 1
    return len(text)
