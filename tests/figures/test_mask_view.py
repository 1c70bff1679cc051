from unittest.mock import patch

import pytest
import torch

from nnbr_core import btbr
from nnbr_core.btbr import Btbr
from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.data.baskets import Baskets
from nnbr_core.errors import InputError
from nnbr_core.figures.masks import (
    counts,
    every_masker,
    example,
    hidden_items,
    masked_baskets,
    predictions,
    summary,
)
from nnbr_core.masking import MASKERS

A, B, C = 0, 1, 2  # users of the fixture `three`


def stage(**settings) -> BtbrSettings:
    (one,) = BtbrSettings(**settings).stages()
    return one


def rows(items, *columns: str) -> list[tuple]:
    return list(items[list(columns)].itertuples(index=False, name=None))


def test_basket_all_hides_the_last_basket_and_nothing_else(three):
    items = example(three, A, stage(masking="basket_all")).items
    assert rows(items, "basket", "item", "is_hidden") == [
        (1, 0, False),
        (1, 1, False),
        (2, 1, False),
        (2, 2, False),
        (3, 1, True),
        (3, 3, True),
    ]
    assert not items["is_removed"].any() and not items["is_moved"].any()


def test_basket_explore_removes_what_was_bought_before(three):
    items = example(three, A, stage(masking="basket_explore")).items
    last = items[items["basket"] == 3]
    assert rows(last, "item", "is_hidden", "is_removed") == [(1, False, True), (3, True, False)]


def test_item_level_rows_leave_the_last_basket_out(three):
    items = example(three, A, stage(masking="item_select", mask_ratio=0.5)).items
    assert rows(items, "is_removed") == [(False,)] * 4 + [(True,)] * 2
    joint = BtbrSettings(masking="joint", mask_ratio=0.5).stages()[0]
    assert not example(three, A, joint).items["is_removed"].any()


def test_a_long_history_is_read_from_its_end(three):
    short = stage(masking="basket_all", max_length=3)  # {1, 2} and {1, 3}, not {0, 1}
    items = example(three, A, short).items
    assert rows(items, "is_removed", "shown_in")[:3] == [(True, 0), (True, 0), (False, 2)]
    assert not items["is_moved"].any()


def test_moved_items_know_where_they_came_from_and_went(three):
    both = stage(masking="item_random", mask_ratio=0.1, swap_ratio=1.0)
    items = example(three, B, both).items  # {1} {3}: each moves to the other basket
    assert rows(items, "basket", "shown_in", "is_moved")[:2] == [(1, 2, True), (2, 1, True)]


def test_counts_tell_novel_hidden_items_from_those_that_can_be_copied(three):
    items = example(three, A, stage(masking="basket_all")).items  # 1 is visible in basket 2
    assert counts(items) == {"hidden": 2, "distinct": 2, "novel": 1, "moved": 0, "removed": 0}
    assert summary(items) == "2 hidden, 2 distinct, 1 novel among hidden"


@pytest.mark.parametrize("masking", MASKERS)
def test_every_purchase_is_one_chip_whatever_hides_it(three, masking):
    one = example(three, A, stage(masking=masking, mask_ratio=0.5))
    page = masked_baskets(one)
    n = counts(one.items)
    assert page.count('class="nnbr-chip') == 6
    assert page.count("nnbr-hidden") == n["hidden"] > 0
    assert page.count("nnbr-removed") == n["removed"]


def test_a_moved_item_is_drawn_where_it_went_and_outlined_where_it_was(three):
    both = stage(masking="item_random", mask_ratio=0.1, swap_ratio=1.0)
    one = example(three, B, both)
    page = masked_baskets(one)
    assert page.count("nnbr-moved") == page.count("nnbr-gone") == 2
    assert "1 ← 1" in page and "1 → 2" in page and "3 ← 2" in page and "3 → 1" in page


def test_the_same_seed_draws_the_same_and_another_one_does_not():
    many = Baskets.from_lists([[list(range(20)), [20]]])
    draws = [
        example(many, 0, stage(masking="item_random", mask_ratio=0.5), seed).items["is_hidden"]
        for seed in (1, 1, 2)
    ]
    assert draws[0].equals(draws[1]) and not draws[0].equals(draws[2])


def test_a_user_without_novel_items_is_named(three):
    explore = stage(masking="basket_explore")
    with pytest.raises(InputError, match="user C bought nothing new .* leaves them out"):
        example(three, C, explore)
    page = every_masker(three, C, 0.5)
    assert "user C bought nothing new" in page
    assert all(f"<h4>{name}</h4>" in page for name in MASKERS)


def test_one_user_costs_one_collate_of_one_user(three):
    with patch.object(btbr, "collate", wraps=btbr.collate) as collate:
        example(three, A, stage(masking="item_select"))
    ((users,), _), *more = collate.call_args_list
    assert users.n_users == 1 and more == []


def test_hidden_items_are_labelled_by_basket(three):
    items = example(three, A, stage(masking="basket_all")).items
    assert hidden_items(items) == {"1 (basket 3)": 0, "3 (basket 3)": 1}


def test_the_truth_is_listed_at_its_rank(three):
    model = Btbr(BtbrSettings(dim=8), three)
    with torch.no_grad():  # whatever is asked: 4 first, then 0, 2, 1 and 3
        model.network.tokens.weight.zero_()
        model.network.item_bias.copy_(torch.tensor([4.0, 2, 3, 1, 5]))
    one = example(three, A, stage(masking="basket_all"))
    table = predictions(model, one, mask=1, k=2)  # hides 3
    assert table.index.tolist() == [1, 2, 5]
    assert table["name"].tolist() == ["4", "0", "3"]
    assert table["truth"].tolist() == ["", "", "this is it"]
    assert predictions(model, one, mask=0, k=4)["truth"].tolist() == ["", "", "", "this is it"]
