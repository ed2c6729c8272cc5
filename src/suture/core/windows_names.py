"""What Windows reads into the names of a path: devices, streams, drives, servers. Pure: it looks at nothing but texts.

The calls of Windows that Suture makes take names literally, but other programs would open something else by them. So a
path that Windows doesn't take for the file of exactly this name is refused, wherever the file would be.
"""

from __future__ import annotations

#: Names of devices, in every directory and with any extension.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"]
)
_FORBIDDEN = frozenset('<>"|?*')


def windows_fault(path: str) -> tuple[str, str]:
    """Why a path with slashes names no file on Windows: a reason and the end of a sentence; empty if it does."""
    if path.startswith("//"):
        return "unc", "names a device or another computer"
    if path.startswith("/"):
        return "no_drive", "starts at the root of a drive that it does not name"
    rest = path
    if path[1:2] == ":":
        if not (path[0].isascii() and path[0].isalpha()):
            return "stream", "has a colon, which Windows takes for a stream of a file"
        if path[2:3] != "/":
            return "drive_relative", "is relative to the current directory of a drive"
        rest = path[3:]
    for part in rest.split("/"):
        fault = _name_fault(part)
        if fault[0]:
            return fault
    return "", ""


def _name_fault(name: str) -> tuple[str, str]:
    """The same for one name."""
    if ":" in name:
        return "stream", "has a colon, which Windows takes for a stream of a file"
    if not _FORBIDDEN.isdisjoint(name):
        character = min(_FORBIDDEN.intersection(name))
        return "forbidden_character", f"has a character that no name on Windows can have: {character}"
    # Windows leaves out dots and blanks at the end, and what is before the first dot names the device.
    stem = name.partition(".")[0].rstrip(" .").lower()
    if stem in _DEVICES:
        return "device", f"contains the name of a device of Windows, {stem.upper()}"
    if name not in {".", ".."} and name.endswith((".", " ")):
        return "trailing", "contains a name that ends in a dot or a space, which Windows leaves out"
    return "", ""
