"""A sealed environment: a temporary home, a fixed time zone and umask, no settings of the user, fixed examples."""

from __future__ import annotations

import gc
import os
import signal
import weakref
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from tests.shared.sites import Site

from suture import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def _child_processes() -> set[str]:
    """The ids of the processes that this one has started and not waited for."""
    return {pid for thread in Path("/proc/self/task").iterdir() for pid in (thread / "children").read_text().split()}


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """No process and no open file outlives the test. An earlier one may have left Python's own resource tracker."""
    gc.collect()
    files_before = sum(1 for _ in Path("/dev/fd").iterdir())
    processes_before = _child_processes()
    yield
    gc.collect()
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == files_before
    assert _child_processes() <= processes_before
