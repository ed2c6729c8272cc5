"""What the packages of a server log: only so much of it, because strangers can make it grow."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.display import printable, shorten
from .agent_limits import LONGEST_MESSAGE, MOST_MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The loggers of the packages.
LOGGERS = ("asyncio", "mcp", "uvicorn")


class LimitedLog(logging.Handler):
    """Reports the first messages of a run."""

    def __init__(self, report: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._report = report
        self._count = 0

    def only_errors(self) -> None:
        """Report no more warnings: a server that ends warns of every client that gets no answer."""
        self.setLevel(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Report a message, if it is one of the first."""
        self._count += 1
        if self._count <= MOST_MESSAGES:
            self._report(shorten(printable(self.format(record)), LONGEST_MESSAGE))
        elif self._count == MOST_MESSAGES + 1:
            self._report(f"The server has reported {MOST_MESSAGES} errors; further ones are not shown.")


@contextmanager
def limited_log(report: Callable[[str], object]) -> Iterator[LimitedLog]:
    """Report what a server logs inside of this context, up to a limit."""
    handler = LimitedLog(report)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
    try:
        yield handler
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
