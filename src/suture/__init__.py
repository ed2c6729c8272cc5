"""Suture puts the edits that language models write into real files.

Exactly where they belong, all of them or none, and with an answer that a model can act upon. This module is the whole
public surface; everything else may change. Names are loaded when they are first used, so that importing costs next to
nothing (docs/decisions/0004-lazy-surface.md).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .dialect import DIALECTS as DIALECTS, Dialect as Dialect
    from .diff import unified_diff as unified_diff
    from .edits import Edit as Edit, EditDone as EditDone, Span as Span
    from .envelope import PatchParser as PatchParser, parse as parse
    from .inmemory import Match as Match, Update as Update, update as update
    from .patch import (
        AddFile as AddFile,
        Concession as Concession,
        DeleteFile as DeleteFile,
        Hunk as Hunk,
        Patch as Patch,
        UpdateFile as UpdateFile,
    )
    from .problems import (
        CommitFailed as CommitFailed,
        PartlyApplied as PartlyApplied,
        PatchInvalid as PatchInvalid,
        PatchRejected as PatchRejected,
        Problem as Problem,
        RecoveryNeeded as RecoveryNeeded,
        SutureError as SutureError,
    )
    from .rendering import render as render
    from .session.answers import Answer as Answer, Decision as Decision
    from .session.approvers import (
        AllowAll as AllowAll,
        ApprovalQueue as ApprovalQueue,
        Callback as Callback,
        DenyAll as DenyAll,
    )
    from .session.diagnostics.command import CommandDiagnoser as CommandDiagnoser
    from .session.diagnostics.languages import LanguageServers as LanguageServers
    from .session.diagnostics.report import Diagnostic as Diagnostic, Report as Report
    from .session.events import (
        Bus as Bus,
        DiagnosticsReceived as DiagnosticsReceived,
        FileChanged as FileChanged,
        FileEdited as FileEdited,
        PermissionAsked as PermissionAsked,
        PermissionReplied as PermissionReplied,
        SubscriberFailed as SubscriberFailed,
    )
    from .session.formatters import Formatter as Formatter
    from .session.requests import Request as Request
    from .session.result import Result as Result
    from .session.rules import Rule as Rule, Rules as Rules
    from .session.session import Session as Session
    from .shell import (
        Invocation as Invocation,
        parse_invocation as parse_invocation,
        verify_invocation as verify_invocation,
    )
    from .strings import MultiEdit as MultiEdit, Replacement as Replacement, multiedit as multiedit, replace as replace
    from .teaching import instructions as instructions
    from .workspace.evaluation import InMemory as InMemory, apply_in_memory as apply_in_memory
    from .workspace.memory import MemoryFiles as MemoryFiles
    from .workspace.outcome import Change as Change, Plan as Plan, Receipt as Receipt
    from .workspace.recovery import Recovered as Recovered
    from .workspace.workspace import Workspace as Workspace

__version__ = "0.1.0"

_HOMES = {
    "AddFile": "patch",
    "AllowAll": "session.approvers",
    "Answer": "session.answers",
    "ApprovalQueue": "session.approvers",
    "Bus": "session.events",
    "Callback": "session.approvers",
    "Change": "workspace.outcome",
    "CommandDiagnoser": "session.diagnostics.command",
    "CommitFailed": "problems",
    "Concession": "patch",
    "DIALECTS": "dialect",
    "Decision": "session.answers",
    "DeleteFile": "patch",
    "DenyAll": "session.approvers",
    "Diagnostic": "session.diagnostics.report",
    "DiagnosticsReceived": "session.events",
    "Dialect": "dialect",
    "Edit": "edits",
    "EditDone": "edits",
    "FileChanged": "session.events",
    "FileEdited": "session.events",
    "Formatter": "session.formatters",
    "Hunk": "patch",
    "InMemory": "workspace.evaluation",
    "Invocation": "shell",
    "LanguageServers": "session.diagnostics.languages",
    "Match": "inmemory",
    "MemoryFiles": "workspace.memory",
    "MultiEdit": "strings",
    "PartlyApplied": "problems",
    "Patch": "patch",
    "PatchInvalid": "problems",
    "PatchParser": "envelope",
    "PatchRejected": "problems",
    "PermissionAsked": "session.events",
    "PermissionReplied": "session.events",
    "Plan": "workspace.outcome",
    "Problem": "problems",
    "Receipt": "workspace.outcome",
    "Recovered": "workspace.recovery",
    "RecoveryNeeded": "problems",
    "Replacement": "strings",
    "Report": "session.diagnostics.report",
    "Request": "session.requests",
    "Result": "session.result",
    "Rule": "session.rules",
    "Rules": "session.rules",
    "Session": "session.session",
    "Span": "edits",
    "SubscriberFailed": "session.events",
    "SutureError": "problems",
    "Update": "inmemory",
    "UpdateFile": "patch",
    "Workspace": "workspace.workspace",
    "apply_in_memory": "workspace.evaluation",
    "instructions": "teaching",
    "multiedit": "strings",
    "parse": "envelope",
    "parse_invocation": "shell",
    "render": "rendering",
    "replace": "strings",
    "unified_diff": "diff",
    "update": "inmemory",
    "verify_invocation": "shell",
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
