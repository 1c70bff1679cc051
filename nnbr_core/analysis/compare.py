"""Methods of any kind against each other: what each entry means, and the records behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType

from nnbr_core.analysis.comparisons import Comparison, compare_all
from nnbr_core.analysis.methods import FEW_RATIOS, Method, each
from nnbr_core.analysis.parameters import study_of
from nnbr_core.analysis.rows import Row
from nnbr_core.analysis.study import Study
from nnbr_core.btbr_settings import NAMED_PAIRS, maskings
from nnbr_core.errors import InputError, nearest
from nnbr_core.masking import BASKET_VIEWS
from nnbr_core.runs.records import Record
from nnbr_core.runs.registry import MODELS

Entry = str | type | FunctionType | dict | Method | Record | Sequence[Record]


@dataclass(frozen=True)
class Compared:
    """Rows of a table, and every method but the first compared with the first."""

    study: Study
    metrics: tuple[str, ...]
    rows: dict[str, Row] = field(repr=False)

    @property
    def comparisons(self) -> dict[str, list[Comparison]]:
        """By metric: each other method over the first, Holm-corrected together."""
        first, *others = self.rows.values()
        pairs = {"all": [(row, first) for row in others]}
        return {metric: compare_all(pairs, metric)["all"] for metric in self.metrics}


def _masked(masking: str | FunctionType) -> tuple[dict, ...]:
    """The runs of an objective: item-level ones at a few ratios, among which validation chooses."""
    is_basket_level = isinstance(masking, str) and masking in BASKET_VIEWS
    return (
        ({"masking": masking},) if is_basket_level else each(masking=masking, mask_ratio=FEW_RATIOS)
    )


def method_of(name: str, entry: Entry) -> Method:
    """What an entry of a comparison means.

    A model or masking by name, a masker or model of one's own, or a dict of settings, in which a
    list means: each of these, and validation users choose.
    """
    if isinstance(entry, Method):
        return replace(entry, name=name)
    if isinstance(entry, dict):
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
        model = settings.pop("model", "btbr")
        return Method(name, model, each(**settings))
    if isinstance(entry, type) or (isinstance(entry, str) and entry in MODELS):
        return Method(name, entry)
    if isinstance(entry, FunctionType):
        return Method(name, "btbr", _masked(entry))
    if isinstance(entry, str) and (entry in maskings() or "+" in entry):
        paper = entry if entry in NAMED_PAIRS or entry in maskings() else ""
        return Method(name, "btbr", _masked(entry), paper=paper)
    known = [*MODELS, *maskings()]
    raise InputError(f"{name}: {entry!r} is no model or masking: {nearest(str(entry), known)}")


def _records(entry: Entry) -> list[Record]:
    given = [entry] if isinstance(entry, Record) else entry
    is_list = isinstance(given, list | tuple) and all(isinstance(one, Record) for one in given)
    return sorted(given, key=lambda one: one.config["fold"]) if is_list and given else []


def _study(dataset: str | Study, folds: int, profile: str, seed: int) -> Study:
    if isinstance(dataset, Study):
        return replace(dataset, train_missing=True)
    return study_of(dataset, profile, folds, seed, train_missing=True)


def compared(
    entries: Mapping[str, Entry],
    dataset: str | Study,
    folds: int,
    metrics: Sequence[str],
    profile: str,
    seed: int,
) -> Compared:
    """Train what is missing, after a line on how long that takes, and compare."""
    if len(entries) < 2:
        raise InputError("a comparison needs at least two methods")
    recorded = {name: found for name, entry in entries.items() if (found := _records(entry))}
    methods = {n: method_of(n, entry) for n, entry in entries.items() if n not in recorded}
    study = _study(dataset, folds, profile, seed)
    trained = study.rows(methods)
    rows = {}
    for name in entries:
        found = tuple(recorded.get(name, ()))
        kept = Method(name, found[0].config["model"] if found else "")
        rows[name] = Row(kept, found, 1) if found else trained[name]
    return Compared(study, tuple(metrics), rows)
