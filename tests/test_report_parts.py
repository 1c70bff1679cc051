import pytest
from written import curve, write

from nnbr_core.experiments import questions
from nnbr_core.experiments.ablations import StrictOrder
from nnbr_core.experiments.evidence import Check, Evidence
from nnbr_core.experiments.methods import baselines, strategies
from nnbr_core.experiments.study import CHOICE, Study
from nnbr_core.experiments.verdicts import FAILS, HOLDS, MISSING
from nnbr_core.show import report_parts


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", folds=2, train_missing=False)


def test_methods_are_listed_with_their_records_or_as_missing(study):
    record = write(study, "popularity", found=0.2)
    text = report_parts.method_section(study, Evidence(study).study.rows(baselines()))
    assert "| popularity | .2000 [" in text and f"runs/toy/{record.id}.json" in text
    assert "Not recorded yet: tifuknn, all; tifuknn, explore; dream, all" in text
    nothing = report_parts.method_section(study, study.rows(strategies()))
    assert nothing == report_parts.NOTHING


def test_a_training_that_never_learned_is_named(study):
    write(study, "popularity", validation=0.1)
    write(study, "dream", validation=0.06, labels="all")
    assert report_parts.unlearned(study.rows(baselines())) == ""
    write(study, "dnntsp", validation=0.04, labels="all")
    said = report_parts.unlearned(study.rows(baselines()))
    assert said.startswith("Less than half of popularity's validation recall@10 in fold 0: dnntsp")


def test_differences_list_the_records_of_the_folds_they_share(study):
    a = [write(study, fold=fold, found=0.5, masking="basket_all") for fold in (0, 1)]
    b = write(study, found=0.2, masking="basket_explore")
    rows = study.rows(strategies())
    pairs = [(rows["basket_all"], rows["basket_explore"]), (rows["joint"], rows["basket_all"])]
    text = report_parts.differences("toy", pairs)
    assert "| basket_all vs basket_explore | +.3000 |" in text and "| higher |" in text
    assert a[0].id in text and b.id in text and a[1].id not in text
    assert "joint" not in text  # not recorded
    assert report_parts.differences("toy", pairs[1:]) == report_parts.NOTHING


def test_cells_ratios_and_curves_name_their_runs(study):
    plain = write(study, found=0.2, masking="item_select", mask_ratio=0.5)
    swap = {"mask_ratio": 0.5, "swap_ratio": 0.5, "swap_hop": 5}
    cell = write(study, found=0.3, masking="item_select", **swap)
    scored = questions.scored(questions.swap_runs(study, "item_select"), questions.BY_SWAP, CHOICE)
    text = report_parts.swap_section(study, "item_select", scored)
    assert f"| 0.5 | 5 | .3000 | .3000 | 1 | [{cell.id[:8]}](" in text
    ratios = questions.scored(questions.ratio_runs(study), questions.BY_RATIO, CHOICE, None, True)
    assert f"[{plain.id[:8]}](" in report_parts.ratio_section(study, ratios)
    long = write(study, learned=curve(0.1, 0.4, 0.2), **questions.QUICK_CURVE)
    curves = questions.learning_curves(questions.curve_runs(study))
    shown = report_parts.curve_section(study, curves)
    assert "| basket_all | 2 | 3 | 0.4 | 50.0% | 0.1 | – | – | 1 |" in shown and long.id in shown
    early = write(study, validation=0.3, learned=curve(0.3))
    shown = report_parts.curve_section(study, curves)
    assert "| 0.1 | 1 | .3000 | 1 |" in shown and early.id in shown


def test_seeds_are_shown_beside_the_noise_over_users(study):
    assert report_parts.seed_section(study) == report_parts.NOTHING
    for seed, found in enumerate((0.1, 0.2, 0.3)):
        write(Study("toy", "quick", seed=seed, train_missing=False), found=found)
    (row,) = report_parts.seed_section(study).splitlines()[2:]
    assert row.startswith("| basket_all | 0.1 | .1000 | .2000 | .3000 | .2000 | .1000 | ")


GAP = Check("basket_all over item_select", 0.03, 0.02, 0.04, 0.001, 0.07, folds=3, n=9)
LEFT = Check("basket_all over item_select, corrected", 0.01, 0.005, 0.015, 0.01, 0.09, folds=3)
CLOSED = Check("basket_all over item_select, corrected", 0.001, -0.01, 0.01, 0.8, 0.1, folds=3)
ORDER = Check("basket_all over basket_all, shuffled", 0.02, 0.01, 0.03, 0.01, 0.1, folds=3)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            StrictOrder(FAILS, GAP, CLOSED, ORDER),
            "closes 97% of the gap: +.0010 [-.0100, +.0100], p = 0.8 is left, which cannot",
        ),
        (StrictOrder(FAILS, GAP, CLOSED, ORDER), "does not explain the gap."),
        (StrictOrder(HOLDS, GAP, LEFT, ORDER), "closes 67% of the gap: +.0100"),
        (StrictOrder(HOLDS, GAP, LEFT, ORDER), "remains an explanation"),
        (StrictOrder(MISSING, GAP, LEFT, Check("x")), "is not recorded yet."),
        (StrictOrder(MISSING, GAP, Check("x"), ORDER), "are not recorded yet."),
        (StrictOrder("cannot be told apart", CLOSED, LEFT, ORDER), "There is no gap here"),
    ],
)
def test_the_question_about_order_gets_a_straight_answer(found, said):
    assert said in report_parts.order_answer(found)


def test_ablations_compare_variant_plain_and_basket_all(study):
    write(study, found=0.5, masking="basket_all")
    write(study, found=0.2, masking="item_select", mask_ratio=0.1)
    seen = {"item_level_sees_last_basket": True}
    write(study, found=0.4, masking="item_select", mask_ratio=0.1, **seen)
    text = report_parts.ablation_section(study, study.rows(strategies())["basket_all"])
    assert "| item_select, with last baskets vs item_select | +.2000 |" in text
    assert "| basket_all vs item_select, with last baskets | +.1000 |" in text
    assert text.count(report_parts.NOTHING) == 2  # corrected, shuffled


def test_the_strength_of_a_correction_is_said_fold_by_fold(study):
    write(study, masking="basket_all")
    for fold, strength in enumerate((1.5, 0)):
        write(study, fold=fold, masking="item_select", mask_ratio=0.1)
        chosen = {"chosen": {"shift_strength": strength}, "correct_shift": True}
        write(study, fold=fold, masking="item_select", mask_ratio=0.1, **chosen)
    text = report_parts.ablation_section(study, study.rows(strategies())["basket_all"])
    assert "chosen by validation users of each fold. item_select, corrected: 1.5, 0." in text
