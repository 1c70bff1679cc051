"""Every claim of the paper, and two it does not make (X1, X2), as data.

A positive difference goes the way of the claim; "the best" is always the best for validation users.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nnbr_core.analysis import methods
from nnbr_core.analysis.claim_comparisons import (
    Best,
    BestRatio,
    Both,
    Cells,
    MethodRows,
    Over,
    Swapped,
    Training,
    fall_after_peak,
    peak,
    select_over_random_at_equal_ratio,
    statistics,
)
from nnbr_core.analysis.comparisons import Comparison
from nnbr_core.analysis.methods import BASKET_LEVEL, ITEM_LEVEL
from nnbr_core.analysis.outcomes import (
    Rule,
    all_higher,
    any_lower,
    as_printed,
    level,
    most_higher,
    not_higher,
)
from nnbr_core.analysis.paper import DATASETS, METRICS, known_as

QUESTIONS = {  # in the order of the pages: what is asked, and the notebook that shows more
    "data": ("Are the datasets the paper's?", "01_explore_data"),
    "RQ1": ("How do existing methods do on novel items?", "rq1_baselines"),
    "RQ2": ("Which masking strategy wins?", "rq2_masking"),
    "RQ3": ("Does swapping help?", "rq3_swap"),
    "RQ4": ("How do mask ratio and training time matter?", "rq4_mask_ratio"),
    "RQ5": ("Is joint training the safe choice?", "rq5_joint"),
    "beyond": ("What beats simple references?", "rq1_baselines"),
}
EVERYWHERE = (*DATASETS, "others")  # others: every dataset that the paper does not use
SAMPLES = ("dunnhumby", "instacart")
NOT_INSTACART = ("tafeng", "dunnhumby", "others")

BASELINES = tuple(methods.baselines())
BEST_BASELINE = Best("baseline", BASELINES)
TRAINED = [name.removesuffix(", all") for name in BASELINES if name.endswith(", all")]
RECENT = tuple(f"{m}, {labels}" for m in ("tifuknn", "clea", "dnntsp") for labels in methods.LABELS)
OLDER = tuple(name for name in BASELINES if name not in RECENT)
REFERENCES = tuple(methods.references())
SINGLES = tuple(name for name in methods.strategies() if name != "joint")
SWAPS = tuple(f"{name}_swap" for name in ITEM_LEVEL)
BEST_ITEM = Best("item-level strategy", ITEM_LEVEL)
BEST_BASKET = Best("basket-level strategy", BASKET_LEVEL)
BEST_BTBR = Best("BTBR", (*SINGLES, "joint", *SWAPS))
HIGH_RATIO, HIGH_HOP = 0.5, 5  # from here on a swap is "high"
EPOCHS, SHARE = "epochs", "share of the peak"


def _is_high(cells):
    return (cells["swap_ratio"] >= HIGH_RATIO) & (cells["swap_hop"] >= HIGH_HOP)


def _is_far(cells):
    return cells["swap_hop"] >= HIGH_HOP


@dataclass(frozen=True)
class Claim:
    """What the paper says, and what is compared to decide it."""

    id: str
    question: str
    text: str
    compared: str  # in words
    compare: Callable[[MethodRows], list[Comparison]]
    rule: Rule = all_higher
    datasets: tuple[str, ...] = EVERYWHERE

    def is_about(self, dataset: str) -> bool:
        return (known_as(dataset) or "others") in self.datasets

    @property
    def notebook(self) -> str:
        return QUESTIONS[self.question][1]


OVER_POPULARITY = Over(tuple((name, "popularity") for name in BASELINES if name != "popularity"))
BASKET_ALL_OVER_BASELINE = Over((("basket_all", BEST_BASELINE),))

CLAIMS = (
    Claim("D1", "data", "items, users, basket size, baskets per user and repeat ratio as printed",
          "our statistics and the paper's, at the digits it prints",
          statistics, as_printed, DATASETS),
    Claim("1b", "RQ1", "G-TopFreq is the weakest baseline",
          "each other baseline over popularity",
          OVER_POPULARITY, datasets=NOT_INSTACART),
    Claim("1b", "RQ1", "G-TopFreq is competitive",
          "each other baseline over popularity; one clearly below it is enough",
          OVER_POPULARITY, any_lower, ("instacart",)),
    Claim("1c", "RQ1", "recent methods do not clearly beat older ones",
          "the best of TIFUKNN, CLEA, DNNTSP over the best of popularity, Dream, Beacon",
          Over(((Best("recent baseline", RECENT), Best("older one", OLDER)),)), not_higher),
    Claim("1d", "RQ1", "training on novel labels helps most baselines",
          "explore over all labels, five baselines",
          Over(tuple((f"{model}, explore", f"{model}, all") for model in TRAINED)), most_higher),
    Claim("1e", "RQ1", "DNNTSP is hurt by training on novel labels",
          "DNNTSP on all labels over explore",
          Over((("dnntsp, all", "dnntsp, explore"),)), datasets=("tafeng", "dunnhumby")),
    Claim("2a", "RQ2", "basket_all beats the best baseline",
          "basket_all over the best baseline",
          BASKET_ALL_OVER_BASELINE, datasets=("tafeng", "instacart")),
    Claim("2a", "RQ2", "basket_all is level with the best baseline",
          "basket_all over the best baseline",
          BASKET_ALL_OVER_BASELINE, level, ("dunnhumby",)),
    Claim("2b", "RQ2", "basket-level masking beats item-level masking",
          "the best basket-level over the best item-level strategy",
          Over(((BEST_BASKET, BEST_ITEM),)), datasets=("tafeng",)),
    Claim("2c", "RQ2", "item-level masking beats basket-level masking and the best baseline",
          "the best item-level over the best basket-level strategy, and over the best baseline",
          Over(((BEST_ITEM, BEST_BASKET), (BEST_ITEM, BEST_BASELINE))), datasets=SAMPLES),
    Claim("2d", "RQ2", "item_select beats item_random on all metrics",
          "item_select over item_random: recall and nDCG at 10 and 20",
          Over((("item_select", "item_random"),), METRICS)),
    Claim("2e", "RQ2", "basket_explore does not beat basket_all",
          "basket_explore over basket_all",
          Over((("basket_explore", "basket_all"),)), not_higher, NOT_INSTACART),
    Claim("2e", "RQ2", "basket_explore is worse than basket_all",
          "basket_all over basket_explore",
          Over((("basket_all", "basket_explore"),)), datasets=("instacart",)),
    Claim("3a", "RQ3", "swapping hurts item_random and item_select",
          "each without swapping over its best swap",
          Swapped(is_better=False), datasets=("tafeng",)),
    Claim("3b", "RQ3", "swapping helps item_random and item_select",
          "the best swap of each over none",
          Swapped(is_better=True), datasets=SAMPLES),
    Claim("3c", "RQ3", "a high swap ratio with a high hop is poor",
          f"other cells over those with ratio >= {HIGH_RATIO} and hop >= {HIGH_HOP}, both maskings",
          Cells("other cells over high ratio with high hop", _is_high, is_better=False),
          datasets=("tafeng", "dunnhumby")),
    Claim("3d", "RQ3", "a high hop is best",
          f"the cells with hop >= {HIGH_HOP} over those with a lower hop, both maskings",
          Cells("high hop over low hop", _is_far, is_better=True), datasets=("instacart",)),
    Claim("4a", "RQ4", "at equal mask ratio item_select is mostly ahead of item_random",
          "item_select over item_random, mean over the mask ratios recorded for both",
          select_over_random_at_equal_ratio),
    Claim("4b", "RQ4", "the best mask ratio is 0.1",
          "0.1 over the best other ratio, both item-level maskings",
          BestRatio((0.1,)), datasets=("tafeng",)),
    Claim("4c", "RQ4", "the best mask ratio is 0.5 to 0.7",
          "the better of 0.5 and 0.7 over the best other ratio, both item-level maskings",
          BestRatio((0.5, 0.7)), datasets=SAMPLES),
    Claim("4d", "RQ4", "basket-level training peaks early and then falls; item-level peaks later",
          "over folds: epoch of the validation peak, item- over basket-level; fall after it, "
          "basket- over item-level",
          Both((
              Training("peak of item-level over basket-level",
                       ITEM_LEVEL, BASKET_LEVEL, peak, EPOCHS),
              Training("fall after the peak, basket-level over item-level",
                       BASKET_LEVEL, ITEM_LEVEL, fall_after_peak, SHARE),
          ))),
    Claim("4e", "RQ4", "basket_explore overfits more than basket_all",
          "over folds: mean fall after the validation peak, basket_explore over basket_all",
          Training("fall after the peak, basket_explore over basket_all",
                   ("basket_explore",), ("basket_all",), fall_after_peak, SHARE)),
    Claim("4f", "RQ4", "item_random overfits earlier than item_select",
          "over folds: epoch of the validation peak, item_select over item_random",
          Training("peak of item_select over item_random",
                   ("item_select",), ("item_random",), peak, EPOCHS), datasets=SAMPLES),
    Claim("5a", "RQ5", "joint training beats the best baseline",
          "joint over the best baseline: recall and nDCG at 10 and 20",
          Over((("joint", BEST_BASELINE),), METRICS)),
    Claim("5b", "RQ5", "joint training is not different from the best single strategy",
          "joint over the best other BTBR strategy",
          Over((("joint", Best("single strategy", (*SINGLES, *SWAPS))),)), level),
    Claim("X1", "beyond", "the best BTBR beats the honest references",
          "the best BTBR over last-basket popularity, item kNN and user kNN",
          Over(tuple((BEST_BTBR, name) for name in REFERENCES))),
    Claim("X2", "beyond", "the ranker beats user kNN",
          "the ranker over user kNN: recall@10 and nDCG@10",
          Over((("ranker", "user_knn"),), ("recall@10", "ndcg@10"))),
)  # fmt: skip
ACROSS = Claim("1a", "RQ1", "no baseline is best on every dataset",
               "each baseline must be clearly below the best one of some dataset",
               lambda rows: [])  # fmt: skip
