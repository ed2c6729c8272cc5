"""Errors of the system that nobody has expected, as problems.

Modules are loaded when they are first needed, so any call can need a descriptor, and fail where no file is in play.
What reads and writes files reports such errors itself, with the path; this is for all others.
"""

from __future__ import annotations

from errno import EMFILE, ENFILE, errorcode

from .problems import PatchRejectedError, Problem, SutureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])
    Class = TypeVar("Class", bound=type)


#: What to do if the process or the system has no descriptors left.
TOO_MANY_FILES = "The process has too many files open. Close some, or raise the limit (`ulimit -n`), and try again."


def hint_of(error: Exception, otherwise: str) -> str:
    """What to do about an error of the system: `otherwise`, unless there are no descriptors left."""
    has_too_many = isinstance(error, OSError) and error.errno in (EMFILE, ENFILE)
    return TOO_MANY_FILES if has_too_many else otherwise


def system_failure(error: OSError) -> PatchRejectedError:
    """An error of the system, before any file was changed, as an exception with a problem."""
    number = error.errno or 0
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    hint = hint_of(error, "The system refused this, and no other edit can change that.")
    details = {"reason": "system", "errno": errorcode.get(number, "").removeprefix("WSA")}
    message = f"The call could not be completed: {reason}."
    return PatchRejectedError([Problem("io_error", message, details=details, hint=hint, recoverable=False)])


def reports_system_errors(function: Function) -> Function:
    """The function, which raises `system_failure` instead of an OSError."""

    def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - passed on as they are
        try:
            return function(*given, **named)
        except SutureError:
            raise  # one of these is an OSError as well: there is no such directory
        except OSError as error:
            raise system_failure(error) from error

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def methods_report_system_errors(cls: Class) -> Class:
    """The class, whose public methods and `__init__` raise `system_failure` instead of an OSError."""
    for name, method in list(vars(cls).items()):
        is_public = name == "__init__" or not name.startswith("_")
        if is_public and hasattr(method, "__code__"):
            setattr(cls, name, reports_system_errors(method))
    return cls
