"""Placeholders: lines in which a writer left something out, meaning "the rest stays as it is".

Written to a file, they delete what they stand for. A placeholder is a comment or an ellipsis that only says so:
`# ... rest of the code ...`, `// existing code`, also after code, or only dots: `// ...`. A bare `...` is code in some
languages, as is the spread `...rest`; neither is a placeholder.
"""

from __future__ import annotations

_MARKS = ("//", "#", "-- ", ";", "%", "/*", "<!--", "{/*", "...", "…", "(", "[")
_AROUND = " \t/*#-;%<!>{}()[].…:,`"
_THINGS = (
    r"(?:code|lines?|methods?|functions?|implementation|imports?|contents?|file|page|class|classes|component|module"
    r"|script|styles?|logic|fields|tests?|cases|body|block|props|everything(?: else)?|others?)"
)
#: What may be between dots: at least one word that says that something was left out, and fillers.
_DOTTED = (
    r"(?=.*\b(?:existing|remaining|rest|unchanged|omitted|previous|truncated|skipped|same|elided|original|other|more)\b)"
    rf"(?:(?:the|your|of|all|with|and|in|is|are|as|here|this|that|keep|kept|goes|for|brevity|before|stays?|remains?"
    rf"|existing|remaining|rest|unchanged|omitted|previous|truncated|skipped|same|elided|original|other|more|{_THINGS})"
    r"\b[\s().,]*)+"
)
_STAYS = r"(?:(?:is|are|stays?|remains?|kept|goes) )?(?:the )?(?:as is|as before|here|unchanged|same|unmodified)"
_GONE = r"(?:omitted|truncated|elided|skipped)(?: for brevity)?"
#: Phrases that are placeholders without dots.
_PLAIN = (
    rf"(?:keep )?(?:the |your |all )*existing {_THINGS}(?: {_STAYS})?",
    rf"(?:keep )?(?:the )?(?:rest|remainder) of (?:the |your |this )?(?!lines?\b){_THINGS}(?: {_STAYS})?",
    rf"(?:the |all |other |rest of (?:the )?|remaining )*{_THINGS} {_STAYS}",
    rf"(?:the |other |remaining |rest of (?:the )?)*{_THINGS} (?:was |were |is )?{_GONE}",
    rf"unchanged {_THINGS}",
    r"same as (?:before|above)",
)
#: The openers of comments after code.
_BEHIND = (" # ", " // ", " /* ", " -- ")
#: Words in a comment after code that say that code was left out.
_SURELY = r".*\b(?:existing|unchanged|omitted|as before)\b.*"


def is_prose(path: str) -> bool:
    """Whether a file is prose, which may speak of code that was left out."""
    return path.lower().endswith((".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc"))


def placeholder_in(new: str, old: str) -> str | None:
    """The first placeholder line of the new text that the old text lacks, or None."""
    kept: set[str] | None = None
    for line in new.split("\n"):
        text = line.strip()
        if not (text.startswith(_MARKS) or "..." in text or "…" in text) or len(line) >= 200:
            continue
        if _is_placeholder(text) or _ends_in_placeholder(line):
            if kept is None:
                kept = {line.strip() for line in old.split("\n")}
            # Dots alone are a placeholder only if the new text drops lines.
            loses = line.strip(_AROUND) or not kept.issubset({line.strip() for line in new.split("\n")})
            if text not in kept and loses:
                return line
    return None


def _ends_in_placeholder(line: str) -> bool:
    """Whether a comment after code has dots and says that something was left out."""
    if not _has_dots(line):
        return False
    comment = line[max(line.rfind(mark) for mark in _BEHIND) :].strip()
    from re import fullmatch

    return fullmatch(_SURELY, comment) is not None and _is_placeholder(comment)


def _has_dots(text: str) -> bool:
    return "..." in text or "…" in text


def _is_placeholder(text: str) -> bool:
    # `##` is a heading, and dots before a name are a spread.
    if not text.startswith(_MARKS) or text.startswith("##") or (text.startswith("...") and text[3:4].isalpha()):
        return False
    core = " ".join(text.strip(_AROUND).lower().split())
    if not core:
        # Dots in a comment, but not dots alone, and not a ruler.
        return _has_dots(text) and "......" not in text and not text.startswith(("...", "…", "(", "["))
    from re import fullmatch

    if core == "unchanged" and "(" in text:
        return True
    if _has_dots(text):
        return fullmatch(_DOTTED, core) is not None or (core.endswith(" as before") and len(core) < 60)
    return any(fullmatch(pattern, core) for pattern in _PLAIN)
