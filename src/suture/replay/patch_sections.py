"""The files of an envelope, each as a patch of its own, cut at its marker lines and otherwise as it was written."""

from __future__ import annotations

import re

from . import transcript_limits
from .recording import FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKER = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.*)$", re.MULTILINE)
_END = re.compile(r"\n?\*\*\* End Patch\s*$")


def split_patch(patch: str) -> Iterator[FileChange]:
    """A change for each file of a patch: an edit for an update, the whole text for an added file.

    A patch without any marker is one edit to an unknown file.
    """
    markers = list(_MARKER.finditer(patch))[: transcript_limits.MOST_PATCH_SECTIONS]
    if not markers and patch.strip():
        yield FileChange("", "envelope", patch)
    ends = [marker.start() for marker in markers[1:]] + [len(patch)]
    for marker, end in zip(markers, ends, strict=False):
        kind, path = marker[1], marker[2].rstrip()
        section = _END.sub("\n", patch[marker.start() : end])
        if kind == "Update":
            yield FileChange(path, "envelope", f"*** Begin Patch\n{section.rstrip(chr(10))}\n*** End Patch")
        else:
            added = [line[1:] + "\n" for line in section.split("\n") if line.startswith("+")]
            yield FileChange(path, "whole", after="".join(added) if kind == "Add" else None)


def is_same_path(name: str, path: str) -> bool:
    """Whether a path of a patch, which may be relative, is this path."""
    name, path = (one.replace("\\", "/") for one in (name, path))
    return name == path or path.endswith("/" + name.removeprefix("./"))
