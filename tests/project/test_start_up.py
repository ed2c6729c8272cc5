"""What `import suture` and one exact update load: nothing that costs more than they do.

"`import suture` with one exact update never loads `rapidfuzz`, `asyncio`, `difflib`, `sqlite3` or network modules."
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import suture

NEVER = {
    "asyncio",
    "dataclasses",
    "difflib",
    "enum",
    "http",
    "inspect",
    "json",
    "pathlib",
    "rapidfuzz",
    "re",
    "socket",
    "sqlite3",
    "ssl",
    "typing",
    "urllib",
}

IMPORT = "import suture"
PARSE = IMPORT + "\npatch = suture.parse('*** Begin Patch\\n*** Update File: a\\n@@\\n x\\n-y\\n+z\\n*** End Patch\\n')"
UPDATE = PARSE + "\nassert suture.update('x\\ny\\n', patch.operations[0].hunks).text == 'x\\nz\\n'"


def modules_after(code: str) -> set[str]:
    """The modules of a fresh interpreter after `code`, without what an environment's own start-up brings in."""
    source = str(Path(suture.__file__).parent.parent)
    program = f"import sys\nsys.path.insert(0, {source!r})\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("code", [IMPORT, PARSE, UPDATE], ids=["import", "parse", "exact update"])
def test_nothing_costly_is_loaded(code: str) -> None:
    assert modules_after(code) & NEVER == set()


APPLY = """
import os, sys
sys.argv = ["apply_patch", "*** Begin Patch\\n*** Update File: a.txt\\n@@\\n-x\\n+y\\n*** End Patch"]
def leave(status):
    assert status == 0
    raise SystemExit
os._exit = leave
from suture.cli.apply_patch import main
try:
    main()
except SystemExit:
    pass
"""
#: Loading one of these takes as long as a tenth of an `apply_patch`.
NOT_FOR_A_COMMIT = NEVER - {"sqlite3"} | {"hashlib", "shutil", "subprocess", "tempfile", "threading"}


def test_a_commit_of_apply_patch_loads_nothing_costly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    assert modules_after(APPLY) & NOT_FOR_A_COMMIT == set()
    assert (tmp_path / "a.txt").read_text() == "y\n"


def test_help_takes_less_than_five_times_what_python_takes_to_start() -> None:
    def best(*arguments: str) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - start)
        return min(times)

    # A busy machine may spoil a pair, but not all.
    assert any(best("-m", "suture", "--help") < 5 * best("-c", "pass") for _ in range(4))


def test_a_bare_import_loads_nothing_of_ours_but_the_surface() -> None:
    ours = {name for name in modules_after(IMPORT) if name.split(".")[0] == "suture"}
    assert ours == {"suture", "suture.core", "suture.core.lazy"}


FORMS = {
    "answer",
    "diff_blocks",
    "search_replace",
    "call_blocks",
    "tool_calls",
    "whole_files",
    "path_lines",
    "write_forms",
}
ADD = IMPORT + "\nsuture.parse('*** Begin Patch\\n*** Add File: a\\n+x\\n*** End Patch\\n')"


@pytest.mark.parametrize(
    "code",
    [UPDATE, ADD, "import suture.cli.apply_patch, suture.workspace.workspace"],
    ids=["update", "add", "apply_patch"],
)
def test_an_envelope_loads_no_reader_of_another_form(code: str) -> None:
    assert {f"suture.format.{name}" for name in FORMS} & modules_after(code) == set()
