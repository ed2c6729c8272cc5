"""Suture puts the edits that language models write into real files.

Exactly where they belong, all of them or none, and with an answer that a model can act upon. This module is the whole
public surface; everything else may change. Names are loaded when they are first used, so that importing costs next to
nothing (docs/decisions/0004-lazy-surface.md).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .apply.strings import (
        MultiEdit as MultiEdit,
        Replacement as Replacement,
        multiedit as multiedit,
        replace as replace,
    )
    from .apply.update import Match as Match, Update as Update, update as update
    from .core.dialect import DIALECTS as DIALECTS, Dialect as Dialect
    from .core.patch import (
        AddFile as AddFile,
        Concession as Concession,
        DeleteFile as DeleteFile,
        Hunk as Hunk,
        Patch as Patch,
        UpdateFile as UpdateFile,
    )
    from .core.problems import (
        CommitFailed as CommitFailed,
        PartlyApplied as PartlyApplied,
        PatchInvalid as PatchInvalid,
        PatchRejected as PatchRejected,
        Problem as Problem,
        RecoveryNeeded as RecoveryNeeded,
        SutureError as SutureError,
    )
    from .core.string_edits import Edit as Edit, EditDone as EditDone, Span as Span
    from .diagnostics.command import CommandDiagnoser as CommandDiagnoser
    from .diagnostics.languages import LanguageServers as LanguageServers
    from .diagnostics.report import Diagnostic as Diagnostic, Report as Report
    from .diff.unified import unified_diff as unified_diff
    from .events.bus import (
        Bus as Bus,
        DiagnosticsReceived as DiagnosticsReceived,
        FileChanged as FileChanged,
        FileEdited as FileEdited,
        PermissionAsked as PermissionAsked,
        PermissionReplied as PermissionReplied,
        SubscriberFailed as SubscriberFailed,
    )
    from .format.envelope import PatchParser as PatchParser, parse as parse
    from .format.instructions import instructions as instructions
    from .format.invocations import Invocation as Invocation, parse_invocation as parse_invocation
    from .format.writer import render as render
    from .permissions.answers import Answer as Answer, Decision as Decision
    from .permissions.approvers import (
        AllowAll as AllowAll,
        ApprovalQueue as ApprovalQueue,
        Callback as Callback,
        DenyAll as DenyAll,
    )
    from .permissions.requests import Request as Request
    from .permissions.rules import Rule as Rule, Rules as Rules
    from .session.formatters import Formatter as Formatter
    from .session.result import Result as Result
    from .session.session import Session as Session
    from .workspace.evaluation import InMemory as InMemory, apply_in_memory as apply_in_memory
    from .workspace.memory import MemoryFiles as MemoryFiles
    from .workspace.outcome import Change as Change, Plan as Plan, Receipt as Receipt
    from .workspace.recovery import Recovered as Recovered
    from .workspace.shell_commands import verify_invocation as verify_invocation
    from .workspace.workspace import Workspace as Workspace

__version__ = "0.1.0"

_HOMES = {
    "AddFile": "core.patch",
    "AllowAll": "permissions.approvers",
    "Answer": "permissions.answers",
    "ApprovalQueue": "permissions.approvers",
    "Bus": "events.bus",
    "Callback": "permissions.approvers",
    "Change": "workspace.outcome",
    "CommandDiagnoser": "diagnostics.command",
    "CommitFailed": "core.problems",
    "Concession": "core.patch",
    "DIALECTS": "core.dialect",
    "Decision": "permissions.answers",
    "DeleteFile": "core.patch",
    "DenyAll": "permissions.approvers",
    "Diagnostic": "diagnostics.report",
    "DiagnosticsReceived": "events.bus",
    "Dialect": "core.dialect",
    "Edit": "core.string_edits",
    "EditDone": "core.string_edits",
    "FileChanged": "events.bus",
    "FileEdited": "events.bus",
    "Formatter": "session.formatters",
    "Hunk": "core.patch",
    "InMemory": "workspace.evaluation",
    "Invocation": "format.invocations",
    "LanguageServers": "diagnostics.languages",
    "Match": "apply.update",
    "MemoryFiles": "workspace.memory",
    "MultiEdit": "apply.strings",
    "PartlyApplied": "core.problems",
    "Patch": "core.patch",
    "PatchInvalid": "core.problems",
    "PatchParser": "format.envelope",
    "PatchRejected": "core.problems",
    "PermissionAsked": "events.bus",
    "PermissionReplied": "events.bus",
    "Plan": "workspace.outcome",
    "Problem": "core.problems",
    "Receipt": "workspace.outcome",
    "Recovered": "workspace.recovery",
    "RecoveryNeeded": "core.problems",
    "Replacement": "apply.strings",
    "Report": "diagnostics.report",
    "Request": "permissions.requests",
    "Result": "session.result",
    "Rule": "permissions.rules",
    "Rules": "permissions.rules",
    "Session": "session.session",
    "Span": "core.string_edits",
    "SubscriberFailed": "events.bus",
    "SutureError": "core.problems",
    "Update": "apply.update",
    "UpdateFile": "core.patch",
    "Workspace": "workspace.workspace",
    "apply_in_memory": "workspace.evaluation",
    "instructions": "format.instructions",
    "multiedit": "apply.strings",
    "parse": "format.envelope",
    "parse_invocation": "format.invocations",
    "render": "format.writer",
    "replace": "apply.strings",
    "unified_diff": "diff.unified",
    "update": "apply.update",
    "verify_invocation": "workspace.shell_commands",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            message = f"module 'suture' has no attribute {name!r}"
            raise AttributeError(message)
        from importlib import import_module

        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
