from dataclasses import replace

import numpy as np
from made import made_row
from written import write

from nnbr_core.data.recipe import Recipe
from nnbr_core.experiments.lineup import best_baseline, on_every_dataset, ratio_pairs, swap_pairs
from nnbr_core.experiments.methods import baselines
from nnbr_core.experiments.questions import printed
from nnbr_core.experiments.study import Study

POPULARITY = {"popularity": baselines()["popularity"]}


def test_the_best_baseline_stands_beside_the_papers_best():
    rows = {"popularity": made_row("popularity", [0.1]), "clea, all": made_row("clea, all", [0.3])}
    best = best_baseline(rows)
    assert best.method.name == "best baseline (clea, all)"
    assert best.records == rows["clea, all"].records
    assert printed(best.method, "tafeng", "recall@10") == 0.1024


def test_without_baselines_there_is_a_row_without_records():
    best = best_baseline({"popularity": made_row("popularity")})
    assert best.folds == 0 and np.isnan(printed(best.method, "tafeng", "recall@10"))


def test_select_meets_random_at_every_mask_ratio(elsewhere):
    pairs = ratio_pairs(Study(train_missing=False))
    assert [(a.method.name, b.method.name) for a, b in pairs] == [
        ("item_select 0.1", "item_random 0.1"),
        ("item_select 0.5", "item_random 0.5"),
    ]
    assert [a.n_missing for a, _ in pairs] == [1, 1]


def test_swapping_meets_the_mask_ratios_that_its_folds_have(elsewhere):
    study = Study("toy", "paper", folds=2, train_missing=False)
    masked = {"masking": "item_select", "mask_ratio": 0.9}
    for fold in (0, 1):
        write(study, fold=fold, found=0.1, masking="item_select", mask_ratio=0.1)
    better = write(study, found=0.3, **masked)  # fold 0 only, as its swap
    swap = write(study, found=0.2, swap_ratio=0.5, swap_hop=5, **masked)
    _, (swapped, plain) = swap_pairs(study)
    assert [record.id for record in swapped.records] == [swap.id]
    assert [record.id for record in plain.records] == [better.id]


def test_other_datasets_count_where_they_have_records(elsewhere):
    study = Study()
    assert on_every_dataset(replace(study, train_missing=False), POPULARITY) == {}
    (found,) = on_every_dataset(study, POPULARITY).items()
    assert found[0] == "toy" and found[1]["popularity"].folds == 1
    shop = elsewhere / "shop.csv"
    bought = [f"{user},{time},{user * time % 7}" for user in range(40) for time in range(1, 9)]
    shop.write_text("\n".join(["user,time,item", *bought]))
    recipe = Recipe(user_column="user", time_column="time", item_column="item")
    own = on_every_dataset(replace(study, dataset=str(shop), recipe=recipe), POPULARITY)
    assert list(own) == ["shop", "toy"]
