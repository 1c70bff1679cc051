"""What runs will cost, said before they start, and progress that a log can hold."""

import pytest

from nnbr_core.__main__ import main
from nnbr_core.analysis.methods import Method, each
from nnbr_core.analysis.study import Study
from nnbr_core.runs import cost, records
from nnbr_core.runs.config import configure
from nnbr_core.runs.cost import Cost, estimate, run_seconds, together
from nnbr_core.runs.progress import Progress
from nnbr_core.runs.records import Record


def write_record(folder, name: str, config, data: str, seconds: float, epochs: int, n_test: int):
    """A record of which only what an estimate reads is filled in."""
    fields = dict.fromkeys(Record.__dataclass_fields__, "")
    fields |= {"id": name, "config": config.as_dict(), "data": data, "seconds": seconds}
    fields |= {"curve": [{}] * epochs, "users_scored": n_test, "users_left_out": 0}
    records.write(Record(**fields), folder / "runs" / "made" / f"{name}.json")


def test_recorded_seconds_of_the_same_data_are_taken_as_they_are(elsewhere):
    config = configure("toy", "popularity")
    write_record(elsewhere, "a", config, "here", 3.0, 0, 10)
    write_record(elsewhere, "b", config, "there", 99.0, 0, 10)
    assert run_seconds([config, config], "here", 50) == [3.0, 3.0]


def test_other_data_is_scaled_by_its_users(elsewhere):
    config = configure("toy", "popularity")
    write_record(elsewhere, "a", config, "there", 3.0, 0, n_test=10)  # a fifth of 50 users
    assert run_seconds([config], "here", 200) == [12.0]


def test_a_training_that_runs_to_the_end_is_scaled_by_its_epochs(elsewhere):
    usual = configure("toy", "btbr", epochs=100, patience=8)
    to_the_end = configure("toy", "btbr", epochs=30, patience=30)
    write_record(elsewhere, "a", usual, "here", 20.0, epochs=10, n_test=10)
    assert run_seconds([usual, to_the_end], "here", 50) == [20.0, 60.0]


def test_the_closest_settings_are_the_measure(elsewhere):
    item, joint = (configure("toy", "btbr", masking=name) for name in ("item_select", "joint"))
    write_record(elsewhere, "a", item, "here", 20.0, epochs=10, n_test=10)
    write_record(elsewhere, "b", joint, "here", 90.0, epochs=20, n_test=10)
    assert run_seconds([item, joint], "here", 50) == pytest.approx([20.0, 90.0])


def test_without_any_record_a_named_default_stands(elsewhere):
    assert run_seconds([configure("toy", "btbr")], "here", 50) == [cost.UNKNOWN]


def test_runs_go_side_by_side_and_none_is_faster_than_itself():
    assert together([60.0, 60.0, 60.0], 2) == Cost(3, 90.0, 2)
    assert together([600.0, 1.0], 2) == Cost(2, 600.0, 2)
    assert together([60.0], 8).n_cores == 1
    assert not together([601.0]).is_small and together([600.0]).is_small


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(20, 1340.0, 2), "20 runs missing, about 22 min on 2 cores"),
        (Cost(1, 0.2, 1), "1 run missing, about 1 s on 1 core"),
        (Cost(9, 9000.0, 4), "9 runs missing, about 2.5 h on 4 cores"),
        (Cost(0, 0.0, 1), "No runs missing"),
    ],
)
def test_a_cost_is_one_sentence(cost, said):
    assert str(cost) == said


LATE = Method("late", "last_popularity", each(labels=("all", "explore")))


def test_a_notebook_says_the_cost_once_and_then_works(elsewhere, capsys):
    Study(folds=2, train_missing=None).rows({"late": LATE, "popular": Method("p", "popularity")})
    assert capsys.readouterr().out == "6 runs missing, about 30 s on 1 core.\n"


def test_what_takes_long_is_computed_only_if_that_is_said(elsewhere, capsys, monkeypatch):
    monkeypatch.setattr(cost, "NOT_BY_ITSELF", 8.0)  # two runs without a record: 10 s
    study = Study(train_missing=None)
    assert study.rows({"late": LATE})["late"].n_missing == 2
    said = "2 runs missing, about 10 s on 1 core: what is recorded is shown. "
    assert capsys.readouterr().out == said + "train_missing=True computes the rest.\n"
    study.row(Method("first", "last_popularity", each(labels="all")))
    assert capsys.readouterr().out == ""  # one of them alone is left out too
    assert Study(train_missing=True).rows({"late": LATE})["late"].n_missing == 0


def test_a_log_gets_a_line_per_run_without_carriage_returns(capsys, monkeypatch):
    monkeypatch.setattr("nnbr_core.runs.progress.WORTH_A_LINE", 0.0)
    with Progress(2) as bar:
        bar.done()
        bar.done(has_failed=True)
    printed = capsys.readouterr()
    assert printed.out == "1 of 2 runs, about 1 s left\n2 of 2 runs, 1 failed, all done\n"
    assert printed.err == ""
    assert bar.line(0.0) == "2 of 2 runs, 1 failed, all done"


def test_the_time_left_follows_from_the_runs_that_are_done():
    with Progress(5, is_shown=False) as bar:
        bar.done()
        bar.done()
    assert bar.line(240.0) == "2 of 5 runs, about 6 min left"


def test_sweep_says_the_cost_before_work_and_in_its_list(elsewhere, capsys):
    assert main("sweep rq4 --dataset toy --profile quick --folds 1 --list".split()) == 0
    printed = capsys.readouterr()
    n_runs = len(printed.out.splitlines())
    assert printed.err.startswith(f"{n_runs} runs missing, about ")
    assert printed.out.count(" on toy, fold 0") == n_runs > 4


def test_a_list_of_runs_needs_no_data(elsewhere, monkeypatch, capsys):
    monkeypatch.setenv("NNBR_DATA", str(elsewhere / "nothing"))
    assert main("sweep rq4 --dataset tafeng --list".split()) == 0
    printed = capsys.readouterr()
    assert "btbr, masking item_random" in printed.out
    assert printed.err.startswith("What is missing cannot be told: tafeng: ")


def test_estimate_counts_all_runs(elsewhere):
    configs = [configure("toy", "popularity", fold) for fold in range(4)]
    assert estimate(configs, "here", 50, n_cores=2) == Cost(4, 2 * cost.UNKNOWN, 2)
