"""Whether a client trusts a project, as its own file in the home directory says.

A client that does not trust a project ignores the project's settings without a word, and with them the server.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .client_files import ClientFile, SettingsTextError
from .server_limits import LARGEST_TRUST_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def _claude_code(settings: Mapping[str, Any], folder: str) -> bool:
    return _entry(settings, folder).get("hasTrustDialogAccepted") is True


def _codex(settings: Mapping[str, Any], folder: str) -> bool:
    return _entry(settings, folder).get("trust_level") == "trusted"


def _gemini(settings: Mapping[str, Any], folder: str) -> bool:
    return settings.get(folder) in ("TRUST_FOLDER", "TRUST_PARENT")


#: By client: the file in the home directory, and how it says that a directory is trusted.
_TRUST: Mapping[str, tuple[str, Callable[[Mapping[str, Any], str], bool]]] = {
    "claude-code": (".claude.json", _claude_code),
    "codex": (".codex/config.toml", _codex),
    "gemini": (".gemini/trustedFolders.json", _gemini),
}


def is_distrusted(client: str, root: str) -> bool:
    """Whether the file in which a client keeps the directories that it trusts names neither a project nor one above it.

    Without that file, or if it can't be read, nothing is known, and the answer is no.
    """
    if client not in _TRUST:
        return False
    path, trusts = _TRUST[client]
    file = Path.home() / path
    try:
        if not file.is_file() or file.stat().st_size > LARGEST_TRUST_FILE:
            return False
        settings = ClientFile(path).settings_in(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, SettingsTextError):
        return False
    folders = {
        str(folder) for start in (root, os.path.realpath(root)) for folder in (Path(start), *Path(start).parents)
    }
    return not any(trusts(settings, folder) for folder in folders)


def _entry(settings: Mapping[str, Any], folder: str) -> Mapping[str, Any]:
    """What Claude Code and Codex keep of a project; empty without anything."""
    projects = settings.get("projects")
    entry = projects.get(folder) if isinstance(projects, dict) else None
    return entry if isinstance(entry, dict) else {}
