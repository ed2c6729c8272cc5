"""What other programs' own tests say, and what Suture does in the dialect that stands for the program.

A difference is always a decision: one without a decision fails, and so does a decision without a difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.peers.cases import CASES, DECISIONS, LINK, PATCH, SUITES, VICTIM, Case, Outcome
from tests.shared.agents import Agent

from suture import AddFile, PatchInvalidError, SutureError, UpdateFile, Workspace
from suture.format import PatchParser, parse_invocation

if TYPE_CHECKING:
    from typing import Any

    from suture import Patch

ROOT = Path(__file__).parent.parent.parent


def cases(*calls: str) -> list[Any]:
    """The cases with one of these calls."""
    return [
        pytest.param(case, id=f"{case.peer.split()[0].lower()}-{case.name}".replace(" ", "-"))
        for case in CASES
        if not case.given.keys().isdisjoint(calls)
    ]


def check(case: Case, peer: object, ours: object, seen: object) -> None:
    """What was seen is what the case says of Suture, and differs from the peer exactly if it has a decision."""
    assert seen == ours, case.name
    assert (ours != peer) == ("decision" in case.given), f"{case.name}: a difference needs a decision, and the reverse"
    assert ("ours" in case.given) == ("decision" in case.given)


def site(case: Case, folder: Path) -> tuple[Path, Path]:
    """The workspace of a case, and a file outside of it."""
    root, victim = folder / "root", folder / "outside" / "victim"
    for path, content in {victim: VICTIM.encode(), **{root / path: text for path, text in case.before.items()}}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if content.startswith(LINK):
            path.symlink_to(content.removeprefix(LINK).decode())
        else:
            path.write_bytes(content)
    root.mkdir(exist_ok=True)
    return root, victim


def check_outcome(case: Case, root: Path, victim: Path, code: str) -> None:
    """Compare what is on the disk with what the case says."""
    files = {
        str(path.relative_to(root)): f"-> {path.readlink()}".encode() if path.is_symlink() else path.read_bytes()
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }
    ours = case.given.get("ours", case.given)
    assert code == ours.get("refused", "") or ours.get("refused") is True, case.name
    seen = Outcome(files, bool(code), victim.read_text("utf-8"))
    check(case, case.outcome(case.given), case.outcome(ours), seen)


@pytest.mark.parametrize("case", cases("patch", "hunks", "text"))
def test_a_patch_does_what_the_case_says(case: Case, tmp_path: Path) -> None:
    root, victim = site(case, tmp_path)
    code = ""
    with Workspace(
        root, dialect=case.dialect, history=False, state_dir=tmp_path / "state", durability="process"
    ) as space:
        try:
            space.apply(case.text(str(root)))
        except SutureError as error:
            code = error.problems[0].code
    check_outcome(case, root, victim, code)


@pytest.mark.parametrize("case", cases("edit"))
def test_an_edit_does_what_the_case_says(case: Case, tmp_path: Path) -> None:
    root, victim = site(case, tmp_path)
    agent = Agent(tmp_path, reads={"edit": "off"}, settings={"dialect": case.dialect})
    (root / "src" / "app.py").unlink()
    (root / "src").rmdir()
    edit = case.given["edit"]
    arguments = {
        "filePath": edit.get("path", "f").replace("<root>", str(root)),
        "oldString": edit["old"],
        "newString": edit["new"],
        "replaceAll": edit.get("all", False),
    }
    result = agent.call(("edit", arguments))
    problems = result.metadata.get("problems") or [{"code": ""}]
    check_outcome(case, root, victim, problems[0]["code"])


@pytest.mark.parametrize("case", cases("argv"))
def test_a_command_is_read_as_the_case_says(case: Case) -> None:
    argv = [word.replace("<patch>", PATCH) for word in case.given["argv"]]
    try:
        found = parse_invocation(argv, "/here", dialect=case.dialect)
        seen = "none" if found is None else found.folder.removeprefix("/here").lstrip("/") or "."
    except PatchInvalidError:
        seen = "error"
    peer = case.given["invocation"]
    check(case, peer, case.given.get("ours", case.given)["invocation"], seen)


def told(patch: Patch | PatchParser) -> list[str]:
    """The operations of a patch, in words."""
    words = []
    for operation in patch.operations:
        if isinstance(operation, AddFile):
            words.append(f"add {operation.path} {operation.content}")
        elif isinstance(operation, UpdateFile):
            words.append(f"update {operation.path}" + (f" -> {operation.move_to}" if operation.move_to else ""))
        else:
            words.append(f"delete {operation.path}")
    return words


@pytest.mark.parametrize("case", cases("pieces"))
def test_a_stream_shows_what_the_case_says(case: Case) -> None:
    parser = PatchParser(case.dialect)
    seen = []
    for piece in case.given["pieces"]:
        parser.feed(piece)
        seen.append(told(parser))
    check(case, case.given["seen"], case.given.get("ours", case.given)["seen"], seen)
    assert told(parser.close()) == seen[-1]


def test_every_difference_is_documented() -> None:
    """Each decision names a page and words that are in it, and each is used."""
    for name, decision in DECISIONS.items():
        page = " ".join((ROOT / decision["page"]).read_text("utf-8").split())
        assert decision["words"] in page, name
    assert {case.given["decision"] for case in CASES if "decision" in case.given} == set(DECISIONS)


def test_cases_are_told_apart_by_their_names() -> None:
    for suite in SUITES.values():
        names = [case["name"] for case in suite["case"]]
        assert len(names) == len(set(names))
