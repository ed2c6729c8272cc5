"""Who reads a message, and what the things that they can act on are called: one table for each interface.

The same refusal is read by a model that called a tool, by a person who typed a command, and by a programmer who called
a function. Each can only act on names that exist in their interface. A refusal is a value; whoever shows it passes in
the reader (`Problem.told_to`). Without that, it is told to a programmer.
"""

from __future__ import annotations

from .value import Value


class Reader(Value):
    """The names of one interface. Some are phrases, because a flag is used and an argument is set."""

    #: The text to find, and the replacement.
    old: str
    new: str
    #: How a message begins if the text to find is nowhere.
    absent: str
    #: How to change every occurrence.
    every: str
    #: How to undo a commit whose files have changed since.
    merge: str
    #: How the user allows a path that is denied by default, with its `path` and the `globs` that deny it.
    lift: str
    #: How the user undoes or redoes a commit with paths that are denied by default: the `command` that does it, and the
    #: `globs` that deny them.
    lift_commit: str
    #: How the user changes which other paths are allowed and denied.
    allow: str
    deny: str
    #: What to do about a path that may not be touched; with `way`, one of the three above.
    denied: str
    #: How to name the only `form` to read.
    form: str
    #: How to name files from the `root` of the project.
    from_root: str
    #: What the reader does with a text that has to be different, and with one that has to be complete.
    send: str
    copy: str
    #: What the reader does after a correction.
    retry: str
    #: What the reader does first if the file is not what the edit expects, and if there is no file at a path.
    look: str
    find: str
    #: How to find the id of a commit.
    find_commit: str
    #: How the encoding of a file is set.
    encoding: str
    #: How to skip what is applied already; empty where that can't be chosen.
    skip: str = ""
    #: What a file is read with, such as the tool of that name; empty where that can't be told.
    read_with: str = ""
    #: How to leave out the part of a patch for a `path`, or for that path `in_shell`; empty where that can't be chosen.
    exclude: str = ""

    @property
    def read_first(self) -> str:
        """The advice to read a file, with the name of what reads it."""
        return f"Read it first with {self.read_with}" if self.read_with else "Read it first"

    @property
    def or_skip(self) -> str:
        """The same as the end of an advice to leave something out."""
        return f", or {self.skip}" if self.skip else ""


PYTHON = Reader(
    old="old",
    new="new",
    absent="{old} not found in content of {file}",
    every="set replace_all",
    merge="undo with merge=True",
    lift="lift={globs}",
    lift_commit="Open the workspace with lift={globs}.",
    allow="the setting allow",
    deny="the setting deny",
    form='pass form="{form}"',
    denied="Leave it alone and go on without it. The user can allow it with {way}.",
    from_root="leave out relative_to",
    send="Send",
    copy="Send",
    retry="send the whole patch again",
    look="Read the file again",
    find="List the directory to find the right path.",
    find_commit="Workspace.log() has the ids of commits.",
    encoding="To set the encoding of the file, pass encoding. A Workspace also takes encodings, by glob.",
    exclude="with exclude=[{path!r}]",
)
TOOL = PYTHON.replace(
    exclude="",
    form="ask the user for the form {form}",
    old="oldString",
    new="newString",
    every="set replaceAll",
    merge="ask the user to undo it with a merge",
    lift="the setting lift: {globs}",
    lift_commit="Leave it alone and go on without it. The user can run: {command}",
    find_commit="The user can run: suture log",
    from_root="send its absolute path, {root}/{path}",
    encoding="The user can set the file's encoding with encodings in the configuration.",
)
#: Tools whose arguments are in snake_case.
SNAKE_TOOL = TOOL.replace(old="old_string", new="new_string", every="set replace_all")
#: Anthropic's text editor tool, which changes one occurrence at a time.
TEXT_EDITOR = TOOL.replace(old="old_str", new="new_str", every="change one occurrence at a time")
COMMAND = Reader(
    old="--old",
    new="--new",
    absent="{old} was not found in {file}",
    every="use --all",
    merge="use --merge",
    lift="use --allow '{path}'",
    lift_commit="Run: {command}",
    allow="add it to allow in the configuration",
    deny="remove it from deny in the configuration",
    denied="To allow it, {way}.",
    form="use --format {form}",
    from_root="use -C {root}",
    send="Write",
    copy="Copy",
    retry="try again",
    look="Check the file",
    find="Check the path.",
    find_commit="suture log has the ids of commits.",
    encoding="To set the encoding of the file, use --encoding, or encodings in the configuration.",
)
#: The command line, where edits are JSON: its names differ from tool to tool, so they are described.
COMMAND_WITH_JSON = COMMAND.replace(old="the old text", new="the new text", every='put "replace_all": true in the edit')
#: `apply_patch`, which is set up by its environment and run by a model.
APPLY_PATCH = COMMAND.replace(
    allow="allow in the configuration",
    deny="deny in the configuration",
    denied=PYTHON.denied,
    form=TOOL.form,
    merge="use suture undo --merge",
    lift="the environment variable SUTURE_ALLOW: '{path}'",
    from_root="run it in {root}",
    send=TOOL.send,
    copy=TOOL.copy,
    retry=TOOL.retry,
    look=TOOL.look,
    find=TOOL.find,
    encoding=TOOL.encoding,
)
