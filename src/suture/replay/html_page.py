"""The report as one page: no scripts, nothing loaded from anywhere, every text from outside escaped, bounded."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING

from ..core.display import printable, shorten
from ..core.write_diff import cut_section
from . import transcript_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..core.write_diff import FileSection
    from .replay_report import ReplayReport

#: The answers that an edit was given, with their titles.
_ANSWERS = (("The agent's tool said", "tool_answer"), ("Suture says", "answer"))

_STYLE = """
/* Every character is where it is in the text, next to Hebrew or Arabic letters too. */
html, body, body * { direction: ltr; unicode-bidi: isolate-override; }
:root { color-scheme: light dark; --line: #8884; --add: #1a7f3722; --del: #cf222e22; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: #8881; padding: .5rem; font-size: 13px; }
ins, del { text-decoration: none; display: block; }
ins { background: var(--add); } del { background: var(--del); }
small { opacity: .7; }
"""


def render_page(report: ReplayReport) -> str:
    """The page."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "\n".join((
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>suture replay</title><style>{_STYLE}</style></head><body>",
        *_body(report),
        "</body></html>\n",
    ))  # fmt: skip


def _body(report: ReplayReport) -> Iterator[str]:
    data = report.to_json()
    total = data["total"]
    yield "<h1>What happened to the edits of your agents</h1>"
    yield (
        f"<p>{total['edits']:,} edits. The agents' own tools accepted {total['accepted']:,} and rejected"
        f" {total['rejected']:,}. Of the rejected ones whose file is certain, Suture places {total['placed']:,} and"
        f" refuses {total['rejected_refused']:,}. Of the accepted ones, its result is the same for {total['same']:,},"
        f" different for {total['different']:,}, and {total['accepted_refused']:,} are refused."
        f" {total['not_scored']:,} are not scored, because their file is not certain.</p>"
    )
    yield "<h2>By agent, model and form</h2>"
    yield _table(data["groups"])
    if data["reasons"]:
        yield "<h2>Rejected, by reason, with what followed</h2>"
        yield _table(data["reasons"])
    for title, entries in report.lists():
        yield f"<h2>{_safe(title)} ({len(entries):,})</h2>"
        for entry in entries[: transcript_limits.MOST_ON_PAGE]:
            yield _entry(entry, report.differences.get(entry["id"]))
        if len(entries) > transcript_limits.MOST_ON_PAGE:
            yield f"<p>And {len(entries) - transcript_limits.MOST_ON_PAGE:,} more.</p>"
    yield "<h2>Where the file before each edit is from</h2>"
    yield _table([{"known from": origin, "edits": count} for origin, count in data["origins"].items()])
    yield "<h2>Transcripts</h2>"
    yield _table(data["sources"])
    if data["unknown_records"] or data["unreadable_records"]:
        yield f"<p>Unreadable records: {data['unreadable_records']:,}. Unknown records:</p>"
        yield _table([{"record": name, "count": count} for name, count in data["unknown_records"].items()])


def _table(rows: Iterable[dict[str, Any]]) -> str:
    listed = list(rows)
    if not listed:
        return "<p>None.</p>"
    head = "".join(f"<th>{_safe(name.replace('_', ' '))}</th>" for name in listed[0])
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in listed)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return f'<td class="n">{value:,}</td>' if isinstance(value, int) else f"<td>{_safe(str(value))}</td>"


def _entry(entry: dict[str, Any], difference: FileSection | None) -> str:
    """The HTML of one edit of a report: a line that opens to what the agents and Suture made of it."""
    facts = [entry["id"], entry["agent"], entry["model"], entry["path"], entry["reason"]]
    summary = " · ".join([_safe(fact) for fact in facts if fact])
    note = " <small>whitespace only</small>" if entry["whitespace_only"] else ""
    parts = [f"<details><summary>{summary}{note}</summary>"]
    texts = [(title, _safe(shorten(entry[name], transcript_limits.LONGEST_ON_PAGE))) for title, name in _ANSWERS]
    texts.append(("Difference", "" if difference is None else _diff(difference)))
    for title, text in texts:
        if text:
            parts.append(f"<p><small>{title}:</small></p><pre>{text}</pre>")
    if entry["follow_up_calls"]:
        parts.append(
            f"<p><small>Then {entry['follow_up_calls']:,} calls, {entry['follow_up_tokens']:,} tokens.</small></p>"
        )
    parts.append("</details>")
    return "".join(parts)


def _diff(section: FileSection) -> str:
    """A difference with added and removed lines marked, up to a limit."""
    marks = {"+": "ins", "-": "del"}
    parts = [f"{_safe(line)}\n" for line in section.header]
    for hunk in cut_section(section, transcript_limits.LONGEST_ON_PAGE).hunks:
        parts.append(f"{_safe(hunk.header)}\n")
        for line in hunk.written_lines:
            mark = marks.get(line[0])
            parts.append(f"<{mark}>{_safe(line)}</{mark}>" if mark else f"{_safe(line)}\n")
    return "".join(parts)


def _safe(text: str) -> str:
    return escape(printable(text))
