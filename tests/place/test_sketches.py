"""Sketches: placed where there is one way to do so, and refused otherwise."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError, apply_in_memory, instructions, parse
from suture.place.sketches import apply_sketch

CODE = """\
import os
import sys


def first(path):
    check(path)
    with open(path) as file:
        text = file.read()
    return text


def second(path):
    check(path)
    lock(path)
    write(path)
    unlock(path)
    return path


def third():
    return 3
"""


def sketch(text: str, content: str = CODE, path: str = "a.py") -> str:
    after = apply_sketch(content, text, path=path)
    assert isinstance(after, str)
    return after


def test_parts_between_markers_are_laid_on_the_file() -> None:
    text = "# ... existing code ...\n    lock(path)\n    log(path)\n    write(path)\n# ... existing code ...\n"
    assert sketch(text) == CODE.replace("    write(path)\n", "    log(path)\n    write(path)\n")


def test_several_parts_are_in_order() -> None:
    text = (
        "import os\nimport re\nimport sys\n# ... existing code ...\n    with open(path) as file:\n"
        "        text = file.read().strip()\n    return text\n# ... existing code ...\n"
    )
    assert sketch(text) == CODE.replace("import sys", "import re\nimport sys").replace(".read()", ".read().strip()")


def test_whole_definitions_go_where_their_names_are() -> None:
    text = "# ... existing code ...\ndef third():\n    total = 3\n    return total\n# ... existing code ...\n"
    assert sketch(text) == CODE.replace("    return 3", "    total = 3\n    return total")


def test_the_beginning_of_a_function_is_not_the_whole_of_it() -> None:
    text = "# ... existing code ...\ndef second(path):\n    check(path, 1)\n    lock(path)\n# ... existing code ...\n"
    assert sketch(text) == CODE.replace("    check(path)\n    lock", "    check(path, 1)\n    lock")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def third():\n    return 4\n", "no_marker"),
        ("# ... existing code ...\n    check(path)\n    log(path)\n# ... existing code ...\n", "context_not_found"),
        ("# ... existing code ...\n    lock(path)\n    return path\n# ... existing code ...\n", "left_out"),
        ("# ... existing code ...\n    nothing()\n# ... existing code ...\n", "context_not_found"),
        ("# ... existing code ...\n    return path\n\n\ndef third():\n    return (3\n", "syntax_error"),
        ("# ... existing code ...\n    lock(path)\n    write(path)\n# ... existing code ...\n", "already_applied"),
    ],
)
def test_what_is_not_certain_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        sketch(text)
    assert raised.value.problems[0].details["reason"] == reason


def test_a_sketch_that_is_applied_is_not_applied_again() -> None:
    text = "# ... existing code ...\n    lock(path)\n    log(path)\n    write(path)\n# ... existing code ...\n"
    with pytest.raises(PatchRejectedError) as raised:
        sketch(text, sketch(text))
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_no_definition_is_lost() -> None:
    content = "".join(f"def f{number}():\n    go({number})\n\n" for number in range(3)) + "def last():\n    stop()\n"
    text = "# ...existing code...\n    go(0)\n\ndef f2():\n    go(22)\n\ndef last():\n# ... existing code ...\n"
    with pytest.raises(PatchRejectedError):
        sketch(text, content)


def test_line_endings_are_kept() -> None:
    crlf = CODE.replace("\n", "\r\n")
    text = "# ... existing code ...\n    lock(path)\n    log(path)\n    write(path)\n# ... existing code ...\n"
    assert sketch(text, crlf) == crlf.replace("    write(path)", "    log(path)\r\n    write(path)")


def test_a_fence_below_a_path_is_a_sketch_on_request() -> None:
    said = "# ... existing code ...\n    lock(path)\n    log(path)\n    write(path)\n# ... existing code ...\n"
    patch = parse(f"a.py\n```python\n{said}```\n", form="sketch")
    assert patch.form == "sketch"
    after = apply_in_memory(patch, {"a.py": CODE}).texts["a.py"]
    assert after == CODE.replace("    write(path)\n", "    log(path)\n    write(path)\n")
    assert "... existing code ..." in instructions("sketch")
