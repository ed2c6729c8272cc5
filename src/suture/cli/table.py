"""The subcommands of `suture` as data: names, arguments, options and help texts.

Argument parsing, `--help` and shell completion are all generated from this table. The module in `commands` that has the
command's name does the work.
"""

from __future__ import annotations

from ..core.dialect import DIALECTS
from .agent_commands import AGENT_COMMANDS, CLIENTS
from .command_values import Argument, Command, Option

FOLDER = Option(("-C",), "Run as if started in this directory", "DIR", is_repeatable=True, completes="folder")
ROOT = Option(("--root",), "Use this workspace instead of the project; paths start there", "DIR", completes="folder")
JSON = Option(("--json",), "Print a single JSON document")
DEBUG = Option(("--debug",), "Show a traceback for unexpected errors")
COLOR = Option(("--color",), "When to use colors", "WHEN", ("auto", "always", "never"), "auto")
NO_PAGER = Option(("--no-pager",), "Do not use a pager for long output")
#: The options of every command.
COMMON = (FOLDER, ROOT, JSON, COLOR, NO_PAGER, DEBUG)

DIALECT = Option(("--dialect",), "The dialect; standard unless configured", "NAME", tuple(DIALECTS))
#: The forms that can be read, and those that can be written.
FORMS = ("envelope", "unified", "search-replace", "json", "xml", "whole", "sketch")
WRITABLE_FORMS = ("envelope", "unified", "search-replace", "json")
FORMAT = Option(("--form", "--format"), "The form of the edits", "FORM", FORMS)
STRIP = Option(
    ("-p", "--strip"), "Remove N directories from the paths of unified diffs; by default as many as needed", "N"
)
EXCLUDE = Option(
    ("--exclude",),
    "Leave out these files of the patch; without a slash, in every directory",
    "GLOB",
    is_repeatable=True,
    completes="file",
)
DRY_RUN = Option(("-n", "--dry-run"), "Show what would change without writing anything")
EXPECT = Option(
    ("--expect",),
    "Fail if the file does not have this hash (nothing after = means it must not exist)",
    "PATH=SHA256",
    is_repeatable=True,
)
DURABILITY = Option(
    ("--durability",), "What a commit survives: a power failure, or a killed process", "LEVEL", ("full", "process")
)
SYNTAX = Option(("--allow-syntax-errors",), "Allow a loose match after which a file no longer parses")
SKIP = Option(("--skip-applied",), "Skip what has already been applied, and go on with the rest")
ENCODING = Option(("--encoding",), "The encoding of the files, instead of the configured one or UTF-8", "NAME")
ACTOR = Option(("--actor",), "The author to record in the history", "NAME")
DIFF = Option(("--diff",), "Show the diff (the default on a terminal if nothing is written)")
NO_DIFF = Option(("--no-diff",), "Do not show the diff")
QUIET = Option(("-q", "--quiet"), "Print nothing unless it fails")
DIFF_OPTIONS = (DIFF, NO_DIFF, QUIET)
ALLOW = Option(
    ("--allow",), "Allow paths that are denied by default, such as .env", "GLOB", is_repeatable=True, completes="file"
)
WRITE_OPTIONS = (ALLOW, EXPECT, ENCODING, SYNTAX, DURABILITY, ACTOR, *DIFF_OPTIONS)
UNDO_OPTIONS = (
    Option(("--merge",), "Work even if a file has changed since, keeping the later changes"),
    ALLOW,
    DURABILITY,
    ACTOR,
    *DIFF_OPTIONS,
)

FILE = Argument("PATH", "The file, relative to the current directory", "optional")
PATCH = Argument("PATCH", "A patch file; - or nothing for standard input", "optional")
PATCHES = Argument("PATCH", "Patch files, in order; - or nothing for standard input", "any")

SHELLS = ("bash", "zsh", "fish")

COMMANDS = (
    Command(
        "apply",
        "Apply patches, all of them or none",
        (PATCHES,),
        (
            DIALECT,
            FORMAT,
            STRIP,
            EXCLUDE,
            DRY_RUN,
            Option(("--check",), "Only check whether the patches apply, as git apply --check does"),
            Option(("--no-atomic",), "Apply operations one by one and stop at the first failure"),
            Option(("--base",), "The file or git revision that the patch was written for", "FILE|REV"),
            Option(("-i", "--interactive"), "Choose the hunks to apply"),
            Option(("--review",), "Ask in suture review, and wait for the answer"),
            SKIP,
            *WRITE_OPTIONS,
        ),
        "Several patches are applied in order, as one commit.",
        (
            ("suture apply change.patch", "Apply a patch file"),
            ("llm 'fix the test' | suture apply", "Apply the output of a model"),
            ("suture apply -i change.patch", "Choose hunks, like git add -p"),
            ("suture apply --base HEAD~3 change.patch", "Apply a patch that is three commits old"),
            ("suture apply --expect a.py=$(sha256sum <a.py | cut -c-64) -", "Apply only if a.py is unchanged"),
        ),
    ),
    Command(
        "check",
        "Check whether patches apply, and show what they would change",
        (PATCHES,),
        (DIALECT, FORMAT, STRIP, EXCLUDE, ALLOW, EXPECT, ENCODING, SYNTAX, SKIP, *DIFF_OPTIONS),
        "Nothing is written. The exit status is 1 if the patches do not apply.",
        (("suture check --diff change.patch", "Show the resulting diff"),),
    ),
    Command(
        "edit",
        "Replace text in a file",
        (FILE,),
        (
            Option(("--old",), "The text to find; empty to create the file", "TEXT"),
            Option(("--new",), "The replacement", "TEXT"),
            Option(("--old-file",), "Read the text to find from a file", "FILE", completes="file"),
            Option(("--new-file",), "Read the replacement from a file", "FILE", completes="file"),
            Option(("--all",), "Replace every occurrence"),
            DRY_RUN,
            *WRITE_OPTIONS,
        ),
        "Without --old and --new, the edit is read from standard input: a JSON object with filePath, oldString,\n"
        "newString and replaceAll.",
        (
            ("suture edit app.py --old 'x = 1' --new 'x = 2'", "Replace one occurrence"),
            ("suture edit app.py --all --old colour --new color", "Replace every occurrence"),
        ),
    ),
    Command(
        "multiedit",
        "Make several replacements in a file, all of them or none",
        (FILE, Argument("EDITS", "A JSON file with the edits; - or nothing for standard input", "optional")),
        (
            Option(
                ("--against",),
                "Match edits against earlier results or the file",
                "TEXT",
                ("result", "original"),
                default="result",
            ),
            DRY_RUN,
            SKIP,
            *WRITE_OPTIONS,
        ),
        'The edits are a list, or {"filePath": …, "edits": […]}; each has oldString, newString and replaceAll.',
        (("""echo '[{"oldString": "a", "newString": "b"}]' | suture multiedit app.py""", "Read from standard input"),),
    ),
    Command(
        "diff",
        "Create a patch from two files or directories",
        (Argument("BEFORE", "A file or directory"), Argument("AFTER", "Its changed version")),
        (
            DIALECT,
            Option(("-u", "--unified"), "Print a unified diff instead of an envelope"),
            Option(("--path",), "The file name to use in the patch", "NAME"),
        ),
        "Each hunk gets enough context to match exactly one place in BEFORE.",
        (
            ("suture diff old/ new/ > change.patch", "Compare two directories"),
            ("suture diff --path app.py app.py.orig app.py", "Create a patch for app.py"),
        ),
    ),
    Command(
        "convert",
        "Write edits in another form",
        (PATCH,),
        (
            Option(
                ("--to",),
                "The form to write",
                "FORM",
                WRITABLE_FORMS,
            ),
            FORMAT,
            EXCLUDE,
            Option(("--with-files",), "Place the edits in the files, and write them with the context that they need"),
            DIALECT,
            ALLOW,
            ENCODING,
        ),
        "The edits are placed in the files of the workspace also where the text alone is not enough: a diff has line\n"
        "numbers, and only the file tells on which lines a string edit is.",
        (
            ("git diff | suture convert", "Convert a diff to an envelope"),
            ("suture convert change.patch | git apply", "Convert an envelope to a diff"),
            ("suture convert --to search-replace answer.md", "Convert any edits to SEARCH/REPLACE blocks"),
        ),
    ),
    Command(
        "parse",
        "Print a parsed patch as JSON",
        (PATCH,),
        (DIALECT, FORMAT, EXCLUDE),
        examples=(("suture parse change.patch", "Show operations, hunks and concessions"),),
    ),
    Command(
        "explain",
        "Explain why a patch does not apply, hunk by hunk",
        (PATCH,),
        (DIALECT, FORMAT, EXCLUDE, ALLOW, ENCODING),
        "Each hunk that does not match is shown side by side with the nearest place in the file.",
        (("suture explain change.patch", "Show where each hunk goes, or why it does not apply"),),
    ),
    Command(
        "log",
        "List the commits of the workspace, newest first",
        (),
        (
            Option(("-n", "--limit"), "The number of commits to list", "COUNT", default="20"),
            Option(("--oneline",), "Print each commit in one short line"),
            Option(("-p", "--patch"), "Show the diff of each commit"),
            Option(("--path",), "List only commits that changed this file", "PATH", completes="file"),
            Option(("--before",), "List only commits before this one", "COMMIT"),
            Option(("--by",), "List only commits of this actor, such as an agent", "NAME"),
            Option(("--rebased",), "List only commits that were merged with a later change of a file"),
        ),
        examples=(
            ("suture log --path app.py", "Show the history of a file"),
            ("suture log -p -n 3", "Show the last three commits with their diffs"),
        ),
    ),
    Command(
        "show",
        "Show a commit and its diff",
        (
            Argument(
                "COMMIT", "The ID of a commit, or its beginning; the last commit by default", "optional", ("commit",)
            ),
        ),
        (DIFF, NO_DIFF),
        examples=(("suture show", "Show the last commit"), ("suture show 4f2a", "")),
    ),
    Command(
        "undo",
        "Undo a commit",
        (
            Argument(
                "COMMIT",
                "The ID of a commit, or a file, to undo its last change; the last commit by default",
                "optional",
                ("commit", "file"),
            ),
        ),
        UNDO_OPTIONS,
        "A file that is already as it was counts as undone. To make a commit again: suture redo.",
        (
            ("suture undo", "Undo the last commit that was not undone"),
            ("suture undo app.py", "Undo the last change of a file, and nothing else"),
            ("suture undo 4f2a --merge", "Undo an older commit"),
        ),
    ),
    Command(
        "redo",
        "Make a commit again that was undone",
        (Argument("COMMIT", "The ID of an undone commit; the last one by default", "optional", ("commit",)),),
        UNDO_OPTIONS,
        examples=(("suture redo", "Redo what was undone last"),),
    ),
    Command(
        "permissions",
        "List or revoke the approvals that are kept for the workspace",
        (
            Argument("ACTION", "list or revoke", completes=()),
            Argument("APPROVAL", "The permission and the glob to revoke", "any", completes=()),
        ),
        (Option(("--all",), "Revoke all of them"),),
        "An approval is kept if somebody answered always in a session with keep_always=True.",
        (
            ("suture permissions list", ""),
            ("suture permissions revoke edit 'src/**'", "Ask again before files in src are edited"),
        ),
    ),
    *AGENT_COMMANDS,
    Command(
        "isolated",
        "List, merge or discard what isolated sessions have changed and not merged",
        (
            Argument("ACTION", "list, merge or discard", completes=()),
            Argument("SESSION", "The id of the session, or its beginning", "optional", completes=()),
        ),
        (DRY_RUN, DURABILITY, ALLOW, *DIFF_OPTIONS),
        "A session of suture mcp --isolated, or with isolated=True, changes no file before it merges.\n"
        "Its changes are kept for 30 days, also if its process is gone. A merge is one commit, all or nothing.",
        (
            ("suture isolated list", ""),
            ("suture isolated merge 3f2a --dry-run", "Show what a merge would change"),
            ("suture isolated discard 3f2a", "Forget the changes of a session"),
        ),
    ),
    Command(
        "trust",
        "Trust the configuration of the project",
        (),
        (Option(("--revoke",), "Trust it no longer"),),
        "Formatters, diagnostics and rules that allow edits count only in a configuration that you trust.\n"
        "After a change, it has to be trusted again.",
        (("suture trust", "Show what the configuration may do from now on"),),
    ),
    Command(
        "recover", "Repair the workspace after an interrupted commit", (), (ALLOW,), examples=(("suture recover", ""),)
    ),
    Command(
        "batch",
        "Score many edits: rows in, rows out",
        (Argument("ROWS", "JSON lines or Parquet; - or nothing for standard input", "optional"),),
        (
            Option(("-o", "--output"), "The file for scored rows (default: standard output)", "FILE", completes="file"),
            Option(("--resume",), "Go on where an output ends"),
            Option(("-j", "--jobs"), "The number of processes (default: the cores)", "N"),
            Option(("--texts",), "Add the resulting files to the rows"),
            Option(("--seconds",), "The time that a row may take", "N", default="10"),
            Option(("--memory",), "The memory that a row may take, in MB", "N", default="1024"),
            Option(
                ("--fail-on",),
                "Exit with status 1 if a row has this outcome",
                "OUTCOME",
                ("different", "refused", "unreadable"),
                is_repeatable=True,
            ),
            Option(("--engine",), "Where the rows run", "NAME", ("local", "ray"), "local"),
            Option(("--address",), "The Ray cluster (default: this machine)", "ADDRESS"),
        ),
        "A row is an object: edit (in any form) or old and new; files (texts by path) or text and path; optionally\n"
        "wanted, id, dialect and form. Output has a row for each, in order. The summary goes to standard error.",
        (
            ("suture batch cases.jsonl -o scored.jsonl", "Score the rows of a file on all cores"),
            ("suture batch cases.parquet -o scored.parquet --resume", "Go on after an interrupt"),
            ("suture batch --fail-on different <cases.jsonl", "Use rows as a regression test"),
        ),
    ),
    Command(
        "replay",
        "Compare what agents' edit tools did with what Suture does, from transcripts",
        (Argument("PATH", "Transcripts, directories or repositories (default: the usual places)", "any"),),
        (
            Option(("--show",), "Show one edit, by its ID or the beginning of it", "ID"),
            Option(("--html",), "Write the report as a page", "FILE", completes="file"),
            Option(("--export",), "Write scored edits as cases: JSON lines, or .parquet", "FILE", completes="file"),
            Option(("--redact",), "Leave out contents and paths"),
            Option(("-j", "--jobs"), "The number of processes (default: the cores)", "N"),
        ),
        "It only reads, and nothing leaves the machine. Agents: Claude Code, Codex, OpenCode, Gemini CLI, Copilot\n"
        "CLI, Aider, Cline and Roo Code; and transcripts in the branches of a repository.",
        (
            ("suture replay", "Look where agents keep transcripts, and in this repository"),
            ("suture replay ~/.claude/projects --html report.html", "Write a page about the edits of Claude Code"),
            ("suture replay --show 4f2a", "Show an edit, the agent's answer and Suture's"),
        ),
    ),
    Command(
        "doctor",
        "Check the installation and the workspace",
        (),
        (
            Option(("--permissions",), "Check a file of permission rules", "FILE", completes="file"),
            Option(("--client",), "Check the setup of a client instead, and start its server", "CLIENT", CLIENTS),
            Option(("--set-aside",), "Rename a journal that can't be read, and start a new history"),
        ),
        examples=(("suture doctor", "Check the state directory and the language servers"),),
    ),
    Command(
        "completion",
        "Generate a shell completion script",
        (Argument("SHELL", "The shell", completes=(), choices=SHELLS),),
        examples=(
            ("source <(suture completion bash)", "Add this line to ~/.bashrc"),
            ("suture completion fish > ~/.config/fish/completions/suture.fish", "Run this once"),
        ),
    ),
)
BY_NAME = {command.name: command for command in COMMANDS}
