"""The SHA-256 of a content, by which plans, journals and receipts identify it.

For a large file most of the time goes into this. A content that begins like one that was hashed before only needs the
rest hashed: a `Fingerprint` keeps the state of the hash at every block.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLOCK = 65536
#: The most bytes that are hashed without OpenSSL. More are hashed so much faster with it that loading it pays.
_SMALL = 16_384
#: The module of Python's own SHA-256.
_WITHOUT_OPENSSL = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def fingerprint(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    state = _new_hash(len(content))
    state.update(content)
    return str(state.hexdigest())


def _new_hash(size: int) -> Any:  # noqa: ANN401 - each implementation has a type of its own
    """A SHA-256 of nothing yet, for a content of that size.

    `hashlib` loads OpenSSL, which takes a tenth of the time that `apply_patch` takes. Python's own implementation is
    there at once, but ten times slower. So it is used for a small content if `hashlib` was not loaded yet.
    """
    if size <= _SMALL and "hashlib" not in sys.modules:
        try:
            return __import__(_WITHOUT_OPENSSL).sha256()
        except ImportError:
            pass  # this Python was built without it
    return __import__("hashlib").sha256()


class Fingerprint:
    """A SHA-256 with its intermediate states. `near` is the fingerprint of a content that may begin the same way."""

    __slots__ = ("_content", "_states", "sha256")

    def __init__(self, content: bytes, near: Fingerprint | None = None) -> None:
        self._content = content
        #: The hash after each block but the last.
        self._states: list[Any] = [] if near is None else near.shared(content)
        state = self._states[-1].copy() if self._states else _new_hash(len(content))
        for start in range(len(self._states) * BLOCK, len(content), BLOCK):
            end = start + BLOCK
            state.update(content[start:end])
            if end < len(content):
                self._states.append(state.copy())
        self.sha256: str = state.hexdigest()

    def shared(self, content: bytes) -> list[Any]:
        """The states after the blocks that another content begins with as well."""
        for number in range(len(self._states)):
            at = number * BLOCK
            if not content.startswith(self._content[at : at + BLOCK], at):
                return self._states[:number]
        return self._states[:]
