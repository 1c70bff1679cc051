"""What comes with Python or a package, and is found again on any machine by its name."""

import inspect
import linecache
import sys
import sysconfig
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

HERE = str(Path(__file__).parent.parent)
INSTALLED = (HERE, *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")})
NOTHING = object()


def is_installed(module: str | None) -> bool:
    """Does this module come with Python, with a package, or with this one?"""
    name, root = module or "", (module or "").split(".")[0]
    if root in {"nnbr_core", *sys.builtin_module_names, *sys.stdlib_module_names}:
        return True
    if name not in sys.modules or name == "__main__":
        return False
    filename = vars(sys.modules[name]).get("__file__")
    if filename is None:  # part of a compiled package, or made by somebody
        return name != root and is_installed(root)
    return filename.startswith(INSTALLED)


def import_line(name: str, value: Any) -> str | None:
    """How to import a thing of an installed package under this name, if it can be."""
    has_name = isinstance(value, type | FunctionType | BuiltinFunctionType)
    home = (value.__module__ or "") if has_name else ""
    modules = [home, home.split(".")[0], *sorted(sys.modules, key=lambda m: (len(m), m))]
    for module in modules:
        found = sys.modules.get(module)
        if not isinstance(found, ModuleType) or not is_installed(module):
            continue
        for known in (value.__name__ if has_name else name, name):
            if vars(found).get(known, NOTHING) is value:
                alias = "" if known == name else f" as {name}"
                return f"from {module} import {known}{alias}"
    return None


def is_own(value: Any) -> bool:
    """A function or class that was written outside of installed packages?

    Where its text is tells; a function that a package made without one belongs to its module.
    """
    plain = inspect.unwrap(value) if callable(value) else value
    if isinstance(plain, FunctionType):
        filename = plain.__code__.co_filename
        if linecache.getlines(filename):
            return not filename.startswith(INSTALLED)
        return not is_installed(plain.__module__)
    if isinstance(plain, type):
        functions = [one for one in vars(plain).values() if isinstance(one, FunctionType)]
        return not is_installed(plain.__module__) or any(map(is_own, functions))
    return False
