"""Explaining lines that can't be parsed: what is wrong, what would be valid, and what to do next.

Called only for lines that are already known to be wrong, so the parser stays short. Guesses made here change messages
only; they never change how a patch is read.
"""

from __future__ import annotations

from itertools import pairwise

from ..core.advice import Copy, Send
from ..core.dialect import (
    ADD,
    BEGIN,
    DELETE,
    END,
    END_OF_FILE,
    ENVIRONMENT,
    MOVE,
    MOVE_TO,
    NO_NEWLINE,
    UPDATE,
)
from ..core.display import plural, shorten
from ..core.value import Value
from .format_limits import LONGEST_QUOTED_LINE
from .markers import read_marker
from .parse_fault import fault_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.problems import Advice, Problem
    from ..core.readers import Reader

#: How often the same error is reported line by line.
FEW = 3
_REMOVE = "Remove this line."
_HUNK_LINE = "a line that starts with a space, + or -"

_VERBS = {
    **dict.fromkeys(("update", "modify", "edit", "change"), UPDATE),
    **dict.fromkeys(("add", "create", "new"), ADD),
    **dict.fromkeys(("delete", "remove"), DELETE),
    **dict.fromkeys(("move", "rename"), MOVE),
}
_PLAIN_MARKERS = {
    "begin": BEGIN,
    "begin patch": BEGIN,
    "begin of patch": BEGIN,
    "start patch": BEGIN,
    "end": END,
    "end patch": END,
    "end of patch": END,
    "eof": END_OF_FILE,
    "end file": END_OF_FILE,
}


class SyntaxProblem:
    """What is wrong with a line: a sentence, what would be valid there, and what to do next.

    `found` and `number` are the line and its number, where the caller doesn't know them.
    """

    __slots__ = ("expected", "found", "hint", "message", "number")

    def __init__(
        self, message: str, expected: Sequence[str], hint: Advice = "", *, found: str = "", number: int = 0
    ) -> None:
        self.message = message
        self.expected = expected
        self.hint = hint
        self.found = found
        self.number = number


def only_the_patch() -> str:
    """What to send where there is text around a patch, without the end of the sentence."""
    return f"only the patch, from {BEGIN} to {END}"


def quote(line: str) -> str:
    """The line in quotes, cut if it is long. What has no ink becomes visible in the message as a whole."""
    return f"'{shorten(line, LONGEST_QUOTED_LINE)}'"


def valid_headers(dialect: Dialect) -> list[str]:
    """The lines that may stand between sections."""
    return [*(header.strip() for header in dialect.headers if header not in {MOVE_TO, ENVIRONMENT}), END]


def explain_header(line: str, dialect: Dialect, section: str, hint: str = "") -> SyntaxProblem:
    """A line where a header should be.

    `section` is the header of the section above it, and `hint` the advice for an unknown marker.
    """
    headers = valid_headers(dialect)
    marker, argument = _guess_marker(line)
    if marker == BEGIN:
        hint = f"Remove this {BEGIN}, or end the patch above it with {END}."
        return SyntaxProblem(f"A second {BEGIN} comes before {END}.", headers, hint)
    if marker == END_OF_FILE and dialect.end_of_file and line.strip() == END_OF_FILE:
        return SyntaxProblem(f"{END_OF_FILE} must follow the last line of a hunk.", headers, _REMOVE)
    if (marker == END_OF_FILE and not dialect.end_of_file) or (
        marker == ENVIRONMENT and ENVIRONMENT not in dialect.headers
    ):
        return SyntaxProblem(_unsupported(marker, dialect), headers, _REMOVE)
    if marker == ENVIRONMENT:
        message = f"{ENVIRONMENT.strip()} must be on the line after {BEGIN}."
        return SyntaxProblem(message, headers, "Move this line there, or remove it.")
    if marker in {MOVE, MOVE_TO}:
        return _explain_move(marker, argument, dialect, section)
    if marker:
        message = "A marker must be at the start of its line." if line[:1].isspace() else ""
        return SyntaxProblem(message, [marker + (argument or "path/to/file") if marker[-1] == " " else marker])
    return _explain_other_line(line, section, headers, hint)


def _unsupported(marker: str, dialect: Dialect) -> str:
    return f"The {dialect.name} dialect does not support '{marker.strip()}'."


def _explain_move(marker: str, argument: str, dialect: Dialect, section: str) -> SyntaxProblem:
    """A move in a form that the dialect doesn't have, or in the wrong section."""
    if marker == MOVE:
        old, _, new = (part.strip() for part in argument.partition(" -> "))
        old, new = old or "old/path", new or "new/path"
        if MOVE in dialect.headers:
            return SyntaxProblem("", [f"{MOVE}{old} -> {new}"])
        return SyntaxProblem(_unsupported(MOVE, dialect), [f"{UPDATE}{old} and, on the next line, {MOVE_TO}{new}"])
    new = argument or "new/path"
    if MOVE_TO not in dialect.headers:
        old = section.removeprefix(UPDATE) if section.startswith(UPDATE) else "old/path"
        hint = "Replace both lines with that one." if section.startswith(UPDATE) else ""
        return SyntaxProblem(_unsupported(MOVE_TO, dialect), [f"{MOVE}{old} -> {new}"], hint)
    hint = f"Write {UPDATE}old/path and, on the next line, {MOVE_TO}{new}."
    if section.startswith(ADD):
        hint = f"To add the file at that path, write {ADD}{new} and remove this line."
    message = f"{MOVE_TO.strip()} must directly follow an {UPDATE.strip()} line."
    return SyntaxProblem(message, valid_headers(dialect), hint)


def _explain_other_line(line: str, section: str, headers: Sequence[str], hint: str) -> SyntaxProblem:
    """A line that is nothing like a header."""
    in_hunk = line[:1] in {" ", "+", "-"} or line.startswith("@@")
    if in_hunk and section.startswith(DELETE):
        path = section.removeprefix(DELETE)
        hint = f"Remove these lines. To delete only some lines of {path}, use {UPDATE}{path} with hunks."
        return SyntaxProblem(f"A {DELETE.strip()} section can't have lines: the whole file is deleted.", headers, hint)
    if in_hunk and not section:
        paths = _diff_paths((line, "+++ "))
        hint = f"Name the file in a header above the hunk: {UPDATE}{paths[0] if paths else 'path/to/file'}."
        return SyntaxProblem("This hunk belongs to no file.", headers, hint)
    if line.startswith("***"):
        return SyntaxProblem("Unknown marker.", headers, hint)
    return SyntaxProblem("This line belongs to no section.", headers, _REMOVE)


def _guess_marker(line: str) -> tuple[str, str]:
    """The marker that a line was meant to be and its argument; two empty strings if that is unclear."""
    marker = read_marker(line, padded=True, lenient=True)
    if marker is not None:
        return marker[0], marker[1].strip()
    text = line.strip()
    if not text.startswith("**"):
        return "", ""
    plain = _PLAIN_MARKERS.get(text.strip("* \t'\"`.:;)").lower())
    if plain is not None:
        return plain, ""
    words, colon, argument = text.strip("* \t").partition(":")
    first, *others = words.split() or [""]
    verb = _VERBS.get(first.lower())
    if verb is None:
        return "", ""
    if verb == MOVE and [word.lower() for word in others] == ["to"] and colon:
        return MOVE_TO, argument.strip()
    if others and others[0].lower() in {"file", "files"}:
        del others[0]
    if not colon and (len(others) == 1 or (verb == MOVE and "->" in others)):
        return verb, " ".join(others)
    return (verb, argument.strip()) if colon and not others else ("", "")


def explain_missing_envelope(lines: Sequence[str], dialect: Dialect) -> SyntaxProblem:
    """A text without an envelope."""
    for number, line in enumerate(lines, 1):
        if BEGIN in line:
            message, advice = _explain_begin(line, lines, dialect)
            return SyntaxProblem(message, (BEGIN,), advice, found=line, number=number)
    number, line = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (1, ""))
    hint: Advice = Copy(f"the whole patch, from {BEGIN} to {END}.")
    message = "The text contains no patch." if line else "The text is empty."
    marker, _ = _guess_marker(line)
    if marker == BEGIN:
        message, hint = "", ""
    elif marker:
        message = f"The patch does not start with {BEGIN}."
    elif (paths := _diff_paths(lines)) is not None:
        old, new = paths
        message = "This is a unified diff, not a patch."
        header = UPDATE + new
        if old == "/dev/null":
            header = ADD + new
        elif new == "/dev/null":
            header = DELETE + old
        hunks = "the hunks" if dialect.lenient else "the hunks, each below @@ without line numbers"
        hint = Send(f"{BEGIN}, then {header} instead of the --- and +++ lines, then {hunks}, then {END}.")
    return SyntaxProblem(message, (BEGIN,), hint, found=line, number=number)


def _explain_begin(line: str, lines: Sequence[str], dialect: Dialect) -> tuple[str, Advice]:
    """Why a line that contains `*** Begin Patch` doesn't open an envelope, and what to do."""
    if line == BEGIN + "\r":
        return "The patch has CRLF line endings.", "Use LF line endings in the patch."
    if line.strip() == BEGIN:
        return f"{BEGIN} must be at the start of its line.", "Remove the whitespace around it."
    hint = Send(f"{only_the_patch()}, with real newlines and nothing around it.")
    if next(line for line in lines if line.strip()).lstrip()[0] in "{[":
        reason = " that can't be parsed; it may have been cut off" if dialect.lenient else ""
        return f"The patch is inside a JSON value{reason}.", hint
    return f"{BEGIN} must be on a line of its own.", hint


def _diff_paths(lines: Sequence[str]) -> tuple[str, str] | None:
    """The two paths of a unified diff, if the text is one."""
    for first, second in pairwise(lines):
        if first.startswith("--- ") and second.startswith("+++ "):
            old, new = (line[4:].partition("\t")[0].strip() for line in (first, second))
            return old.removeprefix("a/"), new.removeprefix("b/")
    return None


def explain_hunk_line(line: str, dialect: Dialect) -> SyntaxProblem:
    """A line below `@@` that has no prefix."""
    if line == NO_NEWLINE:
        message = _unsupported(NO_NEWLINE, dialect)
        if dialect.no_newline_marker:
            message = f"'{NO_NEWLINE}' must follow a line of the hunk."
        return SyntaxProblem(message, (_HUNK_LINE,), _REMOVE)
    if not line:
        return SyntaxProblem("A blank line in a hunk needs a prefix too.", ("a line with one space",))
    expected = (_HUNK_LINE,) if len(line) > LONGEST_QUOTED_LINE else [quote(prefix + line) for prefix in " -+"]
    return SyntaxProblem("A line in a hunk must start with a space, + or -.", expected)


def explain_added_line(line: str, dialect: Dialect, path: str) -> SyntaxProblem:
    """A line of an added file that is neither an added line nor a marker."""
    if line != NO_NEWLINE:
        return explain_header(line, dialect, ADD + path, "If this is a line of the new file, put + in front of it.")
    message = f"'{NO_NEWLINE}' must follow the last line of the file."
    if not dialect.no_newline_marker:
        message = _unsupported(NO_NEWLINE, dialect)
    return SyntaxProblem(message, valid_headers(dialect), _REMOVE)


def explain_missing_plus(line: str, path: str, bare: int, total: int) -> SyntaxProblem:
    """The first line of an added file that has no `+`, where others have it or the dialect requires it."""
    verb = "does" if bare == 1 else "do"
    message = f"{bare} of {total} {plural('line', total)} of the new file {path} {verb} not start with +."
    if line.startswith("@@"):
        hint = "Remove the @@ line: a new file has no hunks."
        return SyntaxProblem(message, ("+ at the start of every line of a new file",), hint)
    return SyntaxProblem(message, (quote("+" + line),), "Start every line of a new file with +.")


def sort_problems(problems: Sequence[Problem]) -> list[Problem]:
    """The problems by their lines; the same error at many lines becomes one problem that names the lines."""
    groups: dict[tuple[str, Advice], list[Problem]] = {}
    for problem in sorted(problems, key=line_of):
        fault = fault_of(problem)
        groups.setdefault((fault.text, fault.advice), []).append(problem)
    return sorted([problem for group in groups.values() for problem in _join(group)], key=line_of)


def _join(group: Sequence[Problem]) -> list[Problem]:
    """Problems that differ in their lines alone, as one if they are many. A block has listed the lines of its own."""
    fault = fault_of(group[0])
    lines = list(fault.repeats) or [line_of(problem) for problem in group]
    if len(lines) <= FEW:
        return list(group)
    return [group[0].replace(cause=fault.replace(same=lines))]


def line_of(problem: Problem) -> int:
    """The line that a parse error is about."""
    return fault_of(problem).line


def add_resend_hint(problems: list[Problem]) -> list[Problem]:
    """The problems of a text, the last of which also says to send the patch again."""
    fault = fault_of(problems[-1])
    problems[-1] = problems[-1].replace(cause=fault.replace(advice=_ThenRetry(fault.advice, len(problems))))
    return problems


class _ThenRetry(Value):
    """The advice to send the patch again after so many problems are solved, unless that is what to do anyway."""

    advice: Advice
    problems: int

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        if not isinstance(self.advice, str):
            return self.advice(reader)
        if self.advice:
            return f"{self.advice} Then {reader.retry}."
        lines = "this line" if self.problems == 1 else f"these {self.problems} lines"
        return f"Fix {lines} and {reader.retry}."
