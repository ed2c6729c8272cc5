"""One running language server: its open documents and their diagnostics.

A client tracks the text and version of each document it sent, and returns diagnostics for that version only: pulled if
the server answers `textDocument/diagnostic`, otherwise pushed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress

from ..threads import in_thread
from .columns import ENCODINGS, lines_of
from .connection import METHOD_NOT_FOUND, TRY_AGAIN, Connection, ResponseError
from .diagnostic_limits import MOST_DIAGNOSTICS, MOST_DOCUMENTS, MOST_UNANSWERED
from .documents import Document, path_of, sendable, stamp_of, uri_of
from .process import run_process
from .protocol import CAPABILITIES, diagnostics_of, from_tsserver, setting
from .watched_files import CHANGED, CREATED, DELETED, WatchedFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from .report import Diagnostic
    from .server_table import Server

#: Seconds of quiet after a push without a version that may belong to an older, unanswered version.
_LONG_SETTLE = 1.0
#: Seconds before a request that the server canceled is sent again.
_PAUSE = 0.02


class ServerError(Exception):
    """A server's answer violates the protocol, or a program it needs does not work."""


class Client:
    """A connection to one language server."""

    def __init__(self, server: Server, root: str) -> None:
        self.server = server
        self._root = root
        self._connection = Connection(server.name, self._on_request, self._on_notification, self._wake)
        self._documents: dict[str, Document] = {}
        self._watched_files = WatchedFiles(root)
        self._encoding = "utf-16"
        self._identifier: str | None = None
        #: Whether it answers `textDocument/diagnostic`; None until that is known.
        self._pulls: bool | None = None
        #: How often it pushed before it answered.
        self._unanswered = 0
        self._ready = False
        self._watches = False
        self._save_text = False
        #: Counts the events that can change the diagnostics of any document.
        self._changes = 0

    @property
    def broken(self) -> str:
        """Why the connection broke; empty while it works."""
        return self._connection.broken

    async def start(self, command: Sequence[str], path: str) -> None:
        """Start the server and initialize it; `path` is its PATH.

        Raises:
            ConnectionBrokenError: it cannot be started, or exits at once.
            ResponseError: it refuses to initialize.
            ServerError: its answer violates the protocol, or a program it needs does not work.
        """
        for name in self.server.needs:
            await self._check_tool(name, path)
        # The first look at the files, to compare with: before the server starts, so that no later change is missed.
        await in_thread(self._watched_files.changes)
        await self._connection.open(command, self._root, path)
        folder = self._workspace_folder()
        answer = await self._connection.request(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "suture"},
                "rootPath": self._root,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": CAPABILITIES,
                "initializationOptions": self.server.options,
            },
        )
        capabilities = answer.get("capabilities") if isinstance(answer, dict) else None
        if not isinstance(capabilities, dict):
            message = "it did not send its capabilities"
            raise ServerError(message)
        encoding = capabilities.get("positionEncoding")
        self._encoding = encoding if encoding in ENCODINGS else "utf-16"
        self._use_diagnostic_provider(capabilities.get("diagnosticProvider"))
        sync = capabilities.get("textDocumentSync")
        save = sync.get("save") if isinstance(sync, dict) else None
        self._save_text = isinstance(save, dict) and save.get("includeText") is True
        self._ready = True
        self._connection.notify("initialized", {})
        if self.server.settings:
            self._connection.notify("workspace/didChangeConfiguration", {"settings": self.server.settings})

    def _workspace_folder(self) -> dict[str, str]:
        return {"uri": uri_of(self._root), "name": os.path.basename(self._root) or "/"}

    async def _check_tool(self, name: str, path: str) -> None:
        """Raise if a program the server needs does not run: the server would find nothing and call that clean."""
        try:
            command = [shutil.which(name, path=path) or name, "--version"]
            status = (await run_process(command, self._root, path=path)).status
        except OSError as error:
            message = f"{name} --version cannot be run"
            raise ServerError(message) from error
        if status != 0:
            message = f"{name} --version exited with status {status}"
            raise ServerError(message)

    def kill(self) -> None:
        """Kill the server."""
        self._connection.kill()

    async def close(self, grace: float) -> None:
        """Ask the server to shut down, and kill it if it does not; each step takes up to `grace` seconds."""
        try:
            if self._ready and not self.broken:
                farewell = self._connection.request("shutdown")
                await asyncio.wait([farewell], timeout=grace)
                farewell.cancel()
                self._connection.notify("exit")
        finally:
            await self._connection.close(grace)

    def write(self, path: str, text: str, *, created: bool = False, saved: bool = False) -> None:
        """Send a file's text to the server unless it already has it."""
        text = sendable(text)
        document = self._documents.pop(path, None)
        if document is None:
            document = Document(path, text)
            language = self.server.language_of(path) or "plaintext"
            item = {"uri": document.uri, "languageId": language, "version": 1, "text": text}
            self._connection.notify("textDocument/didOpen", {"textDocument": item})
            self._changes += 1
        elif text != document.text:
            document.text = text
            document.version += 1
            document.push = document.cached = None
            item = {"uri": document.uri, "version": document.version}
            self._connection.notify(
                "textDocument/didChange", {"textDocument": item, "contentChanges": [{"text": text}]}
            )
            self._changes += 1
        # Reinserted, so that the dict is ordered by the last write.
        self._documents[path] = document
        document.stamp = stamp_of(path)
        if created:
            self._notify_of_files({path: CREATED})
        if saved:
            content = {"text": text} if self._save_text else {}
            self._connection.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}, **content})

    def close_documents(self, paths: Iterable[str]) -> None:
        """Close documents whose texts are not on the disk, so that the server goes back to what is there."""
        for path in paths:
            document = self._documents.pop(path, None)
            if document is not None and not self.broken:
                self._connection.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
                self._changes += 1

    async def sync_files(self, edited: Collection[str]) -> None:
        """Tell the server what changed on disk, except for edited files, whose texts it gets anyway."""
        # A server that did not register for file events watches the disk itself, or not at all.
        changes = await in_thread(self._watched_files.changes) if self._watches else {}
        changes |= self._close_stale(edited)
        self._notify_of_files({path: kind for path, kind in changes.items() if path not in edited})

    def _close_stale(self, keep: Collection[str]) -> dict[str, int]:
        """Close the oldest of too many documents and those changed by others; return the latter as file events."""
        changes: dict[str, int] = {}
        for path, document in list(self._documents.items()):
            stamp = stamp_of(path)
            many = len(self._documents) > MOST_DOCUMENTS
            if path in keep or (stamp == document.stamp and not many):
                continue
            del self._documents[path]
            self._connection.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})
            if stamp != document.stamp:
                changes[path] = CHANGED if stamp else DELETED
                self._changes += 1
        return changes

    def cached(self, path: str, text: str) -> list[Diagnostic] | None:
        """The diagnostics of a file with this text if they are still valid, else None."""
        document = self._documents.get(path)
        if document is None or document.cached is None or document.text != sendable(text):
            return None
        count, diagnostics = document.cached
        return diagnostics if count == self._changes else None

    async def diagnostics(self, path: str) -> list[Diagnostic]:
        """The server's diagnostics for the text it was sent last.

        Raises:
            ConnectionBrokenError: it has exited.
            ResponseError: it answered with an error.
            ServerError: its answer violates the protocol.
        """
        document = self._documents[path]
        count = self._changes
        if self.server.asks == "tsserver":
            items = await self._pull_tsserver(document)
        elif self._pulls:
            items = await self._pull(document)
        else:
            items = await self._wait_for_push(document)
        if isinstance(items, list) and len(items) > MOST_DIAGNOSTICS:
            message = f"it sent {len(items):,}, too many to compare"
            raise ServerError(message)
        try:
            diagnostics = diagnostics_of(items, path, lines_of(document.text), self._encoding, self.server.name)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise ServerError(_MALFORMED) from error
        document.cached = (count, diagnostics)
        document.answered_version = document.version
        return diagnostics

    async def _pull(self, document: Document) -> object:
        while True:
            try:
                return _items(await self._ask(document))
            except ResponseError as error:
                if error.code == METHOD_NOT_FOUND:
                    self._pulls = False
                    return await self._wait_for_push(document)
                if error.code not in TRY_AGAIN:
                    raise
            await asyncio.sleep(_PAUSE)

    def _ask(self, document: Document) -> asyncio.Future[Any]:
        params: dict[str, Any] = {"textDocument": {"uri": document.uri}}
        if self._identifier is not None:
            params["identifier"] = self._identifier
        return self._connection.request("textDocument/diagnostic", params)

    async def _wait_for_push(self, document: Document) -> object:
        """The pushed diagnostics, or an answer that comes first if it is unknown whether the server can be asked.

        Some servers answer without announcing it, and much sooner than they push.
        """
        answer = None
        if self._pulls is None:
            answer = self._ask(document)
            answer.add_done_callback(lambda done: self._learn(done, document))
        try:
            while True:
                document.news.clear()
                self._connection.check()
                if answer is not None and answer.done() and answer.exception() is None:
                    return _items(answer.result())
                wait = self._settles_in(document)
                if wait is not None and wait <= 0 and document.push is not None:
                    if answer is not None and not answer.done():
                        self._unanswered += 1
                    if self._unanswered >= MOST_UNANSWERED:
                        self._pulls = False
                    return document.push[0]
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await document.news.wait()
        except BaseException:
            if answer is not None:
                answer.cancel()
            raise

    def _learn(self, done: asyncio.Future[Any], document: Document) -> None:
        if not done.cancelled():
            error = done.exception()
            if error is None:
                self._pulls = True
            elif isinstance(error, ResponseError) and error.code not in TRY_AGAIN:
                self._pulls = False
        document.news.set()

    def _settles_in(self, document: Document) -> float | None:
        """Seconds until the last push counts as final; None if there is none."""
        if document.push is None:
            return None
        _, came, versioned = document.push
        # Many servers push in stages: quick findings first, the rest for the same version soon after.
        settle = self.server.settle if versioned or document.answered_version >= document.version - 1 else _LONG_SETTLE
        return came + settle - asyncio.get_running_loop().time()

    async def _pull_tsserver(self, document: Document) -> object:
        requests = [
            self._connection.request(
                "workspace/executeCommand",
                {"command": "typescript.tsserverRequest", "arguments": [command, {"file": document.path}]},
            )
            for command in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
        ]
        try:
            return [item for answer in await asyncio.gather(*requests) for item in from_tsserver(answer)]
        except (TypeError, KeyError, AttributeError) as error:
            raise ServerError(_MALFORMED) from error

    def _notify_of_files(self, changes: Mapping[str, int]) -> None:
        if self._watches and changes:
            events = [{"uri": uri_of(path), "type": kind} for path, kind in changes.items()]
            self._connection.notify("workspace/didChangeWatchedFiles", {"changes": events})
            self._changes += 1

    def _use_diagnostic_provider(self, provider: object) -> None:
        if isinstance(provider, dict):
            self._pulls = True
            identifier = provider.get("identifier")
            self._identifier = identifier if isinstance(identifier, str) else None

    def _wake(self) -> None:
        for document in self._documents.values():
            document.news.set()

    def _on_notification(self, method: str, params: object) -> None:
        if method != "textDocument/publishDiagnostics" or not isinstance(params, dict):
            return
        document = self._documents.get(path_of(params.get("uri")))
        items = params.get("diagnostics")
        if document is None or not isinstance(items, list):
            return
        version = params.get("version")
        if version is not None and version != document.version:
            return
        document.push = (items, asyncio.get_running_loop().time(), version is not None)
        if version is not None or document.answered_version >= document.version - 1:
            document.answered_version = document.version
        if not self._pulls:
            document.cached = None
        document.news.set()

    def _on_request(self, method: str, params: Any) -> object:
        """The answer to a request of the server.

        Raises:
            ResponseError: the method is not supported.
        """
        if method == "workspace/configuration":
            items = params.get("items") if isinstance(params, dict) else None
            return [setting(self.server.settings, item) for item in items] if isinstance(items, list) else []
        if method == "client/registerCapability":
            registrations = params.get("registrations") if isinstance(params, dict) else None
            for registration in registrations if isinstance(registrations, list) else ():
                self._register(registration)
            return None
        if method == "workspace/workspaceFolders":
            return [self._workspace_folder()]
        if method.startswith("workspace/") and method.endswith("/refresh"):
            self._changes += 1
            return None
        if method in _ANSWERS:
            return _ANSWERS[method]
        raise ResponseError(METHOD_NOT_FOUND, f"suture does not support {method}")

    def _register(self, registration: object) -> None:
        """Use a capability that the server has registered, if it is one that matters here."""
        if not isinstance(registration, dict):
            return
        if registration.get("method") == "workspace/didChangeWatchedFiles":
            self._watches = True
        if registration.get("method") == "textDocument/diagnostic":
            self._use_diagnostic_provider(registration.get("registerOptions") or {})


_MALFORMED = "it sent malformed diagnostics"
#: The answers to requests that are not acted on.
_ANSWERS: Mapping[str, object] = {
    "client/unregisterCapability": None,
    "window/showDocument": {"success": False},
    "window/showMessageRequest": None,
    "window/workDoneProgress/create": None,
    "workspace/applyEdit": {"applied": False},
}


def _items(answer: object) -> object:
    """The diagnostics of a full report."""
    if not isinstance(answer, dict) or answer.get("kind", "full") != "full":
        message = "it did not answer with diagnostics"
        raise ServerError(message)
    return answer.get("items")
