"""Placeholders: lines in which a writer left something out, meaning "the rest stays as it is".

Written to a file they delete what they stand for. A placeholder is a comment or an ellipsis made of nothing but words
that say so: `# ... rest of the code ...`, `// existing code`, also behind code, or of nothing but dots: `// ...`. `...`
alone is code in some languages and is none, and so is the spread `...rest`.
"""

from __future__ import annotations

_MARKS = ("//", "#", "-- ", ";", "%", "/*", "<!--", "{/*", "...", "…", "(", "[")
_AROUND = " \t/*#-;%<!>{}()[].…:,`"
_THINGS = (
    r"(?:code|lines?|methods?|functions?|implementation|imports?|contents?|file|page|class|classes|component|module"
    r"|script|styles?|logic|fields|tests?|cases|body|block|props|everything(?: else)?|others?)"
)
#: What may stand between dots: words that say that something was left out, of which one is needed, and fillers.
_DOTTED = (
    r"(?=.*\b(?:existing|remaining|rest|unchanged|omitted|previous|truncated|skipped|same|elided|original|other|more)\b)"
    rf"(?:(?:the|your|of|all|with|and|in|is|are|as|here|this|that|keep|kept|goes|for|brevity|before|stays?|remains?"
    rf"|existing|remaining|rest|unchanged|omitted|previous|truncated|skipped|same|elided|original|other|more|{_THINGS})"
    r"\b[\s().,]*)+"
)
_STAYS = r"(?:(?:is|are|stays?|remains?|kept|goes) )?(?:the )?(?:as is|as before|here|unchanged|same|unmodified)"
_GONE = r"(?:omitted|truncated|elided|skipped)(?: for brevity)?"
#: What says it without dots.
_PLAIN = (
    rf"(?:keep )?(?:the |your |all )*existing {_THINGS}(?: {_STAYS})?",
    rf"(?:keep )?(?:the )?(?:rest|remainder) of (?:the |your |this )?(?!lines?\b){_THINGS}(?: {_STAYS})?",
    rf"(?:the |all |other |rest of (?:the )?|remaining )*{_THINGS} {_STAYS}",
    rf"(?:the |other |remaining |rest of (?:the )?)*{_THINGS} (?:was |were |is )?{_GONE}",
    rf"unchanged {_THINGS}",
    r"same as (?:before|above)",
)
#: Comments that may stand behind code.
_BEHIND = (" # ", " // ", " /* ", " -- ")
#: What says that the code before it is cut, or that what it names in the comment is.
_SURELY = r".*\b(?:existing|unchanged|omitted|as before)\b.*"


def placeholder_in(new: str, old: str) -> str | None:
    """The first line of the new text that stands for others and is no line of the old text; None where none does."""
    kept: set[str] | None = None
    for line in new.split("\n"):
        if len(line) < 200 and (_is_placeholder(line.strip()) or _ends_in_placeholder(line)):
            if kept is None:
                kept = {line.strip() for line in old.split("\n")}
            # Mere dots stand for something only where something goes.
            loses = line.strip(_AROUND) or not kept.issubset({line.strip() for line in new.split("\n")})
            if line.strip() not in kept and loses:
                return line
    return None


def _ends_in_placeholder(line: str) -> bool:
    """Whether a comment behind code has dots and says that something was left out."""
    if "..." not in line and "…" not in line:
        return False
    begins = max(line.rfind(mark) for mark in _BEHIND)
    comment = line[begins:].strip()
    from re import fullmatch

    return begins > 0 and fullmatch(_SURELY, comment) is not None and _is_placeholder(comment)


def _is_placeholder(text: str) -> bool:
    # Two signs in front make a heading, and dots before a name spread it.
    if not text.startswith(_MARKS) or text.startswith("##") or (text.startswith("...") and text[3:4].isalpha()):
        return False
    core = " ".join(text.strip(_AROUND).lower().split())
    if not core:
        # Dots in a comment, but not by themselves, and no ruler.
        return ("..." in text or "…" in text) and "......" not in text and not text.startswith(("...", "…", "(", "["))
    from re import fullmatch

    if core == "unchanged" and "(" in text:
        return True
    if "..." in text or "…" in text:
        return fullmatch(_DOTTED, core) is not None or (core.endswith(" as before") and len(core) < 60)
    return any(fullmatch(pattern, core) for pattern in _PLAIN)
