"""The names of a file before and after a diff, from the lines above its hunks."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NOWHERE = "/dev/null"
#: The time after a name, where a tab has become spaces.
_TIME = re.compile(r"\s\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
#: What editors and tools put after the name of the file before.
_OLD_ENDS = (".orig", ".old", ".bak", "~")
#: The prefixes that git gives the two sides.
_PREFIXES = {("a/", "b/"), ("b/", "a/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/")}


class DiffError(ValueError):
    """A file of a diff can't be read; with what to do next."""

    def __init__(self, message: str, hint: str = "", reason: str = "") -> None:
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
        for prefix in ("rename from ", "rename to ", "--- ", "+++ "):
            if line.startswith(prefix):
                names[prefix] = _unquote(line[len(prefix) :])
    git = next((line.removeprefix("diff --git ") for line in head if line.startswith("diff --git ")), "")
    pair = (names["--- "], names["+++ "]) if "--- " in names and "+++ " in names else _git_names(git)
    if pair is not None:
        pair = _plain_names(*pair, is_git=bool(git), strip=strip)
    renamed = "rename from " in names and "rename to " in names
    if renamed:
        return names["rename from "], names["rename to "]
    if pair is None:
        one = names.get("+++ ") or names.get("--- ") or _index_name(head) or path
        if not one or one == NOWHERE:
            hint = "Write --- a/path and +++ b/path above its first hunk."
            message = f"The diff names no file{f' in {git!r}' if git else ''}."
            raise DiffError(message, hint, reason="no_path")
        pair = (_strip(one, strip), _strip(one, strip)) if strip is not None else (_without_prefix(one),) * 2
    return pair


def _plain_names(old: str, new: str, *, is_git: bool, strip: int | None) -> tuple[str, str]:
    """The two names without the prefixes of the two sides."""
    if strip is not None:
        old, new = _strip(old, strip), _strip(new, strip)
    elif NOWHERE in (old, new):
        old, new = (name if name == NOWHERE else _without_prefix(name) for name in (old, new))
    elif (old[:2], new[:2]) in _PREFIXES:
        old, new = old[2:], new[2:]
    if old == new or NOWHERE in (old, new) or is_git:
        return old, new
    if old.removeprefix("a/") == new.removeprefix("b/"):
        return (new.removeprefix("b/"),) * 2
    if "/" in old and "/" in new and old.partition("/")[2] == new.partition("/")[2]:
        # Two trees beside each other: old/src/app.py and new/src/app.py.
        return (new.partition("/")[2],) * 2
    for end in _OLD_ENDS:
        if old == new + end:
            return new, new
        if new == old + end:
            return old, old
    message = f"The diff names two files, {old} and {new}."
    hint = f"Use one name in both lines, or write `rename from {old}` and `rename to {new}` above them."
    raise DiffError(message, hint, reason="two_names")


def _git_names(git: str) -> tuple[str, str] | None:
    """The two names in a `diff --git` line."""
    if git.startswith('"'):
        pair = git[1:].split('" "')
        return (_unquote(f'"{pair[0]}"'), _unquote(f'"{pair[1]}')) if len(pair) == 2 else None
    half = len(git) // 2
    for start in (2, 0):
        if git[half : half + 1] == " " and git[start:half] == git[half + 1 + start :] and half > start:
            return git[:half], git[half + 1 :]
    words = git.split(" ")
    return (words[0], words[1]) if len(words) == 2 else None


def _index_name(head: Sequence[str]) -> str:
    return next((line.removeprefix("Index: ").strip() for line in head if line.startswith("Index: ")), "")


def _without_prefix(name: str) -> str:
    return name[2:] if name[:2] in ("a/", "b/") else name


def _strip(name: str, count: int) -> str:
    return (
        name if name == NOWHERE else name.split("/", count)[-1] if name.count("/") >= count else name.rpartition("/")[2]
    )


def _unquote(name: str) -> str:
    """A name without quotes and escapes, or without the time after it."""
    if not name.startswith('"'):
        name = name.partition("\t")[0].rstrip()
        time = _TIME.search(name)
        return name[: time.start()].rstrip() if time else name
    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, '"': 34}
    body = name.rstrip("\t\r ")[1:].removesuffix('"').encode()

    def byte(found: re.Match[bytes]) -> bytes:
        code = found[1].decode()
        return bytes([simple[code] if code in simple else int(code, 8) & 255])

    return re.sub(rb'\\([0-7]{3}|[ntrabfv\\"])', byte, body).decode("utf-8", "surrogateescape")
