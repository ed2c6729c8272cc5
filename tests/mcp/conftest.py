"""These tests need the extra `mcp`: `make test-adapters`. Elsewhere they are left out."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("mcp") else ["test_*.py"]
