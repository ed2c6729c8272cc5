"""The public names, pinned: a change here is a change for users and belongs into the CHANGELOG."""

from __future__ import annotations

from pathlib import Path

import pytest

import suture

NAMES = [
    "AddFile",
    "AllowAll",
    "Answer",
    "ApprovalQueue",
    "Bus",
    "Callback",
    "Change",
    "CommandDiagnoser",
    "CommitFailed",
    "Concession",
    "DIALECTS",
    "Decision",
    "DeleteFile",
    "DenyAll",
    "Diagnostic",
    "DiagnosticsReceived",
    "Dialect",
    "Edit",
    "EditDone",
    "FileChanged",
    "FileEdited",
    "Formatter",
    "Hunk",
    "InMemory",
    "Invocation",
    "LanguageServers",
    "Match",
    "MemoryFiles",
    "MultiEdit",
    "PartlyApplied",
    "Patch",
    "PatchInvalid",
    "PatchParser",
    "PatchRejected",
    "PermissionAsked",
    "PermissionReplied",
    "Plan",
    "Problem",
    "Receipt",
    "Recovered",
    "RecoveryNeeded",
    "Replacement",
    "Report",
    "Request",
    "Result",
    "Rule",
    "Rules",
    "Session",
    "Span",
    "SubscriberFailed",
    "SutureError",
    "Update",
    "UpdateFile",
    "Workspace",
    "apply_in_memory",
    "instructions",
    "multiedit",
    "parse",
    "parse_invocation",
    "render",
    "replace",
    "unified_diff",
    "update",
    "verify_invocation",
]


def test_these_are_all_the_public_names() -> None:
    assert sorted(suture.__all__) == sorted(NAMES)


def test_the_public_names_are_in_order_and_each_there_once() -> None:
    assert list(suture.__all__) == sorted(set(suture.__all__))


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(suture, name)
    if name != "DIALECTS":  # data has no docstring of its own
        assert thing.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_no_module_has_the_name_of_a_public_thing(name: str) -> None:
    """Importing the module would put it where the thing should be."""
    assert not (Path(suture.__file__).parent / f"{name}.py").exists()


def test_dir_shows_the_public_names() -> None:
    assert set(NAMES) <= set(dir(suture))


@pytest.mark.parametrize("name", ["no_such_name", "__path_of_nothing__"])
def test_a_name_that_is_not_there_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(suture, name)


@pytest.mark.parametrize(
    ("special", "general"),
    [("PatchInvalid", "SutureError"), ("PatchRejected", "SutureError"), ("SutureError", None)],
)
def test_every_exception_of_ours_is_a_suture_error(special: str, general: str | None) -> None:
    assert issubclass(getattr(suture, special), getattr(suture, general) if general else Exception)
