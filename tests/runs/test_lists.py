import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from nnbr_core.__main__ import main
from nnbr_core.data.folds import split
from nnbr_core.data.toy import world
from nnbr_core.errors import InputError
from nnbr_core.evaluation import USERS_AT_ONCE, novel_scores, top_novel
from nnbr_core.runs import lists
from nnbr_core.runs import run as runs
from nnbr_core.runs.config import configure
from nnbr_core.runs.lists import write_lists

POPULAR = configure("toy", "popularity")
N_BLOCKS = -(-3000 // USERS_AT_ONCE)


def stop_after(n_blocks: int, monkeypatch) -> list[int]:
    """Let Ctrl-C come after so many blocks; returns the list of blocks that are made."""
    made, real = [], lists.block_lists

    def counted(model, baskets, k, number):
        if len(made) == n_blocks:
            raise KeyboardInterrupt
        made.append(number)
        return real(model, baskets, k, number)

    monkeypatch.setattr(lists, "block_lists", counted)
    return made


def test_csv_and_parquet_hold_the_same_lists(elsewhere):
    csv, parquet = elsewhere / "lists.csv", elsewhere / "lists.parquet"
    assert write_lists(POPULAR, 4, csv) == write_lists(POPULAR, 4, parquet) == 3000
    text = pd.read_csv(csv, dtype={"user": str, "item": str}, keep_default_na=False)
    table = pd.read_parquet(parquet)
    assert list(text) == ["user", "rank", "item", "name", "group", "score"]
    for name in ("user", "rank", "item", "name", "group"):
        assert text[name].tolist() == table[name].tolist()
    assert np.array_equal(text["score"].astype(np.float32), table["score"])
    assert sorted(path.name for path in elsewhere.iterdir()) == ["lists.csv", "lists.parquet"]


def test_lists_are_those_of_ranking_everybody(elsewhere):
    write_lists(POPULAR, 5, elsewhere / "lists.parquet")
    found = pd.read_parquet(elsewhere / "lists.parquet")
    toy = world().baskets
    model = runs.train(POPULAR, split(toy, 0))
    top = top_novel(model.score, toy, 5)
    assert found["item"].astype(int).to_numpy().reshape(-1, 5).tolist() == top.tolist()
    assert found["user"].tolist() == np.repeat(toy.user_ids, 5).tolist()


def test_a_stopped_job_goes_on_where_it_was(elsewhere, monkeypatch):
    path, whole = elsewhere / "lists.csv", elsewhere / "whole.csv"
    write_lists(POPULAR, 3, whole)
    made = stop_after(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_lists(POPULAR, 3, path)
    assert made == [0, 1]
    assert not path.exists()
    monkeypatch.undo()
    monkeypatch.setenv("NNBR_RUNS", str(elsewhere / "runs"))
    rest = stop_after(N_BLOCKS, monkeypatch)
    write_lists(POPULAR, 3, path)
    assert rest == list(range(2, N_BLOCKS))
    assert path.read_bytes() == whole.read_bytes()
    assert not path.with_name("lists.csv.blocks").exists()


def test_blocks_of_other_settings_are_not_used(elsewhere, monkeypatch):
    path = elsewhere / "lists.csv"
    stop_after(2, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_lists(POPULAR, 3, path)
    monkeypatch.undo()
    for config, k in ((POPULAR, 4), (configure("toy", "popularity", scope="train_users"), 4)):
        made = stop_after(N_BLOCKS, monkeypatch)
        write_lists(config, k, path)
        monkeypatch.undo()
        assert made == list(range(N_BLOCKS))
        assert (pd.read_csv(path).groupby("user")["rank"].max() == k).all()


def test_a_killed_process_leaves_nothing_under_the_final_name_and_is_resumed(tmp_path):
    out, blocks = tmp_path / "lists.csv", tmp_path / "lists.csv.blocks"
    slow = "import time; from nnbr_core.runs import lists; real = lists._keep\n"
    slow += "def keep(*args): real(*args); time.sleep(1)\n"
    slow += "lists._keep = keep; from nnbr_core.__main__ import main; main("
    slow += f"'recommend --dataset toy --model popularity --out {out}'.split())"
    process = subprocess.Popen([sys.executable, "-c", slow], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(blocks.glob("*.parquet"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = {path: path.stat().st_mtime_ns for path in blocks.glob("*.parquet")}
    assert 2 <= len(kept) < N_BLOCKS
    assert not out.exists()
    assert main(f"recommend --dataset toy --model popularity --out {out}".split()) == 0
    assert len(pd.read_csv(out)) == 3000 * 10


def test_a_cluster_makes_the_same_file(elsewhere):
    here, there = elsewhere / "here.csv", elsewhere / "there.csv"
    write_lists(POPULAR, 3, here)
    quiet = {"processes": False, "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as cluster, Client(cluster) as it:
        write_lists(POPULAR, 3, there, client=it)
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.parametrize("name", ["lists.xlsx", "lists"])
def test_other_types_of_file_are_refused_before_anything_is_done(elsewhere, name):
    with pytest.raises(InputError, match=r"unknown type of file .*choose from: .csv, .parquet"):
        write_lists(POPULAR, 3, elsewhere / name)
    assert list(elsewhere.iterdir()) == []


def test_an_address_without_a_scheduler_is_one_sentence(elsewhere, capsys, monkeypatch):
    monkeypatch.setattr("nnbr_core.commands.SCHEDULER_TIMEOUT", 1)
    command = f"recommend --dataset toy --model popularity --out {elsewhere}/lists.csv"
    assert main(f"{command} --scheduler tcp://127.0.0.1:9".split()) == 2
    assert "no Dask scheduler at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_scores_that_do_not_fit_say_how_much_is_needed(three):
    impossible = 2**45

    def score(histories):
        return np.ones((histories.n_users, impossible), dtype=np.float32)

    with pytest.raises(InputError, match=r"3 users for 5 items do not fit .* 0\.0 GB"):
        novel_scores(score, three.histories())
