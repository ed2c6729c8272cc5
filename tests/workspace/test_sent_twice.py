"""Patches that add, delete, rename or copy files, sent again: "`index old..new` hashes, where present, decide"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope
from tests.workspace.test_diff_hashes import blob

from suture import Workspace, apply_in_memory, parse
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.shared.sites import Site

    from suture import Patch
    from suture.workspace import Plan

ZERO = "0000000"
OLD, NEW = "echo one\necho two\n", "echo one\necho 2\n"
ADD = (
    f"diff --git a/run.sh b/run.sh\nnew file mode 100644\nindex {ZERO}..{blob(OLD)}\n"
    "--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1,2 @@\n+echo one\n+echo two\n"
)
DELETE = (
    f"diff --git a/run.sh b/run.sh\ndeleted file mode 100644\nindex {blob(OLD)}..{ZERO}\n"
    "--- a/run.sh\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-echo one\n-echo two\n"
)
RENAME = "diff --git a/run.sh b/bin/run\nsimilarity index 100%\nrename from run.sh\nrename to bin/run\n"
CHANGE = (
    f"index {blob(OLD)}..{blob(NEW)} 100644\n--- a/run.sh\n+++ b/bin/run\n"
    "@@ -1,2 +1,2 @@\n echo one\n-echo two\n+echo 2\n"
)
COPY = "diff --git a/run.sh b/bin/run\nsimilarity index 100%\ncopy from run.sh\ncopy to bin/run\n"
RENAME_AND_CHANGE = RENAME.replace("100%", "60%") + CHANGE
COPY_AND_CHANGE = COPY.replace("100%", "60%") + CHANGE
SENT = {
    "added": (ADD, {}),
    "deleted": (DELETE, {"run.sh": OLD}),
    "deleted, of an empty file": (
        f"diff --git a/run.sh b/run.sh\ndeleted file mode 100644\nindex e69de29..{ZERO}\n",
        {"run.sh": ""},
    ),
    "renamed": (RENAME, {"run.sh": OLD}),
    "renamed and changed": (RENAME_AND_CHANGE, {"run.sh": OLD}),
    "copied": (COPY, {"run.sh": OLD}),
    "copied and changed": (COPY_AND_CHANGE, {"run.sh": OLD}),
    "added by an envelope": (envelope("*** Add File: run.sh", "+echo one", "+echo two"), {}),
    "added by a block": ("run.sh\n<<<<<<< SEARCH\n=======\necho one\n>>>>>>> REPLACE\n", {}),
}


def outcome(plan: Plan) -> list[tuple[str, object]]:
    return [(problem.code, problem.details.get("reason")) for problem in plan.problems]


def plan_of(patch: str | Patch, files: Mapping[str, str | bytes], dialect: str = "standard") -> Plan:
    return Workspace(MemoryFiles(files), dialect=dialect).plan(patch)


@pytest.mark.parametrize(("patch", "files"), SENT.values(), ids=SENT)
def test_what_is_sent_again_is_applied_already(patch: str, files: dict[str, str]) -> None:
    done = apply_in_memory(patch, files)
    plan = plan_of(patch, done.texts)
    assert outcome(plan) == [("patch_apply_error", "already_applied")]
    assert "already" in plan.problems[0].message
    again = apply_in_memory(patch, done.texts, skip_applied=True)
    assert again.texts == done.texts
    assert again.plan.files == ()
    (change,) = again.plan.changes
    assert [concession.name for concession in change.concessions] == ["already_applied"]
    assert str(change).endswith("(already applied)")


def test_the_rest_of_the_patch_goes_on() -> None:
    files = {"run.sh": OLD, "b.txt": "b\n"}
    rest = "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"
    assert apply_in_memory(ADD + rest, files, skip_applied=True).texts == {"run.sh": OLD, "b.txt": "c\n"}


@pytest.mark.parametrize("content", ["", "echo one\n", OLD + "\n", OLD.removesuffix("\n")])
@pytest.mark.parametrize("patch", [ADD, SENT["added by an envelope"][0]], ids=["diff", "envelope"])
def test_an_added_file_with_other_content_already_exists(patch: str, content: str) -> None:
    assert outcome(plan_of(patch, {"run.sh": content})) == [("already_exists", None)]


def test_an_added_file_without_the_mode_already_exists(site: Site) -> None:
    patch = ADD.replace("100644", "100755")
    site.put("run.sh", OLD, mode=0o644)
    assert outcome(site.workspace.plan(patch)) == [("already_exists", None)]
    site.put("run.sh", OLD, mode=0o755)
    assert outcome(site.workspace.plan(patch)) == [("patch_apply_error", "already_applied")]


def test_a_file_that_the_patch_adds_twice_already_exists() -> None:
    assert outcome(plan_of(ADD + ADD, {})) == [("already_exists", None)]
    assert outcome(plan_of(DELETE + DELETE, {"run.sh": OLD})) == [("not_found", None)]


@pytest.mark.parametrize(
    "patch",
    [
        DELETE.replace(f"index {blob(OLD)}..{ZERO}\n", ""),
        DELETE.replace(ZERO, "1234567"),
        envelope("*** Delete File: run.sh"),
        RENAME,
        RENAME_AND_CHANGE,
        envelope("*** Update File: run.sh", "*** Move to: bin/run"),
    ],
)
def test_a_file_that_may_never_have_been_there_is_not_found(patch: str) -> None:
    assert outcome(plan_of(patch, {"other.sh": OLD})) == [("not_found", None)]


@pytest.mark.parametrize(
    ("patch", "content"),
    [
        (RENAME_AND_CHANGE, OLD),
        (RENAME_AND_CHANGE, "x\n"),
        (RENAME_AND_CHANGE.replace(f"index {blob(OLD)}..{blob(NEW)} 100644\n", ""), NEW),
        (RENAME.replace("similarity", "old mode 100644\nnew mode 100755\nsimilarity"), OLD),
        (envelope("*** Update File: run.sh", "*** Move to: bin/run"), OLD),
    ],
)
def test_a_renamed_file_with_other_content_or_mode_is_not_found(patch: str, content: str) -> None:
    assert outcome(plan_of(patch, {"bin/run": content})) == [("not_found", None)]


def test_a_copy_onto_another_content_already_exists() -> None:
    assert outcome(plan_of(COPY, {"run.sh": OLD, "bin/run": NEW})) == [("already_exists", None)]


@pytest.mark.parametrize("patch", [ADD, SENT["added by an envelope"][0]], ids=["diff", "envelope"])
def test_other_dialects_do_as_their_tables_say(patch: str) -> None:
    assert outcome(plan_of(parse(patch), {"run.sh": OLD}, "strict")) == [("already_exists", None)]
    for dialect in ("codex", "opencode"):
        assert plan_of(parse(patch), {"run.sh": OLD}, dialect).is_clean
    for dialect in ("strict", "codex", "opencode"):
        assert outcome(plan_of(parse(DELETE), {}, dialect)) == [("not_found", None)]
        assert outcome(plan_of(parse(RENAME), {"bin/run": OLD}, dialect)) == [("not_found", None)]


def test_a_copy_onto_the_same_content_is_a_copy_where_files_may_be_replaced() -> None:
    files = {"run.sh": OLD, "bin/run": OLD}
    for dialect in ("codex", "opencode"):
        assert [change.kind for change in plan_of(parse(COPY), files, dialect).changes] == ["add"]
    assert outcome(plan_of(parse(COPY), files)) != []
