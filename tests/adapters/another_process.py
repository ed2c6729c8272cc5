"""A program that goes on with a stored run: `python -m tests.adapters.another_process FRAMEWORK FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.adapters.conftest import driver_class

from suture.agent import Answer


def main(framework: str, folder: str) -> None:
    """Resume the run with the stored answer, and print what came of it."""
    driver = driver_class(framework)(Path(folder), id="one")
    driver.load()
    turn = driver.answer(Answer.from_json(Path(folder, "answer.json").read_text()))
    last = turn.results[-1]
    print(json.dumps({"questions": len(turn.questions), "text": last.text, "is_error": last.is_error}))  # noqa: T201
    driver.close()


main(*sys.argv[1:])
