"""`suture apply --base`: the texts that a patch was written for, from a file or from a commit of git."""

from __future__ import annotations

import os

from ..core.common_limits import LARGEST_CONTENT
from ..core.patch import EditFile, UpdateFile, WriteFile
from ..core.problems import PatchRejectedError
from ..core.system import relative_path
from ..replay import transcript_limits
from ..replay.git_history import GitHistory
from ..workspace.history_text import parse_patch
from ..workspace.rebase_plan import plan_rebased
from ..workspace.workspace_limits import MOST_PLANS
from .arguments import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.outcome import Plan, Receipt
    from ..core.patch import Patch
    from ..workspace.workspace import Workspace


def base_texts(base: str, patch: Patch, workspace: Workspace) -> dict[str, bytes]:
    """The content that each file of a patch had, by its absolute path.

    `base` is the path of a file, if the patch changes only one, or a revision of git. A file that the revision does not
    have is left out: its edits are for the file as it is.

    Raises:
        UsageError: it is neither a file nor a revision, or both; a file for a patch of several; or git can't read it.
    """
    changed = [one for one in patch.operations if isinstance(one, UpdateFile | EditFile | WriteFile)]
    paths = [path for path in workspace.planner().paths(changed) if os.path.isfile(path)]
    is_file = os.path.isfile(base)
    with GitHistory(workspace.root, seconds=transcript_limits.GIT_SECONDS_FOR_A_BASE) as history:
        commit = history.commit(base)
        if commit and not is_file:
            texts = {path: history.content_at(commit, relative_path(path, workspace.root)) for path in paths}
            if history.failure:
                # A file that could not be read is not one that the revision does not have.
                message = f"--base {base} can't be read from the repository: {history.failure}"
                raise UsageError(message)
            return {path: text for path, text in texts.items() if text is not None}
    if commit:
        # A repository may have a file of any name, such as that of a branch.
        message = f"--base {base} is a file and a revision of git; for the file, write ./{base}"
        raise UsageError(message)
    if not is_file:
        message = f"--base {base} is neither a file nor a revision of git"
        raise UsageError(message)
    if len(paths) != 1:
        message = f"--base {base} is one file, and the patch changes {len(paths)}; name a revision of git"
        raise UsageError(message)
    return {paths[0]: _content(base)}


def _content(base: str) -> bytes:
    with open(base, "rb") as file:
        content = file.read(LARGEST_CONTENT + 1)
    if len(content) > LARGEST_CONTENT:
        message = f"--base {base} has more than {LARGEST_CONTENT} bytes"
        raise UsageError(message)
    return content


def plan_on_base(workspace: Workspace, base: str, patch: str | Patch, exclude: Sequence[str]) -> Callable[[], Plan]:
    """What plans a patch on the texts that it was written for, merged with the files as they are."""
    parsed, text = parse_patch(patch, workspace.dialect, exclude=exclude)
    texts = base_texts(base, parsed, workspace)
    return lambda: plan_rebased(workspace, texts, lambda view: view.plan(parsed, text=text))


def commit_on_base(workspace: Workspace, plan: Callable[[], Plan]) -> Receipt:
    """Commit such a plan. If a file changes between the plan and the commit, it is planned again, a few times."""
    for _ in range(MOST_PLANS - 1):
        try:
            return workspace.commit(plan(), tool="suture apply")
        except PatchRejectedError as refused:
            if any(problem.code != "stale_file" for problem in refused.problems):
                raise
    return workspace.commit(plan(), tool="suture apply")
