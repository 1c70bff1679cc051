import pytest

from nnbr_core.data.recipe import Recipe
from nnbr_core.data.sources import SOURCES, find_source, present
from nnbr_core.errors import InputError


def test_a_name_is_found_in_the_registry():
    assert find_source("toy") is SOURCES["toy"]


def test_a_typo_gets_the_nearest_name():
    with pytest.raises(InputError, match="unknown dataset 'tafang': did you mean 'tafeng'"):
        find_source("tafang")


def test_a_path_makes_a_source_named_after_the_file(tmp_path):
    path = tmp_path / "my_shop.csv.gz"
    path.touch()
    source = find_source(str(path))
    assert source.name == "my_shop"
    assert source.files(Recipe()) == [path]


def test_other_file_types_are_refused(tmp_path):
    (tmp_path / "shop.xlsx").touch()
    with pytest.raises(InputError, match="only .csv"):
        find_source(str(tmp_path / "shop.xlsx"))


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in {"toy"}])
def test_a_missing_source_says_what_where_and_how_to_get_it(name, tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    monkeypatch.setattr("nnbr_core.data.sources.find_spec", lambda package: None)
    with pytest.raises(InputError) as complaint:
        SOURCES[name].files(Recipe())
    assert SOURCES[name].how_to_get in str(complaint.value)
    assert "not found in" in str(complaint.value)


def test_datasets_that_need_no_download_are_always_present(tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    assert present() == ["toy", "completejourney"]
