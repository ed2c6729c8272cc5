"""Instructions that teach a model the format, in the dialect that will parse its patches.

The text is built from the dialect's choices and its examples are rendered for the dialect, so it promises nothing that
doesn't hold. tests/golden/instructions-<dialect>.txt are the texts as models get them.
"""

from __future__ import annotations

from ..core.dialect import (
    ADD,
    BEGIN,
    DELETE,
    DIALECTS,
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
from .form_instructions import FORM_INSTRUCTIONS
from .writer import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def instructions(form: str | Dialect = STANDARD, *, in_shell: bool = False) -> str:
    """Instructions for a model on how to write edits: patches in a dialect, or a form such as "unified".

    The other forms are "search-replace", "json", "xml", "whole" and "sketch"; "envelope" is the standard dialect. With
    `in_shell`, also how to call `apply_patch` from a shell.
    """
    if isinstance(form, str) and form not in DIALECTS and form in FORM_INSTRUCTIONS:
        return FORM_INSTRUCTIONS[form]
    chosen = STANDARD if form == "envelope" else dialect_named(form)
    parts = [_ENVELOPE, *_sections(chosen), _HUNK, "\n".join(_rules(chosen)), _EXAMPLE + _example(chosen)]
    if in_shell:
        parts.append(_SHELL + render(Patch((DeleteFile("old.txt"),)), chosen) + "EOF\n```\n\n" + _SHELL_RULES)
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


_ENVELOPE = f"""\
# apply_patch

Use apply_patch to add, update, delete and rename files. A patch starts with the line `{BEGIN}`, ends with the
line `{END}`, and has one section per file in between. Either the whole patch is applied or nothing is.

## Sections

Start each section with a header. Write paths relative to the working directory, with forward slashes."""

_HUNK = """\
## Hunks

A hunk changes one place in a file. Start it with an `@@` line, without line numbers. Start every other line with one of
these characters:

- a space: the line is in the file and stays (context)
- `-`: the line is in the file and is removed
- `+`: the line is added

Rules:
"""

_EXAMPLE = "## Example\n\n"

_SHELL = """\
## Calling it from a shell

```sh
apply_patch <<'EOF'
"""

_SHELL_RULES = """\
Quote the delimiter as shown, or the shell changes the patch. Run nothing else in the same script, except
`cd DIRECTORY &&` before the command: no pipes, no redirections. Without a shell, call
`["apply_patch", "<the patch>"]`."""


def _sections(dialect: Dialect) -> Iterator[str]:
    """The paragraphs on the sections of a patch: a list of their headers, and what becomes of existing files."""
    newline_by_rule = {
        "always": "The file ends with a newline.",
        "never": "The last line gets no newline. For one, add a last line that is only `+`.",
        "unless_blank": "The file ends with a newline, unless the last line is only `+`.",
    }
    newline = newline_by_rule[dialect.added_final_newline]
    lines = [
        f"- `{ADD}PATH`: create a file. Write all its lines below, each with a leading `+`, even blank ones.",
        f"  {newline}",
        f"- `{DELETE}PATH`: delete a file. Write nothing below.",
        f"- `{UPDATE}PATH`: change a file. Write its hunks below, in file order.",
    ]
    # Where a dialect has both ways to rename, one is enough to know.
    if MOVE_TO in dialect.headers:
        lines.append(f"- `{MOVE_TO}NEW PATH`, directly below `{UPDATE}PATH`: rename the file. Hunks are then optional.")
    elif MOVE in dialect.headers:
        lines.append(f"- `{MOVE}PATH -> NEW PATH`: rename a file. Hunks are optional.")
    yield "\n".join(lines)
    existing = "it is replaced" if dialect.overwrite else "the patch is refused"
    folders = "Missing directories are created." if dialect.make_parents else "Directories must already exist."
    absolute = "" if dialect.absolute_paths else " Absolute paths are refused."
    yield f"If a file already exists at the path of a new or renamed file, {existing}. {folders}{absolute}"


def _rules(dialect: Dialect) -> Iterator[str]:
    exact = "Every character must match." if dialect.tiers == ("exact",) else "Do not skip any."
    yield f"- Copy context and removed lines from the file, consecutively and with their indentation. {exact}"
    yield "- Write a blank context line as a single space."
    yield "- Show 3 lines of context above and below each change. Put changes that are closer together in one hunk."
    yield {
        "refuse": "- A hunk that matches several places is refused. Add context lines until it matches only one.",
        "first": (
            "- If a hunk matches several places, the first one after the previous hunk is changed. Add context lines\n"
            "  until that is the right one."
        ),
        "one_by_one": (
            "- Context and removed lines must occur exactly once in the file as the previous hunks left it. Add\n"
            "  context lines until they do."
        ),
    }[dialect.several]
    if dialect.anchors:
        yield "- Or name the enclosing class or function: copy its line after `@@`, as in `@@ def main():`. For nested"
        yield "  ones, write several `@@` lines, outermost first."
    else:
        yield "- Text after `@@` is a comment and has no effect."
    yield {
        "where_told": (
            f"- A hunk of only `+` lines needs a place: it goes below the line named after `@@`, or to the end of the\n"
            f"  file with `{END_OF_FILE}`."
        ),
        "or_at_end": (
            "- A hunk of only `+` lines goes below the line named after `@@`, or without one to the end of the file."
        ),
        "never": "- A hunk needs at least one context or removed line.",
    }[dialect.insertion]
    if dialect.end_of_file:
        yield f"- To match only at the end of the file, write `{END_OF_FILE}` below the hunk."
    if dialect.no_newline_marker:
        yield f"- If the file must end without a newline, write `{NO_NEWLINE}` below its last line."
    if dialect.refuse_no_change:
        yield "- An update that changes nothing is refused."


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
