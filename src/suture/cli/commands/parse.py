"""`suture parse`: prints a parsed patch as JSON."""

from __future__ import annotations

from ...core.json_values import to_data
from ...core.patch import ChangeFile
from ...format.patch_parser import parse
from ...workspace.globs import excluder
from ..inputs import read_patch
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ...core.patch import Patch
    from ..screen import Screen

_KINDS = {
    "AddFile": "add",
    "ChangeFile": "change",
    "DeleteFile": "delete",
    "EditFile": "edit",
    "UpdateFile": "update",
    "WriteFile": "write",
}


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch as JSON, with or without `--json`."""
    exclude = excluder(options.exclude)
    patch = parse(read_patch(options.patch), options.dialect, form=options.format, exclude=exclude)
    return print_document(screen, "parse", 0, {"dialect": options.dialect, "patch": patch_data(patch)})


def patch_data(patch: Patch) -> dict[str, Any]:
    """A patch as JSON data, in which each operation has its kind."""
    operations = [{"kind": _KINDS[type(one).__name__], **to_data(one)} for one in patch.operations]
    for one, data in zip(patch.operations, operations, strict=True):
        if isinstance(one, ChangeFile):
            data["change"] = {"kind": type(one.change).__name__, **data["change"]}
    return {**to_data(patch), "operations": operations}
