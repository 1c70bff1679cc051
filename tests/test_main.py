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
        ("run --dataset toy --fold x", "argument --fold: invalid int value: 'x'"),
        ("run --dataset toy --scop all_users", "unknown option '--scop'"),
        ("run --dataset toy --min-baskets x", "--min-baskets = 'x'"),
        ("prepare nowhere.csv", "nowhere.csv does not exist"),
        ("fetch instacart", "unknown dataset to fetch 'instacart'"),
        ("gallery rq9", "unknown notebook 'rq9'"),
        ("gallery --profile fast 01_explore_data", "unknown profile 'fast'"),
        ("sweep nowhere.yaml", "nowhere.yaml cannot be read"),
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

    monkeypatch.setattr("nnbr_core.data.prepare.count_rows", stop)
    assert main(["datasets"]) == 130
    assert capsys.readouterr().err == "nnbr: stopped; what was finished is kept\n"
