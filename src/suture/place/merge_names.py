"""Which names a line of code, settings or prose defines, as far as one line can tell."""

from __future__ import annotations

import re

from .file_kinds import C_LIKE, PROSE, SHELLS, STYLES, ending_of
from .limits import LONGEST_DEFINING_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MODIFIERS = (
    r"(?:(?:abstract|async|const|data|declare|default|export|extern|final|inline|internal|local|override|private"
    r"|protected|pub(?:\([^()\n]*\))?|public|readonly|sealed|static|suspend|unsafe|virtual)[ \t]+)*+"
)
NAMED = re.compile(
    rf"[ \t]*{_MODIFIERS}"
    r"(?:class|def|defmacro|defmodule|defp|enum|fn|fun|func|function|interface|macro|message|mod|module|namespace|object"
    r"|protocol|record|service|struct|sub|trait|type|union)\b\*?[ \t]*(?P<receiver>\([^()\n]*\))?[ \t]*"
    r"(?P<name>[\w$.?!]+(?:::?[\w$.?!]+)*)"
)
FUNCTION = re.compile(r"[ \t]*(?:[\w$<>\[\]*&:,.?]+[ \t]+){0,6}(?P<name>[\w$]+)[ \t]*\([^;{}]*\)[^;{}=]*\{[ \t]*$")
#: A call that is given a title and a body, as tests in JavaScript and Ruby are written: the title tells it from others.
_TITLED = re.compile(r"[ \t]*(?P<name>(?P<call>[\w$.]+)[ \t(]+(?P<quote>[\"'`])(?:\\.|(?!(?P=quote))[^\\])+(?P=quote))")
_BODY_STARTS = ("{", " do", "|")
DECLARED = re.compile(r"[ \t]*(?:export[ \t]+)?(?:const|let|val|var)[ \t]+(?:mut[ \t]+)?(?P<name>[\w$]+)\b")
#: An entry, a field or an assignment: `name: value`, `"name": value`, `a.name = value`.
_VALUE = re.compile(
    rf"[ \t]*{_MODIFIERS}(?P<name>\"(?:\\.|[^\"\\])+\"|'[^'\n]+'|[A-Za-z_$@][\w$.]*|--[\w-]+)"
    r"(?:\??[ \t]*:(?![:=])[ \t]*(?=\S)|[ \t]*(?::[^=\n]*)?=(?![=>~])|[ \t]*=>)"
)
#: A field with its type in front.
_FIELD = re.compile(r"[ \t]*(?:[\w$<>\[\],.?*&:]+[ \t]+){1,6}(?P<name>[\w$]+)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(?:=(?!=)|;)")
#: A field with its type behind, as in Go and SQL.
_COLUMN = re.compile(r"[ \t]+(?P<name>[\w\"`]+)[ \t]+[\w*\[\].{}()]+")
#: Other lines of a language that define something, by the endings of files.
_OTHERS = {
    **dict.fromkeys(C_LIKE, re.compile(r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)")),
    "rs": re.compile(r"[ \t]*(?P<name>impl\b[^{]*?(?=[ \t]*\{)|(?=.*=>)[^=\n{}|]*[^\s{}|](?=[ \t]*=>))"),
    **dict.fromkeys("elm ex exs hs java kt kts ml".split(), re.compile(r"[ \t]*(?P<name>[^-\n{}]*[^\s{}-])[ \t]*->")),
    **dict.fromkeys("cs scala".split(), re.compile(r"[ \t]*(?P<name>(?:case[ \t])?[^=\n{}]*[^\s{}=])[ \t]*=>")),
    "rb": re.compile(r"[ \t]*(?:gem[ \t(]+(?=[\"'])|(?=when\b))(?P<name>[\"'][^\"']+[\"']|when[ \t]+\S.*)"),
    **dict.fromkeys(SHELLS, re.compile(r"[ \t]*(?P<name>\(?[\w.*?|\"'\[\]-]+\))$")),
    **dict.fromkeys("htm html svelte vue xhtml".split(), re.compile(r"[^<]*<[^>]*\bid=(?P<name>\"[^\"]+\")")),
    **dict.fromkeys(
        "csproj props resx xlf xml".split(),
        re.compile(r"[^<]*<(?P<name>[\w:.-]+[^>]*?[ \t](?:id|key|name|Include)=\"[^\"]+\")"),
    ),
    "po": re.compile(r"(?P<name>msgid[ \t]+\"[^\"]+\")$"),
    "r": re.compile(r"[ \t]*(?P<name>[\w.]+)[ \t]*(?:<-|=)[ \t]*function\b"),
    "mod": re.compile(r"[ \t]*(?:require[ \t]+)?(?P<name>[\w./-]+)[ \t]+v\d"),
    "bib": re.compile(r"@\w+[ \t]*\{[ \t]*(?P<name>[^,\s]+),"),
    "tex": re.compile(r".*?(?P<name>\\(?:label|newcommand)\{[^{}]+\})"),
}
#: What each line has that one of these patterns matches, where that is known.
_SIGNS_OF_OTHERS = {
    **dict.fromkeys(C_LIKE, "define"),
    **dict.fromkeys("elm ex exs hs java kt kts ml".split(), "->"),
    **dict.fromkeys("cs scala".split(), "=>"),
    **dict.fromkeys("csproj htm html props resx svelte vue xhtml xlf xml".split(), "<"),
}
#: A branch of a condition, or a handler of an error.
BRANCH = re.compile(r"[ \t]*(?:\}[ \t]*)?(?P<name>(?:elif|elsif|elseif|else[ \t]+if|except|rescue|catch)\b.*\S)")
#: A text alone on its line, in a list of such texts.
_ITEM = re.compile(r"[ \t]+(?P<name>\"[^\"\\]*\w[^\"\\]*\"|'[^'\\]*\w[^'\\]*'),?$")
_YAML_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<name>[^\s:#&*{\[|>!-][^:#\n]*)$")
#: The first key of an item of a list that names it.
_YAML_NAMED = re.compile(r"[ \t]*(?P<name>-[ \t]+(?:id|key|name):[ \t]+\S.*)$")
_YAML_ENTRY = re.compile(r"[ \t]*(?P<name>\"(?:\\.|[^\"\\])+\"|'[^']+'|[\w$./][^:#\n]*?)[ \t]*:(?=[ \t]|$)")
_ANCHOR = re.compile(r"(?:.*[ \t])?(?P<name>&[\w.-]+)")
#: A function that answers requests for a path, by what is written above it.
_ROUTE = re.compile(r"[ \t]*(?P<name>(?:@|#?\[)[\w.]+\([\"']/.*)")
#: A call that registers something under a text, such as a path, an option or a command.
_REGISTERED = re.compile(
    r"[ \t]*(?P<name>(?:[\w$]+\.)*(?:add_argument|add_option|add_parser|all|command|delete|get|handle|handlefunc|option"
    r"|patch|path|post|put|re_path|register|resources?|route|url)[ \t(]+[\"'`][^\"'`]+[\"'`])[ \t]*,",
    re.IGNORECASE,
)
_OWNER = re.compile(r"(?P<name>[^#\s]\S*)[ \t]+\S")
_ALTERED = re.compile(
    r"(?P<name>alter[ \t]+table[ \t]+\S+[ \t]+add[ \t]+(?:column[ \t]+)?\S+"
    r"|create[ \t]+(?:\w+[ \t]+)?(?:function|index|procedure|table|trigger|type|view)[ \t]+[\w.\"`]+)",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"(?P<name>export[ \t]+default)\b")
_DOCKER = re.compile(
    r"(?P<name>(?:CMD|ENTRYPOINT|HEALTHCHECK|USER|WORKDIR)\b|(?:ARG|ENV)[ \t]+\w+|FROM[ \t].*[ \t](?i:as)[ \t]+\w+)"
)
#: The label of a link, a footnote or a place of a document.
#: A row of a table that begins with code.
_ROW = re.compile(r"\|[ \t]*(?P<name>`[^`|\n]+`)[^|\n]*\|")
_LINK = re.compile(r"(?P<name>\[[^\]\n]+\]:|\.\. _[^:\n]+:)(?:[ \t]|$)")
#: A definition by a macro, in which the name is an argument, or a block of Terraform with all of its labels.
_MACRO = re.compile(r"[ \t]*(?P<name>[A-Z][A-Z0-9_]*[ \t]*\([^()]*\))[ \t]*\{$")
_LABELED = re.compile(r"(?P<name>\w+(?:[ \t]+\"[^\"]+\")+)[ \t]*\{$")
_SCRIPTS = frozenset("cjs cts js jsx mjs mts svelte ts tsx vue".split())
#: A name alone on its line, such as a member of an enumeration.
_MEMBER = re.compile(r"[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]*,$")
_CASE = re.compile(r"[ \t]*(?P<name>case[ \t]+[^:\n]+):")
_STYLE = re.compile(r"[ \t]*(?P<name>[^{}:;\s/][^{};]*?)[ \t]*\{[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*(?P<name>[$@]?[\w-]+)[ \t]*:[ \t]*[^{]*$")
_TARGET = re.compile(r"(?P<name>[\w./%-]+)[ \t]*(?::(?!=)|[?:]?=)")
_REQUIREMENT = re.compile(r"(?P<name>\w[\w.-]*)[ \t]*(?=[\[=<>~!;@#]|$)")
_ENTRY = re.compile(r"[ \t]*(?:-[ \t]+)?(?P<name>\"(?:\\.|[^\"\\])+\"|'[^']+'|[\w$.-]+)[ \t]*[:=]")
_TAG_NUMBER = re.compile(r"[^=\n]*(?P<name>=[ \t]*\d+)[ \t]*[;\[]")
#: The line of a notebook that says which cell it is.
_CELL = re.compile(r"[ \t]*\"id\":[ \t]*(?P<name>\"[^\"]+\")")
_SECTION = re.compile(r"(?P<name>\[{1,2}[^\[\]\n]+\]{1,2}|#{1,6}[ \t]+\S.*)$")

#: The endings of files in which every line with a key defines something.
DATA = frozenset("cfg conf env ini json properties toml yaml yml".split())
#: Those of other files in which no line says more than `defined_name` knows.
_LINES_ALONE = frozenset(["cmake", "codeowners", "dockerfile", "ipynb", "makefile", "requirements", "txt"])
YAML = frozenset(["yaml", "yml"])
TERRAFORM = frozenset(["hcl", "tf"])
_TYPED = C_LIKE | frozenset("cs dart java proto".split())
#: Words that look like a name in front of parentheses.
_NO_FUNCTIONS = frozenset("catch else for foreach function if lock switch synchronized until when while with".split())
#: Words that begin a statement, and are neither a name nor a type.
_STATEMENTS = frozenset(
    "and as assert await break by case catch check constraint continue default defer delete do elif else end except"
    " finally for foreign from go goto group having if import in index insert into join key left limit loop new not on"
    " or order package pass primary raise return select set switch then throw try union unique until update using"
    " values when where while with yield".split()
)


def ending_for_names(path: str) -> str:
    """The ending that says how names are defined in a file; `requirements` and `makefile` for files of that name."""
    name = path.rpartition("/")[2].lower()
    if name.startswith(("constraints", "requirements")) and name.endswith((".in", ".txt")):
        return "requirements"
    if name in ("makefile", "gnumakefile") or name.endswith(".mk"):
        return "makefile"
    if name == "codeowners":
        return "codeowners"
    if name == "cmakelists.txt":
        return "cmake"
    if name in ("gemfile", "rakefile"):
        return "rb"
    if name.startswith(("dockerfile", "containerfile")) or name.endswith(".dockerfile"):
        return "dockerfile"
    return ending_of(path)


def defined_name(line: str, ending: str) -> str:
    """The name that a line defines for the lines after it or for other files; empty if it defines none."""
    code = line.rstrip()
    if len(code) > LONGEST_DEFINING_LINE:
        return ""
    if ending in PROSE or not ending:
        return _name(_SECTION.match(code) or _LINK.match(code) or _ROW.match(code))
    if ending == "dockerfile":
        return _name(_DOCKER.match(code))
    if ending == "ipynb":
        return _name(_CELL.match(code))
    if ending == "cmake":
        return ""
    if ending == "codeowners":
        return _name(_OWNER.match(code))
    if ending == "requirements":
        return _name(_REQUIREMENT.match(code)).lower()
    if ending == "makefile":
        return _name(_TARGET.match(code))
    if ending in DATA:
        # The first key of an item of a list is in the block that it opens itself.
        if code.lstrip().startswith(("#", "- ")):
            return ""
        if ending in YAML:
            return _name(_YAML_ENTRY.match(code))
        return _name(_SECTION.match(code) or _ENTRY.match(code))
    # A definition whose name is among the arguments of a macro, or the labels of a block.
    labeled = None
    if ending in C_LIKE:
        labeled = _MACRO.match(code)
    elif ending in TERRAFORM:
        labeled = _LABELED.match(code)
    if labeled:
        return labeled["name"]
    named = NAMED.match(code)
    if named:
        return f"{named['receiver'] or ''}{named['name']}"
    titled = _TITLED.match(code) if code.endswith(_BODY_STARTS) else None
    if titled:
        return titled["name"] if titled["call"] not in _NO_FUNCTIONS else ""
    other = (FUNCTION.match(code) if code.endswith("{") else None) or DECLARED.match(code)
    return _unless(_NO_FUNCTIONS, other)


def names_of_block(text: Sequence[str], number: int, ending: str) -> tuple[str, ...]:
    """The names that a line defines in the block that it is in, of which a block should have each only once."""
    line = text[number]
    code = line.rstrip()
    if len(code) > LONGEST_DEFINING_LINE or not code:
        return ()
    following = text[number + 1].strip() if number + 1 < len(text) else ""
    name = defined_name(f"{code} {{" if following == "{" else code, ending)
    if ending in YAML:
        item = _name(_YAML_NAMED.match(code) or _YAML_ITEM.match(code))
        names = name or item, _name(_ANCHOR.match(code))
        return tuple([one for one in names if one])
    if not ending or ending in PROSE or ending in _LINES_ALONE:
        return (name,) if name else ()
    name = name or _name(_ITEM.match(code))
    if name or ending in DATA:
        default = _name(_DEFAULT.match(code)) if ending in _SCRIPTS else ""
        return tuple([one for one in (name, default) if one])
    if ending in STYLES:
        name = _name(_STYLE.match(code) or _PROPERTY.match(code))
    else:
        is_other = ending in _OTHERS and _SIGNS_OF_OTHERS.get(ending, "") in code
        other = _OTHERS[ending].match(code) if is_other else None
        other = other or BRANCH.match(code) or _ROUTE.match(code) or _CASE.match(code)
        if '"' in code or "'" in code or "`" in code:
            other = other or _REGISTERED.match(code)
        if ending == "sql":
            other = other or _ALTERED.match(code)
        if ending in _SCRIPTS:
            other = other or _DEFAULT.match(code)
        name = _name(other) or _unless(_STATEMENTS, _value_or_member(code))
        if not name and ending in _TYPED and code.split(None, 1)[0] not in _STATEMENTS:
            name = _name(_FIELD.match(code))
        if not name and ending in ("go", "sql"):
            name = _unless(_STATEMENTS, _COLUMN.match(code))
    tag = _name(_TAG_NUMBER.match(code)) if ending == "proto" else ""
    return tuple([one for one in (name, tag) if one])


def _value_or_member(code: str) -> re.Match[str] | None:
    """An entry, a field or an assignment, or a name alone on its line."""
    value = _VALUE.match(code) if ":" in code or "=" in code else None
    return value or (_MEMBER.match(code) if code.endswith(",") else None)


def _name(match: re.Match[str] | None) -> str:
    return match["name"] if match else ""


def _unless(words: frozenset[str], match: re.Match[str] | None) -> str:
    """The name of a match, if it is none of these words."""
    name = _name(match)
    return "" if name.lower() in words else name
