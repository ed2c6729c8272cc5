"""The work of the rules about calls, kinds, declarations, conditions and notebooks: it grows with the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.counted_calls import lines_of

from suture.place.rebase import merge_texts

if TYPE_CHECKING:
    from collections.abc import Callable


def every(count: int, line: str) -> list[str]:
    return [line.format(number) for number in range(count)]


def other_heads(count: int) -> tuple[str, str, str, str]:
    """One side puts the parameters of many functions in another order, and the other calls each by names."""
    heads = every(count, "def f{0}(a, b):\n  return a")
    calls = every(count, "x = {0}\n\n")
    current = [head.replace("a, b", "b, a") for head in heads]
    edited = [f"{call}f{at}(a=1, b=2)\n" for at, call in enumerate(calls)]
    return "a.py", "\n".join([*heads, *calls]), "\n".join([*current, *calls]), "\n".join([*heads, *edited])


def other_kinds(count: int) -> tuple[str, str, str, str]:
    """One side makes sets of many lists, and the other only names them."""
    base = every(count, "n{0} = []\na{0} = {0}\n\nb{0} = 1")
    current = [block.replace("[]", "set()") for block in base]
    edited = [block.replace("= 1", f"= n{at}") for at, block in enumerate(base)]
    return "a.py", "\n".join(base), "\n".join(current), "\n".join(edited)


def declared(count: int) -> tuple[str, str, str, str]:
    """One side declares many names in one block, and the other uses them all in other ones."""
    base = [*every(count, "const n{0} = 1;"), "function f() {", *every(count, "  a();"), "}"]
    current = [*base[: count + 1], *every(count, "  const n{0} = 2;"), *base[count + 1 :]]
    edited = [*base, "function g() {", *every(count, "  b(n{0});"), "}"]
    return "a.js", "\n".join(base), "\n".join(current), "\n".join(edited)


def generators(count: int) -> tuple[str, str, str, str]:
    """One side adds a value to many generators, and the other calls them."""
    base = every(count, "def f{0}():\n    yield 1\n    a = 1\n\nb{0} = 1")
    current = [block.replace("    yield 1\n", "    yield 1\n    yield 2\n") for block in base]
    edited = [block.replace("= 1", f"= f{at}()") if at % 2 else block for at, block in enumerate(base)]
    edited = [block.replace("    a = f", "    a = 1 or f") for block in edited]
    return "a.py", "\n".join(base), "\n".join(current), "\n".join(edited)


def conditions(count: int) -> tuple[str, str, str, str]:
    """One side puts many lines under conditions, and the other adds lines between these."""
    base = every(count, "a{0}();\nb{0}();\nc{0}();\nd{0}();")
    current = [f"a{at}();\n#if X\nb{at}();\n#endif\nc{at}();\nd{at}();" for at in range(count)]
    edited = [f"{block}\ne{at}();" for at, block in enumerate(base)]
    return "a.c", "\n".join(base), "\n".join(current), "\n".join(edited)


def cells(count: int) -> tuple[str, str, str, str]:
    """Both sides change many cells of a notebook."""
    head = ['{"cells": [', *every(1, ""), '{"cell_type": "code",', '"source": [']
    base, current, edited = (
        "\n".join([*head, *every(count, f'"{one} = {{0}}\\n",\n"b{{0}} = 1\\n",\n"{other} = {{0}}\\n",'), '"x"]}]}'])
        for one, other in (("a{0}", "c{0}"), ("aa{0}", "c{0}"), ("a{0}", "cc{0}"))
    )
    return "a.ipynb", base, current, edited


@pytest.mark.parametrize("texts", [other_heads, other_kinds, declared, generators, conditions, cells])
def test_four_times_the_texts_cost_at_most_eight_times(texts: Callable[[int], tuple[str, str, str, str]]) -> None:
    def merging(count: int) -> Callable[[], object]:
        path, base, current, edited = texts(count)
        return lambda: merge_texts(base, current, edited, path)

    merging(2)()
    assert lines_of(merging(400)) <= 8 * lines_of(merging(100))
