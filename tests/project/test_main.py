"""The command line as a user types it."""

import json
import subprocess
import sys

import pytest

from nnbr_core.__main__ import main


def test_settings_of_the_model_are_options(elsewhere, capsys):
    assert main("run --dataset toy --model popularity --scope train_users --json".split()) == 0
    assert "scope train_users" in json.loads(capsys.readouterr().out)["config"]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("run --dataset tafang", "unknown dataset 'tafang': did you mean 'tafeng'?"),
        ("run --model popularty", "unknown model 'popularty': did you mean 'popularity'?"),
        ("run --dataset toy --model popularity --fold 5", "fold 5 does not exist"),
        ("run --dataset toy --dim 0", "dim = 0: 1 to 4,096 is needed"),
        ("run --dataset toy --learning-rate nan", "learning_rate = nan: above 0, at most 10"),
        ("run --dataset toy --seed 18446744073709551616", "seed = 18446744073709551616: 0 to"),
        ("run --dataset toy --first-users 0", "first_users = 0.0: above 0, at most 1 is needed"),
        ("run --dataset toy --fold x", "argument --fold: invalid int value: 'x'"),
        ("run --dataset toy --scop all_users", "unknown option '--scop'"),
        ("run --dataset toy --min-baskets x", "--min-baskets = 'x'"),
        ("prepare nowhere.csv", "nowhere.csv does not exist"),
        ("fetch instacart", "unknown dataset to fetch 'instacart'"),
        ("gallery rq9", "unknown notebook 'rq9'"),
        ("gallery --profile fast 01_explore_data", "unknown profile 'fast'"),
        ("sweep nowhere.yaml", "nowhere.yaml cannot be read"),
        ("sweep rq33", "unknown experiment 'rq33': did you mean 'rq3'"),
        ("sweep rq3 --dataset tafang", "unknown dataset 'tafang': did you mean 'tafeng'?"),
        ("sweep rq3 --dataset toy --grid pruned", "unknown grid 'pruned'"),
        ("sweep rq3 --dataset toy --folds 9", "folds = 9: 1 to 5 for toy, or 0 for all"),
        ("sweep rq3 --dataset toy --profile fast", "unknown profile 'fast'"),
        ("bench nothing", "unknown benchmark 'nothing'"),
        ("reciepe", "invalid choice: 'reciepe'"),
        ("", "the following arguments are required: command"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(command, complaint, elsewhere, capsys):
    assert main(command.split()) == 2
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert printed.err.startswith("nnbr: ") and printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize(
    ("command", "heavy"),
    [("--help", "torch pandas duckdb jupyter"), ("datasets", "torch jupyter dask")],
)
def test_what_only_looks_does_not_load_what_trains(command, heavy):
    code = "import sys; from nnbr_core.__main__ import main\ntry: main(sys.argv[1:])\n"
    code += "finally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, command], capture_output=True, text=True)
    assert done.stdout
    assert not set(heavy.split()) & set(done.stderr.split())


def test_a_real_process_shows_no_traceback(tmp_path):
    command = [sys.executable, "-m", "nnbr_core", "run", "--dataset", "tafang"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops_early_sees_no_traceback(tmp_path):
    command = f"{sys.executable} -u -m nnbr_core datasets | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.startswith("toy: found")
    assert "Traceback" not in done.stderr


def test_ctrl_c_is_one_sentence(monkeypatch, capsys):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("nnbr_core.data.sources.Source.files", stop)
    assert main(["datasets"]) == 130
    assert capsys.readouterr().err == "nnbr: stopped; what was finished is kept\n"


def test_help_says_what_an_option_means_and_may_be(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    assert "exactly swap_hop baskets, or within; one of code, within; default: code" in printed
    assert "one of popularity, last_popularity, recent_popularity, item_knn" in printed
    assert "numbers per item; 1 to 4,096; default: 64" in printed
    assert "users with fewer are dropped; at least 2; default: 3" in printed
