"""How functions are called, as far as the first line of each says: its parameters, their order, and what it returns."""

from __future__ import annotations

import re

from ..core.value import Value
from .file_kinds import C_LIKE
from .limits import LONGEST_DEFINING_LINE
from .merge_names import NAMED, defined_name
from .quiet_parts import quoted_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set as AbstractSet

_ARROW = re.compile(
    r"[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+(?P<name>[\w$]+)[^=()]*=[ \t]*(?:async[ \t]*)?\((?=[^=]*=>|[^>]*>)"
)
_NAMED_HEAD = re.compile(r"(?P<name>[\w$]+[?!]?)[ \t]*(?:<[^<>()]*>)?[ \t]*\(")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\w[^\[\]]*\]")
_OWNER = re.compile(r"\w+(?:\.|::)|[\"'\s]")
_NAME = re.compile(r"[^\W\d][\w$]*")
_OPTIONAL = re.compile(r"^\*|[=?]|\.\.\.")
CALL = re.compile(r"(?<![\w$])([^\W\d][\w$]*)[ \t]*\(")
_THROWS = re.compile(r"[ \t]*throws\b")
_KEYWORD = re.compile(r"(?P<name>[^\W\d]\w*)[ \t]*(?:=(?![=>])|:(?!:))")
#: What is in front of the parameters of a function without a name.
_NAMELESS = frozenset("fn fun func function sub".split())
_CLASS = re.compile(r"[\w \t]*\bclass\b")
#: The object that a method belongs to is no argument of a call.
_OWN = frozenset(["&mut self", "&self", "cls", "mut self", "self", "this"])
#: Languages in which types are in front of names, and those in which a function can begin without a brace.
_TYPE_FIRST = C_LIKE | {"cs", "dart", "java"}
_WITHOUT_BRACE = _TYPE_FIRST | {"php"}
#: Languages in which nothing says what a function returns, or it is no part of how it is called.
_WITHOUT_RESULT = frozenset("cjs ex exs js jsx lua mjs rb".split())
#: Languages in which a function without a type for its result returns nothing.
_RESULT_SAID = frozenset(["go", "rs", "swift"])
_MODIFIERS = frozenset(
    "abstract async const export extern final inline internal override private protected public static synchronized"
    " unsafe virtual".split()
)


class Head(Value):
    """A function as it is called: the names of all parameters, and of those that are given by their places.

    `needed` are the parameters without a default, and `result` is the type that is returned, without its own
    parameters. `is_static` says that the function needs no object.
    """

    names: frozenset[str]
    places: tuple[str, ...]
    needed: int
    result: str
    is_static: bool

    def fits(self, other: Head, arguments: Sequence[str] | None) -> bool:
        """Whether a call for this function means the same for another one; the arguments are not always known."""
        if self.needed != other.needed or self.is_static != other.is_static:
            return False
        if self.result and other.result and self.result != other.result:
            return False
        keywords = {match["name"] for match in map(_KEYWORD.match, arguments or ()) if match}
        if keywords & self.names - other.names:
            return False
        count = len(self.places) if arguments is None else len(arguments) - len(keywords)
        return all(self._is_same_place(other, number) for number in range(min(count, len(self.places))))

    def _is_same_place(self, other: Head, number: int) -> bool:
        if number >= len(other.places):
            return False
        before, now = self.places[number], other.places[number]
        # A parameter that has only got another name is the same one.
        return before == now or (before not in other.names and now not in self.names)


def heads(lines: Iterable[str], ending: str, names: AbstractSet[str]) -> dict[str, Head]:
    """Those of some functions that lines begin, by name, each with all of its parameters on its line."""
    pairs = [head_of(line, ending) for line in lines if "(" in line and not names.isdisjoint(_NAME.findall(line))]
    return dict([pair for pair in pairs if pair is not None])


def head_of(line: str, ending: str) -> tuple[str, Head] | None:
    """The function that a line begins, with its name, if all of its parameters are on that line."""
    text = line.strip()[:LONGEST_DEFINING_LINE]
    code = _masked(text)
    opening = _opening(code, ending)
    if opening is None:
        return None
    name, at = opening["name"], opening.end()
    end, texts = _arguments(code, at)
    if end < 0:
        return None
    is_python = ending in ("py", "pyi")
    places: list[str] = []
    names: set[str] = set()
    needed = 0
    is_placed = True
    for declared in texts:
        if is_python and declared.startswith("*"):
            is_placed = False
        if declared in ("/", "*", "void"):
            continue
        parameter = _parameter(declared, ending)
        names.add(parameter)
        if not _OPTIONAL.search(declared):
            needed += 1
        if is_placed and declared not in _OWN:
            places.append(parameter)
    before = code[: opening.start("name")].split()
    result = _result(before, text[end:], ending)
    is_static = "static" in before or code[: opening.start("name")].endswith("self.")
    return name, Head(frozenset(names), tuple(places), needed, result, is_static)


def arguments_of(line: str, name: str) -> Sequence[str] | None:
    """The arguments of the first call of a function on a line; None if there is none, or it goes on below."""
    code = _masked(line[:LONGEST_DEFINING_LINE])
    call = next((match for match in CALL.finditer(code) if match[1] == name), None)
    if call is None:
        return None
    end, texts = _arguments(code, call.end())
    return texts if end >= 0 else None


def _opening(code: str, ending: str) -> re.Match[str] | None:
    """The name of the function that a line begins, up to the parenthesis of its parameters."""
    arrow = _ARROW.match(code)
    if arrow:
        return arrow
    named = NAMED.match(code)
    if named and _CLASS.match(code) and ending not in ("kt", "kts", "scala"):
        # What is in the parentheses of a class are the classes that it is made of.
        return None
    if named:
        # The name behind an object, such as `self.` of Ruby.
        start = named.end("name") - len(named["name"].rpartition(".")[2])
        return _NAMED_HEAD.match(code, start)
    if not code.endswith((":", "{", ")")) or (code.endswith(")") and ending not in _WITHOUT_BRACE):
        return None
    name = defined_name(f"{code} {{" if code.endswith(")") else code, ending).rpartition(")")[2]
    if name in _NAMELESS:
        return None
    opening = next((match for match in _NAMED_HEAD.finditer(code) if match["name"] == name), None)
    # A call that is alone on its line has nothing in front of it.
    return None if opening is None or (code.endswith(")") and not opening.start()) else opening


def _masked(code: str) -> str:
    """A line with digits for each quoted text, as many as it has characters: no bracket and no comma in it counts."""
    parts: list[str] = []
    done = 0
    for start, end in quoted_parts(code):
        parts += (code[done:start], "0" * (end - start))
        done = end
    return "".join([*parts, code[done:]])


def _arguments(code: str, at: int) -> tuple[int, list[str]]:
    """What is between the parentheses that open before a place, by commas, and the place behind them, or -1."""
    texts: list[str] = []
    depth = 0
    start = at
    for match in re.finditer(r"[()\[\]{},]|<(?=\w[^()]*>)|(?<=[\w>\]?])>", code[at:]):
        sign, place = match[0], at + match.start()
        if sign in "([{<":
            depth += 1
        elif sign != "," and (sign != ">" or depth):
            depth -= 1
            if depth < 0:
                texts.append(code[start:place].strip())
                return place + 1, [text for text in texts if text]
        elif sign == "," and not depth:
            texts.append(code[start:place].strip())
            start = place + 1
    return -1, texts


def _parameter(text: str, ending: str) -> str:
    """The name of a parameter; of one that takes a value apart, all of its text."""
    declared = text.partition("=")[0].strip()
    words: list[str] = _NAME.findall(declared)
    if not words or declared[0] in "{[(":
        return declared
    if ending in _TYPE_FIRST or ending == "php":
        return words[-1]
    prefixes = ("mut", "val", "var", "private", "public", "protected", "readonly")
    return next((word for word in words if word not in prefixes), declared)


def _result(before: Sequence[str], after: str, ending: str) -> str:
    """The type of what a function returns, without parameters of that type; empty where nothing says it."""
    if ending in _WITHOUT_RESULT:
        return ""
    if ending in _TYPE_FIRST:
        text = " ".join(word for word in before if word not in _MODIFIERS)
        text += " throws" if _THROWS.match(after) and ending == "java" else ""
    else:
        text = re.split(r"\{|=|\bwhere\b", after, maxsplit=1)[0].strip(" \t:").removeprefix("->")
    shorter = _GENERIC.sub("", text)
    while shorter != text:
        text, shorter = shorter, _GENERIC.sub("", shorter)
    return _OWNER.sub("", text) or ("nothing" if ending in _RESULT_SAID else "")
