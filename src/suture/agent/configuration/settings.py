"""What can be configured: one table of keys, with what each may be, who may set it, and what is wrong with a value."""

from __future__ import annotations

from itertools import islice
from json import dumps

from ...core.dialect import DIALECTS
from ...core.display import one_line, safe_text, shorten
from ...core.paths import visible_path
from ...core.problems import PatchRejectedError, Problem
from ...core.text_encodings import EXPECTED, text_encoding
from ...core.value import Value
from ...words.next_steps import LiftPath
from ...workspace.globs import Globs, glob_fault
from ...workspace.workspace_limits import LONGEST_GLOB
from ..rules import ACTIONS, Rules
from .setting_limits import (
    DEEPEST_VALUE,
    LARGEST_NUMBER,
    LARGEST_SIZE,
    LONGEST_VALUE,
    MOST_ENCODINGS,
    MOST_GLOBS,
    MOST_TABLES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeAlias

    from ...workspace.workspace import Workspace
    from ..rules import Action

    #: Says what a value should have been, or nothing if it is right.
    Check: TypeAlias = Callable[[object], str]

DAY = 24 * 3600.0
#: How many bits a number has that is written in hexadecimal digits.
_LONG_NUMBER = 64


class Configuration(Value):
    """The settings of a project: those of its user's file, and those of its own file that need no trust or have it."""

    dialect: str = "standard"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    lift: tuple[str, ...] = ()
    #: Encodings of files by glob; of several globs that match, the last one counts.
    encodings: tuple[tuple[str, str], ...] = ()
    durability: str = "full"
    rules: tuple[tuple[str, str, Action], ...] = ()
    #: Formatters as a glob, a command and a timeout.
    formatters: tuple[tuple[str, tuple[str, ...], float], ...] = ()
    diagnostics: Mapping[str, Any] = {}
    limits: Mapping[str, float] = {}
    #: How `suture review` tells that something is asked: "desktop", "off", or a command.
    notify: str | tuple[str, ...] = "desktop"
    #: The files that were read.
    files: tuple[str, ...] = ()
    #: The keys of the project's file that were left out, because the user has not trusted it.
    untrusted: tuple[str, ...] = ()

    def workspace_settings(self) -> dict[str, Any]:
        """The arguments for `Workspace`."""
        settings: dict[str, Any] = {name: getattr(self, name) for name in ("dialect", "allow", "deny", "lift")}
        settings |= {"durability": self.durability, "encodings": self.encodings}
        for name in ("max_size", "lock_timeout", "keep_bytes"):
            if name in self.limits:
                settings[name] = self.limits[name]
        if "keep_days" in self.limits:
            settings["keep_seconds"] = self.limits["keep_days"] * DAY
        if "keep_refused_days" in self.limits:
            settings["keep_refused_seconds"] = self.limits["keep_refused_days"] * DAY
        return settings

    def restrict(self, workspace: Workspace, lift: Iterable[str] = ()) -> Workspace:
        """The workspace for a program that asks nobody: what a rule denies is refused, unless `lift` has the path.

        Rules that ask do not count: whoever runs the program has decided.
        """
        if not any(action == "deny" for _, _, action in self.rules):
            return workspace
        rules, lifted = Rules(self.rules), Globs(list(lift), below=True)

        def check(path: str, name: str, path_text: str, is_linked: bool) -> None:  # noqa: ARG001 - as the guard calls it
            verdicts = [rules.verdict(permission, name, path) for permission in ("edit", "read")]
            denial = next((verdict.rule for verdict in verdicts if verdict.action == "deny"), None)
            if denial is None or lifted.matching(name.lstrip("/")):
                return
            message = (
                f"{visible_path(path_text)} may not be touched: the rule `{denial}` of the configuration denies it."
            )
            details = {"path": path_text, "rule": str(denial)}
            refused = Problem(
                "permission_denied",
                message,
                path_text,
                None,
                details,
                LiftPath(name),
                recoverable=False,
                reason="rule",
            )
            raise PatchRejectedError([refused])

        return workspace.restricted(check)

    def session_settings(self, root: str) -> dict[str, Any]:
        """The arguments for `Session`, for a workspace at `root`."""
        from .session_settings import session_settings

        return session_settings(self, root)


class Key(Value):
    """One key of a table: what it may be, and where it may be set.

    A key of the `user` can only be in the user's own file. One that needs `trust` is left out of a project's file until
    the user trusts the file.
    """

    check: Check
    user: bool = False
    trust: bool = False


def _one_of(*choices: str) -> Check:
    return lambda value: "" if value in choices else f"one of {', '.join(choices)}"


def _number(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LARGEST_NUMBER
    return "" if is_number else f"a positive number up to {LARGEST_NUMBER:,}"


def _number_or_zero(value: object) -> str:
    is_zero = isinstance(value, int | float) and not isinstance(value, bool) and value == 0
    return "" if is_zero or not _number(value) else f"0 or {_number(value)}"


def _whole_number(value: object) -> str:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_SIZE
    return "" if is_number else f"a positive whole number up to {LARGEST_SIZE:,}"


def _text(value: object) -> str:
    return "" if isinstance(value, str) and value.strip() else "a string that is not empty"


def _truth(value: object) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _texts(value: object) -> str:
    is_list = isinstance(value, list) and all(not _text(one) for one in value)
    return "" if is_list else "a list of strings that are not empty"


def _glob(value: object) -> str:
    is_too_long = isinstance(value, str) and bool(glob_fault(value))
    return _text(value) or (f"a glob of at most {LONGEST_GLOB:,} characters" if is_too_long else "")


def _rule_glob(value: object) -> str:
    is_of_home = isinstance(value, str) and value.startswith("~")
    return _glob(value) or ("a glob that does not start with ~, which is not expanded" if is_of_home else "")


def _globs(value: object) -> str:
    globs = value if isinstance(value, list) else []
    is_too_much = len(globs) > MOST_GLOBS or any(map(_glob, globs))
    limits = f"a list of at most {MOST_GLOBS:,} globs, each of at most {LONGEST_GLOB:,} characters"
    return _texts(value) or (limits if is_too_much else "")


def _tables(value: object) -> str:
    if not isinstance(value, list):
        return "a list of tables"
    return f"a list of at most {MOST_TABLES:,} tables" if len(value) > MOST_TABLES else ""


def _command(value: object) -> str:
    return "" if value and not _texts(value) else "a list: the program and its arguments"


def _notification(value: object) -> str:
    is_right = value in ("desktop", "off") if isinstance(value, str) else not _command(value)
    return "" if is_right else "desktop, off, or a list: the program and its arguments"


def _encodings(value: object) -> str:
    if isinstance(value, dict) and len(value) <= MOST_ENCODINGS:
        return ""
    return f"a table of at most {MOST_ENCODINGS} globs, each with the name of an encoding"


RULE = {"permission": Key(_text), "glob": Key(_rule_glob), "action": Key(_one_of(*ACTIONS))}
FORMATTER = {"glob": Key(_glob), "command": Key(_command), "timeout": Key(_number)}
#: The tables below the top, and those that are lists of tables.
TABLES: Mapping[str, Mapping[str, Key]] = {
    "limits": {
        "max_size": Key(_whole_number),
        "lock_timeout": Key(_number),
        "diagnostics_timeout": Key(_number),
        "keep_days": Key(_number, user=True),
        "keep_bytes": Key(_whole_number, user=True),
        "keep_refused_days": Key(_number_or_zero, user=True),
    },
    "diagnostics": {
        "language_servers": Key(_truth),
        "command": Key(_command),
        "endings": Key(_texts),
        "stdin": Key(_truth),
    },
}
LISTS: Mapping[str, Mapping[str, Key]] = {"rules": RULE, "formatters": FORMATTER}
#: The keys of the tables in lists that may be missing.
OPTIONAL = {"timeout"}
KEYS: Mapping[str, Key] = {
    "dialect": Key(_one_of(*DIALECTS)),
    "allow": Key(_globs),
    "deny": Key(_globs),
    "lift": Key(_globs, user=True),
    "encodings": Key(_encodings),
    "durability": Key(_one_of("full", "process")),
    "rules": Key(_tables),
    "formatters": Key(_tables, trust=True),
    "diagnostics": Key(lambda value: "" if isinstance(value, dict) else "a table", trust=True),
    "limits": Key(lambda value: "" if isinstance(value, dict) else "a table"),
    "notify": Key(_notification, user=True),
}


def _shown(value: object) -> str:
    """A wrong value as a message shows it: as a TOML file has it, but not all of a large one."""
    return shorten(one_line(_as_toml(value)), LONGEST_VALUE)


def _as_toml(value: object, depth: int = 0) -> str:
    """A value as a TOML file has it."""
    if depth > DEEPEST_VALUE:
        return "…"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join([_as_toml(one, depth + 1) for one in value[:LONGEST_VALUE]])}]"
    if isinstance(value, dict):
        pairs = [f"{key} = {_as_toml(one, depth + 1)}" for key, one in islice(value.items(), LONGEST_VALUE)]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, str):
        return dumps(value[:LONGEST_VALUE], ensure_ascii=False)
    # Python writes no number of more than 4,300 digits.
    return hex(value) if isinstance(value, int) and value.bit_length() > _LONG_NUMBER else str(value)


def faults(table: Mapping[str, Any], *, user: bool) -> list[tuple[str, str]]:
    """Everything that is wrong with a configuration: each key, and what is wrong with it."""
    mistakes = _faults(table, KEYS, "", user=user)
    for name, keys in TABLES.items():
        if isinstance(table.get(name), dict):
            mistakes += _faults(table[name], keys, f"{name}.", user=user)
    for name, keys in LISTS.items():
        entries = table.get(name)
        for number, entry in enumerate(entries if isinstance(entries, list) else (), 1):
            where = f"{name}[{number}]"
            if isinstance(entry, dict):
                mistakes += _faults(entry, keys, f"{where}.", user=user)
                missing = [key for key in keys if key not in entry and key not in OPTIONAL]
                mistakes += [(f"{where}.{key}", "is missing") for key in missing]
            else:
                mistakes.append((where, f"must be a table with {', '.join(keys)}; found {_shown(entry)}"))
    encodings = table.get("encodings")
    for glob, name in encodings.items() if isinstance(encodings, dict) else ():
        if _glob(glob):
            mistakes.append(("encodings", f"must have globs of paths; found {_shown(glob)}"))
        elif text_encoding(name) is None:
            mistakes.append((f"encodings.{_shown(glob)}", f"must be {EXPECTED}; found {_shown(name)}"))
    diagnostics = table.get("diagnostics")
    if isinstance(diagnostics, dict) and ("command" in diagnostics) == bool(diagnostics.get("language_servers")):
        mistakes.append(("diagnostics", "must have either language_servers = true or a command"))
    return mistakes


def _faults(table: Mapping[str, Any], keys: Mapping[str, Key], prefix: str, *, user: bool) -> list[tuple[str, str]]:
    mistakes = []
    for name, value in table.items():
        key = keys.get(name)
        if key is None:
            mistakes.append((f"{prefix}{safe_text(name)}", f"is not a setting; the settings are {', '.join(keys)}"))
        elif expected := key.check(value):
            mistakes.append((f"{prefix}{name}", f"must be {expected}; found {_shown(value)}"))
        elif key.user and not user:
            mistakes.append((f"{prefix}{name}", "can only be set in the user's own file"))
    return mistakes
