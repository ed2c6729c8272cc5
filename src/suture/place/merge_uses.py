"""Which names lines of code use and give a meaning to, and whether a use still has its definition in a merged text."""

from __future__ import annotations

import re

from .file_kinds import C_LIKE, STYLES
from .limits import LONGEST_DEFINING_LINE
from .merge_binders import bound_names
from .merge_heads import CALL
from .merge_markup import MARKUP, given_in_markup, kept_in_markup, used_in_markup
from .merge_names import FUNCTION, NAMED, TERRAFORM, defined_name, names_of_block
from .merge_references import REFERRING, given_references, names_kept, text_of, used_references
from .quiet_parts import quoted_parts, without_quiet_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set as AbstractSet

    from .merge_blocks import BlockTable

_WORD = re.compile(r"[^\W\d][\w$]*")
#: A word that is no member of something else.
_FREE_WORD = re.compile(r"(?<![\w$.])[^\W\d][\w$]*")
_STYLE_NAME = re.compile(r"(?:--|[$@])[\w-]+")
#: What gives a name to an animation, a mixin or a function of a style, and what uses one.
_STYLE_DEFINED = re.compile(r"(?:@(?:[\w-]*keyframes|mixin|function)[ \t]+|%)(?P<name>[\w-]+)")
_STYLE_USED = re.compile(r"@(?:include|extend)[ \t]+%?([\w-]+)|\banimation(?:-name)?[ \t]*:([^;}]*)|([\w-]+)\(")
_STYLE_WORD = re.compile(r"(?:--|[$@])?[\w-]+")
#: A variable or a target of a makefile, and where it is used: as a variable, or behind the colon of another target.
_MADE = re.compile(r"(?:export[ \t]+|override[ \t]+)?(?P<name>[\w./-]+)[ \t]*(?::(?!=)|[:?+!]*=)")
_MADE_VARIABLE = re.compile(r"\$[({]([\w.-]+)[)}]")
_MADE_OF = re.compile(r"[^\s:=#][^:=#]*:(?![:=])(?P<targets>[^=#|]*)$")
_MADE_WORD = re.compile(r"[\w./-]+")
#: What is between the labels of a block of Terraform, each in quotes.
_LOCAL = re.compile(r"^[ \t]+(\w+)[ \t]*=")
_LOCAL_USED = re.compile(r"\blocal\.\w+")
_LABEL = re.compile(r"\"([\w-]+)\"(?=[ \t\w\"-]*\{[ \t]*$)")
#: Code in a quoted text, in the ways of most languages, and in those of languages that have no sign in front of it.
_IN_TEXT = re.compile(r"[$#]\{([^{}]*)\}|\$\(([^()]*)\)|\$(\w+)|\\\(([^()]*)\)")
_IN_BRACES = re.compile(r"\{([^{}]*)\}")
#: A stage or a variable of a Dockerfile.
_STAGE = re.compile(r"(?:ARG|ENV)[ \t]+(\w+)|FROM[ \t].*[ \t](?i:as)[ \t]+([\w.-]+)")
_STAGE_USED = re.compile(r"--from=([\w.-]+)|^FROM[ \t]+([\w.-]+)(?=[ \t]|$)|\$\{?(\w+)")
_STAGE_WORD = re.compile(r"[\w.-]+")
#: A key that is written to a dictionary, one that is read from it, and any text that can be one.
_KEY_GIVEN = re.compile(r"[\"'](\w+)[\"'][ \t]*:(?!:)|\[[\"'](\w+)[\"']\][ \t]*=(?!=)")
_KEY_USED = re.compile(r"(?:\[|\.(?:get|pop)\()[\"'](\w+)[\"'](?=[\]),])")
_KEY_TEXT = re.compile(r"[\"'](\w+)[\"']")
IMPORT = re.compile(
    r"[ \t]*(?:(?:from|import|include|use|using)(?=[ \t{*\"'<])|require(?:_once)?\b|#[ \t]*include\b|extern crate\b)"
)
_ASSIGNED = re.compile(
    r"((?:[\w$]+[ \t]+){0,4}[\w$]+(?:[ \t]*,[ \t]*[\w$]+){0,20})[ \t]*(?::[^=\n]*)?(?::=|=(?![=>~]))"
)
#: A line of a list of imports: names alone, or in Go the path of a package, with another name in front or none.
_NAMES_ALONE = re.compile(r"[\w$]+(?:[ \t]+as[ \t]+[\w$]+)?(?:[ \t]*,[ \t]*[\w$]+)*[ \t]*,?$")
_GO_PACKAGE = re.compile(r"(?:(?P<name>[\w.]+)[ \t]+)?\"(?:[^\"]*/)?(?P<last>[^\"/]+)\"$")
_OPTIONAL = re.compile(r"^\*|[=?]|\.\.\.")
_PARAMETER = re.compile(r"[\w$&][^=(){}]*,$")
#: A type that allows some quoted words alone: a union of TypeScript, or a `Literal` of Python.
_UNION = re.compile(r"(?:export[ \t]+)?type[ \t]+[\w$]+[ \t]*=[^(]*[\"']|\|[ \t]*[\"']|.*\bLiteral\[[ \t]*[\"']")
#: What gives a name to a macro of Rust, or to a variable of R.
_OTHERS = {
    "rs": re.compile(r"^macro_rules![ \t]*(\w+)"),
    "r": re.compile(r"^([\w.]+)[ \t]*<-"),
}
_ASYNC = re.compile(r"[\w \t]*\basync\b")
#: A whole number that is no part of a word, a version or a date.
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w:/-]|\.\d)")
_NO_COUNT = re.compile(r"version|release|build|copyright|revision", re.IGNORECASE)
_NO_NAMES = frozenset(
    "_ as auto const final from import include int let mut my our require self static this use using val var".split()
)
_BRACED = C_LIKE | {"cs", "java", "php"}


def given_names(line: str, ending: str) -> set[str]:
    """The names that a line gives a meaning to: those of a definition, an import, an assignment or a field."""
    code = line.strip()[:LONGEST_DEFINING_LINE]
    if ending in REFERRING:
        return given_references(line, ending)
    if ending == "dockerfile":
        return _words_among(_STAGE.findall(code), _STAGE_WORD)
    if ending in STYLES:
        defined = _STYLE_DEFINED.match(code)
        return {defined["name"]} if defined else set(_STYLE_NAME.findall(code.partition(":")[0]))
    if ending == "makefile":
        made = _MADE.match(line)
        return {made["name"]} if made else set()
    if ending in MARKUP:
        return given_in_markup(code)
    if ending in TERRAFORM:
        return set(_LABEL.findall(line)) | {f"local.{name}" for name in _LOCAL.findall(line)}
    if IMPORT.match(code) or _NAMES_ALONE.match(code):
        return set(_WORD.findall(code)) - _NO_NAMES
    package = _GO_PACKAGE.match(code) if ending == "go" else None
    if package:
        return {package["name"] or package["last"]}
    name = defined_name(line, ending)
    if not name and ending in _BRACED and code.endswith(")"):
        # The brace of a function can be on the next line.
        name = defined_name(f"{line.rstrip()} {{", ending)
    names = {name.rpartition(")")[2]} if name else set[str]()
    if name and (NAMED.match(code) or FUNCTION.match(code)):
        # The parameters of a function, and with them their types, which are given elsewhere.
        names |= set(_WORD.findall(code.partition(name)[2]))
    names |= {one.rpartition(".")[2].strip("\"'@") for one in names_of_block([line], 0, ending)}
    if ending in _OTHERS:
        names.update(_OTHERS[ending].findall(code))
    if _UNION.match(code):
        names.update(_chosen(line))
    for keys in _KEY_GIVEN.findall(code):
        names.update(_quoted(key) for key in keys if key)
    names |= bound_names(code, ending)
    assigned = _ASSIGNED.match(code)
    if assigned:
        names |= set(_WORD.findall(assigned[1]))
    return names - _NO_NAMES


def used_names(line: str, ending: str) -> set[str]:
    """The names that a line uses; one that it defines itself is none of them."""
    if ending in REFERRING:
        return used_references(line, ending)
    if ending == "dockerfile":
        return _words_among(_STAGE_USED.findall(line), _STAGE_WORD)
    if ending in STYLES:
        others = _words_among(_STYLE_USED.findall(line), _STYLE_WORD)
        return set(_STYLE_NAME.findall(line.partition(":")[2])) | others
    if ending == "makefile":
        made_of = _MADE_OF.match(line)
        return {*_MADE_VARIABLE.findall(line), *(_MADE_WORD.findall(made_of["targets"]) if made_of else ())}
    if ending in MARKUP:
        return used_in_markup(line[:LONGEST_DEFINING_LINE])
    if IMPORT.match(line):
        return set()
    named = NAMED.match(line[:LONGEST_DEFINING_LINE])
    words = set(words_of(line[named.end() :] if named else line)) | _names_in_texts(line, ending)
    words.update(map(_quoted, _KEY_USED.findall(line)))
    if ending in TERRAFORM:
        words.update(_LOCAL_USED.findall(line))
    if not _UNION.match(line.strip()):
        words.update(_chosen(line))
    for name in names_of_block([line], 0, ending):
        if not _is_used_by_itself(line, name):
            words.discard(name.rpartition(".")[2].strip("\"'@"))
    return words


def _chosen(line: str) -> set[str]:
    """The quoted words of a line, each of which may be one of those that a type allows."""
    return {f"text '{word}'" for word in _KEY_TEXT.findall(line)}


def _quoted(key: str) -> str:
    """How a key of a dictionary is told from a variable, whatever its quotes are."""
    return f'"{key}"'


def _words_among(groups: Iterable[Iterable[str]], word: re.Pattern[str]) -> set[str]:
    """The words in the groups of matches."""
    return {one for texts in groups for text in texts for one in word.findall(text)}


def _names_in_texts(line: str, ending: str) -> set[str]:
    """The words of code inside of the quoted texts of a line, such as `{name}` and `${name}`."""
    names: set[str] = set()
    for start, end in quoted_parts(line):
        is_python = ending in ("py", "pyi")
        if is_python and "f" not in line[max(0, start - 2) : start].lower():
            continue
        text = line[start:end]
        if not is_python and not (text.startswith("'") and ending not in ("cs", "rs")):
            names |= _words_among(_IN_TEXT.findall(text), _WORD)
        if is_python or ending in ("cs", "rs"):
            names.update(word for code in _IN_BRACES.findall(text) for word in _WORD.findall(code))
    return names


def _is_used_by_itself(line: str, name: str) -> bool:
    """Whether a line that defines a name also uses it, as `a = a + 1` does."""
    if line.count(name) < 2:
        return False
    return len(re.findall(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", without_quiet_parts(line))) > 1


def is_needed_parameter(code: str) -> bool:
    """Whether a line that is in the parentheses of a function can be a parameter without a default."""
    return _PARAMETER.match(code) is not None and not _OPTIONAL.search(code)


def function_of_head(code: str) -> str:
    """The name of the function that begins on a line and has its parameters on the next ones; empty for others."""
    named = NAMED.match(code) if code.endswith("(") else None
    return named["name"] if named else ""


def async_functions(lines: Iterable[str]) -> dict[str, bool]:
    """The functions that lines begin, by name: whether a call of each has to be awaited."""
    named = [(NAMED.match(line[:LONGEST_DEFINING_LINE]), line) for line in lines]
    return {match["name"]: _ASYNC.match(line) is not None for match, line in named if match}


def called_names(line: str) -> set[str]:
    """The names that a line calls, of functions and of methods, and does not define."""
    named = NAMED.match(line[:LONGEST_DEFINING_LINE])
    return set(CALL.findall(without_quiet_parts(line[named.end() :] if named else line)))


def is_raised_count(old: str, new: str) -> bool:
    """Whether a line differs from another in one number alone, which is higher and may be a count."""
    if _NUMBER.sub("", old) != _NUMBER.sub("", new) or _NO_COUNT.search(old):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=False)
    different = [(one, other) for one, other in pairs if one != other]
    return len(different) == 1 and max(map(len, different[0])) < 9 and int(different[0][0]) < int(different[0][1])


def words_of(line: str) -> list[str]:
    """The words of a line, without those of comments and quoted texts."""
    return _WORD.findall(without_quiet_parts(line))


def first_lines(table: BlockTable, names: AbstractSet[str]) -> dict[str, int]:
    """The first line of a text with each of some names, rather one too early."""
    first: dict[str, int] = {}
    missing = set(names)
    for number in table.lines_with(names):
        for name in missing.intersection(_WORD.findall(table.text[number])):
            first[name] = number
            missing.discard(name)
        if not missing:
            break
    return first


def names_among(table: BlockTable, names: AbstractSet[str], ending: str) -> set[str]:
    """Those of some names that the code of a text has."""
    missing = set(names)
    for number in table.lines_with({text_of(name) for name in names}):
        missing.difference_update(_names_on(table.text[number], missing, ending))
        if not missing:
            break
    return set(names - missing)


def _names_on(line: str, names: AbstractSet[str], ending: str) -> Iterable[str]:
    """What can be a name on a line, if any of some names is among it."""
    if ending in REFERRING:
        return names_kept(line, ending)
    if ending == "dockerfile":
        return _STAGE_WORD.findall(line)
    if ending in STYLES:
        return _STYLE_WORD.findall(line)
    if ending == "makefile":
        return _MADE_WORD.findall(line)
    if ending in MARKUP:
        return kept_in_markup(line[:LONGEST_DEFINING_LINE])
    keys = [*map(_quoted, _KEY_TEXT.findall(line)), *_chosen(line)] if "'" in line or '"' in line else []
    if ending in TERRAFORM:
        keys += given_names(line, ending)
    return (*keys, *(() if names.isdisjoint(_WORD.findall(line)) else words_of(line)))


def unseen_names(table: BlockTable, uses: Mapping[str, AbstractSet[int]], ending: str) -> set[str]:
    """The names that lines of a text use as variables although nothing in the blocks around these lines has them.

    `uses` has the numbers of the lines that use a name, for each name.
    """
    variables: dict[int, set[str]] = {}
    for number in set[int]().union(*uses.values()):
        variables[number] = set(_FREE_WORD.findall(without_quiet_parts(table.text[number])))
    # What is only a member of something else, or a key, needs nothing in the blocks around it.
    uses_of_variables = {
        name: numbers for name, numbers in uses.items() if any(name in variables[number] for number in numbers)
    }
    blocks = blocks_with_names(table, uses_of_variables, ending, is_first_enough=True)
    unseen: set[str] = set()
    for name, numbers in uses_of_variables.items():
        rows = [number for number in numbers if name in variables[number]]
        if any(blocks[name].isdisjoint(table.around(number)) for number in rows):
            unseen.add(name)
    return unseen


def blocks_with_names(
    table: BlockTable, uses: Mapping[str, AbstractSet[int]], ending: str, *, is_first_enough: bool = False
) -> dict[str, set[int]]:
    """The blocks in which each name is known, by the lines that open them.

    With `is_first_enough`, no more blocks are looked for of a name that is known in all of the file.
    """
    blocks: dict[str, set[int]] = {name: set() for name in uses}
    pending = set(uses)
    for number in table.lines_with(uses):
        line = table.text[number]
        names = pending & set(_names_on(line, pending, ending))
        if not names:
            continue
        is_head = _begins_definition(line)
        own_name = defined_name(line, ending).rpartition(")")[2] if is_head else ""
        is_use = any(number in uses[name] for name in names)
        given = given_names(line, ending) if is_use else names
        for name in names:
            # Another line that only uses it does not say what it is.
            if number in uses[name] and name not in given:
                continue
            # Around the lines of a function, all names of its head are known; elsewhere only its own.
            blocks[name].add(number)
            # A method of Go is known to objects alone.
            if not is_head or (name == own_name and not (ending == "go" and line.startswith("func ("))):
                blocks[name].add(table.opener(number))
                if is_first_enough and -1 in blocks[name]:
                    pending.discard(name)
        if not pending:
            break
    return blocks


def _begins_definition(line: str) -> bool:
    """Whether a line begins a function or a class."""
    code = line.rstrip()
    if NAMED.match(code[:LONGEST_DEFINING_LINE]):
        return True
    return len(code) <= LONGEST_DEFINING_LINE and FUNCTION.match(code) is not None
