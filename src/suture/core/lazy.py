"""Public names that are loaded when they are first used.

`import suture` and the import of any of its packages cost next to nothing: each package names the modules its public
names live in, and a name is imported on first use (docs/decisions/0004-lazy-surface.md).
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """The `__all__`, `__getattr__` and `__dir__` of a package whose public names are in these modules below it."""
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        home = homes.get(name)
        if home is None:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        try:
            from importlib import import_module

            value = getattr(import_module(f".{home}", package), name)
        except OSError as error:
            # A process without free descriptors can't load anything.
            message = f"{package}.{name} can't be loaded: {error.strerror or error}"
            raise ImportError(message, name=f"{package}.{home}") from error
        setattr(sys.modules[package], name, value)
        return value

    return sorted(homes), get, lambda: sorted(homes)
