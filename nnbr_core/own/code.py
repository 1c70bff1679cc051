"""Captured code: a text, and the module it becomes when it is run."""

import hashlib
import linecache
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType, ModuleType

from nnbr_core.own import source


@dataclass(frozen=True)
class Code:
    """Somebody's masker, swap or model: its name, and all the text it needs."""

    kind: str
    name: str
    source: str


def build(text: str) -> ModuleType:
    """Run a captured text in a module of its own; tracebacks show its lines."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    module, filename = ModuleType(f"nnbr_own_{digest}"), f"<own code {digest}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec", dont_inherit=True), vars(module))
    return module


@lru_cache(None)
def built(text: str) -> ModuleType:
    """The same module for the same text: its classes are equal wherever they are asked for."""
    return build(text)


def nameless(function: FunctionType) -> str:
    """A name for a lambda: the same for the same text."""
    text = source.expression(source.function_place(function))
    return f"lambda_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
