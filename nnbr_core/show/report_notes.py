"""The page on reproducibility: how numbers were made, and what differs from the paper."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from nnbr_core.experiments import ablations, paper, runs
from nnbr_core.experiments.evidence import ids_of
from nnbr_core.experiments.methods import (
    DIMS,
    MASK_RATIOS,
    SWAP_HOPS,
    SWAP_RATIOS,
    baselines,
    strategies,
)
from nnbr_core.experiments.study import CHOICE, Study, fold_mean, paired
from nnbr_core.experiments.verdicts import MISSING
from nnbr_core.show import markdown
from nnbr_core.show.claim_tables import n_folds
from nnbr_core.show.tables import score
from nnbr_core.significance import compare

HOW = """## How the numbers were made

- **Selection.** Every setting, epoch and "best" method is chosen by novel recall@10 of validation
  users, within each fold, among the settings that are recorded for all of a row's folds. Test
  users are scored once, by the weights that validation users chose.
- **Folds.** TaFeng: the three distinct splits that the paper published. Elsewhere five disjoint
  fifths of one seeded permutation of users, so that five folds test everybody once.
- **Statistics.** Paired t-tests on per-user values (Wilcoxon's test as a check), Holm-corrected
  over each table, and for verdicts over each question; 95 % bootstrap intervals over users.
  Users tested in several folds are averaged first.
- **Seeds and threads.** Every run is seeded and uses one thread: the same settings give the same
  numbers on the same kind of processor. Rows use seed 0; other seeds are shown on the pages.
- **Records.** A run's id is a hash of its settings, its fold, its data's fingerprint and its
  model's version. Every table lists the records behind each row, and these pages are written
  from records alone: regenerating them gives the same bytes.
- **Data.** Items count towards the filters by history baskets only, never by last baskets; each
  filter runs once. Rules and thresholds: `python -m nnbr_core prepare NAME` prints them."""

# What the public code does; what this workbench does instead.
DEVIATIONS = (
    ("Padding has the id of a real item, which attention then cannot see and no label contains",
     "ids of their own for padding and mask"),
    ("nDCG divides by an ideal list that is not cut at K", "both versions; tables show the code's"),
    ("A hidden item in the first position of a row gets no loss", "every hidden item gets one"),
    ("Scores have no item bias, though the paper's equation has one", "a learned bias"),
    ("item_select sometimes draws padding as an item to hide; some rows then have no target",
     "only items are drawn, and every row has a target"),
    ("item_random hides padding too, and most of what it learns to predict is padding",
     "only items are hidden, so that it can be compared with item_select"),
    ("Hidden items beyond a fixed number are dropped", "none are dropped"),
    ("Item-level training never sees last baskets, except before fine-tuning in joint training",
     "the same by default; the variant with last baskets is an ablation"),
    ("Two of the five splits are copies of others, and splits share test users",
     "the three distinct ones, users averaged before testing"),
    ("Nothing is seeded", "everything is"),
    ("The feed-forward width stays 256 at every embedding size", "four times the embedding size"),
    ("A swapped item near the start always moves right; at the end a right move is none",
     "the same by default; `swap=\"within\"` moves evenly"),
    ("One masking fails on Python 3.11 and later", "Python 3.11 to 3.13"),
)  # fmt: skip

# The public code, run once per row on the published splits with one seed; test recall@10 at the
# best validation epoch. These runs left no records.
PUBLIC_CODE = {
    ("item_random", 0): 0.0687,
    ("item_select", 0): 0.0670,
    ("basket_all", 0): 0.0957,
    ("basket_explore", 0): 0.0971,
    ("joint", 0): 0.0941,
    ("basket_all", 1): 0.1080,
    ("basket_all", 2): 0.1020,
}


def deviations() -> str:
    rows = pd.DataFrame(DEVIATIONS, columns=["the public code", "here"])
    rows.index = pd.RangeIndex(1, len(rows) + 1, name="no.")
    return "## What the public code does that the paper does not say\n\n" + markdown.table(rows)


def _ndcg(tafeng: Study) -> str:
    row = tafeng.row(baselines()["popularity"])
    if not row.folds:
        return ""
    pairs = [(f"ndcg@{k}", f"ndcg_code@{k}") for k in (10, 20)]
    parts = [
        f"{cut} {score(fold_mean(row.records, cut))}, not cut {score(fold_mean(row.records, code))}"
        for cut, code in pairs
    ]
    return (
        f"- **The ideal list of nDCG (no. 2).** Popularity on TaFeng, {row.folds} folds: "
        f"{'; '.join(parts)}; {markdown.links(ids_of(row.records), 'tafeng')}."
    )


def _last_baskets(studies: Mapping[str, Study]) -> list[str]:
    lines = []
    for name, study in studies.items():
        for variant, plain in ablations.recorded_variants(study, "with last baskets"):
            found = compare(*paired(variant, plain, CHOICE))
            lines.append(
                f"- **Last baskets in item-level training (no. 8).** {name}, {plain.method.name}: "
                f"{score(found.difference, signed=True)} {CHOICE} with them "
                f"[{score(found.low, signed=True)}, {score(found.high, signed=True)}], "
                f"p = {found.p:.2g}, {found.n_users} users, {n_folds(variant.folds)}; "
                f"{markdown.links(ids_of(variant.records, plain.records), name)}."
            )
    return lines


def _shared_users(tafeng: Study) -> str:
    row = tafeng.row(baselines()["popularity"])
    if row.folds < 2:
        return ""
    first, second = (set(record.per_user().index) for record in row.records[:2])
    share = len(first & second) / len(first)
    return (
        f"- **Splits that share users (no. 9).** Of the test users of TaFeng's split 0, "
        f"{share:.0%} are test users of split 1 too: three splits are not three independent tests."
    )


def _public_code(tafeng: Study) -> str:
    rows = {}
    for (name, fold), theirs in PUBLIC_CODE.items():
        setting = strategies()[name].grid[0]  # mask ratio 0.1 where there is one
        (record,) = tafeng.find([tafeng.config("btbr", fold, **setting)])
        ours = record.test[CHOICE] if record else np.nan
        error = float(record.per_user()[CHOICE].sem()) if record else np.nan
        rows[f"{name}, fold {fold}"] = {
            "public code": score(theirs),
            "here": score(ours) if record else MISSING,
            "difference": score(ours - theirs, signed=True),
            "standard error over users": score(error),
            "folds": int(record is not None),
            "record": markdown.links([record.id] if record else [], "tafeng"),
        }
    table = pd.DataFrame(rows).T.rename_axis(f"test {CHOICE}, TaFeng")
    return (
        "**All corrections together.** The public code beside this one, both with embedding size "
        "64 and mask ratio 0.1. The public code was run once per row and left no records; a "
        "difference below twice the standard error is noise.\n\n" + markdown.table(table)
    )


def measured(studies: Mapping[str, Study]) -> str:
    tafeng = studies["tafeng"]
    lines = [_ndcg(tafeng), *_last_baskets(studies), _shared_users(tafeng)]
    lines.append("- All others: corrected here, and their effects not measured one by one.")
    found = "\n".join(line for line in lines if line)
    return f"## What the differences do to the numbers\n\n{found}\n\n{_public_code(tafeng)}"


def _limits(name: str, study: Study) -> dict:
    found, full = runs.all_records(name), paper.dataset_row(name)
    absent = [method for method in baselines() if not study.row(baselines()[method]).folds]
    btbr = [record.config["settings"] for record in found if record.config["model"] == "btbr"]
    return {
        "users here": f"{study.facts.n_users:,}",
        "users in the paper": f"{int(full['users']):,}" if full else "not used",
        "records": len(found),
        "hours of computing": f"{sum(record.seconds for record in found) / 3600:.1f}",
        "BTBR sizes": ", ".join(map(str, sorted({settings["dim"] for settings in btbr}))) or "none",
        "baselines not run": "; ".join(absent) or "none",
    }


def limits(studies: Mapping[str, Study]) -> str:
    table = pd.DataFrame({name: _limits(name, study) for name, study in studies.items()}).T
    n_swaps = len(SWAP_RATIOS) * len(SWAP_HOPS) + 1
    n_grid = 2 * len(MASK_RATIOS) * n_swaps * (len(DIMS) + 1)
    return (
        "## What could not be run here, and why\n\n"
        "Two CPU cores computed all of this. Of Dunnhumby and Instacart only samples of users are "
        "here, the full files are not; on a sample an effect of the paper's size often cannot be "
        f"told from noise. The paper's search, for the two item-level maskings, is {n_grid:,} runs "
        "a fold (sizes x mask ratios x swaps): here sizes other than 64 are left out unless "
        "the table says otherwise, swaps are a few cells, and swaps, mask ratios other than 0.1, "
        "learning curves, other seeds, Beacon, CLEA and DNNTSP are run on fold 0. The grids are in "
        "`notebooks/grids/`, and `python -m nnbr_core sweep` runs them where there is time.\n\n"
        + markdown.table(table.rename_axis("dataset"))
    )


def versions(studies: Mapping[str, Study]) -> str:
    """What the records say they were made with."""
    used: dict[str, set[str]] = {}
    for study in studies.values():
        for record in runs.all_records(study.name):
            for name, version in record.versions.items():
                used.setdefault(name, set()).add(version)
    parts = [f"{name} {', '.join(sorted(found))}" for name, found in sorted(used.items())]
    return f"## Versions\n\n{'; '.join(parts)}. Every record names its commit."


def notes(studies: Mapping[str, Study]) -> str:
    parts = [
        "# How the numbers were made, and what differs from the paper",
        HOW,
        deviations(),
        measured(studies),
        limits(studies),
        versions(studies),
    ]
    return "\n\n".join(parts) + "\n"
