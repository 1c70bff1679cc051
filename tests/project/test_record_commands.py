"""What is recorded, on the command line: listed, shown, compared, ranked, from the real records."""

import pytest

from nnbr_core.__main__ import main
from nnbr_core.runs.lookup import frame


@pytest.fixture(scope="module")
def tafeng():
    return frame("tafeng")


def printed(command: str, capsys) -> list[str]:
    assert main(command.split()) == 0
    return capsys.readouterr().out.splitlines()


def test_records_are_filtered_sorted_and_cut(capsys, tafeng):
    wanted = "records --dataset tafeng --where model=btbr --where fold=1 --sort recall@10"
    head, *lines = printed(f"{wanted} --columns id,fold,recall@10 --head 3", capsys)
    assert head.split() == ["id", "fold", "recall@10"]
    scores = [float(line.split()[2]) for line in lines]
    own = tafeng[(tafeng["model"] == "btbr") & (tafeng["fold"] == 1)]["recall@10"]
    assert scores == [round(value, 4) for value in sorted(own, reverse=True)[:3]]
    assert all(line.split()[1] == "1" for line in lines)


def test_a_record_is_one_line_and_all_are_there(capsys, tafeng):
    assert len(printed("records --dataset tafeng", capsys)) == 1 + len(tafeng)


def test_show_takes_the_beginning_of_an_id(capsys, tafeng):
    one = tafeng[tafeng["masking"] == "joint"].iloc[0]
    lines = printed(f"show {one['id']}", capsys)
    assert lines[0].endswith(f": {one['run']}")
    assert any(line.split()[:2] == ["masking", "joint"] for line in lines)
    assert any(line.split() == ["recall@10", f"{one['validation recall@10']:.4f}",
                                f"{one['recall@10']:.4f}"] for line in lines)  # fmt: skip
    assert lines[-1].startswith(f"best of {one['epochs trained']} epochs: ")


def test_compare_is_paired_over_the_same_users(capsys, tafeng):
    popular, neighbours = (
        tafeng[(tafeng["model"] == model) & (tafeng["fold"] == 0)].iloc[0]
        for model in ("popularity", "user_knn")
    )
    *_, line = printed(f"compare {neighbours['id']} {popular['id']}", capsys)
    difference = neighbours["recall@10"] - popular["recall@10"]
    assert f"+{difference:.4f}".replace("0.", ".") in line
    assert "higher" in line and "2,633" in line


def test_the_leaderboard_ranks_methods_of_the_same_users(capsys):
    lines = printed("leaderboard --dataset tafeng", capsys)
    assert lines[0] == "tafeng: 13,858 users, 3 of 3 folds"
    first = lines[2 : lines.index("", 2)]
    scores = [float(line[26:].split()[0]) for line in first[1:]]
    assert scores == sorted(scores, reverse=True)
    assert all(line.split()[-5:-3] == ["6369", "3"] for line in first[1:])


def test_all_of_it_works_without_the_data(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("NNBR_DATA", str(tmp_path))
    monkeypatch.setattr("nnbr_core.paths.prepared_data", lambda: tmp_path / "prepared")
    assert "user_knn" in "\n".join(printed("leaderboard --dataset tafeng", capsys))


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("show zz", "no record's id begins with 'zz'"),
        ("show *", "no record's id begins with '*'"),
        ("show 0", "ids begin with '0'"),
        ("records --dataset nowhere", "nothing is recorded of nowhere"),
        ("records --where model", "'model': a condition looks like masking=joint"),
        ("records --where modle=btbr", "unknown column 'modle': did you mean 'model'?"),
        ("records --sort recal@10", "unknown column 'recal@10': did you mean 'recall@10'?"),
        ("records --columns id,fould", "unknown column 'fould': did you mean 'fold'?"),
        ("leaderboard --dataset tafeng --metric mrr", "unknown metric 'mrr'"),
        ("leaderboard --dataset tafang", "unknown dataset 'tafang'"),
        ("export rq9", "unknown notebook 'rq9'"),
        ("html nowhere.ipynb", "nowhere.ipynb cannot be read"),
        ("html pyproject.toml", "pyproject.toml is not a notebook"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(command, complaint, capsys, monkeypatch):
    from nnbr_core.paths import project_root

    monkeypatch.chdir(project_root())
    assert main(command.split()) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert said.err.startswith("nnbr: ") and said.err.count("\n") == 1 and said.out == ""


def test_runs_of_other_users_are_not_compared(capsys, tafeng):
    one = tafeng[tafeng["fold"] == 0].iloc[0]["id"]
    other = tafeng[tafeng["fold"] == 1].iloc[0]["id"]
    assert main(["compare", one, other]) == 2
    assert "are about other users: fold 0 of tafeng" in capsys.readouterr().err
