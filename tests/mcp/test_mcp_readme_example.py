"""The example of the README, sent once, twice and three times to a real server, in every profile.

The second call follows the first at once. Before the third, the file is read again if the profile has `read`, so that
the session forgets the first call. The user is only asked about a call that would change something.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.servers import APPROVE, ERAS, Form, make_project, problems_of, run, stdio, text_of
from tests.project.test_readme_example import OFF, PATCH, SETTINGS

from suture import DIALECTS
from suture.agent.profiles import PROFILES
from suture.agent.tools import snake_case

if TYPE_CHECKING:
    from pathlib import Path

OLD = "class Development:\n    debug = True\n"
NEW = OLD.replace("True", "False")
#: `strict` ignores the text after `@@`, so that two places fit.
DIALECTS_WITH_ANCHORS = [dialect for dialect in DIALECTS if dialect != "strict"]

each_era = pytest.mark.parametrize("era", ERAS)


def profiles_with(tool: str) -> list[str]:
    return [name for name, profile in PROFILES.items() if tool in profile.tools]


each_profile_with_apply_patch = pytest.mark.parametrize("profile", profiles_with("apply_patch"))
each_profile_with_edit = pytest.mark.parametrize("profile", profiles_with("edit"))
each_profile_with_multiedit = pytest.mark.parametrize("profile", profiles_with("multiedit"))


def named(profile: str, **arguments: Any) -> dict[str, Any]:
    """Arguments with the names that a profile shows to its models."""
    if not PROFILES[profile].snake_case:
        return arguments
    return {snake_case(name): value for name, value in arguments.items()}


class ThreeCalls:
    """The same call, sent three times to a server: the answers, the file after each, and what the user was asked."""

    def __init__(self, place: Path, era: str, profile: str, *, dialect: str = "standard") -> None:
        self.root = make_project(place)
        (self.root / ".suture.toml").write_text(f'dialect = "{dialect}"\n')
        self.file = self.root / "settings.py"
        self.file.write_bytes(SETTINGS.encode())
        self.era = era
        self.profile = profile
        self.form = Form(APPROVE)
        self.answers: list[Any] = []
        self.contents: list[bytes] = []

    def send(self, tool: str, **arguments: Any) -> None:
        run(self._send(tool, named(self.profile, **arguments)))

    async def _send(self, tool: str, arguments: dict[str, Any]) -> None:
        names = PROFILES[self.profile].tools
        options = ("--profile", self.profile)
        async with stdio(self.root, self.era, *options, elicitation_callback=self.form) as agent:
            for number in range(3):
                if number != 1 and "read" in names:
                    await agent.call(names["read"], **named(self.profile, filePath="settings.py"))
                self.answers.append(await agent.call(names[tool], **arguments))
                self.contents.append(self.file.read_bytes())

    def check_applied_once(self, refusal: str) -> None:
        """The first call was applied; the others were refused as applied, with a message that begins like this."""
        assert [answer.is_error for answer in self.answers] == [False, True, True], text_of(self.answers[0])
        assert self.contents == [OFF.encode()] * 3
        assert len(self.form.shown) == 1
        for answer in self.answers[1:]:
            [problem] = problems_of(answer)
            assert problem.endswith(" already_applied")
            check_refusal(text_of(answer), refusal)


def check_refusal(text: str, beginning: str) -> None:
    assert text.startswith(beginning)
    assert text.endswith("\nNo file was changed.")
    assert not re.search(r"--\w", text), "a model has no options of a command line"


@each_era
@pytest.mark.parametrize("dialect", DIALECTS_WITH_ANCHORS)
@each_profile_with_apply_patch
def test_a_patch_is_applied_once_and_then_refused_as_applied(
    profile: str, dialect: str, era: str, tmp_path: Path
) -> None:
    calls = ThreeCalls(tmp_path, era, profile, dialect=dialect)
    calls.send("apply_patch", patchText=PATCH)
    place = "its new text is in settings.py at line 2."
    calls.check_applied_once(f"Hunk 1 of 1 (patch line 3) seems to be applied already: {place}\n")


@each_era
@each_profile_with_apply_patch
def test_a_strict_patch_that_fits_both_classes_is_never_applied(profile: str, era: str, tmp_path: Path) -> None:
    calls = ThreeCalls(tmp_path, era, profile, dialect="strict")
    calls.send("apply_patch", patchText=PATCH)
    assert [answer.is_error for answer in calls.answers] == [True] * 3
    assert calls.contents == [SETTINGS.encode()] * 3
    assert not calls.form.shown
    for answer in calls.answers:
        check_refusal(text_of(answer), "Hunk 1 of 1 (patch line 3) fits 2 places in settings.py:\n")


def applied_edit(profile: str) -> str:
    """How the refusal of an edit that was applied begins, with the profile's names of the arguments."""
    old, new = named(profile, oldString=OLD, newString=NEW)
    place = f"{old} not found in content of settings.py, but {new} is at lines 1-2."
    return f"{place} The edit seems to be applied already.\n"


@each_era
@each_profile_with_edit
def test_an_edit_is_applied_once_and_then_refused_as_applied(profile: str, era: str, tmp_path: Path) -> None:
    calls = ThreeCalls(tmp_path, era, profile)
    calls.send("edit", filePath="settings.py", oldString=OLD, newString=NEW)
    calls.check_applied_once(applied_edit(profile))


@each_era
@each_profile_with_multiedit
def test_a_multiedit_is_applied_once_and_then_refused_as_applied(profile: str, era: str, tmp_path: Path) -> None:
    calls = ThreeCalls(tmp_path, era, profile)
    calls.send("multiedit", filePath="settings.py", edits=[named(profile, oldString=OLD, newString=NEW)])
    calls.check_applied_once(applied_edit(profile))
