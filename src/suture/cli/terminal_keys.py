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
        sequence = next((one for one in SEQUENCES if text.startswith(one) and one != "\x1b"), None)
        if sequence is None and text[0] == "\x1b" and len(text) > 2 and text[1] in "[O":
            # A sequence of a key that is not used: up to its letter.
            end = next((n for n, char in enumerate(text[2:], 3) if char.isalpha() or char == "~"), len(text))
            text = text[end:]
            continue
        sequence = sequence or text[0]
        keys.append(SEQUENCES.get(sequence, sequence))
        text = text[len(sequence) :]
    return keys
