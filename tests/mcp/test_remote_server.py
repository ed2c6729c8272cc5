"""A server on another machine, as docs/remote.md sets it up: through a real ssh, and through a program like it."""

from __future__ import annotations

import getpass
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.mcp.raw_client import APP, RawClient, make_project
from tests.shared.programs import BIN, Place

if TYPE_CHECKING:
    from pathlib import Path

#: Where Debian and others have the server of ssh, which need not be on the PATH.
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
#: Like ssh: the words are joined and read by a shell, which begins in the home directory with few variables.
LIKE_SSH = """#!/bin/sh
shift
cd "$HOME" && exec env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c "$*"
"""
SSHD_CONFIG = """HostKey {here}/host_key
AuthorizedKeysFile {here}/user_key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
"""


def like_ssh(here: Path) -> str:
    """The command line of a program that does what ssh does, on this machine."""
    program = here / "ssh"
    program.write_text(LIKE_SSH)
    program.chmod(0o755)
    return f"{program} devbox"


def real_ssh(here: Path) -> str:
    """The command line of a real ssh, whose server is started for the connection alone: no port is opened."""
    if SSHD is None or shutil.which("ssh") is None:
        pytest.skip("openssh is not installed")
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(here / name)], check=True)
    (here / "sshd_config").write_text(SSHD_CONFIG.format(here=here))
    settings = {
        "ProxyCommand": f"{SSHD} -i -f {here}/sshd_config",
        "IdentityFile": here / "user_key",
        "IdentitiesOnly": "yes",
        "UserKnownHostsFile": here / "known_hosts",
        "StrictHostKeyChecking": "accept-new",
        "BatchMode": "yes",
        "User": getpass.getuser(),
    }
    lines = "".join(f"  {name} {value}\n" for name, value in settings.items())
    (here / "config").write_text(f"Host devbox\n{lines}")
    program = f"ssh -F {here}/config devbox"
    done = subprocess.run([*program.split(), "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"sshd does not run here: {done.stderr.strip()[-200:]}")
    return program


@pytest.fixture(params=[like_ssh, real_ssh], ids=["like ssh", "ssh"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The command line that starts Suture for a project elsewhere, `far/project`."""
    (tmp_path / "far").mkdir()
    root = make_project(tmp_path / "far")
    here = tmp_path / "ssh"
    here.mkdir()
    state = f"env SUTURE_STATE_DIR={tmp_path}/far/state"
    return f"{request.param(here)} {state} {BIN / 'suture'} --root {root}"


def test_a_call_changes_the_files_of_the_other_machine(program: str, tmp_path: Path) -> None:
    (tmp_path / "near").mkdir()
    near, far = make_project(tmp_path / "near"), tmp_path / "far" / "project"
    with RawClient(near, "--approve", "client", program=program.split()) as client:
        assert "greet" in client.text("read", filePath="app.py")
        edit = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}
        assert "applied successfully" in client.text("edit", **edit)
    assert (near / "app.py").read_text() == APP
    assert (far / "app.py").read_text() == APP.replace("'Hi '", "'Hello '")


def test_a_client_is_set_up_for_it(program: str, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    place = Place(tmp_path / "place")
    assert place.suture("install", "cursor", "--yes", "--program", program).status == 0
    server = json.loads((place.root / ".cursor/mcp.json").read_text())["mcpServers"]["suture"]
    assert [server["command"], *server["args"]][: len(program.split())] == program.split()
    done = place.suture("doctor", "--client", "cursor")
    assert done.status == 0, done.out
    assert "the server starts and lists 7 tools" in done.out
