"""What the calls of a session may read: nothing of a file is read before the rules allow it.

The rules are applied where paths are resolved, in the guard of the workspace that a call plans with. So there is no way
around them: not through a link, a second name in a patch, an expected hash, a listing or a suggestion. A path that may
not be read is refused by the name that the caller wrote, in the same words whether it exists or not.
"""

from __future__ import annotations

from ..core.paths import visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.system import is_absolute
from .requests import Request, rule_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..core.outcome import Change, Receipt
    from ..workspace.guard import Guard, PathCheck
    from ..workspace.workspace import Workspace
    from .authorization import Permissions
    from .diagnostics.report import Report
    from .rules import Verdict


class ReadAccess:
    """The files of a workspace that a session may read."""

    def __init__(self, workspace: Workspace, permissions: Permissions) -> None:
        self._workspace = workspace
        self._permissions = permissions
        #: The workspace before anybody was asked: denied paths are refused before anything is looked up.
        self.before_asking = workspace.restricted(_refuse_denied(permissions))
        #: Which paths that leaves, and the absolute path of one that the workspace shows.
        self.guard = self.before_asking.guard()
        self.absolute = self.guard.absolute

    def after_asking(self, granted: Container[str]) -> Workspace:
        """The workspace as a call sees it that has a permission for these absolute paths, and for what is free."""
        return self._workspace.restricted(_refuse_unasked(self._permissions), granted)

    def request(self, files: Sequence[Change], tool: str, actor: str) -> Request | None:
        """The request to read those of the files that a rule wants to be asked for. Reading others is free."""
        asked = [file for file in files if any(map(self._needs_answer, rule_names(file)))]
        if not asked:
            return None
        return Request.for_files("read", asked, tool=tool, actor=actor, whole_only=True)

    def _needs_answer(self, name: tuple[str, str]) -> bool:
        return _needs_approval(self._permissions.path_verdict("read", name))

    def report(self, report: Report) -> Report:
        """A report without the diagnostics of other files that may not be read."""

        def is_denied(path: str) -> bool:
            if path == report.path or not self.guard.is_inside(path):
                return False
            return self._needs_answer((self.guard.shown(path), path))

        kept = tuple([one for one in report.diagnostics if not is_denied(one.path)])
        if len(kept) == len(report.diagnostics):
            return report
        return report.replace(diagnostics=kept, state=report.state if kept else "clean")


def _refuse_denied(permissions: Permissions) -> PathCheck:
    """A check that refuses the paths that a rule denies."""

    def check(path: str, shown: str, path_text: str, is_linked: bool) -> None:
        verdict = permissions.path_verdict("read", (shown, path))
        if verdict.action == "deny":
            raise PatchRejectedError([_unreadable(path_text, verdict, is_linked=is_linked)])

    return check


def _refuse_unasked(permissions: Permissions) -> PathCheck:
    """A check that refuses the paths that may not be read without an answer."""

    def check(path: str, shown: str, path_text: str, is_linked: bool) -> None:
        name = (shown, path)
        verdict = permissions.path_verdict("read", name)
        is_outside = is_absolute(shown) and permissions.path_verdict("external_directory", name).action != "allow"
        if verdict.action == "deny" or _needs_approval(verdict) or is_outside:
            raise PatchRejectedError([_unreadable(path_text, verdict, is_linked=is_linked)])

    return check


def readable_changes(receipt: Receipt, guard: Guard) -> list[Change]:
    """The changes of a commit whose files may all be read."""
    return [change for change in receipt.changes if all(may_be_named(guard, name) for name in change.names)]


def may_be_named(guard: Guard, display_path: str) -> bool:
    """Whether an answer may name a path."""
    try:
        guard.resolve(display_path)
    except PatchRejectedError:
        return False
    return True


def _needs_approval(verdict: Verdict) -> bool:
    """Whether reading is not free: without a rule for a path, it is."""
    return verdict.rule is not None and verdict.action != "allow"


def _unreadable(path: str, verdict: Verdict, *, is_linked: bool) -> Problem:
    """Why a path may not be read. Of a link, neither the target nor the rule for it is named."""
    details = {"path": path, "permission": "read"}
    path = visible_path(path)
    if is_linked:
        message = f"{path} may not be read: it is a symbolic link, and the rules deny what it leads to."
    elif verdict.action == "deny":
        message = f"{path} may not be read: the rule '{verdict.rule}' denies it."
        details["rule"] = str(verdict.rule)
    else:
        message = f"{path} may not be read without an approval."
    hint = "Continue without it: what may not be read can't be changed either. The user can change the setting rules."
    return Problem("rejected", message, path, None, details, hint, recoverable=False, reason="rule")
