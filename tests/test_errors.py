import pytest

from nnbr_core.errors import InputError, choose, nearest


def test_a_valid_name_is_given_back():
    assert choose("colour", "red", ["red", "blue"]) == "red"


def test_an_invalid_one_gets_the_nearest_or_all():
    with pytest.raises(InputError, match="unknown colour 'rad': did you mean 'red'?"):
        choose("colour", "rad", ["red", "blue"])
    assert nearest("zzz", ["red", "blue"]) == "choose from: blue, red"
