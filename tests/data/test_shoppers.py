import pytest

from nnbr_core.bench.shoppers import purchases, write_instacart
from nnbr_core.data.describe import statistics
from nnbr_core.data.prepare import load


def test_generated_shoppers_look_like_the_real_ones(elsewhere, monkeypatch):
    # The 3,099 users of the real sample: items 9,401, users 2,918.
    monkeypatch.setenv("NNBR_DATA", str(elsewhere))
    n_rows = write_instacart(elsewhere / "instacart", 3_099)
    assert n_rows == len(purchases(3_099))
    found = statistics(load("instacart"))
    assert found["users"] == pytest.approx(2_918, rel=0.05)
    assert found["items"] == pytest.approx(9_401, rel=0.05)
    assert found["avg_basket_size"] == pytest.approx(9.3, rel=0.05)
    assert found["avg_baskets_per_user"] == pytest.approx(12.7, rel=0.05)
    assert found["repeat_ratio"] == pytest.approx(0.61, abs=0.03)


def test_an_order_holds_a_product_once_and_orders_are_numbered_from_one():
    bought = purchases(50)
    assert not bought.duplicated(["order", "product"]).any()
    numbers = bought.drop_duplicates("order").groupby("user")["number"].apply(list)
    assert all(found == list(range(1, len(found) + 1)) for found in numbers)


def test_the_same_seed_gives_the_same_purchases():
    assert purchases(20, seed=1).equals(purchases(20, seed=1))
    assert not purchases(20, seed=1).equals(purchases(20, seed=2))
