"""What one line says about the block that it opens, continues or closes, by its first word and its last sign.

`file_ending` is the ending of the file's name, such as `py`, because each language has its own blocks.
"""

from __future__ import annotations

import re

from .file_kinds import C_LIKE, SHELLS, STYLES
from .tiers import is_of_word

#: Words that continue a block at the indentation of the line that opens it, those of them that can follow that line at
#: once, and words that close the block.
CONTINUING = frozenset("catch do elif else elseif elsif ensure except finally rescue then where".split())
OPENING = frozenset("begin do then where".split())
CLOSING = frozenset("done end endcase endfor endfunction endif endmodule endwhile esac fi".split())
#: Labels inside a block, which are often written at the indentation of the line that opens it.
LABELS = frozenset("case default private protected public signals slots".split())
#: Words that begin a part of a block, at the indentation of the line that opens it.
_BRANCHES = CONTINUING | LABELS | {"after", "in", "when"}

#: The endings of files in which a line with `{` and `}` that is no assignment defines something, and of those in which
#: `name(…) { … }` is a call with a block.
_DECLARATIVE = STYLES | {"graphql", "hcl", "proto", "tf"}
_CALLS_WITH_BLOCKS = frozenset("cr gradle groovy kt kts rb scala swift".split())
#: The endings of files that are prose, or in which the words of a definition are commands.
_NO_DEFINITIONS = frozenset("adoc asciidoc cfg conf ini log markdown md mdx org rst sql txt".split())

#: What a line ends with after which its block goes on.
_OPENERS = ("{", "(", "[", ":", "=>", "\\")
_FIRST_WORD = re.compile(r"[ \t]*(\w*)")
_MODIFIERS = (
    "abstract|async|companion|const|constexpr|data|declare|default|export|extern|final|fileprivate|infix|inline|inner"
    "|internal|local|open|operator|override|partial|private|protected|pub|public|readonly|sealed|static|suspend"
    "|tailrec|unsafe|value|virtual"
)
_DEFINING = (
    "class|def|defmacro|defmodule|defp|enum|extension|fn|function|interface|message|module|namespace|object|protocol"
    "|record|rpc|struct|sub|trait|type|union"
)
_DEFINITION = re.compile(
    rf"[ \t]*(?:(?:{_MODIFIERS})(?:\([^()\n]*\))?[ \t]+)*+"
    rf"(?:(?P<word>{_DEFINING})\*?[ \t]+[\w$]|(?P<other>fun|func|impl)(?:[ \t]*<\w|[ \t]+[\w(]))"
)
_ENTRY = re.compile(r"[ \t]*[\"']?[\w$.-]+[\"']?[ \t]*:[ \t]*")
#: First words of statements that may have a block on the same line.
_STATEMENTS = frozenset(
    "assert await case catch default defer do elif else elseif elsif export finally fixed for foreach from go"
    " guard if import let lock loop match new return select switch synchronized throw try unless until use using"
    " val var when while with yield".split()
)

#: Lines that open a block which a word closes, and that word, by the endings of files.
_RUBY = re.compile(
    r"[ \t]*(?:(?:private|protected|public)[ \t]+)?(?:begin|case|class|def|for|if|module|unless|until|while)\b"
    r"|.*(?:\bdo(?:[ \t]*\|[^|]*\|)?|= (?:begin|case|if|unless)\b.*)$"
)
_LUA = re.compile(r"[ \t]*(?:local[ \t]+)?(?:do|for|function|if|while)\b|.*(?:\bfunction[ \t]*\([^()]*\)|\bthen|\bdo)$")
_ELIXIR = re.compile(r".*\bdo$|(?=.*->$).*\bfn\b")
_SHELL = re.compile(r"[ \t]*(?:case|for|if|select|until|while)\b|.*\b(?:do|then)$")
_END = re.compile(r"\bend\b")
_FI = re.compile(r"\b(?:done|esac|fi)\b")
_WORD_BLOCKS = {
    "rb": (_RUBY, _END),
    "lua": (_LUA, _END),
    **dict.fromkeys(("ex", "exs"), (_ELIXIR, _END)),
    **dict.fromkeys(SHELLS, (_SHELL, _FI)),
}


def width_of(line: str) -> int:
    """The indentation of a line, in characters."""
    return len(line) - len(line.lstrip())


def first_word(line: str) -> str:
    """The word that a line begins with; empty if it begins with a sign."""
    match = _FIRST_WORD.match(line)
    return match[1] if match else ""


def begins_definition(line: str, file_ending: str) -> bool:
    """Whether a line begins with a word such as `class` or `def`, and a name."""
    return bool(_defining_word(line, file_ending))


def is_whole_definition(line: str, file_ending: str) -> bool:
    """Whether a line that opens no block defines something all by itself, such as `class A(B): ...`.

    Statements, imports and assignments are no definitions, even if they have a block.
    """
    code = line.rstrip().rstrip(",;")
    word = _defining_word(line, file_ending)
    if word in ("module", "namespace"):
        # Without an end, it is about the rest of the file.
        return code.endswith(("}", "end"))
    if file_ending in C_LIKE and word in ("class", "enum", "struct", "union"):
        # Most such lines declare a variable, or a name that is defined elsewhere.
        return code.endswith("}") and "=" not in code
    return bool(word) or _has_whole_block(code, file_ending)


def continues_definition(line: str, below: str) -> bool:
    """Whether the line below a definition belongs to it: its constructor, or another signature of the same function."""
    name = line.strip().partition("(")[0].partition("<")[0]
    has_name = " " in name and is_of_word(name[-1:])
    is_same_function = has_name and below.strip().startswith((f"{name}(", f"{name}<"))
    return is_same_function or "constructor" in below.partition("(")[0].split()


def _defining_word(line: str, file_ending: str) -> str:
    """The word of a definition that a line begins with; empty if it begins with none."""
    definition = _DEFINITION.match(line)
    if definition is None or file_ending in _NO_DEFINITIONS:
        return ""
    word = definition["word"] or definition["other"]
    if file_ending in SHELLS:
        is_definition = word == "function"
    elif file_ending in ("gradle", "groovy"):
        is_definition = word not in ("def", "message", "rpc")
    elif file_ending in ("", "proto"):
        is_definition = True
    else:
        is_definition = word not in ("message", "rpc")
    return word if is_definition else ""


def _has_whole_block(code: str, file_ending: str) -> bool:
    """Whether a line gives a name to a block in braces that ends on the line."""
    head, _, block = code.partition("{")
    if not block.endswith("}") or code.count("{") != code.count("}") or "=" in head:
        return False
    word = first_word(head)
    if file_ending in _DECLARATIVE:
        return bool(head.strip())
    if file_ending in _NO_DEFINITIONS or word in _STATEMENTS:
        return False
    is_function = bool(word) and "(" in head and head.count("(") == head.count(")")
    return _ENTRY.fullmatch(head) is not None or (is_function and file_ending not in _CALLS_WITH_BLOCKS)


def opened_kind(line: str, file_ending: str) -> str:
    """How the block that a line opens is closed: "}", or "word" for a word such as `end`; empty if it opens none.

    It is also empty for other blocks, such as those that only indentation shows.
    """
    if "{" in line:
        # A remark may follow the brace.
        parts = (line, line.partition(" //")[0], line.partition(" #")[0])
        if any(part.rstrip().endswith("{") for part in parts):
            return "}"
    if file_ending in _WORD_BLOCKS:
        opening, closing = _WORD_BLOCKS[file_ending]
        if opening.match(line.rstrip()) and not closing.search(line):
            return "word"
    return ""


def closed_kind(line: str, file_ending: str) -> str:
    """How a line closes a block: "}", or "word" for a word such as `end`; empty if it closes none."""
    if line.lstrip().startswith("}"):
        return "}"
    if file_ending in _WORD_BLOCKS:
        _, closing = _WORD_BLOCKS[file_ending]
        if closing.match(line.lstrip()):
            return "word"
    return ""


def begins_branch(line: str, file_ending: str) -> bool:
    """Whether a part of a block begins with a line, such as `else` or `case 1:`."""
    # `@unknown default:` in Swift.
    if first_word(line.lstrip().removeprefix("@unknown ")) in _BRANCHES:
        return True
    # `start)` in a shell: the first parenthesis closes nothing.
    return file_ending in SHELLS and "(" not in line.partition(")")[0] and ")" in line


def begins_with_closing_sign(line: str) -> bool:
    """Whether a line begins with a closing bracket or a closing tag."""
    return line.strip()[0] in ")]}" or line.strip().startswith("</")


def closes_for_good(line: str) -> bool:
    """Whether nothing of a block follows a line that begins with its closing sign, such as `} else {` has more."""
    rest = line.strip()
    if rest.endswith(_OPENERS):
        return False
    return rest[0] == "}" or rest.endswith((";", ",", ">"))
