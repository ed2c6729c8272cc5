"""What may not be read: no answer or event shows its content, a name that was not written, or that it exists.

The proof is by comparison. The same calls are made in worlds that differ only in what may not be read: everything that
a model, a subscriber or a caller can see must be the same in all of them.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit
from tests.shared.sites import digest, envelope, updated

from suture import PatchRejectedError, Session, SyncSession, Workspace
from suture.agent import AllowAll, PermissionAsked
from suture.agent.diagnostics import Diagnostic, Report
from suture.agent.profiles import READ_MODES
from suture.agent.read_access import ReadAccess
from suture.agent.tools import TOOLS
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

TOKEN = "hunter2-token"  # noqa: S105 - a secret to look for
SECRET = f"user = admin\n{TOKEN}\nlast line\n"
NAME = "quixotic.txt"
#: The ways to write the path of the secret file. Two of them lead there through links.
SPELLINGS = [
    f"vault/{NAME}",
    f"./vault/{NAME}",
    f"src/../vault/{NAME}",
    f"/vault/{NAME}",
    f"VAULT/{NAME.upper()}",
    f"b/vault/{NAME}",
    "link.txt",
    f"folder_link/{NAME}",
]


def patch(*lines: str, **more: object) -> tuple[str, dict[str, object]]:
    return "apply_patch", {"patchText": envelope(*lines), **more}


def calls_on(path: str) -> list[tuple[str, dict[str, object]]]:
    """Calls of every shape that touch a path."""
    near = path[:-2] + "k" + path[-1]
    update = updated(path, "no such line", "x")
    append = (f"*** Update File: {path}", "@@", "+x", "*** End of File")
    return [
        ("read", {"filePath": path}),
        ("read", {"filePath": path, "offset": 2, "limit": 1}),
        ("read", {"filePath": near}),
        ("read", {"filePath": f"{path}/child"}),
        ("write", {"filePath": path, "content": "x\n"}),
        ("write", {"filePath": f"{path}/child", "content": "x\n"}),
        edit("no such text", "x", path),
        edit(TOKEN, "x", path),
        edit("", "x", path),
        ("multiedit", {"filePath": path, "edits": [{"oldString": "user", "newString": "x"}]}),
        (
            "multiedit",
            {"filePath": path, "edits": [{"oldString": "no", "newString": "x"}, {"oldString": TOKEN, "newString": ""}]},
        ),
        ("insert", {"filePath": path, "content": "x\n", "line": 1}),
        ("insert", {"filePath": path, "content": "x\n", "after": "no such text"}),
        ("replace_lines", {"filePath": path, "startLine": 1, "endLine": 1, "content": "x\n"}),
        ("replace_lines", {"filePath": path, "startLine": 1, "endLine": 2, "content": "x\n", "startText": TOKEN}),
        ("replace_definition", {"filePath": path, "name": "no_such_name", "content": "def x():\n    pass\n"}),
        ("insert_definition", {"filePath": path, "name": "no_such_name", "content": "def x():\n    pass\n"}),
        ("edit_file", {"target_file": path, "code_edit": "# ... existing code ...\nx = 1\n", "instructions": "x"}),
        ("merge", {}),
        ("discard", {"filePath": path}),
        ("glob", {"pattern": "*", "path": path}),
        ("glob", {"pattern": path}),
        ("grep", {"pattern": ".", "path": path}),
        ("history", {"filePath": path}),
        ("undo", {"commit": path}),
        ("delete", {"filePath": path}),
        ("delete", {"filePath": near}),
        ("move", {"filePath": path, "toPath": "out.txt"}),
        ("move", {"filePath": "src/app.py", "toPath": path}),
        patch(*update),
        patch(*update, dryRun=True),
        patch(*update, atomic=False),
        patch(*updated(path, TOKEN, "x")),
        patch(*updated(near, TOKEN, "x")),
        patch(*append),
        patch(*append[:1], "*** Move to: out.txt", *append[1:]),
        patch(*append[:1], "*** Move to: out.txt", *append[1:], dryRun=True),
        patch(f"*** Update File: {path}", "*** Move to: out.txt"),
        patch("*** Update File: src/app.py", f"*** Move to: {path}", dryRun=True),
        patch(f"*** Delete File: {path}"),
        patch(f"*** Delete File: {path}", dryRun=True),
        patch(f"*** Add File: {path}", "+x"),
        patch(f"*** Add File: {path}", "+x", dryRun=True),
        patch(f"*** Add File: {path}/child", "+x"),
        patch(*update, *updated("src/app.py", TOKEN, "x")),
        patch(*updated("src/app.py", "    print('Hi ' + name)", "x"), f"*** Delete File: {path}", atomic=False),
        patch("*** Add File: new.txt", "+x", expectedSha256ByPath={path: "0" * 64}, dryRun=True),
        patch("*** Add File: new.txt", "+x", expectedSha256ByPath={path: ""}, dryRun=True),
        patch("*** Add File: new.txt", "+x", expectedSha256ByPath={path: digest(SECRET)}, dryRun=True),
        # The second section names a path that the first has removed: it is read as the prefix of a diff.
        patch(f"*** Delete File: a/vault/{NAME}", *updated(f"a/vault/{NAME}", "no such line", "x"), dryRun=True),
    ]


#: Calls that name nothing of it.
ELSEWHERE: list[tuple[str, dict[str, object]]] = [
    ("glob", {"pattern": "**"}),
    ("glob", {"pattern": "**/*.txt"}),
    ("grep", {"pattern": "token|admin|xxx"}),
    ("grep", {"pattern": "token|admin|xxx", "include": "*.txt", "path": "."}),
    ("history", {}),
    ("read", {"filePath": "vaul"}),
    ("read", {"filePath": f"vaul/{NAME}"}),
    ("read", {"filePath": "quixotic.tx"}),
    edit("x", "y", "vaul/quixotc.txt"),
    patch(*updated("vaul/quixotc.txt", "x", "y")),
    patch(*updated("src/app.py", TOKEN, "x")),
]
#: What is behind the rules: one content, another one, an empty file, a folder in its place, nothing at all.
WORLDS: list[dict[str, str]] = [
    {f"vault/{NAME}": SECRET},
    {f"vault/{NAME}": "x" * 5000, "vault/other.txt": "x"},
    {f"vault/{NAME}": ""},
    {f"vault/{NAME}/child": "x"},
    {},
]
RULES: dict[str, list[Any]] = {
    "deny": [*ALLOW, ("read", "vault", "deny")],
    "deny below": [*ALLOW, ("read", "vault", "deny"), ("edit", "vault/**", "allow")],
    "deny all": [*ALLOW, ("*", "vault", "deny")],
    "nobody to ask": [*ALLOW, ("read", "vault", "ask")],
}


def answers(world: dict[str, str], calls: list[tuple[str, Any]], rules: list[Any], **settings: Any) -> list[str]:
    """Everything that can be seen of some calls: answers and events."""
    files = MemoryFiles({"src/app.py": APP, f"a/vault/{NAME}": "user = guest\n", **world})
    files.make_link("/link.txt", f"vault/{NAME}")
    files.make_link("/folder_link", "vault")
    heard: list[object] = []

    async def main() -> list[str]:
        modes = dict.fromkeys(READ_MODES, "off")
        session = Session(Workspace(files, **settings), rules=rules, reads=modes, profile="all")  # type: ignore[arg-type]
        session.bus.subscribe(heard.append)
        seen: list[str] = []
        for tool, arguments in calls:
            heard.clear()
            result = await session.call(tool, arguments)
            await session.bus.drain(5)
            seen.append(f"{tool} {arguments}: {result.title} {result.output} {dict(result.metadata)} {heard}")
        await session.close()
        return seen

    # The ids of requests and receipts are random.
    return [re.sub(r"\b[0-9a-f]{12,22}\b|[-:\d]{8,10}", "", text) for text in asyncio.run(main())]


@pytest.mark.parametrize(
    ("rules", "dialect"), [*[(name, "standard") for name in RULES], ("deny", "codex"), ("deny", "strict")]
)
def test_no_call_shows_what_may_not_be_read_nor_whether_it_exists(rules: str, dialect: str) -> None:
    calls = [call for path in SPELLINGS for call in calls_on(path)] + ELSEWHERE
    seen = [answers(world, calls, RULES[rules], dialect=dialect) for world in WORLDS]
    for texts in zip(*seen, strict=True):
        assert len(set(texts)) == 1, "\n".join(sorted(set(texts)))
    if rules != "nobody to ask":
        # The name of what can be asked for is listed.
        assert len({answers(world, [("read", {"filePath": "."})], RULES[rules])[0] for world in WORLDS}) == 1
    for text in seen[0]:
        call, _, answer = text.partition("}: ")
        assert TOKEN not in answer or TOKEN in call


def test_a_path_that_the_guard_denies_is_refused_whether_it_exists_or_not() -> None:
    calls = [call for path in SPELLINGS[:6] for call in calls_on(path)] + ELSEWHERE
    seen = [answers(world, calls, ALLOW, deny=["vault"]) for world in WORLDS]
    for texts in zip(*seen, strict=True):
        assert len(set(texts)) == 1, "\n".join(sorted(set(texts)))


def test_the_undo_of_a_change_to_it_does_not_name_it(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=RULES["deny"], profile="all")
    receipt = agent.workspace.write(f"vault/{NAME}", SECRET)
    undone, listed = agent.calls(("undo", {"commit": receipt.id}), ("history", {}))
    assert code(undone) == "rejected"
    for result in (undone, listed):
        seen = result.output + str(result.metadata)
        assert (NAME in seen, TOKEN in seen, "vault" in seen) == (False, False, False)
    assert listed.metadata["commits"] == []


def test_every_tool_is_among_the_calls() -> None:
    assert {tool for tool, _ in calls_on("x")} == set(TOOLS)


def test_a_method_raises_the_same_refusal(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=RULES["deny"])
    agent.put(f"vault/{NAME}", SECRET)
    with pytest.raises(PatchRejectedError) as caught:
        agent.run(lambda session: session.edit(f"vault/{NAME}", "no such text", "x"))
    assert TOKEN not in repr(caught.value) + str(caught.value)
    assert str(caught.value) == (
        f"vault/{NAME} may not be read: the rule 'read vault deny' denies it.\n"
        "Continue without it: what may not be read can't be changed either. The user can change the setting rules.\n\n"
        "No file was changed."
    )


def test_the_target_of_a_link_is_not_named(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=RULES["deny"])
    agent.put(f"vault/{NAME}", SECRET)
    (agent.root / "link.txt").symlink_to(f"vault/{NAME}")
    output = agent.call(("read", {"filePath": "link.txt"})).output
    assert output.startswith("link.txt may not be read: it is a symbolic link, and the rules deny what it leads to.")
    assert "vault" not in output


def test_names_that_may_not_be_read_are_not_listed(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=[*ALLOW, ("read", "**/*.secret", "deny"), ("read", "asked", "ask")])
    for name in ("a.txt", "b.secret", ".env", "asked/c.txt"):
        agent.put(name, "x")
    assert agent.call(("read", {"filePath": "."})).output == ". is a directory:\na.txt\nasked/\nsrc/"
    assert code(agent.call(("read", {"filePath": ".", "offset": 4}))) == "invalid_arguments"


def test_a_folder_that_leads_to_allowed_files_is_listed(tmp_path: Path) -> None:
    agent = Agent(tmp_path, settings={"allow": ["src/**"]})
    agent.put("other.txt", "x")
    assert agent.call(("read", {"filePath": "."})).output == ". is a directory:\nsrc/"


def test_a_read_that_has_to_be_asked_for_is_asked_for_by_an_edit_too(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=[*ALLOW, ("read", "src", "ask")], approver=AllowAll())
    assert not agent.call(READ, edit()).is_error
    requests = [event.request for event in agent.heard if isinstance(event, PermissionAsked)]
    assert [(one.permission, one.tool) for one in requests] == [("read", "read"), ("read", "edit")]


def test_a_hash_of_a_file_that_is_not_part_of_the_patch_needs_a_read_too(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=[*ALLOW, ("read", "src", "deny")])
    added = patch("*** Add File: new.txt", "+x", expectedSha256ByPath={"src/app.py": "0" * 64})
    result = agent.call(added)
    assert code(result) == "rejected"
    assert digest(APP) not in str(result.metadata)


def test_errors_in_a_file_that_may_not_be_read_are_not_reported(tmp_path: Path) -> None:
    class Talkative:
        async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ARG002, ASYNC109
            other = str(agent.root / "vault" / NAME)
            errors = [Diagnostic(one, 1, 1, 1, 2, "error", f"in {one}") for one in (path, other)]
            return Report(path, "problems", tuple(errors))

        async def close(self) -> None:
            pass

    agent = Agent(tmp_path, rules=RULES["deny"], diagnoser=Talkative())
    agent.put(f"vault/{NAME}", SECRET)
    result = agent.call(READ, edit())
    assert "It introduced 1 error in src/app.py" in result.output
    assert NAME not in result.output + str(result.metadata) + str(agent.heard)


@pytest.mark.parametrize("rules", [rules for name, rules in RULES.items() if name.startswith("deny")])
def test_what_a_session_changed_before_it_was_denied_is_not_named(tmp_path: Path, rules: list[Any]) -> None:
    """Another model may go on with an isolated session, by its id."""
    settings: Any = {"id": "mine", "isolated": True, "reads": dict.fromkeys(READ_MODES, "off"), "profile": "all"}
    (tmp_path / "work" / "vault").mkdir(parents=True)
    old = tmp_path / "work" / "vault" / NAME
    old.write_text(SECRET)
    with Workspace(tmp_path / "work", state_dir=tmp_path / "state", durability="process") as place:
        with SyncSession(place, rules=ALLOW, **settings) as before:
            for call in (edit("user", "x", f"vault/{NAME}"), ("write", {"filePath": "b.txt", "content": "b\n"})):
                assert not before.call(*call).is_error
        old.write_text(SECRET.replace("user", "other"))
        with SyncSession(place, rules=rules, **settings) as session:
            for name, arguments in (*ELSEWHERE, ("merge", {}), ("discard", {})):
                for result in (session.call(name, arguments), session.preview(name, arguments).result):
                    said = result.output + str(result.metadata)
                    assert f"vault/{NAME}" not in said
                    assert TOKEN not in said or TOKEN in str(arguments)
    assert old.read_text() == SECRET.replace("user", "other")


@pytest.mark.parametrize(
    ("rules", "granted", "may_read"),
    [
        ([("read", "*", "allow")], False, False),
        ([("read", "*", "allow"), ("external_directory", "*", "ask")], False, False),
        ([("read", "*", "allow"), ("external_directory", "*", "ask")], True, True),
        ([("read", "*", "allow"), ("external_directory", "*", "allow")], False, True),
        ([("read", "*", "ask"), ("external_directory", "*", "allow")], False, False),
        ([("read", "*", "deny"), ("external_directory", "*", "allow")], False, False),
    ],
)
def test_a_file_of_another_directory_is_read_if_both_that_and_the_file_may_be(
    tmp_path: Path, rules: list[Any], granted: bool, may_read: bool
) -> None:
    outside = tmp_path / "outside" / "a.txt"
    for folder in ("root", "outside"):
        (tmp_path / folder).mkdir()
    outside.write_text("one\n")
    with Workspace(tmp_path / "root", extra_roots=[tmp_path / "outside"]) as workspace:
        session = Session(workspace, rules=rules)
        path = workspace.guard().resolve(str(outside)).path
        visible = ReadAccess(workspace, session.permissions).after_asking({path} if granted else ())
        if may_read:
            assert visible.read(path).content == b"one\n"
        else:
            with pytest.raises(PatchRejectedError, match="may not be read"):
                visible.read(path)
