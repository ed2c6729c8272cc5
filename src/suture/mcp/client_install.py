"""Sets a client up, and takes that back: the files of a row of the table, changed in one commit that can be undone."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

from ..agent.diagnostics.server_table import find_program as find_on_path
from ..core.fingerprint import fingerprint
from ..core.line_diff import split_lines
from ..core.patch import DeleteFile, Patch, WriteFile
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..core.value import Value
from ..state.private_files import make_private_folder
from ..state.state_folder import check_base, state_base
from ..state.trust import trust_settings
from ..workspace.workspace import Workspace
from .client_files import NO_SETUPS, EarlierSetups
from .client_program import find_program
from .client_table import CLIENTS, ClientRow, Setup, arguments_of
from .server_limits import MOST_SETUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self, TypeAlias

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change, Plan
    from .client_files import ClientFile

    #: The new text of a file: from what it has to hold, its text, and what earlier setups have changed in it. The text
    #: is None if there is no file.
    FileChange: TypeAlias = Callable[[ClientFile, str | None, EarlierSetups], str | None]

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
    #: The text of a catalog of models that the settings name, and its path in the state; empty without one.
    catalog: str = ""
    catalog_path: str = ""
    #: The command lines that the settings name: that of the server, and that of the program.
    commands: tuple[tuple[str, ...], ...] = ()

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
    catalog = catalog_text = ""
    if name == "codex" and to_remove:
        # Any catalog of ours is removed.
        catalog = catalog_path("")
    elif name == "codex":
        catalog, catalog_text, note = _codex_catalog()
        notes += [note] if note else []
    server = (*words, "mcp", *arguments_of(options))
    setup = Setup(words, server, headless, for_user, catalog, options.get("profile", "core"))
    approval = client.headless_approval if headless else client.approval
    return Installation(
        client,
        tuple(client.files(setup)),
        os.path.expanduser("~") if for_user else root,
        approval.format(title=client.title),
        (*notes, *client.by_hand),
        catalog_text,
        catalog,
        (server, words),
    )


class FileChanges:
    """The changes of files for a client: planned, shown, and committed together. Use it as a context."""

    def __init__(self, setup: Installation, change: FileChange, command: str) -> None:
        # A client's own files may be in directories that are denied by default.
        lifted = [file.path for file in setup.files]
        self._workspace = Workspace(setup.root, lift=lifted, actor=f"suture {command} {setup.client.name}")
        self._setup = setup
        self._change = change

    @classmethod
    def to_install(cls, setup: Installation) -> Self:
        """The changes that set a client up."""
        return cls(setup, lambda file, text, earlier: file.merge_into(text or "", earlier), "install")

    @classmethod
    def to_uninstall(cls, *setups: Installation) -> Self:
        """The changes that take out what belongs to Suture in any of these setups of the same client."""

        def without(file: ClientFile, text: str | None, earlier: EarlierSetups) -> str | None:
            if text is None or not text.strip():
                return text
            if earlier.replaced_text is not None:
                return earlier.replaced_text
            for variant in [one for setup in setups for one in setup.files]:
                if variant.path == file.path and text.strip():
                    text = variant.without_what_others_wrote(earlier).remove_from(text)
            return text or None

        return cls(setups[0], without, "uninstall")

    def plan(self) -> Plan | None:
        """What would change; None if everything is as it should be.

        Raises:
            SutureError: something that is not ours would be replaced or lost, or a file can't be read.
        """
        operations: list[WriteFile | DeleteFile] = []
        expected = {}
        for file in self._setup.files:
            before, expected[file.path] = self._read(file.path)
            after = self._change(file, before, self._earlier(file.path, before) if before else NO_SETUPS)
            if after == before:
                del expected[file.path]
            elif after is None:
                operations.append(DeleteFile(file.path))
            else:
                operations.append(WriteFile(file.path, after))
        if not operations:
            return None
        return self._workspace.plan(Patch(tuple(operations)), expected_sha256=expected)

    def trust_commands(self) -> None:
        """Remember that the user has chosen these command lines, for `doctor`.

        Raises:
            PatchRejectedError: the state can't be written.
        """
        own = find_program()
        for command in self._setup.commands if self._setup.commands[1:] != (own,) else ():
            trust_settings(self._setup.root, command_mark(command))

    def write_catalog(self) -> None:
        """Write the catalog that the settings name, if there is one.

        Raises:
            PatchRejectedError: it can't be written, or others could write to its directory.
        """
        path = self._setup.catalog_path
        if not self._setup.catalog:
            return
        try:
            make_private_folder(os.path.dirname(path))
            check_base()
            staged = f"{path}-{os.urandom(6).hex()}.new"
            with open(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(self._setup.catalog)
            os.replace(staged, path)
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror}."
            raise PatchRejectedError([Problem("io_error", message, path)]) from error

    def commit(self, plan: Plan) -> str:
        """Write what was planned; the id of the commit."""
        return self._workspace.commit(plan).id

    def read(self, path: str) -> str:
        """The text of a file; empty if there is none.

        Raises:
            SutureError: it is not an ordinary file of the directory, is too large, or is not UTF-8.
        """
        return self._read(path)[0] or ""

    def _earlier(self, path: str, text: str) -> EarlierSetups:
        """What earlier setups of the client have changed in a file with this text, as the history has it."""
        client = self._setup.client.name
        actors = (f"suture install {client}", f"suture uninstall {client}")
        ids: set[str] = set()
        changes: list[Change] = []
        for receipt in reversed(self._workspace.log(MOST_SETUPS, path=path)):
            if receipt.actor in actors or receipt.undoes in ids:
                ids.add(receipt.id)
                changes += [change for change in receipt.changes if change.path == path]
        added: list[str] = []
        removed: list[str] = []
        for change in changes:
            for hunk in change.hunks:
                added += [line[1:] for line in hunk.lines if line[0] == "+"]
                removed += [line[1:] for line in hunk.lines if line[0] == "-"]
        return EarlierSetups("".join(added), "".join(removed), text_before(text, changes))

    def _read(self, path: str) -> tuple[str | None, str]:
        """The text of a file, and its hash; None and nothing if there is none."""
        try:
            content = self._workspace.read(path)
        except PatchRejectedError as error:
            if error.problems[0].code != "not_found":
                raise
            return None, ""
        try:
            return content.content.decode("utf-8"), content.sha256
        except UnicodeDecodeError as error:
            message = f"{path} is not UTF-8. Nothing was written."
            raise PatchInvalidError([Problem("encoding_error", message, path)]) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workspace.close()


def text_before(text: str, changes: Sequence[Change]) -> str | None:
    """The text of a file before some changes, each byte as it was.

    None if there was no file, or if something else has changed the file while it had what they added.
    """
    for number, change in reversed(list(enumerate(changes, 1))):
        now = fingerprint(text.encode())
        if now == change.sha256_after:
            text = _reverted(text, change.hunks)
            now = fingerprint(text.encode())
        # It may also be that somebody else has brought the file back to what it was before that change.
        if now != change.sha256_before:
            return text if _cancel_out(changes[:number]) else None
    return text


def _cancel_out(changes: Sequence[Change]) -> bool:
    """Whether some changes have removed all lines that they added, and the other way round."""
    lines = [line for change in changes for hunk in change.hunks for line in hunk.lines]
    added, removed = ([line[1:] for line in lines if line[0] == sign] for sign in "+-")
    return sorted(added) == sorted(removed)


def _reverted(text: str, hunks: Sequence[LineHunk]) -> str:
    """The text that some hunks have changed to this one."""
    lines = split_lines(text)
    for hunk in reversed(hunks):
        lines[hunk.new_start : hunk.new_start + hunk.new_count] = hunk.old
    return "".join(lines)


def command_mark(command: Sequence[str]) -> str:
    """How a command line that the user has chosen is remembered."""
    return f"client {json.dumps(list(command))}"


def _codex_catalog() -> tuple[str, str, str]:
    """A catalog in which Codex's models have no edit tool of their own: its path, its text, what to know about it.

    It is made from the catalog of the program that is installed, so it is good for that version alone.
    """
    version = codex_version()
    if not version:
        note = "codex was not found, so its own apply_patch stays. Install it, then run `suture install codex` again."
        return "", "", note
    try:
        catalog = json.loads(_codex("debug", "models"))
        for model in catalog["models"]:
            # The model gets apply_patch from the server, listed at once instead of behind a search.
            model["apply_patch_tool_type"] = None
            model["supports_search_tool"] = False
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", "", f"codex {version} did not print its models, so its own apply_patch stays."
    return catalog_path(version), json.dumps(catalog), ""


def catalog_path(version: str) -> str:
    """Where the catalog of models for a version of Codex is. Its name says that it belongs to Suture."""
    return os.path.join(state_base(), "clients", f"suture-codex-{version}.json")


def codex_version() -> str:
    """The version of the Codex that is installed; empty without one."""
    words = _codex("--version").split()
    return words[-1] if words else ""


def _codex(*arguments: str) -> str:
    """What Codex prints; empty if it is not installed or fails."""
    program = find_on_path("codex")
    if not program:
        return ""
    try:
        return subprocess.run(  # noqa: S603 - the user's own program
            [program, *arguments], capture_output=True, encoding="utf-8", timeout=CODEX_TIMEOUT, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
