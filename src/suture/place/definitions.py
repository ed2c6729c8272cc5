"""The definitions of a file by name: functions, methods, classes and the like, with the lines that they have.

Python is parsed by the standard library, other languages by tree-sitter where `suture[parsers]` is installed. A name is
qualified by the definitions around it: `Loader.read`.
"""

from __future__ import annotations

import ast

from ..core.python_source import parse_python
from ..core.value import Value
from .limits import LONGEST_PARSED
from .syntax import tree_parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Kinds of nodes of tree-sitter that define a name, in all languages.
_KINDS = frozenset(
    {
        *("function_definition", "function_declaration", "function_item", "method_definition", "method_declaration"),
        *("class_definition", "class_declaration", "class_specifier", "interface_declaration", "enum_declaration"),
        *("struct_item", "enum_item", "trait_item", "impl_item", "mod_item", "struct_specifier", "type_spec"),
        *("constructor_declaration", "record_declaration", "object_declaration", "namespace_definition"),
        *("internal_module", "type_alias_declaration", "method", "singleton_method", "class", "module"),
        *("local_function_statement", "struct_declaration", "property_declaration", "trait_declaration"),
        *("protocol_declaration", "abstract_class_declaration", "generator_function_declaration", "object_definition"),
    }
)
#: Nodes around a definition that belong to it.
_AROUND = ("export_statement", "decorated_definition", "type_declaration", "template_declaration")
#: Values of a variable that make it the name of a function.
_FUNCTIONS = ("arrow_function", "function_expression", "function")
#: How many definitions of a file are looked at.
_MOST = 20_000


class Definition(Value):
    """One definition: its qualified name, its first line with decorators, the line of its own, and its last line.

    Lines are counted from 0; `last` is included. `outer` is the qualified name of the definition around it.
    """

    name: str
    first: int
    own: int
    last: int
    outer: str = ""

    @property
    def short_name(self) -> str:
        """The name without those of the definitions around it."""
        return self.name.rpartition(".")[2]


def definitions_in(path: str, text: str) -> list[Definition] | None:
    """The definitions of a text in the language of a path, in order; None if no parser can tell.

    Raises:
        SyntaxError: it does not parse.
    """
    if len(text) > LONGEST_PARSED:
        return None
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    if ending in ("py", "pyi"):
        tree = parse_python(text)
        assert isinstance(tree, ast.Module), "BUG: it was parsed as one"
        return list(_of_python(tree.body, ""))[:_MOST]
    parser = tree_parser(ending)
    if parser is None:
        return None
    return list(_of_tree(parser.parse(text.encode("utf-8", "replace")).root_node))[:_MOST]


def _of_python(body: list[ast.stmt], outer: str) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}" if outer else node.name
            first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
            yield Definition(name, first - 1, node.lineno - 1, (node.end_lineno or node.lineno) - 1, outer)
            yield from _of_python(node.body, name)
        else:
            # Definitions may be inside of `if` and `try`.
            for field in ("body", "orelse", "finalbody"):
                yield from _of_python(getattr(node, field, []), outer)
            for handler in getattr(node, "handlers", []):
                yield from _of_python(handler.body, outer)


def _of_tree(root: Any) -> Iterator[Definition]:  # noqa: ANN401 - a node of tree-sitter
    pending: list[tuple[Any, str]] = [(root, "")]
    while pending:
        node, outer = pending.pop()
        name = _name_of(node)
        inner = outer
        if name:
            inner = f"{outer}.{name}" if outer else name
            whole = node
            while whole.parent is not None and whole.parent.type in _AROUND:
                whole = whole.parent
            end_row, end_column = whole.end_point
            last = end_row - (end_column == 0)
            yield Definition(inner, whole.start_point[0], node.start_point[0], last, outer)
        pending += [(child, inner) for child in reversed(node.named_children)]


def _name_of(node: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    """The name that a node defines; empty if it defines none."""
    if node.type in ("lexical_declaration", "variable_declaration") and len(node.named_children) == 1:
        (declared,) = node.named_children
        value = declared.child_by_field_name("value")
        return _text(declared.child_by_field_name("name")) if value is not None and value.type in _FUNCTIONS else ""
    if node.type not in _KINDS:
        return ""
    named = node.child_by_field_name("type" if node.type == "impl_item" else "name")
    declarator = node.child_by_field_name("declarator")
    while named is None and declarator is not None:
        # In C, the name is inside of the declarator.
        inner = declarator.child_by_field_name("declarator")
        named, declarator = (declarator, None) if inner is None else (None, inner)
    receiver = node.child_by_field_name("receiver")
    name = _text(named)
    if name and receiver is not None:
        # A method of Go is outside of its type.
        words = _text(receiver).strip("()").replace("*", " ").split()
        name = f"{words[-1].partition('[')[0]}.{name}" if words else name
    return name if name.replace("::", "").replace(".", "").replace("_", "").replace("~", "").isalnum() else ""


def _text(node: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    return node.text.decode("utf-8", "replace") if node is not None else ""
