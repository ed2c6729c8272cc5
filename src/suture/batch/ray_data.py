"""The same rows through Ray Data on a cluster.

A worker or node that dies costs nothing but time: Ray runs its blocks again, and a block comes out once. In each task
the rows run in a process of their own, as on one machine, so that a hostile row is a row with a problem there too.
Lines of JSON are read by the tasks, each its range of the file, so that one large file uses the whole cluster.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from os.path import abspath

from ..core.problems import PatchInvalidError, Problem
from .tables import import_pyarrow, read_range, to_table
from .workers import RowLimits, WorkerPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

#: Rows of a batch, or bytes of a range, which is what a lost worker costs at most.
BATCH_ROWS = 1024
RANGE_BYTES = 4 << 20
#: The columns that are JSON on the way.
_JSON = frozenset({"id", "sha256", "files"})


def score_dataset(
    dataset: Any,  # noqa: ANN401 - Ray is not installed where types are checked
    *,
    limits: RowLimits = RowLimits(),  # noqa: B008 - a value
    texts: bool = False,
) -> Any:  # noqa: ANN401
    """A Ray dataset of scored rows from one of rows. Its columns are those of `score_table`, but `id` is JSON."""

    def score_batch(table: Any) -> Any:  # noqa: ANN401
        return _score_table(table.to_pylist(), limits, texts=texts)

    return dataset.map_batches(score_batch, batch_format="pyarrow", batch_size=BATCH_ROWS)


def score_on_cluster(
    source: str, address: str | None, limits: RowLimits, *, texts: bool, skip: int
) -> Iterator[list[bytes]]:
    """The answers to the rows of a file through a cluster, in order, as JSON texts, without the first `skip`.

    `source` is a path that every node has, or a URI that pyarrow can open.
    """
    ray = _ray()
    ray.init(address=address, ignore_reinit_error=True, logging_level="warning", log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    if source.endswith(".parquet"):
        dataset = score_dataset(ray.data.read_parquet(source), limits=limits, texts=texts)
    else:
        dataset = _score_lines(ray, source, limits, texts=texts)
    for batch in dataset.iter_batches(batch_size=BATCH_ROWS, batch_format="pyarrow"):
        answers = batch.to_pylist()
        yield [json.dumps(_plain(row)).encode() for row in answers[skip:]]
        skip = max(0, skip - len(answers))


def _score_lines(ray: Any, source: str, limits: RowLimits, *, texts: bool) -> Any:  # noqa: ANN401
    """A dataset of scored rows from a file of JSON lines."""
    files, path = open_file_system(source)
    size = files.get_file_info(path).size
    ranges = [{"start": start, "end": start + RANGE_BYTES} for start in range(0, size, RANGE_BYTES)]

    def score_range(table: Any) -> Any:  # noqa: ANN401
        files, path = open_file_system(source)
        [place] = table.to_pylist()
        with files.open_input_file(path) as file:
            return _score_table(read_range(file, place["start"], place["end"], limits.size), limits, texts=texts)

    dataset = ray.data.from_items(ranges, override_num_blocks=max(1, len(ranges)))
    return dataset.map_batches(score_range, batch_format="pyarrow", batch_size=1)


def open_file_system(source: str) -> tuple[Any, str]:
    """The file system of a path or URI, and the path in it."""
    files = import_pyarrow("fs").FileSystem
    filesystem_and_path: tuple[Any, str] = files.from_uri(source if "://" in source else abspath(source))  # noqa: PTH100
    return filesystem_and_path


def _score_table(rows: Iterable[Any], limits: RowLimits, *, texts: bool) -> Any:  # noqa: ANN401
    scored = [json.loads(answer) for answers in _pool(limits, texts).run(rows) for answer in answers]
    # An id may be of any type, and a column has one: it travels as JSON.
    return to_table([row | {"id": json.dumps(row["id"])} for row in scored])


@cache
def _pool(limits: RowLimits, texts: bool) -> WorkerPool:
    """The process that scores rows for this one. It stays for the next batch, and ends with this process."""
    return WorkerPool(1, limits, texts=texts)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it was before its batch became a table."""
    kept = {name: value for name, value in row.items() if value is not None or name != "files"}
    return {name: json.loads(value) if name in _JSON and value else value for name, value in kept.items()}


def _ray() -> Any:  # noqa: ANN401

    try:
        import_module("ray.data")
        return import_module("ray")
    except ImportError:
        problem = Problem("not_found", "This engine needs Ray.", hint="Install suture[ray].")
        raise PatchInvalidError((problem,)) from None
