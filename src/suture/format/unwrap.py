"""What models wrap around an envelope: prose, fences, heredocs, JSON, escaped newlines; and around a path.

`envelope` asks here what a line outside the envelope is, and for the envelope inside a text that shows none line by
line.
"""

from __future__ import annotations

from ..core.dialect import BEGIN, COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..core.patch import Operation


def kind_of(line: str) -> str:
    """The name of the concession that a line outside of the envelope asks for."""
    line = line.strip()
    if line.startswith(("```", "~~~")):
        return "fence"
    if heredoc_word(line) is not None:
        return "heredoc"
    return "command" if is_command(line) else "prose"


def is_command(text: str) -> bool:
    """Whether a text is the name of the program and nothing else."""
    return text.strip() in COMMANDS


def command_before(line: str) -> tuple[str, str] | None:
    """The command before an envelope on the same line, and the quote that it opens, if it does.

    None where the line does not end in `*** Begin Patch` or has something else in front of it.
    """
    command = line.removesuffix(BEGIN)
    quote = command[-1:] if command[-1:] in ("'", '"') else ""
    if command == line or not is_command(command.removesuffix(quote)):
        return None
    return command, quote


def shell_escape(operations: Iterable[Operation], quote: str) -> str | None:
    """The first escape in what operations write or look for that a shell would undo between these quotes."""
    escapes = ("'\\''", "'\"'\"'") if quote == "'" else ('\\"', "\\$", "\\`", "\\\\")
    for operation in operations:
        lines = [line for hunk in getattr(operation, "hunks", ()) for line in hunk.lines]
        text = "\n".join((*lines, getattr(operation, "content", "")))
        for escape in escapes:
            if escape in text:
                return escape
    return None


def heredoc_word(line: str) -> str | None:
    """The word that closes the heredoc which a line opens: `EOF` for `apply_patch <<'EOF'`."""
    before, opened, word = line.strip().partition("<<")
    if not opened or (before.strip() and not any(name in before for name in COMMANDS)):
        return None
    word = word.lstrip("-<").strip().strip("'\"\\")
    return word if word.isidentifier() else None


def hidden_envelopes(text: str) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """The texts that a text without an envelope of its own may stand for, each with the concessions and their lines."""
    if BEGIN not in text:
        return
    bare = text.strip()
    line = 1 + text.count("\n", 0, len(text) - len(text.lstrip()))
    notes: tuple[tuple[str, int], ...] = ()
    if (inside := _in_fence(bare)) is not None:
        notes = (("fence", line),)
        line += 1 + inside.count("\n", 0, len(inside) - len(inside.lstrip()))
        bare = inside.strip()
    if bare[:1] in ("{", "[", '"'):
        from json import loads

        try:
            value = loads(bare, strict=False)
        except (ValueError, RecursionError):
            value = None
        strings = [string for string in _strings(value) if BEGIN in string]
        if len(strings) == 1:
            yield strings[0], (*notes, ("json", line))
            return
    inner = bare.strip("\"'")
    if inner.startswith(BEGIN + "\\n") and "\n" not in inner:
        yield _unescaped(inner), (*notes, ("escaped_newlines", line))


def _in_fence(text: str) -> str | None:
    """What is between the two lines of a Markdown fence, where the text is nothing else."""
    if kind_of(text.partition("\n")[0]) != "fence":
        return None
    opening, _, rest = text.partition("\n")
    inside, _, closing = rest.rpartition("\n")
    mark = opening[:3]
    return inside if closing.strip().strip(mark[0]) == "" and closing.strip().startswith(mark) else None


def bare_path(path: str) -> tuple[str, Iterable[str]]:
    """A path without the quotes around it and the `./` in front, however often they are there; and the concessions."""
    names: dict[str, None] = {}
    start, end = 0, len(path)
    while start < end:
        if end - start > 2 and path[start] == path[end - 1] and path[start] in "\"'`":
            start, end = start + 1, end - 1
            names["quoted_path"] = None
        elif path.startswith("./", start, end):
            start += 2
            while path.startswith("/", start, end):
                start += 1
            names["dot_path"] = None
        elif names and path[start].isspace():
            start += 1
        elif names and path[end - 1].isspace():
            end -= 1
        else:
            break
    return path[start:end], names


def _strings(value: object) -> Iterator[str]:
    """All strings in a JSON value, to a depth that no real call exceeds."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, str):
            yield item
        elif depth < 8 and isinstance(item, dict):
            waiting += [(inner, depth + 1) for inner in item.values()]
        elif depth < 8 and isinstance(item, list):
            waiting += [(inner, depth + 1) for inner in item]


def _unescaped(text: str) -> str:
    """A text whose newlines arrived as `\\n`: as a JSON string where it is one, otherwise newlines alone."""
    from json import loads

    try:
        value = loads(f'"{text}"', strict=False)
    except ValueError:
        return text.replace("\\n", "\n")
    assert isinstance(value, str), "BUG: a JSON string is a string"
    return value
