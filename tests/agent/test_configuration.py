"""Configuration: what a project and its user can set, what a project may not, and what is said about mistakes."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.programs import APP, Place, compare, patch, update

from suture import PatchInvalidError, Session, Workspace
from suture.agent.configuration import Configuration, load, trust
from suture.agent.configuration.settings import KEYS, LISTS, TABLES
from suture.core.text_encodings import TEXT_ENCODINGS

if TYPE_CHECKING:
    from collections.abc import Callable

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
FORMATTER = '[[formatters]]\nglob = "*.py"\ncommand = ["touch", "ran"]\n'
ALLOW_ALL = '[[rules]]\npermission = "*"\nglob = "**"\naction = "allow"\n'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    for name in ("HOME", "USERPROFILE", "APPDATA", "SUTURE_STATE_DIR"):
        monkeypatch.setenv(name, made.environment[name])
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
        made.environment.pop(name, None)
    return made


def user(place: Place, text: str) -> None:
    place.write("../home/.config/suture/config.toml", text)


def problems(place: Place) -> list[str]:
    with pytest.raises(PatchInvalidError) as caught:
        load(str(place.root))
    assert {problem.details["reason"] for problem in caught.value.problems} == {"configuration"}
    return [place.stable(problem.message) for problem in caught.value.problems]


def test_without_a_file_everything_is_as_by_default(place: Place) -> None:
    assert load(str(place.root)) == Configuration()
    place.write("pyproject.toml", '[project]\nname = "suture-user"\n')
    assert load(str(place.root)) == Configuration()


@pytest.mark.parametrize(
    ("name", "write"),
    [(".suture.toml", lambda text: text), ("pyproject.toml", lambda text: f"[tool.suture]\n{text}")],
)
def test_either_file_of_a_project_is_read(place: Place, name: str, write: Callable[[str], str]) -> None:
    text = 'dialect = "codex"\nallow = ["src/**"]\ndeny = ["src/old/**"]\ndurability = "process"\n'
    place.write(name, write(text))
    found = load(str(place.root))
    assert found.files == (str(place.root / name),)
    assert found.workspace_settings() == {
        "dialect": "codex",
        "allow": ("src/**",),
        "deny": ("src/old/**",),
        "lift": (),
        "encodings": (),
        "durability": "process",
    }


def test_a_directory_below_has_the_configuration_of_its_project(place: Place) -> None:
    place.write(".suture.toml", 'dialect = "strict"\n')
    place.write("a/b/c", "")
    assert load(str(place.root / "a/b")).dialect == "strict"
    assert load(str(place.root / "a/b"), upward=False).dialect == "standard"


def test_both_files_of_a_project_are_a_mistake(place: Place) -> None:
    place.write(".suture.toml", "")
    place.write("pyproject.toml", "[tool.suture]\n")
    assert problems(place) == ["Both .suture.toml and pyproject.toml in <root> have settings of Suture."]


@pytest.mark.parametrize("mistake", ['"perl"', "["])
def test_a_commit_that_breaks_the_settings_can_be_undone(place: Place, mistake: str) -> None:
    place.write(".suture.toml", 'dialect = "codex"\n')
    assert place.suture("edit", ".suture.toml", "--old", '"codex"', "--new", mistake).status == 0
    assert place.suture("edit", "app.py", "--old", "return 1", "--new", "return 5").status == 1
    assert place.suture("log").status == 0
    assert place.suture("undo").status == 0
    assert place.files()[".suture.toml"] == 'dialect = "codex"\n'


def test_the_settings_of_a_pyproject_are_a_table(place: Place) -> None:
    place.write("pyproject.toml", "[tool]\nsuture = 5\n")
    assert problems(place) == ["<root>/pyproject.toml: tool.suture must be a table."]


def test_every_mistake_is_told_with_file_and_key_and_what_is_allowed(place: Place) -> None:
    text = """
dialect = "perl"
allow = "src"
durability = 3
colour = "red"
lift = [".env"]
rules = [{permission = "edit", glob = "**", action = "maybe"}, {glob = "x"}, 3]
[limits]
max_size = 0
lock_timeout = true
keep_days = 1
[diagnostics]
command = []
[[formatters]]
glob = "*.py"
command = "black"
"""
    place.write(".suture.toml", text)
    compare("configuration-mistakes", "\n".join(problems(place)) + "\n")
    done = place.suture("apply", stdin=ONE)
    assert (done.status, done.out) == (1, "")
    assert 'dialect must be one of standard, codex, opencode, strict; found "perl".' in done.err
    assert place.run("apply_patch", stdin=ONE).status == 1
    assert place.files()["app.py"] == APP


@pytest.mark.parametrize(
    "data",
    [b"x = ", b"\xff\xfe", b"a = " + b"[" * 200_000, b"# " + b"x" * 2_000_000],
    ids=["cut off", "not UTF-8", "too deep", "too large"],
)
def test_garbage_is_a_clear_error(place: Place, data: bytes) -> None:
    place.write(".suture.toml", data)
    (message,) = problems(place)
    assert message.startswith("<root>/.suture.toml is ")
    done = place.suture("doctor")
    assert done.status == 1
    assert "WRONG configuration" in done.out


def test_a_directory_in_place_of_the_file(place: Place) -> None:
    place.write(".suture.toml/x", "")
    assert problems(place) == ["<root>/.suture.toml cannot be read: Is a directory."]


class TestTheUsersWord:
    """A project's file can be written by a model: it can make things stricter, and nothing else."""

    def test_the_users_file_wins(self, place: Place) -> None:
        user(place, 'dialect = "strict"\nallow = ["a/**"]\ndeny = ["x"]\nlift = [".env"]\n[limits]\nmax_size = 70\n')
        place.write(".suture.toml", 'dialect = "codex"\nallow = ["**"]\ndeny = ["y"]\n[limits]\nmax_size = 90\n')
        found = load(str(place.root))
        assert (found.dialect, found.allow, found.deny, found.lift) == ("strict", ("a/**",), ("x", "y"), (".env",))
        assert found.limits == {"max_size": 70}

    @pytest.mark.parametrize("text", ['lift = ["**/.env"]', "[limits]\nkeep_days = 1", "[limits]\nkeep_bytes = 1"])
    def test_what_only_the_user_may_set(self, place: Place, text: str) -> None:
        place.write(".suture.toml", text)
        (message,) = problems(place)
        assert message.endswith("can only be set in the user's own file.")
        place.write(".suture.toml", "")
        user(place, text)
        assert load(str(place.root)).files == (
            f"{place.environment['HOME']}/.config/suture/config.toml",
            str(place.root / ".suture.toml"),
        )

    def test_a_project_lowers_limits_and_never_raises_them(self, place: Place) -> None:
        place.write(".suture.toml", "[limits]\nmax_size = 100\nlock_timeout = 1e9\n")
        assert load(str(place.root)).limits == {"max_size": 100, "lock_timeout": 10.0}

    def test_programs_and_permissions_need_trust(self, place: Place) -> None:
        deny = '[[rules]]\npermission = "edit"\nglob = "lib/**"\naction = "deny"\n'
        place.write(".suture.toml", f"diagnostics = {{language_servers = true}}\n{deny}{ALLOW_ALL}{FORMATTER}")
        found = load(str(place.root))
        assert found.untrusted == ("formatters", "diagnostics", "rules[2]")
        assert (found.formatters, found.diagnostics) == ((), {})
        assert found.rules == (("edit", "lib/**", "deny"),)
        assert load(str(place.root), trusted=True).untrusted == ()

    @pytest.mark.parametrize("name", sorted(TEXT_ENCODINGS))
    def test_an_encoding_that_hides_ascii_needs_trust(self, place: Place, name: str) -> None:
        """A person would read a letter where a shell reads `|`: two bytes of one letter, of which one is ASCII."""
        letters = [(one, one.encode(name, "ignore")) for one in map(chr, range(0x80, 0xFFFF))]
        # What does not come back as it was is never written.
        written = [data for one, data in letters if data and data.decode(name, "replace") == one]
        hides = any(byte < 0x80 for data in written for byte in data)
        place.write(".suture.toml", f'[encodings]\n"*.sh" = "{name}"\n"*.txt" = "latin-1"\n')
        found = load(str(place.root))
        assert found.untrusted == (('encodings."*.sh"',) if hides else ())
        assert [glob for glob, _ in found.encodings] == (["*.txt"] if hides else ["*.sh", "*.txt"])
        assert len(load(str(place.root), trusted=True).encodings) == 2

    def test_trust_ends_with_the_next_change(self, place: Place) -> None:
        place.write(".suture.toml", FORMATTER)
        assert trust(str(place.root)) == ("formatters",)
        assert load(str(place.root)).formatters == (("*.py", ("touch", "ran"), 10.0),)
        place.write(".suture.toml", f"# only a comment\n{FORMATTER}")
        assert load(str(place.root)).untrusted == ()
        place.write(".suture.toml", FORMATTER.replace("touch", "rm"))
        assert load(str(place.root)).untrusted == ("formatters",)
        place.write(".suture.toml", FORMATTER)
        assert trust(str(place.root), revoke=True) == ("formatters",)
        assert load(str(place.root)).untrusted == ("formatters",)

    def test_trust_is_for_one_place(self, place: Place) -> None:
        place.write(".suture.toml", FORMATTER)
        trust(str(place.root))
        place.write("copy/.suture.toml", FORMATTER)
        assert load(str(place.root / "copy")).untrusted == ("formatters",)

    def test_the_command_says_what_it_trusts(self, place: Place) -> None:
        place.write(".suture.toml", FORMATTER)
        done = place.suture("doctor")
        assert (
            "note  configuration    not trusted, so left out: formatters. To trust the file: suture trust\n" in done.out
        )
        assert place.suture("trust").out == "These settings are trusted until one of them changes: formatters.\n"
        assert "not trusted" not in place.suture("doctor").out
        assert place.suture("trust", "--revoke").out == "These settings are no longer trusted: formatters.\n"
        place.write(".suture.toml", "")
        assert place.suture("trust").out == "The configuration has no setting that needs to be trusted.\n"

    def test_the_users_rules_are_asked_first(self, place: Place) -> None:
        user(place, ALLOW_ALL.replace("allow", "deny"))
        place.write(".suture.toml", ALLOW_ALL.replace("allow", "ask"))
        assert [rule[2] for rule in load(str(place.root)).rules] == ["ask", "deny"]


class TestSurfaces:
    def test_both_programs_deny_what_is_denied(self, place: Place) -> None:
        place.write(".suture.toml", 'deny = ["app.py"]\n')
        person, model = place.suture("apply", stdin=ONE), place.run("apply_patch", stdin=ONE)
        for done in (person, model):
            assert done.status == 1
            assert "app.py may not be touched: it matches app.py, which is denied." in done.err
        assert "To allow it, remove it from deny in the configuration." in person.err
        assert "The user can allow it with deny in the configuration." in model.err

    def test_the_dialect_is_the_default_and_a_flag_wins(self, place: Place) -> None:
        place.write(".suture.toml", 'dialect = "strict"\n')
        fenced = f"```\n{ONE}```\n"
        assert place.suture("check", stdin=fenced).status == 1
        assert place.suture("check", "--dialect", "standard", stdin=fenced).status == 0
        assert '"dialect": "strict"' in place.suture("parse", stdin=ONE).out

    def test_the_users_lift_reaches_the_programs(self, place: Place) -> None:
        user(place, 'lift = ["**/.env"]\n')
        place.write(".env", "A=1\n")
        assert place.suture("edit", ".env", "--old", "A=1", "--new", "A=2").status == 0

    def test_a_session_runs_by_it(self, place: Place) -> None:
        script = "import sys; print(sys.stdin.read().replace('x', 'formatted'), end='')"
        command = [sys.executable, "-c", script]
        user(
            place,
            f"{ALLOW_ALL}[[formatters]]\nglob = '*.txt'\ncommand = {command!r}\n[limits]\ndiagnostics_timeout = 1\n",
        )
        found = load(str(place.root))

        async def run() -> None:
            with Workspace(place.root, **found.workspace_settings()) as workspace:
                async with Session(workspace, **found.session_settings(workspace.root)) as session:
                    assert session.diagnostics_timeout == 1
                    await session.write("new.txt", "x\n")

        asyncio.run(run())
        assert place.files()["new.txt"] == "formatted\n"

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("{language_servers = true}", "LanguageServers"),
            ('{command = ["ruff", "check"], endings = [".py"], stdin = true}', "CommandDiagnoser"),
        ],
    )
    def test_a_session_gets_its_diagnoser(self, place: Place, text: str, kind: str) -> None:
        user(place, f"diagnostics = {text}\n")
        settings: dict[str, Any] = load(str(place.root)).session_settings(str(place.root))
        assert type(settings["diagnoser"]).__name__ == kind


def test_the_page_lists_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs/configuration.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `([\w.\[\]]+)` \|", page, re.MULTILINE))
    tables = {f"{name}.{key}" for name, keys in TABLES.items() for key in keys}
    lists = {f"{name}[].{key}" for name, keys in LISTS.items() for key in keys}
    assert listed == (KEYS.keys() - TABLES.keys() - LISTS.keys()) | tables | lists


class TestRulesOnTheCommandLine:
    RULES = (
        '[[rules]]\npermission = "edit"\nglob = "*.py"\naction = "deny"\n'
        '[[rules]]\npermission = "edit"\nglob = "ok.py"\naction = "ask"\n'
    )

    @pytest.mark.parametrize("program", ["suture", "apply_patch"])
    def test_what_a_rule_denies_is_refused_with_the_rule_and_the_way_to_allow_it(
        self, place: Place, program: str
    ) -> None:
        place.write(".suture.toml", self.RULES)
        done = place.run(program, *(["apply"] if program == "suture" else []), stdin=ONE)
        assert done.status == 1
        assert place.files()["app.py"] == APP
        compare(f"rule-{program}", done.err)

    def test_a_person_can_allow_it_and_a_rule_that_asks_asks_nobody(self, place: Place) -> None:
        place.write(".suture.toml", self.RULES)
        place.write("ok.py", APP)
        assert place.suture("apply", "--allow", "app.py", stdin=ONE).status == 0
        assert place.suture("apply", stdin=ONE.replace("app.py", "ok.py")).status == 0
        assert place.suture("edit", "app.py", "--old", "return 2", "--new", "return 3").status == 1
        assert place.suture("undo").status == 0
        place.environment["SUTURE_ALLOW"] = "*.py"
        assert place.run("apply_patch", stdin=ONE.replace("app.py", "ok.py")).status == 0
