"""What settings, data and documents refer to by name: keys, anchors, steps, headings and labels, and what needs them.

What is looked for as a key alone has a colon behind its name; any other word of the file would not do instead.
"""

from __future__ import annotations

import re

from .file_kinds import MARKDOWN
from .limits import LONGEST_DEFINING_LINE
from .merge_names import YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: A word of YAML, which can be the name of a key or of an anchor.
_YAML_WORD = re.compile(r"[\w.-]+")
_ANCHOR = re.compile(r"(?<!\S)&(?P<name>[\w.-]+)")
_ALIAS = re.compile(r"(?<!\S)\*(?P<name>[\w.-]+)")
_KEY = re.compile(r"[ \t]*(?:-[ \t]+)?(?P<name>[\w.-]+):(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+|(?:-[ \t]+)?[\w.<-]+:[ \t]+)(?P<value>\S.*)")
#: A step of a workflow, and where its results are used.
_STEP = re.compile(r"[ \t]*(?:-[ \t]+)?id:[ \t]+[\"']?([\w-]+)")
_STEP_USED = re.compile(r"\bsteps\.([\w-]+)")
#: Keys by which expressions of workflows, commands and addresses name others.
_KEYS_USED = (
    re.compile(r"\b(?:env|inputs|matrix|needs|outputs|secrets|vars)\.([\w-]+)"),
    re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)\b"),
    re.compile(r"(?:://|@)([\w-]+)(?=[:/])"),
)
#: What a task of a play keeps its result under, and where names are used: in conditions and expressions.
_REGISTERED = re.compile(r"[ \t]*(?:-[ \t]+)?register:[ \t]+([\w.-]+)")
_CONDITION = re.compile(
    r"[ \t]*(?:-[ \t]+)?(?:changed_when|failed_when|if|that|until|when):[ \t]+(.*)|\{\{([^{}]*)\}\}"
)
#: A pointer into a document of JSON or YAML, and a script of a package.
_POINTER = re.compile(r"[\"']?\$ref[\"']?[ \t]*:[ \t]*[\"']?[^\"'#\s]*#/(?:[^\"'\s/]+/)*([\w.-]+)")
_RUN = re.compile(r"\b(?:npm|pnpm|yarn|bun)[ \t]+(?:run(?:-script)?[ \t]+)?(?!run\b)([\w:.-]+)")
#: A key of settings, a server of nginx, and where one is used in the value of another.
_SETTING = re.compile(r"(?:export[ \t]+)?([\w.-]+)[ \t]*[=:]|upstream[ \t]+([\w-]+)")
_SETTING_USED = re.compile(r"\$\{?([\w.-]+)|%\((\w+)\)s|://([\w-]+)(?=[:/;])")
#: A variable, a function or a target of CMake, and where these are used.
_CMAKE = re.compile(r"(?:add_\w+|function|macro|option|set)[ \t]*\([ \t]*([\w.-]+)", re.IGNORECASE)
_CMAKE_USED = re.compile(
    r"\$\{(\w+)\}|^[ \t]*(\w+)[ \t]*\(|(?:add_dependencies|target_link_libraries)[ \t]*\(([^()]*)", re.IGNORECASE
)
_WORD = re.compile(r"[\w.-]+")
_JSON_KEY = re.compile(r"\"((?:\\.|[^\"\\])+)\"[ \t]*:")
#: A key of TOML, and the texts of a list that can name one, such as a feature.
_TOML_KEY = re.compile(r"[ \t]*[\"']?([\w-]+)[\"']?[ \t]*=")
_TOML_LIST = re.compile(r"[^=\[]*=?[ \t]*\[|[ \t]*[\"'][\w-]+[\"'],?[ \t]*$")
_TOML_TEXT = re.compile(r"[\"']([\w-]+)[\"']")
#: The label of a link or a footnote of a document, a link by it, a heading, and a link to one.
_LINK = re.compile(r"\[([^\[\]\n]+)\]:(?=[ \t])")
_LINK_USED = re.compile(r"\]\[([^\[\]\n]+)\]|\[(\^[^\[\]\n]+)\](?!:)")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*?)[ \t#]*$")
_PLACE = re.compile(r"\b(?:id|name)=[\"']([\w-]+)[\"']")
_HEADING_USED = re.compile(r"\]\(#([\w-]+)\)|\bhref=[\"']#([\w-]+)[\"']")
_RST_LABEL = re.compile(r"\.\. _([^:`\n]+):")
_RST_USED = re.compile(r":(?:num)?ref:`(?:[^`<]*<)?([^`<>]+)>?`|`[^`<]*<([^`<>:/]+)_>`_")
_TEX_LABEL = re.compile(r"\\label\{([^{}]+)\}")
_TEX_COMMAND = re.compile(r"\\(?:(?:re)?newcommand\*?\{?|def)(\\[A-Za-z]+)")
_TEX_COMMAND_USED = re.compile(r"\\[A-Za-z]+")
_TEX_USED = re.compile(r"\\(?:[cC]|auto|eq|name|page|v)?ref\*?\{([^{}]+)\}")

#: The endings of files whose lines refer to each other in these ways.
_SETTINGS = frozenset("cfg conf env ini properties".split())
REFERRING = YAML | MARKDOWN | _SETTINGS | {"cmake", "json", "rst", "tex", "toml"}


def given_references(line: str, ending: str) -> set[str]:
    """What a line of such a file gives a name to."""
    code = line.strip()[:LONGEST_DEFINING_LINE]
    if ending in YAML:
        keys = {match["name"] for match in [_KEY.match(code)] if match}
        others = {f"&{name}" for name in _ANCHOR.findall(code)} | {f"steps.{name}" for name in _STEP.findall(code)}
        return keys | _as_keys([*keys, *_REGISTERED.findall(code)]) | others
    if ending in _SETTINGS:
        setting = _SETTING.match(code)
        return _as_keys(filter(None, setting.groups())) if setting else set()
    if ending == "cmake":
        return _as_keys(_CMAKE.findall(code))
    if ending == "json":
        return _as_keys(_JSON_KEY.findall(code))
    if ending == "toml":
        return _as_keys(_TOML_KEY.findall(code)[:1] if _TOML_KEY.match(code) else ())
    if ending == "rst":
        return {f"label {label.lower()}" for label in _RST_LABEL.findall(code)}
    if ending == "tex":
        return {f"label {label}" for label in _TEX_LABEL.findall(code)} | set(_TEX_COMMAND.findall(code))
    heading = _HEADING.match(code)
    places = {f"#{name}" for name in _PLACE.findall(code)} | ({f"#{_slug(heading['text'])}"} if heading else set())
    return places | {f"[{label.lower()}]" for label in _LINK.findall(code)}


def used_references(line: str, ending: str) -> set[str]:
    """What a line of such a file needs others to give a name to."""
    code = line[:LONGEST_DEFINING_LINE]
    if ending in YAML:
        aliases = {f"&{name}" for name in _ALIAS.findall(code)}
        item = _ITEM.match(code)
        values = re.split(r"[\s,]+", item["value"].strip("[] \t\r\n")) if item else []
        # A word in a text is no reference; a value, or each item of a list, can be one.
        is_list = item is not None and item["value"].startswith("[")
        words = {value.strip("\"'") for value in values if is_list or len(values) == 1}
        keys = {name for pattern in (*_KEYS_USED, _POINTER) for name in pattern.findall(code)}
        keys |= _words_in(_CONDITION.findall(code))
        keys |= {key.partition(".")[0] for key in keys}
        return aliases | words | _as_keys(keys) | {f"steps.{name}" for name in _STEP_USED.findall(code)}
    if ending in _SETTINGS:
        return _as_keys(_words_in(_SETTING_USED.findall(code.partition("=")[2] or code)))
    if ending == "cmake":
        return _as_keys(_words_in(_CMAKE_USED.findall(code)))
    if ending == "json":
        return _as_keys([*_POINTER.findall(code), *_RUN.findall(code)])
    if ending == "toml":
        return _as_keys(_TOML_TEXT.findall(code) if _TOML_LIST.match(code) else ())
    if ending == "rst":
        return {f"label {(one or other).strip().lower()}" for one, other in _RST_USED.findall(code)}
    if ending == "tex":
        labels = {f"label {label.strip()}" for labels in _TEX_USED.findall(code) for label in labels.split(",")}
        return labels | (set(_TEX_COMMAND_USED.findall(code)) - set(_TEX_COMMAND.findall(code)))
    places = {f"#{one or other}" for one, other in _HEADING_USED.findall(code)}
    return places | {f"[{(label or note).lower()}]" for label, note in _LINK_USED.findall(code)}


def names_kept(line: str, ending: str) -> Iterable[str]:
    """What a line has that may be what others need: any word of YAML, and what it gives a name to."""
    words = _YAML_WORD.findall(line) if ending in YAML else ()
    return (*words, *given_references(line, ending))


def text_of(name: str) -> str:
    """A text that each line has which gives a name; empty where the file can have it in other letters."""
    if name.startswith(("[", "#", "label ")):
        return ""
    for prefix in ("steps.", "local.", "id ", "text "):
        name = name.removeprefix(prefix)
    return name.strip("\"':")


def _words_in(groups: Iterable[Iterable[str]]) -> set[str]:
    """The words in the groups of matches."""
    return {word for texts in groups for text in texts for word in _WORD.findall(text)}


def _as_keys(names: Iterable[str]) -> set[str]:
    return {f"{name}:" for name in names}


def _slug(text: str) -> str:
    """What a link to a heading has behind its `#`."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text.strip().lower()))
