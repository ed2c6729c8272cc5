"""Work in threads, whose end always reaches the call that waits for it.

asyncio can't hand a StopIteration from a thread on to the task that waits: it would wait forever, and with it every
call on the same files.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core.problems import PatchRejectedError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    T = TypeVar("T")
    P = ParamSpec("P")


class LostExceptionError(Exception):
    """Work in a thread ended with an exception that asyncio can't hand on, which is the cause of this one."""

    def problem(self) -> PatchRejectedError:
        """The refusal of a call that has changed nothing."""
        message = f"The call could not be completed: {self}, which is a bug of Suture."
        hint = "Send the change in another form, such as an edit with the text to find."
        return PatchRejectedError([Problem("io_error", message, details={"reason": "unexpected"}, hint=hint)])


async def in_thread(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """What some work returns that is done in one of asyncio's threads.

    Raises:
        LostExceptionError: it raised a StopIteration.
    """
    return await asyncio.to_thread(carried(work), *given, **named)


def carried(work: Callable[P, T]) -> Callable[P, T]:
    """The same work, whose exceptions asyncio can hand on."""

    def call(*given: P.args, **named: P.kwargs) -> T:
        try:
            return work(*given, **named)
        except StopIteration as error:
            message = f"an unexpected {type(error).__name__}"
            raise LostExceptionError(message) from error

    return call
