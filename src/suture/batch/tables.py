"""Rows from and to files: JSON lines, or Parquet with `pyarrow`.

Output keeps the order of input, one row for one row, so what is complete in an output says where to go on. JSON lines
are appended to one file; Parquet is a directory of parts, each of which appears when it is complete.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from ..core.problems import PatchInvalidError, Problem
from .row_score import blank_score, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import RawIOBase
    from typing import Self

#: Rows in a part of a Parquet output.
PART_ROWS = 10_000
_READ = 1 << 20
_BATCH_ROWS = 1000


class Output(Protocol):
    """Where scored rows go."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def write(self, rows: Sequence[bytes]) -> None:
        """Write scored rows, each as JSON."""
        ...


def check_source(source: str) -> None:
    """Check that there are rows, before an output is made.

    Raises:
        PatchInvalidError: there is no such file.
    """
    if source != "-" and "://" not in source and not Path(source).exists():
        raise PatchInvalidError((Problem("not_found", f"{source}: No such file or directory."),))


def read_rows(source: str, largest: int) -> Iterator[Mapping[str, Any] | bytes]:
    """The rows of a file, of a directory of Parquet parts, or of standard input (`-`).

    A line of JSON longer than `largest` comes out cut, so that it is one row with a problem, never a full memory.
    """
    if source == "-":
        yield from _read_lines(sys.stdin.buffer, largest)
    elif Path(source).is_dir() or source.endswith(".parquet"):
        yield from _read_parquet(Path(source))
    else:
        with Path(source).open("rb") as file:
            yield from _read_lines(file, largest)


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    parquet = import_pyarrow("parquet")
    for part in _parts(path):
        with parquet.ParquetFile(part) as file:
            for batch in file.iter_batches(_BATCH_ROWS):
                yield from batch.to_pylist()


def _parts(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def count_rows(source: str) -> int:
    """Roughly how many rows a file has: lines of JSON are counted with blank ones. 0 for standard input."""
    if source == "-":
        return 0
    if Path(source).is_dir() or source.endswith(".parquet"):
        parquet = import_pyarrow("parquet")
        return sum(parquet.read_metadata(part).num_rows for part in _parts(Path(source)))
    with Path(source).open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(_READ), b""))


def read_range(file: RawIOBase, start: int, end: int, largest: int) -> Iterator[bytes]:
    """The lines that begin in a range of a file, also if they end after it. Each line begins in exactly one range."""
    # Files of pyarrow can't read a line by themselves.
    reader = BufferedReader(file)
    at = max(0, start - 1)
    reader.seek(at)
    if start:
        # The line that the last byte before the range belongs to began before the range.
        at += _skip_line(reader)
    while at < end and (line := reader.readline(largest + 1)):
        at += len(line)
        if not line.endswith(b"\n"):
            at += _skip_line(reader)
        if line.strip():
            yield line


def _skip_line(file: BinaryIO | BufferedReader) -> int:
    """Read to the end of a line, and return how many bytes that were."""
    skipped = 0
    while piece := file.readline(_READ):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def _read_lines(file: BinaryIO, largest: int) -> Iterator[bytes]:
    """The lines that are not blank; of a line that is too long, one byte more than is allowed."""
    while line := file.readline(largest + 1):
        if not line.endswith(b"\n"):
            _skip_line(file)
        if line.strip():
            yield line


def open_output(target: str, *, resume: bool) -> tuple[Output, int]:
    """The output, and how many rows of it are complete already (0 unless it is resumed).

    Raises:
        PatchInvalidError: the output exists, and it is not to be resumed.
    """
    path = Path(target)
    if target != "-" and path.exists() and not resume and (not path.is_file() or path.stat().st_size):
        message = f"{target} exists. Use --resume to go on, or choose another output."
        raise PatchInvalidError((Problem("already_exists", message),))
    if target == "-":
        return _LineFile(sys.stdout.buffer), 0
    if target.endswith(".parquet"):
        return _resume_parts(path)
    return _resume_lines(path)


def read_scored(target: str) -> Iterator[dict[str, Any]]:
    """The rows of an output that are complete.

    Raises:
        PatchInvalidError: it is no output of a batch.
    """
    for number, row in enumerate(read_rows(target, sys.maxsize - 1), 1):
        try:
            values = json.loads(row) if isinstance(row, bytes) else row
            yield {name: values[name] for name in blank_score()}
        except (ValueError, TypeError, KeyError):
            message = f"Row {number} of {target} is not a scored row, so there is nothing to resume."
            raise PatchInvalidError((Problem("invalid_arguments", message),)) from None


def _resume_lines(path: Path) -> tuple[Output, int]:
    """The file without its last line where that is torn, and its number of lines."""
    file = path.open("ab+")
    file.seek(0)
    complete = lines = 0
    while piece := file.read(_READ):
        lines += piece.count(b"\n")
        end = piece.rfind(b"\n")
        if end >= 0:
            complete = file.tell() - len(piece) + end + 1
    file.truncate(complete)
    return _LineFile(file), lines


class _LineFile:
    """JSON lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Every write is flushed, so that nothing is left for standard output, which may be closed.
        if self._file is not sys.stdout.buffer:
            self._file.close()

    def write(self, rows: Sequence[bytes]) -> None:
        self._file.write(b"".join(row + b"\n" for row in rows))
        self._file.flush()


def _resume_parts(path: Path) -> tuple[Output, int]:
    parquet = import_pyarrow("parquet")
    path.mkdir(parents=True, exist_ok=True)
    parts = sorted(path.glob("part-*.parquet"))
    for torn in path.glob("*.tmp"):
        torn.unlink()
    return _PartFolder(path, len(parts)), sum(parquet.read_metadata(part).num_rows for part in parts)


class _PartFolder:
    """A directory of Parquet parts."""

    def __init__(self, path: Path, count: int) -> None:
        self._path, self._count = path, count
        self._rows: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # After an interrupt, rows that have been scored are worth keeping: they are complete.
        if self._rows:
            self._write_part()

    def write(self, rows: Sequence[bytes]) -> None:
        self._rows += [json.loads(row) for row in rows]
        while len(self._rows) >= PART_ROWS:
            self._write_part()

    def _write_part(self) -> None:
        rows, self._rows = self._rows[:PART_ROWS], self._rows[PART_ROWS:]
        target = self._path / f"part-{self._count:06}.parquet"
        torn = target.with_suffix(".tmp")
        import_pyarrow("parquet").write_table(to_table(rows), torn)
        os.replace(torn, target)  # noqa: PTH105 - atomic, as the rest of the project does it
        self._count += 1


def score_table(table: Any, *, texts: bool = False) -> Any:  # noqa: ANN401 - pyarrow may not be installed
    """A table of scored rows from one of rows: for `datasets.Dataset.with_format("arrow").map(…, batched=True)`."""
    return to_table([score(row, texts=texts) for row in table.to_pylist()])


def to_table(scored: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401
    """Scored rows as a table. All tables have one schema, whatever their rows hold.

    Values that differ in shape from row to row (`sha256`, `files`) are JSON texts. `files` is null without texts.
    """
    arrow = import_pyarrow()
    text, names, flag = arrow.string(), arrow.list_(arrow.string()), arrow.bool_()
    types = {"applied": flag, "equal": flag, "readable": flag, "concessions": names, "codes": names}
    types["seconds"] = arrow.float64()
    rows = [{**row, "id": None if row["id"] is None else str(row["id"])} for row in scored]
    for row in rows:
        row.update({name: json.dumps(row[name]) for name in ("sha256", "files") if name in row})
        # JSON can have half of a character, and a column of texts can't.
        row.update({name: row[name].encode("utf-8", "replace").decode() for name in ("id", "answer") if row[name]})
    schema = arrow.schema([(name, types.get(name, text)) for name in [*blank_score(), "files"]])
    return arrow.Table.from_pylist(rows, schema=schema)


def import_pyarrow(module: str = "") -> Any:  # noqa: ANN401
    """`pyarrow`, or a submodule of it.

    Raises:
        PatchInvalidError: it is not installed.
    """
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        problem = Problem("not_found", "Parquet needs pyarrow.", hint="Install suture[parquet].")
        raise PatchInvalidError((problem,)) from None
