"""A Jupyter notebook as cells, each of which can be changed without touching any other byte of the file."""

from __future__ import annotations

import re
from json import dumps, loads

from .common_limits import LARGEST_NOTEBOOK, LONGEST_CELL_NAME
from .display import one_line, plural, shorten
from .json_spans import item_spans, member_spans, skip_space
from .line_diff import common_ends, split_lines
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
#: A character in a JSON string: a pair of escapes, an escape, or the character itself.
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
#: A line of a source that looks like the name of a cell.
_RULE = re.compile(r"^(-{3,}) cell ", re.MULTILINE)


class Cell(Value):
    """One cell: its number from 0, its id (empty in old notebooks), its kind, its source and its count of outputs."""

    number: int
    id: str
    kind: str
    source: str
    outputs: int
    #: Where the cell and its source are in the file.
    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def name(self) -> str:
        """What messages and views call the cell."""
        # Both are what the author of the file wrote, and have no line of their own.
        kind, name = (shorten(one_line(text), LONGEST_CELL_NAME) for text in (self.kind, self.id))
        return f"cell {self.number} ({kind}{f', id {name}' if name else ''})"


class Notebook:
    """The cells of a notebook, by where they are in its text."""

    def __init__(self, text: str) -> None:
        """Read a notebook.

        Raises:
            ValueError: it is not one.
        """
        if len(text) > LARGEST_NOTEBOOK:
            message = "the notebook is too large"
            raise ValueError(message)
        try:
            loads(text)
        except RecursionError as error:
            message = "the notebook is nested too deeply"
            raise ValueError(message) from error
        self.text = text
        start = skip_space(text, 0)
        if text[start : start + 1] != "{":
            message = "a notebook is an object"
            raise ValueError(message)
        top = dict(member_spans(text, start))
        if "cells" not in top or text[top["cells"][0]] != "[":
            message = "it has no cells"
            raise ValueError(message)
        self.cells_start, self.cells_end = top["cells"]
        self.cells = [self._cell(number, *span) for number, span in enumerate(item_spans(text, self.cells_start))]
        #: Whether characters outside of ASCII are written as escapes.
        self._in_ascii = text.isascii() and _ESCAPED.search(text) is not None
        self.has_ids = any(cell.id for cell in self.cells)

    def _cell(self, number: int, start: int, end: int) -> Cell:
        if self.text[start] != "{":
            message = "a cell is an object"
            raise ValueError(message)
        spans = dict(member_spans(self.text, start))
        values: dict[str, object] = {}
        for field in ("id", "cell_type", "source"):
            if field in spans:
                value_start, value_end = spans[field]
                values[field] = loads(self.text[value_start:value_end])
        source = values.get("source")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            message = f"cell {number} has no source"
            raise ValueError(message)  # noqa: TRY004 - it is about the file
        outputs = list(item_spans(self.text, spans["outputs"][0])) if "outputs" in spans else []
        name, kind = values.get("id"), values.get("cell_type")
        return Cell(
            number,
            name if isinstance(name, str) else "",
            kind if isinstance(kind, str) else "",
            source,
            len(outputs),
            start,
            end,
            *spans["source"],
        )

    def with_source(self, cell: Cell, source: str) -> str:
        """The text of the notebook with another source in a cell; lines that stay are written as they were."""
        return self.with_sources({cell.number: source})

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """The text of the notebook with other sources in some cells, by their numbers."""
        pieces: list[str] = []
        position = 0
        for number in sorted(sources):
            cell = self.cells[number]
            old = self.text[cell.source_start : cell.source_end]
            pieces.append(self.text[position : cell.source_start])
            pieces.append(self._write_source(sources[number], old, cell))
            position = cell.source_end
        pieces.append(self.text[position:])
        return "".join(pieces)

    def outputs_of(self, cell: Cell) -> str:
        """The outputs of a cell as the file has them; empty if it has none."""
        if not cell.outputs:
            return ""
        start, end = dict(member_spans(self.text, cell.start))["outputs"]
        return self.text[start:end]

    def without(self, cell: Cell) -> str:
        """The text of the notebook without a cell."""
        if len(self.cells) == 1:
            return self.text[: self.cells_start] + "[]" + self.text[self.cells_end :]
        if cell.number + 1 < len(self.cells):
            following = self.cells[cell.number + 1]
            return self.text[: cell.start] + self.text[following.start :]
        above = self.cells[cell.number - 1]
        return self.text[: above.end] + self.text[cell.end :]

    def with_cell(self, number: int, kind: str, source: str, name: str) -> str:
        """The text of the notebook with a new cell in front of the one with this number, or at the end."""
        newline, indentation, step = self._layout()
        written = self._new_cell(kind, source, name)
        if not self.cells:
            # The bracket that closes the list is one step less indented than the cells.
            opening = f"[{newline}{indentation}" if newline else "["
            closing = f"{newline}{indentation[: len(indentation) - len(step)]}]" if newline else "]"
            return self.text[: self.cells_start] + opening + written + closing + self.text[self.cells_end :]
        separator = f",{newline}{indentation}" if newline else ", "
        if number >= len(self.cells):
            end = self.cells[-1].end
            return self.text[:end] + separator + written + self.text[end:]
        start = self.cells[number].start
        return self.text[:start] + written + separator + self.text[start:]

    def _new_cell(self, kind: str, source: str, name: str) -> str:
        """A new cell as JSON, in the layout of the notebook."""
        newline, indentation, step = self._layout()
        # What is in front of each field, and of the brace that closes the cell.
        before_field = f"{newline}{indentation}{step}" if newline else ""
        before_end = f"{newline}{indentation}" if newline else ""
        separator = f",{before_field}" if newline else ", "
        fields = [f'"cell_type": {dumps(kind)}']
        if kind == "code":
            fields.append('"execution_count": null')
        if name and self.has_ids:
            fields.append(f'"id": {dumps(name)}')
        fields.append('"metadata": {}')
        if kind == "code":
            fields.append('"outputs": []')
        fields.append(f'"source": {self._new_source(source, before_field, step)}')
        return "{" + before_field + separator.join(fields) + before_end + "}"

    def _layout(self) -> tuple[str, str, str]:
        """The line ending between values, empty if there is none; the indentation of a cell; one step of it."""
        if self.cells:
            before_cell = self.text[self.cells_start + 1 : self.cells[0].start]
            if "\n" not in before_cell:
                return "", "", ""
            newline = "\r\n" if "\r\n" in before_cell else "\n"
            indentation = before_cell.rpartition("\n")[2]
        else:
            line_start = self.text.rfind("\n", 0, self.cells_start) + 1
            if not line_start:
                return "", "", ""
            newline = "\n"
            # A cell is one step deeper than the key of the list, which is one step deeper than the notebook.
            indentation = _indentation(self.text[line_start : self.cells_start]) * 2
        step = indentation[: len(indentation) // 2] if len(indentation) > 1 else indentation
        return newline, indentation, step

    def _new_source(self, source: str, inner: str, unit: str) -> str:
        """A source as a list of lines; `inner` is the line ending and the indentation of its key, `unit` one step."""
        lines = split_lines(source)
        if not lines:
            return "[]"
        if not inner:
            return "[" + ", ".join(map(self._string, lines)) + "]"
        items = f",{inner}{unit}".join(map(self._string, lines))
        return f"[{inner}{unit}{items}{inner}]"

    def _write_source(self, source: str, old: str, cell: Cell) -> str:
        """A source in the way that the old one is written: as a list of lines, or as one string."""
        if not old.startswith("["):
            return self._rewrite(old, cell.source, source)
        spans = list(item_spans(old, 0))
        items = [old[start:end] for start, end in spans]
        lines = [str(loads(item)) for item in items]
        first, last, middle = _changed_items(lines, source)
        # A line that the cell had is written as it was, for example with the same escapes.
        item_of = dict(zip(lines, items, strict=True))
        changed = [item_of.get(line) or self._string(line) for line in split_lines(middle)]
        keeps_none = first == 0 and last == len(items)
        if keeps_none and not changed:
            return "[]"
        if not spans:
            line_start = self.text.rfind("\n", 0, cell.source_start) + 1
            indentation = _indentation(self.text[line_start : cell.source_start])
            newline, _, unit = self._layout()
            return self._new_source(source, f"{newline}{indentation}" if newline else "", unit)
        return _with_items(old, spans, (first, last), changed)

    def _rewrite(self, token: str, before: str, after: str) -> str:
        """A JSON string for another text: the characters at both ends that stay are written as they were."""
        characters = _CHARACTER.findall(token[1:-1])
        if len(characters) != len(before):
            return self._string(after)
        head, tail = common_ends(before, after)
        kept_start = "".join(characters[:head])
        kept_end = "".join(characters[len(characters) - tail :])
        changed = self._string(after[head : len(after) - tail]).removeprefix('"').removesuffix('"')
        return f'"{kept_start}{changed}{kept_end}"'

    def _string(self, text: str) -> str:
        # A half of a pair is a character only as an escape.
        has_halves = not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
        return dumps(text, ensure_ascii=self._in_ascii or has_halves)


def _with_items(text: str, spans: Sequence[tuple[int, int]], replaced: tuple[int, int], items: Sequence[str]) -> str:
    """The text of a list in which other items have replaced some; what is between all others stays.

    `spans` has the place of each item of the list, of which there are some, also in the result.
    """
    first, last = replaced
    if not items and first == last:
        return text
    if not items:
        # The separator in front of the next item goes with those that go; at the end, the one in front of them.
        if last < len(spans):
            return text[: spans[first][0]] + text[spans[last][0] :]
        return text[: spans[first - 1][1]] + text[spans[-1][1] :]
    first_start, first_end = spans[0]
    separator = text[first_end : spans[1][0]] if len(spans) > 1 else f",{text[1:first_start] or ' '}"
    written = separator.join(items)
    if first < last:
        return text[: spans[first][0]] + written + text[spans[last - 1][1] :]
    if first < len(spans):
        return text[: spans[first][0]] + written + separator + text[spans[first][0] :]
    return text[: spans[-1][1]] + separator + written + text[spans[-1][1] :]


def _changed_items(items: Sequence[str], source: str) -> tuple[int, int, str]:
    """Which items of a source a new one replaces, from and to, and by which text.

    Items at both ends that stay are written as they were, however they are split. None that stays begins or ends inside
    of a line of the new source, unless it did before.
    """
    first = start = 0
    while first < len(items) and source.startswith(items[first], start):
        start += len(items[first])
        first += 1
    if first == len(items) and start < len(source) and not _begins_line(source, start):
        first -= 1
        start -= len(items[first])
    last, end = len(items), len(source)
    while last > first and end - len(items[last - 1]) >= start and source.endswith(items[last - 1], start, end):
        last -= 1
        end -= len(items[last])
    while last < len(items) and not _begins_line(source, end) and (last == 0 or items[last - 1].endswith("\n")):
        end += len(items[last])
        last += 1
    return first, last, source[start:end]


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _begins_line(text: str, position: int) -> bool:
    return position == 0 or text[position - 1] == "\n"


def rule_of(*notebooks: Notebook) -> str:
    """The dashes around the names of cells: more than any line of a source has, so that none is taken for a name."""
    rules = [match for notebook in notebooks for cell in notebook.cells for match in _RULE.findall(cell.source)]
    return "-" * (max(map(len, rules), default=2) + 1)


def render_cells(notebook: Notebook, rule: str = "") -> str:
    """The cells as a text for a reader: a line with the name of each, and its source."""
    parts: list[str] = []
    rule = rule or rule_of(notebook)
    for cell in notebook.cells:
        outputs = f", {cell.outputs} {plural('output', cell.outputs)} not shown" if cell.outputs else ""
        parts.append(f"{rule} {cell.name}{outputs} {rule}\n{cell.source.removesuffix(chr(10))}\n")
    return "".join(parts)
