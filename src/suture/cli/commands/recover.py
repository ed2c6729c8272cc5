"""`suture recover`: repairs the workspace after an interrupted commit."""

from __future__ import annotations

from ..inputs import open_workspace
from ..json_output import print_document
from ..progress import ProgressBar
from ..run_edit import explain_interrupt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


REPAIRED_LATER = "The rest will be repaired the next time the workspace is used."


def run(options: Namespace, screen: Screen) -> int:
    """Repair the workspace and print what was done."""
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, workspace):
        recovered = explain_interrupt(workspace.recover, REPAIRED_LATER)
    screen.files_changed = bool(recovered)
    if screen.json:
        return print_document(screen, "recover", 0, {"recovered": recovered})
    for one in recovered:
        screen.print(str(one))
    if not recovered:
        screen.print("Nothing to repair.")
    return 0
