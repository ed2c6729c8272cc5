"""Shows Suture at work: a patch read, placed and rewritten with its diff, and one refused with its explanation.

Run it with `make demo`.
"""

from __future__ import annotations

import os
import sys

from suture import PatchRejected, UpdateFile, parse, unified_diff, update

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

COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
BOLD, DIM, RED, GREEN, CYAN = "1", "2", "31", "32", "36"


def paint(text: str, colour: str) -> str:
    """The text in a colour, where the terminal shows colours and nobody asked for none."""
    return f"\x1b[{colour}m{text}\x1b[0m" if COLOUR else text


def heading(text: str) -> None:
    """A line that says what comes next."""
    print(f"\n{paint(text, BOLD)}\n")


def show(text: str, colour: str = "") -> None:
    """A text as it is, set in from the margin."""
    for line in text.splitlines():
        print(f"    {paint(line, colour) if colour else line}".rstrip())


def show_diff(diff: str) -> None:
    """A diff, its lines coloured by what they do."""
    colours = {"+": GREEN, "-": RED, "@": CYAN}
    for line in diff.splitlines():
        show(line, BOLD if line.startswith(("---", "+++")) else colours.get(line[:1], ""))


def demonstrate_an_edit() -> None:
    """Read what a model wrote, find its place, and show what changes."""
    heading("1. What a model wrote")
    show(ANSWER, DIM)

    heading("2. How it is read")
    patch = parse(ANSWER)
    for operation in patch.operations:
        assert isinstance(operation, UpdateFile), "BUG: the demo's patch is one update"
        print(f"    update {operation.path}, {len(operation.hunks)} hunk, below {operation.hunks[0].anchors[0]!r}")
        for concession in patch.concessions:
            print(f"    forgiven: {concession.name} (line {concession.line} of the answer)")

        heading("3. Where it belongs")
        done = update(FILE, operation.hunks, path=operation.path)
        for number, match in enumerate(done.matches, 1):
            print(f"    hunk {number}: lines {match.start} to {match.end}, tier {match.tier}")
            for concession in match.concessions:
                if concession.name != match.tier:
                    print(f"    forgiven: {concession.name}")

        heading("4. What changes, and nothing else")
        show_diff(unified_diff(FILE, done.text, operation.path))


def demonstrate_a_refusal() -> None:
    """Show the answer to a hunk that fits twice."""
    heading("5. A patch that fits twice")
    show(AMBIGUOUS, DIM)

    heading("6. Nothing is guessed: the answer for the model")
    operation = parse(AMBIGUOUS).operations[0]
    assert isinstance(operation, UpdateFile), "BUG: the demo's patch is one update"
    try:
        update(FILE, operation.hunks, path=operation.path)
    except PatchRejected as rejected:
        print(f"    code: {paint(rejected.problems[0].code, RED)}\n")
        show(rejected.for_model())
    print()


if __name__ == "__main__":
    demonstrate_an_edit()
    demonstrate_a_refusal()
