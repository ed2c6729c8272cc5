"""`suture uninstall CLIENT`: takes out of a client's settings what `suture install` writes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...mcp.client_install import FileChanges, installation
from ..project_options import find_root
from .install import carry_out

if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show what would be removed, ask, and remove it."""
    root = find_root(options)[0]
    setups = [
        installation(options.client, root, headless=headless, for_user=options.user, to_remove=True)
        for headless in (False, True)
    ]
    with FileChanges.to_uninstall(*setups) as changes:
        return carry_out("uninstall", setups[0], changes, options, screen)
