"""Builds Suture. Its settings are in pyproject.toml; here is the one choice a build has.

A build is pure Python. With SUTURE_MYPYC=1, mypyc compiles the fast paths from the same source; without a C compiler
the build says so and stays pure. SUTURE_PURE=1 overrides both (docs/decisions/0007-mypyc.md).
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

from setuptools import setup
from setuptools.errors import CompileError

COMPILED = ["src/suture/place/fast_update.py", "src/suture/format/fast_parse.py"]
MYPY = "mypy>=1.15,<3"


def is_on(name: str) -> bool:
    """Whether an environment variable is set to something other than 0."""
    return os.environ.get(name, "0") not in {"", "0"}


def can_compile() -> bool:
    """Whether there is a C compiler that finds Python's headers."""
    # setuptools brings its own distutils, under this name, to a Python that has none.
    from distutils.ccompiler import new_compiler  # noqa: PLC0415
    from distutils.sysconfig import customize_compiler  # noqa: PLC0415

    compiler = new_compiler()
    customize_compiler(compiler)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\n")
        try:
            compiler.compile([str(source)], output_dir=folder, include_dirs=[sysconfig.get_path("include")])
        except CompileError:
            return False
    return True


def compiled() -> dict[str, object]:
    """The arguments of `setup` for a compiled build; none for a pure one."""
    if is_on("SUTURE_PURE") or not is_on("SUTURE_MYPYC"):
        return {}
    if not can_compile():
        print("SUTURE_MYPYC: no C compiler or no Python headers found; building pure Python instead.")
        return {}
    if find_spec("mypyc") is None:
        # The first of two runs: the installer asks what the build needs, installs it, and runs this file again.
        return {"setup_requires": [MYPY]}
    from mypyc.build import mypycify  # noqa: PLC0415

    return {"ext_modules": mypycify(COMPILED, opt_level="3", debug_level="0", group_name="suture.fast_paths")}


setup(**compiled())
