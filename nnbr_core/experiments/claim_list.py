"""Every claim of the paper, and one it does not make (X1), as data.

"Best" always means: by recall@10 of validation users.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nnbr_core.experiments import claim_checks as methods
from nnbr_core.experiments import claim_settings as settings
from nnbr_core.experiments.evidence import Check, Evidence
from nnbr_core.experiments.paper import DATASETS
from nnbr_core.experiments.verdicts import (
    Rule,
    all_higher,
    as_printed,
    level,
    most_higher,
    not_higher,
    not_lowest,
)

NOTEBOOKS = {
    "data": "01_explore_data",
    "RQ1": "rq1_baselines",
    "RQ2": "rq2_masking",
    "RQ3": "rq3_swap",
    "RQ4": "rq4_mask_ratio",
    "RQ5": "rq5_joint",
    "beyond": "rq1_baselines",
}
EVERYWHERE = (*DATASETS, "others")  # others: every dataset that the paper does not use
SAMPLES = ("dunnhumby", "instacart")
NOT_INSTACART = ("tafeng", "dunnhumby", "others")


@dataclass(frozen=True)
class Claim:
    """What the paper says, and what is compared to decide it."""

    id: str
    question: str
    text: str
    compared: str  # in words; positive differences go the way of the claim
    checks: Callable[[Evidence], list[Check]]
    rule: Rule
    datasets: tuple[str, ...] = EVERYWHERE

    def is_about(self, dataset: str) -> bool:
        return (dataset if dataset in DATASETS else "others") in self.datasets

    @property
    def notebook(self) -> str:
        return NOTEBOOKS[self.question]


CLAIMS = (
    Claim(
        "D1",
        "data",
        "items, users, basket size, baskets per user and repeat ratio as printed",
        "our statistics and the paper's, at the digits it prints",
        methods.statistics,
        as_printed,
        DATASETS,
    ),
    Claim(
        "1b",
        "RQ1",
        "G-TopFreq is the weakest baseline",
        "each other baseline over popularity",
        methods.over_popularity,
        all_higher,
        NOT_INSTACART,
    ),
    Claim(
        "1b",
        "RQ1",
        "G-TopFreq is competitive",
        "each other baseline over popularity; one clearly below it is enough",
        methods.over_popularity,
        not_lowest,
        ("instacart",),
    ),
    Claim(
        "1c",
        "RQ1",
        "recent methods do not clearly beat older ones",
        "the best of TIFUKNN, CLEA, DNNTSP over the best of popularity, Dream, Beacon",
        methods.recent_over_older,
        not_higher,
    ),
    Claim(
        "1d",
        "RQ1",
        "training on novel labels helps most baselines",
        "explore over all labels, five baselines",
        methods.explore_over_all,
        most_higher,
    ),
    Claim(
        "1e",
        "RQ1",
        "DNNTSP is hurt by training on novel labels",
        "DNNTSP on all labels over explore",
        methods.dnntsp_all_over_explore,
        all_higher,
        ("tafeng", "dunnhumby"),
    ),
    Claim(
        "2a",
        "RQ2",
        "basket_all beats the best baseline",
        "basket_all over the best baseline",
        methods.over_best_baseline("basket_all"),
        all_higher,
        ("tafeng", "instacart"),
    ),
    Claim(
        "2a",
        "RQ2",
        "basket_all is level with the best baseline",
        "basket_all over the best baseline",
        methods.over_best_baseline("basket_all"),
        level,
        ("dunnhumby",),
    ),
    Claim(
        "2b",
        "RQ2",
        "basket-level masking beats item-level masking",
        "the best basket-level over the best item-level strategy",
        methods.basket_over_item,
        all_higher,
        ("tafeng",),
    ),
    Claim(
        "2c",
        "RQ2",
        "item-level masking beats basket-level masking and the best baseline",
        "the best item-level over the best basket-level strategy, and over the best baseline",
        methods.item_over_basket_and_baseline,
        all_higher,
        SAMPLES,
    ),
    Claim(
        "2d",
        "RQ2",
        "item_select beats item_random on all metrics",
        "item_select over item_random: recall and nDCG at 10 and 20",
        methods.select_over_random,
        all_higher,
    ),
    Claim(
        "2e",
        "RQ2",
        "basket_explore does not beat basket_all",
        "basket_explore over basket_all",
        methods.explore_over_basket_all,
        not_higher,
        NOT_INSTACART,
    ),
    Claim(
        "2e",
        "RQ2",
        "basket_explore is worse than basket_all",
        "basket_all over basket_explore",
        methods.all_over_basket_explore,
        all_higher,
        ("instacart",),
    ),
    Claim(
        "3a",
        "RQ3",
        "swapping hurts item_random and item_select",
        "each without swapping over its best swap",
        methods.none_over_swap,
        all_higher,
        ("tafeng",),
    ),
    Claim(
        "3b",
        "RQ3",
        "swapping helps item_random and item_select",
        "the best swap of each over none",
        methods.swap_over_none,
        all_higher,
        SAMPLES,
    ),
    Claim(
        "3c",
        "RQ3",
        "a high swap ratio with a high hop is poor",
        "mean of the other cells over cells with ratio >= 0.5 and hop >= 5, both maskings",
        settings.elsewhere_over_corner,
        all_higher,
        ("tafeng", "dunnhumby"),
    ),
    Claim(
        "3d",
        "RQ3",
        "a high hop is best",
        "mean of the cells with hop >= 5 over those with a lower hop, both maskings",
        settings.high_hop_over_low,
        all_higher,
        ("instacart",),
    ),
    Claim(
        "4a",
        "RQ4",
        "at equal mask ratio item_select is mostly ahead of item_random",
        "item_select over item_random, mean over the mask ratios recorded for both",
        settings.select_over_random_at_equal_ratio,
        all_higher,
    ),
    Claim(
        "4b",
        "RQ4",
        "the best mask ratio is 0.1",
        "0.1 over the best other ratio, both item-level maskings",
        settings.best_ratio_within((0.1,)),
        all_higher,
        ("tafeng",),
    ),
    Claim(
        "4c",
        "RQ4",
        "the best mask ratio is 0.5 to 0.7",
        "the better of 0.5 and 0.7 over the best other ratio, both item-level maskings",
        settings.best_ratio_within((0.5, 0.7)),
        all_higher,
        SAMPLES,
    ),
    Claim(
        "4d",
        "RQ4",
        "basket-level training peaks early and then falls; item-level peaks later",
        "over folds: epoch of the validation peak, item- over basket-level; fall after it, "
        "basket- over item-level",
        settings.peaks_by_level,
        all_higher,
    ),
    Claim(
        "4e",
        "RQ4",
        "basket_explore overfits more than basket_all",
        "over folds: mean fall after the validation peak, basket_explore over basket_all",
        settings.explore_falls_more,
        all_higher,
    ),
    Claim(
        "4f",
        "RQ4",
        "item_random overfits earlier than item_select",
        "over folds: epoch of the validation peak, item_select over item_random",
        settings.select_peaks_later,
        all_higher,
        SAMPLES,
    ),
    Claim(
        "5a",
        "RQ5",
        "joint training beats the best baseline",
        "joint over the best baseline: recall and nDCG at 10 and 20",
        methods.over_best_baseline("joint", methods.METRICS),
        all_higher,
    ),
    Claim(
        "5b",
        "RQ5",
        "joint training is not different from the best single strategy",
        "joint over the best other BTBR strategy",
        methods.joint_over_best_single,
        level,
    ),
    Claim(
        "X1",
        "beyond",
        "the best BTBR beats the honest references",
        "the best BTBR over last-basket popularity, item kNN and user kNN",
        methods.btbr_over_references,
        all_higher,
    ),
)
