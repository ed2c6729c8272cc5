"""Values: frozen, compared by their fields, cheap."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from suture import AddFile, DeleteFile, Hunk
from suture.core.value import Value

if TYPE_CHECKING:
    from typing import ClassVar


class Point(Value):
    """A value for the tests."""

    x: int
    y: int = 0
    note: str = ""

    _not_compared: ClassVar[tuple[str, ...]] = ("note",)


class OtherPoint(Value):
    """The same fields, another meaning."""

    x: int
    y: int = 0


def test_fields_are_given_by_position_or_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1, y=2).y) == (1, 0, 2)


def test_a_field_without_default_must_be_given() -> None:
    with pytest.raises(TypeError, match="x"):
        Point()  # type: ignore[call-arg]


def test_a_field_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_values_with_equal_fields_are_equal_and_hash_alike() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 2) != Point(1, 3)
    assert len({Point(1, 2), Point(1, 2), Point(2, 1)}) == 2


def test_what_tells_where_a_thing_was_written_is_not_compared() -> None:
    assert Point(1, note="here") == Point(1, note="there")
    assert hash(Point(1, note="here")) == hash(Point(1, note="there"))


def test_values_of_two_kinds_are_never_equal() -> None:
    assert Point(1) != OtherPoint(1)
    assert AddFile("a") != DeleteFile("a")
    assert Point(1) != (1, 0)


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match=r"Point is frozen: make another with replace\(x=…\)"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 3
    assert point == Point(1)


def test_replace_makes_another_value() -> None:
    point = Point(1, 2, "here")
    assert repr(point.replace(y=3)) == "Point(x=1, y=3, note='here')"
    assert point == Point(1, 2)


def test_replace_refuses_a_field_that_does_not_exist() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(1).replace(z=3)


def test_the_repr_has_every_field_and_can_be_evaluated() -> None:
    hunk = Hunk((" a", "-b"), ("f",), at_end=True, line_hint=3, line=7)
    assert eval(repr(hunk)) == hunk  # noqa: S307
    assert repr(eval(repr(hunk))) == repr(hunk)  # noqa: S307


def test_a_value_has_no_dictionary() -> None:
    assert not hasattr(Point(1), "__dict__")


def test_pickle_keeps_what_is_not_compared() -> None:
    clone = pickle.loads(pickle.dumps(Point(1, 2, "here")))  # noqa: S301
    assert repr(clone) == "Point(x=1, y=2, note='here')"
