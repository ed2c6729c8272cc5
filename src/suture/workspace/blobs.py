"""The hashes in the `index` line of a diff: whether a file has the content before the diff, or the one after it.

A hash that fits neither says nothing: models make hashes up, and files change.
"""

from __future__ import annotations

from hashlib import new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

#: The digits of a hash in a repository of SHA-1. A longer one is of SHA-256, a shorter one of either.
_SHA1_DIGITS = 40


def side_of(content: bytes, blobs: Sequence[str]) -> Literal["", "before", "after"]:
    """Which side of a diff a content is, by the hashes of both; empty if it is neither."""
    if len(blobs) != 2:
        return ""
    old, new = blobs
    for name in _names(content, longest=max(len(old), len(new))):
        is_old, is_new = name.startswith(old), name.startswith(new)
        if is_old != is_new:
            return "before" if is_old else "after"
    return ""


def _names(content: bytes, longest: int) -> Iterator[str]:
    """The hashes that git may have given a content. In a repository, lines end with LF on every system."""
    contents = [content]
    if b"\r\n" in content:
        contents.append(content.replace(b"\r\n", b"\n"))
    for algorithm in ("sha1", "sha256") if longest <= _SHA1_DIGITS else ("sha256",):
        for one in contents:
            hashed = new(algorithm, b"blob %d\0" % len(one), usedforsecurity=False)
            hashed.update(one)
            yield hashed.hexdigest()
