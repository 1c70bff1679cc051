"""Recent sales as a prior: added to any method's log scores, as strongly as validation likes.

    score(u, j) + strength * log(1 + sales of j in the days before u's visit)

A strength of 0 is allowed: then dates add nothing, and nothing is lost.
"""

from collections.abc import Callable

import numpy as np

from nnbr_core.baselines.dated.sales import WINDOWS, Sales
from nnbr_core.baselines.search import Candidates, search, values
from nnbr_core.data.baskets import Baskets
from nnbr_core.data.folds import Part
from nnbr_core.settings import COUNT, Limits, setting

STRENGTHS = (0.0, 0.25, 0.5, 1.0, 2.0)
PRIOR_GRID = {"recent_days": WINDOWS, "strength": STRENGTHS}

Score = Callable[[Baskets], np.ndarray]


def recent_days_setting() -> int | None:
    return setting(None, "sales of so many days are a prior; None: searched", COUNT)


def strength_setting() -> float | None:
    limits = Limits(low=0, high=100)
    return setting(None, "of the prior of recent sales; 0: none; None: searched", limits)


def with_prior(scores: np.ndarray, sales: Sales, histories: Baskets, chosen: dict) -> np.ndarray:
    """float32 [users, items]: log scores, and the prior as drawn above."""
    recent = np.log1p(sales.recent(histories, chosen["recent_days"]))
    return scores + np.float32(chosen["strength"]) * recent


def choose_prior(
    score: Score, sales: Sales, settings: object, validation: Part, progress: bool = False
) -> dict:
    """Days and strength of the best validation recall@10; without a prior first."""
    tried = values(settings, PRIOR_GRID)

    def candidates(histories: Baskets) -> Candidates:
        scores = score(histories)
        for strength in tried["strength"]:
            for days in tried["recent_days"] if strength else tried["recent_days"][:1]:
                chosen = {"recent_days": days, "strength": strength}
                yield chosen, with_prior(scores, sales, histories, chosen)

    return search(candidates, tried, validation, progress=progress)
