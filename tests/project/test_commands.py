"""The commands as a user types them."""

import json

import pytest

from nnbr_core.__main__ import main
from nnbr_core.analysis.methods import references


def test_run_prints_one_json_object(elsewhere, capsys):
    assert main("run --dataset toy --model popularity --fold 0 --json".split()) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {"id", "validation", "test", "users_scored", "users_left_out", "seconds"} <= set(printed)
    assert {"recall@10", "ndcg@10", "ndcg_code@10"} <= set(printed["test"])
    assert printed["users_scored"] + printed["users_left_out"] == 600


def test_run_reads_a_file_of_your_own(elsewhere, capsys):
    path = elsewhere / "shop.csv"
    rows = [f"u{u},{t},{(u * t + i) % 30}" for u in range(20) for t in range(4) for i in range(9)]
    path.write_text("who,when,what\n" + "\n".join(rows) + "\n")
    columns = "--user-column who --time-column when --item-column what --min-item-count 1"
    assert main(f"run --dataset {path} --model last_popularity {columns}".split()) == 0
    assert "last_popularity on" in capsys.readouterr().out


def test_datasets_says_what_is_there_and_how_to_get_the_rest(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    assert main(["datasets"]) == 0
    printed = capsys.readouterr().out
    assert "toy: found\n" in printed
    assert "completejourney: found, 13.8 MB" in printed
    assert "instacart: not found" in printed
    assert f"looked in {tmp_path}/instacart" in printed
    assert "to get it: run: python -m nnbr_core fetch tafeng_raw" in printed


def test_prepare_prints_the_dataset_row_and_what_was_used(elsewhere, capsys):
    assert main(["prepare", "completejourney"]) == 0
    printed = capsys.readouterr()
    assert "min_item_count 5" in printed.out
    assert "13,951" in printed.out
    assert "preparing completejourney" in printed.err  # the progress bar


GRID = "model: popularity\ngrids:\n  few: [{fold: [0, 1]}]\n  far: [{fold: [0, 9]}]\n"


def test_sweep_runs_a_grid_and_says_what_failed(elsewhere, capsys):
    path = elsewhere / "grid.yaml"
    path.write_text(GRID)
    assert main(f"sweep {path} --dataset toy --list".split()) == 0
    assert capsys.readouterr().out == "popularity on toy, fold 0\npopularity on toy, fold 1\n"
    assert main(f"sweep {path} --dataset toy --workers 1".split()) == 0
    assert capsys.readouterr().out == "2 done\n"
    assert main(f"sweep {path} --dataset toy --workers 1 --grid far".split()) == 1
    printed = capsys.readouterr()
    assert printed.out == "1 found, 1 failed\n"
    assert "popularity on toy, fold 9: InputError: fold 9 does not exist" in printed.err


def test_sweep_lists_what_a_notebook_needs_on_all_folds_of_a_dataset(capsys):
    assert main("sweep rq3 --dataset tafeng --list".split()) == 0
    few = capsys.readouterr().out.splitlines()
    assert len(few) == len(set(few)) and all("on tafeng, fold 0" in line for line in few)
    assert sum("swap_ratio" in line for line in few) == 2 * 3 * 3
    assert main("sweep rq3 --dataset tafeng --grid paper --list".split()) == 0
    full = capsys.readouterr().out.splitlines()
    assert set(few) < set(full) and sum("swap_ratio" in line for line in full) == 2 * 5 * 5
    assert main("sweep rq1 --dataset tafeng --list".split()) == 0
    assert "popularity on tafeng, fold 2" in capsys.readouterr().out.splitlines()
    assert main("sweep rq1 --dataset tafeng --folds 1 --list".split()) == 0
    assert "fold 1" not in capsys.readouterr().out


@pytest.mark.needs("instacart")
def test_sweep_is_about_the_dataset_that_is_named(capsys):
    assert main("sweep rq3 --dataset instacart --list".split()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines and all(" on instacart, fold 0" in line for line in lines)


def test_a_swept_question_is_computed_and_found_the_next_time(elsewhere, monkeypatch, capsys):
    """Two rows stand for all baselines."""
    few = {name: references()[name] for name in ("last_popularity, all", "item_knn")}
    for nothing in ("baselines", "best_lists"):
        monkeypatch.setattr(f"nnbr_core.analysis.methods.{nothing}", dict)
    monkeypatch.setattr("nnbr_core.analysis.methods.references", lambda: few)
    for printed in ("2 done\n", "2 found\n"):
        command = "sweep rq1 --dataset toy --profile quick --folds 1 --workers 1"
        assert main(command.split()) == 0
        assert capsys.readouterr().out == printed


def test_bench_prints_json(capsys):
    assert main(["bench", "load_and_count", "judge_scores"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["items"] == 10_000_000
    assert [line["benchmark"] for line in lines] == ["load_and_count", "judge_scores"]
