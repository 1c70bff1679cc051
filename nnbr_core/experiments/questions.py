"""What the research questions look at: the paper's numbers, and runs as frames ready to draw."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnbr_core.experiments import methods, paper
from nnbr_core.experiments.config import Config
from nnbr_core.experiments.methods import Method
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import CHOICE, Row, Study, per_user
from nnbr_core.significance import interval

QUICK_CURVE = {"epochs": 6, "patience": 6}  # instead of methods.CURVE
SETTINGS = ["masking", "mask_ratio", "swap_ratio", "swap_hop"]
BY_SWAP = ["masking", "swap_ratio", "swap_hop"]  # a cell of a heatmap; 0 and 1 is no swapping
BY_RATIO = ["masking", "mask_ratio"]
CURVES = (*methods.ITEM_LEVEL, *methods.BASKET_LEVEL, "joint")


def printed(method: Method, dataset: str, metric: str) -> float:
    """What the paper prints for a method; NaN if nothing."""
    if method.model == "btbr":
        return paper.strategy(dataset, method.paper, metric)
    return paper.baseline(dataset, method.paper, method.labels or "all", metric)


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


def best_ratio(study: Study, masking: str, fold: int) -> float:
    """The mask ratio that this fold's validation users prefer, without swapping.

    The few ratios that are always run, and others where they are recorded. If nothing is
    recorded: the smallest.
    """
    few, every = methods.FEW["mask_ratio"], methods.MASK_RATIOS
    ratios = [*few, *(ratio for ratio in every if ratio not in few)]
    configs = [study.config("btbr", fold, masking=masking, mask_ratio=ratio) for ratio in ratios]
    study.collect(configs[: len(few)])
    found = [(r, one) for r, one in zip(ratios, study.find(configs), strict=True) if one]
    best = max(found, key=lambda pair: pair[1].validation[CHOICE], default=(few[0], None))
    return best[0]


def swap_runs(study: Study, masking: str) -> pd.DataFrame:
    """RQ3: runs over swap ratio x hop, and those without swapping (ratio 0).

    Each fold at the mask ratio its validation users prefer. Outside the quick profile a few
    cells are computed if they are missing; the others wait for the button of the heatmap.
    """
    few = methods.each(
        swap_ratio=(0.0, *methods.FEW["swap_ratio"]), swap_hop=methods.FEW["swap_hop"]
    )
    every = methods.each(swap_ratio=methods.SWAP_RATIOS, swap_hop=methods.SWAP_HOPS)
    cells = [one for one in few if one["swap_ratio"] or one["swap_hop"] == 1]
    n_few = len(cells) * study.folds
    if study.profile != "quick":
        cells += [one for one in every if one not in cells]
    ratios = [best_ratio(study, masking, fold) for fold in range(study.folds)]
    configs = [
        study.config("btbr", fold, masking=masking, mask_ratio=ratios[fold], **one)
        for one in cells
        for fold in range(study.folds)
    ]
    study.collect(configs[:n_few])
    return _frame(configs, study.find(configs))


def _leading(group: pd.DataFrame) -> list[Record]:
    """The records of the first folds, up to one that is missing."""
    records = group.sort_values("fold")["record"].tolist()
    return records[: next((i for i, one in enumerate(records) if one is None), len(records))]


def _score(records: list[Record], metric: str) -> dict:
    values = per_user(records, metric).to_numpy()
    low, high = interval(values)
    return {
        "value": float(np.nanmean(values)),
        "low": low,
        "high": high,
        "validation": float(np.mean([one.validation[CHOICE] for one in records])),
        "ids": tuple(one.id for one in records),
    }


def scored(
    frame: pd.DataFrame, by: Sequence[str], metric: str, fold: int | None = None
) -> pd.DataFrame:
    """One row per setting: mean over test users of one fold, or of all, interval, and run ids.

    All folds means: as many as any setting is recorded for. A setting with fewer is missing
    (NaN, no ids), so that all numbers are about the same users.
    """
    if fold is not None:
        frame = frame[frame["fold"] == fold]
    groups = {key: _leading(group) for key, group in frame.groupby(list(by))}
    folds = max(map(len, groups.values()), default=0)
    rows = []
    for key, records in groups.items():
        is_there = len(records) == folds > 0
        rows.append(dict(zip(by, key, strict=True)) | (_score(records, metric) if is_there else {}))
    columns = [*by, "value", "low", "high", "validation", "ids"]
    table = pd.DataFrame(rows, columns=columns).assign(folds=folds)
    return table.assign(ids=[ids if isinstance(ids, tuple) else () for ids in table["ids"]])


def curve(record: Record) -> pd.DataFrame:
    """A record's epochs: counted and timed from the start of training, over all stages."""
    epochs = pd.DataFrame(record.curve)
    return epochs.assign(epoch=range(1, len(epochs) + 1), seconds=epochs["seconds"].cumsum())


def curve_runs(study: Study) -> pd.DataFrame:
    """RQ4: trainings of fold 0 that run to the end, one per strategy, at its best mask ratio."""
    long = QUICK_CURVE if study.profile == "quick" else methods.CURVE
    configs = []
    for name in CURVES:
        ratio = {} if name in methods.BASKET_LEVEL else {"mask_ratio": best_ratio(study, name, 0)}
        configs.append(study.config("btbr", 0, masking=name, **ratio, **long))
    return _frame(configs, study.collect(configs))


def learning_curves(frame: pd.DataFrame) -> pd.DataFrame:
    """The epochs of all recorded runs of a frame, one after the other, with masking and run id."""
    found = [
        curve(row.record).assign(masking=row.masking, mask_ratio=row.mask_ratio, id=row.record.id)
        for row in frame.itertuples()
        if row.record is not None
    ]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()
