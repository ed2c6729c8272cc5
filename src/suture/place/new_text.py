"""What new text may not bring into a file: control characters and placeholders.

A placeholder is a comment or an ellipsis that only says that something was left out: `# ... rest of the code ...`,
`// existing code`, also after code, or only dots: `// ...`. Written to a file, it deletes what it stands for. A bare
`...` is code in some languages, as is the spread `...rest`; neither is a placeholder.
"""

from __future__ import annotations

TYPE_CHECKING = False

#: How the names of files of prose end, which may speak of code that was left out.
PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc")
_MARKS = ("//", "#", "-- ", ";", "%", "/*", "<!--", "{/*", "...", "…", "(", "[")
_AROUND = " \t/*#-;%<!>{}()[].…:,`"
_THINGS = (
    r"(?:code|lines?|methods?|functions?|implementation|imports?|contents?|file|page|class|classes|component|module"
    r"|script|styles?|logic|fields|tests?|cases|body|block|props|everything(?: else)?|others?)"
)
_LEFT_OUT = "existing|remaining|rest|unchanged|omitted|previous|truncated|skipped|same|elided|original|other|more"
_FILLERS = "the|your|of|all|with|and|in|is|are|as|here|this|that|keep|kept|goes|for|brevity|before|stays?|remains?"
_STAYS = r"(?:(?:is|are|stays?|remains?|kept|goes) )?(?:the )?(?:as is|as before|here|unchanged|same|unmodified)"
_GONE = r"(?:was |were |is )?(?:omitted|truncated|elided|skipped)(?: for brevity)?"
#: What may be between dots: at least one word that says that something was left out, and fillers.
_DOTTED = rf"(?=.*\b(?:{_LEFT_OUT})\b)(?:(?:{_FILLERS}|{_LEFT_OUT}|{_THINGS})\b[\s().,]*)+|.{{,49}} as before"
#: Phrases that are placeholders without dots.
_PLAIN = (
    rf"(?:keep )?(?:the |your |all )*existing {_THINGS}(?: {_STAYS})?"
    rf"|(?:keep )?(?:the )?(?:rest|remainder) of (?:the |your |this )?(?!lines?\b){_THINGS}(?: {_STAYS})?"
    rf"|(?:the |all |other |remaining |rest of (?:the )?)*{_THINGS} (?:{_STAYS}|{_GONE})"
    rf"|unchanged {_THINGS}|same as (?:before|above)"
)
#: Dots that Windsurf asks its models for. Dots alone are no expression of any template.
_BRACED_DOTS = ("{{ ... }}", "{{...}}", "{{ … }}", "{{…}}")
#: Each placeholder has one of these.
_HINTS = (
    "...|…|existing|rest|remainder|as is|before|here|unchanged|same|unmodified|omitted|truncated|elided|skipped"
).split("|")


def placeholder_in(new: str, old: str) -> str | None:
    """The first placeholder line of the new text that the old text lacks, or None."""
    text = new.lower()
    for hint in _HINTS:
        if hint in text:
            break
    else:
        return None
    old_lines, new_lines = ({line.strip() for line in some.split("\n")} for some in (old, new))
    drops_lines = not old_lines <= new_lines
    for line in new.split("\n"):
        text = line.strip()
        if text in old_lines or len(line) >= 200:
            continue
        if is_placeholder(text):
            is_dots_alone = not text.strip(_AROUND)
            if drops_lines or not is_dots_alone:
                return line
        # A comment after code must have dots, and one of the words that are only said of code.
        comment = line[max(line.rfind(mark) for mark in (" # ", " // ", " /* ", " -- ")) :].strip()
        is_sure = any(word in comment for word in ("existing", "unchanged", "omitted", "as before"))
        if is_sure and _has_dots(line) and is_placeholder(comment):
            return line
    return None


def _has_dots(text: str) -> bool:
    """Whether a text has an ellipsis."""
    return "..." in text or "…" in text


def is_placeholder(text: str) -> bool:
    """Whether a line without its indentation only says that something was left out."""
    if text in _BRACED_DOTS:
        return True
    is_heading = text.startswith("##")
    is_spread = text.startswith("...") and text[3:4].isalpha()
    if not text.startswith(_MARKS) or is_heading or is_spread:
        return False
    core = " ".join(text.strip(_AROUND).lower().split())
    if not core:
        # Dots in a comment, but not dots alone, and not a ruler.
        return _has_dots(text) and "......" not in text and not text.startswith(("...", "…", "(", "["))
    from re import fullmatch

    is_alone = core == "unchanged" and "(" in text
    return is_alone or fullmatch(_DOTTED if _has_dots(text) else _PLAIN, core) is not None
