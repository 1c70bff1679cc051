"""Settings declared once: default, a line of help, limits. Checks, --help and menus follow.

    @dataclass(frozen=True)
    class MySettings(Settings):
        dim: int = setting(64, "numbers per item", SIZE)
        labels: str = setting("all", "what is learned", choices=["all", "explore"])

MySettings(dim=0) is refused with one sentence, `help_line` says what `--dim` means, and
`choices_of(MySettings, "labels")` fills a menu.
"""

import types
from collections.abc import Callable, Iterable
from dataclasses import Field, dataclass, field, fields
from typing import Any, get_args

from nnbr_core.errors import InputError, choose

Choices = Iterable[str] | Callable[[], Iterable[str]]  # a function: what it gives at that time


@dataclass(frozen=True)
class Limits:
    """The numbers that a setting may have. None is no limit; nan never passes one."""

    low: float | None = None  # the lowest
    high: float | None = None  # the highest
    above: float | None = None  # more than this
    below: float | None = None  # less than this

    def allow(self, value: float) -> bool:
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"{self.low:,} to {self.high:,}"
        words = {"at least": self.low, "above": self.above}
        words |= {"at most": self.high, "below": self.below}
        return ", ".join(f"{word} {x:,}" for word, x in words.items() if x is not None)


ANY = Limits()
SIZE = Limits(low=1, high=4096)  # of a layer
COUNT = Limits(low=1, high=1_000_000)  # of users, items, epochs
SHARE = Limits(low=0, high=1)
DROPOUT = Limits(low=0, below=1)
RATE = Limits(above=0, high=10)  # of learning
SEED = Limits(low=0, high=2**64 - 1)  # what a torch.Generator takes
LABELS = ("all", "explore")  # learn all of a last basket, or its novel items only


def setting(
    default: Any,
    help: str,
    limits: Limits = ANY,
    choices: Choices | None = None,
    joined_by: str | None = None,
) -> Any:
    """A dataclass field that says what it means and what it may be.

    With `joined_by` a value is one choice, or several with this text in between.
    """
    about = {"help": help, "limits": limits, "choices": choices, "joined_by": joined_by}
    return field(default=default, metadata=about)


def _choices(f: Field) -> list[str]:
    given = f.metadata.get("choices") or ()
    return list(given() if callable(given) else given)


def choices_of(settings: type, name: str) -> list[str]:
    """What a setting can be, for a menu; nothing if it is a number or free text."""
    return _choices(settings.__dataclass_fields__[name])


def kinds(annotation: Any) -> tuple[type, ...]:
    """The types an annotation allows: `int | None` gives int and NoneType."""
    return get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)


def checked(name: str, value: Any, annotation: Any, limits: Limits = ANY) -> Any:
    """The value, if it has the annotated type and is allowed; whole numbers pass as floats."""
    allowed = kinds(annotation)
    if float in allowed and type(value) is int:
        value = float(value)
    if type(value) not in allowed:
        wanted = " or ".join("nothing" if k is types.NoneType else k.__name__ for k in allowed)
        raise InputError(f"{name} = {value!r}: {wanted} is needed")
    if type(value) in (int, float) and not limits.allow(value):
        raise InputError(f"{name} = {value!r}: {limits} is needed")
    return value


def parsed(name: str, text: str, annotation: Any) -> Any:
    """A value typed on a command line, as the annotated type."""
    for kind in kinds(annotation):
        try:
            if kind is bool:
                return {"true": True, "false": False}[text.lower()]
            if kind is not types.NoneType:
                return kind(text)
        except (ValueError, KeyError):
            continue
    raise InputError(f"{name} = {text!r}: {annotation} is needed")


def help_line(f: Field) -> str:
    """Meaning, limits or choices, and default of a field, for --help."""
    choices, limits = _choices(f), str(f.metadata.get("limits", ANY))
    allowed = f"one of {', '.join(choices)}" if choices else limits
    if joined_by := f.metadata.get("joined_by"):
        allowed += f", or several joined by {joined_by!r}"
    if bool in kinds(f.type):
        allowed = "true or false"
    return "; ".join(filter(None, [f.metadata.get("help"), allowed, f"default: {f.default}"]))


class Settings:
    """What all settings dataclasses inherit: each field is checked when one is made."""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = checked(f.name, getattr(self, f.name), f.type, f.metadata.get("limits", ANY))
            if value is None or not (choices := _choices(f)):
                continue
            joined_by = f.metadata["joined_by"]
            for one in value.split(joined_by) if joined_by else [value]:
                choose(f.name, one, choices)


def check_heads(dim: int, heads: int) -> None:
    """Attention cuts a state into equal parts, one per head."""
    if dim % heads:
        raise InputError(f"dim = {dim}: it cannot be divided by heads = {heads}")
