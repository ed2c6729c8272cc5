"""Tests of the server itself need the extra `mcp`: `make test-adapters`. Elsewhere these are left out."""

from __future__ import annotations

from importlib.util import find_spec

NEED_THE_EXTRA = ["calls", "inspector", "readme_example", "security", "workspace"]
collect_ignore = [] if find_spec("mcp") else [f"test_mcp_{name}.py" for name in NEED_THE_EXTRA]
