"""The text of a function, lambda or class, wherever it was written: cell, script or module."""

import ast
import builtins
import inspect
import linecache
import symtable
import sys
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from nnbr_core.errors import InputError

OURS = {"masker", "swap", "model"}  # decorators that only announce what follows
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Place(NamedTuple):
    """Where something is defined: the whole text around it, and its node there."""

    text: str
    node: Any
    filename: str = ""


@lru_cache(256)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def _text_of(filename: str) -> str:
    """A file, or a cell: Jupyter keeps the text of cells where Python looks for lines."""
    linecache.checkcache(filename)
    return "".join(linecache.getlines(filename))


def _nodes(text: str, kind: Any) -> Iterator[Any]:
    try:
        tree = _tree(text)
    except SyntaxError:
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, kind))


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _no_source(name: str) -> InputError:
    return InputError(
        f"the source of {name} cannot be read: write it into a cell, a script or a module"
    )


def _is_inside(code: CodeType, node: ast.Lambda) -> bool:
    """Was this code compiled from the body of this lambda?"""
    start = (node.body.lineno, node.body.col_offset)
    end = (node.body.end_lineno, node.body.end_col_offset)
    known = [p for p in code.co_positions() if None not in p]
    spans = [((p[0], p[2]), (p[1], p[3])) for p in known]
    spans = [(first, last) for first, last in spans if first < last]  # entering has no text
    return bool(spans) and all(start <= first and last <= end for first, last in spans)


def function_place(function: FunctionType) -> Place:
    """The definition of a function or lambda."""
    code, name = function.__code__, function.__name__
    text = _text_of(code.co_filename)
    if name == "<lambda>":
        lambdas = [node for node in _nodes(text, ast.Lambda) if _is_inside(code, node)]
        if lambdas:  # of nested ones the innermost
            node = max(lambdas, key=lambda one: (one.lineno, one.col_offset))
            return Place(text, node, code.co_filename)
    for node in _nodes(text, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name == name and _first_line(node) == code.co_firstlineno:
            return Place(text, node, code.co_filename)
    raise _no_source(name)


def _codes(cls: type) -> Iterator[CodeType]:
    """The code of the functions that a class has."""
    for value in vars(cls).values():
        if isinstance(value, property):
            value = value.fget
        value = inspect.unwrap(value.__func__ if isinstance(value, STATIC) else value)
        if isinstance(value, FunctionType):
            yield value.__code__


STATIC = (staticmethod, classmethod)


def _cells() -> list[str]:
    """All cells that were run, the latest first."""
    return list(vars(sys.modules["__main__"]).get("In", []))[::-1]


def class_place(cls: type) -> Place:
    """The definition of a class: around one of its methods, or the latest cell that has it."""
    for code in _codes(cls):
        text = _text_of(code.co_filename)
        for node in _nodes(text, ast.ClassDef):
            if node.name == cls.__name__ and node.lineno <= code.co_firstlineno <= node.end_lineno:
                return Place(text, node, code.co_filename)
    filename = vars(sys.modules[cls.__module__]).get("__file__", "")
    for text in [_text_of(filename)] if filename else _cells():
        found = [node for node in _nodes(text, ast.ClassDef) if node.name == cls.__name__]
        if found:
            return Place(text, found[-1], filename)
    raise _no_source(cls.__name__)


def _is_ours(decorator: ast.expr, namespace: dict) -> bool:
    """Is this one of the decorators of this package?"""
    if not isinstance(decorator, ast.Name | ast.Attribute):
        return False
    name = decorator.id if isinstance(decorator, ast.Name) else decorator.attr
    if name not in OURS:
        return False
    try:
        found = eval(compile(ast.Expression(decorator), "<decorator>", "eval"), dict(namespace))
    except Exception:  # imported in another scope
        return True
    return found.__module__.startswith("nnbr_core")


def foreign_decorators(place: Place, namespace: dict) -> list[ast.expr]:
    """The decorators that do something."""
    return [one for one in place.node.decorator_list if not _is_ours(one, namespace)]


def definition(place: Place, namespace: dict) -> str:
    """The text of a def or class without our decorators, at the left margin."""
    lines, node = place.text.splitlines(), place.node
    kept = [lines[one.lineno - 1 : one.end_lineno] for one in foreign_decorators(place, namespace)]
    body = lines[node.lineno - 1 : node.end_lineno]
    return textwrap.dedent("\n".join([*(line for one in kept for line in one), *body]))


def expression(place: Place) -> str:
    """The text of a lambda."""
    return f"({ast.get_source_segment(place.text, place.node)})"


def _read(table: symtable.SymbolTable, is_top: bool) -> Iterator[str]:
    for symbol in table.get_symbols():
        is_read = symbol.is_referenced() or symbol.is_declared_global()
        is_outside = not (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())
        if is_read and (is_outside if is_top else symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _read(child, False)


def names_read(text: str) -> list[str]:
    """Global names that a definition reads, built-in ones left out.

    >>> names_read("def f(x, n=N):\\n    y = g(x)\\n    return len(y) + n")
    ['N', 'g']
    """
    table = symtable.symtable(text, "<own>", "exec")
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}
    return sorted(set(_read(table, True)) - own - set(dir(builtins)))
