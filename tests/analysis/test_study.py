"""Rows of tables: which records stand behind them, and what they say."""

from dataclasses import replace

import numpy as np
import pytest
from made import made_row
from written import write

from nnbr_core.analysis.methods import Method, baselines, each
from nnbr_core.analysis.rows import (
    best_by_validation,
    fold_interval,
    fold_mean,
    has_learned,
    over_same_users,
    per_user,
    ranked,
)
from nnbr_core.analysis.study import Study
from nnbr_core.data.recipe import Recipe
from nnbr_core.runs import records
from nnbr_core.runs.run import run
from nnbr_core.significance import interval

LABELLED = Method("late", "last_popularity", each(labels="all"), each(labels="explore"))
POPULARITY = baselines()["popularity"]


def test_what_is_missing_is_computed_or_counted(elsewhere):
    shown = Study(folds=2, train_missing=False).row(LABELLED)
    assert (shown.folds, shown.n_settings, shown.n_missing) == (0, 0, 2)
    computed = Study(folds=2).row(LABELLED)
    assert (computed.folds, computed.n_settings, computed.n_missing) == (2, 1, 0)
    assert computed.records == Study(folds=2, train_missing=False).row(LABELLED).records


def test_validation_chooses_among_settings_recorded_for_every_fold(elsewhere):
    study = Study(folds=2)
    run(study.config("last_popularity", 0, labels="explore"))
    assert study.row(LABELLED).n_settings == 1  # explore is recorded for one fold only
    run(study.config("last_popularity", 1, labels="explore"))
    row = study.row(LABELLED)
    assert row.n_settings == 2
    for fold, record in enumerate(row.records):
        both = study.find(
            [study.config("last_popularity", fold, labels=one) for one in ("all", "explore")]
        )
        assert record.validation["recall@10"] == max(r.validation["recall@10"] for r in both)
        assert record.config["fold"] == fold


def test_a_method_of_one_fold_stays_on_it(elsewhere):
    row = Study(folds=3).row(replace(POPULARITY, folds=1))
    assert (row.folds, row.n_missing) == (1, 0)


def test_a_row_is_looked_up_again_only_if_a_record_was_added(elsewhere, monkeypatch):
    study = Study(train_missing=False)
    assert study.row(POPULARITY).folds == 0
    write(study, "popularity")
    row = study.row(POPULARITY)
    assert row.folds == 1
    monkeypatch.setattr(records, "find", lambda path: pytest.fail("looked up twice"))
    assert study.row(POPULARITY) is row


def test_users_of_several_folds_are_averaged_first(elsewhere):
    found = Study(folds=5).row(POPULARITY).records
    assert len(per_user(found, "recall@10")) == 500  # everybody is tested once
    twice = per_user([found[0], found[0]], "recall@10")
    assert np.array_equal(twice, found[0].per_user()["recall@10"], equal_nan=True)


def test_means_over_folds_count_a_user_once_in_every_fold(elsewhere):
    found = Study(folds=2).row(POPULARITY).records
    recalls = [record.test["recall@10"] for record in found]
    assert fold_mean(found, "recall@10") == pytest.approx(np.mean(recalls))
    twice = [found[0], found[0], found[1]]  # folds that share users
    assert fold_mean(twice, "recall@10") == pytest.approx((2 * recalls[0] + recalls[1]) / 3)
    low, high = fold_interval(twice, "recall@10")
    plain = interval(per_user(twice, "recall@10").to_numpy())
    assert high - low == pytest.approx(plain[1] - plain[0])
    assert low < fold_mean(twice, "recall@10") < high


def test_only_rows_over_the_same_users_are_ranked_together():
    rows = {
        "a": made_row("a", [0.3], [0.9]),
        "b": made_row("b", [0.4]),
        "c": made_row("c", [0.1], [0.1]),
        "d": made_row("d"),
    }
    both, first = over_same_users(rows)
    assert [ranked(group, "recall@10") for group in (both, first)] == [["a", "c"], ["b", "a", "c"]]
    assert {row.folds for row in both.values()} == {2} and {r.folds for r in first.values()} == {1}
    assert over_same_users({"d": rows["d"]}) == []


def test_the_best_row_is_chosen_on_validation_over_shared_folds():
    rows = [made_row("a", [0.5], [0.0]), made_row("b", [0.4]), made_row("c")]
    assert best_by_validation(rows, "best") is rows[0]
    nothing = best_by_validation(rows[2:], "the best of these")
    assert (nothing.folds, nothing.name) == (0, "the best of these")


def test_a_training_far_below_popularity_never_learned():
    popularity = made_row("popularity", [0.4])
    assert [has_learned(made_row("a", [v]), popularity) for v in (0.1, 0.2)] == [False, True]
    assert has_learned(made_row("a"), popularity) and has_learned(popularity, made_row("a"))


def test_other_datasets_take_part_with_all_their_folds_where_they_have_records(elsewhere):
    study = Study("toy", "quick", folds=2)
    assert study.everywhere() == {"toy": study}
    write(Study("completejourney", "quick"), "popularity")
    _, other = study.everywhere().values()
    assert (other.name, other.folds, other.train_missing) == ("completejourney", 5, False)
    shop = elsewhere / "shop.csv"
    bought = [f"{user},{time},{user * time % 7}" for user in range(40) for time in range(1, 9)]
    shop.write_text("\n".join(["user,time,item", *bought]))
    recipe = Recipe(user_column="user", time_column="time", item_column="item")
    own = replace(study, dataset=str(shop), recipe=recipe)
    assert list(own.everywhere()) == [own.name, "completejourney"]
