"""Placeholders: lines in which a writer left something out, meaning "the rest stays as it is".

Written to a file they delete what they stand for. A placeholder is a comment, or an ellipsis, made of nothing but words
that say so: `# ... rest of the code ...`, `// existing code`. `...` alone is code in some languages and is none.
"""

from __future__ import annotations

_MARKS = ("//", "#", "--", ";", "%", "/*", "*", "<!--", "{/*", "...", "…", "(", "[", "'", '"')
_AROUND = " \t/*#-;%<!>{}()[].…:,'\"`"
#: Words that say that something was left out, of which one is needed; and those that may stand beside them.
_LEFT_OUT = frozenset(
    "existing remaining rest unchanged omitted previous truncated skipped same before elided original".split()
)
_BESIDE = frozenset(
    (
        "the your of all with and in is are as here this that other code line lines method methods function functions"
        " implementation imports import content contents file class classes logic field fields test tests case cases"
        " body stays stay remains remain keep kept goes for brevity unmodified above below from props block blocks"
    ).split()
)
#: What says it without an ellipsis.
_PLAINLY = ("existing ", "rest of ", "remaining ", "unchanged", "omitted", "same as before")


def placeholder_in(new: str, old: str) -> str | None:
    """The first line of the new text that stands for others and is no line of the old text; None where none does."""
    kept: set[str] | None = None
    for line in new.split("\n"):
        if len(line) < 200 and _is_placeholder(line):
            if kept is None:
                kept = {line.strip() for line in old.split("\n")}
            if line.strip() not in kept:
                return line
    return None


def _is_placeholder(line: str) -> bool:
    text = line.strip()
    if not text.startswith(_MARKS):
        return False
    core = text.strip(_AROUND).lower()
    words = [word.strip(_AROUND) for word in core.split()]
    if (
        not words
        or _LEFT_OUT.isdisjoint(words)
        or not all(word in _LEFT_OUT or word in _BESIDE for word in words if word)
    ):
        return False
    return "..." in text or "…" in text or (len(words) > 1 and core.startswith(_PLAINLY))
