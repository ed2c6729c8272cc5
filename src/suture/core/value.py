"""Frozen values with slots, cheap to import and cheap to create.

Every value of Suture is a subclass of `Value`: its annotated names become slots, an initializer, equality, a hash, a
repr, pattern matching, and conversion to plain data, as in a frozen dataclass. It is not a dataclass because `import
dataclasses` alone costs more than the start-up time that we promise (docs/decisions/0002-values.md has the figures);
type checkers see a dataclass all the same.

Two class variables change what a field means. `_not_compared` names fields that say where or how a thing was written:
equality and hash ignore them. `_public` names what a value shows, compares and stores where that is not its fields:
properties that are computed from other fields when somebody asks for them. A class may list more `__slots__`, for what
is computed once: no copy of a value has them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from inspect import Signature
    from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: object):
        return lambda cls: cls


@dataclass_transform(frozen_default=True, eq_default=True)
class ValueType(type):
    """Turns the annotations of a class body into slots and writes the initializer."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> ValueType:
        annotations = namespace.get("__annotations__", {})
        names = [field for field, kind in annotations.items() if not str(kind).startswith("ClassVar")]
        defaults = {field: namespace.pop(field) for field in names if field in namespace}
        namespace["__slots__"] = (*names, *namespace.get("__slots__", ()))
        cls = super().__new__(mcs, name, bases, namespace)
        if names:
            public = namespace.get("_public", tuple(names))
            cls._fields = tuple(names)  # type: ignore[attr-defined]
            cls._public = cls.__match_args__ = public  # type: ignore[attr-defined,misc]
            compared = [field for field in public if field not in cls._not_compared]  # type: ignore[attr-defined]
            cls._compared = tuple(compared)  # type: ignore[attr-defined]
            if "__init__" not in namespace:
                cls._defaults = defaults  # type: ignore[attr-defined]
                cls.__init__ = _deferred_initializer(cls)  # type: ignore[misc]
                cls.make = staticmethod(_deferred_maker(cls))  # type: ignore[attr-defined]
        return cls

    @property
    def __signature__(cls) -> Signature:
        """For `inspect` and `help`."""
        from inspect import signature

        own = signature(_initializer(cls) if "_defaults" in cls.__dict__ else cls.__init__)  # type: ignore[misc]
        return own.replace(parameters=list(own.parameters.values())[1:])


def _deferred_initializer(cls: ValueType) -> Any:
    """Writes the initializer when it is called first: most programs make values of few of the classes they load."""

    def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807
        cls.__init__ = _initializer(cls)  # type: ignore[misc]
        cls.__init__(self, *values, **named)  # type: ignore[misc]

    return __init__


def _deferred_maker(cls: Any) -> Any:
    def make(*values: object) -> object:
        cls.make = staticmethod(_maker(cls))
        return cls.make(*values)

    return make


def _initializer(cls: Any) -> Any:
    # A slot's own descriptor sets a field although __setattr__ refuses, and does it faster than object.__setattr__.
    scope = {f"set_{n}": cls.__dict__[n].__set__ for n in cls._fields}
    body = "".join([f"    set_{n}(self, {n})\n" for n in cls._fields])
    initializer = _function(cls, "__init__", ["self"], body, scope)
    initializer.__annotations__ = {n: cls.__annotations__[n] for n in cls._fields}
    return initializer


def _maker(cls: Any) -> Any:
    # The fields are set while the value is of a class that is not frozen yet.
    open_fields = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    namespace = {"__slots__": cls._fields, **open_fields}
    scope = {"unfrozen": type.__new__(ValueType, cls.__name__, cls.__bases__, namespace), "cls": cls}
    fields = "".join([f"    value.{n} = {n}\n" for n in cls._fields])
    body = f"    value = unfrozen()\n{fields}    value.__class__ = cls\n    return value\n"
    return _function(cls, "make", [], body, scope)


def _function(cls: Any, name: str, parameters: list[str], body: str, scope: dict[str, Any]) -> Any:
    """A function of the fields of a class, with their defaults."""
    defaults = cls._defaults
    scope |= {f"default_{n}": value for n, value in defaults.items()}
    scope["__name__"] = cls.__module__
    listed = ", ".join((*parameters, *(f"{n}=default_{n}" if n in defaults else n for n in cls._fields)))
    exec(f"def {name}({listed}):\n{body}", scope)
    return scope[name]


class Value(metaclass=ValueType):
    """The base of all values: frozen, compared by its fields."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _public: ClassVar[tuple[str, ...]] = ()
    _compared: ClassVar[tuple[str, ...]] = ()
    _not_compared: ClassVar[tuple[str, ...]] = ()
    #: Fields that JSON leaves out.
    _not_in_json: ClassVar[tuple[str, ...]] = ()
    if TYPE_CHECKING:

        @classmethod
        def make(cls, *values: Any) -> Self:
            """Make a value as a call of the class does, but faster: for what is made for every edit."""

    def __setattr__(self, name: str, value: object) -> None:
        message = f"{type(self).__name__} is frozen: make another with replace({name}=…)"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._compared)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self._compared)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._public)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self._fields)

    def replace(self, **changes: Any) -> Self:
        """The same value with other values for the named fields."""
        fields = {name: getattr(self, name) for name in self._fields}
        return type(self)(**(fields | changes))

    def json_fields(self) -> dict[str, Any]:
        """What JSON has of the value: what it shows, but for what is left out."""
        return {name: getattr(self, name) for name in self._public if name not in self._not_in_json}

    @classmethod
    def json_types(cls) -> dict[str, str]:
        """The names that are read from JSON, with their types.

        What is derived from other fields can be given as well: it is read as the property has it.
        """
        types: dict[str, str] = {}
        for name in cls._public:
            derived = cls.__dict__[name]
            if name not in cls._not_in_json:
                is_derived = isinstance(derived, property)
                types[name] = derived.fget.__annotations__["return"] if is_derived else cls.__annotations__[name]
        return types

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """The value of what was read from JSON."""
        return cls(**fields)

    #: For `copy.replace`, from Python 3.13 on.
    __replace__ = replace

    def asdict(self) -> dict[str, Any]:
        """The value as plain data: a dictionary of its fields, with the values inside of them converted too."""
        return {name: _plain(getattr(self, name)) for name in self._public}


def copied(thing: T) -> T:
    """A shallow copy of an object that is no value, to be changed by its own class."""
    from copy import copy

    return copy(thing)


def _plain(item: Any) -> Any:
    if isinstance(item, Value):
        return item.asdict()
    if isinstance(item, tuple | list):
        return type(item)([_plain(each) for each in item])
    if isinstance(item, dict):
        return {key: _plain(each) for key, each in item.items()}
    return item
