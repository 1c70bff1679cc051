import pandas as pd
import pytest
from made import by_hand, made_row

from nnbr_core.analysis.claims import CLAIMS
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.findings import Finding
from nnbr_core.analysis.grid_runs import BY_SWAP, scored
from nnbr_core.analysis.methods import baselines, references
from nnbr_core.analysis.outcomes import NOT_RUN, REPLICATES, UNDECIDED
from nnbr_core.analysis.study import Study
from nnbr_core.figures import sentences


def test_recorded_counts_what_is_there():
    frame = by_hand((0.1, 0, 0, [0.5]), (0.3, 0, 0, None), (0.5, 0, 0, None))
    assert sentences.recorded(frame) == "1 of 3 runs are recorded, 2 are missing."


@pytest.mark.parametrize(
    ("swap", "said"),
    [
        (
            [0.9],
            "item_select: among 2 choices, validation users prefer swap ratio 0.5, hop 1.",
        ),
        ([0.1], "item_select: among 2 choices, validation users prefer no swap at all."),
        (None, "item_select: no swap is recorded."),
    ],
)
def test_the_best_cell_is_chosen_on_validation(swap, said):
    frame = by_hand((0.1, 0, 0, [0.5]), (0.1, 0.5, 0, swap))
    assert sentences.best_cell(scored(frame, BY_SWAP, "recall@10")) == said


def test_the_safest_strategy_has_the_smallest_worst_rank():
    index = ["joint", "item_select", "basket_all"]
    ranks = pd.DataFrame({"a": [2, 1, 3], "b": [2, 3, 1]}, index=index, dtype="Int64")
    sentence = sentences.rank_sentence(ranks)
    assert "Over 2 datasets, the smallest worst rank is 2: joint." in sentence
    assert sentence.endswith("here it is among them.")
    assert "not among them" in sentences.rank_sentence(ranks.assign(c=[4, 1, 2]))
    assert "No strategy is recorded" in sentences.rank_sentence(pd.DataFrame())


def test_standing_says_what_is_behind_a_table_and_what_is_not(elsewhere):
    study = Study(train_missing=False)
    sentence = sentences.standing(study, study.rows(references()))
    assert sentence.startswith("toy: 500 of 3,000 users, 1 of 5 folds. ")
    assert "0 of 4 methods, 0 runs, 4 missing. Not recorded: last_popularity, all; " in sentence
    study = Study(folds=2)
    sentence = sentences.standing(study, study.rows({"popularity": baselines()["popularity"]}))
    assert sentence.endswith("1 of 1 methods, 2 runs, 0 missing.")


def test_the_papers_users_stand_beside_ours():
    study = Study("tafeng", "paper", 3, train_missing=False)
    said = sentences.standing(study, {})
    assert "(the paper: 13,858 users, five splits)" in said


def test_a_training_that_never_learned_is_named():
    rows = {
        "popularity": made_row("popularity", [0.4]),
        "dream, all": made_row("dream, all", [0.3]),
    }
    assert sentences.unlearned(rows) == ""
    rows["dnntsp, all"] = made_row("dnntsp, all", [0.1])
    said = sentences.unlearned(rows)
    assert said.startswith("Below 50% of popularity's validation recall@10 in fold 0: dnntsp, all.")


def test_a_sentence_says_whether_the_best_is_above_noise():
    better, worse = [0.5, 0.6] * 20, [0.3, 0.3, 0.4, 0.4] * 10
    far = {"a": made_row("a", better), "b": made_row("b", worse)}
    near = {"a": made_row("a", better), "b": made_row("b", [0.6, 0.5] * 20)}
    assert "recall@10: a over b, yes" in sentences.best_sentence(far, ["recall@10"])
    assert "recall@10: a over b, no (p = 1)" in sentences.best_sentence(near, ["recall@10"])
    assert "nothing to rank" in sentences.best_sentence({"c": made_row("c")})


def one(label: str, *numbers: float, **more) -> Comparison:
    difference, low, high, p = numbers
    return Comparison(label, "recall@10", difference, low, high, p_holm=p, folds=3, n=9, **more)


def test_a_finding_is_one_line():
    claim = {claim.id: claim for claim in CLAIMS}
    up = one("a over b", 0.0123, 0.001, 0.02, 0.004, printed=0.01, spread=0.1, reference=0.1)
    held, open_, absent = (
        Finding(claim["5b"], "tafeng", REPLICATES, (up,)),
        Finding(claim["5a"], "tafeng", UNDECIDED, (up,)),
        Finding(claim["2e"], "tafeng", NOT_RUN, (Comparison("c over d"),)),
    )
    tested = "a over b +.0123 [+.0010,\u00a0+.0200], p = 0.004"
    assert sentences.finding_sentence(held) == f"tafeng: replicates ({tested})."
    decided = f"tafeng: undecided ({tested}; 1,537 users would decide it)."
    assert sentences.finding_sentence(open_) == decided
    assert sentences.finding_sentence(absent) == "tafeng: not run (c over d)."
    assert sentences.counts([held, held, absent]) == "2 replicates, 1 not run."
