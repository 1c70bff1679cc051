import numpy as np
import pytest
from written import curve, write

from nnbr_core.experiments import claim_settings
from nnbr_core.experiments.evidence import Evidence
from nnbr_core.experiments.methods import BASKET_LEVEL, ITEM_LEVEL
from nnbr_core.experiments.study import Study


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=2, train_missing=False)


def write_cells(study, masking, means) -> None:
    write(study, found=0.2, validation=0.2, masking=masking, mask_ratio=0.1)
    write(study, found=0.2, validation=0.3, masking=masking, mask_ratio=0.5)
    for (ratio, hop), mean in means.items():
        swap = {"swap_ratio": ratio, "swap_hop": hop}
        write(study, found=mean, masking=masking, mask_ratio=0.5, **swap)
        write(study, found=0.9, masking=masking, mask_ratio=0.1, **swap)  # not the best ratio


MEANS = {(0.1, 1): 0.3, (0.1, 5): 0.4, (0.5, 1): 0.5, (0.5, 5): 0.1}


def test_swap_cells_are_split_at_high_ratio_and_hop(study):
    for masking in ITEM_LEVEL:
        write_cells(study, masking, MEANS)
    corner = claim_settings.elsewhere_over_corner(Evidence(study))
    assert [round(c.difference, 4) for c in corner] == [round((0.3 + 0.4 + 0.5) / 3 - 0.1, 4)] * 2
    hop = claim_settings.high_hop_over_low(Evidence(study))
    expected = (0.4 + 0.1) / 2 - (0.3 + 0.5) / 2
    assert [round(c.difference, 4) for c in hop] == [round(expected, 4)] * 2
    assert [(c.folds, len(c.ids)) for c in hop] == [(1, 4)] * 2


def test_maskings_are_compared_at_equal_ratio_only(study):
    write(study, found=0.4, masking="item_select", mask_ratio=0.1)
    write(study, found=0.1, masking="item_random", mask_ratio=0.1)
    write(study, found=0.9, masking="item_select", mask_ratio=0.5)
    found = claim_settings.select_over_random_at_equal_ratio(Evidence(study))
    assert found[0].difference == pytest.approx(0.3)
    assert [check.label for check in found[1:]] == ["item_random at 0.5 has no run"]


def test_the_best_ratio_inside_a_range_meets_the_best_outside(study):
    write(study, found=0.4, masking="item_select", mask_ratio=0.1)
    write(study, found=0.1, masking="item_select", mask_ratio=0.5)
    found = claim_settings.best_ratio_within((0.1,))(Evidence(study))
    by_label = {check.label: check for check in found}
    assert by_label["item_select: 0.1 over 0.5"].difference == pytest.approx(0.3)
    assert by_label["item_random: no run over no run"].is_missing
    assert by_label["item_random at 0.5 has no run"].is_missing


def test_peaks_and_falls_are_read_off_the_curve(study):
    record = write(study, learned=curve(0.1, 0.4, 0.3, 0.1))
    assert claim_settings.peak(record) == 2
    assert claim_settings.loss_after_peak(record) == pytest.approx(1 - 0.2 / 0.4)
    at_the_end = write(study, learned=curve(0.1, 0.4))
    assert np.isnan(claim_settings.loss_after_peak(at_the_end))


def test_curves_are_compared_fold_by_fold(study):
    for fold in range(2):
        for name in BASKET_LEVEL:
            falls = 0.1 if name == "basket_explore" else 0.2
            write(study, fold=fold, learned=curve(0.4, falls), masking=name)
        for name, late in zip(ITEM_LEVEL, (1, 3), strict=True):
            rising = [0.1] * (late + fold)
            write(study, fold=fold, learned=curve(*rising, 0.4, 0.4), masking=name, mask_ratio=0.5)
    evidence = Evidence(study)
    later, falls = claim_settings.peaks_by_level(evidence)
    # item-level peaks: fold 0 at 2 and 4, fold 1 at 3 and 5; basket-level always at 1
    assert later.difference == (3 - 1 + 4 - 1) / 2 and later.unit == "epochs"
    assert falls.difference == pytest.approx((0.5 + 0.75) / 2 - 0)
    (more,) = claim_settings.explore_falls_more(evidence)
    assert more.difference == pytest.approx(0.75 - 0.5)
    (select,) = claim_settings.select_peaks_later(evidence)
    assert (select.difference, select.folds, len(select.ids)) == (2, 2, 4)
