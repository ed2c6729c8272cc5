"""The text that teaches a model the format, in the dialect that will read its patches.

Whatever dialects differ in is asked of the dialect, and the examples are rendered for it, so that the text promises
nothing that is not so. tests/golden/instructions-<dialect>.txt are the texts as models get them.
"""

from __future__ import annotations

from ..core.dialect import (
    ADD,
    BEGIN,
    DELETE,
    END,
    END_OF_FILE,
    MOVE,
    MOVE_TO,
    NO_NEWLINE,
    STANDARD,
    UPDATE,
    Dialect,
    dialect_named,
)
from ..core.patch import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from .writer import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def instructions(dialect: str | Dialect = STANDARD, *, in_shell: bool = False) -> str:
    """The text that teaches a model the format of patches in a dialect.

    With `in_shell` it also says how to call `apply_patch` from a shell.
    """
    chosen = dialect_named(dialect)
    parts = [_ENVELOPE, *_sections(chosen), _HUNK, "\n".join(_rules(chosen)), _EXAMPLE + _example(chosen)]
    if in_shell:
        parts.append(_SHELL + render(Patch((DeleteFile("old.txt"),)), chosen) + "EOF\n```\n\n" + _SHELL_RULES)
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


_ENVELOPE = f"""\
# apply_patch

A patch adds, deletes, changes and renames files. It begins with the line `{BEGIN}` and ends with the line
`{END}`. Between them stands a section for each file, and nothing else. All of it is applied, or nothing.

## Sections

A section begins with a header. Paths are relative to the working folder, with forward slashes."""

_HUNK = """\
## Hunks

A hunk changes one place of a file. It begins with a line `@@`. The first character of every other line says what it is:

- a space: the line is in the file and stays
- `-`: the line is in the file and goes
- `+`: the line is new

Rules:
"""

_EXAMPLE = "## Example\n\n"

_SHELL = """\
## Calling it in a shell

```sh
apply_patch <<'EOF'
"""

_SHELL_RULES = """\
Quote the word as above, or the shell changes the patch. The script is this one command, at most with `cd FOLDER &&` in
front: no pipe, no redirection, no other command. Without a shell, the call is `["apply_patch", "<the patch>"]`."""


def _sections(dialect: Dialect) -> Iterator[str]:
    newline = {
        "always": "The file ends with a newline.",
        "never": "The last line gets no newline: to have one, end with a line that is only `+`.",
        "unless_blank": "The file ends with a newline, unless the last line is only `+`.",
    }[dialect.added_final_newline]
    lines = [
        f"- `{ADD}PATH` makes a file. All its lines follow, each with `+` in front, blank ones too.",
        f"  {newline}",
        f"- `{DELETE}PATH` deletes a file. Nothing follows.",
        f"- `{UPDATE}PATH` changes a file. All its hunks follow, in the order of the file.",
    ]
    # Where a dialect has both ways to rename, one is enough to know.
    if MOVE_TO in dialect.headers:
        lines.append(f"- `{MOVE_TO}NEW PATH` directly below `{UPDATE}PATH` renames the file. Hunks may follow.")
    elif MOVE in dialect.headers:
        lines.append(f"- `{MOVE}PATH -> NEW PATH` renames a file. Hunks may follow.")
    yield "\n".join(lines)
    there = "is replaced" if dialect.overwrite else "is an error"
    folders = "Missing folders are made." if dialect.make_parents else "Folders must be there already."
    absolute = "" if dialect.absolute_paths else " Absolute paths are refused."
    yield f"A file that is there already at the path of a new or renamed one {there}. {folders}{absolute}"


def _rules(dialect: Dialect) -> Iterator[str]:
    exactly = "Not one character may differ." if dialect.tiers == ("exact",) else "Leave nothing out."
    yield f"- Copy the lines that stay or go from the file, one after another, with their indentation. {exactly}"
    yield "- A blank line that stays is a line with one space."
    yield "- Show 3 lines above and 3 lines below a change. Changes that are closer than that belong into one hunk."
    yield {
        "refuse": "- A hunk that fits in several places is refused. Show as many lines as it takes.",
        "first": (
            "- Of several places that fit, the first behind the previous hunk is taken. Show as many lines as it\n"
            "  takes to have the right one."
        ),
        "one_by_one": (
            "- The lines that stay or go must stand exactly once in the file as the previous hunks have left it.\n"
            "  Show as many lines as it takes."
        ),
    }[dialect.several]
    if dialect.anchors:
        yield "- Or name the class or function that the place is in: write its line behind `@@`, as the file has it."
        yield "  Several such lines may stand one below the other, from the outer to the inner."
    else:
        yield "- Text behind `@@` is a remark and finds nothing."
    yield {
        "where_told": (
            f"- A hunk of `+` lines alone goes below the line behind `@@`, or with `{END_OF_FILE}` to the end. It\n"
            "  needs one of the two."
        ),
        "or_at_end": "- A hunk of `+` lines alone goes below the line behind `@@`, or without one to the end.",
        "never": "- A hunk needs at least one line that stays or goes.",
    }[dialect.insertion]
    if dialect.end_of_file:
        yield f"- `{END_OF_FILE}` below a hunk says that its lines are the last of the file."
    if dialect.no_newline_marker:
        yield f"- `{NO_NEWLINE}` below a line says that the file ends there without a newline."
    if dialect.refuse_no_change:
        yield "- An update that leaves a file as it is is refused."


def _example(dialect: Dialect) -> str:
    greet = (
        "     def greet(self, name):",
        "         name = name.strip()",
        "         self.count += 1",
        '-        print("Hi " + name)',
        '+        print(f"Hello, {name}!")',
        "         self.names.append(name)",
        "         self.save()",
        "         return name",
    )
    main = (
        "     greeter = Greeter()",
        "     greeter.load()",
        "     for name in sys.argv[1:]:",
        "-        greeter.greet(name)",
        "+        greeter.greet(name.title())",
    )
    hunks = (
        Hunk(greet, ("class Greeter:",) if dialect.anchors else ()),
        Hunk(main, ("def main():",) if dialect.anchors else ()),
    )
    patch = Patch(
        (
            AddFile("docs/greeting.md", "# Greeting\n\nIt greets everybody by name.\n"),
            UpdateFile("src/app.py", hunks, "src/main.py"),
            DeleteFile("obsolete.txt"),
        )
    )
    return f"```\n{render(patch, dialect)}```"
