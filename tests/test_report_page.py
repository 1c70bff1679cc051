from dataclasses import replace

import pytest
from written import write

from nnbr_core.data.recipe import Recipe
from nnbr_core.experiments.claims import judge
from nnbr_core.experiments.questions import QUICK_CURVE
from nnbr_core.experiments.study import Study
from nnbr_core.show.report_page import page, repeat_figure

SECTIONS = ("The data", "Verdicts on the paper's claims", "RQ1", "RQ2", "RQ3", "RQ4", "RQ5")


@pytest.fixture
def study(elsewhere) -> Study:
    return Study("toy", "quick", train_missing=False)


def test_an_empty_store_gives_a_page_that_says_so(study):
    made = page(study, judge(study))
    assert all(f"## {section}" in made.text for section in SECTIONS)
    assert "Nothing of this is recorded yet." in made.text
    assert list(made.figures) == ["toy_repeat"]
    assert made.text.count("](figures/") == 1


def test_every_figure_of_a_page_is_made_and_every_record_is_named(study):
    records = [
        write(study, "popularity", found=0.1),
        write(study, "user_knn", found=0.4),
        write(study, found=0.5),
        write(study, found=0.3, masking="item_select", mask_ratio=0.5),
        write(
            study,
            found=0.3,
            masking="item_select",
            mask_ratio=0.5,
            swap_ratio=0.1,
            swap_hop=1,
        ),
        write(study, found=0.5, **QUICK_CURVE),
    ]
    made = page(study, judge(study))
    for name in made.figures:
        assert f"](figures/{name}.svg)" in made.text
    assert set(made.figures) == {
        "toy_repeat",
        "toy_scores",
        "toy_swap_item_select",
        "toy_mask_ratio",
        "toy_curves",
    }
    assert all(record.id in made.text for record in records)
    assert page(study, judge(study)).text == made.text


def test_the_repeat_figure_shows_the_recorded_shares(study):
    drawn = repeat_figure("toy", study.facts)
    repeat, novel = drawn.data
    assert list(repeat.y) == list(study.facts.repeat_by_number.values())
    assert [a + b for a, b in zip(repeat.y, novel.y, strict=True)] == [1] * len(repeat.y)


def test_windows_of_the_same_data_have_a_section_of_their_own(study):
    windows = replace(study, dataset="completejourney", recipe=Recipe(window_weeks=8))
    record = write(windows, found=0.5)
    write(windows, "user_knn", found=0.4)
    text = page(study, judge(study), windows).text
    section = text[text.index("## Windows of 8 weeks") :]
    assert "500 sequences" in section
    assert "| basket_all vs user_knn | +.1000 |" in section
    assert record.id in section and record.id not in text.removesuffix(section)
