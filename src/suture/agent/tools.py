"""The tools as data: their names, descriptions and arguments.

Argument names are those of the tools that models know, in camelCase. Sentences that name other tools are only for
models that have those tools.
"""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .read_checks import Mode


class ToolArgument(Value):
    """One argument of a tool: its type, its description, whether it is required, and its other usual names.

    A `hidden` argument is accepted, but not shown to a model unless the program asks for it.
    """

    name: str
    kind: str
    description: str
    required: bool = True
    aliases: tuple[str, ...] = ()
    hidden: bool = False


class Tool(Value):
    """One tool: its name, its description for the model, and its arguments.

    `advice` has sentences for a model that also has the tools that they name in braces.
    """

    name: str
    title: str
    description: str
    arguments: tuple[ToolArgument, ...]
    advice: tuple[str, ...] = ()
    #: Whether it changes nothing, whether it can destroy content, and whether a second call changes nothing more.
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    #: How it treats files that were not read, or have changed since; None if it changes none.
    reads: Mode | None = None
    #: Whether its calls are remembered, so that none is applied twice. Others are refused anyway the second time.
    remembered: bool = False


_PATH_NAMES = ("path", "file", "filename", "targetFile")
_OLD_NAMES = ("oldStr", "oldText", "old")
_NEW_NAMES = ("newStr", "newText", "new", "replacement")

#: The arguments of one replacement.
EDIT = (
    ToolArgument("oldString", "string", "The text to replace, exactly as it is in the file", aliases=_OLD_NAMES),
    ToolArgument("newString", "string", "The replacement", aliases=_NEW_NAMES),
    ToolArgument(
        "replaceAll",
        "boolean",
        "Replace every occurrence of oldString (default false)",
        required=False,
        aliases=("all", "allOccurrences"),
    ),
)
_PATH = ToolArgument(
    "filePath", "path", "The path of the file, relative to the workspace or absolute", aliases=_PATH_NAMES
)
_FOLDER = ToolArgument(
    "path",
    "path",
    "The directory to search (default: the workspace)",
    required=False,
    aliases=("folder", "directory", "dir"),
)

_READ = Tool(
    "read",
    "Read a file",
    "Reads a file or lists a directory. Lines are numbered from 1; the number and the tab after it are not "
    "part of the file. Read a file before you edit it. For a long file, continue with offset.",
    (
        _PATH,
        ToolArgument("offset", "integer", "The first line to read, from 1", required=False),
        ToolArgument("limit", "integer", "The maximum number of lines to read", required=False),
    ),
    read_only=True,
    idempotent=True,
)
_WRITE = Tool(
    "write",
    "Write a file",
    "Writes a whole file. Creates it, or replaces its content.",
    (
        _PATH,
        ToolArgument("content", "string", "The complete content of the file", aliases=("fileText", "text", "contents")),
    ),
    (
        "An existing file must be read with {read} first.",
        "To change some lines of a file, use {edit}.",
        "To change several files, use {apply_patch}.",
    ),
    destructive=True,
    idempotent=True,
    reads="rebase",
)
_REPLACE = Tool(
    "edit",
    "Edit a file",
    "Replaces text in a file. Copy oldString from the file, including indentation, "
    "without line numbers. It must occur exactly once: include enough surrounding lines, or set replaceAll. "
    "An empty oldString creates a new file.",
    (_PATH, *EDIT),
    ("Read the file with {read} first.",),
    destructive=True,
    reads="rebase",
    remembered=True,
)
_MULTIEDIT = Tool(
    "multiedit",
    "Make several edits in a file",
    "Makes several replacements in one file. They are applied in order, each to the result of the one before. "
    "Either all of them are applied or none.",
    (_PATH, ToolArgument("edits", "edits", "The replacements, in order")),
    ("Read the file with {read} first.",),
    destructive=True,
    reads="rebase",
    remembered=True,
)
_APPLY_PATCH = Tool(
    "apply_patch",
    "Apply a patch",
    "Adds, updates, deletes and moves files with one patch. Either all of it is applied or none. The patch "
    "starts with *** Begin Patch and ends with *** End Patch. Context lines start with a space, removed lines "
    "with -, added lines with +.",
    (
        ToolArgument("patchText", "string", "The complete patch", aliases=("input", "patch", "diff")),
        ToolArgument(
            "expectedSha256ByPath",
            "hashes",
            "The SHA-256 that each file must have; empty for a file that must not exist",
            required=False,
            hidden=True,
        ),
        ToolArgument(
            "atomic",
            "boolean",
            "Apply all of it or none (default true); false stops at a failure",
            required=False,
            hidden=True,
        ),
        ToolArgument("dryRun", "boolean", "Only report what would change (default false)", required=False, hidden=True),
    ),
    destructive=True,
    reads="rebase",
    remembered=True,
)
_DELETE = Tool(
    "delete",
    "Delete a file",
    "Deletes a file. The user can restore it.",
    (_PATH,),
    ("Read it with {read} first.",),
    destructive=True,
    idempotent=True,
    reads="require",
)
_MOVE = Tool(
    "move",
    "Move a file",
    "Moves or renames a file. Creates missing directories.",
    (
        _PATH.replace(aliases=(*_PATH_NAMES, "source", "from", "oldPath")),
        ToolArgument(
            "toPath",
            "path",
            "The new path, relative to the workspace or absolute",
            aliases=("destination", "to", "newPath"),
        ),
    ),
    ("Read it with {read} first.",),
    reads="require",
)
_INSERT = Tool(
    "insert",
    "Insert lines into a file",
    "Inserts whole lines into a file, after a line number or after the line with a text. Send line or after, not both.",
    (
        _PATH,
        ToolArgument("content", "string", "The lines to insert", aliases=("insertText", "text", "newStr", "newString")),
        ToolArgument(
            "line",
            "integer",
            "The number of the line to insert after; 0 inserts at the beginning",
            required=False,
            aliases=("insertLine", "lineNumber", "afterLine"),
        ),
        ToolArgument(
            "after",
            "string",
            "The text to insert after; it must occur exactly once",
            required=False,
            aliases=("afterText", "anchor"),
        ),
    ),
    ("Read the file with {read} first.",),
    reads="rebase",
    remembered=True,
)
_GLOB = Tool(
    "glob",
    "Find files by name",
    "Lists the files whose paths match a pattern such as **/*.py or src/*.ts, the most recently changed first. "
    "Files that .gitignore excludes are left out.",
    (ToolArgument("pattern", "string", "The glob, relative to the searched directory", aliases=("glob",)), _FOLDER),
    read_only=True,
    idempotent=True,
)
_GREP = Tool(
    "grep",
    "Search in files",
    "Searches the content of files for a regular expression, line by line. Prints path:line:text. Files that "
    ".gitignore excludes, binary files and very large files are left out.",
    (
        ToolArgument("pattern", "string", "The regular expression", aliases=("query", "regex")),
        _FOLDER.replace(description="The file or directory to search (default: the workspace)"),
        ToolArgument(
            "include", "string", "Search only files that match this glob", required=False, aliases=("glob", "files")
        ),
        ToolArgument(
            "ignoreCase",
            "boolean",
            "Ignore case (default false)",
            required=False,
            aliases=("i", "caseInsensitive"),
        ),
    ),
    read_only=True,
    idempotent=True,
)
_UNDO = Tool(
    "undo",
    "Undo a change",
    "Takes back the last change of this session, or the change with the given id, unless a file has changed since. "
    "To redo it, undo the undo.",
    (ToolArgument("commit", "string", "The id of the change", required=False, aliases=("id", "receipt")),),
    ("{history} lists the changes.",),
    destructive=True,
    reads="off",
)
_HISTORY = Tool(
    "history",
    "List earlier changes",
    "Lists the latest changes, newest first, with their ids.",
    (
        ToolArgument("filePath", "path", "Only changes of this file", required=False, aliases=_PATH_NAMES),
        ToolArgument("limit", "integer", "The maximum number of changes (default 10)", required=False),
    ),
    read_only=True,
    idempotent=True,
)

#: All tools, in the order in which a model sees them.
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        _READ,
        _WRITE,
        _REPLACE,
        _MULTIEDIT,
        _APPLY_PATCH,
        _DELETE,
        _MOVE,
        _INSERT,
        _GLOB,
        _GREP,
        _UNDO,
        _HISTORY,
    )
}


def snake_case(name: str) -> str:
    """The name of an argument in Python."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
