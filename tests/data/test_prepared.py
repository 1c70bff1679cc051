import os
import time
import warnings

import numpy as np
import pytest

from nnbr_core.data import prepared
from nnbr_core.data.prepared import ABANDONED, BUILDING, read, write


def test_what_was_written_is_read(three, tmp_path):
    write(three, {"rows": 14}, tmp_path / "three")
    baskets, notes = read(tmp_path / "three")
    assert (baskets.fingerprint, notes) == (three.fingerprint, {"rows": 14})
    assert read(tmp_path / "other") is None


@pytest.mark.parametrize("damage", [b"", b"x", None])
def test_a_damaged_folder_is_said_and_removed(three, tmp_path, damage):
    folder = tmp_path / "three"
    write(three, {}, folder)
    items = folder / "items.npy"
    content = bytearray(items.read_bytes())
    content[-1] ^= 1  # one bit, as a bad disk would
    items.write_bytes(content if damage is None else damage)
    with pytest.warns(UserWarning, match="three is damaged: it is built again"):
        assert read(folder) is None
    assert not folder.exists()


def test_checksums_are_looked_at_once(three, tmp_path, monkeypatch):
    looked = []
    checksums = prepared._checksums
    monkeypatch.setattr(prepared, "_checksums", lambda f: looked.append(f) or checksums(f))
    write(three, {}, tmp_path / "three")
    del looked[:]
    for _ in range(3):
        read(tmp_path / "three")
    assert len(looked) == 1


def test_everything_reaches_the_disk_before_and_after_the_rename(three, tmp_path, monkeypatch):
    done = []
    sync, rename = prepared.sync, os.rename
    monkeypatch.setattr(prepared, "sync", lambda p: done.append(p.name) or sync(p))
    monkeypatch.setattr(os, "rename", lambda a, b: done.append("rename") or rename(a, b))
    write(three, {}, tmp_path / "three")
    before, after = done[: done.index("rename")], done[done.index("rename") + 1 :]
    assert {"items.npy", "catalogue.parquet", "notes.json", "checksums.json"} < set(before)
    assert before[-1].startswith(BUILDING)
    assert after == [tmp_path.name]


def test_leftovers_of_killed_builds_are_cleaned_but_not_those_being_written(three, tmp_path):
    for name, age in {"old": 2 * ABANDONED, "new": 0}.items():
        left = tmp_path / f"{BUILDING}{name}"
        left.mkdir()
        np.save(left / "items.npy", np.arange(3))
        os.utime(left, (time.time() - age, time.time() - age))
    write(three, {}, tmp_path / "three")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{BUILDING}new", "three"]


def test_the_slower_of_two_builds_changes_nothing(three, tmp_path):
    write(three, {"rows": 1}, tmp_path / "three")
    write(three, {"rows": 2}, tmp_path / "three")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path / "three")[1] == {"rows": 1}
    assert list(tmp_path.iterdir()) == [tmp_path / "three"]
