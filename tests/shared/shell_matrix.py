"""Scripts that put every character into every place of a script, next to everything that can change its meaning."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

from suture import PatchInvalidError
from suture.format.shell_grammar import PatchInput, read_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_START, _END = "*** Begin Patch\n*** Add File: a\n+", "\n*** End Patch\n"
_HERE = f"<<'EOF'\n{_START}a{_END}EOF\n"

#: Places inside a patch. Several texts fit into one script, each as an added line.
IN_PATCH = {
    "single quotes": ("apply_patch '", _START, _END, "'"),
    "double quotes": ('apply_patch "', _START, _END, '"'),
    "here-string in single quotes": ("apply_patch <<<'", _START, _END, "'"),
    "here-string in double quotes": ('apply_patch <<<"', _START, _END, '"'),
    "heredoc with a quoted word": ("apply_patch <<'EOF'\n", _START, _END, "EOF\n"),
    "heredoc with a quoted word, stripped": ("apply_patch <<-'EOF'\n", _START, _END, "EOF\n"),
    "heredoc with a bare word": ("apply_patch <<EOF\n", _START, _END, "EOF\n"),
    "heredoc with a bare word, stripped": ("apply_patch <<-EOF\n", _START, _END, "EOF\n"),
    "heredoc whose word begins a line": ("apply_patch <<'+'\n", _START, _END, "+\n"),
    "heredoc whose word begins like a line": ("apply_patch <<'+a!'\n", _START, _END, "+a!\n"),
    "heredoc whose bare word begins a line": ("apply_patch <<+a\n", _START, _END, "+a\n"),
    "heredoc whose word is not ASCII": ("apply_patch <<'+é'\n", _START, _END, "+é\n"),
}

#: Places anywhere else. `{}` is the text.
ELSEWHERE = {
    "between quotes": f"apply_patch '{_START}'{{}}'{_END}'",
    "between double quotes": f'apply_patch "{_START}"{{}}"{_END}"',
    "after a backslash": f"apply_patch '{_START}'\\{{}}'{_END}'",
    "word of a heredoc": f"apply_patch <<E{{0}}F\n{_START}a{_END}E{{0}}F\n",
    "end of the word of a heredoc": f"apply_patch <<EOF{{0}}\n{_START}a{_END}EOF{{0}}\n",
    "word of a heredoc in single quotes": f"apply_patch <<'E{{0}}F'\n{_START}a{_END}E{{0}}F\n",
    "word of a heredoc in double quotes": f'apply_patch <<"E{{0}}F"\n{_START}a{_END}E{{0}}F\n',
    "end of a quoted word": f"apply_patch <<'EOF'{{0}}\n{_START}a{_END}EOF{{0}}\n",
    "folder": f"cd a{{}} && apply_patch {_HERE}",
    "folder in single quotes": f"cd 'a{{}}' && apply_patch {_HERE}",
    "folder in double quotes": f'cd "a{{}}" && apply_patch {_HERE}',
    "folder after a backslash": f"cd a\\{{}} && apply_patch {_HERE}",
    "before the command": f"{{}}apply_patch {_HERE}",
    "after the command": f"apply_patch{{}}{_HERE}",
    "after the operator": f"apply_patch <<{{}}'EOF'\n{_START}a{_END}EOF\n",
    "after cd": f"cd{{}}a && apply_patch {_HERE}",
    "after the folder": f"cd a {{}}&& apply_patch {_HERE}",
    "after the &&": f"cd a &&{{}}apply_patch {_HERE}",
    "after the heredoc": f"apply_patch {_HERE}{{}}",
    "after the argument": f"apply_patch '{_START}a{_END}'{{}}",
    "comment before": f"# {{}}\napply_patch {_HERE}",
    "comment on the line": f"apply_patch <<'EOF' # {{}}\n{_START}a{_END}EOF\n",
    "comment after": f"apply_patch {_HERE}# {{}}",
}

#: The places in which every shell passes on everything as it is.
VERBATIM = [name for name, (head, *_) in IN_PATCH.items() if "'" in head]
VERBATIM.append("folder in single quotes")

#: Every byte as a character of its own, and every byte that follows another in UTF-8.
CHARACTERS = [
    *map(chr, range(1, 0x100)),
    *[bytes([byte]).decode("utf-8", "surrogateescape") for byte in range(0x80, 0x100)],
    *map(chr, range(0x100, 0x140)),
    "\u2028",
    "\ufeff",
    "日",
    "🐍",
]
#: What changes the meaning of a character before it or after it.
BEFORE = ["", "a", "\n", "\\", "\\\\", "$", "\\$", "`", "'", '"', "\n+", "\t", "\x01", "\x7f", "é"]
AFTER = [
    *BEFORE,
    "\\$(touch pwned)",
    "\\\\$(touch pwned)",
    "\\`touch pwned\\`",
    "$(touch pwned)",
    "{a}",
    "\\\n",
    "/",
    "#",
]
#: Outside of a patch, each script is run alone, so there are fewer.
FEW_BEFORE, FEW_AFTER = ["", "\\", "'", " "], ["", "a", "\\$(touch pwned)", "'", '"', " "]


def accepted_scripts() -> Iterator[tuple[str, PatchInput]]:
    """All scripts that are accepted, and what they pass on by our reading."""
    for character, (head, start, end, tail) in product(CHARACTERS, IN_PATCH.values()):
        texts = [before + character + after for before, after in product(BEFORE, AFTER)]
        if script := _joined(texts, head + start, end + tail):
            yield script
    for before, character, after, template in product(FEW_BEFORE, CHARACTERS, FEW_AFTER, ELSEWHERE.values()):
        if script := _accepted(template.format(before + character + after)):
            yield script


def sample_scripts(count: int) -> list[tuple[str, PatchInput]]:
    """Some of the accepted scripts, always the same."""
    random = Random(13)
    templates = [f"{head}{start}{{}}{end}{tail}" for head, start, end, tail in IN_PATCH.values()]
    templates += ELSEWHERE.values()
    found: list[tuple[str, PatchInput]] = []
    while len(found) < count:
        text = "".join(random.choice(texts) for texts in (BEFORE, CHARACTERS, AFTER))
        if script := _accepted(random.choice(templates).format(text)):
            found.append(script)
    return found


def _joined(texts: Iterable[str], head: str, tail: str) -> tuple[str, PatchInput] | None:
    """One script with all the texts that are accepted on their own."""
    kept = [text for text in texts if _accepted(head + text + tail)]
    while kept:
        if script := _accepted(head + "\n+".join(kept) + tail):
            return script
        kept.pop()  # together they mean something else; all but the last may not
    return None


def _accepted(script: str) -> tuple[str, PatchInput] | None:
    if "<<<'EOF'\n" in script:
        return None  # the one form that is read as it is meant, not as a shell reads it
    try:
        found = read_script(script)
    except PatchInvalidError:
        return None
    return None if found is None else (script, found)
