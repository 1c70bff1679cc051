"""The sections of a dataset's page: rows and frames -> Markdown. Nothing is computed twice here."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from nnbr_core.btbr import SHIFT_STRENGTHS
from nnbr_core.experiments import ablations, questions
from nnbr_core.experiments.evidence import Check, has_learned, ids_of
from nnbr_core.experiments.records import Record
from nnbr_core.experiments.study import CHOICE, Row, Study
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING
from nnbr_core.show import markdown, record_plots, tables
from nnbr_core.show.claim_tables import bounds, effect
from nnbr_core.show.tables import score

NOTHING = "Nothing of this is recorded yet."


def _together(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def method_section(study: Study, rows: dict[str, Row]) -> str:
    """Every method's scores beside the paper's, and what stands behind them."""
    there = {name: row for name, row in rows.items() if row.folds}
    if not there:
        return NOTHING
    absent = [name for name in rows if name not in there]
    return _together(
        tables.standing(study, rows),
        markdown.table(tables.method_table(there, study.name)),
        tables.best_sentence(there),
        f"Not recorded yet: {'; '.join(absent)}." if absent else "",
        markdown.runs({name: ids_of(row.records) for name, row in there.items()}, study.name),
    )


def unlearned(rows: dict[str, Row]) -> str:
    """A warning about trainings that ended before they began to learn."""
    names = [name for name, row in rows.items() if not has_learned(row, rows["popularity"])]
    if not names:
        return ""
    return (
        f"Less than half of popularity's validation {CHOICE} in fold 0: {'; '.join(names)}. Such a "
        "training was stopped before it learned: its numbers say nothing about the method, and "
        "verdicts count it as missing."
    )


def differences(dataset: str, pairs: Sequence[tuple[Row, Row]], metric: str = CHOICE) -> str:
    """Pairs of rows tested for the same users; Holm-corrected over this table."""
    there = [pair for pair in pairs if min(pair[0].folds, pair[1].folds)]
    if not there:
        return NOTHING
    found = tables.difference_table(there, metric).rename_axis(f"difference in {metric}")
    folds = [min(a.folds, b.folds) for a, b in there]
    ids = [ids_of(a.records[:n], b.records[:n]) for (a, b), n in zip(there, folds, strict=True)]
    behind = dict(zip(found.index, ids, strict=True))
    return _together(markdown.table(found), markdown.runs(behind, dataset))


def _scored_table(scored: pd.DataFrame, by: list[str], dataset: str) -> str:
    known = scored.dropna(subset="value")
    shown = known[by].astype(str)
    shown[f"test {CHOICE}"] = [score(value) for value in known["value"]]
    if known["low"].notna().all():
        ends = zip(known["low"], known["high"], strict=True)
        shown["95 % interval"] = [f"[{score(low)}, {score(high)}]" for low, high in ends]
    shown[f"validation {CHOICE}"] = [score(value) for value in known["validation"]]
    shown["folds"] = known["folds"]
    shown["records"] = [markdown.links(ids, dataset) for ids in known["ids"]]
    return markdown.table(shown.set_index(by[0]))


def swap_section(study: Study, masking: str, scored: pd.DataFrame) -> str:
    """The cells of a heatmap as numbers, no swapping (ratio 0) among them."""
    if scored.loc[scored["swap_ratio"] > 0, "value"].isna().all():
        return ""
    cells = _scored_table(scored, ["swap_ratio", "swap_hop"], study.name)
    return _together(
        markdown.image(f"{study.name}_swap_{masking}", f"Swap ratio and hop, {masking}"),
        markdown.folded(f"{masking}: the numbers", cells),
    )


def ratio_section(study: Study, scored: pd.DataFrame) -> str:
    if scored["value"].isna().all():
        return NOTHING
    return _together(
        markdown.image(f"{study.name}_mask_ratio", f"{CHOICE} over mask ratio"),
        _scored_table(scored, ["masking", "mask_ratio"], study.name),
    )


def _stopped_early(study: Study, masking: str, ratio: float, long_id: str) -> dict:
    """The ordinary run beside the one that was trained to the end."""
    (run,) = study.find([study.config("btbr", 0, masking=masking, mask_ratio=ratio)])
    return {
        "mask ratio": ratio,
        "stopped after": len(run.curve) if run else tables.NONE,
        f"then {CHOICE}": score(run.validation[CHOICE]) if run else tables.NONE,
        "folds": 1,
        "records": markdown.links([long_id, *([run.id] if run else [])], study.name),
    }


def curve_section(study: Study, curves: pd.DataFrame) -> str:
    if curves.empty:
        return NOTHING
    first = curves.groupby("masking", sort=False)[["mask_ratio", "id"]].first()
    ordinary = {
        name: _stopped_early(study, name, float(ratio), id)
        for name, ratio, id in first.itertuples()
    }
    shown = record_plots.peaks(curves).drop(columns="seconds to peak")
    return _together(
        markdown.image(f"{study.name}_curves", "Learning curves"),
        markdown.table(shown.join(pd.DataFrame(ordinary).T)),
        "*Stopped after*: epochs of the run behind the tables above, which ends when eight of them "
        "bring nothing better. Where it then has less than the peak, it ended too early.",
    )


def _seed_row(dataset: str, records: list[Record]) -> dict:
    scores = [record.test[CHOICE] for record in records]
    values = records[0].per_user()[CHOICE]
    return {
        "mask ratio": records[0].config["settings"]["mask_ratio"],
        **{f"seed {record.config['seed']}": score(record.test[CHOICE]) for record in records},
        "mean": score(float(np.mean(scores))),
        "standard deviation over seeds": score(float(np.std(scores, ddof=1))),
        "standard error over users": score(float(values.sem())),
        "folds": 1,
        "records": markdown.links([record.id for record in records], dataset),
    }


def seed_section(study: Study) -> str:
    """How much a seed matters, beside how much the choice of users does."""
    found = ablations.seeds(study)
    if not found:
        return NOTHING
    rows = {name: _seed_row(study.name, records) for name, records in found.items()}
    frame = pd.DataFrame(rows).T.rename_axis(f"test {CHOICE}, fold 0").fillna("–")
    last = ["mean", "standard deviation over seeds", "standard error over users"]
    seeds = sorted(name for name in frame if name.startswith("seed "))
    return markdown.table(frame[["mask ratio", *seeds, *last, "folds", "records"]])


def _said(check: Check) -> str:
    return f"{effect(check)} {bounds(check)}, p = {check.p:.2g}"


def order_answer(found: ablations.StrictOrder) -> str:
    """A straight answer: is it the strict order of baskets?"""
    gap, left, order = found.gap, found.left, found.order
    if gap.is_missing or left.is_missing:
        return "The runs with corrected scores that would answer this are not recorded yet."
    said = [f"Gap: {gap.label} {_said(gap)}."]
    if not gap.is_up:
        return f"{said[0]} There is no gap here that strict order would have to explain."
    rest = "" if left.is_up else ", which cannot be told from nothing"
    said.append(
        f"Correcting scores for the shift to last baskets closes {found.closed:.0%} of the gap: "
        f"{_said(left)} is left{rest}."
    )
    if not order.is_missing:
        said.append(f"Order itself: {order.label} {_said(order)}.")
    answers = {
        FAILS: "So the strict order of baskets does not explain the gap.",
        HOLDS: "So the strict order of baskets remains an explanation of the gap.",
        MISSING: "Whether order matters at all is not recorded yet.",
    }
    return " ".join([*said, answers.get(found.verdict, "These runs do not settle it.")])


def _strengths(rows: Sequence[Row]) -> str:
    """How strongly each fold's validation users wanted scores to be corrected."""
    if not rows:
        return ""
    said = []
    for row in rows:
        strengths = (f"{record.chosen['shift_strength']:g}" for record in row.records)
        said.append(f"{row.method.name}: {', '.join(strengths)}")
    allowed = ", ".join(f"{strength:g}" for strength in SHIFT_STRENGTHS)
    return f"Strength of {allowed}, chosen by validation users of each fold. {'; '.join(said)}."


def ablation_section(study: Study, basket_all: Row) -> str:
    """The three variants the paper does not run, each against the plain strategy."""
    seen = ablations.recorded_variants(study, "with last baskets")
    fixed = ablations.recorded_variants(study, "corrected")
    shuffled = ablations.recorded_variants(study, "shuffled")
    item_level = [pair for pair in fixed if pair[1].method.name in questions.methods.ITEM_LEVEL]
    return _together(
        "### Item-level training with and without last baskets",
        differences(study.name, [*seen, *((basket_all, variant) for variant, _ in seen)]),
        "### Scores corrected by the shift between last-basket and overall popularity",
        differences(study.name, [*fixed, *((basket_all, variant) for variant, _ in item_level)]),
        _strengths([variant for variant, _ in fixed]),
        "### Baskets in order and shuffled",
        differences(study.name, [(plain, variant) for variant, plain in shuffled]),
        "### Is it the strict order?",
        order_answer(ablations.strict_order(study)),
    )
