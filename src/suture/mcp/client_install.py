"""Sets a client up, and takes that back: the files of a row of the table, changed in one commit that can be undone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from ..core.patch import DeleteFile, Patch, WriteFile
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..core.value import Value
from ..state.state_folder import state_base
from ..workspace.workspace import Workspace
from .client_table import CLIENTS, ClientRow, Setup, arguments_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from ..workspace.outcome import Plan
    from .client_files import ClientFile

#: How long `codex` may take to print its models, in seconds.
CODEX_TIMEOUT = 60


class Installation(Value):
    """What is written for a client, and where."""

    client: ClientRow
    files: tuple[ClientFile, ...]
    #: The directory that the paths of the files start from: the project, or the home directory.
    root: str
    #: Who approves an edit, and what is left to do by hand.
    approval: str
    by_hand: tuple[str, ...]

    def __hash__(self) -> int:
        return hash((self.client.name, self.root))


def installation(
    name: str,
    root: str,
    *,
    headless: bool = False,
    for_user: bool = False,
    flags: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
    to_remove: bool = False,
) -> Installation:
    """What a client needs, or what is `to_remove`. `flags` are options of `suture mcp` that differ from the client's.

    Raises:
        PatchRejectedError: the client has no such settings.
    """
    client = CLIENTS[name]
    if ("user" if for_user else "project") not in client.scopes:
        message = f"{client.title} has no settings of projects, only those of the user."
        hint = f"Run: suture install {name} --user"
        raise PatchRejectedError([Problem("invalid_arguments", message, hint=hint)])
    options = {**(client.headless_options if headless else client.options), **(flags or {})}
    words = tuple(program or find_program())
    notes: list[str] = []
    catalog = ""
    if name == "codex":
        # Any catalog of ours is removed.
        catalog, note = (catalog_path(""), "") if to_remove else _codex_catalog()
        notes += [note] if note else []
    setup = Setup(words, (*words, "mcp", *arguments_of(options)), headless, for_user, catalog)
    approval = client.headless_approval if headless else client.approval
    return Installation(
        client,
        tuple(client.files(setup)),
        os.path.expanduser("~") if for_user else root,
        approval.format(title=client.title),
        (*notes, *client.by_hand),
    )


class FileChanges:
    """The changes of files for a client: planned, shown, and committed together. Use it as a context."""

    def __init__(self, setup: Installation, change: Callable[[ClientFile, str], str], actor: str) -> None:
        # A client's own files may be in directories that are denied by default.
        self._workspace = Workspace(setup.root, lift=[file.path for file in setup.files], actor=actor)
        self._setup = setup
        self._change = change

    @classmethod
    def to_install(cls, setup: Installation) -> Self:
        """The changes that set a client up."""
        return cls(setup, lambda file, text: file.merge_into(text), f"suture install {setup.client.name}")

    @classmethod
    def to_uninstall(cls, *setups: Installation) -> Self:
        """The changes that take out what belongs to Suture in any of these setups of the same client."""

        def without(file: ClientFile, text: str) -> str:
            for variant in [one for setup in setups for one in setup.files if one.path == file.path]:
                if text.strip():
                    text = variant.remove_from(text)
            return text

        return cls(setups[0], without, f"suture uninstall {setups[0].client.name}")

    def plan(self) -> Plan | None:
        """What would change; None if everything is as it should be.

        Raises:
            SutureError: something that is not ours would be replaced or lost, or a file can't be read.
        """
        operations: list[WriteFile | DeleteFile] = []
        expected = {}
        for file in self._setup.files:
            before, expected[file.path] = self._read(file.path)
            after = self._change(file, before)
            if after == before:
                del expected[file.path]
            elif after:
                operations.append(WriteFile(file.path, after))
            else:
                operations.append(DeleteFile(file.path))
        if not operations:
            return None
        return self._workspace.plan(Patch(tuple(operations)), expected_sha256=expected)

    def commit(self, plan: Plan) -> str:
        """Write what was planned; the id of the commit."""
        return self._workspace.commit(plan).id

    def _read(self, path: str) -> tuple[str, str]:
        """The text of a file, and its hash; both empty if there is none."""
        try:
            found = self._workspace.read(path)
        except PatchRejectedError as error:
            if error.problems[0].code != "not_found":
                raise
            return "", ""
        try:
            return found.content.decode("utf-8"), found.sha256
        except UnicodeDecodeError as error:
            message = f"{path} is not UTF-8. Nothing was written."
            raise PatchInvalidError([Problem("encoding_error", message, path)]) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workspace.close()


def find_program() -> tuple[str, ...]:
    """The command line that starts Suture wherever a client is started from.

    That is the absolute path of this program. A program that `uvx` or `pipx run` has made for one run is gone
    tomorrow, so there it is the command line that makes it again.
    """
    here = os.path.abspath(sys.argv[0])
    parts = here.split(os.sep)
    if "uv" in parts and any(part.startswith(("archive-v", "environments-v")) for part in parts):
        return ("uvx", "suture")
    if "pipx" in parts and ".cache" in parts:
        return ("pipx", "run", "suture")
    if os.path.basename(here) == "suture" and os.access(here, os.X_OK):
        return (here,)
    beside = os.path.join(os.path.dirname(sys.executable), "suture")
    return (beside,) if os.access(beside, os.X_OK) else (sys.executable, "-m", "suture")


def _codex_catalog() -> tuple[str, str]:
    """The path of a catalog in which Codex's models have no edit tool of their own, and what to know about it.

    It is made from the catalog of the program that is installed, so it is good for that version alone.
    """
    version = codex_version()
    if not version:
        note = "codex was not found, so its own apply_patch stays. Install it, then run `suture install codex` again."
        return "", note
    try:
        catalog = json.loads(_codex("debug", "models"))
        for model in catalog["models"]:
            # The model gets apply_patch from the server, listed at once instead of behind a search.
            model["apply_patch_tool_type"] = None
            model["supports_search_tool"] = False
    except (ValueError, KeyError, TypeError):
        return "", f"codex {version} did not print its models, so its own apply_patch stays."
    path = catalog_path(version)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(catalog, file)
    return path, ""


def catalog_path(version: str) -> str:
    """Where the catalog of models for a version of Codex is. Its name says that it belongs to Suture."""
    return os.path.join(state_base(), "clients", f"suture-codex-{version}.json")


def codex_version() -> str:
    """The version of the Codex that is installed; empty without one."""
    words = _codex("--version").split()
    return words[-1] if words else ""


def _codex(*arguments: str) -> str:
    """What Codex prints; empty if it is not installed or fails."""
    program = shutil.which("codex")
    if program is None:
        return ""
    try:
        return subprocess.run(  # noqa: S603 - the user's own program
            [program, *arguments], capture_output=True, encoding="utf-8", timeout=CODEX_TIMEOUT, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
