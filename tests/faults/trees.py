"""The tree and the patch that the fault tests are about, and the two trees that may come of it."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BEFORE: dict[str, str | bytes] = {
    "README.md": "# A project\n\nSome words.\n",
    "src/app.py": "import os\n\n\ndef main():\n    print(os.name)\n",
    "src/old/gone.py": "gone = True\n",
    "src/tool.sh": "#!/bin/sh\necho one\n",
    "docs/move.txt": "moved as it is\n",
    "docs/edit.txt": "moved\nand changed\n",
    "data/blob.bin": b"\x00\xff\x00",
}
LINK = ("link.py", "src/app.py")
MODES = {"src/tool.sh": 0o755, "docs/edit.txt": 0o640}

PATCH = """\
*** Begin Patch
*** Add File: new/deep/added.txt
+added
*** Update File: link.py
@@
 def main():
-    print(os.name)
+    print(os.sep)
*** Update File: src/tool.sh
@@
-echo one
+echo two
*** Delete File: src/old/gone.py
*** Delete File: data/blob.bin
*** Update File: docs/move.txt
*** Move to: other/moved.txt
*** Update File: docs/edit.txt
*** Move to: other/deep/edited.txt
@@
 moved
-and changed
+and changed twice
*** Add File: top.txt
+top
*** End Patch
"""


def build(root: Path) -> Path:
    """The tree before."""
    for path, content in BEFORE.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        file.chmod(MODES.get(path, 0o644))
    (root / LINK[0]).symlink_to(LINK[1])
    return root


def tree(root: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything in a folder: kind, mode and content of each name, empty folders and leftovers included."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        at = str(path.relative_to(root))
        if stat.S_ISLNK(status.st_mode):
            found[at] = ("link", 0, os.fsencode(path.readlink()))
        elif stat.S_ISDIR(status.st_mode):
            found[at] = ("folder", 0, b"")
        else:
            found[at] = ("file", stat.S_IMODE(status.st_mode), path.read_bytes())
    return found
