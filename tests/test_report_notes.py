import pytest
from written import write

from nnbr_core.experiments.study import Study
from nnbr_core.show.report_notes import DEVIATIONS, PUBLIC_CODE, notes


@pytest.fixture
def studies(elsewhere) -> dict[str, Study]:
    """Two datasets; the first plays TaFeng."""
    toy = Study("toy", "paper", folds=2, train_missing=False)
    return {"tafeng": toy, "toy": toy}


def test_the_page_is_written_also_when_nothing_is_recorded(studies):
    text = notes(studies)
    assert len(DEVIATIONS) == 13 and all(f"| {n} | " in text for n in range(1, 14))
    assert text.count("| not enough runs |") == len(PUBLIC_CODE)
    assert "1,040 runs a fold" in text  # 2 maskings, 5 ratios, 26 swaps, 4 sizes


def test_effects_of_differences_come_from_records(studies):
    toy = studies["toy"]
    for fold in (0, 1):
        write(toy, "popularity", fold, found=0.2)
    plain = write(toy, found=0.2, masking="item_select", mask_ratio=0.1)
    seen = {"item_level_sees_last_basket": True}
    write(toy, found=0.4, masking="item_select", mask_ratio=0.1, **seen)
    text = notes(studies)
    assert "toy, item_select: +.2000 recall@10 with them" in text
    assert "Popularity on TaFeng, 2 folds: ndcg@10 .2000" in text
    assert "0% are test users of split 1 too" in text  # folds of the toy world are disjoint
    ours = f"| item_select, fold 0 | .0670 | .2000 | +.1330 | .0284 | 1 | [{plain.id[:8]}]"
    assert ours in text
    assert "| toy | 3,000 | not used | 4 | 0.0 | 64 |" in text
