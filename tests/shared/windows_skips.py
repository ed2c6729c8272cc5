"""What the tests ask of a system and Windows, or Wine, has not: such a test is skipped, and names its reason.

Only used on Windows. A function that is missing there is put in place, and skips the test that calls it. So
what is skipped is decided by what a test does, and not by a list that somebody has to keep.
"""

from __future__ import annotations

# Python's own modules look for `fork` when they are loaded. Those that do are loaded before it is put in place.
import asyncio
import os
import random  # noqa: F401
import stat
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath, PureWindowsPath
from shutil import which
from typing import TYPE_CHECKING

import pytest
from tests.shared.processes import IS_WINE, STARTS_PROCESSES

assert sys.platform == "win32", "BUG: only for Windows"

from multiprocessing import popen_spawn_win32  # noqa: E402

if TYPE_CHECKING:
    from typing import Any, NoReturn

#: Functions of `os` that Windows has not, each with what it is about.
_MISSING = {
    "fchmod": "modes",
    "fchown": "owners",
    "chown": "owners",
    "lchown": "owners",
    "fork": "forks",
    "killpg": "process groups",
    "mkfifo": "FIFOs",
    "mknod": "devices",
    "openpty": "terminals of this kind",
    "setsid": "sessions",
    "wait4": "forks",
    "waitid": "forks",
    "WIFSIGNALED": "signals",
    "pwrite": "pwrite",
    "sched_getaffinity": "affinities",
}
_MISSING_MODULES = {
    "fcntl": "locks of POSIX",
    "resource": "limits",
    "pty": "terminals",
    "termios": "terminals",
    "tty": "terminals",
    "pwd": "users",
    "grp": "groups",
    "suture.cli.raw_terminal": "terminals of this kind",
}


class SlashedPath(type(Path())):  # type: ignore[misc]
    """A path whose text has slashes, and texts in its file are as elsewhere: UTF-8, with the line ends they have."""

    def __str__(self) -> str:
        return str(super().__str__()).replace("\\", "/")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PurePath) and PureWindowsPath(self) == PureWindowsPath(other)

    def __hash__(self) -> int:
        return hash(PureWindowsPath(self))

    def open(self, mode: str = "r", *args: Any, **named: Any) -> Any:
        try:
            return super().open(mode, *args, **named)
        except OSError:
            self._skip_odd_name(mode)
            raise

    def mkdir(self, *args: Any, **named: Any) -> None:
        try:
            super().mkdir(*args, **named)
        except OSError:
            self._skip_odd_name("w")
            raise

    def _skip_odd_name(self, mode: str) -> None:
        """Skip a test that makes something with a name that Windows can't have."""
        if "r" not in mode and any(character in '<>:"|?*' or character < " " for character in "".join(self.parts[1:])):
            skip("Windows has no names with these characters")

    def read_text(self, encoding: str | None = None, errors: str | None = None, newline: str | None = "") -> str:
        return str(super().read_text(encoding or "utf-8", errors, newline))

    def write_text(
        self, data: str, encoding: str | None = None, errors: str | None = None, newline: str | None = "\n"
    ) -> int:
        return int(super().write_text(data, encoding or "utf-8", errors, newline))


_ROOT = Path(__file__).parents[2]

#: Tests that can't pass, by the beginning of their ids. A reason says whose fault it is: "Windows …" has not what the
#: test is about, "the test …" is written for Linux, or "Wine …" can't do what Windows can. A fault of ours is none of
#: these. docs/platforms.md counts them.
NOT_PORTABLE = {
    "tests/workspace/files/test_special_permissions.py": "Windows has no owners and no modes of this kind",
    "tests/workspace/files/test_disk_files.py": "the test is of the disk of Linux and macOS; see test_windows_disk.py",
    "tests/workspace/files/test_files.py::test_a_file_that_changes_while_it": "the test is of a disk that reads twice",
    "tests/workspace/files/test_files.py::test_a_staged_file_takes_the_mode": "Windows has no modes but read-only",
    "tests/workspace/files/test_folder_walk.py::test_a_walk_ends_where": "the test makes its tree with calls of POSIX",
    "tests/workspace/files/test_folder_walk.py::test_all_who_walk_bear": "the test makes its tree with calls of POSIX",
    "tests/workspace/test_guard_attacks.py::test_a_thread_that_swaps": "Wine makes no symbolic links",
    "tests/core/test_forks.py::test_forks_under_load": "Windows has no forks",
    "tests/core/test_outside_text.py::test_the_names_in_a_folder": "Windows has no names with control characters",
    "tests/core/test_system_errors.py::test_without_descriptors": "Windows has no limit on open files",
    "tests/agent/diagnostics/test_diagnostics_real.py": "the test needs language servers that are not installed",
    "tests/agent/diagnostics/test_diagnostics_connection.py::TestPrograms": "the test makes programs of Linux",
    "tests/agent/test_approval_folder.py::TestFolder::test_a_folder_that_is_cleared_away": (
        "Windows has no way to remove a file that is open"
    ),
    "tests/agent/test_approval_folder.py::TestFolder::test_only_the_user": "Windows has no modes but read-only",
    "tests/agent/test_approval_folder.py::TestFolder::test_a_folder_of_another": "Windows has no owners of this kind",
    "tests/agent/test_approval_folder.py::TestForeignFiles::test_an_answer_that_is_no_file": (
        "Windows has no way to set the time of a link"
    ),
    "tests/state/test_private_files.py": "Windows has no owners and no modes of this kind",
    "tests/state/test_state_folder.py::TestOutside::test_the_caller_wins": "the test names the directories of Linux",
    "tests/state/test_state_folder.py::TestOutside::test_a_relative_xdg": "the test names the directories of Linux",
    "tests/state/test_state_folder.py::TestOutside::test_a_tilde": "the test names the directories of Linux",
    "tests/state/test_state_folder.py::TestOutside::test_nobody_else": "Windows has no modes but read-only",
    "tests/state/test_state_folder.py::TestOutside::test_the_root_of_all": "Windows has no root of all directories",
    "tests/state/test_state_folder.py::TestInside::test_a_folder_that_cannot_be": "Windows has no state in a workspace",
    "tests/state/test_store.py::TestFile::test_only_the_user": "Windows has no modes but read-only",
    "tests/state/test_store.py::TestFile::test_any_name_of_a_folder": "Windows has no names with these characters",
    "tests/state/test_state_loss.py": "Windows has no way to remove a file that is open",
    "tests/cli/test_cli_apply_patch.py::test_an_argument_that_is_no_text": "Windows has no arguments that are not text",
    "tests/cli/test_cli_apply_patch.py::test_a_folder_as_standard": "Windows has no directories that open as files",
    "tests/cli/test_cli_answers.py::TestPaths::test_backslashes": "Windows has no names with backslashes",
    "tests/cli/test_cli_answers.py::TestPaths::test_a_name_with_a_backslash": "Windows has no names with backslashes",
    "tests/cli/test_cli_patches.py::TestDiff::test_a_name_that_an": "Windows has no names with these characters",
    "tests/cli/test_cli_project.py::test_the_history_follows_a_moved": "Windows has no attributes of directories",
    "tests/cli/test_cli_project.py::test_a_marker_of_another_user": "Windows has no owners of this kind",
    "tests/review/test_review_explanations.py::TestWhatIsKept::test_only_the_user": (
        "Windows has no modes but read-only"
    ),
    "tests/review/test_review_inbox.py::TestCoverage::test_files_need_not_be_listed": (
        "Windows has no names with these characters"
    ),
    "tests/workspace/test_diff_modes.py::TestCommits::test_a_mode": "Windows has no modes but read-only",
    "tests/workspace/test_diff_modes.py::TestCommits::test_a_diff_of_modes": "Windows has no modes but read-only",
    "tests/workspace/test_diff_modes.py::TestWhatPeopleSee::test_a_deleted": "Windows has no modes but read-only",
    "tests/workspace/test_sent_twice.py::test_an_added_file_without_the_mode": "Windows has no modes but read-only",
    "tests/workspace/test_workspace_state.py::test_the_workspace_stays_clean": "Windows has no modes but read-only",
    "tests/workspace/test_globs.py::test_globs[a\\": "Windows has no names with these characters",
    "tests/workspace/test_globs.py::test_globs[\\": "Windows has no names with these characters",
    "tests/workspace/test_globs.py::test_globs[**/\\": "Windows has no names with these characters",
    "tests/workspace/test_globs.py::test_an_escaped_path": "Windows has no names with these characters",
    "tests/workspace/test_workspace_close.py::test_a_workspace_that_is_dropped": "the test reads /proc",
    "tests/workspace/test_workspace_close.py::test_a_thread_goes_on": "the test reads /proc",
    "tests/workspace/test_workspace_recovery.py::test_a_journal_inside": "Windows has no state in a workspace",
    "tests/workspace/test_workspace_recovery.py::test_a_journal_that_names_what_is_not_ours_is_not_followed[inside": (
        "Windows has no state in a workspace"
    ),
    "tests/workspace/test_workspace_recovery.py::test_staged_files_in_a_directory_that_is_moved": (
        "Windows has no way to move a directory that is in use"
    ),
    "tests/workspace/test_workspace_state.py::test_where_the_state_folder": "Windows has no state in a workspace",
    "tests/workspace/test_workspace_state.py::test_the_folder_inside": "Windows has no state in a workspace",
    "tests/workspace/test_workspace_state.py::test_what_a_sandboxed": "Windows has no state in a workspace",
    "tests/workspace/test_workspace_state.py::test_a_process_in_a_sandbox": "Windows has no state in a workspace",
    "tests/workspace/test_workspace_state.py::test_the_home_folder_as": "the test names the directories of Linux",
    "tests/format/test_strict_dialect.py::test_a_path_is_relative_inside": "the test names the directories of Linux",
    "tests/place/test_scenarios.py::test_a_tree_ends_as_its_folder_says_and_comes_back[514-absolute-path": (
        "the test names the directories of Linux"
    ),
    "tests/peers/test_peer_suites.py::test_a_patch_does_what_the_case_says[openai-backslashes": (
        "Windows has no names with these characters"
    ),
    "tests/agent/test_search_tools.py::TestHostileNames::test_lines_of_any_kind": (
        "Windows has no names with these characters"
    ),
    "tests/agent/test_reads.py::TestShowing::test_a_near_path_is_proposed": "Windows has one file for both names",
    "tests/agent/test_permissions.py::TestCheck::test_always_is_remembered_for_what_the_request_proposes": (
        "Windows has no names with these characters"
    ),
    "tests/agent/test_formatters.py::TestInASession::test_a_cancelled_call": "Wine is not reliable with processes",
}

if not STARTS_PROCESSES:
    NOT_PORTABLE |= {
        "tests/cli/test_cli_history.py::test_the_doctor_sees_a_store": "Wine is not reliable with processes",
    }


def not_portable(test: str) -> str:
    """Why a test is not for Windows, by its id; empty if it is."""
    return next((reason for start, reason in NOT_PORTABLE.items() if test.startswith(start)), "")


#: Why the test that runs now was to be skipped. In a task or a thread, the exception of a skip may get lost.
_reasons: list[str] = []


def skip(reason: str) -> NoReturn:
    """Skip the test that runs now, also if what it is called from catches everything.

    In an event loop, what waits for the task that has called this would wait for ever, so all tasks are cancelled.
    """
    _reasons.append(reason)
    with suppress(RuntimeError):
        for task in asyncio.all_tasks():
            task.cancel()
    pytest.skip(reason, allow_module_level=True)


def begin_test() -> None:
    """Forget what was asked for by the test before."""
    _reasons.clear()


def skip_instead(report: pytest.TestReport) -> None:
    """Turn the failure of a test that has asked for what is missing into a skip with that reason."""
    if report.failed and _reasons:
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), report.location[1] or 0, f"Skipped: {_reasons[0]}")


def _skipping(what: str) -> Any:
    def skip_test(*_: object, **__: object) -> NoReturn:
        skip(f"Windows has no {what}")

    return skip_test


@cache
def missing_module(path: Path) -> str:
    """Why a file of tests can't be loaded: a module that it, or one of ours, imports at its top; empty if it can."""
    for line in path.read_text("utf-8").splitlines():
        words = line.split()
        if words[:1] not in (["import"], ["from"]) or line.startswith(" "):
            continue
        name = words[1]
        if name in _MISSING_MODULES:
            return f"Windows has no {_MISSING_MODULES[name]}"
        if name == "jsonschema" and not _loads(name):
            return "Wine can't load rpds, which jsonschema needs"
        ours = _ROOT / f"{name.replace('.', '/')}.py"
        if name.startswith("tests.") and ours.is_file():
            reason = missing_module(ours)
            if reason:
                return reason
    return ""


@cache
def _loads(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def put_in_place() -> None:
    """Make everything that is missing skip the tests that use it."""
    given: Any = os
    for name, what in _MISSING.items():
        if not hasattr(os, name):
            setattr(given, name, _skipping(what))
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        setattr(given, name, lambda: 1000)
    make_link, set_mode = os.symlink, os.chmod

    def symlink(src: Any, dst: Any, *args: Any, **named: Any) -> None:
        make_link(src, dst, *args, **named)
        # Pytest makes a link of this name to its last directory, and does without.
        if not Path(dst).is_symlink() and not str(dst).endswith("current"):
            skip("Wine makes no symbolic links")

    def chmod(path: Any, mode: int, **named: Any) -> None:
        set_mode(path, mode, **named)
        # Pytest makes files of earlier runs writable to remove them. A skip then would end it before its summary.
        if "PYTEST_CURRENT_TEST" not in os.environ:
            return
        # It reports one mode for all directories.
        if Path(path).is_dir() or stat.S_IMODE(Path(path).stat().st_mode) != mode:
            skip("Windows has no modes but read-only")

    given.symlink, given.chmod = symlink, chmod
    _put_processes_in_place()


def _put_processes_in_place() -> None:
    """Skip a test that starts a program which is not there; under Wine, one that starts any process.

    Tests of Windows itself do without this.
    """
    if IS_WINE:
        # Wine ends a process that calls it; `shutil` does without.
        del import_module("_winapi").CopyFile2
    start: Any = subprocess.Popen.__init__

    def check(command: Any) -> None:
        if "test_windows" in os.environ.get("PYTEST_CURRENT_TEST", ""):
            return
        if not STARTS_PROCESSES:
            skip("Wine is not reliable with processes")
        program = "" if isinstance(command, str | bytes) else str(command[0])
        if program and which(program) is None:
            skip(f"the test needs {Path(program).name}, which is not there")

    def popen(self: Any, args: Any, *more: Any, **named: Any) -> None:
        check(args)
        start(self, args, *more, **named)

    spawn: Any = popen_spawn_win32.Popen
    start_spawned = spawn.__init__

    def popen_spawned(self: Any, process: Any) -> None:
        check([sys.executable])
        start_spawned(self, process)

    given: Any = subprocess.Popen
    given.__init__ = popen
    spawn.__init__ = popen_spawned
