"""Notifications: a real command that is run once for each request, whatever is in the request."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import edit, edit_request
from tests.shared.reviews import until

from suture import PatchInvalidError
from suture.agent import ApprovalFolder
from suture.agent.configuration.find_settings import load
from suture.review import Inbox
from suture.review.inbox import InboxItem
from suture.review.notification import Notifier, desktop_command, has_desktop, notice, notify
from suture.state.state_folder import approvals_path

if TYPE_CHECKING:
    from pathlib import Path

#: Writes its arguments and its standard input to a new file.
RECORD = """
import json, os, sys
name = os.path.join(sys.argv[1], os.urandom(4).hex())
with open(name + ".new", "w") as file:
    json.dump([sys.argv[2:], json.load(sys.stdin)], file)
os.rename(name + ".new", name)
"""
HOSTILE = "--help\n$(touch /tmp/x); `id` 'a' \"b\" {title} <b>&\x1b[2J"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


def recording(notes: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-c", RECORD, str(notes), *arguments]


def recorded(notes: Path, count: int) -> list[tuple[list[str], list[dict[str, object]]]]:
    files = until(lambda: found if len(found := [p for p in notes.iterdir() if not p.suffix]) >= count else None)
    return [json.loads(path.read_text()) for path in files]


def test_a_request_is_told_about_once_even_if_two_reviews_are_open(tmp_path: Path, notes: Path) -> None:
    folder = ApprovalFolder(approvals_path(str(tmp_path)))
    folder.put(edit_request("r0"))
    command = recording(notes, "{title}", "{message}")
    with Notifier(Inbox(), command), Notifier(Inbox(), command):
        folder.put(edit_request("r1"))
        recorded(notes, 1)
        folder.put(edit_request("r2"))
        found = recorded(notes, 2)
    assert sorted(request["id"] for _, requests in found for request in requests) == ["r1", "r2"]  # type: ignore[type-var]
    assert found[0][0] == ["Suture: an edit waits for an answer", "Request: An agent wants to edit a.py"]


def test_what_is_in_a_request_is_neither_code_nor_an_option(notes: Path) -> None:
    item = InboxItem(edit(HOSTILE).replace(actor=HOSTILE), "0")
    assert notify(recording(notes, "{message}", "x{title}"), [item]) == ""
    (((message, title), (request,)),) = recorded(notes, 1)
    assert message.startswith("Request: --help⟨U+000A⟩$(touch /tmp/x); `id`")
    assert message.isprintable()
    assert title == "xSuture: an edit waits for an answer"
    assert request["actor"] == HOSTILE


def test_markup_in_a_name_is_no_markup_on_the_desktop(tmp_path: Path, notes: Path) -> None:
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf %s "$2" > {notes}/said\n')
    program.chmod(0o755)
    assert notify([str(program), "{title}", "{message}"], [InboxItem(edit("<b>&.py"), "0")]) == ""
    assert (notes / "said").read_text() == "Request: An agent wants to edit &lt;b&gt;&amp;.py"


def test_several_requests_at_once_are_one_notification(notes: Path) -> None:
    title, message = notice([InboxItem(edit(f"{number}.py"), "0") for number in range(5)])
    assert title == "Suture: 5 requests wait for an answer"
    assert message.endswith("edit 2.py; and 2 more")
    assert list(notes.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/nowhere/program"], "/nowhere/program: No such file or directory"),
        ([sys.executable, "-c", "import sys; sys.exit('no display')"], "ended with status 1: no display"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], "did not end within 0.2 seconds"),
        (["a\0b"], "embedded null byte"),
    ],
)
def test_a_command_that_fails_is_reported(command: list[str], reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sleep" in command[-1]:
        monkeypatch.setattr("suture.review.notification.TIMEOUT", 0.2)
    assert reason in notify(command, [InboxItem(edit_request(), "0")])


def test_a_failure_is_reported_once_and_does_not_stop_the_notifier(tmp_path: Path) -> None:
    folder = ApprovalFolder(approvals_path(str(tmp_path)))
    said: list[str] = []
    with Notifier(Inbox(), ["/nowhere/program"], report=said.append):
        for name in ("r1", "r2"):
            folder.put(edit_request(name))
            until((folder.path / name / "noticed").exists)
    assert said == ["The notification failed: /nowhere/program: No such file or directory"]


def test_off_and_a_machine_without_a_desktop_need_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert desktop_command() == ()
    for how in ("off", "desktop"):
        with Notifier(Inbox(), how) as notifier:
            assert not notifier._thread.is_alive()


def test_the_desktop_is_told_by_its_own_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("notify-send", "osascript"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(sys, "platform", "linux")
    assert desktop_command() == ("notify-send", "--app-name=suture", "--", "{title}", "{message}")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert (desktop_command()[0], desktop_command()[-2:]) == ("osascript", ("{title}", "{message}"))


@pytest.mark.parametrize(
    ("system", "display", "expected"),
    [("linux", "", False), ("linux", ":0", True), ("darwin", "", True), ("win32", "", True)],
)
def test_windows_and_macos_have_a_desktop(
    system: str, display: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr(sys, "platform", system)
    assert has_desktop() == expected


def test_only_the_user_can_say_which_command_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "suture").mkdir(parents=True)
    own = tmp_path / "config" / "suture" / "config.toml"
    project = tmp_path / "project"
    project.mkdir()
    assert load(str(project)).notify == "desktop"
    own.write_text('notify = ["say", "{message}"]\n')
    assert load(str(project)).notify == ("say", "{message}")
    own.write_text('notify = "off"\n')
    assert load(str(project)).notify == "off"
    for wrong in ('"say"', "[]", "true", '["a", 1]'):
        own.write_text(f"notify = {wrong}\n")
        with pytest.raises(PatchInvalidError, match="notify must be desktop, off, or a list"):
            load(str(project))
    own.unlink()
    (project / ".suture.toml").write_text('notify = ["say"]\n')
    with pytest.raises(PatchInvalidError, match="can only be set in the user's own file"):
        load(str(project))


def test_of_a_notification_that_works_nothing_is_reported(tmp_path: Path, notes: Path) -> None:
    folder = ApprovalFolder(approvals_path(str(tmp_path)))
    said: list[str] = []
    with Notifier(Inbox(), recording(notes, "{title}"), report=said.append):
        for count, name in enumerate(("r1", "r2"), 1):
            folder.put(edit_request(name))
            recorded(notes, count)
    assert said == []
