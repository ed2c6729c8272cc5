"""The names of a file before and after a diff, from the lines above its hunks."""

from __future__ import annotations

import re

from .format_limits import MOST_NAME_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    pair = (names["--- "], names["+++ "]) if "--- " in names and "+++ " in names else git_pair
    if pair is None and not git:
        pair = _binary_names(head)
    if pair is not None:
        pair = _plain_names(*pair, git_pair, is_git=bool(git), strip=strip)
    for verb in ("rename", "copy"):
        source, target = names.get(f"{verb} from "), names.get(f"{verb} to ")
        if source is not None and target is not None:
            if pair is not None and pair[1] != target and pair[1].startswith(target):
                what = f"`{verb} to {target}`, but its header names {pair[1]}"
                raise _cut_off(what)
            return source, target
        if source is not None or target is not None:
            what = f"only one of `{verb} from` and `{verb} to`"
            raise _cut_off(what)
    if pair is not None and pair[0] != pair[1] and NOWHERE not in pair:
        raise _two_names(*pair)
    if pair is None:
        one = names.get("+++ ") or names.get("--- ") or _index_name(head) or path
        if not one or one == NOWHERE:
            hint = "Write --- a/path and +++ b/path above its first hunk."
            message = f"The diff names no file{f' in {git!r}' if git else ''}."
            raise DiffError(message, hint, reason="no_path")
        name = _without_prefix(one) if strip is None else _strip(one, strip)
        return name, name
    return pair


def _plain_names(
    old: str, new: str, git_pair: tuple[str, str] | None, *, is_git: bool, strip: int | None
) -> tuple[str, str]:
    """The two names without the prefixes of the two sides, which the git header has both."""
    if strip is not None:
        old, new = _strip(old, strip), _strip(new, strip)
    elif NOWHERE in (old, new) and git_pair is not None:
        prefixes = git_pair[0][:2], git_pair[1][:2]
        length = 2 if prefixes in _PREFIXES else 0
        old, new = (name if name == NOWHERE else name[length:] for name in (old, new))
    elif NOWHERE in (old, new):
        old, new = (name if name == NOWHERE else _without_prefix(name) for name in (old, new))
    elif (old[:2], new[:2]) in _PREFIXES:
        old, new = old[2:], new[2:]
    if old == new or NOWHERE in (old, new) or is_git:
        return old, new
    if old.removeprefix("a/") == new.removeprefix("b/"):
        name = new.removeprefix("b/")
        return name, name
    if "/" in old and "/" in new and old.partition("/")[2] == new.partition("/")[2]:
        # Two trees beside each other: old/src/app.py and new/src/app.py.
        name = new.partition("/")[2]
        return name, name
    for end in _OLD_ENDS:
        if old == new + end:
            return new, new
        if new == old + end:
            return old, old
    raise _two_names(old, new)


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
        end = text.find('" ')
        while end > 0 and _is_escaped(text, end):
            end = text.find('" ', end + 1)
        return (_unquote(text[: end + 1]), _unquote(text[end + 2 :])) if end > 0 else None
    if text.endswith('"') and ' "' in text:
        old, _, new = text.partition(' "')
        return old, _unquote(f'"{new}')
    # The same name twice, with a space between: `a/` and `b/` are before them, or nothing is.
    half = len(git) // 2
    old, between, new = git[:half], git[half : half + 1], git[half + 1 :]
    for prefix in (2, 0):
        if between == " " and len(old) > prefix and old[prefix:] == new[prefix:]:
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
    text = line[len(_BINARY_START) : -len(_BINARY_END)]
    # A name may have the word in it; the names of the two sides are the same below their first directory.
    at = text.find(_AND)
    pair = text[:at], text[at + len(_AND) :]
    for _ in range(MOST_NAME_WORDS):
        old, new = text[:at], text[at + len(_AND) :]
        if old.partition("/")[2] == new.partition("/")[2]:
            pair = old, new
            break
        at = text.find(_AND, at + 1)
        if at < 0:
            break
    return _unquote(pair[0]), _unquote(pair[1])


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
