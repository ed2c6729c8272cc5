"""One agent at work in a workspace: the tools that a model calls."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .authorization import Permissions as Permissions
    from .formatters import Formatter as Formatter
    from .pending import Pending as Pending, Preview as Preview
    from .profiles import PROFILES as PROFILES, Profile as Profile
    from .reads import FileRead as FileRead, Reads as Reads
    from .result import Result as Result

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "authorization": "Permissions",
            "formatters": "Formatter",
            "pending": "Pending Preview",
            "profiles": "PROFILES Profile",
            "reads": "FileRead Reads",
            "result": "Result",
        },
    )
