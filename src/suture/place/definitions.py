"""The definitions of a file by name: functions, methods, classes and the like, with the lines that they have.

Python is parsed by the standard library, other languages by tree-sitter where `suture[parsers]` is installed. A name is
qualified by the definitions around it: `Loader.read`.
"""

from __future__ import annotations

import ast

from ..core.python_source import UNPARSABLE, parse_python
from ..core.value import Value
from .limits import LONGEST_BEHIND, LONGEST_PARSED, MOST_FILE_DEFINITIONS, MOST_NAME_CHARACTERS
from .syntax import tree_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
#: Annotations of a definition.
_ANNOTATIONS = ("annotation", "marker_annotation", "attribute_list", "decorator")
#: Values of a variable that make it the name of a function.
_FUNCTIONS = ("arrow_function", "function_expression", "function")
#: Words of a definition that may be beside another one of the same name: a getter, a static method, an extension.
_VARIANTS = ("get", "set", "static", "extension")


class Definition(Value):
    """One definition: its qualified name, its first line with decorators, the line of its own, and its last line.

    Lines are counted from 0; `last` is included. `outer` is the qualified name of the definition around it.
    """

    name: str
    first: int
    own: int
    last: int
    outer: str = ""
    #: Whether other code is on its first line, or very much of it on its last one, in languages that allow it.
    shares_lines: bool = False
    #: What is behind it on its last line, unless that is very much.
    behind: str = ""
    #: What tells it from others of the same name, such as `set` or the trait of an `impl`.
    variant: str = ""
    #: How it is exported, if it is: `export` or `export default`.
    export: str = ""

    @property
    def own_name(self) -> str:
        """The name as the definition itself says it, with the receiver of a method of Go."""
        return self.name.removeprefix(f"{self.outer}.") if self.outer else self.name

    @property
    def short_name(self) -> str:
        """The name without those of the definitions around it."""
        return self.name.rpartition(".")[2]


def definitions_in(path: str, text: str) -> list[Definition] | None:
    """The definitions of a text in the language of a path, in order; None if no parser can tell, or they are too many.

    Raises:
        SyntaxError: it does not parse.
    """
    if len(text) > LONGEST_PARSED:
        return None
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    if ending in ("py", "pyi"):
        try:
            tree = parse_python(text)
        except UNPARSABLE as error:
            raise SyntaxError(str(error)) from error
        assert isinstance(tree, ast.Module), "BUG: it was parsed as one"
        return _unless_too_many(_of_python(tree.body, ""))
    raw = text.encode("utf-8", "replace")
    root = tree_root(ending, raw)
    return None if root is None else _unless_too_many(_of_tree(root, raw.split(b"\n")))


def _unless_too_many(every: Iterator[Definition]) -> list[Definition] | None:
    """All definitions; None if they are too many, or their names too long: one that is left out could be meant, too."""
    definitions: list[Definition] = []
    size = 0
    for definition in every:
        size += len(definition.name)
        if len(definitions) == MOST_FILE_DEFINITIONS or size > MOST_NAME_CHARACTERS:
            return None
        definitions.append(definition)
    return definitions


def _of_python(body: list[ast.stmt], outer: str) -> Iterator[Definition]:
    """The definitions among the statements of a block, and those inside of them."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}" if outer else node.name
            first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
            last = (node.end_lineno or node.lineno) - 1
            variant = _python_variant(node.decorator_list)
            yield Definition(name, first - 1, node.lineno - 1, last, outer, variant=variant)
            yield from _of_python(node.body, name)
        else:
            # Definitions may be inside of `if` and `try`.
            for field in ("body", "orelse", "finalbody"):
                yield from _of_python(getattr(node, field, []), outer)
            for block in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
                yield from _of_python(block.body, outer)


def _python_variant(decorators: list[ast.expr]) -> str:
    """Which of several functions of one name this is, if a decorator says so."""
    names = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in decorators]
    return next((name for name in names if name in ("setter", "deleter", "overload")), "")


def _of_tree(root: Any, rows: list[bytes]) -> Iterator[Definition]:  # noqa: ANN401 - a node of tree-sitter
    """The definitions in a text that tree-sitter has parsed."""
    indents = [len(row) - len(row.lstrip()) for row in rows]
    #: The nodes to look at, each with the name of the definition around it.
    pending: list[tuple[Any, str]] = [(root, "")]
    while pending:
        node, outer = pending.pop()
        name = _name_of(node)
        outer_of_children = outer
        if name:
            outer_of_children = f"{outer}.{name}" if outer else name
            yield _definition_of(node, outer_of_children, outer, rows, indents)
        pending += [(child, outer_of_children) for child in reversed(node.named_children)]


def _definition_of(
    node: Any,  # noqa: ANN401 - a node of tree-sitter
    name: str,
    outer: str,
    rows: Sequence[bytes],
    indents: Sequence[int],
) -> Definition:
    """The definition that a node is, with its qualified name."""
    whole = node
    while whole.parent is not None and whole.parent.type in _AROUND:
        whole = whole.parent
    row, column = whole.start_point
    end_row, end_column = _end_of(whole)
    behind = ""
    has_much_behind = False
    if end_column > 0:
        last = end_row
        # A line may be the whole file: not every definition of it gets a copy.
        rest = rows[last][end_column : end_column + LONGEST_BEHIND + 1]
        has_much_behind = len(rest) > LONGEST_BEHIND
        if not has_much_behind:
            behind = rest.decode("utf-8", "replace").rstrip()
    else:
        # It ends with the newline of the row above.
        last = end_row - 1
    shares_lines = has_much_behind or column > indents[row]
    variant, export = _variant(node), _export(whole)
    return Definition(name, row, _own_row(node), last, outer, shares_lines, behind, variant, export)


def _end_of(node: Any) -> tuple[int, int]:  # noqa: ANN401 - a node of tree-sitter
    """The row and the column behind a node; a comment behind it, which some grammars count to it, is left out."""
    parts = [node]
    while parts:
        node = parts[-1]
        parts = [child for child in node.children if not child.is_extra]
    row, column = node.end_point
    return int(row), int(column)


def _variant(node: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    """What tells a definition from others of the same name."""
    if node.type == "impl_item":
        return f"impl {_text(node.child_by_field_name('trait'))}".strip()
    return " ".join([child.type for child in node.children if child.type in _VARIANTS])


def _export(whole: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    """How a definition is exported; empty if it is not."""
    if whole.type != "export_statement":
        return ""
    return " ".join([child.type for child in whole.children if child.type in ("export", "default")])


def _own_row(node: Any) -> int:  # noqa: ANN401 - a node of tree-sitter
    """The first line of a definition below its annotations, which are inside of it in Java and C#."""
    for child in node.children:
        for part in child.children if child.type == "modifiers" else [child]:
            if part.type not in _ANNOTATIONS:
                return int(part.start_point[0])
    return int(node.start_point[0])


def _name_of(node: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    """The name that a node defines; empty if it defines none."""
    if node.type in ("lexical_declaration", "variable_declaration") and len(node.named_children) == 1:
        (declared,) = node.named_children
        value = declared.child_by_field_name("value")
        is_function = value is not None and value.type in _FUNCTIONS
        return _text(declared.child_by_field_name("name")) if is_function else ""
    if node.type not in _KINDS:
        return ""
    name_node = node.child_by_field_name("type" if node.type == "impl_item" else "name")
    if name_node is None:
        # In C, the name is inside of the declarator, which may have another one inside.
        declarator = node.child_by_field_name("declarator")
        while declarator is not None:
            name_node = declarator
            declarator = declarator.child_by_field_name("declarator")
    receiver = node.child_by_field_name("receiver")
    name = _text(name_node)
    if name and receiver is not None:
        # A method of Go is outside of its type.
        words = _text(receiver).strip("()").replace("*", " ").split()
        name = f"{words[-1].partition('[')[0]}.{name}" if words else name
    name = name.replace("::", ".")
    return name if name.replace(".", "").replace("_", "").replace("~", "").isalnum() else ""


def _text(node: Any) -> str:  # noqa: ANN401 - a node of tree-sitter
    return node.text.decode("utf-8", "replace") if node is not None else ""
