"""`suture undo`: undoes a commit, or what the last commit of a file did to that file."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ...words.remarks import After
from ..inputs import commit_id, commits, open_workspace
from ..progress import ProgressBar
from ..run_edit import explain_interrupt, show_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ...core.outcome import Receipt
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Undo the named commit, the last commit of the named file, or the last commit."""
    named = None if options.commit is None else commit_id(options.commit)
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, workspace):
        commit, path = _target(workspace, named)
        try:
            receipt = explain_interrupt(lambda: workspace.undo(commit, merge=options.merge, path=path))
        except PatchRejectedError as rejected:
            if named is not None or rejected.problems[-1].code != "permission_denied":
                raise
            raise PatchRejectedError(_with_other_commits(rejected.problems)) from rejected
    return show_receipt("undo", receipt, options, screen)


def _with_other_commits(problems: Sequence[Problem]) -> list[Problem]:
    """The problems of the last commit, with how to undo another one."""
    *others, last = problems
    remark = After("To undo another commit, name it: suture log lists them.")
    return [*others, last.replace(remarks=(*last.remarks, remark))]


def _target(workspace: Workspace, named: str | None) -> tuple[Receipt | str, str | None]:
    """The commit to undo, and the file if only that is meant."""
    if named is None:
        return _last_commit(workspace), None
    try:
        return workspace.show(named), None
    except PatchRejectedError as unknown:
        if unknown.problems[0].code != "not_found":
            raise
        commit = _last_commit_of(workspace, named)
        if commit is None:
            raise
        return commit, named


def _last_commit(workspace: Workspace) -> Receipt:
    """The last commit that is neither undone nor an undo, so that repeated undos go back in time."""
    for receipt in commits(workspace):
        if not receipt.undone_by and not receipt.undoes:
            return receipt
    raise PatchRejectedError([Problem("not_found", "Nothing to undo.")])


def _last_commit_of(workspace: Workspace, path: str) -> Receipt | None:
    """The last commit whose change of a file is not undone; None if the history does not know the file."""
    display_path = workspace.guard().resolve(path).shown
    is_known = False
    undone: set[str] = set()
    for receipt in commits(workspace):
        if not any(display_path in change.names for change in receipt.changes):
            continue
        is_known = True
        if receipt.undoes and not receipt.undone_by and receipt.tool == "undo":
            undone.add(receipt.undoes)
        elif not receipt.undoes and not receipt.undone_by and receipt.id not in undone:
            return receipt
    if is_known:
        raise PatchRejectedError([Problem("not_found", f"Nothing to undo in {display_path}.", display_path)])
    return None
