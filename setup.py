"""The one part of the build that pyproject.toml can't say: the native code, which an installation may be without."""

import sys

from setuptools import Extension, setup

# `optional`: without a compiler or Python's headers the installation goes on (docs/decisions/0007-native-short-way.md).
# It is for CPython alone: other Pythons compile Python themselves, and their str is no array.
native = [Extension("suture._native", ["src/suture/_native.c"], optional=True)]

setup(ext_modules=native if sys.implementation.name == "cpython" else [])
