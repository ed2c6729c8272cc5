"""What a rule denies is refused to programs that ask nobody, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope, updated

from suture import PatchRejectedError, Workspace
from suture.agent.claims_check import Claim
from suture.agent.configuration import Configuration
from suture.testing import MemoryFiles

if TYPE_CHECKING:
    from suture.agent.rules import Action

RULES: tuple[tuple[str, str, Action], ...] = (("*", "**", "ask"), ("edit", "secret/**", "deny"))
BOTH = envelope(*updated("secret/a.txt", "one", "two"), *updated("open.txt", "one", "two"))


def restricted(*lift: str, rules: tuple[tuple[str, str, Action], ...] = RULES) -> Workspace:
    workspace = Workspace(MemoryFiles({"secret/a.txt": "one\n", "secret/b.txt": "one\n", "open.txt": "one\n"}))
    return Configuration(rules=rules).restrict(workspace, lift)


def test_what_a_rule_denies_is_refused_and_what_it_asks_for_is_not() -> None:
    (problem,) = restricted().plan(BOTH).problems
    assert (problem.code, problem.path) == ("permission_denied", "secret/a.txt")
    assert restricted().plan(envelope(*updated("open.txt", "one", "two"))).problems == ()
    assert restricted(rules=RULES[:1]).plan(BOTH).problems == ()


def test_only_what_is_lifted_is_no_longer_refused() -> None:
    workspace = restricted("secret/a.txt")
    assert workspace.plan(BOTH).problems == ()
    with pytest.raises(PatchRejectedError) as refused:
        workspace.read("secret/b.txt")
    assert refused.value.problems[0].code == "permission_denied"


@pytest.mark.parametrize(("actor", "who"), [("ann", "ann"), ("", "the session s")])
def test_who_is_at_work_has_a_name_or_is_a_session(actor: str, who: str) -> None:
    assert Claim("/a.txt", "s", actor, 0.0, 1.0).who == who
