"""Requests for permission to try rules and approvers with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.shared.hunks import hunks_of

from suture import PatchRejectedError, Workspace
from suture.agent.requests import Request
from suture.workspace import Change, MemoryFiles

if TYPE_CHECKING:
    from suture.agent.answers import Decision
    from suture.agent.authorization import Permissions
    from suture.core.problems import Problem


def edit(*paths: str, request_id: str = "r1") -> Request:
    """A request to edit some files, with nothing in it but their names."""
    return Request.for_files("edit", [Change("update", path, resolved=f"/w/{path}") for path in paths]).replace(
        id=request_id
    )


def edit_request(request_id: str = "r1") -> Request:
    """A request to edit one file, with one hunk."""
    file = Change("update", "a.py", hunks=hunks_of("@@ -1 +1 @@\n-a\n+b\n"), resolved="/w/a.py")
    return Request(request_id, "edit", (file,), ("a.py",))


def decide(permissions: Permissions, request: Request) -> Decision:
    return asyncio.run(permissions.check(request))


def refusal(permissions: Permissions, request: Request) -> PatchRejectedError:
    with pytest.raises(PatchRejectedError) as caught:
        decide(permissions, request)
    return caught.value


def problem(permissions: Permissions, request: Request) -> Problem:
    (only,) = refusal(permissions, request).problems
    return only


def three_hunks() -> tuple[str, str]:
    """A text with three places that change, far enough apart to be three hunks."""
    before = [f"line {number}\n" for number in range(1, 31)]
    after = [line.upper() if number in {2, 15, 29} else line for number, line in enumerate(before, 1)]
    return "".join(before), "".join(after)


def three_hunk_request() -> Request:
    """A request to edit one file, with three hunks."""
    before, after = three_hunks()
    plan = Workspace(MemoryFiles({"a.py": before, "b.py": "b\n"})).plan_write("a.py", after)
    return Request.from_plan(plan).replace(id="r1")
