"""What the research questions look at: the paper's numbers, and runs as frames ready to draw."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnbr_core.experiments import methods, paper
from nnbr_core.experiments.config import Config
from nnbr_core.experiments.methods import Method
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import CHOICE, Row, Study, fold_interval, fold_mean, n_leading

QUICK_CURVE = {"epochs": 6, "patience": 6}  # instead of methods.CURVE
SETTINGS = ["masking", "mask_ratio", "swap_ratio", "swap_hop"]
BY_SWAP = ["masking", "swap_ratio", "swap_hop"]  # a cell of a heatmap; 0 and 1 is no swapping
BY_RATIO = ["masking", "mask_ratio"]
CURVES = (*methods.ITEM_LEVEL, *methods.BASKET_LEVEL, "joint")


def printed(method: Method, dataset: str, metric: str) -> float:
    """What the paper prints for a method, in one of its two tables; NaN if nothing."""
    found = paper.strategy(dataset, method.paper, metric)
    if np.isnan(found):
        found = paper.baseline(dataset, method.paper, method.labels or "all", metric)
    return found


def printed_difference(a: Method, b: Method, dataset: str, metric: str) -> float:
    return printed(a, dataset, metric) - printed(b, dataset, metric)


def expected_sign(a: Method, b: Method, dataset: str, metric: str) -> int | None:
    """1, 0 or -1: does the paper find `a` above `b`? None if it does not say.

    For a dataset that the paper does not use: what it finds on all of its own, if they agree.
    """
    where = [dataset] if dataset in paper.DATASETS else paper.DATASETS
    signs = np.unique([np.sign(printed_difference(a, b, name, metric)) for name in where])
    return int(signs[0]) if len(signs) == 1 and not np.isnan(signs[0]) else None


def best_by_validation(rows: dict[str, Row]) -> Row | None:
    """The row with the best validation score over the folds that all recorded rows have."""
    there = [row for row in rows.values() if row.folds]
    if not there:
        return None
    folds = min(row.folds for row in there)
    return max(
        there, key=lambda row: np.mean([one.validation[CHOICE] for one in row.records[:folds]])
    )


def _frame(configs: Sequence[Config], records: Sequence[Record | None]) -> pd.DataFrame:
    """One row per BTBR run: its settings, fold and config, and its record or None."""
    rows = [
        {name: getattr(config.settings, name) for name in SETTINGS}
        | {"fold": config.fold, "config": config, "record": record}
        for config, record in zip(configs, records, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=[*SETTINGS, "fold", "config", "record"])
    return frame.astype({"record": object})


def missing(frame: pd.DataFrame) -> list[Config]:
    """The runs of a frame that are not recorded."""
    return frame.loc[frame["record"].isna(), "config"].tolist()


def refreshed(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """The same runs, with what has been recorded since."""
    configs = frame["config"].tolist()
    return _frame(configs, study.find(configs))


def runs_frame(study: Study, settings: Sequence[dict], computed: bool = True) -> pd.DataFrame:
    """BTBR runs with these settings in every fold of a study.

    What is missing is computed if the study says so, unless `computed` is off.
    """
    configs = [study.config("btbr", f, **one) for one in settings for f in range(study.folds)]
    return _frame(configs, study.collect(configs) if computed else study.find(configs))


def ratio_runs(study: Study) -> pd.DataFrame:
    """RQ4: item-level maskings over mask ratio, without swapping."""
    is_quick = study.profile == "quick"
    ratios = methods.FEW["mask_ratio"] if is_quick else methods.MASK_RATIOS
    return runs_frame(study, methods.each(masking=methods.ITEM_LEVEL, mask_ratio=ratios))


def _leading(group: pd.DataFrame) -> list[Record]:
    """The records of the first folds, up to one that is missing."""
    records = group.sort_values("fold")["record"].tolist()
    return records[: n_leading(records)]


def scored(
    frame: pd.DataFrame,
    by: Sequence[str],
    metric: str,
    fold: int | None = None,
    intervals: bool = False,
) -> pd.DataFrame:
    """One row per setting: mean over test users of one fold, or of all folds, and run ids.

    All folds means: those that every recorded setting has, so that all numbers are about the
    same users. A setting without a run is NaN.
    """
    if fold is not None:
        frame = frame[frame["fold"] == fold]
    groups = {key: _leading(group) for key, group in frame.groupby(list(by))}
    folds = min((len(records) for records in groups.values() if records), default=0)
    over = f"fold {frame['fold'].min()}" if folds == 1 else f"mean of {folds} folds"
    rows = []
    for key, recorded in groups.items():
        row = dict(zip(by, key, strict=True)) | {"folds": folds, "over": over, "ids": ()}
        if records := recorded[:folds]:
            validation = float(np.mean([one.validation[CHOICE] for one in records]))
            row |= {"value": fold_mean(records, metric), "validation": validation}
            row["ids"] = tuple(one.id for one in records)
            if intervals:
                row["low"], row["high"] = fold_interval(records, metric)
        rows.append(row)
    columns = [*by, "value", "low", "high", "validation", "folds", "over", "ids"]
    return pd.DataFrame(rows, columns=columns)


def best_ratio(frame: pd.DataFrame, masking: str) -> float:
    """The mask ratio that validation users prefer, among runs without swapping.

    Where nothing is recorded: the smallest.
    """
    own = frame[(frame["masking"] == masking) & (frame["swap_ratio"] == 0)]
    table = scored(own, BY_RATIO, CHOICE)
    if table["validation"].isna().all():
        return float(own["mask_ratio"].min())
    return float(table.loc[table["validation"].idxmax(), "mask_ratio"])


def best_ratios(study: Study, masking: str) -> list[float]:
    """Of every fold: among a few mask ratios, and others where they are recorded."""
    few = runs_frame(study, methods.each(masking=masking, mask_ratio=methods.FEW["mask_ratio"]))
    every = methods.each(masking=masking, mask_ratio=methods.MASK_RATIOS)
    more = runs_frame(study, every, computed=False)
    both = pd.concat([few, more[~more["mask_ratio"].isin(few["mask_ratio"])]])
    return [best_ratio(both[both["fold"] == fold], masking) for fold in range(study.folds)]


def _cells(profile: str) -> tuple[list[dict], list[dict]]:
    """Swaps that are always run, no swap first; and those shown where they are recorded."""
    few = methods.each(swap_ratio=methods.FEW["swap_ratio"], swap_hop=methods.FEW["swap_hop"])
    every = methods.each(swap_ratio=methods.SWAP_RATIOS, swap_hop=methods.SWAP_HOPS)
    more = [] if profile == "quick" else [one for one in every if one not in few]
    return [{"swap_ratio": 0.0}, *few], more


def swap_runs(study: Study, masking: str) -> pd.DataFrame:
    """RQ3: runs over swap ratio x hop, and those without swapping (ratio 0).

    Each fold at the mask ratio its validation users prefer; the quick profile swaps at one. A
    few cells are computed if they are missing; the others wait for the button of the heatmap.
    """
    is_quick = study.profile == "quick"
    one = methods.FEW["mask_ratio"][-1]
    ratios = [one] * study.folds if is_quick else best_ratios(study, masking)
    few, more = _cells(study.profile)
    few, more = (
        [
            study.config("btbr", fold, masking=masking, mask_ratio=ratio, **one)
            for one in cells
            for fold, ratio in enumerate(ratios)
        ]
        for cells in (few, more)
    )
    return _frame([*few, *more], [*study.collect(few), *study.find(more)])


def curve(record: Record) -> pd.DataFrame:
    """A record's epochs: counted and timed from the start of training, over all stages."""
    epochs = pd.DataFrame(record.curve)
    return epochs.assign(epoch=range(1, len(epochs) + 1), seconds=epochs["seconds"].cumsum())


def curve_runs(study: Study) -> pd.DataFrame:
    """RQ4: trainings of fold 0 that run to the end, one per strategy, at its best mask ratio."""
    long = QUICK_CURVE if study.profile == "quick" else methods.CURVE
    configs = []
    for name in CURVES:
        ratio = {} if name in methods.BASKET_LEVEL else {"mask_ratio": best_ratios(study, name)[0]}
        configs.append(study.config("btbr", 0, masking=name, **ratio, **long))
    return _frame(configs, study.collect(configs))


def learning_curves(frame: pd.DataFrame) -> pd.DataFrame:
    """The epochs of all recorded runs of a frame, one after the other, with masking and run id."""
    found = [
        curve(row.record).assign(masking=row.masking, mask_ratio=row.mask_ratio, id=row.record.id)
        for row in frame.itertuples()
        if row.record is not None
    ]
    nothing = pd.DataFrame(columns=["stage", "epoch", "seconds", CHOICE, "masking", "id"])
    return pd.concat(found, ignore_index=True) if found else nothing
