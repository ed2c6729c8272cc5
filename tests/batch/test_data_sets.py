"""`score_table` in Hugging Face datasets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.batch.conftest import WANTED, outcomes_of, rows_of

from suture.batch import score_table

if TYPE_CHECKING:
    from typing import Any

datasets: Any = pytest.importorskip("datasets")


def test_a_data_set_is_mapped_in_batches() -> None:
    """Batches with no tier, no code or no concession have columns of the same types as the others."""
    found = datasets.Dataset.from_list(rows_of(2100)).with_format("arrow")
    scored = found.map(score_table, batched=True, fn_kwargs={"texts": True}).with_format(None)
    assert scored["outcome"][:] == outcomes_of(2100)
    assert scored["id"][-1] == "2099"
    assert json.loads(scored["files"][0]) == {"a.py": WANTED}
    assert scored.features["codes"] == scored.features["concessions"]


@pytest.mark.slow
def test_a_data_set_is_mapped_by_several_processes() -> None:
    found = datasets.Dataset.from_list(rows_of(1100)).with_format("arrow")
    assert found.map(score_table, batched=True, num_proc=2).with_format(None)["outcome"][:] == outcomes_of(1100)
