"""The names of a file before and after a diff, from the lines above its hunks."""

from __future__ import annotations

import re

from .format_limits import MOST_NAME_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.problems import Advice

NOWHERE = "/dev/null"
#: The time after a name, where a tab has become spaces.
_TIME = re.compile(r"\s\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
#: What editors and tools put after the name of the file before.
_OLD_ENDS = (".orig", ".old", ".bak", "~")
#: The prefixes that git gives the two sides.
_PREFIXES = {("a/", "b/"), ("b/", "a/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/")}


#: What `diff` and git write about files that have no hunks because they are not text.
_BINARY_START, _AND, _BINARY_END = "Binary files ", " and ", " differ"


class DiffError(ValueError):
    """A file of a diff can't be read; with what to do next."""

    def __init__(self, message: str, hint: Advice = "", reason: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.reason = reason


def names_of(head: Sequence[str], path: str = "", strip: int | None = None) -> tuple[str, str]:
    """The names before and after; `path` is the file if the lines name none, `strip` how many directories to remove.

    Raises:
        DiffError: the lines name no file, or two.
    """
    names: dict[str, str] = {}
    for line in head:
        for prefix in ("rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ "):
            if line.startswith(prefix):
                names[prefix] = _unquote(line[len(prefix) :])
    git = next((line.removeprefix("diff --git ") for line in head if line.startswith("diff --git ")), "")
    git_pair = _git_names(git)
    if "--- " in names and "+++ " in names:
        pair: tuple[str, str] | None = names["--- "], names["+++ "]
    elif git_pair is None and not git:
        pair = _binary_names(head)
    else:
        pair = git_pair
    if pair is not None:
        pair = _plain_names(*pair, git_pair, is_git=bool(git), strip=strip)
    moved = _moved_names(names, "" if pair is None else pair[1])
    if moved is not None:
        return moved
    if pair is not None:
        if pair[0] != pair[1] and NOWHERE not in pair:
            raise _two_names(*pair)
        return pair
    only = names.get("+++ ") or names.get("--- ") or _index_name(head) or path
    if not only or only == NOWHERE:
        hint = "Write --- a/path and +++ b/path above its first hunk."
        message = f"The diff names no file{f' in {git!r}' if git else ''}."
        raise DiffError(message, hint, reason="no_path")
    name = _without_prefix(only) if strip is None else _strip(only, strip)
    return name, name


def _moved_names(names: Mapping[str, str], new: str) -> tuple[str, str] | None:
    """The names in the lines of git about a rename or a copy; `new` is the name after by the other lines, or empty.

    Raises:
        DiffError: the lines look cut off.
    """
    for verb in ("rename", "copy"):
        source = names.get(f"{verb} from ")
        target = names.get(f"{verb} to ")
        if source is None and target is None:
            continue
        if source is None or target is None:
            what = f"only one of `{verb} from` and `{verb} to`"
            raise _cut_off(what)
        if new != target and new.startswith(target):
            what = f"`{verb} to {target}`, but its header names {new}"
            raise _cut_off(what)
        return source, target
    return None


def _plain_names(
    old: str, new: str, git_pair: tuple[str, str] | None, *, is_git: bool, strip: int | None
) -> tuple[str, str]:
    """The two names without the prefixes of the two sides, which the git header has both."""
    if strip is not None:
        old, new = _strip(old, strip), _strip(new, strip)
    elif NOWHERE in (old, new):
        old, new = _plain_name(old, git_pair), _plain_name(new, git_pair)
    elif (old[:2], new[:2]) in _PREFIXES:
        old, new = old[2:], new[2:]
    if old == new or NOWHERE in (old, new) or is_git:
        return old, new
    name = _common_name(old, new)
    if name is None:
        raise _two_names(old, new)
    return name, name


def _plain_name(name: str, git_pair: tuple[str, str] | None) -> str:
    """A name whose other side is nowhere, without its prefix if the git header has prefixes or there is none."""
    if name == NOWHERE:
        return name
    if git_pair is None:
        return _without_prefix(name)
    prefixes = git_pair[0][:2], git_pair[1][:2]
    return name[2:] if prefixes in _PREFIXES else name


def _common_name(old: str, new: str) -> str | None:
    """The file that two different names mean; None if they mean two files."""
    if old.removeprefix("a/") == new.removeprefix("b/"):
        return new.removeprefix("b/")
    # Two trees beside each other: old/src/app.py and new/src/app.py.
    _, old_slash, below_old = old.partition("/")
    _, new_slash, below_new = new.partition("/")
    if old_slash and new_slash and below_old == below_new:
        return below_new
    # A backup beside the file: app.py.orig and app.py.
    for end in _OLD_ENDS:
        if old == new + end:
            return new
        if new == old + end:
            return old
    return None


def _two_names(old: str, new: str) -> DiffError:
    message = f"The diff names two files, {old} and {new}."
    hint = f"Use one name in both lines, or write `rename from {old}` and `rename to {new}` above them."
    return DiffError(message, hint, reason="two_names")


def _cut_off(what: str) -> DiffError:
    hint = "Write both lines, with the same names as in the header."
    return DiffError(f"The diff has {what}; it may have been cut off.", hint, reason="two_names")


def _git_names(git: str) -> tuple[str, str] | None:
    """The two names in a `diff --git` line, of which each may be in quotes."""
    text = git.rstrip()
    if text.startswith('"'):
        quote = text.find('" ')
        while quote > 0 and _is_escaped(text, quote):
            quote = text.find('" ', quote + 1)
        if quote <= 0:
            return None
        return _unquote(text[: quote + 1]), _unquote(text[quote + 2 :])
    if text.endswith('"') and ' "' in text:
        old, _, new = text.partition(' "')
        return old, _unquote(f'"{new}')
    return _halves(git)


def _halves(git: str) -> tuple[str, str] | None:
    """The two names in a `diff --git` line without quotes; None if it can be split in several ways."""
    # Most often it is the same name twice, with or without `a/` and `b/`. Then the space between them is in the middle.
    middle = len(git) // 2
    old, between, new = git[:middle], git[middle : middle + 1], git[middle + 1 :]
    is_same_below_prefix = len(old) > 2 and old[2:] == new[2:]
    is_same = old != "" and old == new
    if between == " " and (is_same_below_prefix or is_same):
        return old, new
    words = git.split(" ")
    return (words[0], words[1]) if len(words) == 2 else None


def _is_escaped(text: str, at: int) -> bool:
    """Whether the character at an offset has a backslash before it that is not itself escaped."""
    before = text[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def is_binary_line(line: str) -> bool:
    """Whether a line says that binary files differ."""
    text = line.rstrip()
    return text.startswith(_BINARY_START) and text.endswith(_BINARY_END) and _AND in text


def _binary_names(head: Sequence[str]) -> tuple[str, str] | None:
    """The two names in a line that says that binary files differ."""
    line = next((line.rstrip() for line in head if is_binary_line(line)), "")
    if not line:
        return None
    text = line.removeprefix(_BINARY_START).removesuffix(_BINARY_END)
    # A name may have the word in it; the names of the two sides are the same below their first directory.
    old, _, new = text.partition(_AND)
    position = text.find(_AND)
    for _ in range(MOST_NAME_WORDS):
        before, after = text[:position], text[position + len(_AND) :]
        if before.partition("/")[2] == after.partition("/")[2]:
            old, new = before, after
            break
        position = text.find(_AND, position + 1)
        if position < 0:
            break
    return _unquote(old), _unquote(new)


def _index_name(head: Sequence[str]) -> str:
    return next((line.removeprefix("Index: ").strip() for line in head if line.startswith("Index: ")), "")


def _without_prefix(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name


def _strip(name: str, count: int) -> str:
    """A name without so many directories; of one with fewer, the file's own name is left."""
    if name == NOWHERE:
        return name
    if name.count("/") < count:
        return name.rpartition("/")[2]
    return name.split("/", count)[-1]


def _unquote(name: str) -> str:
    """A name without quotes and escapes, or without the time after it."""
    if not name.startswith('"'):
        name, tab, _ = name.partition("\t")
        if not tab:
            # Git puts a tab behind a name with spaces, so that one at the end counts.
            name = name.rstrip()
        time = _TIME.search(name)
        return name[: time.start()].rstrip() if time else name
    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, '"': 34}
    body = name.rstrip("\t\r ")[1:].removesuffix('"').encode()

    def byte(escape: re.Match[bytes]) -> bytes:
        code = escape[1].decode()
        return bytes([simple[code] if code in simple else int(code, 8) & 255])

    return re.sub(rb'\\([0-7]{3}|[ntrabfv\\"])', byte, body).decode("utf-8", "surrogateescape")
