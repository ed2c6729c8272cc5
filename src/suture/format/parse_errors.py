"""Lines that can't be read: what the mistake is, and the corrected form where there is one.

Asked only once a line is known to be wrong, so that the parser stays short. It decides nothing: a line that comes here
is an error, and what it was meant to be is only said.
"""

from __future__ import annotations

from ..core.dialect import ADD, BEGIN, DELETE, END, END_OF_FILE, ENVIRONMENT, MOVE, MOVE_TO, NO_NEWLINE, UPDATE
from ..core.display import printable, shorten
from .markers import read_marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.problems import Problem

#: How much of a line a message shows.
LONGEST_LINE = 120
#: What may stand below `@@`.
A_HUNK_LINE = "a line of the file with a space, + or - in front"

_VERBS = {
    **dict.fromkeys(("update", "modify", "edit", "change"), UPDATE),
    **dict.fromkeys(("add", "create", "new"), ADD),
    **dict.fromkeys(("delete", "remove"), DELETE),
    **dict.fromkeys(("move", "rename"), MOVE),
}
_WHOLE = {
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


class Mistake:
    """What is wrong with a line: a sentence, what would have been valid, and what to do next.

    `found` and `number` are the line and its number where the one who asks does not know them.
    """

    __slots__ = ("expected", "found", "hint", "message", "number")

    def __init__(
        self, message: str, expected: Sequence[str], hint: str = "", *, found: str = "", number: int = 0
    ) -> None:
        self.message = message
        self.expected = expected
        self.hint = hint
        self.found = found
        self.number = number


def quoted(line: str) -> str:
    """A line in quotes, cut where it is long."""
    return f"'{printable(shorten(line, LONGEST_LINE))}'"


def valid_headers(dialect: Dialect) -> list[str]:
    """What may stand between sections."""
    return [*(header.strip() for header in dialect.headers if header != MOVE_TO), END]


def instead_of_header(line: str, dialect: Dialect, above: str, otherwise: str = "") -> Mistake:
    """A line that stands where a header should.

    `above` is the header of the section above it, and `otherwise` what to do where nothing else is known.
    """
    headers = valid_headers(dialect)
    name, text = _meant(line)
    if name == BEGIN:
        hint = f"Leave this {BEGIN} out, or close the envelope above it with {END}."
        return Mistake("The envelope is open already.", headers, hint)
    if name == END_OF_FILE and dialect.end_of_file and line.strip() == END_OF_FILE:
        message = f"{END_OF_FILE} belongs right below the last line of a hunk."
        return Mistake(message, headers, "Leave the line out here.")
    if name in {END_OF_FILE, ENVIRONMENT} and not (dialect.lenient if name == ENVIRONMENT else dialect.end_of_file):
        return Mistake(f"The {dialect.name} dialect has no {name.strip()} line.", headers, "Leave the line out.")
    if name == ENVIRONMENT:
        hint = "Put it there, or leave it out."
        return Mistake(f"The {name.strip()} line belongs right below {BEGIN}.", headers, hint)
    if name in {MOVE, MOVE_TO}:
        return _move(name, text, dialect, above)
    if name:
        why = "A marker begins at the start of its line." if line[:1].isspace() else ""
        return Mistake(why, [name + (text or "path/to/file") if name.endswith(" ") else name])
    return _no_header(line, above, headers, otherwise)


def _move(name: str, text: str, dialect: Dialect, above: str) -> Mistake:
    """A move in the other of its two forms, or in the wrong section."""
    known = name in dialect.headers
    if name == MOVE:
        old, _, new = (part.strip() for part in text.partition(" -> "))
        old, new = old or "old/path", new or "new/path"
        if known:
            return Mistake("", [f"{MOVE}{old} -> {new}"])
        message = f"The {dialect.name} dialect has no {MOVE.strip()} line."
        return Mistake(message, [f"{UPDATE}{old} and {MOVE_TO}{new} below it"])
    new = text or "new/path"
    if not known:
        path = above.removeprefix(UPDATE) if above.startswith(UPDATE) else "old/path"
        message = f"The {dialect.name} dialect has no {MOVE_TO.strip()} line."
        hint = "Write that one line in the place of the two." if above.startswith(UPDATE) else ""
        return Mistake(message, [f"{MOVE}{path} -> {new}"], hint)
    hint = f"Write {UPDATE}old/path and {MOVE_TO}{new} below it."
    if above.startswith(ADD):
        hint = f"To add the file under that name, write {ADD}{new} and leave this line out."
    message = f"A {MOVE_TO.strip()} line belongs right below an {UPDATE.strip()} line."
    return Mistake(message, valid_headers(dialect), hint)


def _no_header(line: str, above: str, headers: Sequence[str], otherwise: str) -> Mistake:
    """A line that is nothing like a header."""
    is_body = line[:1] in {" ", "+", "-"} or line.startswith("@@")
    if is_body and above.startswith(DELETE):
        path = above.removeprefix(DELETE)
        hint = f"Leave them out. To take lines out of {path} and keep the rest, write {UPDATE}{path} and hunks."
        return Mistake("A file to delete has no lines: it goes as a whole.", headers, hint)
    if is_body and not above:
        named = _diffed((line, "+++ "))
        hint = f"Name the file above its hunks: {UPDATE}{named[0] if named else 'path/to/file'}."
        return Mistake("A hunk stands in no section.", headers, hint)
    if line.startswith("***"):
        return Mistake("There is no such marker.", headers, otherwise)
    return Mistake("This line belongs to no section.", headers, "Leave it out.")


def _meant(line: str) -> tuple[str, str]:
    """The marker that a line was meant to be, with its text; two empty strings where nobody can tell."""
    found = read_marker(line, padded=True, lenient=True)
    if found is not None:
        return found[0], found[1].strip()
    text = line.strip()
    if not text.startswith("**"):
        return "", ""
    words, colon, argument = text.strip("* \t").partition(":")
    first, *others = words.split() or [""]
    whole = _WHOLE.get(text.strip("* \t'\"`.:;)").lower())
    if whole is not None:
        return whole, ""
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


def without_envelope(lines: Sequence[str], dialect: Dialect) -> Mistake:
    """A text in which no envelope was found."""
    number, found = next(((n, line) for n, line in enumerate(lines, 1) if BEGIN in line), (0, ""))
    if found:
        return Mistake(*_hidden_begin(found, lines, dialect), found=found, number=number)
    number, found = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (1, ""))
    whole = f"Send the whole patch, from {BEGIN} to {END}."
    message = "The text has no envelope." if found else "The text is empty."
    name, _ = _meant(found)
    if name == BEGIN:
        message, whole = "", ""
    elif name:
        message = f"The envelope has no {BEGIN}."
    elif (path := _diffed(lines)) is not None:
        message = "This is a unified diff without an envelope."
        header = f"{DELETE}{path[0]}" if path[1] == "/dev/null" else f"{UPDATE}{path[1]}"
        header = f"{ADD}{path[1]}" if path[0] == "/dev/null" else header
        hunks = "the hunks" if dialect.lenient else "the hunks, each below @@ without line numbers"
        whole = f"Send {BEGIN}, then {header} in the place of the --- and +++ lines, then {hunks}, then {END}."
    return Mistake(message, (BEGIN,), whole, found=found, number=number)


def _hidden_begin(found: str, lines: Sequence[str], dialect: Dialect) -> tuple[str, Sequence[str], str]:
    """Why a line that has `*** Begin Patch` in it does not open an envelope."""
    if found == BEGIN + "\r":
        return "The lines of the patch end in CRLF.", (BEGIN,), "Send the patch with LF at the end of its lines."
    if found.strip() == BEGIN:
        return f"{BEGIN} does not stand at the start of its line.", (BEGIN,), "Take the white space around it away."
    first = next(line for line in lines if line.strip()).lstrip()
    whole = f"Send the patch as it is, from {BEGIN} to {END}, with real newlines and nothing around it."
    if first[0] in "{[":
        broken = " that can't be read; it may have been cut off" if dialect.lenient else ""
        return f"The envelope is inside a JSON value{broken}.", (BEGIN,), whole
    return f"{BEGIN} is not alone on its line.", (BEGIN,), whole


def _diffed(lines: Sequence[str]) -> tuple[str, str] | None:
    """The two paths of a unified diff, if the text is one."""
    from itertools import pairwise

    for one, other in pairwise(lines):
        if one.startswith("--- ") and other.startswith("+++ "):
            old, new = (line[4:].partition("\t")[0].strip() for line in (one, other))
            return old.removeprefix("a/"), new.removeprefix("b/")
    return None


def instead_of_hunk_line(line: str, dialect: Dialect) -> Mistake:
    """A line below `@@` that has no prefix."""
    if line == NO_NEWLINE:
        message = f"The {dialect.name} dialect has no '{NO_NEWLINE}'."
        if dialect.no_newline_marker:
            message = f"'{NO_NEWLINE}' belongs right below a line of the hunk."
        return Mistake(message, (A_HUNK_LINE,), "Leave the line out.")
    if not line:
        return Mistake("A blank line of a hunk needs its prefix too.", ("a line of one space",))
    if len(line) > LONGEST_LINE:
        return Mistake("A line of a hunk has no prefix.", (A_HUNK_LINE,))
    return Mistake("A line of a hunk has no prefix.", (f"{quoted(' ' + line)}, or + or - in front",))


def instead_of_added_line(line: str, dialect: Dialect, path: str) -> Mistake:
    """A line of an added file that is neither an added line nor a marker."""
    if line != NO_NEWLINE:
        otherwise = "A line of the new file that begins with *** needs + in front."
        return instead_of_header(line, dialect, ADD + path, otherwise)
    message = f"'{NO_NEWLINE}' belongs below the last line of a file that has lines."
    if not dialect.no_newline_marker:
        message = f"The {dialect.name} dialect has no '{NO_NEWLINE}'."
    return Mistake(message, valid_headers(dialect), "Leave the line out.")


def without_plus(line: str, path: str, bare: int, of: int) -> Mistake:
    """The first line of an added file that has no `+` where others have one, or where the dialect wants one."""
    message = f"{bare} of the {of} lines of {path} {'has' if bare == 1 else 'have'} no + in front."
    if line.startswith("@@"):
        expected, hint = "+ in front of every line of a new file", "Leave the @@ line out: a new file has no hunks."
        return Mistake(message, (expected,), hint)
    return Mistake(message, (quoted("+" + line),), "Put + in front of every line of a new file.")


def with_last_hint(problems: list[Problem]) -> list[Problem]:
    """The errors of a text, the last of which says what to do next."""
    last = problems[-1]
    if not last.hint:
        mended = "this line mended" if len(problems) == 1 else f"these {len(problems)} lines mended"
        problems[-1] = last.replace(hint=f"Send the whole patch again with {mended}.")
    elif "Send" not in last.hint:
        problems[-1] = last.replace(hint=f"{last.hint} Then send the whole patch again.")
    return problems
