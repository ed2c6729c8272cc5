"""What a line of Python says, also in a file that does not parse."""

from __future__ import annotations

import pytest

from suture.place.python_text import names_bound


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("total = 1  # of rows", {"total"}),
        ("    first, (second, *rest) = rows", {"first", "second", "rest"}),
        ('print("#"); total = 1', {"total"}),
        ("colors['#fff'] = white = 1", {"white"}),
        ("# total = 1", set()),
        ("return total", set()),
    ],
)
def test_names_that_a_line_may_bind_are_all_there(line: str, names: set[str]) -> None:
    bound = names_bound([line])
    assert names <= bound
    assert bool(bound) is bool(names)
