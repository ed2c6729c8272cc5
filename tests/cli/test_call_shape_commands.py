"""Every sample of a call shape through the commands: `check`, `apply`, `explain`, `convert` and `parse`."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator
from tests.cli.test_cli_json import REGISTRY, SCHEMAS
from tests.shared.form_samples import APPLIED, FILES, READABLE, Sample
from tests.shared.programs import Place

from suture.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A workspace with the files of the samples, which is the current directory."""
    place = Place(tmp_path)
    for name, text in FILES.items():
        place.write(name, text)
    for name in ("HOME", "SUTURE_STATE_DIR", "NO_COLOR", "SUTURE_DURABILITY"):
        monkeypatch.setenv(name, place.environment[name])
    monkeypatch.chdir(place.root)
    return place


def suture(text: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """What a command prints for a text on its standard input, and its exit status."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
    monkeypatch.setattr(sys, "stdout", printed)
    status = run(arguments)
    printed.flush()
    printed.seek(0)
    return status, printed.read()


@pytest.mark.parametrize("sample", APPLIED, ids=repr)
def test_every_command_reads_a_sample(project: Place, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("check", "explain"):
        status, said = suture(sample.text, command, monkeypatch=monkeypatch)
        assert status == 0, said
        assert project.files() == FILES
    status, diff = suture(sample.text, "convert", "--to", "unified", monkeypatch=monkeypatch)
    assert status == 0, diff
    status, said = suture(sample.text, "apply", monkeypatch=monkeypatch)
    assert status == 0, said
    assert project.files() == sample.files_after


@pytest.mark.parametrize("sample", READABLE, ids=repr)
def test_a_sample_is_parsed_as_the_schema_says(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    status, said = suture(sample.text, "parse", "--json", monkeypatch=monkeypatch)
    assert status == 0, said
    Draft202012Validator(SCHEMAS["parse.json"], registry=REGISTRY).validate(json.loads(said))


@pytest.mark.parametrize("act", ["claude-edit", "kimi-append", "zed-copy", "glm", "gpt-oss", "dyad-write"])
def test_the_real_program_applies_a_sample(tmp_path: Path, act: str) -> None:
    place = Place(tmp_path)
    for name, text in FILES.items():
        place.write(name, text)
    sample = next(one for one in APPLIED if one.name == act)
    done = place.suture("apply", stdin=sample.text)
    assert done.status == 0, done.err
    assert place.files() == sample.files_after
