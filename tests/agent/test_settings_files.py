"""Files with settings that are no ordinary files: the programs say what is wrong, in little time and memory."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.processes import open_files
from tests.shared.programs import APP, BIN, Done, Place, patch, update

from suture import PatchInvalidError
from suture.agent.configuration import load, trust
from suture.agent.configuration.setting_limits import MOST_FAULTS, MOST_GLOBS, MOST_TABLES
from suture.core.file_errors import FileTooLargeError
from suture.core.regular_files import open_regular, read_regular
from suture.workspace.project import read_project_file
from suture.workspace.workspace_limits import LARGEST_SETTINGS_FILE, LONGEST_GLOB

if TYPE_CHECKING:
    from collections.abc import Callable

PATCH = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
#: How many kilobytes of memory a program may have: enough to start, not enough for a file without end.
MEMORY = 1_000_000


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    for name in ("HOME", "SUTURE_STATE_DIR"):
        monkeypatch.setenv(name, made.environment[name])
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
        made.environment.pop(name, None)
    return made


def run_limited(place: Place, *arguments: str, stdin: str = "") -> Done:
    """Run an installed program with little memory. It is stopped if it does not end."""
    script = f'ulimit -v {MEMORY}; exec "$0" "$@"'
    command = ["bash", "-c", script, str(BIN / arguments[0]), *arguments[1:]]
    done = subprocess.run(
        command,
        cwd=place.root,
        input=stdin,
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 100_000_000_000)


def outside(path: Path) -> None:
    (path.parent.parent / "elsewhere").write_text('deny = ["x"]\n')
    path.symlink_to("../elsewhere")


def unix_socket(path: Path) -> None:
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("Windows has no sockets of this kind")
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


LEADS_OUT = "it is a symbolic link that leads out of the project"
KINDS: dict[Callable[[Path], object], str] = {
    endless: LEADS_OUT,
    fifo: "it is not a regular file",
    sparse: "is larger than 1000000 bytes",
    outside: LEADS_OUT,
    unix_socket: "it is not a regular file",
    loop: "Too many levels of symbolic links",
    os.mkdir: "Is a directory",
}


@pytest.mark.parametrize("name", [".suture.toml", "pyproject.toml"])
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_what_is_no_ordinary_file_of_the_project_is_refused_at_once(
    place: Place, name: str, make: Callable[[Path], object]
) -> None:
    make(place.root / name)
    for arguments in (["suture", "apply"], ["apply_patch"]):
        done = run_limited(place, *arguments, stdin=PATCH)
        assert (done.status, done.out) == (1, "")
        assert f"{name} " in done.err
        assert KINDS[make] in done.err
    assert (place.root / "app.py").read_text() == APP
    with pytest.raises(PatchInvalidError) as caught:
        load(str(place.root))
    assert caught.value.problems[0].details["reason"] == "configuration"
    assert run_limited(place, "suture", "log").status == 0


@pytest.mark.parametrize("make", [endless, fifo, sparse], ids=lambda make: make.__name__)
def test_the_file_of_the_user_is_read_in_the_same_way(place: Place, make: Callable[[Path], object]) -> None:
    path = place.root.parent / "home" / ".config" / "suture" / "config.toml"
    path.parent.mkdir(parents=True)
    make(path)
    done = run_limited(place, "suture", "apply", stdin=PATCH)
    assert done.status == 1
    assert "config.toml" in done.err


def test_links_that_stay_in_the_project_and_links_of_the_user_are_followed(place: Place) -> None:
    place.write("settings/project.toml", 'dialect = "codex"\n')
    (place.root / ".suture.toml").symlink_to("settings/project.toml")
    place.write("../dotfiles/suture.toml", 'deny = ["x"]\n')
    path = place.root.parent / "home" / ".config" / "suture" / "config.toml"
    path.parent.mkdir(parents=True)
    path.symlink_to(place.root.parent / "dotfiles" / "suture.toml")
    found = load(str(place.root))
    assert (found.dialect, found.deny) == ("codex", ("x",))


def test_a_link_that_leads_nowhere_is_no_file(place: Place) -> None:
    (place.root / ".suture.toml").symlink_to("nowhere.toml")
    assert load(str(place.root)).files == ()


def test_a_fifo_in_the_place_of_what_is_trusted_is_not_waited_for(place: Place) -> None:
    place.write(".suture.toml", '[[formatters]]\nglob = "*"\ncommand = ["x"]\n')
    state = place.root.parent / "state"
    state.mkdir()
    os.mkfifo(state / "trusted")
    assert load(str(place.root)).untrusted == ("formatters",)
    (state / "trusted").unlink()
    trust(str(place.root))
    assert load(str(place.root)).untrusted == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 200_000 + "a = 1\n", "its keys have too many parts"),
        ("deny = " + "[" * 5000, "it is nested too deeply"),
        ("max = " + "9" * 5000, "is not valid TOML"),
        ("deny = 0x" + "f" * 5000, "deny must be a list"),
        ('deny = ["' + "x" * (LONGEST_GLOB + 1) + '"]', "globs, each of at most 10,000 characters"),
        ("deny = [" + '"x", ' * (MOST_GLOBS + 1) + "]", "a list of at most 1,000 globs"),
        ("rules = [" + "{}, " * (MOST_TABLES + 1) + "]", "a list of at most 1,000 tables"),
        ('[encodings]\n"' + "x" * (LONGEST_GLOB + 1) + '" = "latin-1"', "encodings must have globs of paths"),
        ('[[formatters]]\nglob = "*.py"', "formatters[1].command is missing"),
        (
            '[[formatters]]\nglob = "*"\ncommand = ["x"]\ntimeout = 0x' + "f" * 5000,
            "formatters[1].timeout must be a positive number up to 1,000,000,000; found 0xfff",
        ),
        ("[limits]\nlock_timeout = inf", "limits.lock_timeout must be a positive number up to"),
        ("[limits]\nmax_size = 0x" + "f" * 5000, "limits.max_size must be a positive whole number up to"),
        ('[[rules]]\npermission = "edit"\nglob = "~/x"\naction = "deny"', "must be a glob that does not start with ~"),
    ],
    ids=[
        *("dots", "nested", "digits", "hexadecimal", "long glob", "globs", "rules", "encodings", "formatter"),
        *("timeout", "endless", "size", "home"),
    ],
)
def test_settings_that_would_take_forever_are_refused_and_shown_in_part(place: Place, text: str, message: str) -> None:
    place.write(".suture.toml", text)
    done = run_limited(place, "suture", "apply", stdin=PATCH)
    assert done.status == 1
    assert message in done.err
    assert len(done.err) < 100_000
    assert all(len(line) < 1000 for line in done.err.splitlines())


class TestRegularFiles:
    def test_a_file_is_read_up_to_the_limit(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"x" * 10)
        assert read_regular(str(tmp_path / "a"), 10) == read_project_file(str(tmp_path), "a", 10) == b"x" * 10
        with pytest.raises(FileTooLargeError):
            read_regular(str(tmp_path / "a"), 9)
        with pytest.raises(FileTooLargeError):
            read_project_file(str(tmp_path), "a", 9)

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no files that hide their size")
    def test_a_file_that_hides_its_size_is_read_up_to_the_limit_too(self) -> None:
        with pytest.raises(FileTooLargeError):
            read_regular("/proc/self/status", 100)

    def test_a_link_is_followed_only_if_it_may(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"x")
        (tmp_path / "b").symlink_to("a")
        assert read_regular(str(tmp_path / "b"), 10, follow_links=True) == b"x"
        with pytest.raises(OSError, match="symbolic links"):
            open_regular(str(tmp_path / "b"))

    def test_a_link_that_appears_after_the_check_is_not_followed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "root").mkdir()
        (tmp_path / "secret").write_text("s")
        (tmp_path / "root" / "a").symlink_to("../secret")
        monkeypatch.setattr(os.path, "realpath", str)
        with pytest.raises(OSError, match="symbolic links") as caught:
            read_project_file(str(tmp_path / "root"), "a", 10)
        assert caught.value.errno == errno.ELOOP

    def test_nothing_stays_open(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"x" * (LARGEST_SETTINGS_FILE + 1))
        os.mkfifo(tmp_path / "b")
        before = open_files()
        for name in "ab":
            with pytest.raises(OSError, match=r"limit|regular"):
                read_regular(str(tmp_path / name), 10)
            with pytest.raises(OSError, match=r"limit|regular"):
                read_project_file(str(tmp_path), name, 10)
        assert open_files() == before


@pytest.mark.parametrize("count", [MOST_FAULTS, MOST_FAULTS + 1])
def test_not_all_of_very_many_mistakes_are_named(count: int, place: Place) -> None:
    place.write(".suture.toml", "".join(f"key_{number} = 1\n" for number in range(count)))
    with pytest.raises(PatchInvalidError) as refused:
        load(str(place.root))
    assert len(refused.value.problems) == MOST_FAULTS
