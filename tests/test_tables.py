from nnbr_core.experiments.study import Study, per_user
from nnbr_core.show.tables import dataset_table, score_table
from nnbr_core.significance import interval


def test_the_papers_row_stands_below_ours(three):
    table = dataset_table(three, "tafeng")
    assert table.index.tolist() == ["tafeng, here", "tafeng, paper"]
    assert table["users"].tolist() == ["3", "13,858"]
    assert table["repeat_ratio"].tolist() == ["0.500", "0.188"]
    assert dataset_table(three, "toy").index.tolist() == ["toy, here"]


def test_scores_carry_their_interval_and_what_stands_behind_them(elsewhere):
    records = Study(folds=2).records("popularity")
    table = score_table({"popularity": records}, metrics=("recall@10",))
    values = per_user(records, "recall@10")
    low, high = interval(values.to_numpy())
    assert table.loc["popularity", "recall@10"] == f"{values.mean():.4f} [{low:.3f}, {high:.3f}]"
    assert table.loc["popularity", "folds"] == 2
    assert table.loc["popularity", "users"] == values.notna().sum()
