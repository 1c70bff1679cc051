"""A function or class and all it depends on, as one text that can be run anywhere.

    SHARE = 0.5                                     SHARE = 0.5

    def some(batch, rng): ...               ->      def some(batch, rng): ...

    @nnbr.masker                                    def mine(batch, ratio, rng): ...
    def mine(batch, ratio, rng): ...

A run executes this text, never the function in memory: what is hashed is what is run. Installed
packages count by name. What cannot be written down is refused.
"""

import ast
import inspect
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

from nnbr_core.errors import InputError
from nnbr_core.own import source
from nnbr_core.own.code import Code, build
from nnbr_core.own.installed import import_line, is_installed, is_own
from nnbr_core.own.values import MODULE, NoLiteralError, literal

VALUES = f"import nnbr_core.own.values as {MODULE}"


class _Bundle:
    """The text as it is put together: imports, then definitions, each after what it reads."""

    def __init__(self, top: str):
        self.top = top
        self.imports: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        self.things: dict[str, Any] = {}

    def add(self, name: str, value: Any, reader: str) -> None:
        """Make `name` mean `value`; `reader` is who reads it."""
        if name in self.things:
            if self.things[name] is not value:
                raise InputError(f"{self.top} reads two different things called {name!r}")
            return
        self.things[name] = value
        if isinstance(value, ModuleType):
            if not is_installed(value.__name__):
                raise InputError(
                    f"{reader} reads the module {value.__name__}, which does not travel with a "
                    f"run: import the functions themselves (from {value.__name__} import ...)"
                )
            alias = "" if name == value.__name__ else f" as {name}"
            self.imports[name] = f"import {value.__name__}{alias}"
        elif is_own(value):
            plain = inspect.unwrap(value)
            (self._class if isinstance(plain, type) else self._function)(name, value, plain)
        else:
            self._value(name, value, reader)

    def _value(self, name: str, value: Any, reader: str) -> None:
        try:
            self.definitions[name] = f"{name} = {literal(value)}"
        except NoLiteralError as error:
            if line := import_line(name, value):
                self.imports[name] = line
                return
            raise InputError(
                f"{reader} reads {name}, {error}, which cannot be kept with a run: "
                "use plain values, small arrays, functions, or make it inside"
            ) from None

    def _read(self, text: str, namespace: dict, reader: str) -> None:
        for name in source.names_read(text):
            if name in namespace:
                self.add(name, namespace[name], reader)
            elif name != reader:
                raise InputError(f"{reader} reads {name}, which is not defined")

    def _define(self, name: str, own_name: str, text: str, value: Any) -> None:
        if self.things.setdefault(own_name, value) is not value:
            raise InputError(f"{self.top} reads two different things called {own_name!r}")
        self.definitions[own_name] = text
        if name != own_name:
            self.definitions[name] = f"{name} = {own_name}"

    def _function(self, name: str, value: Any, plain: FunctionType) -> None:
        place = source.function_place(plain)
        namespace = plain.__globals__ | _closed_over(plain)
        if plain.__name__ == "<lambda>":
            text, own_name = f"{name} = {source.expression(place)}", name
        else:
            text, own_name = source.definition(place, namespace), plain.__name__
            if value is plain and source.foreign_decorators(place, namespace):
                raise InputError(
                    f"{own_name} is hidden by a decorator: give that functools.wraps, or drop it"
                )
        self._read(text, namespace | {own_name: value}, own_name)
        if value is plain:
            text += _defaults(own_name, plain, place.node.args)
        self._define(name, own_name, text, value)

    def _class(self, name: str, value: Any, plain: type) -> None:
        place, own_name = source.class_place(plain), plain.__name__
        namespace = dict(vars(sys.modules[plain.__module__]))
        functions = {k: f for k, f in vars(plain).items() if isinstance(f, FunctionType)}
        for function in filter(is_own, functions.values()):
            namespace |= function.__globals__ | _closed_over(function)
        for base in plain.__bases__:
            if is_own(base) and namespace.get(base.__name__, base) is not base:
                raise InputError(
                    f"{own_name} was made from an older {base.__name__}: run its cell again"
                )
            namespace.setdefault(base.__name__, base)
        text = source.definition(place, namespace)
        self._read(text, namespace | {own_name: value}, own_name)
        self._define(name, own_name, text, value)
        self._added_later(plain, place, functions)

    def _added_later(self, cls: type, place: source.Place, functions: dict) -> None:
        """Methods that other cells put into the class."""
        first, last = place.node.lineno, place.node.end_lineno
        for attribute, function in functions.items():
            code = inspect.unwrap(function).__code__
            is_inside = code.co_filename == place.filename and first <= code.co_firstlineno <= last
            is_generated = "__dataclass_fields__" in vars(cls) and attribute.startswith("__")
            if not (is_inside or is_generated or not is_own(function)):
                added = f"{cls.__name__}_{attribute}"
                self.add(added, function, cls.__name__)
                self.definitions[f"{added}."] = f"{cls.__name__}.{attribute} = {added}"

    def text(self) -> str:
        parts = "\n\n".join(self.definitions.values())
        uses_values = [VALUES] if f"{MODULE}." in parts else []
        imports = "\n".join([*uses_values, *sorted(self.imports.values())])
        return "\n\n".join(filter(None, [imports, parts])) + "\n"


def _defaults(name: str, function: FunctionType, written: ast.arguments) -> str:
    """Defaults as they were when the function was made; names may mean something else now."""
    nodes = [node for node in (*written.defaults, *written.kw_defaults) if node]
    if all(isinstance(node, ast.Constant) for node in nodes):
        return ""
    values = {"__defaults__": function.__defaults__, "__kwdefaults__": function.__kwdefaults__}
    try:
        lines = [f"{name}.{one} = {literal(value)}" for one, value in values.items() if value]
    except NoLiteralError as error:
        raise InputError(f"a default of {name} is {error}, which cannot be kept") from None
    return "".join(f"\n{line}" for line in lines)


def _closed_over(function: FunctionType) -> dict[str, Any]:
    """Names of the functions around this one, and what they mean now."""
    plain = inspect.unwrap(function)
    if not isinstance(plain, FunctionType):
        return {}
    names, cells = plain.__code__.co_freevars, plain.__closure__ or ()
    found = {}
    for name, cell in zip(names, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    found.pop("__class__", None)  # of super(), which the text brings along
    return found


def _parts(code: CodeType) -> tuple:
    """What a code is made of; its bytes depend on where a name was imported."""
    constants = [_parts(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.co_names, code.co_varnames, repr(constants)


def _check_same(name: str, thing: Any, again: Any) -> None:
    """Raise if what the text makes is not what is in memory."""
    plain, rebuilt = inspect.unwrap(thing), inspect.unwrap(again)
    if isinstance(plain, FunctionType) and not plain.__closure__:
        if _parts(plain.__code__) != _parts(rebuilt.__code__):
            raise InputError(f"{name} is not what its source says now: load or run it again")
    for attribute, value in vars(plain).items() if isinstance(plain, type) else ():
        if type(value) in (bool, int, float, str, tuple) and not attribute.startswith("__"):
            now = vars(rebuilt).get(attribute)
            if now != value and value == value:
                raise InputError(
                    f"{name}.{attribute} is {value!r}, and its source says {now!r}: run its cell "
                    "again, or write the value into the class"
                )


def capture(kind: str, name: str, thing: Any) -> Code:
    """Everything that `thing` needs, found again under `name`; refused if that cannot be."""
    bundle = _Bundle(name)
    bundle.add(name, thing, name)
    text = bundle.text()
    try:
        module = build(text)
    except Exception as error:
        raise InputError(
            f"{name} cannot be made from its source alone: {type(error).__name__}: {error}"
        ) from None
    for known, one in bundle.things.items():
        if is_own(one):
            _check_same(known, one, vars(module)[known])
    return Code(kind, name, text)
