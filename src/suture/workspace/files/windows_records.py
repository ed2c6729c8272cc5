"""Lists of names as Windows writes them into memory. Pure, so that they can be tested everywhere."""

from __future__ import annotations

#: The stream with the content of a file.
_CONTENT = "::$DATA"


class DirectoryNames:
    """The names in a directory, collected from FILE_NAMES_INFORMATION records."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add(self, memory: bytes) -> None:
        """Add the names of one answer of the system."""
        at = 0
        while True:
            step = _number(memory, at)
            start = at + 12
            name = memory[start : start + _number(memory, at + 8)].decode("utf-16-le", "surrogatepass")
            if name not in {".", ".."}:
                self.names.append(name)
            if not step:
                return
            at += step


def stream_names(memory: bytes) -> list[str]:
    """The names of streams in FILE_STREAM_INFORMATION records, as `name` of `:name:$DATA`, without the content."""
    names: list[str] = []
    at = 0
    while True:
        step = _number(memory, at)
        start = at + 24
        name = memory[start : start + _number(memory, at + 4)].decode("utf-16-le", "surrogatepass")
        if name and name != _CONTENT:
            names.append(name.removeprefix(":").removesuffix(":$DATA"))
        if not step:
            return names
        at += step


def _number(memory: bytes, at: int) -> int:
    return int.from_bytes(memory[at : at + 4], "little")
