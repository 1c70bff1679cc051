import pytest

from nnbr_core.bench import BENCHMARKS


def test_ten_million_items_are_loaded_and_all_counted():
    found = BENCHMARKS["load_and_count"]()
    assert found["items"] == 10_000_000


@pytest.mark.needs("tafeng")
def test_counting_popularity_is_a_matter_of_seconds():
    found = BENCHMARKS["popularity"]()
    assert found["settings_tried"] == 1
    assert found["seconds_to_fit"] + found["seconds_per_1000_users"] < 5


@pytest.mark.needs("tafeng_raw")
def test_preparing_is_measured():
    assert BENCHMARKS["prepare_raw_tafeng"]()["seconds"] > 0
