"""A sealed environment: a temporary home, a fixed time zone and umask, no settings of the user, fixed examples."""

from __future__ import annotations

import gc
import os
import signal
import sys
import weakref
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from tests.shared.processes import descendants, open_files
from tests.shared.sites import Site

from suture import Workspace

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    from tests.shared.windows_skips import (
        SlashedPath,
        begin_test,
        missing_module,
        not_portable,
        put_in_place,
        skip_instead,
    )

    put_in_place()

    class _SkippedFile(pytest.File):
        """A file of tests that can't be loaded here, as one test that is skipped."""

        def collect(self) -> Iterator[pytest.Item]:
            pytest.skip(missing_module(self.path), allow_module_level=True)

    @pytest.fixture
    def tmp_path(tmp_path: Path) -> Path:
        """Its text has slashes, as all paths that Suture shows."""
        return SlashedPath(tmp_path)

    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Skip what is not for Windows, with the reason."""
        for item in items:
            reason = not_portable(item.nodeid)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))

    def pytest_runtest_setup() -> None:
        """Begin with no reason to skip the test."""
        begin_test()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Skip what has failed for want of something that Windows has not."""
        report = yield
        skip_instead(report)
        return report

    def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.File | None:
        """Skip a file with a reason instead of an error."""
        return _SkippedFile.from_parent(parent, path=module_path) if missing_module(module_path) else None


if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# A busy machine must not fail a test: no deadlines, and slow generation is no error. `explore` looks further,
# `brief` less far: it is for the other Pythons.
_PATIENT = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, database=None, deadline=None, suppress_health_check=_PATIENT)
settings.register_profile(
    "brief", max_examples=20, derandomize=True, database=None, deadline=None, suppress_health_check=_PATIENT
)
settings.register_profile("explore", max_examples=5000, database=None, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A shell without job control starts background jobs with Ctrl-C ignored, and the programs would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# `nohup` starts everything with SIGHUP ignored.
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

#: Settings that would change what the programs say that the tests run.
_SEALED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": "/",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "TZ": "UTC",
}


#: The workspaces that tests have made and not yet let go of.
_made: list[weakref.ref[Workspace]] = []


@pytest.fixture(scope="session", autouse=True)
def workspaces_that_are_made() -> Iterator[None]:
    """Every workspace is known, so that none is left open."""
    original = Workspace.__init__

    @wraps(original)
    def remember(self: Workspace, *given: Any, **named: Any) -> None:
        original(self, *given, **named)
        _made.append(weakref.ref(self))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "__init__", remember)
        yield


@pytest.fixture(autouse=True)
def no_workspace_is_left_open() -> Iterator[None]:
    """What a test leaves open keeps its descriptors until the garbage is collected, which may be late."""
    yield
    while _made:
        workspace = _made.pop()()
        if workspace is not None:
            workspace.close()


@pytest.fixture(scope="session", autouse=True)
def sealed_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the user's home or settings reaches a test, and nothing of a test reaches them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("SUTURE_", "GIT_", "XDG_", "PYTHONWARNINGS", "COLUMNS", "LINES")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("LOCALAPPDATA", str(home))
        patch.setenv("APPDATA", str(home / ".config"))
        for name, value in _SEALED.items():
            patch.setenv(name, value)
        umask = os.umask(0o022)
        yield
        os.umask(umask)


@pytest.fixture(params=["disk", "memory"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    """A workspace on the disk and one in memory: what holds for one holds for the other."""
    return Site(request.param, tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Site:
    """A workspace on the disk."""
    return Site("disk", tmp_path)


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    """A state directory that does not exist yet."""
    return tmp_path / "state"


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """No process and no open file outlives the test. An earlier one may have left Python's own resource tracker."""
    if sys.platform == "win32":  # it has no list of the open files of a process
        yield
        return
    gc.collect()
    files_before = open_files()
    processes_before = descendants(os.getpid())
    yield
    gc.collect()
    assert open_files() == files_before
    assert descendants(os.getpid()) <= processes_before
