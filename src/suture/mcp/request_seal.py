"""Pending calls that a client carries (2026-07-28): signed, so that it can only send back what it was given."""

from __future__ import annotations

import hmac
import json
import os
from time import time

from .static_requests import INVALID_PARAMS, ProtocolError

#: How long a question can be answered after its call has ended, in seconds.
STATE_TIMEOUT = 3600.0


class RequestSeal:
    """Signs texts with a key, and checks them. Without a key it makes one that no other process has."""

    def __init__(self, key: str = "") -> None:
        self._key = key.encode() or os.urandom(32)

    def close(self, text: str) -> str:
        """A text with a signature and the time at which it expires."""
        sealed = json.dumps([time() + STATE_TIMEOUT, text])
        return f"{self._sign(sealed)}.{sealed}"

    def open(self, sealed: object) -> str:
        """The text that `close` was given.

        Raises:
            ProtocolError: it was changed, is too old, or is from another server.
        """
        signature, _, content = str(sealed).partition(".")
        # As bytes, because a signature from outside may have any character, also half of a surrogate pair.
        if not hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), self._sign(content).encode()):
            raise _refusal()
        expires, text = json.loads(content)
        if expires < time():
            raise _refusal()
        return str(text)

    def _sign(self, content: str) -> str:
        return hmac.new(self._key, content.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def _refusal() -> ProtocolError:
    message = "The call can't be continued: its state is not one of this server, or it is too old."
    return ProtocolError(INVALID_PARAMS, message)
