"""A file of a request before and after: what is on the disk, and what it becomes, each only if its hash proves it."""

from __future__ import annotations

from ..agent.answers import is_editable
from ..agent.partial_approval import keep_hunks
from ..core.fingerprint import fingerprint
from ..core.json_values import JsonValue
from ..core.paths import visible_path
from ..core.problems import PatchRejectedError
from ..core.regular_files import read_regular
from ..core.split_hunks import split_hunk
from ..core.text import Text
from ..workspace.changes import with_bom
from .review_limits import LARGEST_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change


class FileTexts(JsonValue):
    """A file of a request before and after, as text; `reason` says why a text is missing."""

    path: str
    before: str | None
    after: str | None
    reason: str = ""


def has_changed(file: Change) -> str:
    """That a file is no longer what it was, as a sentence."""
    return f"{visible_path(file.path)} has changed since the request was made."


def read_content(path: str, limit: int) -> bytes | None:
    """The content of a file; None if there is none, it is larger, or it is not a regular file."""
    try:
        return read_regular(path, limit, follow_links=True)
    except (OSError, ValueError):
        return None


def requested_texts(file: Change) -> FileTexts:
    """A file of a request before and after: the file as it is now, and with all hunks."""
    data = b"" if not file.sha256_before else read_content(file.resolved, LARGEST_TEXT)
    if data is None:
        return FileTexts(file.path, None, None, "The file can't be read, or is too large to show.")
    if file.sha256_before and fingerprint(data) != file.sha256_before:
        return FileTexts(file.path, None, None, has_changed(file))
    if not file.hunks and file.sha256_before != file.sha256_after and file.kind not in ("read", "list"):
        return FileTexts(file.path, None, None, "It is a binary file, or empty.")
    try:
        text = with_bom(Text(data, file.encoding or None, file.path))
    except PatchRejectedError as refused:
        return FileTexts(file.path, None, None, refused.problems[0].message)
    after = keep_hunks(text, file.hunks, range(1, len(file.hunks) + 1))
    return FileTexts(file.path, text if file.sha256_before else None, after if file.sha256_after else None)


def text_of_parts(file: Change, names: object) -> str:
    """The text of a file with only some hunks or parts of hunks, such as "1" and "2.1".

    Raises:
        ValueError: there are no such hunks or parts, or the file before is not known.
    """
    texts = requested_texts(file)
    if texts.reason or not is_editable(file):
        message = texts.reason or f"{file.path} can't be approved in parts."
        raise ValueError(message)
    known: dict[str, list[int]] = {}
    hunks: list[LineHunk] = []
    for number, hunk in enumerate(file.hunks, 1):
        for part, piece in enumerate(split_hunk(hunk), 1):
            hunks.append(piece)
            known.setdefault(str(number), []).append(len(hunks))
            known[f"{number}.{part}"] = [len(hunks)]
    if not isinstance(names, list) or not all(isinstance(name, str) and name in known for name in names):
        message = f"expected hunks or parts of hunks of {file.path}, such as '1' or '2.1'; found {names!r}"
        raise ValueError(message)
    return keep_hunks(texts.before or "", hunks, {number for name in names for number in known[name]})


def requested_contents(file: Change) -> tuple[bytes | None, bytes | None]:
    """The bytes of a file of a request before and after; None where there is no file, or they are not known.

    Of a binary file, a request has the new content as lines.
    """
    before = read_content(file.resolved, LARGEST_TEXT) if file.sha256_before else None
    if before is not None and fingerprint(before) != file.sha256_before:
        before = None
    after = before if file.sha256_after == file.sha256_before else None
    if file.binary and file.sha256_after:
        written = "".join([line for hunk in file.hunks for line in hunk.new]).encode("utf-8", "surrogateescape")
        if fingerprint(written) == file.sha256_after:
            after = written
    return before, after
