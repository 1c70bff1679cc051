import pandas as pd
import pytest
from made import by_hand

from nnbr_core.experiments.questions import BY_SWAP, scored
from nnbr_core.show import sentences


def curves(**peaks: int) -> pd.DataFrame:
    """Four epochs per masking, the best at the epoch given."""
    return pd.DataFrame(
        [
            {
                "masking": name,
                "epoch": epoch,
                "seconds": epoch,
                "recall@10": 1 / (1 + abs(epoch - at)),
            }
            for name, at in peaks.items()
            for epoch in (1, 2, 3, 4)
        ]
    )


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


def test_the_best_ratio_is_compared_with_the_papers():
    frame = by_hand((0.1, 0, 0, [0.2]), (0.5, 0, 0, [0.4]), (0.7, 0, 0, None))
    said = "Validation users prefer 0.5 for item_select"
    for dataset, verdict in {
        "tafeng": "the paper finds 0.1: this run does not agree",
        "dunnhumby": "the paper finds 0.5 to 0.7: this run agrees,",
        "toy": "The paper does not use toy.",
    }.items():
        sentence = sentences.best_ratio_sentence(frame, dataset)
        assert sentence.startswith(said) and verdict in sentence
    nothing = by_hand((0.1, 0, 0, None))
    assert sentences.best_ratio_sentence(nothing, "tafeng") == "No mask ratio is recorded."


def test_two_strategies_may_agree_in_part():
    frame = by_hand((0.1, 0, 0, [0.2]), (0.5, 0, 0, [0.4]))
    other = by_hand((0.1, 0, 0, [0.4]), (0.5, 0, 0, [0.2])).assign(masking="item_random")
    both = pd.concat([frame, other], ignore_index=True)
    assert "agrees in part" in sentences.best_ratio_sentence(both, "tafeng")


def test_basket_level_peaks_come_first_or_they_do_not():
    early = {"basket_all": 1, "basket_explore": 2}
    agrees = sentences.peak_sentence(curves(**early, item_random=3, item_select=4))
    assert "epoch 2 at the latest, before" in agrees and agrees.endswith("this run agrees.")
    tied = sentences.peak_sentence(curves(**early, item_random=2, item_select=4))
    assert "epoch 2 at the latest, not before" in tied and tied.endswith("does not agree.")
    assert "no learning curve yet" in sentences.peak_sentence(curves(**early))
    assert "no learning curve yet" in sentences.peak_sentence(pd.DataFrame())


def test_the_safest_strategy_has_the_smallest_worst_rank():
    index = ["joint", "item_select", "basket_all"]
    ranks = pd.DataFrame({"a": [2, 1, 3], "b": [2, 3, 1]}, index=index, dtype="Int64")
    sentence = sentences.rank_sentence(ranks)
    assert "Over 2 datasets, the smallest worst rank is 2: joint." in sentence
    assert sentence.endswith("here it is among them.")
    assert "not among them" in sentences.rank_sentence(ranks.assign(c=[4, 1, 2]))
    assert "No strategy is recorded" in sentences.rank_sentence(pd.DataFrame())
