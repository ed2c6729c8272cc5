"""`suture trust`: lets the configuration of the project run programs and allow edits."""

from __future__ import annotations

from ...agent.configuration.find_settings import trust
from ..json_output import print_document
from ..project_options import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Trust the configuration as it is now, or no longer."""
    root, _ = find_root(options)
    keys = trust(root, upward=False, revoke=options.revoke)
    if screen.json:
        return print_document(screen, "trust", 0, {"settings": keys, "trusted": not options.revoke})
    names = ", ".join(keys)
    if not keys:
        screen.print("The configuration has no setting that needs to be trusted.")
    elif options.revoke:
        screen.print(f"These settings are no longer trusted: {names}.")
    else:
        screen.print(f"These settings are trusted until one of them changes: {names}.")
    return 0
