"""Texts for parsers: the marker lines of all forms, halves of them, and what makes a regular expression go back."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Pieces that are repeated; `{}` is the number of the repetition.
PIECES = (
    "*** Begin Patch\n", "*** End Patch\n", "*** Begin\n", "*** Update File: a\n", "*** Add File: a{}\n",
    "*** Delete File: a{}\n", "*** Move to: b{}\n", "*** End of File\n", "*** ", "***", "@@\n", "@@ def f{}():\n",
    "@@ -1,9 +1,9 @@\n", "@@ ... @@\n", "--- a/x{}\n", "+++ b/x{}\n", "--- \n", "---\n", "diff --git a/x{} b/x{}\n",
    "rename from a{}\nrename to b{}\n", "index 1..2 100644\n", "old mode 100644\nnew mode 100755\n", "literal 5\n",
    "Binary files a/x and b/x differ\n", "GIT binary patch\n", "similarity index 100%\n", "Index: x\n",
    "\\ No newline at end of file\n", "-a{}\n", "+x\n", " context\n", "x{}\n", "\n", " ", "\t", "\r", "\r\n",
    "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "<search>\n", "</search>\n", "a{}.py\n", "`a{}.py`:\n",
    "### a{}.py\n", "**a{}.py**\n", "File: a{}.py\n", "- item\n", "> quoted\n", "```python a{}.py\n", "```\n", "~~~~\n",
    "```json\n", "```diff\n", "# a{}.py\n", "<think>\n", "</think>\n", "<tool_call>", "</tool_call>", "<content>",
    '<invoke name="Edit">\n', "</invoke>\n", '<parameter name="x">', "<apply_diff>\n<path>a</path>\n<diff>\n",
    '{"path": "a{}", "old_string": "x", "new_string": "y"}\n', '{"', "{}", "[{", "}]", "{", "}", "[", "]", ",", ":",
    '"', "'", "\\", "\\n", '"\\', "\\u0041", "apply_patch <<'EOF'\n", "cat <<'EOF' > a\n", "EOF\n", "&&", "; ", "$ ",
    "(", ")", "|", "a/b/", "../", "\u2028", "\x1b[31m", "\x1b[0m", "\x1b", "\0", "// ... existing code ...\n",
)  # fmt: skip


def repeated(pieces: Sequence[str], size: int) -> str:
    """A text of about this size in which the pieces are repeated, one after another."""
    unit = "".join(pieces)
    numbers = count()
    if "{}" not in unit.replace('{"', ""):
        return unit * max(1, size // len(unit))
    return "".join([unit.replace("{}", str(next(numbers))) for _ in range(max(1, size // len(unit)))])


def one_after_another(pieces: Sequence[str], size: int) -> str:
    """A text in which each piece is repeated before the next one comes."""
    return "".join([repeated([piece], size // len(pieces)) for piece in pieces])


#: What is around the pieces.
SHAPES: Mapping[str, Callable[[Sequence[str], int], str]] = {
    "repeated": repeated,
    "one after another": one_after_another,
    "envelope": lambda pieces, size: (
        f"*** Begin Patch\n*** Update File: a\n@@\n{repeated(pieces, size)}*** End Patch\n"
    ),
    "fence": lambda pieces, size: f"```diff\n{repeated(pieces, size)}```\n",
    "JSON": lambda pieces, size: json.dumps({"patch": repeated(pieces, size)}),
    "heredoc": lambda pieces, size: f"apply_patch <<'EOF'\n{repeated(pieces, size)}\nEOF\n",
    "diff": lambda pieces, size: f"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{repeated(pieces, size)}",
    "block": lambda pieces, size: f"a.py\n<<<<<<< SEARCH\n{repeated(pieces, size)}=======\nb\n>>>>>>> REPLACE\n",
}
