import pytest
from made import by_hand, made_record
from written import write

from nnbr_core.analysis import grid_runs
from nnbr_core.analysis.grid_runs import BY_RATIO, BY_SWAP, scored
from nnbr_core.analysis.methods import FEW_RATIOS, QUICK_SWAPS
from nnbr_core.analysis.rows import CHOICE
from nnbr_core.analysis.study import Study


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "paper", folds=2, train_missing=False)


def test_scores_are_means_over_the_folds_that_all_settings_have():
    frame = by_hand(
        (0.1, 0, 0, [0.2, 0.4]),
        (0.1, 0, 1, [0.9, 0.9]),
        (0.5, 0, 0, [0.5, 0.5]),
        (0.5, 0, 1, None),
    )
    mean = scored(frame, BY_RATIO, CHOICE)
    assert mean["value"].tolist() == pytest.approx([0.3, 0.5])
    assert mean["ids"].tolist() == [("0.1 0-0",), ("0.5 0-0",)]
    assert mean["folds"].tolist() == [1, 1]
    alone = scored(frame[frame["mask_ratio"] == 0.1], BY_RATIO, CHOICE)
    assert alone["value"].tolist() == pytest.approx([2.4 / 4])
    first = scored(frame, BY_RATIO, CHOICE, fold=0, intervals=True)
    assert first["value"].tolist() == pytest.approx([0.3, 0.5])
    assert first[["low", "high"]].to_numpy().tolist()[0] == pytest.approx([0.2, 0.4])
    assert scored(frame, BY_RATIO, CHOICE, fold=1)["value"].isna().tolist() == [False, True]


def test_the_mask_ratio_is_chosen_among_runs_without_swapping():
    frame = by_hand((0.1, 0, 0, [0.2]), (0.3, 0, 0, [0.4]), (0.5, 0.5, 0, [0.9]), (0.7, 0, 0, None))
    assert grid_runs.best_ratio(frame, "item_select") == 0.3
    assert grid_runs.best_ratio(frame[frame["mask_ratio"] > 0.5], "item_select") == 0.7


def test_swaps_are_run_at_the_ratio_that_the_first_fold_prefers(study):
    """Other mask ratios take part where they are recorded; later folds say nothing."""
    for ratio, validation in ((0.1, 0.2), (0.5, 0.1), (0.9, 0.3)):
        write(study, validation=validation, masking="item_select", mask_ratio=ratio)
    write(study, fold=1, validation=0.9, masking="item_select", mask_ratio=0.5)
    assert grid_runs.preferred_ratio(study, "item_select") == 0.9
    assert {
        one["mask_ratio"] for one in grid_runs.swap_methods(study)["item_select_swap"].grid
    } == {0.9}


def test_a_swap_meets_no_swap_at_its_mask_ratio_on_its_fold(study):
    masked = {"masking": "item_select", "mask_ratio": 0.9}
    for fold in (0, 1):
        write(study, fold=fold, found=0.1, masking="item_select", mask_ratio=0.1)
    better = write(study, found=0.3, **masked)  # fold 0 only, as its swap
    swap = write(study, found=0.2, swap_ratio=0.5, swap_hop=5, **masked)
    _, (swapped, plain) = grid_runs.swap_pairs(study)
    assert (swapped.ids, plain.ids) == ((swap.id,), (better.id,))


def test_select_meets_random_at_every_mask_ratio(elsewhere):
    pairs = grid_runs.ratio_pairs(Study(train_missing=False))
    assert [(a.name, b.name) for a, b in pairs] == [
        ("item_select 0.1", "item_random 0.1"),
        ("item_select 0.5", "item_random 0.5"),
    ]
    assert [a.n_missing for a, _ in pairs] == [1, 1]


def test_nothing_is_trained_where_only_records_are_wanted(elsewhere):
    study = Study(folds=2, train_missing=False)
    cells = grid_runs.swap_runs(study, "item_random")
    n_cells = 1 + len(QUICK_SWAPS["swap_ratio"]) * len(QUICK_SWAPS["swap_hop"])
    assert len(grid_runs.missing(cells)) == len(cells) == n_cells
    assert set(cells["mask_ratio"]) == {min(FEW_RATIOS)}
    assert scored(cells, BY_SWAP, CHOICE)["value"].isna().all()
    assert len(grid_runs.missing(grid_runs.ratio_runs(study))) == 2 * 2 * len(FEW_RATIOS)
    curves = grid_runs.curve_runs(study)
    assert curves["masking"].tolist() == list(grid_runs.CURVES)
    assert grid_runs.learning_curves(curves).empty


def test_the_paper_profile_shows_all_25_cells(study):
    frame = grid_runs.swap_runs(study, "item_select")
    assert (frame["swap_ratio"] == 0).sum() == 1 and (frame["swap_ratio"] > 0).sum() == 25
    assert not frame.duplicated(["swap_ratio", "swap_hop"]).any()


def test_what_was_recorded_meanwhile_is_found(study):
    before = grid_runs.ratio_runs(study)
    record = write(study, masking="item_select", mask_ratio=0.3)
    after = grid_runs.refreshed(study, before)
    assert len(grid_runs.missing(after)) == len(grid_runs.missing(before)) - 1
    (found,) = [one for one in after["record"] if one]
    assert found.id == record.id


def test_curves_count_epochs_and_seconds_from_the_start():
    epochs = [
        {"stage": stage, "epoch": epoch, CHOICE: 0.1, "seconds": 2.0}
        for stage in ("item_select", "basket_all")
        for epoch in (1, 2)
    ]
    found = grid_runs.curve(made_record("joint", [0.1], curve=epochs))
    assert found["epoch"].tolist() == [1, 2, 3, 4]
    assert found["seconds"].tolist() == [2, 4, 6, 8]


def test_a_long_training_stands_beside_where_the_ordinary_one_stopped(study):
    epochs = [{"stage": "a", "epoch": n, CHOICE: 0.1, "seconds": 1.0} for n in range(1, 4)]
    write(study, learned=epochs, **grid_runs.methods.CURVE)
    curves = grid_runs.curve_runs(study)
    assert grid_runs.stopped_early(study, curves).empty
    write(study, validation=0.3, learned=epochs[:2])
    (row,) = grid_runs.stopped_early(study, curves).itertuples()
    assert tuple(row) == ("basket_all", 2, 0.3)
    assert grid_runs.learning_curves(curves)["epoch"].tolist() == [1, 2, 3]
