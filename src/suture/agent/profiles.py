"""Host profiles: which tools a model gets, under which names, and how strict they are about reads. Data only."""

from __future__ import annotations

from ..core.readers import SNAKE_TOOL, TOOL
from ..core.value import Value
from .tools import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from ..core.readers import Reader
    from .read_checks import Mode

#: How each tool that changes files treats those that were not read, or have changed since.
READ_MODES: Mapping[str, Mode] = {tool.name: tool.reads for tool in TOOLS.values() if tool.reads is not None}
#: The tools that can have the mode "rebase": those that change texts.
MERGED_TOOLS = tuple([tool.name for tool in TOOLS.values() if tool.reads == "rebase"])


class Profile(Value):
    """The tools of a host, by our names, each with the name that the host's models know."""

    tools: Mapping[str, str]
    #: Modes of read tracking that differ from the defaults.
    reads: Mapping[str, Mode] = {}
    #: Whether arguments are shown in snake_case. Both forms are accepted.
    snake_case: bool = False
    #: How messages name the tool that reads, if its name alone is not enough, because the client has one like it.
    reader: str = ""
    #: What `edit` does with an empty old text where the file has content: refuse, or write the whole file.
    empty_old: Literal["create", "overwrite"] = "create"
    #: Whether models are shown the argument `reason` of tools that change files. It is always accepted, and over MCP
    #: always shown.
    asks_reason: bool = True

    def __hash__(self) -> int:
        return hash(tuple(self.tools.items()))

    @property
    def read_tool(self) -> str:
        """How messages name the tool that reads; empty if there is none."""
        return self.reader or (f"the tool {self.tools['read']}" if "read" in self.tools else "")

    def reader_of(self, tool: str, reader: Reader | None) -> Reader:
        """Who reads the answer of a tool: the given reader, or a model that knows the names of its arguments."""
        if reader is None:
            reader = (SNAKE_TOOL if self.snake_case else TOOL).replace(read_with=self.read_tool)
        # The text that `insert` looks for has a name of its own.
        return reader.replace(old="after", every="send line instead") if tool == "insert" else reader


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


#: The profiles by name.
PROFILES: Mapping[str, Profile] = {
    # The tools of the first version, for which everything is on.
    "core": Profile(_same("read", "write", "edit", "multiedit", "apply_patch", "delete", "move")),
    "all": Profile(_same(*[tool.name for tool in TOOLS.values() if not tool.isolated])),
    "minimal": Profile(_same("read", "write", "edit")),
    # Changes by the line numbers that `read` shows.
    "lines": Profile(_same("read", "write", "replace_lines", "insert", "edit", "delete", "move")),
    # Whole functions and classes by name, for languages that a parser is installed for.
    "definitions": Profile(
        _same("read", "write", "edit", "replace_definition", "insert_definition", "delete", "move", "glob", "grep")
    ),
    # Those of other programs have exactly the arguments that their models know, so they do not ask for a reason.
    # Cursor: sketches with `... existing code ...`, which are placed without a model.
    "cursor": Profile(
        {
            "read": "read_file",
            "edit_file": "edit_file",
            "edit": "search_replace",
            "delete": "delete_file",
            "glob": "glob_file_search",
            "grep": "grep",
        },
        snake_case=True,
        asks_reason=False,
    ),
    # Claude Code: a file is read before it is edited or replaced.
    "claude": Profile(
        {
            "read": "Read",
            "edit": "Edit",
            "multiedit": "MultiEdit",
            "write": "Write",
            "glob": "Glob",
            "grep": "Grep",
        },
        snake_case=True,
        asks_reason=False,
    ),
    # Codex reads files with a shell, which a session does not see. Each hunk still needs an unambiguous place.
    "codex": Profile({"apply_patch": "apply_patch"}, {"apply_patch": "off"}, snake_case=True, asks_reason=False),
    "opencode": Profile(
        _same("read", "write", "edit", "multiedit", "apply_patch", "glob", "grep"),
        empty_old="overwrite",
        asks_reason=False,
    ),
}


def profile_named(profile: str | Profile) -> Profile:
    """A profile by its name; a profile as it is.

    Raises:
        ValueError: there is none of that name.
    """
    if isinstance(profile, Profile):
        return profile
    if profile not in PROFILES:
        message = f"expected one of the profiles {', '.join(PROFILES)}; found {profile!r}"
        raise ValueError(message)
    return PROFILES[profile]


def isolated_profile(profile: Profile) -> Profile:
    """A profile with the tools that only an isolated session has, with names like those of the others."""
    is_capitalized = all(name[:1].isupper() for name in profile.tools.values())
    names = [tool.name for tool in TOOLS.values() if tool.isolated]
    return profile.replace(
        tools={**profile.tools, **{name: name.capitalize() if is_capitalized else name for name in names}}
    )


def narrow(profile: Profile, only: tuple[str, ...] | None, names: Mapping[str, str]) -> Profile:
    """A profile with some tools only, by our names or theirs, and with other names.

    Raises:
        ValueError: there is no such tool, or two tools get the same name.
    """
    chosen = dict(profile.tools)
    if only is not None:
        ours = {theirs: our for our, theirs in profile.tools.items()}
        unknown = [name for name in only if name not in TOOLS and name not in ours]
        if unknown:
            message = f"expected some of the tools {', '.join(TOOLS)}; found {', '.join(unknown)}"
            raise ValueError(message)
        chosen_names = {ours.get(name, name) for name in only}
        chosen = {name: profile.tools.get(name, name) for name in TOOLS if name in chosen_names}
    unknown = [name for name in names if name not in chosen]
    if unknown:
        message = f"expected names for some of {', '.join(chosen)}; found {', '.join(unknown)}"
        raise ValueError(message)
    chosen |= names
    if len({name.lower() for name in chosen.values()}) < len(chosen):
        message = f"expected a different name for each tool; found {', '.join(chosen.values())}"
        raise ValueError(message)
    return profile.replace(tools=chosen)
