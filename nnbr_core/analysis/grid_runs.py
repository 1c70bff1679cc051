"""Runs over settings: mask ratios, swaps, learning curves. Frames of records, ready to draw."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnbr_core.analysis import methods
from nnbr_core.analysis.methods import FEW_RATIOS, MASK_RATIOS, Method, each
from nnbr_core.analysis.rows import CHOICE, Row, fold_interval, fold_mean, n_leading
from nnbr_core.analysis.study import Study
from nnbr_core.runs.config import Config
from nnbr_core.runs.records import Record

QUICK_CURVE = {"epochs": 6, "patience": 6}  # instead of methods.CURVE
SETTINGS = ["masking", "mask_ratio", "swap_ratio", "swap_hop"]
BY_SWAP = ["masking", "swap_ratio", "swap_hop"]  # a cell of a heatmap; 0 and 1 is no swapping
BY_RATIO = ["masking", "mask_ratio"]
CURVES = (*methods.ITEM_LEVEL, *methods.BASKET_LEVEL, "joint")


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


def ratio_method(masking: str, profile: str) -> Method:
    """An item-level objective at every mask ratio: the paper's five, or two in a preview."""
    ratios = FEW_RATIOS if profile == "quick" else MASK_RATIOS
    return Method(masking, "btbr", each(masking=masking, mask_ratio=ratios), paper=masking)


def ratio_configs(study: Study) -> list[Config]:
    every = [ratio_method(name, study.profile) for name in methods.ITEM_LEVEL]
    return [config for method in every for config in study.configs(method)]


def ratio_runs(study: Study) -> pd.DataFrame:
    """RQ4: item-level maskings over mask ratio, without swapping."""
    configs = ratio_configs(study)
    return _frame(configs, study.collect(configs))


def ratio_pairs(study: Study) -> list[tuple[Row, Row]]:
    """item_select and item_random at every mask ratio."""
    ratios = FEW_RATIOS if study.profile == "quick" else MASK_RATIOS
    return [
        tuple(
            study.row(Method(f"{name} {ratio}", "btbr", ({"masking": name, "mask_ratio": ratio},)))
            for name in ("item_select", "item_random")
        )
        for ratio in ratios
    ]


def leading(group: pd.DataFrame) -> list[Record]:
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
    groups = {key: leading(group) for key, group in frame.groupby(list(by))}
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


def preferred_ratio(study: Study, masking: str) -> float:
    """Of the first fold: among a few mask ratios, and others where they are recorded.

    Swaps and learning curves are run at this one.
    """
    first = study.over(1)
    every = first.configs(ratio_method(masking, study.profile))
    few = [config for config in every if config.settings.mask_ratio in FEW_RATIOS]
    first.collect(few)
    return best_ratio(_frame(every, first.find(every)), masking)


def swap_methods(study: Study) -> dict[str, Method]:
    """Item-level objectives with swapping, each at its preferred mask ratio."""
    found = [
        methods.swapped(name, preferred_ratio(study, name), study.profile)
        for name in methods.ITEM_LEVEL
    ]
    return {method.name: method for method in found}


def swap_pairs(study: Study) -> list[tuple[Row, Row]]:
    """Each item-level strategy with its best swap and without: same fold, same mask ratio."""
    pairs = []
    for method in swap_methods(study).values():
        one = method.grid[0]
        plain = methods.unswapped(one["masking"], one["mask_ratio"])
        pairs.append((study.row(method), study.row(plain)))
    return pairs


def swap_runs(study: Study, masking: str) -> pd.DataFrame:
    """RQ3: runs over swap ratio x hop, and the one without swapping (ratio 0).

    At the mask ratio that validation users of the first fold prefer. A few cells are computed
    if they are missing; the others are shown where they are recorded, or wait for a button.
    """
    method = swap_methods(study)[f"{masking}_swap"]
    study.row(method)  # computes what is missing of its grid
    plain = study.configs(methods.unswapped(masking, method.grid[0]["mask_ratio"]))
    cells = study.configs(method, (*method.grid, *method.more))
    return _frame([*plain, *cells], [*study.collect(plain), *study.find(cells)])


def curve(record: Record) -> pd.DataFrame:
    """A record's epochs: counted and timed from the start of training, over all stages."""
    epochs = pd.DataFrame(record.curve)
    return epochs.assign(epoch=range(1, len(epochs) + 1), seconds=epochs["seconds"].cumsum())


def curve_configs(study: Study) -> list[Config]:
    long = QUICK_CURVE if study.profile == "quick" else methods.CURVE
    configs = []
    for name in CURVES:
        is_level = name in methods.BASKET_LEVEL
        ratio = {} if is_level else {"mask_ratio": preferred_ratio(study, name)}
        configs.append(study.config("btbr", 0, masking=name, **ratio, **long))
    return configs


def curve_runs(study: Study) -> pd.DataFrame:
    """RQ4: trainings of fold 0 that run to the end, one per strategy, at its best mask ratio."""
    configs = curve_configs(study)
    return _frame(configs, study.collect(configs))


def stopped_early(study: Study, curves: pd.DataFrame) -> pd.DataFrame:
    """By masking: the epoch at which the ordinary run of fold 0 ended, and what it had then."""
    rows = {}
    for one in curves.itertuples():
        (run,) = study.find([study.config("btbr", 0, **_ordinary(one))])
        if run and one.record is not None:
            ended = {"stopped after": len(run.curve), "with": round(run.validation[CHOICE], 4)}
            rows[one.masking] = ended
    return pd.DataFrame(rows, index=["stopped after", "with"]).T


def _ordinary(run: pd.Series) -> dict:
    """The settings of a long training without what makes it long; a preview's differ little."""
    ratio = {} if run.masking in methods.BASKET_LEVEL else {"mask_ratio": run.mask_ratio}
    return {"masking": run.masking} | ratio


def learning_curves(frame: pd.DataFrame) -> pd.DataFrame:
    """The epochs of all recorded runs of a frame, one after the other, with masking and run id."""
    found = [
        curve(row.record).assign(masking=row.masking, mask_ratio=row.mask_ratio, id=row.record.id)
        for row in frame.itertuples()
        if row.record is not None
    ]
    nothing = pd.DataFrame(columns=["stage", "epoch", "seconds", CHOICE, "masking", "id"])
    return pd.concat(found, ignore_index=True) if found else nothing
