"""Values: frozen, compared by their fields, cheap."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import sys
from typing import TYPE_CHECKING

import pytest

from suture import AddFile, Concession, DeleteFile, Hunk, UpdateFile, replace
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


def test_help_and_signatures_show_the_types_of_fields() -> None:
    assert str(inspect.signature(Point)) == "(x: 'int', y: 'int' = 0, note: 'str' = '')"
    assert Point.__annotations__["x"] == "int"
    assert "anchors: 'tuple[str, ...]' = ()" in pydoc.render_doc(Hunk)  # one line each from Python 3.13 on


def test_a_class_has_its_signature_before_its_first_value() -> None:
    """Initializers are written late; nobody notices."""

    class Late(Value):
        name: str
        count: int = 1

    assert str(inspect.signature(Late)) == "(name: 'str', count: 'int' = 1)"
    assert Late("a") == Late(name="a", count=1)
    assert str(inspect.signature(Late.__init__)) == "(self, name: 'str', count: 'int' = 1)"


def test_a_value_can_be_matched_by_its_fields() -> None:
    match Point(1, 2, "here"):
        case Point(x, y, note="here"):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("it does not match")


def test_a_value_can_be_converted_to_plain_data() -> None:
    file = UpdateFile("a.py", (Hunk(("-a", "+b"), line=2),), line=1)
    assert file.asdict() == {
        "path": "a.py",
        "hunks": (
            {
                "lines": ("-a", "+b"),
                "anchors": (),
                "at_end": False,
                "no_newline": "",
                "line_hint": None,
                "bare": (),
                "line": 2,
                "is_block": False,
                "heading": "",
                "exact": (),
                "position": None,
            },
        ),
        "move_to": None,
        "line": 1,
        "mode": "",
        "blobs": (),
        "is_copy": False,
    }


def test_what_is_computed_is_shown_compared_and_converted_and_what_is_private_is_not() -> None:
    one, other = replace("a b", "b", "c"), replace("a b", "b", "c")
    span = {"start": 2, "end": 3, "first_line": 1, "last_line": 1}
    assert one.asdict() == {
        "text": "a c",
        "replacer": "simple",
        "spans": (span,),
        "written": (span,),
        "concessions": (),
        "additions": 1,
        "deletions": 1,
    }
    assert repr(one).startswith("Replacement(text='a c', replacer='simple', spans=(Span(start=2,")
    assert one == other
    assert one != replace("a a", " a", " c")
    assert hash(one) == hash(other)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace is new in Python 3.13")
def test_copy_replace_makes_another_value() -> None:
    assert copy.replace(Concession("fence", 1), line=2) == Concession("fence", 2)  # type: ignore[attr-defined,unused-ignore]
