"""The guard: which path texts are paths, where they lead, and which of them may be touched."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError
from suture.workspace.files.file_system import Stat
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.files.open_files import DiskFiles
from suture.workspace.guard import DEFAULT_DENY, Guard, ResolvedPath

if TYPE_CHECKING:
    from pathlib import Path

    from suture.core.problems import Problem


def refused(guard: Guard, path: str, **more: str) -> Problem:
    with pytest.raises(PatchRejectedError) as raised:
        guard.resolve(path, **more)
    [problem] = raised.value.problems
    return problem


def code_of(guard: Guard, path: str) -> str:
    """What becomes of a path: "" where it may be touched, else the code and the reason."""
    try:
        guard.resolve(path)
    except PatchRejectedError as raised:
        [problem] = raised.problems
        assert problem.hint
        assert problem.details["path"] == path[:4096]
        return f"{problem.code}: {problem.details['reason']}"
    return ""


@pytest.fixture
def files() -> MemoryFiles:
    files = MemoryFiles({"src/app.py": "one\n", "src/lib/a.py": "two\n", "README.md": "three\n"})
    files.make_link("/link.py", "src/app.py")
    files.make_link("/lib", "src/lib")
    files.make_link("/src/twice", "../link.py")
    files.make_link("/src/absolute", "/src/lib")
    files.make_link("/dangling", "src/new.py")
    return files


@pytest.fixture
def guard(files: MemoryFiles) -> Guard:
    return Guard(files)


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "./src/app.py",
        "src//app.py",
        "src/./app.py",
        "/src/app.py",
        "//src/app.py",
        "src/lib/../app.py",
        "src/missing/../app.py",
        "lib/../app.py",
    ],
)
def test_a_file_is_found_however_its_path_is_written(guard: Guard, path: str) -> None:
    resolved = guard.resolve(path)
    assert (resolved.name, resolved.path, resolved.shown) == ("/src/app.py", "/src/app.py", "src/app.py")
    assert resolved.found is not None
    assert resolved.found.kind == "file"
    assert not resolved.is_link


def test_what_is_absent_may_be_named(guard: Guard) -> None:
    assert guard.resolve("new/folder/a.py") == ResolvedPath("/new/folder/a.py", "/new/folder/a.py", "new/folder/a.py")
    assert guard.resolve("new/folder/a.py").found is None


def test_a_path_below_a_file_is_absent(guard: Guard) -> None:
    assert guard.resolve("README.md/a").found is None


@pytest.mark.parametrize(
    ("path", "name", "target", "is_link", "via"),
    [
        ("link.py", "/link.py", "/src/app.py", True, ("link.py -> src/app.py",)),
        ("lib/a.py", "/src/lib/a.py", "/src/lib/a.py", False, ("lib -> src/lib",)),
        ("lib/new/a.py", "/src/lib/new/a.py", "/src/lib/new/a.py", False, ("lib -> src/lib",)),
        ("lib", "/lib", "/src/lib", True, ("lib -> src/lib",)),
        (
            "src/twice",
            "/src/twice",
            "/src/app.py",
            True,
            ("src/twice -> ../link.py", "link.py -> src/app.py"),
        ),
        ("src/absolute/a.py", "/src/lib/a.py", "/src/lib/a.py", False, ("src/absolute -> /src/lib",)),
        ("dangling", "/dangling", "/src/new.py", True, ("dangling -> src/new.py",)),
        ("lib/../twice", "/src/twice", "/src/app.py", True, None),
    ],
)
def test_links_are_followed_and_told(
    guard: Guard, path: str, name: str, target: str, is_link: bool, via: tuple[str, ...] | None
) -> None:
    resolved = guard.resolve(path)
    assert (resolved.name, resolved.path, resolved.is_link) == (name, target, is_link)
    assert resolved.shown == name[1:]
    if via is not None:
        assert resolved.via == via


def test_a_folder_above_may_be_given_for_relative_paths(guard: Guard) -> None:
    assert guard.resolve("a.py", relative_to="src/lib").shown == "src/lib/a.py"
    assert guard.resolve("../app.py", relative_to="lib").shown == "src/app.py"
    assert guard.resolve("a.py", relative_to="/src/lib").shown == "src/lib/a.py"
    assert guard.resolve("/README.md", relative_to="src").shown == "README.md"


def test_the_root_itself_is_a_folder(guard: Guard) -> None:
    for path in (".", "src/..", "./."[:1]):
        resolved = guard.resolve(path)
        assert (resolved.path, resolved.shown) == ("/", ".")
        with pytest.raises(PatchRejectedError) as raised:
            guard.check_file(resolved, resolved.found)
        assert [problem.code for problem in raised.value.problems] == ["is_directory"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("\n", "empty"),
        ("a\0b", "control_character"),
        ("a\nb", "control_character"),
        ("a\tb", "control_character"),
        ("a\x1b[31mb", "control_character"),
        ("a\x7fb", "control_character"),
        ("a\x85b", "control_character"),
        ("a\u2028b", "control_character"),
        ("a\u202eb", "control_character"),
        ("a\u2066b", "control_character"),
        ("a\u200fb", "control_character"),
        ("\udce2\udc80\udcae", "control_character"),
        ("a\ud800b", "not_encodable"),
        ("a.", "trailing"),
        ("a /b", "trailing"),
        ("src./a", "trailing"),
        ("...", "trailing"),
        (".../a", "trailing"),
        ("a\u3000", "trailing"),
        ("x" * 256, "too_long"),
        ("ä" * 128, "too_long"),
        ("a/" * 2048 + "b", "too_long"),
        ("a" * 1_000_000, "too_long"),
    ],
)
def test_what_is_no_path_is_refused(guard: Guard, path: str, reason: str) -> None:
    assert code_of(guard, path) == f"invalid_arguments: {reason}"


@pytest.mark.parametrize(
    "path",
    ["x" * 255, "ä" * 127, " a", "a b", ".hidden", "..a", "a..b", "~/a", "-a", "[id].tsx", "日本語/ä.py", "a\u200db"],
)
def test_what_is_odd_but_a_name_may_be_touched(guard: Guard, path: str) -> None:
    assert code_of(guard, path) == ""


def test_a_path_that_gets_too_long_on_its_way_is_refused(files: MemoryFiles) -> None:
    files.make_link("/long", "/".join(["a" * 200] * 18))
    assert code_of(Guard(files), "long/" + "/".join(["b" * 200] * 5)) == "invalid_arguments: too_long"


@pytest.mark.parametrize("path", ["src/", "new/", "src/.", "/", "./"])
def test_the_name_of_a_folder_is_no_file(guard: Guard, path: str) -> None:
    assert code_of(guard, path) == "is_directory: folder"


def test_an_absolute_path_is_refused_where_a_dialect_says_so(files: MemoryFiles) -> None:
    guard = Guard(files, allow_absolute=False)
    assert code_of(guard, "/src/app.py") == "command_failed: absolute"
    assert guard.resolve("src/absolute/a.py").shown == "src/lib/a.py"


DENIED = [
    ".git",
    ".git/config",
    "sub/.git/hooks/pre-commit",
    ".GIT/config",
    ".Git",
    ".gıt"[:2] + "it",
    ".g\u200cit/config",
    ".git\ufeff/config",
    ".g\u00adit",
    "GIT~1/config",
    "git~2",
    ".env",
    ".ENV",
    "a/.env.local",
    ".env.example.local",
    ".env/secret",
    "ENV~1",
    "id_rsa",
    "keys/id_rsa.pub",
    "ID_ED25519",
    "a/server.pem",
    "a/server.\u212aey",  # the sign for kelvin is a K
    "a.KEY",
]


@pytest.mark.parametrize("path", DENIED)
def test_secrets_and_the_repository_are_denied_however_they_are_written(guard: Guard, path: str) -> None:
    assert code_of(guard, path) == "permission_denied: denied"


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "a/.ENV.Sample",
        ".env.production.template",
        ".gitignore",
        ".github/workflows/a.yml",
        "git/config",
        ".environment",
        "keys.py",
        "a.pem.md",
        "git~1a",
        "monkey",
    ],
)
def test_what_only_looks_like_them_is_not(guard: Guard, path: str) -> None:
    assert code_of(guard, path) == ""


def test_a_default_is_lifted_by_name(files: MemoryFiles) -> None:
    guard = Guard(files, lift=["**/.env", "**/.env.*"])
    assert [code_of(guard, path) for path in (".env", ".env.local")] == ["", ""]
    assert code_of(guard, ".git/config") == "permission_denied: denied"
    assert code_of(Guard(files, lift=DEFAULT_DENY), ".git/config") == ""


def test_the_defaults_are_lifted_for_single_paths(files: MemoryFiles) -> None:
    guard = Guard(files, lift=["deploy/.env", "**/*.local"], deny=["secret.local"])
    paths = (".env", "deploy/.env", "a/.env.local", "secret.local", ".git/config")
    denied = "permission_denied: denied"
    assert [code_of(guard, path) for path in paths] == [denied, "", "", denied, denied]


def test_the_hint_names_all_that_would_have_to_be_lifted(files: MemoryFiles) -> None:
    problem = refused(Guard(files), ".git/config")
    assert problem.details["glob"] == "**/.git"
    assert "lift=['**/.git', '**/.git/**']" in problem.hint
    assert not problem.recoverable
    assert code_of(Guard(files, lift=["**/.git", "**/.git/**"]), ".git/config") == ""


def test_deny_goes_before_allow_and_takes_all_that_is_below(files: MemoryFiles) -> None:
    guard = Guard(files, allow=["src/**", ".env"], deny=["src/lib", "**/*.LOCK"])
    assert code_of(guard, "src/app.py") == ""
    assert code_of(guard, "SRC/App.py") == ""
    assert code_of(guard, "README.md") == "permission_denied: not_allowed"
    assert code_of(guard, "src/lib/a.py") == "permission_denied: denied"
    assert code_of(guard, "src/Lib") == "permission_denied: denied"
    assert code_of(guard, "src/a/b.lock") == "permission_denied: denied"
    assert code_of(guard, ".env") == "permission_denied: denied"


@pytest.mark.parametrize(
    ("path", "deny"),
    [
        ("link.py", ["link.py"]),  # the link
        ("link.py", ["src/app.py"]),  # where it leads
        ("lib/a.py", ["lib/**"]),  # the path by the link
        ("lib/a.py", ["lib"]),
        ("lib/a.py", ["src/lib/*"]),
        ("src/twice", ["link.py"]),  # a link between two
    ],
)
def test_a_link_and_where_it_leads_must_both_be_allowed(files: MemoryFiles, path: str, deny: list[str]) -> None:
    assert code_of(Guard(files, deny=deny), path) == "permission_denied: denied"


def test_what_is_allowed_is_exactly_what_matches(files: MemoryFiles) -> None:
    """Unlike `deny`, which covers what is below: a fence is no wider than its globs."""
    assert code_of(Guard(files, allow=["src"]), "src/app.py") == "permission_denied: not_allowed"
    assert code_of(Guard(files, allow=["src/*"]), "src/lib/a.py") == "permission_denied: not_allowed"
    assert code_of(Guard(files, allow=["src/**"]), "src/lib/a.py") == ""


def test_both_must_be_among_what_is_allowed(files: MemoryFiles) -> None:
    assert code_of(Guard(files, allow=["src/**"]), "link.py") == "permission_denied: not_allowed"
    assert code_of(Guard(files, allow=["*"]), "link.py") == "permission_denied: not_allowed"
    assert code_of(Guard(files, allow=["*", "src/*"]), "link.py") == ""


def stat_of(kind: str, links: int = 1) -> Stat:
    return Stat(kind, 0o644, 0, links, 0, 0, 0, 0, 0)


def test_only_regular_files_are_files(files: MemoryFiles) -> None:
    guard = Guard(files)
    resolved = guard.resolve("src/app.py")
    guard.check_file(resolved, None)
    guard.check_file(resolved, stat_of("file"))
    guard.check_file(resolved, stat_of("file", links=2))
    codes = []
    for kind in ("folder", "other", "link"):
        with pytest.raises(PatchRejectedError) as raised:
            guard.check_file(resolved, stat_of(kind))
        codes += [problem.code for problem in raised.value.problems]
    assert codes == ["is_directory", "not_a_file", "not_a_file"]


def test_files_with_another_name_are_refused_where_it_is_asked_for(files: MemoryFiles) -> None:
    guard = Guard(files, hard_links=False)
    resolved = guard.resolve("src/app.py")
    guard.check_file(resolved, stat_of("file"))
    with pytest.raises(PatchRejectedError) as raised:
        guard.check_file(resolved, stat_of("file", links=2))
    [problem] = raised.value.problems
    assert (problem.code, problem.details["reason"]) == ("permission_denied", "hard_link")


def test_messages_name_the_path_the_link_and_where_it_leads(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "out").symlink_to("../../secret")
    (root / "fifo").symlink_to("real")
    os.mkfifo(root / "real")
    guard = Guard(DiskFiles([str(root)]))
    assert refused(guard, "docs/out/a.md").message == (
        "docs/out/a.md is outside the workspace: the symbolic link docs/out -> ../../secret leads out of it."
    )
    assert refused(guard, "docs/out/a.md").details == {
        "path": "docs/out/a.md",
        "reason": "link",
        "link": "docs/out",
        "target": "../../secret",
    }
    assert refused(guard, "../a").message == "../a is outside the workspace: it leads above the workspace's root."
    assert refused(guard, "/etc/passwd").message == "/etc/passwd is outside the workspace."
    resolved = guard.resolve("fifo")
    with pytest.raises(
        PatchRejectedError, match=r"fifo \(through the symbolic link fifo -> real\) is not a regular file"
    ):
        guard.check_file(resolved, resolved.found)


def test_messages_hold_nothing_unseen_and_are_short(files: MemoryFiles) -> None:
    files.make_link("/bad", "../\x1b[31m\n" + "x" * 900)
    for guard, path in ((Guard(files, deny=["**"]), "bad"), (Guard(files), "a\x1b\n" * 1000), (Guard(files), "\ud800")):
        problem = refused(guard, path)
        assert (problem.message + problem.path).isprintable()
        assert len(problem.message) < 1000
        assert str(PatchRejectedError([problem])).isprintable() or "\n" in str(PatchRejectedError([problem]))


@pytest.fixture
def two_roots(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "one" / "to_two").symlink_to(tmp_path / "two")
    (tmp_path / "two" / "to_one").symlink_to("../one/file")
    (tmp_path / "one" / "to_three").symlink_to("../three")
    return tmp_path


def test_a_link_may_lead_into_another_root(two_roots: Path) -> None:
    guard = Guard(DiskFiles([str(two_roots / "one"), str(two_roots / "two")]))
    for path in ("to_two/file", f"{two_roots}/two/file", "../two/file"):
        resolved = guard.resolve(path)
        assert resolved.path == resolved.shown == f"{two_roots}/two/file"
    assert guard.resolve(f"{two_roots}/two/to_one").path == f"{two_roots}/one/file"
    assert code_of(guard, "to_three/file") == "outside_workspace: link"
    assert code_of(Guard(DiskFiles([str(two_roots / "one")])), "to_two/file") == "outside_workspace: link"


def test_globs_hold_in_every_root(two_roots: Path) -> None:
    guard = Guard(DiskFiles([str(two_roots / "one"), str(two_roots / "two")]), deny=["file"])
    for path in ("file", "to_two/file", f"{two_roots}/two/file"):
        assert code_of(guard, path) == "permission_denied: denied"
    assert code_of(guard, f"{two_roots}/two/.git/config") == "permission_denied: denied"


def test_a_root_is_known_by_the_link_it_was_given_by(two_roots: Path) -> None:
    (two_roots / "alias").symlink_to("one")
    (two_roots / "one" / "self").symlink_to(two_roots / "alias" / "file")
    guard = Guard(DiskFiles([str(two_roots / "alias")]))
    assert guard.resolve(f"{two_roots}/alias/file").shown == "file"
    assert guard.resolve(f"{two_roots}/one/file").shown == "file"
    assert guard.resolve("self").path == f"{two_roots}/one/file"
    assert code_of(guard, f"{two_roots}/alias/../three/file") == "outside_workspace: absolute"
    assert code_of(guard, f"{two_roots}/aliases") == "outside_workspace: absolute"


def test_an_error_of_the_system_is_a_problem(files: MemoryFiles) -> None:
    def watch(_: str, __: str) -> None:
        raise PermissionError(13, "Permission denied")

    files.watch = watch
    problem = refused(Guard(files), "src/app.py")
    assert (problem.code, problem.path, problem.details["reason"]) == ("permission_denied", "src/app.py", "system")


def test_a_name_that_can_not_be_looked_at_is_no_link(files: MemoryFiles) -> None:
    def stat(path: str) -> Stat | None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)

    files.stat = stat  # type: ignore[method-assign]
    problem = refused(Guard(files), "src/app.py")
    assert (problem.code, problem.details["errno"]) == ("permission_denied", "EACCES")
