"""The sub-commands of `suture` as data: what each is called, takes and is good for.

Help texts, the reading of arguments and the completion of shells are all made from this table; `run` of the module that
a command names does the work. Nothing is loaded here but what the table is made of.
"""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class Option(Value):
    """An option: its flags, the short one first; what it says; the name of its value, where it takes one."""

    flags: tuple[str, ...]
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    default: str | None = None
    many: bool = False
    #: Whether its value is the name of a file or a folder, for completion.
    names: Literal["", "file", "folder"] = ""

    @property
    def key(self) -> str:
        """Its name in the arguments that were read."""
        return self.flags[-1].lstrip("-").replace("-", "_")


class Argument(Value):
    """An argument without a flag, and how many of it there are."""

    name: str
    help: str
    count: Literal["one", "maybe", "any"] = "one"
    names: Literal["", "file", "shell"] = "file"


class Command(Value):
    """A sub-command, and the module of `commands` that does it."""

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    #: What it does, beyond the summary.
    about: str = ""
    #: Command lines with what they do.
    examples: tuple[tuple[str, str], ...] = ()


DIALECTS = ("standard", "codex", "opencode", "strict")

ROOT = Option(("--root",), "the workspace, instead of the current folder", "DIR", default=".", names="folder")
JSON = Option(("--json",), "print one JSON document, and nothing else")
DEBUG = Option(("--debug",), "show where an unexpected error came from")
COLOUR = Option(("--color",), "when to use colours", "WHEN", ("auto", "always", "never"), "auto")
NO_PAGER = Option(("--no-pager",), "never show long output in a pager")
#: What every command takes.
COMMON = (ROOT, JSON, COLOUR, NO_PAGER, DEBUG)

DIALECT = Option(("--dialect",), "how the patch is read and placed", "NAME", DIALECTS, "standard")
DRY_RUN = Option(("-n", "--dry-run"), "say what would happen, and write nothing")
EXPECT = Option(
    ("--expect",), "refuse if the file has another content (none after = means: no file)", "PATH=SHA256", many=True
)
DURABILITY = Option(
    ("--durability",), "what a commit survives: a loss of power, or a killed process", "HOW", ("full", "process")
)
ACTOR = Option(("--actor",), "who does it, for the history", "NAME")
DIFF = Option(("--diff",), "show the diff, as on a terminal")
NO_DIFF = Option(("--no-diff",), "don't show the diff, as in a pipe")
SHOWN = (DIFF, NO_DIFF)
WRITING = (EXPECT, DURABILITY, ACTOR, *SHOWN)

PATCHES = Argument("PATCH", "files with patches, in order; - or none for standard input", "any")
COMMIT = Argument("COMMIT", "the id of a commit, or the beginning of it", names="")

COMMANDS = (
    Command(
        "apply",
        "apply patches, all of them or nothing",
        (PATCHES,),
        (
            DIALECT,
            DRY_RUN,
            Option(("--no-atomic",), "one operation after another, up to the first that fails"),
            Option(("-i", "--interactive"), "ask hunk by hunk, and apply what is accepted"),
            *WRITING,
        ),
        "Several patches are applied in order, as one commit.",
        (
            ("suture apply change.patch", "apply a file"),
            ("llm 'fix the test' | suture apply", "apply what a model says"),
            ("suture apply -i change.patch", "choose the hunks, as with git add -p"),
            ("suture apply --expect a.py=$(sha256sum <a.py | cut -c-64) -", "only if a.py is as it was read"),
        ),
    ),
    Command(
        "check",
        "say what patches would do, and whether they apply",
        (PATCHES,),
        (DIALECT, EXPECT, *SHOWN),
        "Nothing is written. The exit status is 1 where they would not apply.",
        (("suture check --diff change.patch", "the diff that it would make"),),
    ),
    Command(
        "edit",
        "replace a text in a file",
        (Argument("PATH", "the file, below the workspace", "maybe"),),
        (
            Option(("--old",), "the text that goes; empty to make the file", "TEXT"),
            Option(("--new",), "the text that comes", "TEXT"),
            Option(("--old-file",), "the text that goes, in a file", "FILE", names="file"),
            Option(("--new-file",), "the text that comes, in a file", "FILE", names="file"),
            Option(("--all",), "every place where it stands"),
            DRY_RUN,
            *WRITING,
        ),
        "Without --old and --new a JSON document with filePath, oldString, newString and replaceAll is read from\n"
        "standard input.",
        (
            ("suture edit app.py --old 'x = 1' --new 'x = 2'", "one place"),
            ("suture edit app.py --all --old colour --new color", "all of them"),
        ),
    ),
    Command(
        "multiedit",
        "replace several texts in a file, all of them or none",
        (
            Argument("PATH", "the file, below the workspace", "maybe"),
            Argument("EDITS", "a file with the edits as JSON; - or none for standard input", "maybe"),
        ),
        (
            Option(
                ("--against",), "the text in which an edit is placed", "TEXT", ("result", "original"), default="result"
            ),
            DRY_RUN,
            *WRITING,
        ),
        'The edits are a list, or {"filePath": …, "edits": […]}; each has oldString, newString and replaceAll.',
        (("""echo '[{"oldString": "a", "newString": "b"}]' | suture multiedit app.py""", "from standard input"),),
    ),
    Command(
        "diff",
        "make a patch of two files or two folders",
        (Argument("BEFORE", "a file or a folder"), Argument("AFTER", "what it became")),
        (
            DIALECT,
            Option(("-u", "--unified"), "a unified diff, instead of an envelope"),
            Option(("--path",), "the name that the patch has for the file", "NAME"),
        ),
        "Each hunk has as much context as it needs to have one place in BEFORE.",
        (
            ("suture diff old/ new/ > change.patch", "a patch of all that differs"),
            ("suture diff --path app.py app.py.orig app.py", "a patch for app.py"),
        ),
    ),
    Command(
        "convert",
        "turn an envelope into a unified diff, or the other way round",
        (Argument("PATCH", "a file; - or none for standard input", "maybe"),),
        (DIALECT,),
        "An envelope has no line numbers: it is placed in the files of the workspace.",
        (
            ("git diff | suture convert", "a diff as an envelope"),
            ("suture convert change.patch | git apply", "the other way"),
        ),
    ),
    Command(
        "parse",
        "show a patch as JSON, as it was read",
        (Argument("PATCH", "a file; - or none for standard input", "maybe"),),
        (DIALECT,),
        examples=(("suture parse change.patch", "the operations, hunks and concessions"),),
    ),
    Command(
        "explain",
        "say why a patch does not apply, hunk by hunk",
        (Argument("PATCH", "a file; - or none for standard input", "maybe"),),
        (DIALECT,),
        "The nearest place of each hunk stands beside it, line by line.",
        (("suture explain change.patch", "what is where, and what is wrong"),),
    ),
    Command(
        "log",
        "list what was done in the workspace, the newest first",
        (),
        (
            Option(("-n", "--limit"), "how many commits", "COUNT", default="20"),
            Option(("--path",), "only those that changed this file", "PATH", names="file"),
            Option(("--before",), "only those before this commit", "COMMIT"),
        ),
        examples=(("suture log --path app.py", "the history of a file"),),
    ),
    Command("show", "show a commit with its diff", (COMMIT,), SHOWN, examples=(("suture show 4f2a", ""),)),
    Command(
        "undo",
        "take a commit back",
        (Argument("COMMIT", "its id or the beginning of it; the last one, where none is given", "maybe", ""),),
        (
            Option(("--merge",), "take it back where a file has changed since, if that fits"),
            DURABILITY,
            ACTOR,
            *SHOWN,
        ),
        "To have it again, undo the undo.",
        (("suture undo", "the last commit that was not undone"), ("suture undo 4f2a --merge", "an older one")),
    ),
    Command("recover", "repair what a process that was killed has left", examples=(("suture recover", ""),)),
    Command(
        "doctor",
        "look whether everything is in order here",
        (),
        (Option(("--permissions",), "a file of rules that is checked", "FILE", names="file"),),
        examples=(("suture doctor", "the state folder, language servers"),),
    ),
    Command(
        "completion",
        "print the completion for a shell",
        (Argument("SHELL", "bash, zsh or fish", names="shell"),),
        examples=(
            ("source <(suture completion bash)", "in ~/.bashrc"),
            ("suture completion fish > ~/.config/fish/completions/suture.fish", "once"),
        ),
    ),
)
BY_NAME = {command.name: command for command in COMMANDS}
SHELLS = ("bash", "zsh", "fish")
