"""Small transcripts of our own making, each in the format of an agent: an accepted edit, a rejected one, and more."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

BEFORE = "def f(x):\n    return x\n\n\ndef g(x):\n    return 2 * x\n"
AFTER = BEFORE.replace("return x\n", "return x + 1\n")
LAST = AFTER.replace("2 * x", "3 * x")

#: An edit that fits, and one with a space too many, which the tools of all agents reject.
GOOD = ("    return x\n\n", "    return x + 1\n\n")
BAD = ("def g(x): \n    return 2 * x", "def g(x):\n    return 3 * x")
FIXED = ("    return 2 * x", "    return 3 * x")

DIFF = "@@ -1,4 +1,4 @@\n def f(x):\n-    return x\n+    return x + 1\n \n "
LAST_DIFF = "@@ -4,3 +4,3 @@\n \n def g(x):\n-    return 2 * x\n+    return 3 * x"


def lines(*records: dict[str, Any]) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def envelope(path: str, *hunk: str) -> str:
    """A patch that updates one file."""
    return "\n".join(("*** Begin Patch", f"*** Update File: {path}", "@@", *hunk, "*** End Patch"))


def claude_code(path: str = "/home/ann/a.py", *, recorded: bool = True) -> bytes:
    """A project file of Claude Code; `recorded` is whether it has the file before an edit, as older versions do."""
    common = {"sessionId": "11111111-aaaa", "timestamp": "2026-01-01T00:00:00Z", "uuid": "u"}

    def use(number: int, name: str, **given: Any) -> dict[str, Any]:
        part = {
            "type": "tool_use",
            "id": f"toolu_0123456789{number}",
            "name": name,
            "input": {"file_path": path, **given},
        }
        usage = {"output_tokens": 100 + number}
        message = {"id": f"msg_{number}", "model": "claude-x", "role": "assistant", "content": [part], "usage": usage}
        return common | {"type": "assistant", "message": message, "timestamp": f"2026-01-01T00:0{number}:00Z"}

    def answer(number: int, content: str, result: object, *, error: bool = False) -> dict[str, Any]:
        part = {
            "type": "tool_result",
            "tool_use_id": f"toolu_0123456789{number}",
            "content": content,
            "is_error": error,
        }
        message = {"role": "user", "content": [part]}
        return common | {
            "type": "user", "message": message, "toolUseResult": result, "timestamp": f"2026-01-01T00:0{number}:30Z",
        }  # fmt: skip

    hunk = {"oldStart": 1, "oldLines": 4, "newStart": 1, "newLines": 4, "lines": DIFF.split("\n")[1:]}
    seen = {"type": "text", "file": {"content": BEFORE, "startLine": 1, "numLines": 7, "totalLines": 7}}
    again = {"type": "text", "file": {"content": AFTER, "startLine": 1, "numLines": 7, "totalLines": 7}}
    edited = {"originalFile": BEFORE if recorded else None, "structuredPatch": [hunk], "userModified": False}
    return lines(
        {"type": "mode", "mode": "normal"},
        common | {"type": "user", "message": {"role": "user", "content": "Change it."}},
        use(1, "Read"),
        answer(1, "1→def f(x):", seen),
        use(2, "Edit", old_string=GOOD[0], new_string=GOOD[1]),
        answer(2, "The file has been updated.", edited),
        use(3, "Edit", old_string=BAD[0], new_string=BAD[1]),
        answer(3, "<tool_use_error>String to replace not found in file.</tool_use_error>", "Error", error=True),
        use(4, "Read"),
        answer(4, "1→def f(x):", again),
        {"type": "a-new-kind", "sessionId": "11111111-aaaa"},
    )


def codex(path: str = "a.py") -> bytes:
    """A rollout of Codex."""

    def item(minute: int, **payload: Any) -> dict[str, Any]:
        return {"timestamp": f"2026-01-01T00:{minute:02}:00Z", "type": "response_item", "payload": payload}

    def event(minute: int, **payload: Any) -> dict[str, Any]:
        return {"timestamp": f"2026-01-01T00:{minute:02}:30Z", "type": "event_msg", "payload": payload}

    def call(minute: int, patch: str) -> dict[str, Any]:
        return item(
            minute, type="custom_tool_call", call_id=f"call_0123456789{minute}", name="apply_patch", input=patch
        )

    def end(minute: int, **changes: Any) -> dict[str, Any]:
        name = f"/home/ann/{path}"
        return event(
            minute, type="patch_apply_end", call_id=f"call_0123456789{minute}", success=True, changes={name: changes}
        )

    added = "\n".join(
        ("*** Begin Patch", f"*** Add File: {path}", *("+" + line for line in BEFORE.splitlines()), "*** End Patch")
    )
    return lines(
        {"timestamp": "", "type": "session_meta", "payload": {"id": "22222222", "cwd": "/home/ann"}},
        {"timestamp": "", "type": "turn_context", "payload": {"model": "gpt-x"}},
        event(0, type="user_message", message="Change it."),
        call(1, added),
        end(1, type="add", content=BEFORE),
        call(2, envelope(path, " def f(x):", "-    return x", "+    return x + 1")),
        end(2, type="update", unified_diff=DIFF, move_path=None),
        call(3, envelope(path, " def g(x):", "-    return 2 * y", "+    return 3 * y")),
        item(3, type="custom_tool_call_output", call_id="call_01234567893",
             output=f"verification failed: Failed to find expected lines in /home/ann/{path}:\n    return 2 * y"),
        event(3, type="token_count", info={"last_token_usage": {"output_tokens": 77}}),
        item(4, type="function_call", call_id="call_01234567894", name="exec_command", arguments='{"cmd": "cat a.py"}'),
        item(4, type="function_call_output", call_id="call_01234567894", output="…"),
        call(5, envelope(path, " def g(x):", "-    return 2 * x", "+    return 3 * x")),
        end(5, type="update", unified_diff=LAST_DIFF, move_path=None),
        event(6, type="a_new_kind"),
    )  # fmt: skip


def opencode_session(path: str = "/home/ann/a.py") -> dict[str, Any]:
    """An exported session of OpenCode."""

    def part(number: int, tool: str, given: dict[str, Any], **state: Any) -> dict[str, Any]:
        state = {"status": "completed", "input": {"filePath": path, **given}, "time": {"start": number * 1000}} | state
        return {"type": "tool", "tool": tool, "callID": "REDACTED", "state": state, "id": f"prt_{number}"} | keys

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"oldString": old, "newString": new}

    keys = {"sessionID": "ses_1", "messageID": "msg_2"}
    message = {"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "modelID": "model-x", "tokens": {"output": 50}}
    first = {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}
    return {
        "info": {"id": "ses_1", "time": {"created": 1}},
        "messages": [
            {"info": first, "parts": [{"type": "text", "text": "Change it."} | keys]},
            {"info": message | {"time": {"created": 2}}, "parts": [
                part(1, "write", {"content": BEFORE}),
                part(2, "edit", edit(*GOOD), metadata={"filediff": {"patch": DIFF}}),
                part(3, "edit", edit(*BAD), status="error", error="Could not find oldString in the file."),
                part(4, "edit", edit(*FIXED), metadata={"filediff": {"before": AFTER, "after": LAST}}),
                {"type": "a-new-kind"} | keys,
            ]},
        ],
    }  # fmt: skip


def opencode() -> bytes:
    """The same as a file."""
    return json.dumps(opencode_session()).encode()


def opencode_files(folder: Path) -> None:
    """The same as the files of older versions."""
    for message in opencode_session()["messages"]:
        info = message["info"]
        target = folder / "storage" / "message" / info["sessionID"] / f"{info['id']}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(info))
        for number, part in enumerate(message["parts"]):
            place = folder / "storage" / "part" / info["id"] / f"prt_{number}.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(part | {"messageID": info["id"]}))


def opencode_database(path: Path) -> None:
    """The same as the database of newer versions."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
    connection.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
    for message in opencode_session()["messages"]:
        info = message["info"]
        connection.execute("INSERT INTO message VALUES (?, ?, ?)", (info["id"], "ses_1", json.dumps(info)))
        for number, part in enumerate(message["parts"]):
            values = (f"prt_{number}", info["id"], "ses_1", json.dumps(part))
            connection.execute("INSERT INTO part VALUES (?, ?, ?, ?)", values)
    connection.execute("INSERT INTO part VALUES ('prt_9', 'msg_2', 'ses_1', '{')")
    connection.commit()
    connection.close()


def gemini_messages() -> list[dict[str, Any]]:
    """The messages of a chat of Gemini CLI."""

    def call(number: int, edit: tuple[str, str], status: str, **more: Any) -> dict[str, Any]:
        given = {"file_path": "/home/ann/a.py", "old_string": edit[0], "new_string": edit[1]}
        return {"id": f"replace-0123456789-{number}", "name": "replace", "args": given, "status": status} | more

    failed = {"functionResponse": {"response": {"error": "Failed to edit, 0 occurrences found for old_string."}}}
    calls = [
        call(1, GOOD, "success", resultDisplay={"originalContent": BEFORE, "newContent": AFTER}),
        call(2, BAD, "error", result=[failed]),
        call(3, FIXED, "success", resultDisplay={"originalContent": AFTER, "newContent": LAST}),
    ]
    return [
        {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": "Change it."},
        *({"id": f"g{number}", "timestamp": f"2026-01-01T00:0{number}:00Z", "type": "gemini", "model": "gemini-x",
           "tokens": {"output": 10}, "toolCalls": [call]} for number, call in enumerate(calls, 1)),
        {"id": "9", "timestamp": "2026-01-01T00:09:00Z", "type": "a-new-kind"},
    ]  # fmt: skip


def gemini_cli() -> bytes:
    """A chat of Gemini CLI."""
    return json.dumps({"sessionId": "s", "projectHash": "h", "messages": gemini_messages()}).encode()


def gemini_cli_lines() -> bytes:
    """The same, line by line."""
    return lines({"sessionId": "s", "projectHash": "h"}, *gemini_messages(), {"$set": {"lastUpdated": "…"}})


def copilot_cli() -> bytes:
    """The events of Copilot CLI."""

    def start(number: int, tool: str, **given: Any) -> dict[str, Any]:
        given = {"path": "/home/ann/a.py", **given}
        data = {"toolCallId": f"call_0123456789_{number}", "toolName": tool, "arguments": given, "model": "model-x"}
        return {"type": "tool.execution_start", "data": data, "timestamp": f"2026-01-01T00:0{number}:00Z"}

    def end(number: int, *, success: bool = True, **more: Any) -> dict[str, Any]:
        data = {"toolCallId": f"call_0123456789_{number}", "success": success, **more}
        return {"type": "tool.execution_complete", "data": data, "timestamp": f"2026-01-01T00:0{number}:30Z"}

    shown = f"\ndiff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{DIFF}"
    view = {"content": AFTER, "detailedContent": "@@ -1,6 +1,6 @@\n def f(x):"}
    return lines(
        {"type": "session.start", "data": {"sessionId": "33333333"}, "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "user.message", "id": "m1", "data": {}, "timestamp": "2026-01-01T00:00:01Z"},
        start(1, "create", file_text=BEFORE),
        end(1, result={"content": "Created."}),
        start(2, "edit", old_str=GOOD[0], new_str=GOOD[1]),
        end(2, result={"content": "Updated.", "detailedContent": shown}),
        start(3, "edit", old_str=BAD[0], new_str=BAD[1]),
        end(3, success=False, error={"message": "No match found"}),
        {"type": "assistant.message", "id": "m2", "data": {"outputTokens": 40}, "timestamp": "2026-01-01T00:03:40Z"},
        start(4, "view"),
        end(4, result=view),
        {"type": "a.new.kind", "data": {}},
    )


def block(old: str, new: str, opening: str = "<<<<<<<", closing: str = ">>>>>>>") -> str:
    """A SEARCH/REPLACE block."""
    return f"{opening} SEARCH\n{old}\n=======\n{new}\n{closing} REPLACE"


def cline(tool: str = "replace_in_file", *, markup: bool = False) -> bytes:
    """The messages of a task of Cline, with calls as parts or as markup; with `apply_diff`, of Roo Code."""
    edges = ("<<<<<<<", ">>>>>>>") if tool == "apply_diff" else ("-------", "+++++++")
    number = ":start_line:5\n-------\n" if tool == "apply_diff" else ""
    saved = (
        "[{} for 'a.py'] Result:\nThe content was successfully saved to a.py.\n\n"
        '<final_file_content path="a.py">\n{}\n</final_file_content>'
    )
    failed = (
        f"[{tool} for 'a.py'] Result:\nThe tool execution failed with the following error:\n<error>\nThe SEARCH block"
        " does not match anything in the file.\n</error>\n\n"
        f'<file_content path="a.py">\n{AFTER}\n</file_content>'
    )

    def call(name: str, **given: str) -> dict[str, Any]:
        part: dict[str, Any] = {"type": "tool_use", "id": "t", "name": name, "input": {"path": "a.py", **given}}
        if markup:
            fields = "".join(f"<{key}>\n{value}\n</{key}>\n" for key, value in {"path": "a.py", **given}.items())
            part = {"type": "text", "text": f"I will do it.\n<{name}>\n{fields}</{name}>"}
        about = {"modelInfo": {"modelId": "model-x"}, "metrics": {"tokens": {"completion": 30}}, "ts": 1000}
        return {"role": "assistant", "content": [part], **about}

    def answer(told: str) -> dict[str, Any]:
        return {
            "role": "user",
            "content": [{"type": "text", "text": told}, {"type": "text", "text": "<environment_details>"}],
        }

    def diff(old: str, new: str) -> str:
        written = block(old, new, *edges)
        return written.replace(" SEARCH\n", f" SEARCH\n{number}")

    return json.dumps([
        {"role": "user", "content": [{"type": "text", "text": "Change it."}]},
        call("write_to_file", content=BEFORE),
        answer(saved.format("write_to_file", BEFORE)),
        call(tool, diff=diff(GOOD[0].rstrip(), GOOD[1].rstrip())),
        answer(saved.format(tool, AFTER)),
        call(tool, diff=diff(*BAD)),
        answer(failed),
        {"role": "a-new-kind"},
    ]).encode()  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder."""
    command = [
        "git",
        "-C",
        str(folder),
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "commit.gpgsign=false",
        *arguments,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path, *texts: str, name: str = "a.py") -> list[str]:
    """A repository with a commit for each text of a file, and the commits."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    commits = []
    for text in texts:
        (folder / name).write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x")
        commits.append(git(folder, "rev-parse", "--short", "HEAD"))
    return commits


def aider(folder: Path) -> None:
    """A repository with a chat of Aider."""
    _, first, second = repository(folder, BEFORE, AFTER, LAST)
    chat = f"""
# aider chat started at 2026-01-01 00:00:00

> Aider v0.80
> Main model: gpt-x with diff edit format

#### change it

Here you are.

a.py
```python
{block(GOOD[0].rstrip(), GOOD[1].rstrip())}
```

> Tokens: 1.2k sent, 34 received.
> Applied edit to a.py
> Commit {first} fix: change it

#### and the other one

a.py
```python
{block(*BAD)}
```

> The LLM did not conform to the edit format.
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py
{block(*BAD)}

Did you mean to match some of these actual lines from a.py?

```
def g(x):
```

The SEARCH section must exactly match an existing block of lines including all white space, comments, …

> Tokens: 2k sent, 1.5k received.

a.py
```python
{block(*FIXED)}
```

> Applied edit to a.py
> Commit {second} fix: the other one
"""
    (folder / ".aider.chat.history.md").write_text(chat)


def checkpoints(folder: Path, *documents: bytes) -> None:
    """Put transcripts on a branch for checkpoints, as the program `entire` does."""
    tree = ""
    for number, data in enumerate(documents):
        made = subprocess.run(
            ["git", "-C", str(folder), "hash-object", "-w", "--stdin"], input=data, capture_output=True, check=True
        )
        inner = subprocess.run(
            ["git", "-C", str(folder), "mktree"], input=b"100644 blob " + made.stdout.strip() + b"\tfull.jsonl\n",
            capture_output=True, check=True,
        )  # fmt: skip
        tree += f"040000 tree {inner.stdout.decode().strip()}\t{number}\n"
    root = subprocess.run(["git", "-C", str(folder), "mktree"], input=tree.encode(), capture_output=True, check=True)
    commit = git(folder, "commit-tree", root.stdout.decode().strip(), "-m", "checkpoints")
    git(folder, "update-ref", "refs/heads/entire/checkpoints/v1", commit)
