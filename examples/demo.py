"""Show Suture at work in a small project: a damaged patch applied, an ambiguous one refused, a commit of several files
whose process is killed halfway, its recovery, and an undo.

Run it with `python examples/demo.py` or `make demo`. Everything happens in a temporary directory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from suture import PatchRejectedError, Workspace
from suture.testing import KillingFiles

FILE = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        result = 0
        for item in self.items:
            result += item.price
        return result


class Invoice:
    def __init__(self, cart):
        self.cart = cart

    def total(self):
        return self.cart.total()
"""

# As models write it: prose around it, a fence, a path in backticks, and a hunk whose indentation was lost.
ANSWER = """\
Sure! This makes the cart respect quantities:

```
*** Begin Patch
*** Update File: `shop.py`
@@ def total(self):
 result = 0
 for item in self.items:
-    result += item.price
+    result += item.price * item.quantity
 return result
*** End Patch
```
"""

AMBIGUOUS = """\
*** Begin Patch
*** Update File: shop.py
@@
-    def total(self):
+    def total(self) -> int:
*** End Patch
"""

# Four files at once.
SEVERAL = """\
*** Begin Patch
*** Add File: shop/prices.py
+def gross(net: int) -> int:
+    return net * 119 // 100
*** Update File: shop.py
@@ class Invoice:
     def total(self):
-        return self.cart.total()
+        return gross(self.cart.total())
*** Update File: README.md
*** Move to: docs/README.md
*** Delete File: old.py
*** End Patch
"""

COLOR = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
BOLD, DIM, RED, GREEN, CYAN = "1", "2", "31", "32", "36"


def paint(text: str, color: str) -> str:
    """Return the text in a color, unless colors are off."""
    return f"\x1b[{color}m{text}\x1b[0m" if COLOR else text


def heading(text: str) -> None:
    """Print a line that says what comes next."""
    print(f"\n{paint(text, BOLD)}\n")


def show(text: str, color: str = "") -> None:
    """Print a text, indented."""
    for line in text.splitlines():
        print(f"    {paint(line, color) if color else line}".rstrip())


def show_diff(diff: str) -> None:
    """Print a diff in colors."""
    colors = {"+": GREEN, "-": RED, "@": CYAN}
    for line in diff.splitlines():
        show(line, BOLD if line.startswith(("---", "+++")) else colors.get(line[:1], ""))


def demonstrate_an_edit(workspace: Workspace) -> None:
    """Show how a damaged patch is read, where it belongs, and what it changes."""
    heading("1. What a model wrote")
    show(ANSWER, DIM)

    heading("2. What it would do: a plan never writes")
    plan = workspace.plan(ANSWER)
    for concession in plan.concessions:
        print(f"    read leniently: {concession.name} (line {concession.line} of the answer)")
    for change in plan.changes:
        print(f"    {change}")
        for match in change.matches:
            print(f"    hunk {match.hunk}: lines {match.start} to {match.end}, tier {match.tier}")
    show_diff(plan.diff)

    heading("3. Commit")
    receipt = workspace.commit(plan)
    print(f"    commit {paint(receipt.id, CYAN)}")


def demonstrate_a_refusal(workspace: Workspace) -> None:
    """Show the answer to a hunk that fits in two places."""
    heading("4. A patch that fits in two places")
    show(AMBIGUOUS, DIM)

    heading("5. Suture does not guess: the answer for the model")
    try:
        workspace.apply(AMBIGUOUS)
    except PatchRejectedError as rejected:
        print(f"    code: {paint(rejected.problems[0].code, RED)}\n")
        show(rejected.for_model())


def demonstrate_a_killed_process(workspace: Workspace, root: Path) -> None:
    """Kill a process in the middle of a commit, and let the next use of the workspace repair it."""
    heading("6. Four files in one patch, and the process is killed halfway")
    show(SEVERAL, DIM)
    command = [sys.executable, __file__, "--die", str(root)]
    dying = subprocess.run(command, check=False)  # noqa: S603 - this very file
    assert dying.returncode == -signal.SIGKILL, "BUG: the demo's process was not killed"
    print()
    for name in names(root):
        print(f"    {name}" + paint("   <- left by the killed commit", RED) * (".apply-patch.tmp" in name))

    heading("7. The next use repairs it: all or nothing")
    for recovered in workspace.recover():
        print(f"    {recovered}")
    for name in names(root):
        print(f"    {name}")

    heading("8. Once more, without the kill")
    receipt = workspace.apply(SEVERAL, actor="demo")
    for change in receipt.changes:
        print(f"    {paint(str(change), GREEN)}")

    heading("9. Undo")
    for change in workspace.undo(receipt).changes:
        print(f"    {change}")
    print()
    for entry in reversed(workspace.log()):
        undone = f", undone by {entry.undone_by}" if entry.undone_by else ""
        print(f"    {paint(entry.id, CYAN)} {entry.tool}: {len(entry.changes)} changed{undone}")
    print()


def die(root: str) -> None:
    """Apply the patch in a process that is killed when the second file gets its new name."""
    counting = KillingFiles(root, 2, counted={"rename"})
    Workspace(counting).apply(SEVERAL)


def names(root: Path) -> list[str]:
    """List the files of the project."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def main() -> None:
    """Run the demonstration in a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SUTURE_STATE_DIR"] = f"{folder}/state"
        root = Path(folder) / "project"
        root.mkdir()
        (root / "shop.py").write_text(FILE)
        (root / "README.md").write_text("# A shop\n")
        (root / "old.py").write_text("print('old')\n")
        print("\nSuture applies the edits that language models write. Here it does so in a small project.")
        with Workspace(root) as workspace:
            demonstrate_an_edit(workspace)
            demonstrate_a_refusal(workspace)
            demonstrate_a_killed_process(workspace, root)
        print("All of this was in a temporary directory. To try it on your files: suture --help\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--die"]:
        die(sys.argv[2])
    else:
        main()
