"""Writing unified diffs that `git apply` and `patch -p1` accept, from the hunks of changes."""

from __future__ import annotations

from .line_hunks import line_hunks
from .patch import PLAIN
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import AnyStr

    from .line_hunks import LineHunk
    from .patch import Mode


class FileSection(Value):
    """One file of a diff: its two names, its hunks, and what git says above them. `str` gives it as text."""

    path: str
    new_path: str
    hunks: tuple[LineHunk, ...] = ()
    is_new: bool = False
    is_deleted: bool = False
    #: A new file has no old mode, a deleted one no new mode.
    old_mode: Mode = PLAIN
    new_mode: Mode = PLAIN
    is_copy: bool = False
    #: The hashes of git before and after, as far as they are known.
    blobs: tuple[str, ...] = ()

    @property
    def header(self) -> list[str]:
        """The lines above the hunks."""
        details = self.git_details
        lines = [self.git_line, *details] if details else []
        if self.hunks:
            old = "/dev/null" if self.is_new else _quoted("a/" + self.path)
            new = "/dev/null" if self.is_deleted else _quoted("b/" + self.new_path)
            lines += [f"--- {old}", f"+++ {new}"]
        return lines

    @property
    def git_line(self) -> str:
        """The line with which git begins a file."""
        return f"diff --git {_quoted('a/' + self.path, tab='')} {_quoted('b/' + self.new_path, tab='')}"

    @property
    def git_details(self) -> list[str]:
        """The lines of git with modes, renames and hashes; none where the names say enough."""
        if self.is_new:
            return [f"new file mode {self.new_mode}"]
        if self.is_deleted:
            return [f"deleted file mode {self.old_mode}"]
        lines: list[str] = []
        if self.old_mode != self.new_mode:
            lines += [f"old mode {self.old_mode}", f"new mode {self.new_mode}"]
        if self.new_path != self.path:
            verb = "copy" if self.is_copy else "rename"
            lines += [f"{verb} from {_quoted(self.path, tab='')}", f"{verb} to {_quoted(self.new_path, tab='')}"]
        if self.blobs:
            lines.append(f"index {'..'.join(self.blobs)}")
        return lines

    def __str__(self) -> str:
        return "".join([*[f"{line}\n" for line in self.header], *map(str, self.hunks)])


def unified_diff(
    before: AnyStr | None,
    after: AnyStr | None,
    path: str,
    *,
    to_path: str | None = None,
    context: int = 3,
    old_mode: Mode = PLAIN,
    new_mode: Mode = PLAIN,
) -> str:
    """The change from one text to the other as a unified diff; empty if there is none.

    `before` is None for a new file, `after` for a deleted one; `to_path` is the new path of a file that moved, and the
    modes are those of git: "100755" for a file that can be executed, otherwise "100644". Bytes must be UTF-8 without a
    BOM; only the part that differs is decoded.
    """
    section = FileSection(
        path,
        path if to_path is None else to_path,
        line_hunks(before, after, context),
        is_new=before is None,
        is_deleted=after is None,
        old_mode=old_mode,
        new_mode=new_mode,
    )
    return str(section)


def headed_sections(sections: Iterable[FileSection]) -> Iterator[tuple[list[str], tuple[LineHunk, ...]]]:
    """The header and the hunks of each file of a diff.

    After a file without hunks, the next one gets a `diff --git` header too. Otherwise its names would be read as those
    of the file before it.
    """
    is_bare = False
    for section in sections:
        header = section.header
        if is_bare and section.hunks and not section.git_details:
            header = [section.git_line, *header]
        if header:
            is_bare = not section.hunks
        yield header, section.hunks


def join_sections(sections: Iterable[FileSection]) -> str:
    """The diff of several files as text."""
    parts: list[str] = []
    for header, hunks in headed_sections(sections):
        parts += [f"{line}\n" for line in header]
        parts += map(str, hunks)
    return "".join(parts)


def cut_section(section: FileSection, most: int) -> FileSection:
    """As much of a file of a diff as fits into so many characters. The line at the end may be cut off."""
    hunks: list[LineHunk] = []
    left = most
    for hunk in section.hunks:
        kept: list[str] = []
        for line in hunk.lines:
            kept.append(line if len(line) <= left else f"{line[:left]}…\n")
            left -= len(line)
            if left <= 0:
                return section.replace(hunks=(*hunks, hunk.replace(lines=tuple(kept))))
        hunks.append(hunk)
    return section


def trim_hunks(hunks: Sequence[LineHunk]) -> tuple[LineHunk, ...]:
    """Hunks to read: with LF line endings, without a BOM and the indentation that all their lines share.

    The result can't be applied.
    """
    plain_hunks = [hunk.replace(lines=tuple(map(_plain, hunk.lines))) for hunk in hunks]
    texts: list[str] = []
    for hunk in plain_hunks:
        texts += [line[1:] for line in hunk.lines if line[1:].strip()]
    # What the first and the last text in order begin with, all of them begin with.
    common = _common_indentation(min(texts), max(texts)) if texts else 0
    trimmed: list[LineHunk] = []
    for hunk in plain_hunks:
        lines = [_without_indentation(line, common) for line in hunk.lines]
        trimmed.append(hunk.replace(lines=tuple(lines)))
    return tuple(trimmed)


def _plain(line: str) -> str:
    """A line of a hunk without a BOM, and with LF for every CR or CRLF."""
    return line[0] + line[1:].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _without_indentation(line: str, length: int) -> str:
    """A line of a hunk without so much of its indentation. A blank line may have less."""
    newline = "\n" if line[-1] == "\n" else ""
    return line[0] + line[1:].removesuffix("\n")[length:] + newline


def _common_indentation(first: str, last: str) -> int:
    """How much whitespace all lines begin with, of which these are the first and the last in order."""
    common = 0
    while common < len(first) and first[common] in " \t" and first[common] == last[common : common + 1]:
        common += 1
    return common


def _name_bytes(name: str) -> bytes:
    """The bytes of a file name. Only a name that no system has, such as one from JSON, has other lone surrogates."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


def _quoted(name: str, tab: str = "\t") -> str:
    """A file name as git writes it: odd characters as escapes in quotes, a tab after a name with blanks."""
    is_plain = name.isascii() and name.isprintable() and '"' not in name and "\\" not in name
    if is_plain and not name.endswith(" "):
        return name + tab if " " in name else name
    out = []
    for byte in _name_bytes(name):
        character = chr(byte)
        if character in '"\\':
            out.append("\\" + character)
        elif " " <= character <= "~":
            out.append(character)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
