"""The calls of Windows that act relative to an open directory: its `openat`, `renameat` and `unlinkat`.

Win32 has none of them and rewrites names (`a.`, `NUL`, `a/../b`); the calls below it, used here, do neither. A file
that another program holds is asked for again, for at most `PATIENCE` seconds. Only loaded on Windows.
"""

from __future__ import annotations

import ctypes
import errno
import sys
import time
from ctypes import wintypes

assert sys.platform == "win32", "BUG: only for Windows"

from ...core.file_errors import failure
from ...core.system import slashed
from .file_limits import LONGEST_FINAL_PATH
from .windows_records import DirectoryNames, stream_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_nt = ctypes.WinDLL("ntdll")
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)

# Access rights.
DELETE = 0x10000
READ_CONTROL = 0x20000
WRITE_DAC = 0x40000
LIST = 0x1
READ_ATTRIBUTES = 0x80
WRITE_ATTRIBUTES = 0x100
READ = 0x80000000
WRITE = 0x40000000
_SYNCHRONIZE = 0x100000

# What may be there, and what it has to be.
OPEN = 1
CREATE = 2
FOLDER = 0x1
FILE = 0x40

#: Others may do anything with it meanwhile; or anything but rename and remove it.
SHARE_ALL = 7
SHARE_USE = 3

# Attributes of files.
READ_ONLY = 0x1
IS_FOLDER = 0x10
_REPARSE = 0x400
#: The attributes that a program can set.
_SETTABLE = 0x27

_WITHOUT_FOLLOWING = 0x200000
#: Calls return when they are done; backups may be made of it, which a directory needs.
_PLAIN = 0x20 | 0x4000

#: Seconds that a file is asked for again if another program holds it.
PATIENCE = 1.0
_PAUSE = 0.005

_ERRORS = {
    0xC000000D: errno.EINVAL,
    0xC0000033: errno.EINVAL,  # not a name
    0xC0000034: errno.ENOENT,
    0xC0000035: errno.EEXIST,
    0xC000003A: errno.ENOENT,  # a parent is missing
    0xC0000043: errno.EBUSY,  # somebody has it open
    0xC0000056: errno.EBUSY,  # it is being deleted
    0xC000007F: errno.ENOSPC,
    0xC00000BA: errno.EISDIR,
    0xC0000101: errno.ENOTEMPTY,
    0xC0000103: errno.ENOTDIR,
    0xC0000106: errno.ENAMETOOLONG,
    0xC00000D4: errno.EXDEV,
    0xC0000275: errno.EINVAL,  # not a link
    0xC000050B: errno.ELOOP,
}
_HELD = frozenset({0xC0000043, 0xC0000056})
#: Also reported for a file that a virus scanner has open just now.
_DENIED = 0xC0000022
_READ_ONLY_FILE = 0xC0000121
#: The system doesn't know this kind of information.
_UNKNOWN = frozenset({0xC0000002, 0xC0000003, 0xC000000D, 0xC0000010, 0xC00000BB})
_END_OF_NAMES = frozenset({0x80000006, 0xC000000F})

# Kinds of information of NtSetInformationFile and NtQueryInformationFile.
_BASIC, _NAME, _RENAME, _DISPOSITION, _STREAMS, _DISPOSITION_EX, _RENAME_EX = 4, 9, 10, 13, 22, 64, 65
#: As POSIX does it: a file that others have open loses its name at once, and read-only ones can be replaced.
_REPLACE, _POSIX_RENAME, _RENAME_READ_ONLY = 0x1, 0x2, 0x40
_REMOVE, _POSIX_REMOVE, _REMOVE_READ_ONLY = 0x1, 0x2, 0x10

_SYMBOLIC_LINK, _MOUNT_POINT = 0xA000000C, 0xA0000003
_NAME_SURROGATE = 0x20000000
_ERROR_MORE_DATA = 234


class _String(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("most", ctypes.c_ushort), ("buffer", ctypes.c_wchar_p))


class _ObjectAttributes(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_ulong),
        ("root", ctypes.c_void_p),
        ("name", ctypes.POINTER(_String)),
        ("attributes", ctypes.c_ulong),
        ("security", ctypes.c_void_p),
        ("quality", ctypes.c_void_p),
    )


class _Status(ctypes.Structure):
    _fields_ = (("status", ctypes.c_void_p), ("information", ctypes.c_void_p))


class _HandleInformation(ctypes.Structure):
    _fields_ = (
        ("attributes", wintypes.DWORD),
        ("created", wintypes.DWORD * 2),
        ("accessed", wintypes.DWORD * 2),
        ("written", wintypes.DWORD * 2),
        ("volume", wintypes.DWORD),
        ("size_high", wintypes.DWORD),
        ("size_low", wintypes.DWORD),
        ("links", wintypes.DWORD),
        ("index_high", wintypes.DWORD),
        ("index_low", wintypes.DWORD),
    )


class HandleStatus:
    """What Windows says about an open file or directory."""

    #: The time of Windows at the beginning of 1970, in units of 100 nanoseconds.
    _EPOCH = 116444736000000000

    def __init__(self, handle: int, path: str) -> None:
        information = _HandleInformation()
        if not _kernel.GetFileInformationByHandle(ctypes.c_void_p(handle), ctypes.byref(information)):
            raise _win_error(path)
        self.attributes = int(information.attributes)
        self.size = int(information.size_high) << 32 | int(information.size_low)
        self.links = int(information.links)
        self.volume = int(information.volume)
        self.index = int(information.index_high) << 32 | int(information.index_low)
        self.mtime_ns = ((int(information.written[1]) << 32 | int(information.written[0])) - self._EPOCH) * 100
        self.is_reparse = bool(self.attributes & _REPARSE)
        self.is_link = self.is_reparse and _is_link(handle)
        self.is_folder = bool(self.attributes & IS_FOLDER) and not self.is_link


def open_root(path: str) -> int:
    """A handle of a directory by its path."""
    create = _kernel.CreateFileW
    create.restype = ctypes.c_void_p
    access = LIST | READ_ATTRIBUTES | _SYNCHRONIZE
    handle = create(ctypes.c_wchar_p(native(path)), access, SHARE_ALL, None, 3, 0x02000000, None)
    if handle in (None, ctypes.c_void_p(-1).value):
        raise _win_error(path)
    if not HandleStatus(handle, path).is_folder:
        close(handle)
        raise failure(errno.ENOTDIR, path)
    return int(handle)


def open_at(
    folder: int,
    name: str,
    path: str,
    access: int,
    kind: int = 0,
    *,
    how: int = OPEN,
    share: int = SHARE_ALL,
    follow: bool = False,
) -> int:
    """A handle of a name in an open directory; of the directory itself for ".". A link is opened, not followed.

    `follow` is for files that the system fetches when they are opened, and must not be used for links.
    """
    if name == "..":
        raise failure(errno.EINVAL, path)
    text = "" if name == "." else name
    if any(separator in text.partition(":")[0] for separator in "\\/"):
        raise failure(errno.EINVAL, path)
    size = len(text.encode("utf-16-le", "surrogatepass"))
    string = _String(size, size, text)
    # Names are equal whatever their case, as for every other program.
    attributes = _ObjectAttributes(ctypes.sizeof(_ObjectAttributes), folder, ctypes.pointer(string), 0x40, None, None)
    options = kind | _PLAIN | (0 if follow else _WITHOUT_FOLLOWING)
    handle, status = ctypes.c_void_p(), _Status()

    def attempt() -> int:
        return int(
            _nt.NtCreateFile(
                ctypes.byref(handle),
                ctypes.c_ulong(access | READ_ATTRIBUTES | _SYNCHRONIZE),
                ctypes.byref(attributes),
                ctypes.byref(status),
                None,
                0x80,
                share,
                how,
                options,
                None,
                0,
            )
        )

    _retry(attempt, _HELD, path)
    return handle.value or 0


def _retry(attempt: Any, busy: frozenset[int], path: str) -> None:  # noqa: ANN401 - a function without arguments
    """Make a call until it succeeds or fails for good."""
    deadline = time.monotonic() + PATIENCE
    while True:
        code = attempt() & 0xFFFFFFFF
        if code in busy and time.monotonic() < deadline:
            time.sleep(_PAUSE)
            continue
        if code & 0x80000000:
            raise _nt_error(code, path)
        return


def _nt_error(code: int, path: str) -> OSError:
    number = _ERRORS.get(code)
    if number == errno.EBUSY:
        return OSError(number, "Another program has it open", path)
    if number is not None:
        return failure(number, path)
    windows_code = int(_nt.RtlNtStatusToDosError(ctypes.c_ulong(code)))
    # With a code of Windows, the system's number for the error is made of that.
    return OSError(0, ctypes.FormatError(windows_code).strip(), path, windows_code)


def _win_error(path: str) -> OSError:
    code = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(code).strip(), path, code)


def native(path: str) -> str:
    """A path with slashes as Windows takes it without rewriting it, of any length."""
    text = path.replace("/", "\\")
    return f"\\\\?\\{text}\\" if len(text) == 2 else f"\\\\?\\{text}"


def close(handle: int) -> None:
    """Close a handle."""
    _kernel.CloseHandle(ctypes.c_void_p(handle))


def _is_link(handle: int) -> bool:
    """Whether a reparse point stands for something else: a symbolic link, a junction. A file in a cloud doesn't."""
    tag = (wintypes.DWORD * 2)()
    if not _kernel.GetFileInformationByHandleEx(ctypes.c_void_p(handle), 9, tag, 8):
        return True
    return bool(int(tag[1]) & _NAME_SURROGATE)


def final_path(handle: int, path: str) -> str:
    """The path of what is open, as the directories have it: in long names, without redirections, with slashes."""
    buffer = ctypes.create_unicode_buffer(LONGEST_FINAL_PATH)
    if _kernel.GetFinalPathNameByHandleW(ctypes.c_void_p(handle), buffer, LONGEST_FINAL_PATH, 0):
        return slashed(buffer.value)
    if ctypes.get_last_error() != _ERROR_MORE_DATA:
        raise _win_error(path)
    # Wine fails for long paths. It knows the name without the drive, which can't be another one here.
    raw = ctypes.create_string_buffer(2 * LONGEST_FINAL_PATH)
    code = _nt.NtQueryInformationFile(ctypes.c_void_p(handle), ctypes.byref(_Status()), raw, len(raw), _NAME)
    if code & 0x80000000:
        raise _nt_error(code & 0xFFFFFFFF, path)
    end = 4 + int.from_bytes(raw.raw[:4], "little")
    return slashed(path[:2] + raw.raw[4:end].decode("utf-16-le", "surrogatepass"))


def link_target(handle: int, path: str) -> str:
    """The target of a symbolic link or a junction, with slashes."""
    buffer = ctypes.create_string_buffer(16384)
    size = wintypes.DWORD()
    done = _kernel.DeviceIoControl(
        ctypes.c_void_p(handle), 0x900A8, None, 0, buffer, len(buffer), ctypes.byref(size), None
    )
    if not done:
        raise failure(errno.EINVAL, path)
    raw = buffer.raw[: int(size.value)]
    tag = int.from_bytes(raw[:4], "little")
    if tag not in {_SYMBOLIC_LINK, _MOUNT_POINT}:
        raise failure(errno.EINVAL, path)
    begin = (20 if tag == _SYMBOLIC_LINK else 16) + int.from_bytes(raw[8:10], "little")
    length = int.from_bytes(raw[10:12], "little")
    target = raw[begin : begin + length].decode("utf-16-le", "surrogatepass")
    return slashed(target.removeprefix("\\??\\"))


def names(handle: int, path: str) -> list[str]:
    """The names in an open directory."""
    directory = DirectoryNames()
    buffer = ctypes.create_string_buffer(65536)
    is_first = True
    while True:
        code = _nt.NtQueryDirectoryFile(
            ctypes.c_void_p(handle),
            None,
            None,
            None,
            ctypes.byref(_Status()),
            buffer,
            len(buffer),
            12,
            False,
            None,
            is_first,
        )
        code &= 0xFFFFFFFF
        if code in _END_OF_NAMES:
            return directory.names
        if code & 0x80000000:
            raise _nt_error(code, path)
        is_first = False
        directory.add(buffer.raw)


def streams(handle: int) -> list[str]:
    """The names of the streams of an open file, except that of its content; empty if the system has none."""
    buffer = ctypes.create_string_buffer(65536)
    code = _nt.NtQueryInformationFile(ctypes.c_void_p(handle), ctypes.byref(_Status()), buffer, len(buffer), _STREAMS)
    return [] if code else stream_names(buffer.raw)


def _set_information(handle: int, kinds: tuple[tuple[int, bytes], ...], path: str) -> None:
    """NtSetInformationFile with the first kind of information that this system knows."""

    def attempt() -> int:
        code = 0
        for kind, data in kinds:
            code = int(
                _nt.NtSetInformationFile(ctypes.c_void_p(handle), ctypes.byref(_Status()), data, len(data), kind)
            )
            if code & 0xFFFFFFFF not in _UNKNOWN:
                break
        return code

    _retry(attempt, _HELD | {_DENIED}, path)


def rename(handle: int, folder: int, name: str, path: str, *, replace: bool) -> None:
    """Give an open file another name in an open directory; `path` is the new one."""
    if any(character in name for character in "\\/:"):
        raise failure(errno.EINVAL, path)
    text = name.encode("utf-16-le", "surrogatepass")
    rest = folder.to_bytes(8, "little") + len(text).to_bytes(4, "little") + text + bytes(4)
    flags = _POSIX_RENAME | (_REPLACE | _RENAME_READ_ONLY if replace else 0)
    _set_information(
        handle,
        (
            (_RENAME_EX, flags.to_bytes(8, "little") + rest),
            (_RENAME, int(replace).to_bytes(8, "little") + rest),
        ),
        path,
    )


def remove(handle: int, path: str) -> None:
    """Remove an open file, link or empty directory."""
    flags = _REMOVE | _POSIX_REMOVE | _REMOVE_READ_ONLY
    try:
        _set_information(handle, ((_DISPOSITION_EX, flags.to_bytes(4, "little")), (_DISPOSITION, b"\1")), path)
    except PermissionError:
        # An older system refuses to remove a read-only file.
        attributes = HandleStatus(handle, path).attributes
        if not attributes & READ_ONLY:
            raise
        set_read_only(handle, attributes, path, read_only=False)
        _set_information(handle, ((_DISPOSITION, b"\1"),), path)


def set_read_only(handle: int, attributes: int, path: str, *, read_only: bool) -> None:
    """Make a file read-only or writable."""
    value = attributes | READ_ONLY if read_only else attributes & ~READ_ONLY
    # Times of zero are left as they are, and a file needs at least one attribute: "normal".
    _set_information(handle, ((_BASIC, bytes(32) + ((value & _SETTABLE) or 0x80).to_bytes(8, "little")),), path)


def flush(handle: int) -> None:
    """Ask the system to write what it has of a file or directory."""
    _kernel.FlushFileBuffers(ctypes.c_void_p(handle))


def access_list(handle: int) -> bytes:
    """Who may do what with an open file, as the system writes it; empty if it does not tell."""
    size = wintypes.ULONG()
    buffer = ctypes.create_string_buffer(65536)
    code = _nt.NtQuerySecurityObject(ctypes.c_void_p(handle), 4, buffer, len(buffer), ctypes.byref(size))
    return b"" if code else buffer.raw[: int(size.value)]


def set_access_list(handle: int, access: bytes) -> bool:
    """Give an open file such a list; return whether that is allowed."""
    return not _nt.NtSetSecurityObject(ctypes.c_void_p(handle), 4, access)
