"""The text that teaches a model the format, word for word, and held to what the engine really does.

To write the golden files anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/format/test_instructions.py
"""

from __future__ import annotations

import re

import pytest
from tests.shared.goldens import compare

from suture import DIALECTS, Dialect, PatchInvalidError, PatchRejectedError, apply_in_memory, instructions, parse
from suture.format import parse_invocation

APP = """\
import sys


class Greeter:
    def load(self):
        self.names = []
        self.count = 0

    def greet(self, name):
        name = name.strip()
        self.count += 1
        print("Hi " + name)
        self.names.append(name)
        self.save()
        return name


def main():
    greeter = Greeter()
    greeter.load()
    for name in sys.argv[1:]:
        greeter.greet(name)
"""
BEFORE = {"src/app.py": APP, "docs/index.md": "# Index\n", "obsolete.txt": "old\n", "old.txt": "old\n"}
AFTER = {
    "docs/index.md": "# Index\n",
    "docs/greeting.md": "# Greeting\n\nIt greets everybody by name.\n",
    "old.txt": "old\n",
    "src/main.py": APP.replace('"Hi " + name', 'f"Hello, {name}!"').replace("greet(name)", "greet(name.title())"),
}

each_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


def fenced(text: str, language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def envelope(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


def applied(dialect: Dialect, texts: dict[str, str], *lines: str) -> dict[str, str | bytes] | str:
    """What becomes of the texts, or the code of what is wrong."""
    try:
        return dict(apply_in_memory(envelope(*lines), texts, dialect=dialect).texts)
    except (PatchInvalidError, PatchRejectedError) as refused:
        return refused.problems[0].code


#: The golden files, and whether they tell of the shell.
GOLDEN = {**dict.fromkeys(DIALECTS, False), "codex-shell": True}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_instructions_are_these_word_for_word(name: str) -> None:
    text = instructions(name.partition("-")[0], in_shell=GOLDEN[name])
    compare(f"instructions-{name}.txt", text)


def test_the_default_is_the_standard_dialect() -> None:
    assert instructions() == instructions("standard")


def test_a_dialect_that_is_not_there_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="klingon"):
        instructions("klingon")


@each_dialect
def test_every_example_can_be_read_and_applied(dialect: Dialect) -> None:
    """ "A test that every example inside the text parses in that dialect and applies." """
    (example,) = fenced(instructions(dialect))
    patch = parse(example, dialect)
    assert patch.concessions == ()
    done = apply_in_memory(example, BEFORE, dialect=dialect)
    assert done.plan.concessions == ()
    assert done.texts == AFTER


@each_dialect
def test_the_call_in_a_shell_is_an_invocation(dialect: Dialect) -> None:
    (script,) = fenced(instructions(dialect, in_shell=True), "sh")
    invocation = parse_invocation(["bash", "-lc", script], "/work", dialect=dialect)
    assert invocation is not None
    assert apply_in_memory(invocation.text, BEFORE, dialect=dialect).plan.changes[0].kind == "delete"


@each_dialect
def test_no_envelope_is_shown_that_is_no_example(dialect: Dialect) -> None:
    text = instructions(dialect, in_shell=True)
    assert text.count("\n*** Begin Patch\n") == len(fenced(text)) + len(fenced(text, "sh")) == 2


@each_dialect
def test_what_is_said_of_paths_that_are_taken_is_so(dialect: Dialect) -> None:
    taken = applied(dialect, {"a": "x\n"}, "*** Add File: a", "+y")
    if "a new or renamed file, it is replaced" in instructions(dialect):
        assert isinstance(taken, dict)
    else:
        assert taken == "already_exists"


@each_dialect
def test_what_is_said_of_folders_is_so(dialect: Dialect) -> None:
    made = applied(dialect, {}, "*** Add File: new/a", "+y")
    assert isinstance(made, dict) == ("Missing directories are created." in instructions(dialect))


@each_dialect
def test_what_is_said_of_absolute_paths_is_so(dialect: Dialect) -> None:
    taken = applied(dialect, {"a": "x\n"}, "*** Delete File: /a")
    assert isinstance(taken, dict) == ("Absolute paths are refused." not in instructions(dialect))


@each_dialect
def test_what_is_said_of_the_final_newline_is_so(dialect: Dialect) -> None:
    text = instructions(dialect)
    plain = applied(dialect, {}, "*** Add File: a", "+y")
    blank = applied(dialect, {}, "*** Add File: a", "+y", "+")
    assert plain == {"a": "y" if "gets no newline" in text else "y\n"}
    # What `+` alone adds is a line; only where that line ends the file has it no newline of its own.
    assert blank == {"a": "y\n" if "that is only `+`" in text or "line is only `+`" in text else "y\n\n"}


@each_dialect
def test_what_is_said_of_several_places_is_so(dialect: Dialect) -> None:
    done = applied(dialect, {"a": "x\ny\nx\n"}, "*** Update File: a", "@@", "-x", "+z")
    if "the first one after the previous hunk is changed" in instructions(dialect):
        assert done == {"a": "z\ny\nx\n"}
    else:
        assert done == "multiple_matches"


@each_dialect
def test_what_is_said_of_the_line_behind_the_header_is_so(dialect: Dialect) -> None:
    done = applied(dialect, {"a": "f:\n  x\ng:\n  x\n"}, "*** Update File: a", "@@ g:", "-  x", "+  z")
    assert isinstance(done, dict) == ("copy its line after `@@`" in instructions(dialect))


@each_dialect
def test_what_is_said_of_added_lines_alone_is_so(dialect: Dialect) -> None:
    text = instructions(dialect)
    below = applied(dialect, {"a": "f:\ng:\n"}, "*** Update File: a", "@@ f:", "+  z")
    alone = applied(dialect, {"a": "f:\ng:\n"}, "*** Update File: a", "@@", "+  z")
    assert (below == {"a": "f:\n  z\ng:\n"}) == ("goes below the line named after `@@`" in text)
    assert (alone == {"a": "f:\ng:\n  z\n"}) == ("or without one to the end of the file" in text)


@each_dialect
def test_what_is_said_of_the_end_of_the_file_is_so(dialect: Dialect) -> None:
    text = instructions(dialect)
    done = applied(dialect, {"a": "x\ny\nx\n"}, "*** Update File: a", "@@", "-x", "+z", "*** End of File")
    assert (done == {"a": "x\ny\nz\n"}) == ("*** End of File" in text)
    bare = applied(dialect, {"a": "x\ny\n"}, "*** Update File: a", "@@", "-y", "+z", "\\ No newline at end of file")
    assert (bare == {"a": "x\nz"}) == ("\\ No newline at end of file" in text)


@each_dialect
def test_what_is_said_of_updates_that_change_nothing_is_so(dialect: Dialect) -> None:
    done = applied(dialect, {"a": "one line\ntwo\n"}, "*** Update File: a", "@@", " one line")
    assert (done == "no_change") == ("An update that changes nothing is refused." in instructions(dialect))


def test_a_dialect_of_ones_own_is_taught_by_its_choices() -> None:
    mine = DIALECTS["standard"].replace(name="mine", overwrite=True, make_parents=False)
    text = instructions(mine)
    assert "is replaced. Directories must already exist." in text
    assert text != instructions("standard")
