"""A language server for the tests, in as many ways to behave as there are words on its command line.

It finds an error in each line that has the word `bad`, and a warning in each that has `odd`. What it is sent goes into
the file named first, one method a line. The word `crash!` in a text makes it end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

LOG, *WAYS = sys.argv[1:]
texts: dict[str, tuple[int, str]] = {}
put_back: list[dict[str, Any]] = []
asked: dict[str, Any] = {}


def send(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def read() -> dict[str, Any] | None:
    return put_back.pop(0) if put_back else receive()


def receive() -> dict[str, Any] | None:
    length = 0
    while line := sys.stdin.buffer.readline():
        if line == b"\r\n":
            message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
            return message
        length = int(line.split(b":")[1])
    return None


def note(text: str) -> None:
    with Path(LOG).open("a", encoding="utf-8") as log:
        log.write(text + "\n")


def found(uri: str) -> list[dict[str, Any]]:
    diagnostics = []
    for number, line in enumerate(texts[uri][1].splitlines()):
        for word, severity in (("bad", 1), ("odd", 2)):
            if word in line:
                # Columns are counted in UTF-16, as a server does that does not say otherwise.
                start = len(line[: line.index(word)].encode("utf-16-le")) // 2
                ends = {"start": {"line": number, "character": start}, "end": {"line": number, "character": start + 3}}
                diagnostics.append({"range": ends, "severity": severity, "message": f"{word} word", "code": word})
    if "strange" in WAYS:
        diagnostics.append({"range": "everywhere"})
    if "far" in WAYS:
        ends = {"start": {"line": 10**4000, "character": 0}, "end": {"line": 10**4000, "character": 0}}
        diagnostics.append({"range": ends, "message": "far away"})
    if "negative" in WAYS:
        ends = {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}
        diagnostics.append({"range": ends, "message": "nowhere"})
    return diagnostics


def push(uri: str, version: int | None, diagnostics: list[dict[str, Any]]) -> None:
    params = {"uri": uri, "diagnostics": diagnostics}
    send(method="textDocument/publishDiagnostics", params=params if version is None else {**params, "version": version})


def text_is(uri: str, version: int, text: str) -> None:
    if "crash!" in text:
        sys.stderr.write("a bug of mine\n")
        sys.stderr.flush()
        os._exit(3)
    before = texts.get(uri)
    texts[uri] = version, text
    if "late" in WAYS and before is not None:
        push(uri, before[0], [])
        push(uri, version + 7, [])
    if "push" in WAYS:
        push(uri, version, found(uri))
    if "stages" in WAYS:
        push(uri, version, [])
        time.sleep(0.05)
        push(uri, version, found(uri))
    if "unversioned" in WAYS:
        push(uri, None, [])
        push(uri, None, found(uri))
    if "elsewhere" in WAYS:
        push("file:///another", version, [])
        push("file:///\ud800", version, [])
        send(method="textDocument/publishDiagnostics", params="nonsense")
        send(method="textDocument/publishDiagnostics", params={"uri": uri, "diagnostics": None})


def answer(number: int, uri: str) -> None:
    if "impatient" in WAYS and uri not in asked:
        asked[uri] = True
        send(id=number, error={"code": -32802, "message": "later"})
    elif "refuse" in WAYS or "refuse!" in texts[uri][1]:
        send(id=number, error={"code": -32603, "message": "I am not in the mood"})
    elif "shapeless" in WAYS:
        send(id=12345, result=None)
        send(id=number, error="no!")
    elif "confused" in WAYS:
        send(id=number, result={"kind": "unchanged"})
    elif "pull" in WAYS or "unsaid" in WAYS:
        items = found(uri)
        if "curious" in WAYS:
            items = [{**item, "message": json.dumps(asked)} for item in items]
        send(id=number, result={"kind": "full", "items": items})
    elif "hang" not in WAYS:
        send(id=number, error={"code": -32601, "message": "no such method"})


def tsserver(number: int, command: str, uri: str) -> None:
    def place(position: dict[str, int]) -> dict[str, int]:
        return {"line": position["line"] + 1, "offset": position["character"] + 1}

    body = [
        {
            "start": place(item["range"]["start"]),
            "end": place(item["range"]["end"]),
            "text": item["message"],
            "code": 7,
            "category": "error" if item["severity"] == 1 else "suggestion",
        }
        for item in (found(uri) if "strange" not in WAYS else [])
        if (command == "syntacticDiagnosticsSync") == (item["severity"] == 1)
    ]
    send(id=number, result={"body": body} if "strange" not in WAYS else None)


def ask_things() -> None:
    """Ask the client for all sorts of things, and keep what it says."""
    questions = {
        "workspace/configuration": {"items": [{"section": "fake.depth"}, {"section": "other"}, {}]},
        "client/registerCapability": {"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]},
        "window/workDoneProgress/create": {"token": 1},
        "workspace/applyEdit": {"edit": {}},
        "window/showDocument": {"uri": "file:///a"},
        "workspace/diagnostic/refresh": None,
        "workspace/workspaceFolders": None,
        "fake/unknown": [1],
        "workspace/unknown": None,
    }
    for number, (method, params) in enumerate(questions.items()):
        send(id=f"question {number}", method=method, params=params)
        while True:
            reply = receive()
            assert reply is not None, "the client is gone"
            if reply.get("id") == f"question {number}":
                break
            put_back.append(reply)
        asked[method] = reply["result"] if "result" in reply else reply["error"]["code"]


def main() -> None:
    if "stubborn" in WAYS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "family" in WAYS:
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
        note(f"child {child.pid}")
    note(f"pid {os.getpid()}")
    if "tool" in WAYS:
        note(f"tool {shutil.which('tool')}")
    if "crash" in WAYS:
        sys.stderr.write("no licence\n\n")
        sys.exit(3)
    if "banner" in WAYS:
        sys.stdout.write("Welcome to the fake server!\n")
        sys.stdout.flush()
    if "deaf" in WAYS:
        time.sleep(600)
    while (message := read()) is not None:
        method, number, params = message.get("method"), message.get("id", 0), message.get("params") or {}
        document = params.get("textDocument", {})
        uri = document.get("uri", "")
        version = f" {document['version']}" if "version" in document else ""
        names = [Path(uri).name] if uri else [f"{Path(c['uri']).name}:{c['type']}" for c in params.get("changes", ())]
        note(" ".join((f"{method}{version}", *(sorted(names) if "names" in WAYS else ()))))
        if method == "initialize":
            if "hang-at-first" in WAYS:
                continue
            provider = {"diagnosticProvider": {"identifier": "fake"}} if {"pull", "offers"} & set(WAYS) else {}
            sync = {"change": 1, "save": {"includeText": True}}
            capabilities = None if "mute" in WAYS else {"textDocumentSync": sync, **provider}
            send(id=number, result={"capabilities": capabilities})
            if "flood" in WAYS:
                while True:
                    send(method="window/logMessage", params={"type": 3, "message": "drip " * 10_000})
        elif method == "initialized" and "registers" in WAYS:
            registrations = [7, {"id": "1", "method": "textDocument/diagnostic"}]
            send(id=1, method="client/registerCapability", params={"registrations": registrations})
        elif method == "initialized" and "curious" in WAYS:
            ask_things()
        elif method == "textDocument/didOpen":
            text_is(uri, document["version"], document["text"])
        elif method == "textDocument/didChange":
            text_is(uri, document["version"], params["contentChanges"][-1]["text"])
        elif method == "textDocument/diagnostic":
            answer(number, uri)
        elif method == "workspace/executeCommand":
            command, arguments = params["arguments"]
            tsserver(number, command, "file://" + arguments["file"])
        elif method == "shutdown" and "stubborn" not in WAYS:
            send(id=number, result=None)
        elif method == "exit" and "stubborn" not in WAYS:
            return
    if "stubborn" in WAYS:
        note("end of input")
        time.sleep(600)


main()
