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
    #: Whether only an isolated session has it.
    isolated: bool = False


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
#: What every tool takes besides: why the model calls it. It decides nothing; a person who is asked reads it.
REASON = ToolArgument(
    "reason",
    "string",
    "Why, in one sentence for the user",
    required=False,
    aliases=("explanation", "justification"),
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
_REPLACE_LINES = Tool(
    "replace_lines",
    "Replace lines of a file by number",
    "Replaces the lines from startLine to endLine, both included. If you have edited the file since its lines were "
    "shown, send startText and endText too, or read it again.",
    (
        _PATH,
        ToolArgument("startLine", "integer", "The number of the first line to replace, from 1", aliases=("start",)),
        ToolArgument("endLine", "integer", "The number of the last line to replace", aliases=("end",)),
        ToolArgument(
            "content",
            "string",
            "The new lines; an empty text deletes the old ones",
            aliases=("newContent", "newText", "newString", "text"),
        ),
        ToolArgument("startText", "string", "The first line to replace, as it is in the file", required=False),
        ToolArgument("endText", "string", "The last line to replace, as it is in the file", required=False),
    ),
    ("The numbers are those that {read} shows.",),
    destructive=True,
    reads="rebase",
    remembered=True,
)
_NAME = ToolArgument(
    "name",
    "string",
    "The name of the function, method or class, such as load or Loader.load",
    aliases=("symbol", "namePath", "definition"),
)
_REPLACE_DEFINITION = Tool(
    "replace_definition",
    "Replace a definition",
    "Replaces a whole function, method or class by its name. The name must be unique in the file, or qualified: "
    "Loader.load. The indentation is fitted to the place.",
    (
        _PATH,
        _NAME,
        ToolArgument("content", "string", "The complete new definition", aliases=("body", "text", "code")),
        ToolArgument(
            "renames", "boolean", "Whether the new definition has another name (default false)", required=False
        ),
    ),
    ("Read the definition with {read} first.",),
    destructive=True,
    reads="rebase",
    remembered=True,
)
_INSERT_DEFINITION = Tool(
    "insert_definition",
    "Add a definition",
    "Adds a function, method or class after the definition of a name, or before it.",
    (
        _PATH,
        _NAME.replace(description="The name of the definition beside which the new one goes"),
        ToolArgument("content", "string", "The complete new definition", aliases=("body", "text", "code")),
        ToolArgument("where", "string", "after or before (default after)", required=False, aliases=("position",)),
    ),
    ("Read the file with {read} first.",),
    reads="rebase",
    remembered=True,
)
_EDIT_FILE = Tool(
    "edit_file",
    "Edit a file with a sketch",
    "Changes a file by its new code, with a comment such as // ... existing code ... for all lines that stay. "
    "Send at least three unchanged lines beside each such comment, or whole functions. A file that does not exist is "
    "created.",
    (
        ToolArgument(
            "targetFile",
            "path",
            "The path of the file, relative to the workspace or absolute",
            aliases=("filePath", "path", "file", "filename"),
        ),
        ToolArgument("codeEdit", "string", "The new code", aliases=("code", "content", "changes")),
        ToolArgument("instructions", "string", "What the change does, in one sentence", required=False),
    ),
    ("Read the file with {read} first.",),
    destructive=True,
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

_MERGE = Tool(
    "merge",
    "Merge the isolated changes",
    "Brings all changes of this session into the workspace, all or nothing. Until then nobody else sees them. "
    "If the workspace has changed at the same place, nothing is merged, and the answer shows both sides.",
    (),
    destructive=True,
    isolated=True,
)
_DISCARD = Tool(
    "discard",
    "Discard isolated changes",
    "Forgets the changes of this session that are not merged: those of one file, which is then as the workspace has "
    "it, or without filePath all of them.",
    (_PATH.replace(description="Only the changes of this file", required=False),),
    destructive=True,
    idempotent=True,
    isolated=True,
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
        _REPLACE_LINES,
        _REPLACE_DEFINITION,
        _INSERT_DEFINITION,
        _EDIT_FILE,
        _GLOB,
        _GREP,
        _UNDO,
        _HISTORY,
        _MERGE,
        _DISCARD,
    )
}


def snake_case(name: str) -> str:
    """The name of an argument in Python."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
