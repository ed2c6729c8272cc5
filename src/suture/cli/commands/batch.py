"""`suture batch`: scores many edits, row by row, on many cores or a cluster."""

from __future__ import annotations

import json
import time
from itertools import islice
from pathlib import Path

from ...batch.ray_data import score_on_cluster
from ...batch.tables import check_source, count_rows, open_output, read_rows, read_scored
from ...batch.tally import Tally
from ...batch.workers import RowLimits, WorkerPool
from ...core.display import one_line, plural
from ...core.problems import Problem, SutureError
from ..arguments import UsageError
from ..json_output import print_document
from ..progress import ProgressBar
from ..screen import ReaderGoneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from ...batch.tables import Output
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Score the rows."""
    source, target = options.rows or "-", options.output or "-"
    if options.resume and (target == "-" or source == "-"):
        message = "--resume needs a file of rows and --output."
        raise UsageError(message)
    if screen.json and target == "-":
        message = "--json prints the summary, so the rows need --output."
        raise UsageError(message)
    limits = RowLimits(_number(options.seconds, "--seconds"), int(_number(options.memory, "--memory") * (1 << 20)))
    summary = Tally()
    check_source(source)
    output, complete = open_output(target, resume=options.resume)
    for row in read_scored(target) if complete else ():
        summary.add(row)
    try:
        with output, ProgressBar(screen, unit="row") as bar:
            total = count_rows(source) if bar.is_on else 0
            began = time.monotonic()
            for answers in _score(options, source, limits, complete):
                _write(output, answers, to_pipe=target == "-")
                for answer in answers:
                    summary.add(json.loads(answer))
                pace = _pace(summary.rows - complete, total - summary.rows, time.monotonic() - began)
                bar.update(f"scoring, {pace}:", summary.rows, total)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_progress_text(_count_written(target, summary.rows), target)) from None
    except OSError as error:
        # Such as a full disk.
        stopped = SutureError([Problem("io_error", f"{error.strerror or error}.")])
        stopped.state_of_disk = _progress_text(_count_written(target, summary.rows), target)
        raise stopped from error
    status = int(any(summary.outcomes[outcome] for outcome in options.fail_on))
    if screen.json:
        return print_document(screen, "batch", status, {"summary": summary.to_json(), "resumed_after": complete})
    if complete:
        screen.error(f"{complete:,} rows were complete already.")
    screen.error(summary.table())
    return status


def _count_written(target: str, counted: int) -> int:
    """How many rows are in the output: an interrupt may come between writing rows and counting them."""
    is_lines = target != "-" and not target.endswith(".parquet") and Path(target).is_file()
    return count_rows(target) if is_lines else counted


def _progress_text(rows: int, target: str) -> str:
    """What an interrupted run leaves."""
    if not rows:
        return "No row was scored."
    resume = "" if target == "-" else f" They are in {one_line(target)}: --resume goes on after them."
    were = "was" if rows == 1 else "were"
    return f"{rows:,} {plural('row', rows)} {were} scored.{resume}"


def _write(output: Output, answers: list[bytes], *, to_pipe: bool) -> None:
    """Write scored rows. Without a reader there is no use in scoring more of them."""
    try:
        output.write(answers)
    except BrokenPipeError:
        if to_pipe:
            raise ReaderGoneError from None
        raise


def _score(options: Namespace, source: str, limits: RowLimits, complete: int) -> Iterator[list[bytes]]:
    if options.engine == "ray":
        if source == "-":
            message = "--engine ray needs a file of rows that the cluster can read."
            raise UsageError(message)
        yield from score_on_cluster(source, options.address, limits, texts=options.texts, skip=complete)
        return
    jobs = None if options.jobs is None else int(_number(options.jobs, "--jobs"))
    with WorkerPool(jobs, limits, texts=options.texts) as pool:
        yield from pool.run(islice(read_rows(source, limits.size), complete, None))


def _pace(done: int, left: int, seconds: float) -> str:
    """How fast it goes, and how long the rest takes at that rate."""
    rate = done / seconds if seconds else 0.0
    pace = f"{rate:,.0f} rows/s"
    if not rate or left <= 0:
        return pace
    minutes, rest = divmod(int(left / rate), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{pace}, {f'{hours} h {minutes:02} min' if hours else f'{minutes}:{rest:02} min'} left"


def _number(value: str, flag: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0
    if not 0 < number < 1e9:
        message = f"{flag} must be a number above 0, not {value}"
        raise UsageError(message)
    return number
