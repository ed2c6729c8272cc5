"""The same rows through Ray: in order, each once, also if workers and nodes are killed."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest
from tests.batch.conftest import WANTED, outcomes_of, rows_of, write_lines

from suture.batch import RowLimits, ray_data, score_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

# A busy machine takes longer to start a node than Ray expects. Ray reads this when it is imported.
os.environ["RAY_agent_register_timeout_ms"] = "120000"  # noqa: SIM112 - Ray's spelling
ray: Any = pytest.importorskip("ray")
arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")
from ray.cluster_utils import Cluster  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # Ray's own, except for those about how it is called.
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
        "ignore::DeprecationWarning:ray",
        "error::ray.util.annotations.RayDeprecationWarning",
    ),
]
LIMITS = RowLimits()
COUNT = 1200


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head without processors, so that all work is done by nodes that can be killed."""
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    found.add_node(num_cpus=1)
    ray.init(address=found.address, log_to_driver=False, logging_level="error")
    yield found
    ray.shutdown()
    found.shutdown()


def score(source: str, cluster: Cluster, **settings: Any) -> Iterator[dict[str, Any]]:
    given = {"limits": LIMITS, "texts": False, "skip": 0, **settings}
    for answers in ray_data.score_on_cluster(source, cluster.address, **given):
        yield from map(json.loads, answers)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ranges and batches, so that few rows are many tasks."""
    monkeypatch.setattr(ray_data, "RANGE_BYTES", 12_000)
    monkeypatch.setattr(ray_data, "BATCH_ROWS", 50)


@pytest.mark.usefixtures("small")
def test_lines_come_out_once_in_order_and_hostile_ones_have_problems(cluster: Cluster, tmp_path: Path) -> None:
    rows: list[Any] = rows_of(COUNT)
    rows[10:10] = [b"{", b"\xff\xfe", b"", b'"' + b"x" * 200_000 + b'"', {**rows[0], "id": "\ud800"}]
    source = write_lines(tmp_path / "rows.jsonl", rows)
    scored = list(score(source, cluster, limits=RowLimits(size=100_000), texts=True))
    expected = [*outcomes_of(10), *["unreadable"] * 3, "equal", *outcomes_of(COUNT)[10:]]
    assert [one["outcome"] for one in scored] == expected
    assert [one["id"] for one in scored] == [*range(10), None, None, None, "\ud800", *range(10, COUNT)]
    assert (scored[12]["codes"], scored[0]["files"]) == (["file_too_large"], {"a.py": WANTED})
    rest = list(score(source, cluster, limits=RowLimits(size=100_000), skip=700))
    assert [one["id"] for one in rest] == [one["id"] for one in scored[700:]]


def test_parquet_and_a_data_set_of_ones_own(cluster: Cluster, tmp_path: Path) -> None:
    table = arrow.Table.from_pylist(rows_of(1100))
    parquet.write_table(table, tmp_path / "rows.parquet")
    scored = list(score(str(tmp_path / "rows.parquet"), cluster))
    assert [(one["id"], one["outcome"]) for one in scored] == list(enumerate(outcomes_of(1100)))
    own = score_dataset(ray.data.from_arrow(table)).take_all()
    assert sorted(int(row["id"]) for row in own) == list(range(1100))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("victim", ["worker", "node"])
def test_a_killed_worker_or_node_costs_no_row(cluster: Cluster, tmp_path: Path, victim: str) -> None:
    """It is killed while it works on a task. Its rows are scored again elsewhere, and come out once."""
    source = write_lines(tmp_path / "rows.jsonl", rows_of(COUNT))
    node = cluster.add_node(num_cpus=2)
    raylet = node.all_processes["raylet"][0].process.pid
    over = Event()
    killed: list[int] = []

    def kill_when_busy() -> None:
        while not over.wait(0.02) and not killed:
            for worker in busy_workers(raylet)[:1]:
                killed.append(worker if victim == "worker" else raylet)
                os.kill(killed[0], signal.SIGKILL)

    killer = Thread(target=kill_when_busy)
    killer.start()
    scored = list(score(source, cluster))
    over.set()
    killer.join()
    cluster.remove_node(node, allow_graceful=False)
    assert killed
    assert [(one["id"], one["outcome"]) for one in scored] == list(enumerate(outcomes_of(COUNT)))


def busy_workers(process: int) -> list[int]:
    """The processes below another that run a task of Ray's."""
    found, pending = [], [process]
    while pending:
        for task in Path("/proc", str(pending.pop()), "task").glob("*/children"):
            try:
                children = [int(child) for child in task.read_text().split()]
                found += [child for child in children if is_busy(child)]
                pending += children
            except OSError:
                continue
    return found


def is_busy(process: int) -> bool:
    return Path("/proc", str(process), "cmdline").read_bytes().startswith(b"ray::MapBatches")
