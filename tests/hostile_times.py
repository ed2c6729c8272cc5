"""What a hostile input costs."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def timed(call: Callable[[], object]) -> float:
    """What a call costs, without the collection of garbage, which grows with all that other tests have left."""
    gc.disable()
    start = time.process_time()
    try:
        call()
        return time.process_time() - start
    finally:
        gc.enable()
