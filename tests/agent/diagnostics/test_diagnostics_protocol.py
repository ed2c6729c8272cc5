"""What a language server sends, as diagnostics."""

from __future__ import annotations

import pytest

from suture.agent.diagnostics.protocol import diagnostics_of

AT_START = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}


@pytest.mark.parametrize(
    ("fields", "severity"), [({}, "error"), ({"severity": None}, "error"), ({"severity": 2}, "warning")]
)
def test_what_has_no_severity_is_an_error(fields: dict[str, object], severity: str) -> None:
    item = {"range": AT_START, "message": "no", **fields}
    [diagnostic] = diagnostics_of([item], "/a.py", ["x"], "utf-16", "server")
    assert (diagnostic.severity, diagnostic.source) == (severity, "server")
