"""Ways to spoil the frame of an envelope and the prefixes of its lines: the concessions of SPEC §3.

Each takes the draft, the envelope so far and chance, and gives the spoilt text, or nothing where it does not apply.
Those that spoil prefixes write the envelope anew from the draft.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from .ambiguity import places
from .change import Draft, envelope, section

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


def prose_around(_draft: Draft, text: str, chance: random.Random) -> str:
    """A sentence before and after."""
    before = chance.choice(
        ("Here is the patch:", "I'll update the file.\n\nThe change is small:", "Sure! Let me fix it.")
    )
    after = chance.choice(("", "Let me know if anything else is needed.", "This keeps the old behaviour.\n\n- done"))
    return f"{before}\n\n{text}\n{after}\n"


def fenced(_draft: Draft, text: str, chance: random.Random) -> str:
    """A Markdown fence around."""
    return f"```{chance.choice(('', 'diff', 'patch', 'text'))}\n{text}```\n"


def fenced_in_prose(draft: Draft, text: str, chance: random.Random) -> str:
    """A Markdown fence with prose around it."""
    return prose_around(draft, fenced(draft, text, chance), chance)


def heredoc(_draft: Draft, text: str, chance: random.Random) -> str:
    """A heredoc, as for a shell."""
    word = chance.choice(("EOF", "PATCH"))
    opening = chance.choice(
        (f"<<'{word}'", f"apply_patch <<'{word}'", f'apply_patch <<"{word}"', f"apply_patch << {word}")
    )
    return f"{opening}\n{text}{word}\n"


def command_in_front(_draft: Draft, text: str, chance: random.Random) -> str:
    """The command's name in front."""
    return chance.choice(("apply_patch\n", "apply_patch ", "$ apply_patch\n")) + text


def json_object(_draft: Draft, text: str, chance: random.Random) -> str:
    """A JSON object with the envelope as its string."""
    return json.dumps({chance.choice(("input", "patch", "patchText", "patch_text")): text})


def json_argv(_draft: Draft, text: str, _chance: random.Random) -> str:
    """A JSON list: the command and the envelope."""
    return json.dumps(["apply_patch", text])


def json_command(_draft: Draft, text: str, _chance: random.Random) -> str:
    """A JSON object whose command is such a list."""
    return json.dumps({"command": ["apply_patch", text]})


def escaped_newlines(_draft: Draft, text: str, _chance: random.Random) -> str | None:
    """All newlines arrived as backslash and n; only where no other backslash makes that unclear."""
    return None if "\\" in text else text.rstrip("\n").replace("\n", "\\n")


def crlf(_draft: Draft, text: str, _chance: random.Random) -> str:
    """The patch text has CRLF line endings."""
    return text.replace("\n", "\r\n")


def _markers(text: str, change: Callable[[str], str]) -> str:
    """Every `***` line changed; hunk lines never start with a star."""
    return "\n".join(change(line) if line.startswith("***") else line for line in text.split("\n"))


def padded_markers(_draft: Draft, text: str, chance: random.Random) -> str:
    """White space around markers; inside a section only after them, where it can't be taken for a prefix."""

    def padded(line: str) -> str:
        left = "" if line == "*** End of File" else chance.choice(("", " ", "  "))
        return left + line + chance.choice((" ", "   ", "\t"))

    return _markers(text, padded)


def other_capitals(_draft: Draft, text: str, chance: random.Random) -> str:
    """Markers in lower or upper case; the path stays as it is."""
    change = chance.choice((str.lower, str.upper))

    def recase(line: str) -> str:
        head, colon, path = line.partition(":")
        return change(head) + colon + path

    return _markers(text, recase)


def no_space_in_markers(_draft: Draft, text: str, _chance: random.Random) -> str:
    """`***Begin Patch`."""
    return _markers(text, lambda line: line.replace("*** ", "***", 1))


def _path(draft: Draft, text: str, written: str) -> str:
    return text.replace(f"*** Update File: {draft.path}\n", f"*** Update File: {written}\n")


def quoted_path(draft: Draft, text: str, chance: random.Random) -> str:
    """The path in quotes."""
    quote = chance.choice("\"'")
    return _path(draft, text, quote + draft.path + quote)


def backticked_path(draft: Draft, text: str, _chance: random.Random) -> str:
    """The path in backticks."""
    return _path(draft, text, f"`{draft.path}`")


def dotted_path(draft: Draft, text: str, _chance: random.Random) -> str:
    """The path with `./` in front."""
    return _path(draft, text, f"./{draft.path}")


def file_headers(draft: Draft, text: str, _chance: random.Random) -> str:
    """`--- a/x` and `+++ b/x` after the header."""
    return _path(draft, text, f"{draft.path}\n--- a/{draft.path}\n+++ b/{draft.path}")


def environment_id(_draft: Draft, text: str, chance: random.Random) -> str:
    """`*** Environment ID: x`."""
    return text.replace("*** Begin Patch\n", f"*** Begin Patch\n*** Environment ID: env-{chance.randrange(1000)}\n", 1)


def cut_off(_draft: Draft, text: str, chance: random.Random) -> str:
    """The text ends too early, at the latest inside the closing marker."""
    end = text.rindex("*** End Patch") + len("*** End Patc")
    return text[: chance.randrange(end // 3, end + 1)]


def no_end(_draft: Draft, text: str, _chance: random.Random) -> str:
    """The closing marker is not there at all."""
    return text[: text.rindex("*** End Patch")]


# Prefixes


def _changed(draft: Draft, line: Callable[[str], str]) -> str | None:
    spoilt = envelope(draft, line)
    return None if spoilt == envelope(draft) else spoilt


def bare_blank(draft: Draft, _text: str, _chance: random.Random) -> str | None:
    """Blank context lines have no prefix."""
    return _changed(draft, lambda line: "" if line == " " else line)


def _bare(line: str, *, flush_only: bool) -> str:
    content = line[1:]
    if line[0] != " " or not content.strip() or re.match(r"[-+@\\]|\*\*\*|\s+\*\*\*", content):
        return line
    return line if flush_only and content[0].isspace() else content


def bare_flush_context(draft: Draft, _text: str, _chance: random.Random) -> str | None:
    """Context lines that are not indented have no prefix."""
    return _changed(draft, lambda line: _bare(line, flush_only=True))


def bare_context(draft: Draft, _text: str, _chance: random.Random) -> str | None:
    """No context line has a prefix: an indented one stands one column to the left."""
    return _changed(draft, lambda line: _bare(line, flush_only=False))


def bare_one_context(draft: Draft, _text: str, chance: random.Random) -> str | None:
    """One context line of the patch has no prefix."""
    lines = [line for piece in draft.written for line in piece.lines if _bare(line, flush_only=False) != line]
    if not lines:
        return None
    chosen = chance.choice(lines)
    return _changed(draft, lambda line: _bare(line, flush_only=False) if line == chosen else line)


def _without_plus(draft: Draft, chance: random.Random, *, blank: bool) -> str | None:
    """Added lines between two added ones without their prefix: all blank ones, or one that is not indented.

    Not where the hunk stands in the file with these lines as context: that is what the text says then.
    """
    spots = [
        (number, i)
        for number, lines in enumerate(piece.lines for piece in draft.written)
        for i in range(1, len(lines) - 1)
        if all(line[0] == "+" for line in lines[i - 1 : i + 2])
        and (lines[i] == "+" if blank else re.match(r"\+[^\s+@*\\-]", lines[i]))
    ]
    if not spots:
        return None
    chosen = set(spots if blank else [chance.choice(spots)])
    text = ["*** Begin Patch", f"*** Update File: {draft.path}"]
    for number, piece in enumerate(draft.written):
        bare = [(number, i) in chosen for i in range(len(piece.lines))]
        old = [line[1:] for line, is_bare in zip(piece.lines, bare, strict=True) if is_bare or line[0] != "+"]
        if any(bare) and places(draft.before, tuple(old)):
            return None
        text += piece.header()
        text += [line[1:] if is_bare else line for line, is_bare in zip(piece.lines, bare, strict=True)]
    return "\n".join([*text, "*** End Patch"]) + "\n"


def bare_added_blank(draft: Draft, _text: str, chance: random.Random) -> str | None:
    """Blank lines between two added lines have no prefix."""
    return _without_plus(draft, chance, blank=True)


def bare_added(draft: Draft, _text: str, chance: random.Random) -> str | None:
    """One line between two added ones has no prefix."""
    return _without_plus(draft, chance, blank=False)


def blank_layout(draft: Draft, _text: str, _chance: random.Random) -> str:
    """A blank line after every hunk, that is no part of it."""
    lines = []
    for piece in draft.written:
        lines += [*piece.header(), *piece.lines, ""]
    return "\n".join(["*** Begin Patch", f"*** Update File: {draft.path}", *lines, "*** End Patch"]) + "\n"


#: How file viewers print a line with its number.
NUMBERED = ("{:>6}\t{}", "{}: {}", "{:>4} | {}", "{:>5}→{}")


def line_numbers(draft: Draft, _text: str, chance: random.Random) -> str:
    """Line numbers in front of every old line, as a file viewer prints them."""
    form = chance.choice(NUMBERED)
    lines = ["*** Begin Patch", f"*** Update File: {draft.path}"]
    for piece in draft.written:
        lines += piece.header()
        number = piece.start
        for line in piece.lines:
            if line[0] != "+":
                number += 1
            lines.append(line if line[0] == "+" else line[0] + form.format(number, line[1:]))
    return "\n".join([*lines, "*** End Patch"]) + "\n"


def several_envelopes(draft: Draft, text: str, chance: random.Random) -> str:
    """Two envelopes one after another: the hunks shared out, or a second file in the second."""
    gap = chance.choice(("", "\n", "\n\n"))
    if len(draft.written) == 1:
        return f"{text}{gap}*** Begin Patch\n*** Add File: added-beside.txt\n+one line\n*** End Patch\n"
    half = len(draft.written) // 2
    parts = draft.written[:half], draft.written[half:]
    return gap.join("\n".join(["*** Begin Patch", *section(draft, part), "*** End Patch"]) + "\n" for part in parts)
