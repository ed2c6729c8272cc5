"""A unified diff of several files, as git and `diff -u` write it, as a Patch."""

from __future__ import annotations

from ..core.dialect import BEGIN
from ..core.patch import AddFile, DeleteFile, Patch, UpdateFile
from ..core.problems import PatchInvalidError, Problem
from ..format.markers import read_hunk_header
from .read_unified import diff_hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation

NOWHERE = "/dev/null"
#: What is no file as a patch knows them, though git has a diff of it.
LINKS = tuple([f"{which} mode {mode}" for which in ("new", "new file", "old") for mode in ("120000", "160000")])


def is_unified(text: str) -> bool:
    """Whether a text is a unified diff and no envelope."""
    lines = text.split("\n")
    if any(line.strip().startswith(BEGIN) for line in lines):
        return False
    return any(
        line.startswith("diff --git ") or (line.startswith("--- ") and following.startswith("+++ "))
        for line, following in zip(lines, [*lines[1:], ""], strict=True)
    )


def patch_of(text: str, *, numbers: bool = True) -> Patch:
    """The patch that a unified diff says; `numbers` keeps the line numbers of its hunks.

    Raises:
        PatchInvalidError: a part of it has no name, or is of a binary file.
    """
    operations: list[Operation] = []
    problems: list[Problem] = []
    for lines in _parts(text):
        try:
            operations += _operation(lines, numbers=numbers)
        except ValueError as error:
            problems.append(Problem("patch_parse_error", f"The diff can't be read: {error}."))
    if problems:
        raise PatchInvalidError(problems)
    if not operations:
        raise PatchInvalidError([Problem("patch_parse_error", "The diff changes nothing.")])
    return Patch(tuple(operations))


def _parts(text: str) -> list[list[str]]:
    """The lines of each file's part. Inside a hunk no line begins another part, whatever it looks like."""
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
    """Whether the names are those of git's header. A part without hunks may end with its header, and has none."""
    named = [line[4:].rstrip("\t\r") for line in (old, new)]
    return any(f" {name} " in f"{header.rstrip()} " for name in named)


def _operation(lines: Sequence[str], *, numbers: bool) -> list[Operation]:
    first = next((i for i, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    head = lines[:first]
    old, new = _names(head)
    if any(line.startswith(("Binary files ", "GIT binary patch")) for line in head):
        message = f"{new or old} is binary"
        raise ValueError(message)
    if any(
        line.startswith(LINKS) or (line.startswith("index ") and line.rstrip().endswith(" 120000")) for line in head
    ):
        message = f"{new} is a symbolic link or a submodule"
        raise ValueError(message)
    hunks = tuple(diff_hunks("\n".join(lines[first:])))
    if not numbers:
        hunks = tuple([hunk.replace(line_hint=None) for hunk in hunks])
    is_new = old == NOWHERE or any(line.startswith("new file mode ") for line in head)
    if not head[0].endswith("\r"):
        _check_ends(new, lines[first:], is_new=is_new)
    if is_new:
        content = "".join([f"{line}\n" for hunk in hunks for line in hunk.added])
        ends = not (hunks and hunks[-1].no_newline in ("new", "both"))
        return [AddFile(new, content if ends else content[:-1])]
    if new == NOWHERE or any(line.startswith("deleted file mode ") for line in head):
        return [DeleteFile(old)]
    if not hunks and old == new:
        return []  # only a mode
    return [UpdateFile(old, hunks, new if new != old else None)]


def _check_ends(name: str, lines: Sequence[str], *, is_new: bool) -> None:
    """Hold the line ends of a file's hunks to what an envelope can say: a new line ends as those of its file do.

    Raises:
        ValueError: they differ, or the file is new and its lines end in CRLF.
    """
    following = [*lines[1:], ""][: len(lines)]
    ended = [one for one, after in zip(lines, following, strict=True) if one[:1] in "+- " and after[:1] != "\\"]
    ends = {line.endswith("\r") for line in ended if line}
    if len(ends) == 2 or (is_new and True in ends):
        which = "CRLF as the line ends of a new file" if len(ends) == 1 else "several kinds of line ends"
        message = f"{name} has {which}, which an envelope can't say"
        raise ValueError(message)


def _names(head: Sequence[str]) -> tuple[str, str]:
    """The names before and after, by the surest lines that tell them."""
    found = {}
    for line in head:
        for key, prefix in (("old", "rename from "), ("new", "rename to "), ("---", "--- "), ("+++", "+++ ")):
            if line.startswith(prefix):
                found[key] = _unquoted(line[len(prefix) :])
    if "---" in found and "+++" in found:
        old, new = (name if name == NOWHERE else _stripped(name) for name in (found["---"], found["+++"]))
        return found.get("old", old), found.get("new", new)
    if "old" in found and "new" in found:
        return found["old"], found["new"]
    git = head[0].removeprefix("diff --git ") if head else ""
    if git.startswith('"'):
        names = git[1:].split('" "')
        if len(names) == 2:
            return _stripped(_unquoted(f'"{names[0]}"')), _stripped(_unquoted(f'"{names[1]}'))
    half = len(git) // 2
    if git[:2] == "a/" and git[half : half + 3] == " b/" and git[2:half] == git[half + 3 :]:
        return git[2:half], git[2:half]
    message = f"no file is named in {git or 'a part of it'!r}"
    raise ValueError(message)


def _stripped(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name


def _unquoted(name: str) -> str:
    """A name without its quotes, its escapes or a time behind a tab."""
    if not name.startswith('"'):
        return name.partition("\t")[0].rstrip("\r")
    from re import sub

    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, '"': 34}
    body = name.rstrip("\t\r")[1:].removesuffix('"').encode()

    def byte(found: object) -> bytes:
        code = found[1].decode()  # type: ignore[index]
        return bytes([simple[code] if code in simple else int(code, 8)])

    return sub(rb'\\([0-7]{3}|[ntrabfv\\"])', byte, body).decode("utf-8", "surrogateescape")
