"""The counts of a replay, and the edits worth looking at, as plain data and as lines for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from ..core.display import safe_text
from ..format.call_shapes import shapes_of
from ..format.unread_calls import changes_files
from . import transcript_limits
from .recording import RecordedCall
from .transcript_limits import MOST_SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..core.write_diff import FileSection
    from .outcomes import ReplayedEdit
    from .recording import Recording

#: What is counted for each agent, model and form.
COUNTS = (
    "edits", "accepted", "rejected", "declined", "unanswered", "same", "different", "accepted_refused", "placed",
    "rejected_refused", "not_scored",
)  # fmt: skip
#: The lists of the report, by the agent's verdict and by what Suture did.
LISTS = {
    ("accepted", "different"): "Different results: one of the two is wrong",
    ("accepted", "refused"): "Accepted by the agent's tool, refused by Suture",
    ("rejected", "placed"): "Rejected by the agent's tool, placed by Suture",
    ("rejected", "refused"): "Rejected by the agent's tool, refused by Suture",
}


class ReplayReport:
    """Counts of replayed edits. With `redact`, no text of a file, an edit, a path or a record is kept."""

    def __init__(self, *, redact: bool = False) -> None:
        self.redact = redact
        self.groups: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self.reasons: dict[str, Counter[str]] = defaultdict(Counter)
        self.origins: Counter[str] = Counter()
        self.sources: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        #: The differences of entries, by their ids.
        self.differences: dict[str, FileSection] = {}
        self.entries_left_off = 0
        self.unknown: Counter[str] = Counter()
        self.broken = 0
        #: Calls that change files, by agent and tool: how many there are, and how many the reader took as edits.
        self.shapes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add_recording(self, place: str, recording: Recording) -> None:
        """Count what was read at a place, and what could not be read."""
        label = "…" if self.redact else place
        known = next((row for row in self.sources if (row["path"], row["agent"]) == (label, recording.agent)), None)
        if known is None and recording.documents:
            known = {"path": label, "agent": recording.agent, "transcripts": 0, "sessions": 0}
            self.sources.append(known)
        if known is not None:
            known["transcripts"] += recording.documents
            known["sessions"] += len(recording.sessions)
        for session in recording.sessions.values():
            for item in session.values():
                if isinstance(item, RecordedCall):
                    self._count_shape(recording.agent, item)
        for name, count in recording.unknown.items():
            self.unknown[f"{recording.agent}: {'…' if self.redact else name}"] += count
        self.broken += recording.broken

    def _count_shape(self, agent: str, call: RecordedCall) -> None:
        """Count a call that changes files, by the table of call shapes, by its name, or because it was read as one."""
        is_known = bool(shapes_of(call.tool))
        is_read = any(change.form != "read" for change in call.changes)
        if not is_known and not is_read and not changes_files(call.tool):
            return
        tool = call.tool if is_known or not self.redact else "…"
        key = (agent, tool)
        if key not in self.shapes and len(self.shapes) >= MOST_SHAPES:
            key = (agent, "…")
        self.shapes[key].update(("calls", "read") if is_read else ("calls",))

    def add(self, replayed: ReplayedEdit) -> None:
        """Count an edit, and list it if it is worth a look."""
        edit, outcome = replayed.edit, replayed.outcome
        group = self.groups[edit.agent, edit.model or "unknown", edit.form]
        name = outcome.replace(" ", "_")
        counted = f"{edit.verdict}_refused" if outcome == "refused" else name
        group.update(("edits", edit.verdict, counted))
        self.origins[edit.origin] += 1
        if edit.verdict == "rejected":
            reason = self.reasons[edit.reason]
            reason.update(("rejected", name))
            reason.update({"follow_up_calls": edit.follow_up_calls, "follow_up_tokens": edit.follow_up_tokens})
        if outcome not in ("same", "not scored"):
            if len(self.entries) < transcript_limits.MOST_ENTRIES:
                self.entries.append(self.entry(replayed))
                if replayed.difference is not None and not self.redact:
                    self.differences[edit.id] = replayed.difference
            else:
                self.entries_left_off += 1

    def entry(self, replayed: ReplayedEdit) -> dict[str, Any]:
        """An edit as plain data."""
        edit = replayed.edit
        hidden = {"path": f"…{_ending(edit.path)}", "tool_answer": "", "answer": "", "diff": ""}
        return {
            "id": edit.id,
            "agent": edit.agent,
            "model": edit.model or "unknown",
            "tool": edit.tool,
            "form": edit.form,
            "path": edit.name or edit.path,
            "verdict": edit.verdict,
            "reason": edit.reason,
            "outcome": replayed.outcome,
            "whitespace_only": replayed.is_whitespace,
            "origin": edit.origin,
            "codes": list(replayed.codes),
            "concessions": list(replayed.concessions),
            "follow_up_calls": edit.follow_up_calls,
            "follow_up_tokens": edit.follow_up_tokens,
            "tool_answer": edit.answer,
            "answer": replayed.answer,
            "diff": replayed.diff,
        } | (hidden if self.redact else {})

    def total(self) -> Counter[str]:
        """The counts of all edits."""
        return sum(self.groups.values(), Counter())

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        names = ("rejected", "placed", "refused", "not_scored", "follow_up_calls", "follow_up_tokens")
        return {
            "sources": self.sources,
            "total": _counts(self.total()),
            "groups": [
                {"agent": agent, "model": model, "form": form, **_counts(counts)}
                for (agent, model, form), counts in sorted(self.groups.items())
            ],
            "reasons": [
                {"reason": reason, **{name: counts[name] for name in names}}
                for reason, counts in sorted(self.reasons.items(), key=lambda item: -item[1]["rejected"])
            ],
            "shapes": [
                {"agent": agent, "tool": tool, "calls": counts["calls"], "read": counts["read"]}
                for (agent, tool), counts in sorted(self.shapes.items())
            ],
            "origins": dict(self.origins.most_common()),
            "entries": self.entries,
            "entries_left_off": self.entries_left_off,
            "unknown_records": dict(self.unknown.most_common()),
            "unreadable_records": self.broken,
        }

    def lists(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The entries by list, without empty lists."""
        for (verdict, outcome), title in LISTS.items():
            listed = [entry for entry in self.entries if (entry["verdict"], entry["outcome"]) == (verdict, outcome)]
            if listed:
                yield title, listed

    def lines(self, most: int = 20) -> Iterator[str]:
        """The report for a terminal; of each list, at most this many edits."""
        data = self.to_json()
        for row in data["sources"]:
            yield f"{safe_text(row['path'])}: {row['agent']}, {row['transcripts']:,} transcripts"
        yield ""
        head = ("agent", "model", "form", "edits", "accepted", "same", "different", "refused", "rejected", "placed",
                "refused", "not scored")  # fmt: skip
        keys = ("edits", "accepted", "same", "different", "accepted_refused", "rejected", "placed", "rejected_refused",
                "not_scored")  # fmt: skip
        rows = [(row["agent"], row["model"], row["form"], *(row[key] for key in keys)) for row in data["groups"]]
        yield from table(head, [*rows, ("all", "", "", *(data["total"][key] for key in keys))])
        if data["reasons"]:
            yield "\nRejected by the agent's tool, by reason, with the calls and tokens that followed:"
            yield from table(
                ("reason", "edits", "placed", "refused", "not scored", "calls", "tokens"),
                [tuple(row.values()) for row in data["reasons"]],
            )
        if data["shapes"]:
            yield "\nCalls that change files, by tool, and how many of them were read as edits:"
            yield from table(("agent", "tool", "calls", "read"), [tuple(row.values()) for row in data["shapes"]])
        for title, entries in self.lists():
            yield f"\n{title} ({len(entries):,}):"
            for entry in entries[:most]:
                note = " (whitespace only)" if entry["whitespace_only"] else ""
                explanation = f" {entry['reason']}" if entry["reason"] else ""
                yield f"  {entry['id']}  {entry['agent']}  {safe_text(entry['path'])}{explanation}{note}"
            if len(entries) > most:
                yield f"  and {len(entries) - most:,} more"
        yield from self.troubles()

    def troubles(self) -> Iterator[str]:
        """What could not be read, for a terminal."""
        if self.unknown or self.broken:
            named = ", ".join(f"{safe_text(name)} ({count:,})" for name, count in self.unknown.most_common(10))
            yield f"\nNot understood: {self.broken:,} unreadable records; unknown: {named or 'none'}."


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Lines of columns; numbers are right-aligned."""
    names = list(head)
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    are_numbers = [all(_is_number(row[index]) for row in cells) for index in range(len(names))]
    for row in (names, *cells):
        padded = []
        for cell, width, is_number in zip(row, widths, are_numbers, strict=True):
            padded.append(cell.rjust(width) if is_number else cell.ljust(width))
        yield "  ".join(padded).rstrip()


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else safe_text(str(value))


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").isdigit()


def _ending(path: str) -> str:
    """What tells the language of a file: a short ending of a name that has more than that."""
    ending = PureWindowsPath(path).suffix
    return ending if len(ending) <= transcript_limits.LONGEST_ENDING and ending[1:].isalnum() else ""


def _counts(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in COUNTS}
