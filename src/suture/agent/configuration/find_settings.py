"""Reads configuration files, and decides which of their settings count.

A project's file comes with the project, and a model can write it. So it can only make things stricter, or choose among
what is harmless: it cannot lift what is denied by default, shorten the history, or raise a limit. What runs programs or
allows edits without asking (`formatters`, `diagnostics`, rules that allow), or lets a person read other text than a
program does (some `encodings`), counts only once the user has trusted exactly these settings. The user's own file wins
over the project's (docs/decisions/0014-project-configuration.md).

Read from the environment: what `configuration_home` reads, and for what is trusted what `state_folder` reads.
"""

from __future__ import annotations

from json import dumps

from ...core.common_limits import LARGEST_CONTENT
from ...core.file_errors import FileTooLargeError
from ...core.problems import PatchInvalidError, Problem
from ...core.regular_files import read_regular
from ...core.system import configuration_home, real_path
from ...core.text_encodings import ENCODINGS_THAT_HIDE_ASCII, text_encoding
from ...core.toml_source import parse_toml
from ...state.trust import are_trusted, trust_settings
from ...workspace.project import CONFIGURATION, PYPROJECT, find_project, read_project_file
from ...workspace.workspace_limits import LARGEST_SETTINGS_FILE
from .setting_limits import MOST_FAULTS
from .settings import KEYS, Configuration, faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

#: The limits that a project may lower, with their defaults.
LOWERED = {"max_size": LARGEST_CONTENT, "lock_timeout": 10.0, "diagnostics_timeout": 5.0}


def load(
    path: str = ".", *, upward: bool = True, trusted: bool | None = None, with_project: bool = True
) -> Configuration:
    """The configuration for a directory: of the project that it belongs to, and of the user.

    Unless `upward`, the directory itself is the project. `trusted` says whether the project's file may run programs and
    allow edits; by default, if the user has trusted it. Unless `with_project`, only the user's file is read.

    Raises:
        PatchInvalidError: a file can't be read, or has a wrong setting; with a problem for each.
    """
    root = find_project(path)[0] if upward else real_path(path)
    user, user_file = _read_user()
    project, project_file = _read_project(root) if with_project else ({}, "")
    untrusted = risky(project)
    if untrusted and not (is_trusted(root, project) if trusted is None else trusted):
        project = _without(project, untrusted)
    else:
        untrusted = ()
    files = tuple([file for file in (user_file, project_file) if file])
    merged = {**project, **user}
    # Rules are read from the end, so that the user's are asked first.
    rules = [*project.get("rules", ()), *user.get("rules", ())]
    limits = {name: min(value, LOWERED[name]) for name, value in project.get("limits", {}).items()}
    return Configuration(
        dialect=merged.get("dialect", "standard"),
        allow=tuple(merged.get("allow", ())),
        deny=(*user.get("deny", ()), *project.get("deny", ())),
        lift=tuple(user.get("lift", ())),
        # The last one counts, so that the user's win.
        encodings=(*project.get("encodings", {}).items(), *user.get("encodings", {}).items()),
        durability=merged.get("durability", "full"),
        rules=tuple([(rule["permission"], rule["glob"], rule["action"]) for rule in rules]),
        formatters=tuple(
            [(one["glob"], tuple(one["command"]), one.get("timeout", 10.0)) for one in merged.get("formatters", ())]
        ),
        diagnostics=merged.get("diagnostics", {}),
        limits={**limits, **user.get("limits", {})},
        notify=tuple(notify) if isinstance(notify := user.get("notify", "desktop"), list) else notify,
        files=files,
        untrusted=untrusted,
    )


def user_file_path() -> str:
    """The user's own file, which need not exist."""
    return f"{configuration_home()}/suture/config.toml"


def risky(project: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a project's settings that need the user's trust."""
    keys = [name for name, key in KEYS.items() if key.trust and project.get(name)]
    keys += [f'encodings."{glob}"' for glob, name in project.get("encodings", {}).items() if _hides_ascii(name)]
    rules = project.get("rules", ())
    return (*keys, *[f"rules[{n}]" for n, rule in enumerate(rules, 1) if rule["action"] == "allow"])


def trust(path: str = ".", *, upward: bool = True, revoke: bool = False) -> tuple[str, ...]:
    """Trust the settings of a project as they are now, or no longer; returns the keys that this is about.

    Raises:
        PatchInvalidError: the project's file can't be read, or has a wrong setting.
    """
    root = find_project(path)[0] if upward else real_path(path)
    project, _ = _read_project(root)
    trust_settings(root, dumps(project, sort_keys=True), revoke=revoke)
    return risky(project)


def is_trusted(root: str, project: Mapping[str, Any]) -> bool:
    """Whether the user has trusted exactly these settings, of a project at this place."""
    return are_trusted(root, dumps(project, sort_keys=True))


def _without(project: Mapping[str, Any], untrusted: Iterable[str]) -> dict[str, Any]:
    """The settings without those that need trust."""
    left = {name: value for name, value in project.items() if name not in untrusted}
    if "encodings" in left:
        left["encodings"] = {glob: name for glob, name in left["encodings"].items() if not _hides_ascii(name)}
    if "rules" in left:
        left["rules"] = [rule for rule in left["rules"] if rule["action"] != "allow"]
    return left


def _hides_ascii(encoding: str) -> bool:
    return text_encoding(encoding) in ENCODINGS_THAT_HIDE_ASCII


def _read_user() -> tuple[Mapping[str, Any], str]:
    """The settings of the user and the file that has them. It may be a link: many keep such files elsewhere."""
    path = user_file_path()
    return _settings(path, _content(path, lambda limit: read_regular(path, limit, follow_links=True)), user=True)


def _read_project(root: str) -> tuple[Mapping[str, Any], str]:
    """The settings of a project and the file that has them: `.suture.toml`, or a table of `pyproject.toml`."""
    own, own_file = _read_project_file(root, CONFIGURATION)
    table, pyproject = _read_project_file(root, PYPROJECT, ("tool", "suture"))
    if own_file and pyproject:
        message = f"Both {CONFIGURATION} and {PYPROJECT} in {root} have settings of Suture."
        raise PatchInvalidError(
            [_problem(pyproject, "tool.suture", message, f"Move the settings of {PYPROJECT} to {CONFIGURATION}.")]
        )
    return (own, own_file) if own_file else (table, pyproject)


def _read_project_file(root: str, name: str, table: tuple[str, ...] = ()) -> tuple[Mapping[str, Any], str]:
    path = f"{root}/{name}"
    return _settings(path, _content(path, lambda limit: read_project_file(root, name, limit)), table)


def _content(path: str, read: Callable[[int], bytes]) -> bytes | None:
    """The content of a file with settings; None if there is no such file."""
    hint = "Replace it by a regular file, or remove it."
    try:
        return read(LARGEST_SETTINGS_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except FileTooLargeError as error:
        message = f"{path} is larger than {error.limit} bytes."
        raise PatchInvalidError([_problem(path, "", message, hint)]) from error
    except OSError as error:
        raise PatchInvalidError([_problem(path, "", f"{path} cannot be read: {error.strerror}.", hint)]) from error


def _settings(
    path: str, data: bytes | None, table: tuple[str, ...] = (), *, user: bool = False
) -> tuple[Mapping[str, Any], str]:
    """The settings in the content of a file, and its path; nothing if there is no file, or no such table in it."""
    if data is None:
        return {}, ""
    if table and table[-1].encode() not in data:
        return {}, ""
    settings: Any = _parse(path, data)
    for name in table:
        settings = settings.get(name) if isinstance(settings, dict) else None
    if settings is None:
        return {}, ""
    prefix = ".".join([*table, ""])
    wrong = faults(settings, user=user) if isinstance(settings, dict) else [("", "must be a table")]
    if wrong:
        hint = "Correct this setting or remove it."
        keys = [(prefix + key, fault) for key, fault in wrong[:MOST_FAULTS]]
        raise PatchInvalidError(
            [_problem(path, key, f"{path}: {key.rstrip('.')} {fault}.", hint) for key, fault in keys]
        )
    return settings, path


def _parse(path: str, data: bytes) -> dict[str, Any]:
    try:
        return parse_toml(data.decode("utf-8"))
    except ValueError as error:
        raise PatchInvalidError(
            [_problem(path, "", f"{path} is not valid TOML: {error}.", "Correct the file.")]
        ) from error


def _problem(path: str, key: str, message: str, hint: str) -> Problem:
    details = {"path": path, "key": key, "reason": "configuration"}
    return Problem("invalid_arguments", message, path, details=details, hint=hint)
