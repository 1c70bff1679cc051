import pytest

from nnbr_core.errors import InputError, choose, nearest


def test_a_valid_name_is_given_back():
    assert choose("colour", "red", ["red", "blue"]) == "red"


def test_an_invalid_one_gets_the_nearest_or_all():
    with pytest.raises(InputError, match="unknown colour 'rad': did you mean 'red'?"):
        choose("colour", "rad", ["red", "blue"])
    assert nearest("zzz", ["red", "blue"]) == "choose from: blue, red"


def test_a_long_catalogue_is_not_listed_to_its_end():
    hint = nearest("cocoa", [f"item {n:05d}" for n in range(14_000)])
    assert hint.startswith("choose from: item 00000, item 00001, ")
    assert hint.endswith("item 00029, ...")
