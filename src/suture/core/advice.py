"""Advice that depends on what a reader can do: each is called with the reader and gives the sentence.

`words.next_steps` has more. These are used by `format` and by `core` itself.
"""

from __future__ import annotations

from .paths import escape_glob
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .readers import Reader


class Send(Value):
    """The advice to send something that is different, in the verb of the reader."""

    what: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"{reader.send} {self.what}"


class Copy(Value):
    """The advice to send something again completely, in the verb of the reader."""

    what: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"{reader.copy} {self.what}"


class LeaveOut(Value):
    """The advice to do without the part of a diff for a path, because it can't be read."""

    path: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        if not reader.exclude:
            return "Leave this file out of the diff, or use git apply."
        path = escape_glob(self.path)
        in_shell = "'" + path.replace("'", "'\\''") + "'"
        return f"Leave this file out {reader.exclude.format(path=path, in_shell=in_shell)}, or use git apply."


class EncodingAdvice(Value):
    """Some advice, and how the encoding of a file is set."""

    first: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"{self.first} {reader.encoding}"
