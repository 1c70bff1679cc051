"""What a ranker run can vary."""

from dataclasses import dataclass

from nnbr_core.btbr_settings import BtbrSettings
from nnbr_core.settings import COUNT, RATE, Limits, Settings, setting

MANY_SEQUENCES = 5000  # of training users: below this trees learn the users by heart


@dataclass(frozen=True)
class RankerSettings(Settings):
    learner: str | None = setting(
        None,
        f"how members are combined; None: trees from {MANY_SEQUENCES:,} training users on",
        choices=["trees", "weights"],
    )
    n_each: int = setting(60, "candidates that each nominating member names", COUNT)
    btbr: bool = setting(False, "is BTBR a member too? It takes most of the time")
    btbr_epochs: int = setting(5, "of BTBR, at most", COUNT)
    n_folds: int = setting(5, "groups of shoppers for cross-fitting", Limits(low=2, high=100))
    n_models: int = setting(3, "trees of so many seeds are averaged", COUNT)
    learning_rate: float = setting(0.05, "of the trees", RATE)
    max_trees: int = setting(300, "per model", COUNT)
    unwanted: float = setting(
        0.3, "share of the candidates nobody wanted that a model reads", Limits(above=0, high=1)
    )


def btbr_settings(settings: RankerSettings) -> BtbrSettings:
    """BTBR as a member: one mask for the next basket's novel items, numbered from the end.

    Few epochs are enough, and one mask makes them cheap: it is trained once per fold.
    """
    return BtbrSettings(
        masking="basket_explore",
        mask_tokens="one",
        positions="end",
        epochs=settings.btbr_epochs,
        patience=2,
    )
