"""Values as Python text that gives them back exactly: what a run keeps of what a function reads."""

import base64
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

MAX_BYTES = 100_000  # of an array, or of the text of any other value
MODULE = "_nnbr_values"  # what this module is called in the text
PLAIN = (type(None), bool, int, str, bytes)


class NoLiteralError(ValueError):
    """A value that cannot be written down; the message says what it is."""


def array(dtype: str, shape: tuple[int, ...], text: str) -> np.ndarray:
    """The array that `literal` wrote down."""
    content = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(content, dtype=np.dtype(dtype)).reshape(shape).copy()


def tensor(dtype: str, shape: tuple[int, ...], text: str) -> torch.Tensor:
    """The tensor that `literal` wrote down."""
    return torch.from_numpy(array(dtype, shape, text))


def _packed(kind: str, value: np.ndarray) -> str:
    if value.dtype.hasobject:
        raise NoLiteralError("an array of objects")
    if value.nbytes > MAX_BYTES:
        raise NoLiteralError(f"an array of {value.nbytes:,} bytes, more than {MAX_BYTES:,}")
    text = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 9)).decode()
    return f"{MODULE}.{kind}({value.dtype.str!r}, {value.shape!r}, {text!r})"


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


def _tensor_text(value: torch.Tensor) -> str:
    if value.requires_grad or value.device.type != "cpu" or value.dtype == torch.bfloat16:
        raise NoLiteralError("a tensor with gradients, of another device or in bfloat16")
    return _packed("tensor", value.numpy())


def _sequence(before: str, after: str) -> Callable[[Any], str]:
    return lambda value: before + "".join(f"{_literal(one)}, " for one in value) + after


def _dict(value: dict) -> str:
    return "{" + "".join(f"{_literal(k)}: {_literal(v)}, " for k, v in value.items()) + "}"


def _set(value: set | frozenset) -> str:
    return f"{type(value).__name__}([{', '.join(sorted(map(_literal, value)))}])"


WRITERS: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys(PLAIN, repr),
    float: _number,
    tuple: _sequence("(", ")"),
    list: _sequence("[", "]"),
    dict: _dict,
    set: _set,
    frozenset: _set,
    np.ndarray: lambda value: _packed("array", value),
    torch.Tensor: _tensor_text,
}


def _literal(value: Any) -> str:
    if isinstance(value, np.generic):
        return f"{_packed('array', np.asarray(value))}[()]"
    if type(value) not in WRITERS:
        kind = type(value)
        raise NoLiteralError(f"a {kind.__module__}.{kind.__qualname__}".replace("builtins.", ""))
    return WRITERS[type(value)](value)


def literal(value: Any) -> str:
    """Python text that evaluates to the same value, or NoLiteralError.

    >>> literal({"k": (1, 2.5)})
    "{'k': (1, 2.5, ), }"
    """
    try:
        text = _literal(value)
    except RecursionError:
        raise NoLiteralError("a value that contains itself") from None
    if len(text) > 2 * MAX_BYTES:
        raise NoLiteralError(f"a value of {len(text):,} characters")
    return text
