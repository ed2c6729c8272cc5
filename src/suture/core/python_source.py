"""Python source as a tree, parsed without a warning about what is in it."""

from __future__ import annotations

from contextlib import contextmanager
from warnings import catch_warnings, simplefilter

from .fork_lock import ForkLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

_FILTERS = ForkLock()
#: What is raised about a text that can't be parsed: it is not Python, has characters or numbers that the parser can't
#: read, or is nested so deeply that the parser gives up, which is a `MemoryError` without any lack of memory.
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
#: What `ast.parse` gives to `compile`, without the import.
_TREE_ONLY = 0x400


@contextmanager
def without_warnings() -> Iterator[None]:
    """Nothing that the compiler remarks about a text reaches the user."""
    # The filters belong to the process: two threads that change them at once could leave them changed.
    with _FILTERS, catch_warnings():
        simplefilter("ignore")
        yield


def parse_python(text: str, mode: str = "exec") -> ast.AST:
    """The tree of a text; nothing in it is run.

    Raises:
        SyntaxError: it is not Python. It can't be parsed for other reasons, too: see `UNPARSABLE`.
    """
    with without_warnings():
        return compile(text, "<edit>", mode, flags=_TREE_ONLY, dont_inherit=True)  # type: ignore[no-any-return]
