"""The same rows through Ray Data on a cluster.

A worker or node that dies costs nothing but time: Ray runs its blocks again, and a block comes out once. In each task
the rows run in a process of their own, as on one machine, so that a hostile row is a row with a problem there too.
"""

from __future__ import annotations

import json

from .row_score import to_columns
from .tables import import_pyarrow, schema_of
from .workers import RowLimits, score_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Rows of a batch, which is what a lost worker costs at most.
BATCH_ROWS = 1024
#: The columns that are JSON on the way.
_JSON = frozenset({"id", "sha256", "files"})


def score_dataset(
    dataset: Any,  # noqa: ANN401 - Ray is not installed where types are checked
    *,
    limits: RowLimits = RowLimits(),  # noqa: B008 - a value
    texts: bool = False,
    column: str | None = None,
) -> Any:  # noqa: ANN401
    """A Ray dataset of scored rows from one of rows. Its columns are those of `score_columns`.

    `column` names a column with whole rows as JSON, as `ray.data.read_text` makes one ("text").
    """

    def score_batch(table: Any) -> Any:  # noqa: ANN401
        arrow = import_pyarrow()
        rows = [text.encode() for text in table[column].to_pylist()] if column else table.to_pylist()
        scored = list(score_rows(rows, processes=1, limits=limits, texts=texts))
        # An id may be of any type, and a column has one: it travels as JSON.
        scored = [row | {"id": json.dumps(row["id"])} for row in scored]
        return arrow.table(to_columns(scored), schema=schema_of(arrow, scored))

    # A dead node is not the fault of a row: it is retried until it succeeds.
    return dataset.map_batches(score_batch, batch_format="pyarrow", batch_size=BATCH_ROWS, max_retries=-1)


def score_on_cluster(
    source: str, address: str | None, limits: RowLimits, *, texts: bool, skip: int
) -> Iterator[list[bytes]]:
    """The answers to the rows of a file through a cluster, in order, as JSON texts, without the first `skip`."""
    ray = _ray()
    ray.init(address=address, ignore_reinit_error=True, logging_level="warning", log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    is_table = source.endswith(".parquet")
    rows = ray.data.read_parquet(source) if is_table else ray.data.read_text(source)
    dataset = score_dataset(rows, limits=limits, texts=texts, column=None if is_table else "text")
    for batch in dataset.iter_batches(batch_size=BATCH_ROWS, batch_format="pyarrow"):
        answers = batch.to_pylist()
        yield [json.dumps(_plain(row)).encode() for row in answers[skip:]]
        skip = max(0, skip - len(answers))


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: json.loads(value) if name in _JSON and value else value for name, value in row.items()}


def _ray() -> Any:  # noqa: ANN401
    from importlib import import_module

    from ..core.problems import PatchInvalidError, Problem

    try:
        import_module("ray.data")
        return import_module("ray")
    except ImportError:
        problem = Problem("not_found", "This engine needs Ray.", hint="Install it: pip install 'suture[ray]'.")
        raise PatchInvalidError((problem,)) from None
