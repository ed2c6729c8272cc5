"""A sealed environment: a temporary home, a fixed time zone, no settings of the user, the same examples each time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from suture import native

if TYPE_CHECKING:
    from collections.abc import Iterator

# A busy machine must not fail a test: no deadlines, and slow generation is no error. `explore` looks further.
_PATIENT = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, database=None, deadline=None, suppress_health_check=_PATIENT)
settings.register_profile("explore", max_examples=5000, database=None, deadline=None, suppress_health_check=_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

#: Settings that would change what the programs say that the tests run.
_SEALED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": "/",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "TZ": "UTC",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pure", action="store_true", help="without the native code")


@pytest.fixture(scope="session", autouse=True)
def native_code(request: pytest.FixtureRequest) -> Iterator[None]:
    """With the native code where it was built, or without it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--pure"):
            patch.setattr(native, "present", False)
        yield


@pytest.fixture(scope="session", autouse=True)
def sealed_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the user's home or settings reaches a test, and nothing of a test reaches them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("SUTURE_", "GIT_", "XDG_", "PYTHONWARNINGS")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        for name, value in _SEALED.items():
            patch.setenv(name, value)
        yield
