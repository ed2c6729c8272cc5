"""The document that `--json` prints. docs/cli.md lists its fields; the schemas in `schemas/` define them."""

from __future__ import annotations

from ..core.json_values import to_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..core.outcome import Plan, Receipt
    from ..core.problems import Problem, SutureError
    from .screen import Screen

#: The format version. It changes when a field is removed or changes its meaning, not when one is added.
FORMAT = 1


def print_document(
    screen: Screen,
    command: str,
    status: int,
    fields: Mapping[str, object] | None = None,
    *,
    problems: Iterable[Problem] = (),
    state_of_disk: str = "",
) -> int:
    """Print the document of a run, and return the exit status."""
    from json import dumps

    document = {
        "format": FORMAT,
        "command": command,
        "ok": status == 0,
        "exit_status": status,
        "problems": to_data([problem.told_to(screen.reader) for problem in problems]),
        "state_of_disk": state_of_disk,
        **{name: to_data(value) for name, value in (fields or {}).items()},
    }
    # ASCII only, so that neither undecodable bytes nor the terminal's encoding matter.
    screen.print(dumps(document, indent=2))
    return status


def print_error(screen: Screen, command: str, status: int, error: SutureError) -> int:
    """Print the document of a run that failed."""
    receipt = getattr(error, "receipt", None)
    fields = {} if receipt is None else receipt_fields(receipt)
    return print_document(screen, command, status, fields, problems=error.problems, state_of_disk=error.state_of_disk)


def plan_fields(plan: Plan) -> dict[str, object]:
    """The fields for a plan."""
    return {
        "changes": plan.changes,
        "concessions": plan.concessions,
        "fingerprints": plan.fingerprints,
        "receipt": None,
    }


def receipt_fields(receipt: Receipt) -> dict[str, object]:
    """The fields for a commit. The changes are next to the receipt, as for a plan."""
    proof = to_data(receipt)
    del proof["changes"]
    return {"changes": receipt.changes, "concessions": receipt.concessions, "receipt": proof}
