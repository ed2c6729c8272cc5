"""Tests of the documentation site need Zensical and Chromium: `make test-docs`. Elsewhere they are left out."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

HAS_GENERATOR = bool(find_spec("zensical") and find_spec("selenium"))
HAS_BROWSER = bool(shutil.which("chromium") and shutil.which("chromedriver"))
collect_ignore_glob = [] if HAS_GENERATOR and HAS_BROWSER else ["test_*.py"]
