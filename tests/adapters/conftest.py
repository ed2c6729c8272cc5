"""Drivers by the framework, and the environment that they need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.adapters.driver import Driver

APP = "def greet(name):\n    print('Hi ' + name)\n\n\ndef part(name):\n    print('Bye ' + name)\n"
LONG = "".join(f"line {number}\n" for number in range(1, 21))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a project in it."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "app.py").write_text(APP)
    (tmp_path / "root" / "long.txt").write_text(LONG)
    return tmp_path


@pytest.fixture
def make(framework: str, folder: Path) -> Iterator[Callable[..., Driver]]:
    """A function that makes an agent of the framework with a session of these settings."""
    made: list[Driver] = []

    def make_driver(**settings: Any) -> Driver:
        made.append(driver_class(framework)(folder, **settings))
        return made[-1]

    yield make_driver
    for driver in made:
        driver.close()


def driver_class(framework: str) -> type[Driver]:
    """The driver of a framework; the test is skipped where its package is missing."""
    module, package, name = {
        "pydantic-ai": ("drive_pydantic_ai", "pydantic_ai", "PydanticAIDriver"),
        "langchain": ("drive_langchain", "langgraph", "LangChainDriver"),
        "deepagents": ("drive_deepagents", "deepagents", "DeepAgentsDriver"),
        "openai-agents": ("drive_openai_agents", "agents", "OpenAIAgentsDriver"),
        "openai-agents-freeform": ("drive_openai_agents", "agents", "FreeformDriver"),
        "openai-agents-hosted": ("drive_openai_agents", "agents", "HostedDriver"),
        "google-adk": ("drive_google_adk", "google.adk", "GoogleADKDriver"),
    }[framework]
    pytest.importorskip(package)
    found: type[Driver] = getattr(import_module(f"tests.adapters.{module}"), name)
    return found
