"""The kinds of permission that the tools of a session ask for, each with its words in messages, questions and pages.

Where each is asked for is in `steps`. Rules may name others, which are called by their names.
"""

from __future__ import annotations

from ..core.display import safe_text
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class PermissionKind(Value):
    """One kind of permission, and how people and models read of it. In `subject`, {} is what it is for."""

    name: str
    #: "src/app.py may not be … : a rule denies it."
    denied: str
    #: "… was not approved", "The user rejected …"
    subject: str
    #: "May the model … src/app.py?"
    question: str
    #: The beginning of a heading on the review page: "… src/app.py"
    heading: str


PERMISSIONS: Mapping[str, PermissionKind] = {
    kind.name: kind
    for kind in (
        PermissionKind("edit", denied="edited", subject="the edit of {}", question="change", heading="Edit"),
        PermissionKind("read", denied="read", subject="reading {}", question="read", heading="Read"),
        PermissionKind(
            "external_directory",
            denied="accessed outside the workspace",
            subject="access to {} outside the workspace",
            question="use files outside the workspace:",
            heading="Access outside the workspace",
        ),
    )
}


def permission_kind(name: str) -> PermissionKind:
    """The words for a permission, also for one that is not in the table."""
    kind = PERMISSIONS.get(name)
    if kind is not None:
        return kind
    return PermissionKind(
        name,
        denied=f"used with the permission '{name}'",
        # Braces in the name are not for what it is for.
        subject=f"'{name}' of ".replace("{", "{{").replace("}", "}}") + "{}",
        question=f"use the permission '{safe_text(name)}' for",
        heading=name,
    )
