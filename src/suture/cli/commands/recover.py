"""`suture recover`: repairs what a process that was killed has left."""

from __future__ import annotations

from ..inputs import workspace_of
from ..json_output import print_document
from ..progress import waiting
from ..run_edit import uninterrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


LATER = "What is not repaired yet, the next use repairs."


def run(options: Namespace, screen: Screen) -> int:
    """Repair, and say what was done."""
    with workspace_of(options) as workspace, waiting(screen, workspace):
        done = uninterrupted(workspace.recover, LATER)
    screen.is_done = bool(done)
    if screen.json:
        return print_document(screen, "recover", 0, {"recovered": done})
    for one in done:
        screen.say(str(one))
    if not done:
        screen.say("There is nothing to repair.")
    return 0
