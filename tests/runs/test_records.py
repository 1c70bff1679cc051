import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnbr_core.errors import InputError
from nnbr_core.runs import records
from nnbr_core.runs.records import DEPTH, Record, pack, unpack


def a_record(**changes) -> Record:
    hit = np.zeros((2, DEPTH), dtype=bool)
    hit[0, 1] = True  # user 4 wanted two items, one of them is at rank 2; user 9 wanted none
    users = pack(np.array([4, 9]), hit, np.array([2, 0]))
    values = dict.fromkeys(Record.__dataclass_fields__, "") | {"code": []}
    return Record(**values | {"id": "abc", "users": {"test": users}} | changes)


@given(st.data())
def test_packed_users_come_back_exactly(data):
    n = data.draw(st.integers(1, 30))
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, 10**6), min_size=n, max_size=n))))
    seed = np.random.default_rng(data.draw(st.integers(0, 99)))
    hit, n_relevant = seed.random((n, DEPTH)) < 0.1, seed.integers(0, 300, n)
    came_back = unpack(pack(rows, hit, n_relevant))
    assert all(map(np.array_equal, came_back, (rows, hit, n_relevant)))


def test_metrics_of_every_user_follow_from_the_record():
    table = a_record().per_user(ks=(1, 5))
    assert table.index.tolist() == [4, 9]
    assert table.loc[4, ["recall@1", "recall@5"]].tolist() == [0, 1 / 2]
    assert np.isnan(table.loc[9, "recall@5"])


def test_a_written_record_reads_the_same(tmp_path):
    records.write(a_record(seconds=1.5), tmp_path / "deep" / "abc.json")
    assert asdict(records.read(tmp_path / "deep" / "abc.json")) == asdict(a_record(seconds=1.5))
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["abc.json"]


@pytest.mark.parametrize("damage", ["cut", "changed", "other"])
def test_a_damaged_record_is_not_trusted(tmp_path, damage):
    path = tmp_path / "abc.json"
    records.write(a_record(seconds=1.5), path)
    text = path.read_text()
    path.write_text(
        {"cut": text[:-40], "changed": text.replace("1.5", "0.5"), "other": json.dumps({"a": 1})}[
            damage
        ]
    )
    with pytest.raises(InputError, match="abc.json is not a whole record"):
        records.read(path)


def test_a_store_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "store").touch()
    with pytest.raises(InputError, match="store/abc.json cannot be written"):
        records.write(a_record(), tmp_path / "store" / "abc.json")


def test_a_process_reads_a_record_once_and_again_when_it_has_changed(tmp_path, monkeypatch):
    reads = []
    read = records.read
    monkeypatch.setattr(records, "read", lambda path: reads.append(path) or read(path))
    path = tmp_path / "abc.json"
    assert records.find(path) is None and reads == []
    records.write(a_record(seconds=1.5), path)
    assert records.find(path) is records.find(path)
    records.write(a_record(seconds=22.5), path)
    assert records.find(path).seconds == 22.5
    path.write_text("{")
    with pytest.warns(UserWarning, match="ignored: .*abc.json is not a whole record"):
        assert records.find(path) is None
    assert records.find(path) is None and len(reads) == 3
    path.unlink()
    assert records.find(path) is None
