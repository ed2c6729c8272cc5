"""`suture apply --base`: the texts that a patch was written for, from a file or from a commit of git."""

from __future__ import annotations

import os
import subprocess

from ..core.common_limits import MOST_INPUT_BYTES
from ..core.patch import EditFile, UpdateFile, WriteFile
from ..core.problems import PatchRejectedError
from ..workspace.history_text import parse_patch
from ..workspace.rebase_plan import MOST_PLANS, plan_rebased
from .arguments import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.patch import Patch
    from ..workspace.outcome import Plan, Receipt
    from ..workspace.workspace import Workspace

#: Seconds that git may take for one file.
LONGEST_RUN = 30


def base_texts(base: str, patch: Patch, workspace: Workspace) -> dict[str, bytes]:
    """The content that each file of a patch had, by its absolute path.

    `base` is the path of a file, if the patch changes only one, or a revision of git. A file that the revision does not
    have is left out: its edits are for the file as it is.

    Raises:
        UsageError: it is neither a file nor a revision, or a file for a patch of several.
    """
    changed = [one for one in patch.operations if isinstance(one, UpdateFile | EditFile | WriteFile)]
    paths = [path for path in workspace.planner().paths(changed) if os.path.isfile(path)]
    if os.path.isfile(base):
        if len(paths) != 1:
            message = f"--base {base} is one file, and the patch changes {len(paths)}; name a revision of git"
            raise UsageError(message)
        with open(base, "rb") as file:
            return {paths[0]: file.read(MOST_INPUT_BYTES)}
    folder = workspace.root
    if base.startswith("-") or _git(folder, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}") is None:
        message = f"--base {base} is neither a file nor a revision of git"
        raise UsageError(message)
    texts = {path: _git(folder, "cat-file", "blob", f"{base}:./{os.path.relpath(path, folder)}") for path in paths}
    return {path: text for path, text in texts.items() if text is not None}


def _git(folder: str, *arguments: str) -> bytes | None:
    """What a command of git prints; None where it fails. It runs nothing that the repository configures."""
    command = ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-C", folder, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=LONGEST_RUN, stdin=subprocess.DEVNULL)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


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
