"""The workspace of a project, with the settings of its configuration: the one way for programs and servers.

`apply_patch` loads this for every edit, so what reads configuration files is loaded only where there may be some.
"""

from __future__ import annotations

import os

from ...workspace.project import may_have_configuration
from ...workspace.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .settings import Configuration


def open_project(
    root: str | os.PathLike[str],
    *,
    configuration: Configuration | None = None,
    for_session: bool = False,
    lift: Iterable[str] = (),
    encodings: Iterable[tuple[str, str]] = (),
    durability: str | None = None,
    **settings: Any,  # noqa: ANN401 - those of `Workspace`
) -> Workspace:
    """Open the workspace at `root` as its configuration says.

    `lift` and `encodings` are added to those of the configuration; of all other settings of `Workspace`, those that are
    passed here win. Unless `configuration` was read before, it is read here. What a rule denies is refused, unless
    `lift` has the path; in a workspace `for_session`, the session decides by its rules.

    Raises:
        PatchInvalidError: a configuration file can't be read, or has a wrong setting.
        PatchRejectedError: the directory can't be opened.
    """
    root = os.fspath(root)
    if configuration is None and may_have_configuration(root):
        from .find_settings import load

        configuration = load(root, upward=False)
    if durability:
        settings["durability"] = durability
    lift, encodings = tuple(lift), tuple(encodings)
    if configuration is None:
        return Workspace(root, lift=lift, encodings=encodings, **settings)
    own = configuration.workspace_settings()
    own["lift"] += lift
    own["encodings"] += encodings
    workspace = Workspace(root, **own | settings)
    return workspace if for_session else configuration.restrict(workspace, own["lift"])
