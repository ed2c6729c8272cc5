"""The SHA-256 of a content, by which plans, journals and receipts identify it.

For a large file most of the time goes into this. A content that begins like one that was hashed before only needs the
rest hashed: a `Fingerprint` keeps the state of the hash at every block.
"""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLOCK = 65536


def fingerprint(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    return sha256(content).hexdigest()


class Fingerprint:
    """A SHA-256 with its intermediate states. `near` is the fingerprint of a content that may begin the same way."""

    __slots__ = ("_content", "_states", "sha256")

    def __init__(self, content: bytes, near: Fingerprint | None = None) -> None:
        self._content = content
        #: The hash after each block but the last.
        self._states: list[Any] = [] if near is None else near.shared(content)
        state = self._states[-1].copy() if self._states else sha256()
        for at in range(len(self._states) * BLOCK, len(content), BLOCK):
            state.update(content[at : at + BLOCK])
            if at + BLOCK < len(content):
                self._states.append(state.copy())
        self.sha256: str = state.hexdigest()

    def shared(self, content: bytes) -> list[Any]:
        """The states after the blocks that another content begins with as well."""
        for number in range(len(self._states)):
            at = number * BLOCK
            if not content.startswith(self._content[at : at + BLOCK], at):
                return self._states[:number]
        return self._states[:]
