"""What models wrap around an envelope (prose, fences, heredocs, JSON, escaped newlines) and around a path."""

from __future__ import annotations

from json import loads

from ..core.dialect import BEGIN, COMMANDS
from ..core.patch import Concession
from .transcript_roles import said_by_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..core.patch import Operation


def classify_line(line: str) -> str:
    """The name of the concession that a line outside the envelope needs."""
    line = line.strip()
    if line.startswith(("```", "~~~")):
        return "fence"
    if heredoc_word(line) is not None:
        return "heredoc"
    return "command" if is_command(line) else "prose"


def is_command(text: str) -> bool:
    """Whether a text is the name of the command and nothing else."""
    return text.strip() in COMMANDS


def read_command_prefix(line: str) -> tuple[str, str] | None:
    """The command before `*** Begin Patch` on the same line, and the quote that it opens ("" for none).

    None if the line doesn't end in `*** Begin Patch` or has anything else before it.
    """
    command = line.removesuffix(BEGIN)
    quote = command[-1:] if command[-1:] in ("'", '"') else ""
    if command == line or not is_command(command.removesuffix(quote)):
        return None
    return command, quote


def find_shell_escape(operations: Iterable[Operation], quote: str) -> str | None:
    """The first escape in the lines of some operations that a shell would undo inside these quotes."""
    escapes = ("'\\''", "'\"'\"'") if quote == "'" else ('\\"', "\\$", "\\`", "\\\\")
    for operation in operations:
        lines = [line for hunk in getattr(operation, "hunks", ()) for line in hunk.lines]
        text = "\n".join((*lines, getattr(operation, "content", None) or ""))
        for escape in escapes:
            if escape in text:
                return escape
    return None


def heredoc_word(line: str) -> str | None:
    """The delimiter of the heredoc that a line opens: `EOF` for `apply_patch <<'EOF'`."""
    command, operator, rest = line.strip().partition("<<")
    if not operator:
        return None
    if command.strip() and not any(name in command for name in COMMANDS):
        return None
    word = rest.lstrip("-<").strip().removeprefix("\\")
    if word.startswith(("'", '"')):
        quote = word[0]
        if len(word) == 1 or not word.endswith(quote):
            return None
        word = word[1:-1]
    return word if word.isidentifier() else None


def _first_line(text: str) -> int:
    """The number of the first line that is not blank."""
    blank = text[: len(text) - len(text.lstrip())]
    return 1 + blank.count("\n")


def extract_envelope(text: str) -> tuple[str, list[Concession]] | None:
    """The one envelope inside a JSON value or a text with escaped newlines, and the concessions that this takes."""
    if BEGIN not in text:
        return None
    content = text.strip()
    line = _first_line(text)
    concessions = []
    if (inside := _fence_content(content)) is not None:
        concessions.append(Concession("fence", line))
        line += _first_line(inside)
        content = inside.strip()
    if content[:1] in ("{", "[", '"'):
        try:
            value = loads(content, strict=False)
        except (ValueError, RecursionError):
            value = None
        strings = [string for string in _strings(value) if BEGIN in string]
        if len(strings) == 1:
            return strings[0], [*concessions, Concession("json", line)]
    escaped = content.strip("\"'")
    if escaped.startswith(BEGIN + "\\n") and "\n" not in escaped:
        return _unescape(escaped), [*concessions, Concession("escaped_newlines", line)]
    return None


def _fence_content(text: str) -> str | None:
    """The content of a Markdown fence, if the text is nothing else."""
    opening, _, rest = text.partition("\n")
    if classify_line(opening) != "fence":
        return None
    inside, _, closing = rest.rpartition("\n")
    mark = opening[:3]
    return inside if closing.strip().strip(mark[0]) == "" and closing.strip().startswith(mark) else None


def unwrap_path(path: str) -> tuple[str, Iterable[str]]:
    """A path without quotes around it and `./` before it, however often they are there; and the concessions' names."""
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
    """All strings in a JSON value, up to a depth that no real call exceeds."""
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, str):
            yield item
        elif depth < 8 and isinstance(item, dict):
            pending += [(inner, depth + 1) for inner in said_by_model(item)]
        elif depth < 8 and isinstance(item, list):
            pending += [(inner, depth + 1) for inner in item]


def _unescape(text: str) -> str:
    """A text whose newlines arrived as `\\n`: as a JSON string if it is one, otherwise only the newlines."""
    try:
        value = loads(f'"{text}"', strict=False)
    except ValueError:
        return text.replace("\\n", "\n")
    assert isinstance(value, str), "BUG: a JSON string is a string"
    return value
