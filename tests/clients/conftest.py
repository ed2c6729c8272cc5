"""These tests run real clients: `make test-clients` installs them. Elsewhere the tests are left out."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("SUTURE_CLIENTS") else ["test_*.py"]
