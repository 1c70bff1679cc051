import re

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
    assert re.fullmatch("own-my_shop-[0-9a-f]{8}", source.name)
    assert source.files(Recipe()) == [path]


def test_no_own_file_shares_a_name_with_a_dataset_or_with_another_file(tmp_path):
    names = set()
    for name in ("tafeng.csv", ".csv", "a/tafeng.csv", "x" * 245 + ".csv", "ünï cödé\n'.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        names.add(find_source(str(path)).name)
    assert len(names) == 5
    assert all(re.fullmatch(r"own-[\w-]{1,40}-[0-9a-f]{8}", name, re.ASCII) for name in names)


@pytest.mark.parametrize(
    ("dataset", "complaint"),
    [
        ("~nouser/a.csv", "'~nouser/a.csv' cannot be a file: Could not determine home"),
        ("/tmp/" + "x" * 300 + ".csv", "File name too long|does not exist"),
        ("a\0b.csv", "cannot be a file: embedded null"),
        ("/dev/null.d/../null", "only .csv|is no file"),
    ],
)
def test_a_path_that_cannot_be_a_file_is_one_sentence(dataset, complaint):
    with pytest.raises(InputError, match=complaint):
        find_source(dataset)


def test_a_folder_is_called_a_folder(tmp_path):
    (tmp_path / "week.csv").mkdir()
    with pytest.raises(InputError, match="week.csv is a folder: give a file in it"):
        find_source(str(tmp_path / "week.csv"))


def test_other_file_types_are_refused(tmp_path):
    (tmp_path / "shop.xlsx").touch()
    with pytest.raises(InputError, match="only .csv"):
        find_source(str(tmp_path / "shop.xlsx"))


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in {"toy", "toy_season"}])
def test_a_missing_source_says_what_where_and_how_to_get_it(name, tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    monkeypatch.setattr("nnbr_core.data.sources.find_spec", lambda package: None)
    with pytest.raises(InputError) as complaint:
        SOURCES[name].files(Recipe())
    assert SOURCES[name].how_to_get in str(complaint.value)
    assert "not found in" in str(complaint.value)


def test_datasets_that_need_no_download_are_always_present(tmp_path, monkeypatch):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    assert present() == ["toy", "toy_season", "completejourney"]
