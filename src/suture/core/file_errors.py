"""Errors of files, as the system would raise them."""

from __future__ import annotations

import errno
import os


class FileTooLargeError(OSError):
    """A file is larger than the limit; `size` is what is known of its size."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(errno.EFBIG, f"The file has {size} bytes, and the limit is {limit}", path)
        self.size = size
        self.limit = limit

    def __reduce__(self) -> tuple[type[FileTooLargeError], tuple[str, int, int]]:
        return type(self), (self.filename, self.size, self.limit)


def failure(number: int, path: str) -> OSError:
    """An OSError with this number and path, of the subclass that Python itself would raise."""
    return OSError(number, os.strerror(number), path)
