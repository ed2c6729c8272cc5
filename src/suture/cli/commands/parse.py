"""`suture parse`: a patch as JSON, as it was read."""

from __future__ import annotations

from ..inputs import patch_text
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...core.patch import Patch
    from ..screen import Screen

_KINDS = {"AddFile": "add", "DeleteFile": "delete", "UpdateFile": "update"}


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch. It is JSON with and without `--json`: there is no better way to show it."""
    from ...format.envelope import parse

    patch = parse(patch_text(options.patch), options.dialect)
    return print_document(screen, "parse", 0, {"dialect": options.dialect, "patch": patch_data(patch)})


def patch_data(patch: Patch) -> dict[str, object]:
    """A patch as JSON has it: each operation says its kind."""
    from ...core.json_values import to_data

    operations = [{"kind": _KINDS[type(one).__name__], **to_data(one)} for one in patch.operations]
    return {**to_data(patch), "operations": operations}
