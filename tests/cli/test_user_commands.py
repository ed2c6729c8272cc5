"""Command lines of the user, as in `VISUAL`, `PAGER` and `suture install --program`."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.programs import Place
from tests.shared.terminals import Terminal

from suture.cli.editor import edit_text
from suture.cli.user_commands import split_words, user_command

if TYPE_CHECKING:
    from pathlib import Path


@given(st.text(alphabet="ab \t'\"\\#;$\n", max_size=20))
def test_elsewhere_words_are_those_of_a_shell(text: str) -> None:
    try:
        expected = shlex.split(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"closing quotation|escaped character"):
            split_words(text, escapes=True)
    else:
        assert split_words(text, escapes=True) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C:\\Windows\\notepad.exe", ["C:\\Windows\\notepad.exe"]),
        ('"C:\\Program Files\\Edit\\edit.exe" -w', ["C:\\Program Files\\Edit\\edit.exe", "-w"]),
        ("ssh devbox suture --root C:\\src\\new", ["ssh", "devbox", "suture", "--root", "C:\\src\\new"]),
        ("", []),
    ],
)
def test_on_windows_a_backslash_is_a_part_of_a_path(text: str, words: list[str]) -> None:
    assert split_words(text, escapes=False) == words


def test_on_windows_a_script_is_found_by_its_whole_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.cli.user_commands.which", {"code": "C:\\bin\\code.CMD"}.get)
    assert user_command("code --wait", windows=True) == ["C:\\bin\\code.CMD", "--wait"]
    assert user_command("code --wait", windows=False) == ["code", "--wait"]


def test_the_editor_is_started_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "my editor.py"
    script.write_text("import sys\nfile = sys.argv[1]\nopen(file, 'a').write('two\\n')\n", "utf-8")
    monkeypatch.setenv("VISUAL", f'"{sys.executable}" "{os.path.normpath(script)}"')
    assert edit_text("one\n") == "one\ntwo\n"


@pytest.mark.skipif(os.name == "nt", reason="the pager is a shell script")
@pytest.mark.parametrize("folder", [".", ""], ids=["dot", "empty"])
def test_no_pager_of_the_current_directory_is_run(tmp_path: Path, folder: str) -> None:
    place = Place(tmp_path)
    place.write("own-pager", "#!/bin/sh\ntouch was-run\ncat\n").chmod(0o755)
    path = os.pathsep.join([folder, place.environment["PATH"]])
    place.environment |= {"TERM": "xterm", "LINES": "5", "SUTURE_PAGER": "./own-pager", "PATH": path}
    place.write("a.txt", "".join(f"{number}\n" for number in range(40)))
    place.write("b.txt", "")
    Terminal(place, "diff", "a.txt", "b.txt").end()
    assert (place.root / "was-run").exists(), "a path means what is there"
    (place.root / "was-run").unlink()
    place.environment["SUTURE_PAGER"] = "own-pager"
    Terminal(place, "diff", "a.txt", "b.txt").end()
    assert not (place.root / "was-run").exists()
