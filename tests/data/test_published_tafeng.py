import json

import pytest

from nnbr_core.data.prepare import load
from nnbr_core.data.published_tafeng import split_roles
from nnbr_core.errors import InputError


def test_roles_follow_the_order_of_users_not_of_the_file(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"train": ["c"], "val": ["a"], "test": ["b"]}))
    assert split_roles(path, ["a", "b", "c"]).tolist() == [1, 2, 0]


def test_a_part_that_is_missing_is_named(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"train": ["a"], "test": ["b"]}))
    with pytest.raises(InputError, match="keys.json: val is missing"):
        split_roles(path, ["a", "b"])


@pytest.mark.needs("tafeng")
def test_the_three_published_splits_have_the_published_sizes():
    splits = load("tafeng").splits
    assert [[int((row == role).sum()) for role in (0, 1, 2)] for row in splits] == [
        [9_977, 1_109, 2_772]
    ] * 3
