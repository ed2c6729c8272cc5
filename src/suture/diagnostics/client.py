"""One running language server: its documents, and what it says of them.

A client holds what it has told the server, text and version of each document, and gives diagnostics of that version
only: asked for where the server answers, pushed where it does not.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress

from .columns import ENCODINGS, lines_of
from .connection import METHOD_NOT_FOUND, TRY_AGAIN, Connection, Refused
from .documents import Document, path_of, sendable, stamp_of, uri_of
from .process import status_of
from .protocol import CAPABILITIES, diagnostics_of, from_tsserver, setting
from .report import MOST_DIAGNOSTICS
from .watched_files import CHANGED, CREATED, DELETED, Disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from .report import Diagnostic
    from .servers import Server

#: So many documents are open at once; those that were written longest ago are closed.
MOST_DOCUMENTS = 64
#: A push without a version may be about an older one that was never answered: so long must it be quiet then.
_LONG_SETTLE = 1.0
#: Seconds until a request is sent again that the server gave up on.
_PAUSE = 0.02
#: After so many pushes that were sooner than the answer, no more is asked for.
_MOST_IGNORED = 3


class Malformed(Exception):
    """A server's answer is not what the protocol says, or its tool does not work."""


class Client:
    """A server that was started."""

    def __init__(self, server: Server, root: str) -> None:
        self.server = server
        self._root = root
        self._connection = Connection(server.name, self._answer, self._notice, self._wake)
        self._documents: dict[str, Document] = {}
        self._disk = Disk(root)
        self._encoding = "utf-16"
        self._identifier: str | None = None
        #: Whether it answers when it is asked: None until that is known.
        self._answers: bool | None = None
        #: How often it pushed and left a question without an answer.
        self._ignored = 0
        self._ready = False
        self._watches = False
        self._save_text = False
        #: Counts what may change what is known of any document.
        self._changes = 0

    @property
    def broken(self) -> str:
        """Why it is of no use any more; empty while it is."""
        return self._connection.broken

    async def start(self, command: Sequence[str], path: str) -> None:
        """Start the server and make its acquaintance; `path` is where it looks for programs.

        Raises:
            Broken: it can't be started, or ended at once.
            Refused: it does not want to.
            Malformed: it speaks another protocol.
        """
        for name in self.server.needs:
            await self._check_tool(name, path)
        # What the server reads is not older than this.
        await asyncio.to_thread(self._disk.changes)
        await self._connection.open(command, self._root, path)
        folder = {"uri": uri_of(self._root), "name": os.path.basename(self._root) or "/"}
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
            message = "did not say what it can do"
            raise Malformed(message)
        encoding = capabilities.get("positionEncoding")
        self._encoding = encoding if encoding in ENCODINGS else "utf-16"
        self._offers_answers(capabilities.get("diagnosticProvider"))
        sync = capabilities.get("textDocumentSync")
        save = sync.get("save") if isinstance(sync, dict) else None
        self._save_text = isinstance(save, dict) and save.get("includeText") is True
        self._ready = True
        self._connection.notify("initialized", {})
        if self.server.settings:
            self._connection.notify("workspace/didChangeConfiguration", {"settings": self.server.settings})

    async def _check_tool(self, name: str, path: str) -> None:
        """Refuse a server whose tool is there and does not run: it would find nothing, and call that clean."""
        try:
            status = await status_of([shutil.which(name, path=path) or name, "--version"], self._root, path)
        except OSError as error:
            message = f"{name} --version cannot be run"
            raise Malformed(message) from error
        if status != 0:
            message = f"{name} --version ended with status {status}"
            raise Malformed(message)

    def kill(self) -> None:
        """End it at once."""
        self._connection.kill()

    async def close(self, grace: float) -> None:
        """Ask it to end, and end it where it does not within some multiple of `grace` seconds."""
        try:
            if self._ready and not self.broken:
                farewell = self._connection.request("shutdown")
                await asyncio.wait([farewell], timeout=grace)
                farewell.cancel()
                self._connection.notify("exit")
        finally:
            await self._connection.close(grace)

    def write(self, path: str, text: str, *, created: bool = False, saved: bool = False) -> None:
        """Tell the server what a file holds, unless it knows."""
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
            document.pushed = document.known = None
            item = {"uri": document.uri, "version": document.version}
            self._connection.notify(
                "textDocument/didChange", {"textDocument": item, "contentChanges": [{"text": text}]}
            )
            self._changes += 1
        # The one that was written last is the last.
        self._documents[path] = document
        document.stamp = stamp_of(path)
        if created:
            self._tell_of_files({path: CREATED})
        if saved:
            content = {"text": text} if self._save_text else {}
            self._connection.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}, **content})

    async def look_around(self, edited: Collection[str]) -> None:
        """Tell the server what has changed on the disk, but for files that were edited: their texts are told."""
        # One that does not ask for it looks by itself, or never.
        changes = await asyncio.to_thread(self._disk.changes) if self._watches else {}
        changes |= self._tidy(edited)
        self._tell_of_files({path: kind for path, kind in changes.items() if path not in edited})

    def _tidy(self, keep: Collection[str]) -> dict[str, int]:
        """Close the oldest of too many documents, and those whose file somebody else has changed, which are given."""
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

    def known(self, path: str, text: str) -> list[Diagnostic] | None:
        """What is known of a file with that text without asking anybody."""
        document = self._documents.get(path)
        if document is None or document.known is None or document.text != sendable(text):
            return None
        count, found = document.known
        return found if count == self._changes else None

    async def diagnostics(self, path: str) -> list[Diagnostic]:
        """What the server has to say of the text that it was told last.

        Raises:
            Broken: it has ended.
            Refused: it does not want to say.
            Malformed: it says something strange.
        """
        document = self._documents[path]
        count = self._changes
        if self.server.asks == "tsserver":
            items = await self._asked_tsserver(document)
        elif self._answers:
            items = await self._asked(document)
        else:
            items = await self._told(document)
        if isinstance(items, list) and len(items) > MOST_DIAGNOSTICS:
            message = f"{len(items):,} are too many to compare"
            raise Malformed(message)
        try:
            found = diagnostics_of(items, path, lines_of(document.text), self._encoding, self.server.name)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            message = "sent diagnostics that are none"
            raise Malformed(message) from error
        document.known = (count, found)
        document.answered = document.version
        return found

    async def _asked(self, document: Document) -> object:
        while True:
            try:
                return _items(await self._ask(document))
            except Refused as refused:
                if refused.code == METHOD_NOT_FOUND:
                    self._answers = False
                    return await self._told(document)
                if refused.code not in TRY_AGAIN:
                    raise
            await asyncio.sleep(_PAUSE)

    def _ask(self, document: Document) -> asyncio.Future[Any]:
        params: dict[str, Any] = {"textDocument": {"uri": document.uri}}
        if self._identifier is not None:
            params["identifier"] = self._identifier
        return self._connection.request("textDocument/diagnostic", params)

    async def _told(self, document: Document) -> object:
        """What is pushed, or, as long as it is not known whether the server answers, the answer if that is first.

        Some servers answer although they don't say that they do, and much sooner than they push.
        """
        asked = None
        if self._answers is None:
            asked = self._ask(document)
            asked.add_done_callback(lambda done: self._learn(done, document))
        try:
            while True:
                document.news.clear()
                self._connection.check()
                if asked is not None and asked.done() and asked.exception() is None:
                    return _items(asked.result())
                wait = self._quiet_in(document)
                if wait is not None and wait <= 0 and document.pushed is not None:
                    self._ignored += asked is not None and not asked.done()
                    if self._ignored >= _MOST_IGNORED:
                        self._answers = False
                    return document.pushed[0]
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await document.news.wait()
        except BaseException:
            if asked is not None:
                asked.cancel()
            raise

    def _learn(self, done: asyncio.Future[Any], document: Document) -> None:
        if not done.cancelled():
            refused = done.exception()
            if refused is None:
                self._answers = True
            elif isinstance(refused, Refused) and refused.code not in TRY_AGAIN:
                self._answers = False
        document.news.set()

    def _quiet_in(self, document: Document) -> float | None:
        """In how many seconds the last push can be believed; None where there is none."""
        if document.pushed is None:
            return None
        _, came, versioned = document.pushed
        # Many servers push what is quickly found first, and the rest of it for the same version soon behind it.
        settle = self.server.settle if versioned or document.answered >= document.version - 1 else _LONG_SETTLE
        return came + settle - asyncio.get_running_loop().time()

    async def _asked_tsserver(self, document: Document) -> object:
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
            message = "sent diagnostics that are none"
            raise Malformed(message) from error

    def _tell_of_files(self, changes: Mapping[str, int]) -> None:
        if self._watches and changes:
            events = [{"uri": uri_of(path), "type": kind} for path, kind in changes.items()]
            self._connection.notify("workspace/didChangeWatchedFiles", {"changes": events})
            self._changes += 1

    def _offers_answers(self, provider: object) -> None:
        if isinstance(provider, dict):
            self._answers = True
            identifier = provider.get("identifier")
            self._identifier = identifier if isinstance(identifier, str) else None

    def _wake(self) -> None:
        for document in self._documents.values():
            document.news.set()

    def _notice(self, method: str, params: object) -> None:
        if method != "textDocument/publishDiagnostics" or not isinstance(params, dict):
            return
        document = self._documents.get(path_of(params.get("uri")))
        items = params.get("diagnostics")
        if document is None or not isinstance(items, list):
            return
        version = params.get("version")
        if version is not None and version != document.version:
            return
        document.pushed = (items, asyncio.get_running_loop().time(), version is not None)
        if version is not None or document.answered >= document.version - 1:
            document.answered = document.version
        if not self._answers:
            document.known = None
        document.news.set()

    def _answer(self, method: str, params: Any) -> object:
        if method == "workspace/configuration":
            items = params.get("items") if isinstance(params, dict) else None
            return [setting(self.server.settings, item) for item in items] if isinstance(items, list) else []
        if method == "client/registerCapability":
            registrations = params.get("registrations") if isinstance(params, dict) else None
            for registration in registrations if isinstance(registrations, list) else ():
                if isinstance(registration, dict):
                    self._watches |= registration.get("method") == "workspace/didChangeWatchedFiles"
                    if registration.get("method") == "textDocument/diagnostic":
                        self._offers_answers(registration.get("registerOptions") or {})
            return None
        if method == "workspace/workspaceFolders":
            return [{"uri": uri_of(self._root), "name": os.path.basename(self._root) or "/"}]
        if method == "workspace/applyEdit":
            return {"applied": False}
        if method == "window/showDocument":
            return {"success": False}
        if method.startswith("workspace/") and method.endswith("/refresh"):
            self._changes += 1
            return None
        if method in _GRANTED:
            return None
        raise Refused(METHOD_NOT_FOUND, f"suture does not know {method}")


#: Requests that want nothing but a nod.
_GRANTED = frozenset({"client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest"})


def _items(answer: object) -> object:
    """The diagnostics of an answer that has all of them."""
    if not isinstance(answer, dict) or answer.get("kind", "full") != "full":
        message = "did not answer with diagnostics"
        raise Malformed(message)
    return answer.get("items")
