"""Invocations in a workspace: their plan, and the directory that their paths start from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.shell_scripts import PATCH, heredoc
from tests.shared.sites import envelope

from suture import PatchInvalidError, PatchRejectedError, Workspace
from suture.core.problems import PEER_NAMES
from suture.workspace import MemoryFiles, Plan, verify_invocation

if TYPE_CHECKING:
    from pathlib import Path

APP = "def greet():\n    print('hi')\n"
FILES = {"app.py": APP, "sub/app.py": APP, "sub/deep/x.txt": "x\n", "file": "text\n"}
EDIT = envelope("*** Update File: app.py", "@@", "-    print('hi')", "+    print('ho')")


def in_memory() -> Workspace:
    return Workspace(MemoryFiles(FILES))


def test_the_verified_form_has_the_diffs_and_writes_nothing() -> None:
    """Seed 001, entry point 4: "Parses, validates file existence, and computes diffs before application." """
    workspace = in_memory()
    plan = verify_invocation(["apply_patch", EDIT], "/", workspace)
    assert plan is not None
    assert plan.is_clean
    assert [(c.kind, c.path, c.additions, c.deletions) for c in plan.changes] == [("update", "app.py", 1, 1)]
    assert "+    print('ho')\n" in plan.changes[0].diff
    assert workspace.files.read("/app.py", 1000)[0] == APP.encode()
    workspace.commit(plan)
    assert workspace.files.read("/app.py", 1000)[0] == APP.replace("hi", "ho").encode()


def test_a_plan_knows_the_directory_that_its_paths_are_relative_to(tmp_path: Path) -> None:
    """Seed 001: `ApplyPatchAction { changes, patch, cwd }`."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    script = heredoc("cd sub && apply_patch <<'EOF'", EDIT)
    for path in ("app.py", "sub/app.py"):
        (tmp_path / path).write_text(APP)
    with Workspace(tmp_path) as workspace:
        root = workspace.root
        plans = [
            (workspace.plan(EDIT), root),
            (workspace.plan_edit("app.py", "hi", "ho"), root),
            (workspace.plan_write("app.py", "a\n"), root),
            (workspace.plan(EDIT.replace("hi", "no")), root),
            (verify_invocation(["apply_patch", EDIT], ".", workspace), root),
            (verify_invocation(["apply_patch", EDIT], "sub", workspace), f"{root}/sub"),
            (verify_invocation(["bash", "-lc", script], root, workspace), f"{root}/sub"),
        ]
        receipt = workspace.edit("app.py", "hi", "ho")
        plans.append((workspace.plan_undo(receipt.id), root))
    with Workspace(tmp_path, relative_to="sub") as below:
        plans.append((below.plan(EDIT), f"{root}/sub"))
        plans.append((below.plan_delete("../app.py"), f"{root}/sub"))
    for plan, cwd in plans:
        assert plan is not None
        assert plan.cwd == cwd
        assert Plan.from_json(plan.to_json()) == plan


def test_a_stored_plan_without_a_directory_is_still_read() -> None:
    plan = in_memory().plan(EDIT)
    stored = json.loads(plan.to_json())
    del stored["cwd"]
    assert Plan.from_json(json.dumps(stored)) == plan.replace(cwd="")


def test_another_command_has_no_plan() -> None:
    assert verify_invocation(["ls"], "/", in_memory()) is None


@pytest.mark.parametrize("cwd", ["/sub", "sub", "./sub/", "sub/deep/.."])
def test_paths_start_from_where_the_command_would_run(cwd: str) -> None:
    plan = verify_invocation(["apply_patch", EDIT], cwd, in_memory())
    assert plan is not None
    assert [change.path for change in plan.changes] == ["sub/app.py"]


@pytest.mark.parametrize("cwd", ["/", "", "."])
@pytest.mark.parametrize("folder", ["sub", "./sub", "'sub/'", "sub/deep/..", "sub/../sub", "/sub"])
def test_paths_start_from_the_folder_that_the_script_goes_to(cwd: str, folder: str) -> None:
    """SPEC §10: "optionally after `cd DIR &&`"."""
    script = heredoc(f"cd {folder} && apply_patch <<'EOF'", EDIT)
    plan = verify_invocation(["bash", "-lc", script], cwd, in_memory())
    assert plan is not None
    assert [str(change) for change in plan.changes] == ["M sub/app.py +1 -1"]


def test_every_path_of_a_patch_starts_from_the_folder_but_those_that_are_absolute() -> None:
    patch = envelope(
        "*** Add File: new.txt",
        "+new",
        "*** Delete File: ../file",
        "*** Update File: app.py",
        "*** Move to: deep/app.py",
        "*** Update File: /app.py",
        "@@",
        "-def greet():",
        "+def meet():",
    )
    plan = verify_invocation(["apply_patch", patch], "sub", in_memory())
    assert plan is not None
    assert plan.problems == ()
    assert [(change.path, change.move_to) for change in plan.changes] == [
        ("sub/new.txt", ""),
        ("file", ""),
        ("sub/app.py", "sub/deep/app.py"),
        ("app.py", ""),
    ]


def test_the_plans_text_is_the_patch_that_was_sent() -> None:
    plan = verify_invocation(["bash", "-c", heredoc("cd sub && apply_patch <<'EOF'", EDIT)], "/", in_memory())
    assert plan is not None
    assert plan.patch == EDIT


@pytest.mark.parametrize(
    ("folder", "code"),
    [
        ("..", "outside_workspace"),
        ("../other", "outside_workspace"),
        ("/etc", "outside_workspace"),
        ("sub/../..", "outside_workspace"),
        ("out", "outside_workspace"),
        ("missing", "not_found"),
        ("missing/../sub", "not_found"),
        ("file", "not_found"),
        ("file/..", "not_found"),
        ("link/..", "command_failed"),
        (".git", "permission_denied"),
    ],
)
def test_a_folder_that_may_not_be_touched_is_refused(folder: str, code: str, tmp_path: Path) -> None:
    """ "A folder outside of the workspace is refused", and so is one that is not sure to be where it seems."""
    root = tmp_path / "root"
    for name in ("sub/deep", ".git"):
        (root / name).mkdir(parents=True)
    (root / "file").write_text("text\n")
    (root / "link").symlink_to("sub/deep")
    (root / "out").symlink_to(tmp_path)
    script = heredoc(f"cd {folder} && apply_patch <<'EOF'")
    with Workspace(root) as workspace, pytest.raises(PatchRejectedError) as raised:
        verify_invocation(["bash", "-lc", script], str(root), workspace)
    assert [problem.code for problem in raised.value.problems] == [code]
    assert sorted(path.name for path in root.iterdir()) == [".git", "file", "link", "out", "sub"]


@pytest.mark.parametrize("cwd", ["/", "/etc"])
def test_a_command_that_would_run_outside_is_refused(cwd: str, tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(PatchRejectedError) as raised:
        verify_invocation(["apply_patch", PATCH], cwd, workspace)
    assert [problem.code for problem in raised.value.problems] == ["outside_workspace"]


def test_a_link_to_a_folder_of_the_workspace_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    with Workspace(tmp_path) as workspace:
        script = heredoc("cd link && apply_patch <<'EOF'")
        plan = verify_invocation(["bash", "-lc", script], str(tmp_path), workspace)
    assert plan is not None
    assert [str(change) for change in plan.changes] == ["A sub/hi.txt +1 -0"]


def test_a_folder_of_another_root_is_taken(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Workspace(tmp_path / "one", extra_roots=[tmp_path / "two"]) as workspace:
        plan = verify_invocation(["apply_patch", PATCH], str(tmp_path / "two"), workspace)
    assert plan is not None
    assert [change.path for change in plan.changes] == [str(tmp_path / "two" / "hi.txt")]


def test_a_file_that_is_not_there_is_a_problem_of_the_plan() -> None:
    """Seed 001, error type IoError: "File read/write failure"."""
    plan = verify_invocation(["apply_patch", EDIT], "sub/deep", in_memory())
    assert plan is not None
    assert {problem.code for problem in plan.problems} <= PEER_NAMES["IoError"]
    assert plan.problems[0].path == "sub/deep/app.py"


def test_lines_that_are_not_there_are_a_problem_of_the_plan() -> None:
    """Seed 001, error type ComputeReplacements: "Line matching failure"."""
    plan = verify_invocation(["apply_patch", EDIT.replace("print", "write")], "/", in_memory())
    assert plan is not None
    assert [problem.code for problem in plan.problems] == ["patch_apply_error"]
    assert plan.problems[0].code in PEER_NAMES["ComputeReplacements"]


@pytest.mark.parametrize("argv", [[PATCH], ["bash", "-lc", PATCH]], ids=["argv", "script"])
def test_a_bare_patch_is_refused_by_the_verified_form_too(argv: list[str]) -> None:
    """Seed 001, error type ImplicitInvocation: "Raw patch without command"."""
    with pytest.raises(PatchInvalidError) as raised:
        verify_invocation(argv, "/", in_memory())
    assert raised.value.problems[0].code in PEER_NAMES["ImplicitInvocation"]


def test_a_patch_that_only_codex_can_say_is_planned() -> None:
    """What would be a unified header elsewhere is an anchor there; a plan keeps the text as it was sent."""
    patch = envelope("*** Update File: app.py", "@@ -1,2 +1,2 @@", "-    print('hi')", "+    print('ho')")
    plan = verify_invocation(["apply_patch", patch], "/", in_memory())
    assert plan is not None
    assert [problem.details["reason"] for problem in plan.problems] == ["anchor_not_found"]


def test_paths_start_from_the_directory_of_the_command_also_where_the_workspace_has_another() -> None:
    below = Workspace(MemoryFiles(FILES), relative_to="sub")
    for cwd, path in (("/", "app.py"), ("/sub", "sub/app.py")):
        plan = verify_invocation(["apply_patch", EDIT], cwd, below)
        assert plan is not None
        assert [change.path for change in plan.changes] == [path]
