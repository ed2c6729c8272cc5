"""Scored edits as cases for regression tests, as JSON lines or Parquet; `benchmarks/real/cases.py` reads them.

The same edit to the same text is one case: its first try.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..batch.tables import import_pyarrow
from . import transcript_limits
from .new_file import NewFile
from .outcomes import to_row

if TYPE_CHECKING:
    from typing import Self

    from .recorded_edit import RecordedEdit


class CaseExport:
    """A context that writes cases to a file, whole or not at all.

    Raises:
        PatchInvalidError: the file exists or can't be made, or Parquet can't be written.
    """

    def __init__(self, target: str) -> None:
        self._new = NewFile(target)
        self._is_table = target.endswith(".parquet")
        if self._is_table:
            import_pyarrow("parquet")
        self._ids: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._writer: Any = None
        self.count = 0

    def __enter__(self) -> Self:
        self._file = self._new.__enter__().file
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
            if self._writer is not None:
                self._writer.close()
        except BaseException as error:
            self._new.__exit__(type(error))
            raise
        self._new.__exit__(kind)

    def add(self, edit: RecordedEdit) -> None:
        """Add an edit whose file is certain; others are no cases."""
        if edit.before is None or edit.id in self._ids:
            return
        self._ids.add(edit.id)
        self._rows.append(to_case(edit))
        self.count += 1
        if len(self._rows) >= transcript_limits.EXPORT_ROWS:
            self._flush()

    def _flush(self) -> None:
        if not self._is_table:
            # Escapes keep what is no valid Unicode.
            self._file.write("".join(json.dumps(row) + "\n" for row in self._rows).encode("ascii"))
        elif self._rows or self._writer is None:
            arrow, parquet = import_pyarrow(), import_pyarrow("parquet")
            texts = (
                "id",
                "repo",
                "tool",
                "answer",
                "how",
                "file",
                "model",
                "before",
                "patch",
                "form",
                "path",
                "old",
                "new",
                "expect",
            )
            schema = arrow.schema([
                *((name, arrow.string()) for name in texts),
                ("sure", arrow.bool_()), ("replace_all", arrow.bool_()), ("right", arrow.list_(arrow.string())),
            ])  # fmt: skip
            self._writer = self._writer or parquet.ParquetWriter(self._file, schema)
            plain = json.loads(json.dumps(self._rows, ensure_ascii=False).encode("utf-8", "replace"))
            self._writer.write_table(arrow.Table.from_pylist(plain, schema=schema))
        self._rows.clear()


def to_case(edit: RecordedEdit) -> dict[str, Any]:
    """An edit as a case: what it was for, what it says, and what is right, as far as the transcript tells."""
    answer = edit.verdict if edit.verdict == "accepted" else f"{edit.verdict}: {edit.reason}"
    expect = "unknown"
    if edit.results:
        expect = "exact"
    elif edit.reason == "several matches":
        expect = "refuse"
    case: dict[str, Any] = {
        "id": edit.id,
        "repo": edit.source,
        "tool": f"{edit.agent} {edit.tool}",
        "answer": answer,
        "sure": True,
        "how": edit.origin,
        "file": edit.path,
        "model": edit.model,
        "before": edit.before,
    }
    row = to_row(edit, edit.before or "")
    if edit.form == "envelope":
        case["patch"] = edit.edit
    elif "edit" in row:
        case |= {"patch": row["edit"], "form": row["form"], "path": row["path"]}
    else:
        case |= {name: row[name] for name in ("old", "new", "replace_all")}
    return case | {"expect": expect, "right": list(edit.results)}
