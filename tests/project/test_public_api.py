"""The public names, pinned: a change here is a change for users and belongs into the CHANGELOG."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import suture

NAMES = {
    "suture": [
        "AddFile",
        "Answer",
        "CommitFailedError",
        "ComputeReplacements",
        "Concession",
        "DIALECTS",
        "DeleteFile",
        "Dialect",
        "EditFile",
        "EditOptions",
        "Hunk",
        "ImplicitInvocation",
        "IoError",
        "ParseError",
        "PartlyAppliedError",
        "Patch",
        "PatchInvalidError",
        "PatchRejectedError",
        "Problem",
        "RecoveryNeededError",
        "Session",
        "StringEdit",
        "SutureError",
        "SyncSession",
        "UpdateFile",
        "Workspace",
        "WriteFile",
        "apply_in_memory",
        "instructions",
        "multiedit",
        "open_project",
        "parse",
        "rebase",
        "render",
        "replace",
        "unified_diff",
        "update",
    ],
    "suture.adapters": ["reply"],
    "suture.agent": [
        "AllowAll",
        "Answer",
        "ApprovalFolder",
        "ApprovalQueue",
        "Bus",
        "Callback",
        "Decision",
        "DenyAll",
        "DiagnosticsReceived",
        "Event",
        "FileChanged",
        "FileEdited",
        "FileRead",
        "Formatter",
        "LineComment",
        "PROFILES",
        "Pending",
        "PermissionAsked",
        "PermissionReplied",
        "Permissions",
        "Preview",
        "Profile",
        "Reads",
        "Request",
        "Result",
        "Rule",
        "Rules",
        "SubscriberFailed",
        "Subscription",
        "approved_plan",
    ],
    "suture.agent.configuration": ["Configuration", "load", "trust"],
    "suture.agent.diagnostics": [
        "CommandDiagnoser",
        "Diagnoser",
        "Diagnostic",
        "EditedFile",
        "LanguageServers",
        "NoDiagnoser",
        "Report",
        "SERVERS",
        "Server",
        "ServerLimits",
        "check_all",
        "configure_servers",
        "line_reader",
        "read_ruff_json",
        "summarize",
    ],
    "suture.format": ["Invocation", "PatchParser", "parse_invocation"],
    "suture.place": [
        *("AppliedEdit", "Match", "MultiEdit", "Replacement", "Span", "Update"),
        *("insert_definition", "replace_definition"),
    ],
    "suture.review": [
        "Blame",
        "Coverage",
        "Explanation",
        "Explanations",
        "FileTexts",
        "Inbox",
        "InboxItem",
        "RefusedAnswerError",
        "Reversal",
        "Timeline",
        "Watch",
        "explain_patch",
    ],
    "suture.workspace": [
        "Change",
        "FileContent",
        "InMemory",
        "LineHunk",
        "MemoryFiles",
        "Outcome",
        "Plan",
        "Receipt",
        "RecoveredCommit",
        "verify_invocation",
    ],
}
each_name = pytest.mark.parametrize(("module", "name"), [(module, name) for module in NAMES for name in NAMES[module]])


@pytest.mark.parametrize("module", NAMES)
def test_these_are_all_the_public_names(module: str) -> None:
    assert import_module(module).__all__ == NAMES[module]


def test_a_public_name_has_one_home() -> None:
    """`Answer` has two: it belongs to the subject of permissions, and everybody who is asked needs it."""
    names = [name for module in NAMES for name in NAMES[module]]
    assert sorted(names) == sorted([*set(names), "Answer"])
    assert suture.Answer is import_module("suture.agent").Answer


@each_name
def test_a_public_name_is_there_and_says_what_it_is(module: str, name: str) -> None:
    thing = getattr(import_module(module), name)
    if name != "DIALECTS":  # data has no docstring of its own
        assert thing.__doc__


@each_name
def test_no_module_has_the_name_of_a_public_thing(module: str, name: str) -> None:
    """Importing the module would put it where the thing should be."""
    folder = Path(str(import_module(module).__file__)).parent
    assert not (folder / f"{name}.py").exists()
    assert not (folder / name).exists()


@pytest.mark.parametrize("module", NAMES)
def test_dir_shows_the_public_names(module: str) -> None:
    assert set(NAMES[module]) <= set(dir(import_module(module)))


@pytest.mark.parametrize("name", ["no_such_name", "__path_of_nothing__"])
def test_a_name_that_is_not_there_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(suture, name)


@pytest.mark.parametrize(
    ("special", "general"),
    [("PatchInvalidError", "SutureError"), ("PatchRejectedError", "SutureError"), ("SutureError", None)],
)
def test_every_exception_of_ours_is_a_suture_error(special: str, general: str | None) -> None:
    assert issubclass(getattr(suture, special), getattr(suture, general) if general else Exception)
