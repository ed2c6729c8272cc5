"""Each rule by which a part of a sketch is placed, and what it must not do. The refused ones were wrong once."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.place.sketches import apply_sketch

MARKER = "# ... existing code ..."

#: Both functions have the first two and the last two lines; only in the second one, they are close together.
LOOPS = """\
def load(paths):
    for path in paths:
        if path:
            read(path)
            check(path)
            keep(path)
            close(path)
            done()
    return paths


def save(paths):
    for path in paths:
        if path:
            done()
    return paths
"""

TABLE = """\
LIMITS = {
    "low": {
        "first": 1,
        "second": 2,
    },
    "middle": {
        "first": 3,
        "second": 2,
    },
    "high": {
        "first": 5,
        "second": 2,
    },
}
"""


def after(content: str, *lines: str, path: str = "a.py") -> str:
    result = apply_sketch(content, "\n".join(lines), path=path)
    assert isinstance(result, str)
    return result


def reason(content: str, *lines: str, path: str = "a.py") -> str:
    """Why a sketch is refused."""
    with pytest.raises(PatchRejectedError) as raised:
        after(content, *lines, path=path)
    return str(raised.value.problems[0].details["reason"])


def test_lines_that_the_file_has_twice_are_enough_where_one_place_has_those_above_and_below() -> None:
    above, below = ["    for path in paths:", "        if path:"], ["            done()", "    return paths"]
    wanted = LOOPS.replace("if path:\n            done()", "if path:\n            log(path)\n            done()")
    assert after(LOOPS, MARKER, *above, "            log(path)", *below, MARKER) == wanted


def test_lines_are_not_added_where_two_places_have_those_above_and_below() -> None:
    above, below = ["    for path in paths:", "        if path:"], ["            done()", "    return paths"]
    content = LOOPS.replace("            read(path)\n            check(path)\n", "")
    assert reason(content, MARKER, *above, "            log(path)", *below, MARKER) == "context_not_found"


def test_a_changed_line_between_brackets_is_placed_where_its_neighbors_are() -> None:
    content = "first(\n  [\n    one(1),\n  ],\n)\nsecond(\n  [\n    two(2),\n  ],\n)\nthird()\n"
    part = ["second(", "  [", "    two(22),", "  ],", ")"]
    assert after(content, "...", *part, "...", path="a.js") == content.replace("two(2)", "two(22)")
    part[2] = "    other(value, more),"
    assert reason(content, "...", *part, "...", path="a.js") == "context_not_found"


def test_closing_brackets_alone_say_nothing() -> None:
    content = "go(() => {\n  run(() => {\n    stop()\n  })\n})\n"
    assert reason(content, "...", "  })", "})", "", "go()", path="a.js") == "context_not_found"


def test_lines_with_an_open_bracket_are_not_added_alone() -> None:
    """The closing brackets are not the file's but belong to them, and there is no context below."""
    content = "check(value) {\n  run(value) {\n  }\n}\nnext()\n"
    part = ["check(value) {", "  run(value) {", "    if (value) {", "  }", "}"]
    assert reason(content, *part, "...", path="a.txt") == "context_not_found"


def test_a_part_with_several_changes_is_not_added_as_a_whole() -> None:
    """The entries are in the file, a bit further: they change, and are not written once more."""
    changed = TABLE.replace('"first": 3', '"first": 33').replace('"first": 5', '"first": 55')
    part = changed.split("\n")[2:-1]
    assert after(TABLE, MARKER, *part) == changed


def test_a_part_that_only_leaves_out_lines_deletes_them() -> None:
    rows = [f"step_{number}()" for number in range(30)]
    wanted = "\n".join([*rows[:5], *rows[15:]]) + "\n"
    assert after("\n".join(rows) + "\n", MARKER, *rows[3:5], *rows[15:17], MARKER) == wanted
    assert reason("\n".join(rows) + "\n", MARKER, *rows[3:5], rows[15], MARKER) == "left_out"


def test_lines_that_are_left_out_away_from_other_changes_may_be_a_forgotten_marker() -> None:
    rows = [f"step_{number}()" for number in range(30)]
    part = [*rows[2:5], "new()", *rows[5:8], *rows[15:18], "other()", *rows[18:21]]
    assert reason("\n".join(rows) + "\n", MARKER, *part, MARKER) == "left_out"


def test_lines_that_are_left_out_beside_another_change_go() -> None:
    rows = [f"step_{number}()" for number in range(30)]
    part = [*rows[2:5], "new()", rows[5], *rows[9:12]]
    content = "\n".join(rows) + "\n"
    assert after(content, MARKER, *part, MARKER) == "\n".join([*rows[:5], "new()", rows[5], *rows[9:]]) + "\n"


def test_many_lines_are_not_left_out_without_a_marker() -> None:
    rows = [f"step_{number}()" for number in range(100)]
    assert reason("\n".join(rows) + "\n", MARKER, *rows[2:5], *rows[50:53], MARKER) == "left_out"


def test_the_first_lines_of_a_function_are_not_the_whole_of_it_if_a_later_line_is_like_one() -> None:
    content = (
        "def load(one):\n    if one:\n        first()\n    else:\n        second()\n"
        "    if two():\n        third()\n    else:\n        fourth()\n"
    )
    part = ["def load(one):", "    if one is not None:", "        first()", "    else:", "        second()"]
    assert after(content, MARKER, *part, MARKER) == content.replace("if one:", "if one is not None:")


def test_a_function_with_annotations_keeps_them() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    content = "class A {\n    @Override\n    public void go() {\n        first();\n    }\n\n    void stop() {}\n}\n"
    part = ["    public void go() {", "        second();", "    }"]
    marker = "// ... existing code ..."
    assert after(content, marker, *part, marker, path="A.java") == content.replace("first", "second")


def test_no_definition_is_written_a_second_time() -> None:
    """Between `return 1` and the function below, a marker is missing."""
    content = (
        "class A:\n    def one(self):\n        go()\n        return 1\n\n"
        "    def two(self):\n        go()\n        return 2\n"
        "\n    def three(self):\n        go()\n        return 3\n"
    )
    part = ["class A:", "    def one(self, x):", "        go(x)", "        return 1", ""]
    assert (
        reason(content, *part, "    def one(self):", "        go()", "        return 1", MARKER) == "definition_twice"
    )


def test_lines_in_another_order_may_be_a_forgotten_marker() -> None:
    rows = [f"step_{number}()" for number in range(12)]
    part = [*rows[2:4], *rows[7:9], *rows[4:6], "new()", *rows[9:11]]
    assert reason("\n".join(rows) + "\n", MARKER, *part, MARKER) in ("context_not_found", "left_out")


def test_lines_in_another_order_of_which_none_is_missing_are_moved() -> None:
    """A forgotten marker would leave out some of them."""
    rows = [f"step_{number}()" for number in range(12)]
    part = [*rows[2:4], *rows[7:9], *rows[4:7], "new()", *rows[9:11]]
    moved = [*rows[:2], *part, *rows[11:]]
    assert after("\n".join(rows) + "\n", MARKER, *part, MARKER) == "\n".join(moved) + "\n"


def test_a_part_that_drops_lines_needs_edges_that_are_nowhere_else() -> None:
    """What is dropped may begin further up: the file has the first lines of the part there, too."""
    entry = "const {0} = warning({{\n  code: '{0}',\n  unlimited: true\n}})\n\n"
    content = entry.format("ONE") + entry.format("TWO") + "module.exports = {\n  ONE,\n  OTHER,\n  TWO\n}\n"
    part = ["  unlimited: true", "})", "", "module.exports = {", "  ONE,", "  OTHER", "}"]
    assert reason(content, "...", *part, path="a.js") == "context_not_found"


def test_a_line_that_the_file_has_does_not_replace_one_like_it() -> None:
    """The part begins in the first function, and everything up to the end of the second one goes."""
    content = "".join(
        f"def check_{name}():\n    cases = {name}_cases()\n"
        f"    for case in cases:\n        compare(case, {name}_value)\n\n\n"
        for name in ("one", "two")
    )
    part = ["    for case in cases:", "        compare(case, one_value)", "", "", "def last():", "    return 1"]
    content += "def last():\n    return 1\n"
    above = "    cases = CASES"
    content = content.replace("    cases = one_cases()", above).replace("    cases = two_cases()", above)
    assert reason(content, MARKER, above, *part) in ("context_not_found", "definition_lost", "left_out")


def test_lines_that_are_rewritten_further_up_are_not_kept_above_the_new_ones() -> None:
    """The file has the first lines of the part twice. Below the first of them, there are lines like the new ones."""
    content = "open([\n  first,\n  ],\n)\nexpect(check(one, 1))\nexpect(check(two, 2))\n"
    content += "open([\n  second,\n  ],\n)\n\nlast()\nend()\n"
    part = ["  ],", ")", "check(one, 11)", "check(two, 22)", "more()", "", "last()", "end()"]
    assert reason(content, "...", *part, path="a.txt") == "context_not_found"


def test_a_part_that_changes_nothing_needs_edges_that_are_nowhere_else() -> None:
    """It may say that what is below its last lines goes, up to a place that has the same lines."""
    content = "class A {\n  one() {\n    first()\n  }\n}\nclass B {\n  two() {\n    second()\n  }\n}\nlast()\nmore()\n"
    parts = ["    first()", "  }", "}", "...", "last()", "other()", "more()"]
    assert reason(content, "...", *parts, path="a.txt") == "context_not_found"


CONFIG = """\
import os


class Config:
    timeout_seconds = 10
    retries_allowed = 3
    password_hash = None

    def dump_values(self):
        return self.retries_allowed


print(os.name)
"""


@pytest.mark.parametrize("indent", ["    ", ""])
def test_a_marker_at_the_end_of_a_class_keeps_the_rest_of_it(indent: str) -> None:
    content = CONFIG.replace("\n    def dump_values(self):\n        return self.retries_allowed\n", "")
    lines = (MARKER, "class Config:", "    timeout_seconds = 20", indent + MARKER)
    assert reason(content, *lines) == "context_not_found"


@pytest.mark.parametrize("indent", ["    ", ""])
def test_a_marker_at_the_end_of_a_function_keeps_the_rest_of_it(indent: str) -> None:
    content = "def load(path):\n    handle = open_handle(path)\n    value = compute(handle)\n    close_handle(handle)\n"
    content += "    return value\n\n\nprint(1)\n"
    lines = ("def load(path):", "    handle = open_handle(path)", "    log_it(handle)", indent + MARKER, MARKER)
    assert reason(content, *lines) == "context_not_found"


def test_a_name_that_goes_with_the_class_around_it_is_not_looked_for_again() -> None:
    method = ("    def dump_values(self):", "        return self.retries_allowed")
    for indent in ("    ", ""):
        lines = (MARKER, "class Config:", "    timeout_seconds = 20", indent + MARKER, "", *method)
        assert reason(CONFIG, *lines) in ("context_not_found", "definition_lost")


SCRIPT = """\
class Store {
  load(path) {
    return read(path)
  }

  async save(path) {
    await write(path)
    return path
  }
}

start(new Store())
"""


@pytest.mark.parametrize("path", ["a.js", "a.unknown"])
def test_a_method_that_another_one_takes_the_place_of_is_lost(path: str) -> None:
    lines = ["class Store {", "  load(path) {", "    return read(path, 1)", "  }", "", "  find(path) {"]
    lines += ["    return look(path)", "  }", "}", "// ... existing code ..."]
    assert reason(SCRIPT, *lines, path=path) in ("definition_lost", "left_out", "context_not_found")


def test_one_of_several_definitions_of_a_name_is_not_lost() -> None:
    content = "class A:\n    @property\n    def size(self):\n        return self._size\n\n"
    content += "    @size.setter\n    def size(self, value):\n        self._size = value\n\n\nprint(A)\n"
    lines = ("class A:", "    @property", "    def size(self):", "        return self._size + 1", MARKER)
    assert reason(content, *lines) in ("definition_lost", "context_not_found")


def test_without_a_marker_at_its_end_a_sketch_ends_with_the_file() -> None:
    """More lines below may be meant to go, however many they are."""
    content = "".join(f"step_{number}()\n" for number in range(30))
    assert reason(content, MARKER, "step_3()", "new()", "step_4()", "step_5()") == "context_not_found"
    assert reason(content, "step_3()", "new()", "step_4()", "step_5()", MARKER) == "context_not_found"


def test_lines_that_are_joined_are_not_kept_above_the_new_one() -> None:
    content = (
        "go(\n  first,\n  )\n    .into_response(),\n"
        "  Err(error) => (\n    Status::Failed,\n    error.to_string(),\n  )\n"
        "    .into_response(),\n}\nlast()\n"
    )
    part = [
        "  )",
        "    .into_response(),",
        "  Err(error) => (Status::Failed, error.to_string()).into_response(),",
        "}",
        "last()",
    ]
    assert reason(content, "...", *part, "...", path="a.txt") == "context_not_found"


def test_a_byte_order_mark_is_not_written_twice() -> None:
    content = "\ufeffimport one\nimport two\n\nrun(one)\nrun(two)\n"
    part = ["\ufeffimport one", "import three", "import two"]
    assert after(content, *part, MARKER) == content.replace("import two", "import three\nimport two")


CACHE = """\
import os


class Cache:
    size = 10

    def get(self, key):
        return self.items.get(key)

    def put(self, key, value):
        self.items[key] = value


def main():
    print(Cache())
"""


def test_a_sketch_may_begin_with_the_first_definition_of_the_file() -> None:
    """As the example of VS Code's insert_edit_into_file: what is above, such as imports, stays."""
    put = "    def put(self, key, value):\n        self.items[key] = value\n        return value\n"
    sketch = f"class Cache:\n    size = 10\n\n    {MARKER}\n\n{put}\n{MARKER}\n"
    after = CACHE.replace("key] = value\n", "key] = value\n        return value\n")
    assert apply_sketch(CACHE, sketch, path="cache.py") == after


@pytest.mark.parametrize(
    "sketch",
    [
        # A method with others above it.
        f"    def put(self, key, value):\n        self.items[key] = (value,)\n        self.count += 1\n\n{MARKER}\n",
        # A class with a function below it, whole and in parts.
        f"{MARKER}\n{CACHE[11 : CACHE.index('def main')].replace('10', '20')}",
        f"{MARKER}\n    def get(self, key):\n        return 1\n\n    def put(self, key, value):\n        pass\n",
    ],
)
def test_without_a_marker_whole_definitions_leave_out_no_other_ones(sketch: str) -> None:
    with pytest.raises(PatchRejectedError):
        apply_sketch(CACHE, sketch, path="cache.py")


PERSON = """\
import { log } from './log';

class Person {
  private name = '';

  rename(name: string) {
    this.name = name;
  }

  greet() {
    log(this.name);
  }
}
"""


@pytest.mark.parametrize(("above", "below"), [("", "}\n"), ("// ...existing code...\n", "// ...existing code...\n")])
def test_whole_methods_may_be_inside_of_the_first_lines_of_their_class(above: str, below: str) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    rename = "  rename(name: string) {\n    log(name);\n    this.name = name;\n  }\n"
    sketch = f"{above}class Person {{\n  // ...existing code...\n{rename}  // ...existing code...\n{below}"
    after = PERSON.replace("    this.name = name", "    log(name);\n    this.name = name")
    assert apply_sketch(PERSON, sketch, path="person.ts") == after


def test_lines_that_stay_and_definitions_must_be_in_the_order_of_the_file() -> None:
    sketch = f"{MARKER}\ndef main():\n{MARKER}\n    def get(self, key):\n        return 1\n{MARKER}\n"
    with pytest.raises(PatchRejectedError):
        apply_sketch(CACHE, sketch, path="cache.py")
