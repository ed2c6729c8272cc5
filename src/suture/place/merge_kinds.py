"""The rule of a merge that is about what a name stands for: a variable or a constant, which container, which import."""

from __future__ import annotations

import re
from itertools import permutations

from .file_kinds import C_LIKE
from .limits import LONGEST_DEFINING_LINE
from .merge_evidence import SIDES, WORD
from .merge_uses import IMPORT, words_of
from .quiet_parts import without_quiet_parts
from .rule import rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .merge_evidence import AddedLine, MergeEvidence

#: What says that a variable is assigned once, and what says that it can be assigned again, by the endings of files.
_ONCE_AND_AGAIN = {
    **dict.fromkeys("cjs cts js jsx mjs mts svelte ts tsx vue".split(), ("const", "let|var")),
    **dict.fromkeys("kt kts scala".split(), ("val", "var")),
    "rs": (r"let(?![ \t]+mut\b)", r"let[ \t]+mut"),
    "swift": ("let", "var"),
}
_TYPED = re.compile(r"[ \t]*(?:[\w$<>\[\],.?*&:]+[ \t]+){1,6}[*&]?(?P<name>[\w$]+)[ \t]*=(?!=)")
_TYPED_ENDINGS = C_LIKE | {"cs", "dart", "java"}
_FINAL = re.compile(r"\b(?:const|final|readonly)\b")
#: What is first put under a name, as far as it says which container that is.
_PUT = re.compile(
    r"[ \t]*(?:(?:const|final|let|mut|my|our|private|protected|public|readonly|static|val|var)[ \t]+)*+"
    r"(?P<name>(?:self\.|this\.)?[\w$]+)[ \t]*(?::[^=]*)?:?=[ \t]*(?P<value>[^=].*)"
)
_CONTAINERS = (
    (
        "a list",
        re.compile(
            r"\[(?!\w*\]\w+\[)|list\(|Vec::|vec!|new[ \t]+(?:Array|Linked)List\b|make\(\[\]|(?:array|mutable)ListOf"
        ),
    ),
    ("a map", re.compile(r"new[ \t]+(?:Hash|Linked|Tree|Weak)*Map\b|(?:Hash|BTree)Map::|make\(map|map\[|mutableMapOf")),
    ("a dictionary", re.compile(r"\{\}|\{[^{}:]*:|(?:dict|defaultdict|OrderedDict)\(")),
    ("a set", re.compile(r"set\(|frozenset\(|new[ \t]+\w*Set\b|(?:Hash|BTree)Set::|mutableSetOf")),
)
_FROM = re.compile(r"[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(?P<names>[^#]*)")
_MODULES = re.compile(r"[ \t]*import[ \t]+(?P<names>[^#]*)")
_SCRIPT = re.compile(r"[ \t]*import[ \t]+(?P<types>type[ \t]+)?(?P<names>[^'\"]*?)[ \t]*\bfrom\b")
_SCRIPTS = frozenset("cjs cts js jsx mjs mts svelte ts tsx vue".split())

#: What a name can stand for.
_VARIABLE, _CONSTANT = "a variable", "a constant"
_MODULE, _MEMBER, _FOR_TYPES = "a module", "part of a module", "an import for types alone"


@rule
def same_kind(merge: MergeEvidence) -> str:
    """One side must not make another thing of a name, such as a constant, that new lines of the other use as it was."""
    for at, (_, changes) in enumerate(merge.sides):
        before: dict[str, set[str]] = {}
        words = merge.added_words(1 - at)
        for line in merge.removed(changes):
            for name, kind in _kinds(line, merge.ending) if not words.isdisjoint(WORD.findall(line)) else ():
                before.setdefault(name, set()).add(kind)
        changed = list(_changed_kinds(merge, at, before))
        uses = _lines_with_words(merge, 1 - at) if changed else {}
        for name, row, was, now in changed:
            pattern = _use_of(name, now)
            for use in uses.get(name.rpartition(".")[2], ()):
                if pattern.search(without_quiet_parts(use.line)) and _is_seen(merge, name, row, use):
                    return f"{SIDES[at]} makes {now} of {name}, which {SIDES[1 - at].lower()} uses as {was}."
    return ""


def _lines_with_words(merge: MergeEvidence, at: int) -> dict[str, list[AddedLine]]:
    """The lines that a side adds, by their words."""
    lines: dict[str, list[AddedLine]] = {}
    for row in merge.added_lines(at):
        for word in set(words_of(row.line)):
            lines.setdefault(word, []).append(row)
    return lines


def _changed_kinds(
    merge: MergeEvidence, at: int, before: Mapping[str, set[str]]
) -> Iterator[tuple[str, AddedLine, str, str]]:
    """The names that stand for another thing by now, each with the line that says so, and both kinds of thing."""
    names = {name.rpartition(".")[2] for name in before}
    for row in merge.added_lines(at) if before else ():
        for name, kind in _kinds(row.line, merge.ending) if not names.isdisjoint(WORD.findall(row.line)) else ():
            is_for_types = kind in (_MODULE, _MEMBER) and _is_for_types(merge, at, row)
            now = _FOR_TYPES if is_for_types else kind
            for was in sorted(before.get(name, ())):
                if (was, now) in _CHANGES and now not in before[name]:
                    yield name, row, was, now


def _is_for_types(merge: MergeEvidence, at: int, row: AddedLine) -> bool:
    """Whether a line of Python is only for those who check types."""
    opener = merge.side_blocks[at].opener(row.number)
    return opener >= 0 and "TYPE_CHECKING" in merge.sides[at][0][opener]


def _is_seen(merge: MergeEvidence, name: str, row: AddedLine, use: AddedLine) -> bool:
    """Whether a name that is declared on one line is what another one uses."""
    if IMPORT.match(use.line) or use.line.lstrip().startswith(("def ", "async def ")):
        return False
    if "." in name or IMPORT.match(row.line):
        return True
    return merge.merged_blocks.opener(row.merged) in merge.merged_blocks.around(use.merged)


def _kinds(line: str, ending: str) -> list[tuple[str, str]]:
    """The names that a line declares or imports, each with what it says about them."""
    code = line.rstrip()
    if len(code) > LONGEST_DEFINING_LINE or ("=" not in code and "import" not in code):
        return []
    return list(_imported(code, ending)) if IMPORT.match(code) else [*_put(code), *_declared(code, ending)]


def _declared(code: str, ending: str) -> Iterator[tuple[str, str]]:
    if ending in _TYPED_ENDINGS:
        typed = _TYPED.match(code)
        if typed:
            yield typed["name"], _CONSTANT if _FINAL.search(code, 0, typed.start("name")) else _VARIABLE
        return
    for words, kind in zip(_ONCE_AND_AGAIN.get(ending, ()), (_CONSTANT, _VARIABLE), strict=False):
        match = re.match(rf"[ \t]*(?:{words})[ \t]+(?P<name>[\w$]+)\b", code)
        if match:
            yield match["name"], kind


def _put(code: str) -> Iterator[tuple[str, str]]:
    put = _PUT.match(code)
    if put:
        kinds = [kind for kind, pattern in _CONTAINERS if pattern.match(put["value"])]
        yield from ((put["name"], kind) for kind in kinds[:1])


def _imported(code: str, ending: str) -> Iterator[tuple[str, str]]:
    if ending in ("py", "pyi"):
        match, kind = _FROM.match(code), _MEMBER
        if match is None:
            match, kind = _MODULES.match(code), _MODULE
        for name in match["names"].strip("() \t").split(",") if match else ():
            yield name.rpartition(" as ")[2].strip().partition(".")[0], kind
    script = _SCRIPT.match(code) if ending in _SCRIPTS else None
    for part in re.split(r"[,{}]", script["names"]) if script else ():
        words = part.split()
        is_type = bool(script and script["types"]) or words[:1] == ["type"]
        is_other_name = "as" in words and words[0] not in ("*", "default", "type")
        if words:
            yield words[-1], _FOR_TYPES if is_type else (_MEMBER if is_other_name else _MODULE)


#: Which changes make what was written for the one kind of thing wrong: was, and is now.
_CHANGES = frozenset(
    [
        (_VARIABLE, _CONSTANT),
        (_MODULE, _MEMBER),
        (_MEMBER, _MODULE),
        (_MODULE, _FOR_TYPES),
        (_MEMBER, _FOR_TYPES),
        *permutations([kind for kind, _ in _CONTAINERS], 2),
    ]
)


def _use_of(name: str, now: str) -> re.Pattern[str]:
    """How a line uses a name that is this kind of thing by now, so that it may be wrong."""
    word = rf"(?<![\w$.]){re.escape(name)}"
    if now == _CONSTANT:
        assigned = rf"{word}[ \t]*(?:[-+*/%&|^]|<<|>>|\?\?|\|\||&&)?=(?![=>])"
        return re.compile(rf"{assigned}|{word}(?:\+\+|--)|(?:\+\+|--){re.escape(name)}\b")
    if now == _FOR_TYPES:
        return re.compile(
            rf"{word}[ \t]*[.(]|\b(?:except|extends|instanceof|new|raise|return)[ \t(]+{word}\b|=[ \t]*{word}\b"
            rf"|\bisinstance\([^()]*,[ \t(]*{word}\b"
        )
    return re.compile(rf"{word}[ \t]*[.\[]")
