"""Names of modules and classes: each is used once, is a noun or a verb, and means what the glossary says."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from pathlib import Path

import pytest
from tests.shared.source import SOURCE, broken, nodes_of

from suture.core.value import Value

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text("utf-8")

#: Words that say nothing about what is inside.
EMPTY_WORDS = {"manager", "handler", "helper", "helpers", "util", "utils", "service", "engine", "misc"}
#: Participles that end in neither -ed nor -ing.
IRREGULAR = {
    "told",
    "shown",
    "found",
    "done",
    "made",
    "known",
    "given",
    "taken",
    "woven",
    "held",
    "kept",
    "left",
    "sent",
}
#: Nouns that look like participles.
NOUNS = {"reading", "finding", "string", "setting", "formatting", "pending", "recording"}


def modules() -> dict[str, list[Path]]:
    """The modules by their names, without those of commands (named after the commands) and the public `testing`."""
    named = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        if not path.stem.startswith("__") and path.parent.name != "commands" and path != SOURCE / "testing.py":
            named[path.stem].append(path)
    return named


def classes() -> dict[str, list[tuple[Path, ast.ClassDef]]]:
    """The classes by their names, those inside functions and private ones included."""
    named = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                named[node.name].append((path, node))
    return named


def words_of(name: str) -> list[str]:
    """`FileTooLargeError` and `file_too_large_error` have four words."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith(("ed", "ing")) and len(word) > 4 and word not in NOUNS)


def is_event(node: ast.ClassDef) -> bool:
    """An event is named after what happened: `FileChanged`."""
    return any(isinstance(base, ast.Name) and base.id == "Event" for base in node.bases)


MODULES, CLASSES = modules(), classes()


def test_a_module_has_its_name_for_itself() -> None:
    assert broken(sorted(MODULES), lambda name: MODULES[name][1:]) == {}


def other_places(name: str) -> list[str]:
    """The modules that have a class of this name, but for the first."""
    # No program has two frameworks, and what is the same for users has the same name in each adapter.
    places = [path for path, _ in CLASSES[name] if path.parent.name != "adapters"]
    adapters = [path for path, _ in CLASSES[name] if path.parent.name == "adapters"]
    return [str(path.relative_to(SOURCE)) for path in [*places, *adapters[:1]]][1:]


def test_a_class_has_its_name_for_itself() -> None:
    assert broken(sorted(CLASSES), other_places) == {}


def says_nothing(name: str) -> bool:
    words = words_of(name)
    return not EMPTY_WORDS.isdisjoint(words) or is_participle(words[-1])


def test_a_module_is_named_after_what_is_in_it() -> None:
    assert [name for name in sorted(MODULES) if says_nothing(name)] == []


def test_a_test_file_is_named_after_what_it_tests() -> None:
    names = {path.stem for path in Path(__file__).parents[1].rglob("*.py") if not path.stem.startswith("__")}
    assert len(names) > 80
    assert [name for name in sorted(names) if says_nothing(name)] == []


def test_a_class_is_named_after_what_it_is() -> None:
    assert [name for name in sorted(CLASSES) if not name.lstrip("_")[0].isupper()] == []
    empty = [name for name in sorted(CLASSES) if says_nothing(name)]
    assert [name for name in empty if not is_event(CLASSES[name][0][1])] == []
    assert [name for name in empty if not EMPTY_WORDS.isdisjoint(words_of(name))] == []


def test_the_rules_know_a_participle_when_they_see_one() -> None:
    assert [word for word in ("opened", "remembering", "told", "reading", "string", "red") if is_participle(word)] == [
        "opened",
        "remembering",
        "told",
    ]
    assert words_of("FileTooLargeError") == words_of("file_too_large_error") == ["file", "too", "large", "error"]


def defined_words() -> list[str]:
    """The words that a row of the glossary defines."""
    return [
        word.strip()
        for row in re.findall(r"^\| (\*\*.*?) \|", GLOSSARY, re.MULTILINE)
        for bold in re.findall(r"\*\*(.+?)\*\*", row)
        for word in bold.split(",")
    ]


def test_the_glossary_defines_each_word_once() -> None:
    words = defined_words()
    assert len(words) > 40
    assert sorted(word for word in set(words) if words.count(word) > 1) == []


@pytest.mark.parametrize("word", [word for word in defined_words() if word[0].isupper()])
def test_a_capitalized_word_of_the_glossary_is_a_class(word: str) -> None:
    assert word in CLASSES


def public_values() -> list[str]:
    """The value classes that `suture` and its public modules offer."""
    packages = [
        "suture",
        *(f"suture.{folder.name}" for folder in SOURCE.iterdir() if (folder / "__init__.py").is_file()),
    ]
    found = {}
    for package in packages:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, Value):
                found[name] = value
    return sorted(found)


@pytest.mark.parametrize("name", public_values())
def test_a_public_value_is_in_the_glossary(name: str) -> None:
    assert re.search(rf"(\*\*|, |`){name}(\*\*|,|`)", GLOSSARY)
