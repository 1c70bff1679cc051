import pytest

from nnbr_core.experiments.config import configure
from nnbr_core.experiments.methods import all_methods, baselines, each, references, swapped
from nnbr_core.experiments.paper import baseline, strategy


def test_each_is_every_combination():
    assert each(a=(1, 2), b="x") == ({"a": 1, "b": "x"}, {"a": 2, "b": "x"})
    assert each() == ({},)


@pytest.mark.parametrize("method", all_methods().values(), ids=all_methods())
def test_every_setting_of_every_method_can_be_run(method):
    configs = [configure("toy", method.model, **one) for one in (*method.grid, *method.more)]
    assert {config.model for config in configs} == {method.model}
    if method.labels:
        assert {config.settings.labels for config in configs} == {method.labels}


def test_what_the_paper_prints_is_found_under_its_name():
    for method in baselines().values():
        assert baseline("tafeng", method.paper, method.labels or "all", "recall@10") > 0.05
    for name in ("item_random", "item_select_swap", "joint"):
        assert strategy("tafeng", all_methods()[name].paper, "recall@10") > 0.05
    assert all(not method.paper for method in references().values())


def test_the_quick_profile_swaps_at_one_mask_ratio():
    assert len(swapped("quick")["item_select_swap"].grid) == 4
    assert len(swapped("paper")["item_select_swap"].grid) == 8
