"""Parsing a unified diff of several files, as git and `diff -u` write it, into a `Patch`."""

from __future__ import annotations

from ..core.dialect import BEGIN
from ..core.display import one_line
from ..core.patch import AddFile, DeleteFile, Patch, UpdateFile
from ..core.problems import PatchInvalidError, Problem
from ..format.markers import read_hunk_header
from .read_diff import read_hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation

NOWHERE = "/dev/null"
#: Git diffs of links and submodules, which a patch can't express.
LINKS = tuple([f"{which} mode {mode}" for which in ("new", "new file", "old") for mode in ("120000", "160000")])


def is_unified_diff(text: str) -> bool:
    """Whether a text is a unified diff, not an envelope."""
    lines = text.split("\n")
    if any(line.strip().startswith(BEGIN) for line in lines):
        return False
    return any(
        line.startswith("diff --git ") or (line.startswith("--- ") and following.startswith("+++ "))
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
    )


def parse_diff(text: str, *, numbers: bool = True) -> Patch:
    """Parse a unified diff; `numbers` keeps the line numbers of its hunks.

    Raises:
        PatchInvalidError: the diff has no changes, names no file, or has changes that a patch can't express.
    """
    operations: list[Operation] = []
    problems: list[Problem] = []
    for lines in _parts(text):
        try:
            operations += _operation(lines, numbers=numbers)
        except ValueError as error:
            message = f"The diff can't be converted to a patch: {one_line(str(error))}."
            problems.append(Problem("patch_parse_error", message))
    if problems:
        files = "these files" if len(problems) > 1 else "this file"
        problems[-1] = problems[-1].replace(hint=f"Leave {files} out, or use git apply.")
        raise PatchInvalidError(problems)
    if not operations:
        raise PatchInvalidError([Problem("patch_parse_error", "The diff has no changes.")])
    return Patch(tuple(operations))


def _parts(text: str) -> list[list[str]]:
    """The lines of each file. Inside a hunk, no line starts another file, whatever it looks like."""
    parts: list[list[str]] = []
    old = new = 0
    has_names = True
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        inside = old > 0 or new > 0
        if not inside:
            header = read_hunk_header(line)
            names = line.startswith("--- ") and following.startswith("+++ ")
            if header is not None and header.closed:
                old, new = header.old_count, header.new_count
            elif line.startswith("diff --git ") or (
                names and (has_names or not _belongs(parts[-1][0], line, following))
            ):
                parts.append([])
                has_names = names
            elif names:
                has_names = True
        elif line[:1] in (" ", "-", "+") or not line:
            old -= line[:1] != "+"
            new -= line[:1] != "-"
        if parts:
            parts[-1].append(line)
    return parts


def _belongs(header: str, old: str, new: str) -> bool:
    """Whether two name lines belong to a git header. A file without hunks may have a header only."""
    names = [line[4:].rstrip("\t\r") for line in (old, new)]
    return any(f" {name} " in f"{header.rstrip()} " for name in names)


def _operation(lines: Sequence[str], *, numbers: bool) -> list[Operation]:
    first = next((i for i, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    head = lines[:first]
    old, new = _names(head)
    if any(line.startswith(("Binary files ", "GIT binary patch")) for line in head):
        message = f"{new or old} is a binary file"
        raise ValueError(message)
    if any(
        line.startswith(LINKS) or (line.startswith("index ") and line.rstrip().endswith(" 120000")) for line in head
    ):
        message = f"{new} is a symbolic link or a submodule"
        raise ValueError(message)
    hunks = tuple(read_hunks("\n".join(lines[first:])))
    if not numbers:
        hunks = tuple([hunk.replace(line_hint=None) for hunk in hunks])
    is_new = old == NOWHERE or any(line.startswith("new file mode ") for line in head)
    if not head[0].endswith("\r"):
        _check_line_endings(new, lines[first:], is_new=is_new)
    if is_new:
        content = "".join([f"{line}\n" for hunk in hunks for line in hunk.added])
        ends = not (hunks and hunks[-1].no_newline in ("new", "both"))
        return [AddFile(new, content if ends else content[:-1])]
    if new == NOWHERE or any(line.startswith("deleted file mode ") for line in head):
        return [DeleteFile(old)]
    if not hunks and old == new:
        return []  # only the mode changed
    return [UpdateFile(old, hunks, new if new != old else None)]


def _check_line_endings(name: str, lines: Sequence[str], *, is_new: bool) -> None:
    """Check that a patch can express the line endings of a file: added lines take the endings of their file.

    Raises:
        ValueError: the endings are mixed, or the file is new and has CRLF.
    """
    following = [*lines[1:], ""][: len(lines)]
    ended = [one for one, after in zip(lines, following, strict=True) if one[:1] in "+- " and after[:1] != "\\"]
    ends = {line.endswith("\r") for line in ended if line}
    if len(ends) == 2 or (is_new and True in ends):
        which = "is new and has CRLF line endings" if len(ends) == 1 else "has mixed line endings"
        message = f"{name} {which}, which a patch can't express"
        raise ValueError(message)


def _names(head: Sequence[str]) -> tuple[str, str]:
    """The names before and after, from the most reliable lines that have them."""
    names = {}
    for line in head:
        for key, prefix in (("old", "rename from "), ("new", "rename to "), ("---", "--- "), ("+++", "+++ ")):
            if line.startswith(prefix):
                names[key] = _unquote(line[len(prefix) :])
    if "---" in names and "+++" in names:
        old, new = (name if name == NOWHERE else _strip_prefix(name) for name in (names["---"], names["+++"]))
        return names.get("old", old), names.get("new", new)
    if "old" in names and "new" in names:
        return names["old"], names["new"]
    git = head[0].removeprefix("diff --git ") if head else ""
    if git.startswith('"'):
        pair = git[1:].split('" "')
        if len(pair) == 2:
            return _strip_prefix(_unquote(f'"{pair[0]}"')), _strip_prefix(_unquote(f'"{pair[1]}'))
    half = len(git) // 2
    if git[:2] == "a/" and git[half : half + 3] == " b/" and git[2:half] == git[half + 3 :]:
        return git[2:half], git[2:half]
    message = f"it names no file in {git or 'one of its parts'!r}"
    raise ValueError(message)


def _strip_prefix(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name


def _unquote(name: str) -> str:
    """A name without quotes and escapes, or without the time after its tab."""
    if not name.startswith('"'):
        return name.partition("\t")[0].rstrip("\r")
    from re import sub

    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, '"': 34}
    body = name.rstrip("\t\r")[1:].removesuffix('"').encode()

    def byte(found: object) -> bytes:
        code = found[1].decode()  # type: ignore[index]
        return bytes([simple[code] if code in simple else int(code, 8)])

    return sub(rb'\\([0-7]{3}|[ntrabfv\\"])', byte, body).decode("utf-8", "surrogateescape")
