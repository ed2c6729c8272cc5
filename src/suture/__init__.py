"""Suture puts the edits that language models write into real files.

Exactly where they belong, all of them or none, and with an answer that a model can act on. The names here are the ones
that everybody needs. The rest is in public modules by subject: `suture.format`, `suture.place`, `suture.workspace`,
`suture.agent`, `suture.agent.diagnostics`, `suture.agent.configuration`, `suture.review`, `suture.adapters`,
`suture.testing`.
"""

from __future__ import annotations

from .core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .agent.answers import Answer as Answer
    from .agent.configuration.project_workspace import open_project as open_project
    from .agent.session import Session as Session
    from .agent.sync import SyncSession as SyncSession
    from .core.dialect import DIALECTS as DIALECTS, Dialect as Dialect
    from .core.edit_options import EditOptions as EditOptions
    from .core.patch import (
        AddFile as AddFile,
        Concession as Concession,
        DeleteFile as DeleteFile,
        EditFile as EditFile,
        Hunk as Hunk,
        Patch as Patch,
        UpdateFile as UpdateFile,
        WriteFile as WriteFile,
    )
    from .core.problems import (
        CommitFailedError as CommitFailedError,
        ComputeReplacements as ComputeReplacements,
        ImplicitInvocation as ImplicitInvocation,
        IoError as IoError,
        ParseError as ParseError,
        PartlyAppliedError as PartlyAppliedError,
        PatchInvalidError as PatchInvalidError,
        PatchRejectedError as PatchRejectedError,
        Problem as Problem,
        RecoveryNeededError as RecoveryNeededError,
        SutureError as SutureError,
    )
    from .core.string_edits import StringEdit as StringEdit
    from .core.write_diff import unified_diff as unified_diff
    from .format.instructions import instructions as instructions
    from .format.patch_parser import parse as parse
    from .format.writer import render as render
    from .place.replace import multiedit as multiedit, replace as replace
    from .place.update import update as update
    from .workspace.evaluation import apply_in_memory as apply_in_memory
    from .workspace.rebase_edit import rebase as rebase
    from .workspace.workspace import Workspace as Workspace

__version__ = "0.1.0"

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "place.replace": "multiedit replace",
            "place.update": "update",
            "core.dialect": "DIALECTS Dialect",
            "core.edit_options": "EditOptions",
            "core.patch": "AddFile Concession DeleteFile EditFile Hunk Patch UpdateFile WriteFile",
            "core.problems": (
                "CommitFailedError ComputeReplacements ImplicitInvocation IoError ParseError "
                "PartlyAppliedError PatchInvalidError PatchRejectedError "
                "Problem RecoveryNeededError SutureError"
            ),
            "core.string_edits": "StringEdit",
            "core.write_diff": "unified_diff",
            "format.instructions": "instructions",
            "format.patch_parser": "parse",
            "format.writer": "render",
            "agent.answers": "Answer",
            "agent.configuration.project_workspace": "open_project",
            "agent.session": "Session",
            "agent.sync": "SyncSession",
            "workspace.evaluation": "apply_in_memory",
            "workspace.rebase_edit": "rebase",
            "workspace.workspace": "Workspace",
        },
    )
