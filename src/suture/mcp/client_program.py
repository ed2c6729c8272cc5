"""The command line that starts this program wherever a client is started from."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..agent.diagnostics.server_table import find_program as find_on_path

if TYPE_CHECKING:
    from typing import Any

#: The options of Python that start this program as a module. With -P, no file of the directory that it is started in
#: is one of its modules.
_AS_MODULE = ("-P", "-m", "suture")
#: The directories in which `uvx` makes environments for one run.
_OF_UVX = re.compile(r"(archive|environments)-v\d+")
#: Those in which `pipx run` does, on each system.
_OF_PIPX = (".cache", "caches", "cache")


def find_program() -> tuple[str, ...]:
    """The command line that starts Suture wherever a client is started from.

    That is the absolute path of this program. A program that `uvx` or `pipx run` has made for one run is gone
    tomorrow, so there it is the command line that makes it again, from where this one came from.
    """
    here = os.path.abspath(sys.argv[0])
    folders = here.split(os.sep)[:-1]
    if any(_OF_UVX.fullmatch(folder) for folder in folders):
        source = _source()
        from_source = ("--from", source) if source else ()
        return (find_on_path("uvx") or "uvx", *from_source, "suture")
    is_installed_by_pipx = "venvs" in folders
    if "pipx" in folders and not is_installed_by_pipx and any(folder.lower() in _OF_PIPX for folder in folders):
        source = _source()
        from_source = ("--spec", source) if source else ()
        return (find_on_path("pipx") or "pipx", "run", *from_source, "suture")
    if os.path.basename(here) == "suture" and os.access(here, os.X_OK):
        return (here,)
    beside = os.path.join(os.path.dirname(sys.executable), "suture")
    return (beside,) if os.access(beside, os.X_OK) else (sys.executable, *_AS_MODULE)


def _source() -> str:
    """Where this program was installed from: a path or a URL; empty if that was an index of packages.

    Its name alone would name what an index has under it, which may be the program of somebody else.
    """
    try:
        text = distribution("suture").read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    return source_in(json.loads(text)) if text else ""


def source_in(origin: dict[str, Any]) -> str:
    """What `uvx --from` and `pipx run --spec` call the origin of a package, as its `direct_url.json` describes it."""
    url: str = origin["url"]
    if version := origin.get("vcs_info"):
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    elif url.startswith("file:"):
        return url2pathname(urlsplit(url).path)
    folder = origin.get("subdirectory")
    return f"{url}#subdirectory={folder}" if folder else url
