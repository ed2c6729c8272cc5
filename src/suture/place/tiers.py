"""The tiers: ways of holding two lines equal, from strict to loose.

A tier is a way to fold a line; two lines are equal at a tier where their folds are the same string. The first five
each include those before. `escapes` and `similar` are no folds and have modules or functions of their own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Unicode punctuation and spaces that models write for ASCII, and the other way round.
PUNCTUATION: Mapping[str, str] = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    "\u2026": "...",
}
_TABLE = {ord(character): ascii_text for character, ascii_text in PUNCTUATION.items()}


def fold_punctuation(line: str) -> str:
    """A line with Unicode dashes, quotes, spaces and ellipses as ASCII."""
    return line if line.isascii() else line.translate(_TABLE)


def fold_text(body: str) -> str:
    """A whole text with its punctuation folded, without `str.translate`, which is slow on a large text."""
    if body.isascii():
        return body
    for character, ascii_text in PUNCTUATION.items():
        body = body.replace(character, ascii_text)
    return body


#: The tiers that fold, strictest first, and their names.
FOLDS: Mapping[str, Callable[[str], str]] = {
    "exact": str,
    "trailing": str.rstrip,
    "indent": str.strip,
    "punctuation": lambda line: fold_punctuation(line).strip(),
    "whitespace": lambda line: " ".join(fold_punctuation(line).split()),
}
FOLDING = tuple(FOLDS)
#: Those at which lines with another indentation are equal, and those at which lines with other whitespace inside are.
ANY_DEPTH = frozenset([name for name, fold in FOLDS.items() if fold("\t a") != "\t a"])
ANY_SPACING = frozenset([name for name, fold in FOLDS.items() if fold("a  b") == fold("a b")])

#: Words that occur everywhere: a line of them alone identifies a place no better than a brace does.
_EVERYWHERE = frozenset(
    (
        "a|and|begin|br|break|const|continue|default|div|do|done|else|else if|end|endfor|endif|err|error|esac|exit"
        "|exit 0|exit 1|false|fi|finally|hr|in|is|let|li|loop|nil|none|not|null|ok|ol|or|p|pass|private|protected"
        "|public|raise|repeat|self|span|static|super|table|td|the|then|this|throw|tr|true|try|ul|var|return|return 0"
        "|return 1|return err|return false|return nil|return none|return null|return result|return self|return this"
        "|return true"
    ).split("|")
)
_DECORATION = " \t\f\v\r{}()[]<>/;:,.*#-=_!?'\"`|&+~^\\@$%"


def is_distinctive(line: str) -> bool:
    """Whether a line tells one place from another: not blank, not punctuation alone, not a word that is everywhere."""
    core = line.strip(_DECORATION).strip()
    return len(core) > 1 and core.lower() not in _EVERYWHERE


def is_of_word(character: str) -> bool:
    """Whether a character, if there is one, may be part of a word; a byte that is not a character may be."""
    return character.isalnum() or character == "_" or "\udc80" <= character <= "\udcff"


#: Endings of files in which brackets, tags or words say what belongs where, and of those in which indentation does.
_FREE = (
    "bash c cc cjs clj cpp cs css dart fish go groovy h hpp htm html java js json jsonc jsx kt less lua m md mdx mjs"
    " php pl proto ps1 r rb rs scala scss sh sql svelte swift tf toml ts tsx txt vim vue xml zig zsh"
).split()
_INDENTED = "coffee haml hs nim pug py pyi pyx sass slim styl yaml yml".split()


def depth_matters(path: str, *, surely: bool = False) -> bool:
    """Whether indentation has a meaning in a file, as in Python and YAML; also, but for `surely`, in unknown types."""
    ending = path.rpartition(".")[2].lower()
    return ending in _INDENTED if surely else ending not in _FREE
