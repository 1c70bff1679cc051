import numpy as np
import pytest
from made import by_hand, made_record, made_row

from nnbr_core.experiments import questions
from nnbr_core.experiments.methods import FEW, all_methods
from nnbr_core.experiments.questions import BY_RATIO, BY_SWAP
from nnbr_core.experiments.study import Study

METHODS = all_methods()
TINY = {"epochs": 1, "dim": 8}


def test_the_papers_number_is_found_for_every_kind_of_method():
    assert questions.printed(METHODS["popularity"], "tafeng", "recall@10") == 0.0587
    assert questions.printed(METHODS["clea, explore"], "tafeng", "recall@10") == 0.1010
    assert questions.printed(METHODS["joint"], "tafeng", "ndcg_code@10") == 0.0870
    assert np.isnan(questions.printed(METHODS["item_knn"], "tafeng", "recall@10"))
    assert np.isnan(questions.printed(METHODS["joint"], "toy", "recall@10"))


def test_a_sign_is_expected_where_the_paper_is_clear():
    select, random = METHODS["item_select"], METHODS["item_random"]
    swapped, knn = METHODS["item_select_swap"], METHODS["item_knn"]
    assert questions.expected_sign(random, select, "toy", "recall@10") == -1
    assert questions.expected_sign(swapped, select, "tafeng", "recall@10") == -1
    assert questions.expected_sign(swapped, select, "instacart", "recall@10") == 1
    assert questions.expected_sign(swapped, select, "toy", "recall@10") is None  # both signs
    assert questions.expected_sign(knn, select, "tafeng", "recall@10") is None


def test_the_best_row_is_chosen_on_validation_over_shared_folds():
    rows = {"a": made_row("a", [0.5], [0.0]), "b": made_row("b", [0.4]), "c": made_row("c")}
    assert questions.best_by_validation(rows) is rows["a"]
    assert questions.best_by_validation({"c": rows["c"]}) is None


def test_scores_are_means_over_the_folds_that_all_settings_have():
    frame = by_hand(
        (0.1, 0, 0, [0.2, 0.4]),
        (0.1, 0, 1, [0.9, 0.9]),
        (0.5, 0, 0, [0.5, 0.5]),
        (0.5, 0, 1, None),
    )
    mean = questions.scored(frame, BY_RATIO, "recall@10")
    assert mean["value"].tolist() == pytest.approx([0.3, 0.5])
    assert mean["ids"].tolist() == [("0.1 0-0",), ("0.5 0-0",)]
    assert mean["folds"].tolist() == [1, 1]
    alone = questions.scored(frame[frame["mask_ratio"] == 0.1], BY_RATIO, "recall@10")
    assert alone["value"].tolist() == pytest.approx([2.4 / 4])
    first = questions.scored(frame, BY_RATIO, "recall@10", fold=0, intervals=True)
    assert first["value"].tolist() == pytest.approx([0.3, 0.5])
    assert first[["low", "high"]].to_numpy().tolist()[0] == pytest.approx([0.2, 0.4])
    assert questions.scored(frame, BY_RATIO, "recall@10", fold=1)["value"].isna().tolist() == [
        False,
        True,
    ]


def test_the_mask_ratio_is_chosen_among_runs_without_swapping():
    frame = by_hand((0.1, 0, 0, [0.2]), (0.3, 0, 0, [0.4]), (0.5, 0.5, 0, [0.9]), (0.7, 0, 0, None))
    assert questions.best_ratio(frame, "item_select") == 0.3
    assert questions.best_ratio(frame[frame["mask_ratio"] > 0.5], "item_select") == 0.7


def test_every_fold_has_its_own_mask_ratio(monkeypatch):
    frame = by_hand((0.1, 0, 0, [0.4]), (0.5, 0, 0, [0.2]), (0.1, 0, 1, [0.2]), (0.5, 0, 1, [0.4]))
    empty = frame[:0]
    frames = iter([frame, empty])
    monkeypatch.setattr(questions, "runs_frame", lambda *_, **__: next(frames))
    assert questions.best_ratios(Study(folds=2), "item_select") == [0.1, 0.5]


def test_nothing_is_trained_where_only_records_are_wanted(elsewhere):
    study = Study(folds=2, train_missing=False)
    cells = questions.swap_runs(study, "item_random")
    n_cells = 1 + len(FEW["swap_ratio"]) * len(FEW["swap_hop"])
    assert len(questions.missing(cells)) == len(cells) == 2 * n_cells
    assert set(cells["mask_ratio"]) == {FEW["mask_ratio"][-1]}
    assert questions.scored(cells, BY_SWAP, "recall@10")["value"].isna().all()
    assert len(questions.missing(questions.ratio_runs(study))) == 2 * 2 * len(FEW["mask_ratio"])
    curves = questions.curve_runs(study)
    assert curves["masking"].tolist() == list(questions.CURVES)
    assert questions.learning_curves(curves).empty


def test_the_paper_profile_shows_all_25_cells(elsewhere):
    frame = questions.swap_runs(Study(profile="paper", train_missing=False), "item_select")
    assert (frame["swap_ratio"] == 0).sum() == 1 and (frame["swap_ratio"] > 0).sum() == 25
    assert not frame.duplicated(["swap_ratio", "swap_hop"]).any()


def test_what_was_recorded_meanwhile_is_found(elsewhere):
    settings = [{"masking": "item_select", "mask_ratio": 0.3, **TINY}]
    before = questions.runs_frame(Study(), settings, computed=False)
    assert len(questions.missing(before)) == 1
    computed = questions.runs_frame(Study(), settings)
    after = questions.refreshed(Study(), before)
    assert after["record"][0].id == computed["record"][0].id
    assert questions.missing(after) == []


def test_curves_count_epochs_and_seconds_from_the_start():
    epochs = [
        {"stage": stage, "epoch": epoch, "recall@10": 0.1, "seconds": 2.0}
        for stage in ("item_select", "basket_all")
        for epoch in (1, 2)
    ]
    found = questions.curve(made_record("joint", [0.1], curve=epochs))
    assert found["epoch"].tolist() == [1, 2, 3, 4]
    assert found["seconds"].tolist() == [2, 4, 6, 8]
